"""A finite-sample interval of any bounded mean score, from its sums alone.

Where a t interval does not hold and the rows' values are not at hand (a Brier score over several options, a ranked
probability score), the mean, the variance and the range still bound the truth at every n. It is wide: a betting
interval is narrower where the values are known.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from calibrant.intervals.means import MeanInterval
from calibrant.intervals.wilson import check_level

if TYPE_CHECKING:
    from calibrant.tallies.moments import Moments

__all__ = ["bernstein_interval"]


def bernstein_interval(moments: Moments, name: str, bounds: tuple[float, float], level: float = 0.95) -> MeanInterval:
    """Mean ± √(2V·ln(4/α)/n) + 7·range·ln(4/α) / (3(n − 1)), cut to the bounds; at least `level` for every n.

    Args:
        moments: sums of the row scores, rows independent and not weighted.
        name: the score.
        bounds: its smallest and largest possible value.
        level: confidence level.

    Source: Maurer & Pontil (2009), COLT, theorem 4, at α/2 on either side.

    Example:
        >>> import numpy as np
        >>> from calibrant.tallies.moments import Moments
        >>> moments = Moments.of({"brier": np.repeat([0.0, 0.5], [95, 5])})
        >>> low, high, method, _ = bernstein_interval(moments, "brier", (0.0, 2.0))
        >>> low, round(high, 3), method
        (0.0, 0.264, 'empirical Bernstein (conservative)')
    """
    level = check_level(level)
    n, weight, square = moments.effective_n, moments.weight, float(moments.second[0, 0])
    if abs(square - weight) > 1e-9 * weight:
        return MeanInterval(None, None, None, "rows have weights")
    if n <= 1:
        return MeanInterval(None, None, None, "a single row has no spread")
    least, most = bounds
    mean = moments.mean(name)
    variance = n * moments.standard_error(name) ** 2
    logarithm = math.log(4.0 / (1.0 - level))
    half = math.sqrt(2.0 * variance * logarithm / n) + 7.0 * (most - least) * logarithm / (3.0 * (n - 1.0))
    return MeanInterval(max(mean - half, least), min(mean + half, most), "empirical Bernstein (conservative)", None)
