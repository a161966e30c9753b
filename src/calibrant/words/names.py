"""Short names of slices: what tells them apart, without what they all share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["short_names"]


def short_names(combinations: Sequence[Mapping[str, str]]) -> list[str]:
    """One text for each combination, such as "question=billing"; columns with one value throughout are left away.

    Example:
        >>> short_names([{"model": "m", "question": "a"}, {"model": "m", "question": "b"}])
        ['question=a', 'question=b']
    """
    columns = dict.fromkeys(column for combination in combinations for column in combination)
    telling = [column for column in columns if len({combination.get(column) for combination in combinations}) > 1]
    kept = telling or list(columns)
    return [
        ", ".join(f"{column}={combination[column]}" for column in kept if column in combination)
        for combination in combinations
    ]
