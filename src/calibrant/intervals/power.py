"""How many rows are needed to see a gap, and how small a gap these rows can show."""

from __future__ import annotations

import math

from calibrant.errors import OptionError
from calibrant.random import normal_quantile

__all__ = ["label_errors_explaining", "rows_needed", "visible_gap"]


def _factor(level: float, power: float) -> float:
    """(z of the level + z of the power)²: 7.85 at 95% and 80%."""
    if not (0 < level < 1 and 0 < power < 1):
        raise OptionError(f"`level` and `power` must lie between 0 and 1, got {level!r} and {power!r}.")
    return float(normal_quantile(0.5 + level / 2) + normal_quantile(power)) ** 2


def rows_needed(prob: float, gap: float, *, level: float = 0.95, power: float = 0.8) -> int:
    """Rows at a stated probability that show a gap of that size with that power: 7.85·p(1 − p)/gap².

    Args:
        prob: the stated probability; its p(1 − p) is the variance of one outcome.
        gap: difference between stated and true, not 0.
        level: confidence level of the interval that must exclude 0.
        power: chance that it does.

    Raises:
        OptionError: if an argument means nothing.

    Example:
        >>> rows_needed(0.84, 0.05)
        422
    """
    if not 0 <= prob <= 1 or gap == 0:
        raise OptionError(f"`prob` must lie in 0 to 1 and `gap` must not be 0, got {prob!r} and {gap!r}.")
    return math.ceil(_factor(level, power) * prob * (1 - prob) / gap**2 - 1e-9)


def visible_gap(prob: float, rows: float, *, level: float = 0.95, power: float = 0.8) -> float:
    """The smallest gap that so many rows at a stated probability show with that power.

    Example:
        >>> round(visible_gap(0.84, 422), 3)
        0.05
    """
    if rows <= 0:
        raise OptionError(f"`rows` must be above 0, got {rows!r}.")
    return math.sqrt(_factor(level, power) * prob * (1 - prob) / rows)


def label_errors_explaining(stated: float, observed: float) -> float | None:
    """The share of wrong labels that would make a calibrated forecaster look as observed.

    If a share ε of outcomes is written down the wrong way round, what is stated as p is seen as p + ε(1 − 2p). So
    ε = (observed − stated) / (1 − 2·stated); None when no share up to one half explains it.

    Example:
        >>> round(label_errors_explaining(0.95, 0.932), 3)
        0.02
        >>> label_errors_explaining(0.84, 0.90) is None
        True
    """
    slope = 1.0 - 2.0 * stated
    if observed == stated:
        return 0.0
    if abs(slope) < 1e-12:
        return None
    share = (observed - stated) / slope
    return share if 0.0 < share <= 0.5 else None
