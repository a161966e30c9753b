"""Cross-fitted gain: what recalibration is worth on rows it was not fitted on, and what skill is in the ranking.

Rows are dealt at random into five folds; a map is fitted on four and judged on the fifth. All that is needed of the
rows are cells, because the rows of one cell are alike: a fold is a random share of each cell's counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.calibration.isotonic import pool
from calibrant.calibration.linear import linear_recalibration
from calibrant.intervals.means import t_interval
from calibrant.intervals.null import null_groups, plain_rows
from calibrant.intervals.wilson import check_level
from calibrant.random import STREAMS, FlipSums, uniforms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.tallies.cells import Cells

__all__ = ["FOLDS", "CrossFit", "cross_fit"]

FOLDS = 5
GROUPS = 400
NAN = float("nan")


class CrossFit(NamedTuple):
    """Gains on rows that a map was not fitted on; Brier scores from 0 to 1.

    Attributes:
        saved: Brier score of the probabilities as they are, minus that after recalibration; below 0 when
            recalibration harms.
        saved_low: lower limit.
        saved_high: upper limit.
        skill: 1 − Brier after recalibration / Brier of the base rate: what the ranking is worth when repaired.
        skill_low: lower limit.
        skill_high: upper limit; the largest of a line's, a rising step function's, and that of the best line's
            discrimination over uncertainty.
        map: the better of the two, "line" or "steps".
        seed: seed of the folds.
        why: why there is no value; None when there is one.
    """

    saved: float
    saved_low: float
    saved_high: float
    skill: float
    skill_low: float
    skill_high: float
    map: str
    seed: int
    why: str | None


def cross_fit(cells: Cells, *, level: float = 0.95, seed: int = 0) -> CrossFit:
    """Cross-fitted gain of recalibration, and the skill of the recalibrated forecast over the base rate.

    A forecaster has *no resolution* when the upper limit of `skill` lies below a tolerance; over distinct values even
    noise would show some. Limits are paired t limits over rows.

    Args:
        cells: one view without sampling weights.
        level: confidence level.
        seed: seed of the folds.

    Example:
        >>> from calibrant.tallies.cells import Cells
        >>> noise = np.arange(1000) % 97 / 97
        >>> found = cross_fit(Cells.exact(noise, np.arange(1000) % 2))
        >>> found.skill_high < 0.03
        True
    """
    level = check_level(level)
    cells = plain_rows(cells)
    if cells.is_weighted:
        return _nothing(seed, "rows have weights")
    yes = int(cells.rows[:, 1].sum())
    if min(yes, cells.n - yes) < FOLDS:
        return _nothing(seed, f"fewer than {FOLDS} rows have the rarer outcome")
    groups = null_groups(cells, np.zeros(len(cells), np.intp), GROUPS)
    counts = np.stack([np.bincount(groups.cell, cells.rows[:, k]) for k in (0, 1)], axis=1).astype(np.int64)
    prob = groups.prob
    results: dict[str, tuple[float, float, float, float, float, float]] = {}
    folds = _deal(counts, seed)
    for name, fit in (("line", _line), ("steps", _steps)):
        saved, gained = np.zeros(3), np.zeros(3)
        reference = 0.0
        for fold in folds:
            train = counts - fold
            mapped, base = fit(prob, train), train[:, 1].sum() / train.sum()
            loss = [_loss(part) for part in (prob, mapped, np.full_like(prob, base))]
            saved += _sums(loss[0] - loss[1], fold)
            gained += _sums(loss[2] - loss[1], fold)
            reference += float((loss[2] * fold).sum())
        one, two, three = (part * cells.n / reference for part in _limits(gained, level))
        results[name] = (*_limits(saved, level), one, two, three)
    best = max(results, key=lambda name: results[name][3])
    # With few rows a fitted map is worth less than the best map; the line's own interval does not suffer from that.
    line = linear_recalibration(cells, level=level, seed=seed)
    known = line.discrimination_high / line.uncertainty if line.why is None else 1.0
    oracle = 0.0 if prob.size == 1 else known  # one probability for all cannot rank
    skill_high = min(max(oracle, *(found[5] for found in results.values())), 1.0)
    saved_at, saved_low, saved_high, skill, skill_low, _ = results[best]
    return CrossFit(saved_at, saved_low, saved_high, skill, skill_low, skill_high, best, seed, None)


def _nothing(seed: int, why: str) -> CrossFit:
    return CrossFit(NAN, NAN, NAN, NAN, NAN, NAN, "", seed, why)


def _deal(counts: NDArray[np.int64], seed: int) -> list[NDArray[np.int64]]:
    """Five random folds of the counts: each row goes to one of them, all alike."""
    left = counts.ravel()
    folds = []
    for number in range(FOLDS - 1):
        law = FlipSums.of(left, np.full(left.size, 1.0 / (FOLDS - number)))
        u = uniforms(seed + (number << 32), STREAMS["split"], (1, left.size))
        fold = law.quantile(u)[0].astype(np.int64)
        folds.append(fold.reshape(counts.shape))
        left = left - fold
    return [*folds, left.reshape(counts.shape)]


def _line(prob: NDArray[np.float64], train: NDArray[np.int64]) -> NDArray[np.float64]:
    """Least squares of outcome on probability, cut to 0 … 1."""
    w, total = train.sum(axis=1), train.sum()
    said, seen = float(w @ prob) / total, float(train[:, 1].sum()) / total
    spread = float(w @ (prob - said) ** 2)
    slope = float(train[:, 1] @ (prob - said)) / spread if spread > 1e-15 * total else 0.0
    return np.asarray(np.clip(seen + slope * (prob - said), 0.0, 1.0))


def _steps(prob: NDArray[np.float64], train: NDArray[np.int64]) -> NDArray[np.float64]:
    """The isotonic fit; between its cells the value of the nearest lower one."""
    some = np.flatnonzero(train.sum(axis=1))
    table = train[some].astype(np.float64)
    start = pool(table)
    sums = np.add.reduceat(table, start, axis=0)
    value = sums[:, 1] / sums.sum(axis=1)
    place = np.searchsorted(prob[some[start]], prob, side="right") - 1
    return np.asarray(value[np.maximum(place, 0)])


def _loss(prob: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([prob**2, (1.0 - prob) ** 2], axis=1)


def _sums(difference: NDArray[np.float64], fold: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.array([fold.sum(), (difference * fold).sum(), (difference**2 * fold).sum()])


def _limits(sums: NDArray[np.float64], level: float) -> tuple[float, float, float]:
    n, first, second = (float(part) for part in sums)
    mean = first / n
    variance = max(second / n - mean**2, 0.0) / (n - 1)
    low, high = t_interval(mean, variance**0.5, n - 1, level)
    return mean, low, high
