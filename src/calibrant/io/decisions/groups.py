"""Groups: the pending rows of one slice, in one order of options, until they are judged and tallied."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from calibrant.io.decisions.answer import ANSWER, YES_NO
from calibrant.io.decisions.labelling import LabelSpread
from calibrant.predictions import FIRST_RECORDS, LeftOut, judge_choices, judge_events
from calibrant.tallies.clusters import hash_clusters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.io.decisions.answer import Answer
    from calibrant.io.decisions.facts import QuestionFacts
    from calibrant.predictions import Predictions

__all__ = ["Block", "Group"]

NO_LABEL = "no label"


class Block(NamedTuple):
    """Rows as columns: probabilities (n, k), label (−1 without one), record number, reported confidence, label mass."""

    probs: NDArray[np.float64]
    label: NDArray[np.intp]
    number: NDArray[np.int64]
    reported: NDArray[np.float64]
    mass: NDArray[np.float64]
    keys: tuple[int | None, ...]
    weight: NDArray[np.float64]


class Group:
    """Pending rows of one slice."""

    def __init__(
        self, combination: tuple[str, ...], model: str, name: str, kind: str, options: tuple[str, ...], *, pooled: bool
    ) -> None:
        self.combination, self.model, self.name, self.kind = combination, model, name, kind
        self.options, self.pooled = options, pooled
        self.weighted = False
        self.spread = LabelSpread(kind)
        self.missing: Counter[str] = Counter()
        self.clear()

    def clear(self) -> None:
        """Forget the rows, which are in the tally now."""
        self.rows: list[tuple[tuple[float, ...], int, int, float | None, float | None, int | None, float]] = []
        self.clusters: list[str] = []

    def add(self, number: int, answer: Answer, probabilities: tuple[float, ...], place: int, weight: float) -> None:
        """Add a row; the options are put in the group's order."""
        options = answer.options
        if options != self.options and not self.pooled:
            order = [options.index(option) for option in self.options]
            probabilities = tuple([probabilities[old] for old in order])
            place = order.index(place) if place >= 0 else place
        reported, mass, key = answer.reported_confidence, answer.label_mass, answer.request_key
        self.rows.append((probabilities, place, number, reported, mass, key, weight))

    def block(self) -> Block:
        """The pending rows as columns."""
        rows, place, number, reported, mass, keys, weight = zip(*self.rows, strict=True)
        return Block(
            self._matrix(rows),
            np.array(place, dtype=np.intp),
            np.array(number, dtype=np.int64),
            np.array(reported, dtype=np.float64),
            np.array(mass, dtype=np.float64),
            keys,
            np.array(weight),
        )

    def _matrix(self, rows: tuple[tuple[float, ...], ...]) -> NDArray[np.float64]:
        """The probabilities, shape (n, k); nan where a row has fewer options."""
        if not self.pooled:
            return np.array(rows, dtype=np.float64)
        out = np.full((len(rows), max(map(len, rows))), np.nan)
        for place, row in enumerate(rows):
            out[place, : len(row)] = row
        return out

    def judge(self, block: Block, probs: NDArray[np.float64], *, strict: bool) -> Predictions:
        """The rows as predictions; those without a label are left out and counted, and are no fault to `strict`."""
        self.spread.add(probs, block.label)
        without = block.label < 0
        rows = np.flatnonzero(~without)
        shared: dict[str, Any] = {
            "weight": block.weight[rows] if self.weighted else None,
            "cluster": hash_clusters(np.array(self.clusters))[rows] if self.clusters else None,
            "records": block.number[rows],
            "strict": strict,
        }
        if self.kind in (YES_NO, ANSWER):
            kind: Literal["yes_no", "answer"] = "yes_no" if self.kind == YES_NO else "answer"
            judged = judge_events(probs[rows, -1], block.label[rows], kind=kind, **shared)
        else:
            judged = judge_choices(
                probs[rows],
                block.label[rows],
                options=self.options,
                kind="score" if self.kind == "score" else "choice",
                ragged=self.pooled,
                **shared,
            )
        if not without.any():
            return judged
        first = tuple(int(number) for number in block.number[without][:FIRST_RECORDS])
        unlabelled = LeftOut(int(np.count_nonzero(without)), first)
        return replace(judged, left_out={NO_LABEL: unlabelled, **judged.left_out})

    def none(self) -> Predictions:
        """No rows, of this slice's kind."""
        weight = np.zeros(0) if self.weighted else None
        if self.kind in (YES_NO, ANSWER):
            return judge_events([], [], kind="yes_no" if self.kind == YES_NO else "answer", weight=weight)
        return judge_choices(
            np.zeros((0, max(len(self.options), 1))),
            np.zeros(0, dtype=np.intp),
            options=self.options,
            kind="score" if self.kind == "score" else "choice",
            ragged=self.pooled,
            weight=weight,
        )

    def facts(self) -> QuestionFacts:
        """Counts of this slice."""
        return self.spread.facts(
            self.model, self.name, self.kind, 0 if self.pooled else len(self.options), dict(self.missing), self.weighted
        )
