"""Number: a value that never travels without its meaning."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Better", "Number"]

Better = Literal["lower", "higher"]


@dataclass(frozen=True, slots=True)
class Number:
    """A measured value with its interval, range, direction, number of rows and convention.

    Attributes:
        name: the field's term in snake case, the key in JSON, such as "event_ece".
        value: the value; None when it applies but cannot be computed (`why` says why).
        convention: the formula in a few words, such as "mean (p - y)^2".
        n: rows it was computed from.
        range: smallest and largest possible value; None where there is no bound.
        better: "lower" or "higher"; None when neither is better.
        low: lower limit of the interval, or None when there is no valid one.
        high: upper limit of the interval, or None.
        level: confidence level of the interval.
        method: how the interval was made, such as "t" or "test inversion"; None without one.
        why: why there is no value, or what must be known to read it right.
        extra: further facts that belong to the number (bins, binning, floor, floor_95, p_value, seed, scale …).
    """

    name: str
    value: float | None
    convention: str
    n: int
    range: tuple[float | None, float | None] = (0.0, 1.0)
    better: Better | None = None
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    method: str | None = None
    why: str | None = None
    extra: Mapping[str, object] = field(default_factory=dict)
