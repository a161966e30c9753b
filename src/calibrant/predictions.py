"""Predictions: validated columns of one kind of question. The only place that judges input.

A judge looks at raw numbers and either leaves a row out with a reason, which is counted with its first record
numbers, or (`strict`) refuses the first bad row with an error that names it. It repairs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from calibrant.errors import RowError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "FIRST_RECORDS",
    "KINDS",
    "SUM_TOLERANCE",
    "Kind",
    "LeftOut",
    "Predictions",
    "add_left_out",
    "as_events",
    "judge_choices",
    "judge_events",
    "normalise_floats",
    "sums_to_one",
]

Kind = Literal["yes_no", "choice", "score", "answer"]
KINDS: tuple[Kind, ...] = ("yes_no", "choice", "score", "answer")

SUM_TOLERANCE = 0.02
"""The most that the probabilities of one row may miss 1 by and still count as rounded."""

FIRST_RECORDS = 3
"""Record numbers of so many left-out rows are told."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Rows left out for one reason: how many, and the record numbers of the first few (counted from 1)."""

    rows: int
    first: tuple[int, ...] = ()

    def __add__(self, other: LeftOut) -> LeftOut:
        if not isinstance(other, LeftOut):
            return NotImplemented
        return LeftOut(self.rows + other.rows, tuple(sorted((*self.first, *other.first))[:FIRST_RECORDS]))


def add_left_out(parts: Iterable[Mapping[str, LeftOut]]) -> dict[str, LeftOut]:
    """Left-out rows of several parts together, by reason."""
    out: dict[str, LeftOut] = {}
    for part in parts:
        for reason, found in part.items():
            out[reason] = out[reason] + found if reason in out else found
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Columns of one kind of question, every row of them usable.

    Attributes:
        kind: "yes_no", "choice", "score" (ordered levels) or "answer" (a confidence and right or wrong).
        prob: float64, shape (n,): probability of the event, or the stated confidence; None for choices.
        outcome: uint8, shape (n,): 1 if it happened, or if the answer was right; None for choices.
        probs: float64, shape (n, k): a probability per option; nan where a question has fewer options.
        label: intp, shape (n,): index of the right option.
        options: names of the options, in order; empty when questions have different ones.
        weight: float64, shape (n,), all above 0, or None.
        cluster: uint64, shape (n,): a keyed hash of the cluster, or None.
        kept: intp, shape (n,): place of each row in the raw columns.
        left_out: rows left out, by reason.
    """

    kind: Kind
    prob: NDArray[np.float64] | None
    outcome: NDArray[np.uint8] | None
    probs: NDArray[np.float64] | None
    label: NDArray[np.intp] | None
    options: tuple[str, ...]
    weight: NDArray[np.float64] | None
    cluster: NDArray[np.uint64] | None
    kept: NDArray[np.intp]
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.kept.size


def normalise_floats(values: ArrayLike) -> NDArray[np.float64]:
    """Numbers as float64, without −0.0; short floats are read as the number they were rounded from.

    A float32 0.7 is 0.699999988 when widened, below the edge 0.7. So where a value is the float32 (or float16)
    rounding of a decimal of at most six (three) places, or of a k/50400, that number is taken.

    Example:
        >>> normalise_floats(np.array([0.7, -0.0], dtype=np.float32)).tolist()
        [0.7, 0.0]
    """
    array = np.asarray(values)
    wide = array.astype(np.float64) + 0.0
    if array.dtype.kind != "f" or array.dtype.itemsize >= 8:
        return wide
    for scale in (50_400.0, 1e6) if array.dtype.itemsize == 4 else (1e3,):
        short = np.rint(wide * scale) / scale
        wide = np.where(short.astype(array.dtype) == array, short, wide)
    return wide


class _Judge:
    """Collects reasons row by row; the first reason that a row meets is the one that counts."""

    def __init__(self, rows: int, records: NDArray[np.int64] | None, *, strict: bool) -> None:
        self.good = np.ones(rows, dtype=bool)
        self.records = records
        self.strict = strict
        self.left_out: dict[str, LeftOut] = {}

    def refuse(self, bad: ArrayLike, reason: str, values: NDArray[np.generic] | None = None) -> None:
        """Leave out the rows marked `bad` that no earlier reason has left out."""
        bad = np.asarray(bad) & self.good
        places = np.flatnonzero(bad)
        if not places.size:
            return
        first = places[:FIRST_RECORDS]
        numbers = tuple(int(n) for n in (first + 1 if self.records is None else self.records[first]))
        if self.strict:
            found = "" if values is None else f": found {values[places[0]]!s}"
            raise RowError(
                f"{places.size:,} of {bad.size:,} rows cannot be used: {reason} (record {numbers[0]}{found}).",
                hint="Correct the record, or leave such rows out (without --strict they are counted and left out).",
            )
        self.good &= ~bad
        self.left_out[reason] = LeftOut(int(places.size), numbers)

    def weights(self, weight: NDArray[np.float64] | None) -> None:
        if weight is None:
            return
        self.refuse(np.isnan(weight), "weight is missing or not a number", weight)
        negative = np.flatnonzero((weight < 0) & self.good)
        if negative.size:
            row = int(negative[0]) + 1 if self.records is None else int(self.records[negative[0]])
            raise RowError(
                f"Weights must not be negative; record {row} has {weight[negative[0]]:g}.",
                hint="Use weights of 0 or more; a row with weight 0 changes nothing.",
            )
        self.refuse(np.isinf(weight), "weight is infinite", weight)
        self.refuse((weight > 0) & ((weight < 1e-100) | (weight > 1e100)), "weight is outside 1e-100 to 1e100", weight)
        self.good &= ~(weight == 0)

    def keep(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.good)


def judge_events(
    prob: ArrayLike,
    outcome: ArrayLike,
    *,
    kind: Literal["yes_no", "answer"] = "yes_no",
    prob_state: Mapping[str, NDArray[np.bool_]] | None = None,
    outcome_state: Mapping[str, NDArray[np.bool_]] | None = None,
    weight: ArrayLike | None = None,
    cluster: NDArray[np.uint64] | None = None,
    records: NDArray[np.int64] | None = None,
    strict: bool = False,
) -> Predictions:
    """Judge yes/no questions, or stated confidences with right or wrong.

    Args:
        prob: shape (n,); nan where it is missing or unreadable.
        outcome: shape (n,), 0 or 1; nan where it is missing or unreadable.
        kind: "yes_no" or "answer".
        prob_state: reasons already known from reading, each with the rows that it concerns.
        outcome_state: the same for outcomes.
        weight: shape (n,), not negative.
        cluster: shape (n,), keyed hashes.
        records: record number of each row, counted from 1; default 1, 2, 3, …
        strict: refuse the first unusable row instead of leaving it out.

    Raises:
        RowError: if `strict` and a row is unusable, or a weight is negative.

    Example:
        >>> judged = judge_events([0.2, 1.5, 0.9], [0, 1, 1])
        >>> len(judged), judged.left_out["probability is outside 0 to 1"].first
        (2, (2,))
    """
    p, y = normalise_floats(prob), normalise_floats(outcome)
    w = None if weight is None else normalise_floats(weight)
    what = "probability" if kind == "yes_no" else "confidence"
    judge = _Judge(p.size, records, strict=strict)
    for reason, rows in {**(prob_state or {}), **(outcome_state or {})}.items():
        judge.refuse(rows, reason)
    judge.refuse(np.isnan(p), f"{what} is missing", p)
    judge.refuse((p < 0) | (p > 1), f"{what} is outside 0 to 1", p)
    judge.refuse(np.isnan(y), "outcome is missing", y)
    judge.refuse((y != 0) & (y != 1), "outcome is not 0 or 1", y)
    judge.weights(w)
    kept = judge.keep()
    return Predictions(
        kind,
        p[kept],
        y[kept].astype(np.uint8),
        None,
        None,
        ("no", "yes") if kind == "yes_no" else (),
        None if w is None else w[kept],
        None if cluster is None else cluster[kept],
        kept,
        judge.left_out,
    )


def judge_choices(
    probs: ArrayLike,
    label: ArrayLike,
    *,
    options: tuple[str, ...] = (),
    kind: Literal["choice", "score"] = "choice",
    ragged: bool = False,
    prob_state: Mapping[str, NDArray[np.bool_]] | None = None,
    label_state: Mapping[str, NDArray[np.bool_]] | None = None,
    weight: ArrayLike | None = None,
    cluster: NDArray[np.uint64] | None = None,
    records: NDArray[np.int64] | None = None,
    check_sums: bool = True,
    strict: bool = False,
) -> Predictions:
    """Judge choices and ordered scores.

    Args:
        probs: shape (n, k); each row adds up to 1 within rounding.
        label: shape (n,), index of the right option; negative where it is missing.
        options: names of the options, in order.
        kind: "choice", or "score" when the options are ordered levels.
        ragged: questions may have fewer options than columns; nan marks the absent ones.
        prob_state: reasons already known from reading, each with the rows that it concerns.
        label_state: the same for labels.
        weight: shape (n,), not negative.
        cluster: shape (n,), keyed hashes.
        records: record number of each row, counted from 1.
        check_sums: refuse rows whose probabilities miss 1 by more than rounding.
        strict: refuse the first unusable row instead of leaving it out.

    Raises:
        RowError: if `strict` and a row is unusable, or a weight is negative.

    Example:
        >>> judged = judge_choices([[0.7, 0.3], [0.5, 0.1]], [0, 1])
        >>> len(judged), list(judged.left_out)
        (1, ['probabilities do not add up to 1'])
    """
    p = normalise_floats(probs)
    raw = normalise_floats(label)
    place = np.where(np.isnan(raw), -1, np.where(raw == np.floor(raw), raw, p.shape[1])).astype(np.intp)
    w = None if weight is None else normalise_floats(weight)
    judge = _Judge(place.size, records, strict=strict)
    for reason, rows in {**(prob_state or {}), **(label_state or {})}.items():
        judge.refuse(rows, reason)
    absent = np.isnan(p)
    judge.refuse(absent.all(axis=1) if ragged else absent.any(axis=1), "a probability is missing")
    judge.refuse(((p < 0) | (p > 1)).any(axis=1), "a probability is outside 0 to 1")
    total = np.nansum(p, axis=1)
    if check_sums:
        judge.refuse(~sums_to_one(p, total), "probabilities do not add up to 1", total)
    judge.refuse(place < 0, "label is missing")
    inside = np.clip(place, 0, p.shape[1] - 1)
    foreign = (place >= p.shape[1]) | absent[np.arange(place.size), inside]
    judge.refuse(foreign, "label is not one of the options", place)
    judge.weights(w)
    kept = judge.keep()
    return Predictions(
        kind,
        None,
        None,
        p[kept],
        place[kept],
        options,
        None if w is None else w[kept],
        None if cluster is None else cluster[kept],
        kept,
        judge.left_out,
    )


def as_events(pair: Predictions) -> Predictions:
    """Two-column choices as yes/no questions: the second column is the probability, label 1 means yes."""
    assert pair.probs is not None
    assert pair.label is not None
    return replace(
        pair,
        kind="yes_no",
        prob=np.ascontiguousarray(pair.probs[:, 1]),
        outcome=pair.label.astype(np.uint8),
        probs=None,
        label=None,
        options=("no", "yes"),
    )


def sums_to_one(p: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.bool_]:
    """True where a row adds up to 1, or misses it by no more than its own rounding to decimals explains.

    A row of k options rounded to steps of s may miss by k·s/2, and by 0.02 at most; nan marks an absent option.
    """
    gap = np.abs(total - 1)
    fine = np.asarray(gap <= 1e-6 * max(p.shape[1], 1))
    unsure = np.flatnonzero(~fine & (gap <= SUM_TOLERANCE + 1e-9))
    if unsure.size:
        rows = np.nan_to_num(p[unsure])
        options = np.count_nonzero(~np.isnan(p[unsure]), axis=1)
        for decimals in (4, 3, 2):
            step = 10.0**-decimals
            rounded = np.all(np.abs(rows / step - np.rint(rows / step)) < 1e-6, axis=1)
            fine[unsure] |= rounded & (gap[unsure] <= options * step / 2 + 1e-9)
    return fine
