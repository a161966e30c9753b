"""The noise floor: the calibration error that a perfectly calibrated forecaster would show by chance.

Every binned calibration error is above 0 by chance alone. Under the null y* ~ Bernoulli(p), with these
probabilities and this many rows, the residual sum of each bin, Σw(p − y*), is drawn from its own distribution:
exactly (a sum of coin flips) without weights, from a normal with variance Σw²p(1 − p) with them. One draw costs
one uniform a bin, so that the floor costs the same at a thousand rows and at a billion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from calibrant.bins import Bins
from calibrant.errors import OptionError
from calibrant.intervals.null import FLOOR_DRAWS, null_residuals, p_value
from calibrant.random import STREAMS, normals
from calibrant.tallies.cells import Cells

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Floor",
    "NoiseFloor",
    "Norm",
    "binned_error",
    "floor_of_cells",
    "noise_floor",
]

Norm = Literal["l1", "l2", "max"]


class Floor(NamedTuple):
    """What a perfectly calibrated forecaster scores: mean and 95% point, and how they were drawn."""

    mean: float
    upper: float
    draws: int
    seed: int


class NoiseFloor(NamedTuple):
    """A calibration error beside its noise floor.

    Attributes:
        value: the observed calibration error; nan when only probabilities were given.
        floor: mean of the error under perfect calibration.
        floor_95: its 95% point.
        p_value: (1 + k) / (1 + draws), k being the draws at least as large as the value; nan without a value.
        draws: Monte Carlo draws.
        seed: seed of the draws.
    """

    value: float
    floor: float
    floor_95: float
    p_value: float
    draws: int
    seed: int


def noise_floor(
    prob: ArrayLike,
    *,
    bins: int | ArrayLike | Bins = 10,
    norm: Norm = "l1",
    weights: ArrayLike | None = None,
    seed: int = 0,
) -> Floor:
    """The calibration error that chance alone gives to a perfectly calibrated forecaster with these probabilities.

    An error below `upper` is compatible with perfect calibration. Lower is better; 0 is reached only without
    uncertainty. For errors of the top answer give the confidences.

    Args:
        prob: probabilities, shape (n,), inside 0 to 1.
        bins: a number of equal-width bins, edges, or `Bins`.
        norm: "l1" (the usual ECE), "l2" (root of the mean square) or "max".
        weights: one per row, shape (n,), not negative.
        seed: seed of the 4,999 draws.

    Returns:
        `Floor(mean, upper, draws, seed)`.

    Raises:
        OptionError: if `bins` or `norm` means nothing, or there is no row with weight.

    Example:
        >>> floor = noise_floor([0.95] * 60)
        >>> round(floor.mean, 2), round(floor.upper, 3)
        (0.02, 0.05)
    """
    p = np.asarray(prob, dtype=np.float64) + 0.0
    if p.ndim != 1 or not bool(np.all((p >= 0) & (p <= 1))):
        raise OptionError("`prob` must be one list of numbers from 0 to 1.", hint="Give one probability per row.")
    w = None if weights is None else np.asarray(weights, dtype=np.float64)
    if w is not None and (w.shape != p.shape or not bool(np.all(np.isfinite(w) & (w >= 0)))):
        raise OptionError("`weights` must be finite, not negative, and as many as `prob`.")
    if w is not None:
        p, w = p[w > 0], w[w > 0]
    if not p.size:
        raise OptionError("A noise floor needs at least one row with a weight above 0.")
    return floor_of_cells(Cells.exact(p, np.zeros(p.size, np.int64), w), _as_bins(bins), norm=norm, seed=seed)[1]


def floor_of_cells(
    cells: Cells,
    bins: Bins,
    *,
    norm: Norm = "l1",
    seed: int = 0,
    draws: int = FLOOR_DRAWS,
    covariance: NDArray[np.float64] | None = None,
    null: NDArray[np.float64] | None = None,
) -> tuple[NoiseFloor, Floor]:
    """The binned calibration error of cells beside its floor; and the floor by itself.

    Args:
        cells: one view; "event" against how often it happened, "top" against how often it was right.
        bins: the bins, fixed without looking at outcomes.
        norm: "l1", "l2" or "max".
        seed: seed of the draws.
        draws: number of draws.
        covariance: float64, shape (occupied bins, occupied bins): covariance of the bins' residual sums, for rows
            that come in clusters (Σ_c r_c·r_cᵀ); the floor is then Gaussian.
        null: the bins' residual sums under the null, from `null_residuals`, if they are at hand: one table of draws
            serves all norms and `error_intervals`.

    Example:
        >>> cells = Cells.exact(np.full(60, 0.95), np.repeat([0, 1], [10, 50]))
        >>> error, _ = floor_of_cells(cells, Bins.width(10))
        >>> round(error.value, 4), error.p_value < 0.01
        (0.1167, True)
    """
    sums = cells.bin_sums(bins).occupied()
    if null is not None:
        draws = null.shape[0]
    elif covariance is None:
        null = null_residuals(cells, bins, seed=seed, draws=draws)
    else:
        root = _square_root(covariance)
        null = normals(seed, STREAMS["floor"], (draws, sums.n.size)) @ root
    errors = binned_error(null, sums.weight, norm)
    value = float(binned_error(sums.residual[None, :], sums.weight, norm)[0])
    floor = Floor(float(errors.mean()), float(np.quantile(errors, 0.95)), draws, seed)
    return NoiseFloor(value, floor.mean, floor.upper, p_value(value, errors), draws, seed), floor


def binned_error(residual: NDArray[np.float64], weight: NDArray[np.float64], norm: Norm) -> NDArray[np.float64]:
    """The calibration error of each row of residual sums Σw(p − y).

    l1 = Σ|D|/W, l2 = √(Σ D²/w / W), max = max |D|/w, with w the weight of a bin and W = Σw.

    Args:
        residual: shape (draws, bins).
        weight: shape (bins,), above 0.
        norm: "l1", "l2" or "max".

    Raises:
        OptionError: if there is no such norm.
    """
    if norm == "l1":
        return np.asarray(np.abs(residual).sum(axis=1) / weight.sum())
    if norm == "l2":
        return np.asarray(np.sqrt((residual**2 / weight).sum(axis=1) / weight.sum()))
    if norm == "max":
        return np.asarray((np.abs(residual) / weight).max(axis=1))
    raise OptionError(f'`norm` must be "l1", "l2" or "max", got {norm!r}.')


def _square_root(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def _as_bins(bins: int | ArrayLike | Bins) -> Bins:
    if isinstance(bins, Bins):
        return bins
    return Bins.width(bins) if isinstance(bins, (int, np.integer)) else Bins.own(np.asarray(bins, dtype=np.float64))
