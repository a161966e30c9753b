"""Ordered levels: one line for the log odds of "at most this level", so that neighbouring levels move together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from calibrant.recalibration.odds import floor_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from calibrant.recalibration.samples import Sample

__all__ = ["apply_levels", "fit_levels"]

BOUNDS = ((np.log(0.02), np.log(50.0)), (-20.0, 20.0))


def fit_levels(sample: Sample) -> dict[str, Any]:
    """Map logit P(level ≤ k) → slope · logit P(level ≤ k) + shift, the same for every cut, by maximum likelihood.

    The slope makes the levels surer or less sure; the shift moves all of them down (above 0) or up. Unlike
    temperature it may change the top level, because it knows that 3 lies between 2 and 4.

    Source: the proportional-odds line of McCullagh (1980), Journal of the Royal Statistical Society B 42, with the
    forecast's own log odds as its only variable.
    """
    from scipy.optimize import minimize

    floor = floor_of(sample)
    z = _cuts(sample.prob, floor)
    weight = sample.weight / sample.weight.sum()
    rows = np.arange(sample.label.size)

    def loss(theta: NDArray[np.float64]) -> float:
        q = _probs(float(np.exp(theta[0])), float(theta[1]), z)
        return -float(weight @ np.log(np.maximum(q[rows, sample.label], 1e-300)))

    found = minimize(loss, np.zeros(2), method="L-BFGS-B", bounds=BOUNDS)
    slope, shift = float(np.exp(found.x[0])), float(found.x[1])
    edge = any(
        min(abs(value - low), abs(value - high)) < 1e-6 for value, (low, high) in zip(found.x, BOUNDS, strict=True)
    )
    return {"slope": slope, "shift": shift, "floor": floor, "bound": "reached" if edge else None}


def apply_levels(params: Mapping[str, Any], prob: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of levels after the line on their cuts."""
    return _probs(float(params["slope"]), float(params["shift"]), _cuts(prob, float(params["floor"])))


def _cuts(prob: NDArray[np.float64], floor: float) -> NDArray[np.float64]:
    """Log odds of "at most level k", computed from the smaller side so that no tail is lost."""
    below = np.cumsum(prob, axis=1)[:, :-1]
    above = np.cumsum(prob[:, ::-1], axis=1)[:, -2::-1]
    return np.asarray(np.log(np.maximum(below, floor)) - np.log(np.maximum(above, floor)))


def _probs(slope: float, shift: float, z: NDArray[np.float64]) -> NDArray[np.float64]:
    below = expit(slope * z + shift)
    ends = np.concatenate([np.zeros((z.shape[0], 1)), below, np.ones((z.shape[0], 1))], axis=1)
    return np.asarray(np.maximum(np.diff(ends, axis=1), 0.0))
