"""Sample: which answers of a log to label next.

A sheet is a stratified random sample, by question and by confidence, with the weight of every row. It shows no answer
of the model. Filled in and given back (`check --truth sheet.csv`), its weights make every number an estimate for the
whole log and not for the sheet.
"""

from __future__ import annotations

import csv
import heapq
import io
import math
from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from calibrant.errors import InputError, OptionError
from calibrant.io.decisions.answer import ANSWER, SCORE, YES_NO
from calibrant.io.decisions.log import LogReader
from calibrant.io.decisions.truth import read_truth

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from calibrant.io.decisions.answer import Answer

__all__ = ["BANDS", "QuestionPlan", "Sheet", "SheetRow", "sample"]

BANDS = 10
"""Bands of confidence within a question, of equal width, as in the report."""

Z = 1.959963984540054
MAX_PER_QUESTION = 5000
MAX_TEXT = 4000
COLUMNS = ("id", "question", "asks", "options", "text", "label", "weight")


class SheetRow(NamedTuple):
    """One answer to label. `weight` is how many answers of the log it stands for."""

    item: str
    question: str
    asks: str
    options: str
    text: str
    label: str
    weight: float


class QuestionPlan(NamedTuple):
    """What a sheet can tell about one question.

    Attributes:
        question: its name.
        population: answers without a label in the log, repeated ones counted once.
        drawn: rows of the sheet.
        half: half the width of the 95% interval of the share of right answers that the sheet gives at worst.
        needed: rows for the width that was asked for.
    """

    question: str
    population: int
    drawn: int
    half: float
    needed: int


class Sheet(NamedTuple):
    """A label sheet: its rows in random order, items together, and the plan of every question."""

    rows: tuple[SheetRow, ...]
    plans: tuple[QuestionPlan, ...]
    seed: int

    def to_csv(self) -> str:
        """The sheet as CSV; cells that a spreadsheet would run as a formula start with an apostrophe."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in self.rows:
            writer.writerow([*map(_harmless, row[:-1]), repr(row.weight)])
        return out.getvalue()


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
            needed = _needed(counts, width / 2)
            share = needed if size is None else size // len(names) + (place < size % len(names))
            drawn = _allocate(counts, min(share, MAX_PER_QUESTION))
            for band, take in drawn.items():
                kept = sorted(self._kept[question, band], key=lambda entry: (-entry[0], -entry[1]))[:take]
                weight = counts[band] / take if take else 0.0
                rows += [(-rank, _row(item, answer, weight, labels)) for rank, _, item, answer in kept]
            half = _half(counts, drawn)
            plans.append(QuestionPlan(question, sum(counts.values()), sum(drawn.values()), half, needed))
        rows.sort(key=lambda one: (one[0], one[1].question))
        return Sheet(tuple(row for _, row in rows), tuple(plans), self._seed)


def _allocate(counts: dict[int, int], size: int) -> dict[int, int]:
    """Rows per band in proportion to the root of its size: every band is seen, and the large ones more."""
    size = max(min(size, sum(counts.values())), min(2 * len(counts), sum(counts.values())))
    take = {band: min(2, count) for band, count in counts.items()}
    root = sum(math.sqrt(count) for count in counts.values())
    for band, count in counts.items():
        take[band] = max(take[band], min(count, int(size * math.sqrt(count) / root)))
    order = sorted(counts, key=lambda band: (-counts[band], band))
    while sum(take.values()) < size:
        open_bands = [band for band in order if take[band] < counts[band]]
        band = min(open_bands, key=lambda one: (take[one] / math.sqrt(counts[one]), one))
        take[band] += 1
    return take


def _half(counts: dict[int, int], drawn: dict[int, int]) -> float:
    """Half the interval's width at worst: every band half right.

    z·√(Σ (N_h/N)²·¼/n_h·(1 − n_h/N_h)), the stratified estimator (Cochran 1977, eq. 5.7).
    """
    total = sum(counts.values())
    variance = sum(
        (count / total) ** 2 * 0.25 / drawn[band] * (1 - drawn[band] / count) for band, count in counts.items()
    )
    return Z * math.sqrt(variance)


def _needed(counts: dict[int, int], half: float) -> int:
    """Fewest rows with which `_half` is reached."""
    low, high = 1, sum(counts.values())
    while low < high:
        middle = (low + high) // 2
        if _half(counts, _allocate(counts, middle)) <= half:
            high = middle
        else:
            low = middle + 1
    return low


def _row(item: str, answer: Answer, weight: float, labels: dict[tuple[str, str], str]) -> SheetRow:
    if answer.kind in (YES_NO, ANSWER):
        options = "yes | no"
    elif answer.kind == SCORE and answer.legend:
        options = " | ".join(f"{level} {text}" for level, text in enumerate(answer.legend))
    else:
        options = " | ".join(answer.options)
    label = labels.get((item, answer.question), "")
    return SheetRow(item, answer.question, answer.asks, options, _text(answer.state), label, weight)


def _text(state: Any) -> str:
    if state is None:
        return ""
    text = state if isinstance(state, str) else msgspec.json.encode(state).decode()
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + " …"


def _labels(path: str | Path) -> dict[tuple[str, str], str]:
    truth = read_truth(path, ("id", "question"))
    return {key: str(row.label) for key, row in truth.items()}


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
