"""The interval of an AUC, and the test that a ranking is no better than chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.intervals.means import MeanInterval
from calibrant.intervals.wilson import check_level
from calibrant.random import STREAMS, normal_quantile, uniforms
from calibrant.scores.auc import auc_of_cells

if TYPE_CHECKING:
    from calibrant.tallies.cells import Cells

__all__ = ["AucTest", "auc_interval", "auc_test"]

MINIMUM_OF_EACH = 10
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


def auc_interval(cells: Cells, level: float = 0.95) -> MeanInterval:
    """Interval of the AUC: DeLong's standard error on the logit scale, which keeps it inside 0 to 1.

    Domain: at least 10 effective rows of either outcome; covers 93–97% there (`python -m simulations auc`).
    When the ranking is perfect DeLong's error is 0; the limit is then the value that a perfect sample would still
    show with probability (1 − level)/2, if pairs were independent in the rarer outcome: ((1 − level)/2)^(1/m).

    Args:
        cells: one view.
        level: confidence level.

    Source: DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44, 837–845; logit scale: Pepe (2003), section 5.2.

    Example:
        >>> from calibrant.tallies.cells import Cells
        >>> cells = Cells.exact(np.arange(100) / 100, (np.arange(100) % 4 > np.arange(100) // 30).astype(int))
        >>> low, high, method, _ = auc_interval(cells)
        >>> low < auc_of_cells(cells).value < high, method
        (True, 'delong, logit')
    """
    level = check_level(level)
    weight, square = cells.w.sum(axis=0), cells.v.sum(axis=0)
    if not weight.all():
        return MeanInterval(None, None, None, "only one outcome happened")
    rows = weight**2 / square
    if rows.min() < MINIMUM_OF_EACH - 1e-9:
        why = f"only {rows.min():.3g} rows have the rarer outcome; about {MINIMUM_OF_EACH} are needed"
        return MeanInterval(None, None, None, why)
    area, error, hidden = auc_of_cells(cells)
    z = float(normal_quantile(0.5 + level / 2))
    rarest = float(((1.0 - level) / 2.0) ** (1.0 / rows.min()))
    if area >= 1.0 or area <= 0.0 or error == 0.0:
        low, high = (rarest, 1.0) if area >= 0.5 else (0.0, 1.0 - rarest)
    else:
        centre, half = float(np.log(area / (1 - area))), z * error / (area * (1 - area))
        low, high = (float(1 / (1 + np.exp(-(centre + side * half)))) for side in (-1, 1))
    return MeanInterval(max(low - hidden, 0.0), min(high + hidden, 1.0), "delong, logit", None)


def auc_test(cells: Cells, *, seed: int = 0) -> AucTest:
    """Could this ranking have come about by chance? Under "no ranking" every order of the outcomes is as likely.

    Up to 200 rows outcomes are shuffled 1,999 times; above, the normal limit of the shuffled rank sum with its
    variance for ties is used (within 0.002 of it). With weights, the AUC over its DeLong error.

    Source: Mann & Whitney (1947); ties: Lehmann (1975), *Nonparametrics*, section 1.4.
    """
    from scipy.special import ndtr

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
