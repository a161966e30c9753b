"""Groups: the pending rows of one slice, in one order of options, until they are judged and tallied."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant.io.decisions.answer import ANSWER, YES_NO
from calibrant.io.decisions.labelling import LabelSpread
from calibrant.predictions import judge_choices, judge_events
from calibrant.tallies.clusters import hash_clusters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.io.decisions.answer import Answer
    from calibrant.io.decisions.facts import QuestionFacts
    from calibrant.predictions import Predictions

__all__ = ["Group"]

NAN = math.nan
NO_LABEL = "no label"


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
        self.rows: list[tuple[float, ...]] = []
        self.labels: list[int] = []
        self.numbers: list[int] = []
        self.reported: list[float] = []
        self.mass: list[float] = []
        self.weights: list[float] = []
        self.clusters: list[str] = []

    def add(
        self, number: int, answer: Answer, probabilities: tuple[float, ...], place: int, weight: float | None
    ) -> None:
        """Add a row; the options are put in the group's order."""
        options = answer.options
        if options != self.options and not self.pooled:
            order = [options.index(option) for option in self.options]
            probabilities = tuple([probabilities[old] for old in order])
            place = order.index(place) if place >= 0 else place
        self.rows.append(probabilities)
        self.labels.append(place)
        self.numbers.append(number)
        self.reported.append(NAN if answer.reported_confidence is None else answer.reported_confidence)
        self.mass.append(NAN if answer.label_mass is None else answer.label_mass)
        if self.weighted:
            self.weights.append(NAN if weight is None else weight)

    def matrix(self) -> NDArray[np.float64]:
        """The probabilities, shape (n, k); nan where a row has fewer options."""
        if not self.pooled:
            return np.array(self.rows, dtype=np.float64)
        width = max(map(len, self.rows))
        out = np.full((len(self.rows), width), np.nan)
        for place, row in enumerate(self.rows):
            out[place, : len(row)] = row
        return out

    def judge(self, probs: NDArray[np.float64], *, strict: bool) -> Predictions:
        """The rows as predictions; those without a label are left out and counted."""
        label = np.array(self.labels, dtype=np.intp)
        self.spread.add(probs, label)
        without = label < 0
        shared: dict[str, Any] = {
            "weight": np.array(self.weights) if self.weighted else None,
            "cluster": hash_clusters(np.array(self.clusters)) if self.clusters else None,
            "records": np.array(self.numbers, dtype=np.int64),
            "strict": False,
        }
        if strict:
            shared["strict"] = not without.any()
        if self.kind in (YES_NO, ANSWER):
            kind: Literal["yes_no", "answer"] = "yes_no" if self.kind == YES_NO else "answer"
            outcome = np.where(without, np.nan, label.astype(np.float64))
            return judge_events(probs[:, -1], outcome, kind=kind, outcome_state={NO_LABEL: without}, **shared)
        return judge_choices(
            probs,
            label,
            options=self.options,
            kind="score" if self.kind == "score" else "choice",
            ragged=self.pooled,
            label_state={NO_LABEL: without},
            **shared,
        )

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
