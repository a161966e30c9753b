"""Wilson's interval of a share, which never collapses at 0 or 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtri

from calibrant.errors import OptionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Interval", "check_level", "effective_rows", "normal_quantile", "wilson", "wilson_interval"]


class Interval(NamedTuple):
    """Lower and upper limit."""

    low: float
    high: float


def check_level(level: object) -> float:
    """Return a confidence level, or say why it is none.

    Raises:
        OptionError: if it is not between 0 and 1, such as 0.95.
    """
    if isinstance(level, bool) or not isinstance(level, (int, float, np.floating)) or not 0 < level < 1:
        raise OptionError(f"`level` must lie between 0 and 1, got {level!r}.", hint="95% is level=0.95.")
    return float(level)


def normal_quantile(level: float) -> float:
    """The z of a two-sided interval: 1.96 for 95%."""
    return float(ndtri(0.5 + check_level(level) / 2))


def effective_rows(w: ArrayLike, v: ArrayLike, design_effect: ArrayLike = 1.0) -> NDArray[np.float64]:
    """Kish's effective number of rows (Σw)² / Σw², over the design effect of clusters; 0 where there is no row."""
    weight, square = np.asarray(w, dtype=np.float64), np.asarray(v, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        n = np.where(square > 0, weight * weight / square, 0.0)
    out: NDArray[np.float64] = n / np.asarray(design_effect, dtype=np.float64)
    return out


def wilson(share: ArrayLike, n: ArrayLike, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wilson limits of shares that were seen in `n` rows each; `n` may be an effective number and need not be whole.

    Args:
        share: observed shares, any shape.
        n: rows behind each share; nan limits where 0.
        level: confidence level.

    Returns:
        Lower and upper limits.

    Example:
        >>> low, high = wilson([0.84], [100])
        >>> round(float(low[0]), 4), round(float(high[0]), 4)
        (0.7558, 0.899)

    Source: Wilson (1927), Journal of the American Statistical Association 22.
    """
    z2 = normal_quantile(level) ** 2
    p, rows = np.asarray(share, dtype=np.float64), np.asarray(n, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = np.where(rows > 0, rows, np.nan)
        centre = p + z2 / (2 * rows)
        half = np.sqrt(z2 * (p * (1 - p) / rows + z2 / (4 * rows * rows)))
        scale = 1 + z2 / rows
        low = np.where(p <= 0, np.where(np.isnan(rows), np.nan, 0.0), (centre - half) / scale)
        high = np.where(p >= 1, np.where(np.isnan(rows), np.nan, 1.0), (centre + half) / scale)
    return low, high


def wilson_interval(successes: float, n: float, level: float = 0.95) -> Interval:
    """Wilson's interval of `successes` out of `n`.

    Raises:
        OptionError: if `n` is not above 0 or `successes` is not between 0 and n.

    Example:
        >>> [round(limit, 4) for limit in wilson_interval(5, 5)]
        [0.5655, 1.0]
    """
    if not (n > 0 and 0 <= successes <= n):
        raise OptionError(f"A share needs 0 <= successes <= n and n above 0, got {successes!r} of {n!r}.")
    low, high = wilson(successes / n, n, level)
    return Interval(float(low), float(high))
