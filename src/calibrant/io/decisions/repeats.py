"""Repeats: identical requests whose answers differ, found with two numbers per answer and one sort at the end."""

from __future__ import annotations

from array import array

import numpy as np

from calibrant.io.decisions.facts import RepeatFacts

__all__ = ["MAX_ANSWERS", "Repeats"]

MAX_ANSWERS = 4_000_000
"""Answers compared; 24 bytes each."""


class Repeats:
    """Collects (request, answer) pairs.

    Example:
        >>> repeats = Repeats()
        >>> for share in (0.7, 0.7, 0.71):
        ...     repeats.add(1, (1 - share, share))
        >>> found = repeats.facts()
        >>> found.repeated, found.differ, round(found.largest, 6)
        (2, 1, 0.01)
    """

    def __init__(self) -> None:
        self._keys, self._first, self._last = array("q"), array("d"), array("d")
        self._complete = True

    def add(self, key: int, probabilities: tuple[float, ...]) -> None:
        """Add an answer; the first and the last probability stand for all."""
        if len(self._keys) >= MAX_ANSWERS:
            self._complete = False
            return
        self._keys.append(key)
        self._first.append(probabilities[0])
        self._last.append(probabilities[-1])

    def facts(self) -> RepeatFacts:
        """How many answers repeat a request, and how many of them differ from the first one."""
        if not self._keys:
            return RepeatFacts()
        keys = np.frombuffer(self._keys, dtype=np.int64)
        order = np.argsort(keys, kind="stable")
        first = np.frombuffer(self._first)[order]
        last = np.frombuffer(self._last)[order]
        keys = keys[order]
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
        group = np.repeat(starts, np.diff(np.r_[starts, keys.size]))
        gap = np.nan_to_num(np.maximum(np.abs(first - first[group]), np.abs(last - last[group])))
        return RepeatFacts(
            int(keys.size),
            int(keys.size - starts.size),
            int(np.count_nonzero(gap > 0)),
            float(gap.max()),
            self._complete,
        )
