"""Predictions: validated columns of one kind of question, and the count of rows that were left out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

__all__ = ["FIRST_RECORDS", "KINDS", "Kind", "LeftOut", "Predictions", "add_left_out", "as_events"]

Kind = Literal["yes_no", "choice", "score", "answer"]
KINDS: tuple[Kind, ...] = ("yes_no", "choice", "score", "answer")

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

    def take(self, rows: slice | NDArray[np.intp]) -> Predictions:
        """Some of the rows, in the order asked for; those left out stay behind."""

        def cut(column: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if column is None else column[rows]

        return replace(
            self,
            prob=cut(self.prob),
            outcome=cut(self.outcome),
            probs=cut(self.probs),
            label=cut(self.label),
            weight=cut(self.weight),
            cluster=cut(self.cluster),
            kept=self.kept[rows],
            left_out={},
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
