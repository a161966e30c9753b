"""Many questions asked at once: p-values and intervals that stay honest over a declared family."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.intervals.wilson import check_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["benjamini_yekutieli", "false_coverage_level"]


def benjamini_yekutieli(p_values: ArrayLike) -> NDArray[np.float64]:
    """Adjusted p-values of a family: flagging those at most α keeps the expected share of false flags below α.

    Holds under any dependence, as between slices of the same items. nan (no p-value) stays nan and does not count.

    Args:
        p_values: one per member of the family.

    Returns:
        Adjusted p-values in the same order, at most 1.

    Source: Benjamini & Yekutieli (2001), Annals of Statistics 29, 1165–1188, theorem 1.3.

    Example:
        >>> benjamini_yekutieli([0.001, 0.5, 0.02]).round(4).tolist()
        [0.0055, 0.9167, 0.055]
    """
    p = np.asarray(p_values, dtype=np.float64)
    out = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    size = known.size
    if not size:
        return out
    order = known[np.argsort(p[known], kind="stable")]
    rank = np.arange(1, size + 1)
    raised = p[order] * size * float((1.0 / rank).sum()) / rank
    out[order] = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1.0)
    return out


def false_coverage_level(flagged: int, family: int, level: float = 0.95) -> float:
    """The level at which to give the intervals of the flagged members: 1 − flagged·(1 − level)/family.

    Intervals shown only because a member was flagged are selected, and at the plain level they cover too rarely.

    Source: Benjamini & Yekutieli (2005), Journal of the American Statistical Association 100, 71–81 (FCR), with their
    factor Σ 1/i for any dependence.

    Example:
        >>> round(false_coverage_level(2, 20), 5)
        0.99861
    """
    level = check_level(level)
    if flagged <= 0 or family <= 0:
        return level
    harmonic = float((1.0 / np.arange(1, family + 1)).sum())
    return 1.0 - min(flagged / family / harmonic, 1.0) * (1.0 - level)
