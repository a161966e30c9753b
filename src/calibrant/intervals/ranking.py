"""The interval of an AUC, and the test that a ranking is no better than chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.intervals.means import MINIMUM_OF_EACH, MeanInterval, auc_interval
from calibrant.intervals.null import plain_rows
from calibrant.intervals.wilson import check_level
from calibrant.random import STREAMS, uniforms
from calibrant.scores.auc import auc_of_cells

if TYPE_CHECKING:
    from calibrant.tallies.cells import Cells

__all__ = ["AucTest", "auc_interval_of_cells", "auc_test"]

ROUNDING = 1e-12

PERMUTED_ROWS = 200
PERMUTATIONS = 1_999


class AucTest(NamedTuple):
    """A two-sided test of "the probabilities do not rank the outcomes at all" (AUC = 0.5).

    Attributes:
        value: the AUC.
        p_value: small when there is a ranking; nan when undefined.
        method: "permutation" or "normal".
        seed: seed of the permutations.
    """

    value: float
    p_value: float
    method: str
    seed: int


def auc_interval_of_cells(cells: Cells, level: float = 0.95) -> MeanInterval:
    """Interval of the AUC: DeLong's standard error on the logit scale, which keeps it inside 0 to 1.

    Domain: at least 10 effective rows of either outcome; covers 93–98% there (`python -m simulations ranking`).
    A perfect ranking has DeLong's error 0; the lower limit is then the area that m rows of the rarer outcome would
    still rank perfectly with probability (1 − level)/2 if each were ranked by itself: ((1 − level)/2)^(1/m).
    What a grid hides of the order inside its cells widens both limits.

    Args:
        cells: one view.
        level: confidence level.

    Example:
        >>> from calibrant.tallies.cells import Cells
        >>> cells = Cells.exact(np.arange(100) / 100, (np.arange(100) % 4 > np.arange(100) // 30).astype(int))
        >>> found = auc_interval_of_cells(cells)
        >>> found.low < auc_of_cells(cells).value < found.high, found.method
        (True, 'DeLong')
    """
    level = check_level(level)
    weight, square = cells.w.sum(axis=0), cells.v.sum(axis=0)
    if not weight.all():
        return MeanInterval(None, None, None, "only one outcome happened")
    rows = weight**2 / square
    area, error, hidden = auc_of_cells(cells)
    # Equal probabilities have the error 0 too, but an area of exactly one half.
    if rows.min() >= MINIMUM_OF_EACH - 1e-9 and not ROUNDING < area < 1 - ROUNDING:
        rarest = float(((1.0 - level) / 2.0) ** (1.0 / rows.min()))
        low, high = (rarest, 1.0) if area >= 0.5 else (0.0, 1.0 - rarest)
        return MeanInterval(low, high, "perfect ranking (conservative)", None)
    found = auc_interval(area, error, float(rows[0]), float(rows[1]), level)
    if found.low is None or found.high is None or not hidden:
        return found
    return MeanInterval(max(found.low - hidden, 0.0), min(found.high + hidden, 1.0), found.method, None)


def auc_test(cells: Cells, *, seed: int = 0) -> AucTest:
    """Could this ranking have come about by chance? Under "no ranking" every order of the outcomes is as likely.

    Up to 200 rows outcomes are shuffled 1,999 times; above, the normal limit of the shuffled rank sum with its
    variance for ties is used (within 0.002 of it). With weights, the AUC over its DeLong error.

    Source: Mann & Whitney (1947); ties: Lehmann (1975), *Nonparametrics*, section 1.4.
    """
    from scipy.special import ndtr

    cells = plain_rows(cells)
    area, error, _ = auc_of_cells(cells)
    if np.isnan(area):
        return AucTest(area, float("nan"), "normal", seed)
    if cells.is_weighted:
        p = 2.0 * float(ndtr(-abs(area - 0.5) / error)) if error > 0 else float("nan")
        return AucTest(area, p, "normal", seed)
    size = cells.rows.sum(axis=1)
    n, yes = int(size.sum()), int(cells.rows[:, 1].sum())
    no = n - yes
    rank = np.cumsum(size) - size / 2 + 0.5
    if n <= PERMUTED_ROWS:
        every = np.repeat(rank, size)
        order = np.argsort(uniforms(seed, STREAMS["test"], (PERMUTATIONS, n)), axis=1)
        drawn = every[order[:, :yes]].sum(axis=1)
        middle = yes * (n + 1) / 2
        seen = abs(float(cells.rows[:, 1] @ rank) - middle)
        p = (1 + np.count_nonzero(np.abs(drawn - middle) >= seen - 1e-9)) / (1 + PERMUTATIONS)
        return AucTest(area, float(p), "permutation", seed)
    ties = float((size.astype(np.float64) ** 3 - size).sum())
    variance = (n + 1 - ties / (n * (n - 1))) / (12.0 * yes * no)
    p = 2.0 * float(ndtr(-abs(area - 0.5) / variance**0.5)) if variance > 0 else 1.0
    return AucTest(area, p, "normal", seed)
