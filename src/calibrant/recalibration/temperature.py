"""Temperature: one number that makes all probabilities surer or less sure and keeps every top choice.

Log probabilities (or log odds) are divided by T before they are turned back: T above 1 makes them less sure.
The mean log loss is convex in 1/T, so its slope is brought to 0 by bisection between stated bounds on log T.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from calibrant.recalibration.odds import floor_of, log_odds, log_probs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from calibrant.recalibration.samples import Sample

__all__ = ["BOUNDS", "apply_temperature", "fit_temperature"]

BOUNDS = (0.01, 100.0)
"""T is looked for between these; a fit that ends at one of them says so."""


def fit_temperature(sample: Sample) -> dict[str, Any]:
    """The T of the smallest log loss.

    Returns:
        T, its floor, the standard error of log T (nan at a bound), and which bound was hit, if any.

    Source: Guo, Pleiss, Sun & Weinberger (2017), ICML, section 4.2.
    """
    floor = floor_of(sample)
    slope = _binary(sample, floor) if sample.is_binary else _choices(sample, floor)
    low, high = (float(np.log(1.0 / bound)) for bound in reversed(BOUNDS))
    at_low, at_high = slope(float(np.exp(low)))[0], slope(float(np.exp(high)))[0]
    bound = None
    if at_low >= 0 and at_high <= 0:
        found = 0.0  # every T does equally well
    elif at_low >= 0:
        found, bound = low, "upper"
    elif at_high <= 0:
        found, bound = high, "lower"
    else:
        from scipy.optimize import brentq

        found = float(brentq(lambda log_b: slope(float(np.exp(log_b)))[0], low, high, xtol=1e-12, rtol=1e-12))
    b = float(np.exp(found))
    _, score, information = slope(b)
    error = float(np.sqrt(score) / information / b) if bound is None and information > 0 else float("nan")
    value = {"lower": BOUNDS[0], "upper": BOUNDS[1]}.get(bound or "", 1.0 / b)
    return {"T": value, "floor": floor, "log_T_se": error, "bound": bound}


def _binary(sample: Sample, floor: float) -> Callable[[float], tuple[float, float, float]]:
    z, y, w = log_odds(sample.prob, floor), sample.label.astype(np.float64), sample.weight

    def slope(b: float) -> tuple[float, float, float]:
        q = expit(b * z)
        gap = (q - y) * z
        return float(w @ gap), _spread(sample, gap), float(w @ (q * (1 - q) * z * z))

    return slope


def _choices(sample: Sample, floor: float) -> Callable[[float], tuple[float, float, float]]:
    z, w = log_probs(sample.prob, floor), sample.weight
    z = z - z.max(axis=1, keepdims=True)
    there = np.where(np.isfinite(z), z, 0.0)
    of_label = z[np.arange(sample.label.size), sample.label]

    def slope(b: float) -> tuple[float, float, float]:
        q = np.exp(b * z)
        q /= q.sum(axis=1, keepdims=True)
        mean = np.einsum("ij,ij->i", q, there)
        spread = np.einsum("ij,ij->i", q, there * there) - mean**2
        gap = mean - of_label
        return float(w @ gap), _spread(sample, gap), float(w @ spread)

    return slope


def _spread(sample: Sample, gap: NDArray[np.float64]) -> float:
    """The variance of Σ w·gap: over rows, or over clusters."""
    if sample.cluster is None:
        return float(sample.square @ (gap * gap))
    return float(np.square(np.bincount(sample.cluster, sample.weight * gap)).sum())


def apply_temperature(params: Mapping[str, Any], prob: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities after division of their logs by T."""
    b = 1.0 / float(params["T"])
    if prob.ndim == 1:
        return np.asarray(expit(b * log_odds(prob, float(params["floor"]))))
    z = b * log_probs(prob, float(params["floor"]))
    q = np.exp(z - z.max(axis=1, keepdims=True))
    out = q / q.sum(axis=1, keepdims=True)
    return np.asarray(np.where(np.isnan(prob), np.nan, out))
