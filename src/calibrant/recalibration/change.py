"""Change: one number before and after a repair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Change", "changed"]


@dataclass(frozen=True, slots=True)
class Change:
    """One number before and after.

    Attributes:
        name: its name, such as "brier".
        before: without the map; None where it cannot be computed or is infinite.
        after: with the map.
        difference: after − before.
        low: lower limit of the difference, or None.
        high: upper limit, or None.
        better: "lower" or "higher".
        why: why something is missing.
        extra: further facts, such as noise floors or rows with an infinite log loss.
    """

    name: str
    before: float | None
    after: float | None
    difference: float | None
    low: float | None
    high: float | None
    better: Literal["lower", "higher"]
    why: str | None = None
    extra: dict[str, Any] | None = None


def changed(
    name: str,
    before: float | None,
    after: float | None,
    better: Literal["lower", "higher"],
    *,
    difference: float | None = None,
    limits: tuple[float | None, float | None] = (None, None),
    why: str | None = None,
    extra: dict[str, Any] | None = None,
) -> Change:
    """A change; its difference is after − before where both are known and no other is given."""
    if difference is None and before is not None and after is not None:
        difference = after - before
    return Change(name, before, after, difference, *limits, better, why, extra)
