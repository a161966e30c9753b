"""How many rows would tell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calibrant.verdict.case import Case

__all__ = ["gap_in_question", "gap_shows_by", "rows_needed", "rows_to_tell"]

LEAST_OF_EACH = 10
"""Without about this many right and wrong rows a gap has no interval, however large it is."""


def rows_needed(p: float, gap: float, *, factor: float = 7.85) -> int:
    """Rows that tell a gap from none in 80% of trials, at the 5% level: factor · p(1−p) / gap².

    Args:
        p: share that is right (or that happens).
        gap: gap to tell from none.
        factor: (1.96 + 0.842)² for a power of 80%.

    Example:
        >>> rows_needed(0.84, 0.05)
        422
    """
    return max(1, round(factor * p * (1 - p) / gap**2))


def gap_in_question(case: Case) -> float:
    """The gap that is seen, or the tolerance when that is larger: smaller gaps need not be told from none."""
    gap = case.seen.value("confidence_gap")
    return case.tolerance if gap is None else max(abs(gap), case.tolerance)


def gap_shows_by(case: Case) -> float:
    """Rows by which a gap of the size in question shows; infinite where no share is known."""
    names = ("accuracy", "base_rate") if case.events else ("accuracy", "mean_confidence")
    p = next((value for value in map(case.seen.value, names) if value is not None), None)
    if p is None:
        return math.inf
    # With one class seen so far the share is no guide to its spread: suppose that one in a hundred differs.
    p = min(max(p, 0.01), 0.99)
    rows = rows_needed(p, gap_in_question(case), factor=case.bars.power_factor)
    if case.seen.high("confidence_gap") is None:
        rows = max(rows, math.ceil(LEAST_OF_EACH / min(p, 1 - p)))
    return rows


def rows_to_tell(case: Case) -> int | None:
    """About how many rows would settle a case that is open; None where even that is unknown."""
    rows = gap_shows_by(case)
    if case.n == 0 or math.isinf(rows):
        return None
    high = case.seen.high("debiased_l2")
    if rows <= case.n and high is not None:
        # The gap would show by now, so what is open is honesty: that limit shrinks with the root of the rows.
        rows = _two_digits(case.n * max(high / case.tolerance, 1.0) ** 2)
    return max(int(rows), case.n + 1)


def _two_digits(rows: float) -> int:
    """A rough count as such: two digits that count, rounded up."""
    step = 10.0 ** max(0, math.floor(math.log10(rows)) - 1)
    return math.ceil(rows / step) * int(step)
