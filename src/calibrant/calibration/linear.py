"""Miscalibration and discrimination with intervals, by the straight line from what was said to what happened.

The isotonic terms of CORP have no valid interval: they are above 0 for pure noise. Recalibration by a line
q = a + b·p splits the Brier score in the same way and is smooth enough to have one:
Brier = miscalibration − discrimination + uncertainty, with
miscalibration = (p̄ − ȳ)² + (1 − b)²·Var p, discrimination = b²·Var p, uncertainty = ȳ(1 − ȳ).
What a curve could repair beyond a line is not in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.intervals.inversion import INVERSION_DRAWS, invert
from calibrant.intervals.wilson import check_level
from calibrant.random import STREAMS, normals

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from calibrant.tallies.cells import Cells

__all__ = ["LinearRecalibration", "linear_recalibration"]

MINIMUM_OF_EACH = 10
NAN = float("nan")


class LinearRecalibration(NamedTuple):
    """The Brier score split by linear recalibration.

    Attributes:
        intercept: a.
        slope: b; 1 when calibrated, below 1 when too extreme.
        miscalibration: Brier score that the best line would save; 0 or more, lower is better.
        miscalibration_low: lower limit.
        miscalibration_high: upper limit.
        discrimination: Brier score that the line gains over saying the base rate; higher is better.
        discrimination_low: lower limit.
        discrimination_high: upper limit.
        uncertainty: ȳ(1 − ȳ).
        level: confidence level.
        seed: seed of the draws.
        why: why there are no limits; None when there are.
    """

    intercept: float
    slope: float
    miscalibration: float
    miscalibration_low: float
    miscalibration_high: float
    discrimination: float
    discrimination_low: float
    discrimination_high: float
    uncertainty: float
    level: float
    seed: int
    why: str | None


def linear_recalibration(
    cells: Cells, *, level: float = 0.95, seed: int = 0, draws: int = INVERSION_DRAWS
) -> LinearRecalibration:
    """Split the Brier score (0–1) by linear recalibration, with intervals by test inversion.

    Miscalibration is the squared length of θ = (ȳ − p̄, (b − 1)·sd p), which is about normal; so a candidate value is
    kept when the observed length is no surprise under the likeliest θ of that length. Of grid cells the mean
    probability counts.

    Domain: at least 10 effective rows of either outcome, and not all probabilities equal; there 92–98% coverage, at
    least 95% where the truth is 0 (`python -m simulations linear`).

    Args:
        cells: one view.
        level: confidence level.
        seed: seed of the draws.
        draws: number of draws.

    Source: linear recalibration after Dimitriadis & Puke (2026), arXiv 2603.04275; Chuang & Lai (2000).

    Example:
        >>> from calibrant.tallies.cells import Cells
        >>> cells = Cells.exact(np.repeat([0.1, 0.9], 500), np.tile(np.repeat([0, 1], [2, 3]), 200))
        >>> found = linear_recalibration(cells)
        >>> round(found.miscalibration, 3), found.miscalibration_low > 0.1, found.discrimination_low
        (0.17, True, 0.0)
    """
    level = check_level(level)
    p, w, v = cells.prob, cells.w, cells.v
    total = float(w.sum())
    said, seen = float(w.sum(axis=1) @ p) / total, float(w[:, 1].sum()) / total
    spread = float(w.sum(axis=1) @ (p - said) ** 2) / total
    both = float(w[:, 1] @ (p - said)) / total
    if spread <= 1e-18:
        gap = (said - seen) ** 2
        why = "all probabilities are equal"
        return LinearRecalibration(NAN, NAN, gap, NAN, NAN, 0.0, NAN, NAN, seen * (1 - seen), level, seed, why)
    slope = both / spread
    intercept = seen - slope * said
    theta = np.array([seen - said, (slope - 1.0) * spread**0.5])
    strength = np.array([slope * spread**0.5])
    known = (intercept, slope, float(theta @ theta))
    rows = w.sum(axis=0) ** 2 / np.maximum(v.sum(axis=0), 1e-300)
    if rows.min() < MINIMUM_OF_EACH - 1e-9:
        why = f"only {rows.min():.3g} rows have the rarer outcome; about {MINIMUM_OF_EACH} are needed"
        gain = float(strength @ strength)
        return LinearRecalibration(*known, NAN, NAN, gain, NAN, NAN, seen * (1 - seen), level, seed, why)
    x = (p - said) / spread**0.5
    outcome = np.array([0.0, 1.0])
    error = outcome - (intercept + slope * p)[:, None]
    # Rows far out pull the line towards themselves; dividing by 1 − leverage gives their error back (HC3).
    error = error / (1.0 - np.minimum((v / np.maximum(w, 1e-300)) * (1.0 + x[:, None] ** 2) / total, 0.5))
    wider = 0.5 * (x**2 - 1.0)[:, None]  # how a row moves sd p
    shift = outcome - p[:, None] - theta[0]
    tilt, strong = x[:, None] * error + theta[1] * wider, x[:, None] * error + strength[0] * wider
    honest = v.sum(axis=1) * p * (1.0 - p)
    axes = np.stack([np.ones_like(x), x])
    null = np.einsum("m,im,jm->ij", honest, axes, axes) / total**2
    blank = np.array([[float(v.sum(axis=1) @ x**2) * seen * (1 - seen) / total**2]])
    shifts = np.stack([shift, tilt])
    moved = np.einsum("my,imy,jmy->ij", v, shifts, shifts) / total**2
    limits = _squared_length(theta, moved, null, level, seed, draws)
    strengths = np.array([[float((v * strong**2).sum()) / total**2]])
    gains = _squared_length(strength, strengths, blank, level, seed, draws)
    return LinearRecalibration(
        *known, *limits, float(strength @ strength), *gains, seen * (1 - seen), level, seed, None
    )


def _squared_length(
    theta: NDArray[np.float64],
    covariance: NDArray[np.float64],
    null: NDArray[np.float64],
    level: float,
    seed: int,
    draws: int,
) -> tuple[float, float]:
    """Interval of |θ|² for a normal estimate of θ; path: of the θ of a candidate length the likeliest one."""
    z = normals(seed, STREAMS["inversion"], (draws, theta.size))
    noise = z @ _root(covariance)
    observed = float(theta @ theta)

    def simulate(at: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(((noise + at) ** 2).sum(axis=1))

    chance = ((z @ _root(null)) ** 2).sum(axis=1)
    return invert(_likeliest(theta, covariance), simulate, observed, level, chance)


def _likeliest(theta: NDArray[np.float64], covariance: NDArray[np.float64]) -> Callable[[float], NDArray[np.float64]]:
    """Of all vectors with a given squared length the one nearest to θ in its own metric: (I + λΣ)⁻¹θ."""
    values, vectors = np.linalg.eigh(covariance)
    spread = np.maximum(values, 1e-12 * max(float(values[-1]), 1e-300))
    along = vectors.T @ theta
    # Along the widest axis a vector can always grow, even if θ has nothing there.
    along[-1] = np.copysign(max(abs(along[-1]), 1e-6 * float(spread[-1]) ** 0.5), along[-1])

    def at(value: float) -> NDArray[np.float64]:
        if value <= 0:
            return np.zeros_like(theta)

        def length(factor: float) -> float:
            return float(((along / (1.0 + factor * spread)) ** 2).sum())

        # The length falls with λ, from infinity at −1/largest spread; sought is 1 + λ·largest, from 0 upwards.
        low, high = 1e-12, 1.0
        while length((high - 1.0) / spread[-1]) > value and high < 1e15:
            high *= 4.0
        for _ in range(45):
            middle = (low * high) ** 0.5
            low, high = (middle, high) if length((middle - 1.0) / spread[-1]) > value else (low, middle)
        return np.asarray(vectors @ (along / (1.0 + (high - 1.0) / spread[-1] * spread)))

    return at


def _root(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
