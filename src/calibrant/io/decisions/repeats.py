"""Repeats: identical requests whose answers differ, found with two numbers per answer and one sort at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.io.decisions.facts import RepeatFacts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["MAX_ANSWERS", "Repeats"]

MAX_ANSWERS = 4_000_000
"""Answers compared; 24 bytes each."""


class Repeats:
    """Collects (request, answer) pairs.

    Example:
        >>> repeats, yes = Repeats(), np.array([0.7, 0.7, 0.71])
        >>> repeats.add("m", [1, 1, 1], np.column_stack([1 - yes, yes]))
        >>> found = repeats.facts()
        >>> found.repeated, found.differ, round(found.largest, 6)
        (2, 1, 0.01)
    """

    def __init__(self) -> None:
        self._keys: list[NDArray[np.int64]] = []
        self._shares: list[NDArray[np.float64]] = []
        self._size = 0
        self._complete = True

    def add(self, model: str, keys: Sequence[int | None], probs: NDArray[np.float64]) -> None:
        """Add a block of answers to one model: a key each, None where the request is not known, and probabilities.

        The first and the last probability of a row stand for all.
        """
        if self._size >= MAX_ANSWERS:
            self._complete = False
            return
        known = [place for place, key in enumerate(keys) if key is not None]
        if not known:
            return
        self._keys.append(np.array([keys[place] for place in known], dtype=np.int64) ^ np.int64(hash(model)))
        shares = probs[known] if len(known) < len(keys) else probs
        self._shares.append(shares[:, [0, -1]])
        self._size += len(known)

    def facts(self) -> RepeatFacts:
        """How many answers repeat a request, and how many of them differ from the first one."""
        if not self._size:
            return RepeatFacts()
        keys, shares = np.concatenate(self._keys), np.concatenate(self._shares)
        order = np.argsort(keys, kind="stable")
        keys, (first, last) = keys[order], shares[order].T
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
        group = np.repeat(starts, np.diff(np.r_[starts, keys.size]))
        with np.errstate(invalid="ignore"):  # impossible numbers are counted elsewhere
            gap = np.maximum(np.abs(first - first[group]), np.abs(last - last[group]))
        gap[~np.isfinite(gap)] = 0.0
        return RepeatFacts(
            int(keys.size),
            int(keys.size - starts.size),
            int(np.count_nonzero(gap > 0)),
            float(gap.max()),
            self._complete,
        )
