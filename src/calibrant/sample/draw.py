"""Drawing: which answers of a log to label next.

A stratified random sample by question and by confidence, with the weight of every row. Rows are chosen by a seeded
hash of the item alone, so that a sheet does not depend on the order of the log, the questions of an item are drawn
together, and a larger sheet contains the smaller one.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING

from calibrant.errors import InputError, OptionError
from calibrant.io.decisions.answer import ANSWER
from calibrant.io.decisions.labelled import read_truth
from calibrant.io.decisions.log import LogReader
from calibrant.sample.allocate import allocate, half_width, rows_needed
from calibrant.sample.sheet import QuestionPlan, Sheet, SheetRow, sheet_row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from calibrant.io.decisions.answer import Answer

__all__ = ["BANDS", "sample"]

BANDS = 10
"""Bands of confidence within a question, of equal width, as in the report."""

MAX_PER_QUESTION = 5000


def sample(
    paths: str | Path | Sequence[str | Path],
    *,
    size: int | None = None,
    width: float = 0.10,
    questions: Sequence[str] = (),
    seed: int = 0,
    filled: str | Path | None = None,
    strict: bool = False,
) -> Sheet:
    """Draw the answers worth labelling next.

    Args:
        paths: logs as for `read_log`.
        size: rows in all, shared among the questions; default: what `width` needs.
        width: wanted width of the 95% interval of the share of right answers, per question (0.10 is ±5 points).
        questions: only these.
        seed: the same seed draws the same rows, and a larger sheet contains the smaller one.
        filled: an earlier sheet of the same seed; its labels are carried over.
        strict: refuse the first record that cannot be read.

    Raises:
        OptionError: if `size` or `width` means nothing.
        InputError: if no answer is left to label.
    """
    if size is not None and size < 1:
        raise OptionError(f"--size must be at least 1, got {size}.")
    if not 0 < width < 1:
        raise OptionError(f"--width must lie between 0 and 1, got {width:g}.", hint="0.10 means ±5 points.")
    listed = [paths] if isinstance(paths, str) or not hasattr(paths, "__iter__") else list(paths)
    urn = _Urn(seed, frozenset(questions))
    for path in listed:
        for number, answer in LogReader(path, strict=strict):
            urn.add(number, answer)
    if not urn.counts:
        raise InputError(
            "No answer is left to label: every one has a label already, or none has probabilities.",
            hint="Check the question names." if questions else None,
        )
    labels = {} if filled is None else _labels(filled)
    return urn.draw(size, width, labels)


class _Urn:
    """Counts strata and keeps, of each, the rows with the smallest numbers of a seeded hash."""

    def __init__(self, seed: int, questions: frozenset[str]) -> None:
        self._seed, self._questions = seed, questions
        self._key = f"calibrant sample {seed}".encode()
        self._seen: set[int] = set()
        self.counts: Counter[tuple[str, int]] = Counter()
        self._kept: dict[tuple[str, int], list[tuple[int, int, str, Answer]]] = {}

    def add(self, number: int, answer: Answer) -> None:
        if answer.probabilities is None or answer.label is not None:
            return
        if self._questions and answer.question not in self._questions:
            return
        item = answer.item or f"record {number}"
        rank = self._rank(item)
        unit = hash((rank, answer.question))
        if unit in self._seen:
            return
        self._seen.add(unit)
        confidence = answer.probabilities[0] if answer.kind == ANSWER else max(answer.probabilities)
        band = min(max(int(confidence * BANDS), 0), BANDS - 1) if math.isfinite(confidence) else 0
        stratum = (answer.question, band)
        self.counts[stratum] += 1
        kept = self._kept.setdefault(stratum, [])
        entry = (-rank, -number, item, answer)
        if len(kept) < MAX_PER_QUESTION:
            heapq.heappush(kept, entry)
        elif entry[:2] > kept[0][:2]:
            heapq.heapreplace(kept, entry)

    def _rank(self, item: str) -> int:
        """A random number of the item alone, so that the questions of an item are drawn together."""
        digest = blake2b(item.encode("utf-8", "surrogatepass"), digest_size=8, key=self._key[:64])
        return int.from_bytes(digest.digest(), "big")

    def draw(self, size: int | None, width: float, labels: dict[tuple[str, str], str]) -> Sheet:
        names = sorted({question for question, _ in self.counts})
        rows: list[tuple[int, SheetRow]] = []
        plans = []
        for place, question in enumerate(names):
            counts = {band: self.counts[question, band] for band in range(BANDS) if self.counts[question, band]}
            needed = rows_needed(counts, width / 2)
            share = needed if size is None else size // len(names) + (place < size % len(names))
            drawn = allocate(counts, min(share, MAX_PER_QUESTION))
            for band, take in drawn.items():
                kept = sorted(self._kept[question, band], key=lambda entry: (-entry[0], -entry[1]))[:take]
                weight = counts[band] / take if take else 0.0
                rows += [
                    (-rank, sheet_row(item, answer, weight, labels.get((item, question), "")))
                    for rank, _, item, answer in kept
                ]
            half = half_width(counts, drawn)
            plans.append(QuestionPlan(question, sum(counts.values()), sum(drawn.values()), half, needed))
        rows.sort(key=lambda one: (one[0], one[1].question))
        return Sheet(tuple(row for _, row in rows), tuple(plans), self._seed)


def _labels(path: str | Path) -> dict[tuple[str, str], str]:
    truth = read_truth(path, ("id", "question"))
    return {key: str(row.label) for key, row in truth.items()}
