"""Judging rows: usable, left out with a reason and a place, or refused.

A judge repairs nothing. The first reason that a row meets is the one that counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from calibrant.errors import RowError
from calibrant.predictions.numbers import normalise_floats, sums_to_one
from calibrant.predictions.rows import FIRST_RECORDS, LeftOut, Predictions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

__all__ = ["judge_choices", "judge_events"]


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
