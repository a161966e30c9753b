"""Bands: where the curve of a calibrated forecaster would lie, and where the true curve lies.

A *consistency band* surrounds the diagonal: with these probabilities, a calibrated forecaster's bins stay inside.
A *confidence band* surrounds the estimate: the true curve stays inside, all of it at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.intervals.null import FLOOR_DRAWS, null_residuals, plain_rows
from calibrant.intervals.wilson import check_level, wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.bins import Bins
    from calibrant.tallies.cells import Cells
    from calibrant.tallies.sums import BinSums

__all__ = [
    "ConsistencyBand",
    "IsotonicBand",
    "bad_bins",
    "consistency_band",
    "isotonic_band",
    "simultaneous_wilson",
]

BLOCKS = 48
"""The isotonic band looks at all runs of this many blocks of equal mass."""


class ConsistencyBand(NamedTuple):
    """Limits of the observed share of each occupied bin under perfect calibration; arrays of shape (bins,).

    `low` and `high` hold for each bin by itself, `all_low` and `all_high` for all bins at once.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    all_low: NDArray[np.float64]
    all_high: NDArray[np.float64]


class IsotonicBand(NamedTuple):
    """A band that holds a rising true curve everywhere at once; steps between the knots.

    Attributes:
        prob: knots, float64, shape (k,), rising.
        low: lower limit at and above each knot until the next.
        high: upper limit at and below each knot until the one before.
        level: confidence level.
        why: why there is no band; None when there is one.
    """

    prob: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    level: float
    why: str | None


def consistency_band(
    cells: Cells, bins: Bins, *, level: float = 0.95, seed: int = 0, draws: int = FLOOR_DRAWS
) -> ConsistencyBand:
    """Where the observed shares of a calibrated forecaster lie, y* ~ Bernoulli(p).

    The limits for all bins at once take each bin's own quantiles, at a level found from the same draws so that a
    calibrated forecaster has no bin outside with probability `level`.

    Args:
        cells: one view.
        bins: the bins.
        level: share of calibrated forecasters inside.
        seed: seed of the draws.
        draws: number of draws.

    Source: Bröcker & Smith (2007), Weather and Forecasting 22, 651–661 (consistency bars).

    Example:
        >>> from calibrant.bins import Bins
        >>> from calibrant.tallies.cells import Cells
        >>> band = consistency_band(Cells.exact(np.full(100, 0.84), np.zeros(100, int)), Bins.width(10))
        >>> band.low.round(2).tolist(), band.high.round(2).tolist()
        ([0.77], [0.9])
    """
    level = check_level(level)
    sums = cells.bin_sums(bins).occupied()
    drawn = -null_residuals(cells, bins, seed=seed, draws=draws) / sums.weight  # observed − stated
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(drawn, [tail, 1.0 - tail], axis=0)
    ordered = np.sort(drawn, axis=0)
    # How far out in its own bin, by rank, the most extreme bin of each draw lies.
    down = np.stack([np.searchsorted(ordered[:, k], drawn[:, k], side="right") for k in range(drawn.shape[1])], axis=1)
    up = np.stack(
        [draws - np.searchsorted(ordered[:, k], drawn[:, k], side="left") for k in range(drawn.shape[1])], axis=1
    )
    extreme = np.minimum(down, up).min(axis=1)  # 1 is the most extreme
    allowed = max(int(np.quantile(extreme, 1.0 - level, method="lower")), 1)
    all_low, all_high = np.minimum(ordered[allowed - 1], low), np.maximum(ordered[draws - allowed], high)
    said = sums.mean_prob
    return ConsistencyBand(*(np.clip(said + part, 0.0, 1.0) for part in (low, high, all_low, all_high)))


def simultaneous_wilson(
    sums: BinSums, level: float = 0.95, *, design_effect: NDArray[np.float64] | float = 1.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wilson limits of the occupied bins that hold all at once: each at the level `level`^(1/bins).

    Bins are independent, so nothing is lost to Bonferroni. A list of bad bins uses these; a single bin chosen without
    looking at outcomes, as in the headline, uses its own Wilson interval.

    Source: Šidák (1967), Journal of the American Statistical Association 62, 626–633.
    """
    some = sums.occupied()
    each = check_level(level) ** (1.0 / max(some.n.size, 1))
    rows = some.weight**2 / some.v.sum(axis=1) / design_effect
    low, high = wilson(some.observed, rows, each)
    return np.asarray(low), np.asarray(high)


def bad_bins(sums: BinSums, level: float = 0.95) -> NDArray[np.bool_]:
    """Occupied bins whose mean probability lies outside the simultaneous limits; none, 95% of the time, if honest."""
    some = sums.occupied()
    low, high = simultaneous_wilson(some, level)
    return np.asarray((some.mean_prob < low) | (some.mean_prob > high))


def isotonic_band(cells: Cells, *, level: float = 0.95) -> IsotonicBand:
    """A band for the true curve, valid at any n if only the curve rises; not a bootstrap of the isotonic fit.

    For a rising curve the events in any run of neighbouring cells are at most as likely as the curve at its upper
    end, so a Clopper–Pearson lower limit of the run bounds the curve there and above, and an upper limit at its lower
    end and below. All runs of 48 blocks of equal mass are looked at, each at level α / (2·runs).

    Args:
        cells: one view, without sampling weights.
        level: confidence level of the whole band.

    Source: Dimitriadis, Dümbgen, Henzi, Puke & Ziegel (2023), Biometrika 110, 663–680, section 3, on a grid of blocks.
    """
    from scipy.special import betaincinv

    level = check_level(level)
    empty = np.zeros(0)
    cells = plain_rows(cells)
    if cells.is_weighted:
        return IsotonicBand(empty, empty, empty, level, "rows have weights, for which no valid band is known")
    size = cells.rows.sum(axis=1)
    end = np.cumsum(size)
    block = np.minimum(((end - size / 2) * BLOCKS / end[-1]).astype(np.intp), BLOCKS - 1)
    start = np.flatnonzero(np.append(True, np.diff(block) > 0))
    last = np.append(start[1:], len(cells)) - 1
    rows = np.append(0, np.cumsum(np.add.reduceat(size, start)))
    events = np.append(0, np.cumsum(np.add.reduceat(cells.rows[:, 1], start)))
    first, final = np.triu_indices(start.size)
    n, k = rows[final + 1] - rows[first], events[final + 1] - events[first]
    tail = (1.0 - level) / (2.0 * first.size)
    lower = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
    upper = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1.0 - tail), 1.0)
    low, high = np.zeros(start.size), np.ones(start.size)
    np.maximum.at(low, final, lower)
    np.minimum.at(high, first, upper)
    low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    prob = cells.prob
    knots = np.unique(np.concatenate([prob[start], prob[last]]))
    below = np.searchsorted(prob[last], knots, side="right")  # blocks that end at or before the knot
    above = np.searchsorted(prob[start], knots, side="left")  # the first block that starts at or after it
    return IsotonicBand(knots, np.append(0.0, low)[below], np.append(high, 1.0)[above], level, None)
