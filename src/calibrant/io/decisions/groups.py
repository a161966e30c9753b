"""Groups: pending columns of one slice, and the places where answers of one question meet.

A question keeps one order of options. When its options change within a log, each set is a slice of its own, up to a
few; when the options belong to the item (an exam, a choice among passages), all are pooled without views per option.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant.errors import InputError
from calibrant.io.decisions.answer import ANSWER, YES_NO
from calibrant.io.decisions.labelling import LabelSpread
from calibrant.predictions import FIRST_RECORDS, LeftOut, add_left_out, judge_choices, judge_events
from calibrant.tallies.clusters import hash_clusters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from calibrant.io.decisions.answer import Answer
    from calibrant.io.decisions.facts import QuestionFacts
    from calibrant.predictions import Predictions

__all__ = ["MAX_SETS", "MAX_SLICES", "Group", "Slots"]

MAX_SETS = 8
MAX_SLICES = 2000
NAN = math.nan
NO_LABEL = "no label"
WORDS = {
    "refused": "the model refused",
    "omitted": "the question was not answered",
    "blocked": "the input was blocked",
    "failed": "the request failed",
    "uncertain": "the model said it is uncertain",
    "no_probabilities": "no probabilities in the answer",
    "malformed": "the answer is malformed",
    "fallback": "the confidence is a fallback constant",
}


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
        self.missed: dict[str, LeftOut] = {}
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
            options=() if self.pooled else self.options,
            kind="score" if self.kind == "score" else "choice",
            ragged=self.pooled,
            label_state={NO_LABEL: without},
            **shared,
        )

    def judge_empty(self, empty: NDArray[np.float64]) -> Predictions:
        """No rows, of this slice's kind."""
        self.clear()
        return self._empty(empty)

    def _empty(self, empty: NDArray[np.float64]) -> Predictions:
        weight = np.zeros(0) if self.weighted else None
        if self.kind in (YES_NO, ANSWER):
            return judge_events(
                np.zeros(0), np.zeros(0), kind="yes_no" if self.kind == YES_NO else "answer", weight=weight
            )
        return judge_choices(
            empty,
            np.zeros(0, dtype=np.intp),
            options=() if self.pooled else self.options,
            kind="score" if self.kind == "score" else "choice",
            ragged=self.pooled,
            weight=weight,
        )

    def facts(self) -> QuestionFacts:
        """Counts of this slice."""
        return self.spread.facts(
            self.model, self.name, self.kind, 0 if self.pooled else len(self.options), dict(self.missing), self.weighted
        )


class Slots:
    """Finds the group of an answer."""

    def __init__(self, by: tuple[str, ...], *, weighted: bool) -> None:
        self._by, self._weighted = by, weighted
        self._known: dict[tuple[Any, ...], Group] = {}
        self._groups: dict[tuple[str, ...], Group] = {}
        self._sets: dict[tuple[str, ...], dict[tuple[str, frozenset[str]], Group]] = {}
        self._missed: dict[tuple[str, ...], list[tuple[str, str, str, str, LeftOut]]] = {}
        self._examples: list[str] = []

    def combination(self, answer: Answer, model: str) -> tuple[str, ...]:
        """The values of the `by` columns."""
        out = []
        for name in self._by:
            if name == "model":
                out.append(model)
            elif name == "question":
                out.append(answer.question)
            elif name == "kind":
                out.append(answer.kind)
            elif name == "model_asked":
                out.append(answer.model_asked or "")
            else:
                out.append(answer.tags.get(name, ""))
        return tuple(out)

    def group(self, answer: Answer, model: str) -> Group:
        """The group of an answer; made when it is the first."""
        combination = self.combination(answer, model)
        key = (combination, answer.kind, answer.options if not answer.own_options else None)
        group = self._known.get(key)
        if group is None:
            group = self._known[key] = self._new(answer, model, combination)
            if len(self._known) > 50 * MAX_SLICES:
                self._known.clear()
        if len(self._examples) < 3:
            self._examples.append(f"{answer.item}, {answer.question}")
        return group

    def _new(self, answer: Answer, model: str, combination: tuple[str, ...]) -> Group:
        kind, options = answer.kind, answer.options
        pooled = answer.own_options or "question" not in self._by or kind == ANSWER
        pooled = pooled and kind != YES_NO
        here = self._sets.setdefault(combination, {})
        which = (kind, frozenset() if pooled else frozenset(options))
        if which in here:
            return here[which]
        if not pooled and len(here) >= MAX_SETS:
            pooled, which = True, (kind, frozenset())
            if which in here:
                return here[which]
        name = self._name(combination, here, kind, options, pooled=pooled)
        group = Group(name, model, name[self._place], kind, () if pooled else options, pooled=pooled)
        group.weighted = self._weighted
        here[which] = group
        self._groups[name] = group
        if len(self._groups) > MAX_SLICES:
            raise InputError(
                f"The log has more than {MAX_SLICES:,} combinations of {' and '.join(self._by)}, such as "
                f"{', '.join(repr(value[:40]) for value in combination)}.",
                hint="If questions are named after items, slice by something else: --by model,kind.",
            )
        return group

    @property
    def _place(self) -> int:
        """Which of the `by` values is amended when one is not enough."""
        return self._by.index("question") if "question" in self._by else self._by.index("kind")

    def _name(
        self, combination: tuple[str, ...], here: dict[Any, Group], kind: str, options: tuple[str, ...], *, pooled: bool
    ) -> tuple[str, ...]:
        if not here:
            return combination
        first = next(iter(here.values()))
        more = "other options" if pooled else kind if kind != first.kind else f"options: {', '.join(options)}"[:60]
        value = combination[self._place]
        for text in (f"{value} ({more})", *(f"{value} ({more}; {count})" for count in range(2, MAX_SETS + 3))):
            name = (*combination[: self._place], text, *combination[self._place + 1 :])
            if name not in self._groups:
                return name
        return name

    def miss(self, combination: tuple[str, ...], model: str, answer: Answer, code: str, number: int) -> None:
        """Count an answer without probabilities until its slice is known."""
        here = self._missed.setdefault(combination, [])
        if len(self._missed) > 10 * MAX_SLICES:
            self._missed.pop(combination)
            return
        for place, (kind, _, _, known, found) in enumerate(here):
            if known == code:
                first = found.first if len(found.first) >= FIRST_RECORDS else (*found.first, number)
                here[place] = (kind, model, answer.question, code, LeftOut(found.rows + 1, first))
                return
        here.append((answer.kind, model, answer.question, code, LeftOut(1, (number,))))

    def missed(self) -> Iterator[tuple[Group, dict[str, LeftOut]]]:
        """Groups with their answers without probabilities; questions that have no slice stay in the facts only."""
        for combination, found in self._missed.items():
            group = next(iter(self._sets.get(combination, {}).values()), None)
            if group is None:
                group = Group(combination, found[0][1], found[0][2], found[0][0], (), pooled=True)
                group.missing.update({code: part.rows for _, _, _, code, part in found})
                self._groups[combination] = group
                continue
            group.missing.update({code: part.rows for _, _, _, code, part in found})
            yield group, add_left_out({WORDS.get(code, code): part} for _, _, _, code, part in found)

    def groups(self) -> Iterator[Group]:
        """Every group with a slice."""
        return iter(self._groups.values())

    def facts(self) -> tuple[QuestionFacts, ...]:
        """Counts of every question, answered or not."""
        return tuple(self._groups[key].facts() for key in sorted(self._groups))

    def varying(self) -> dict[str, int]:
        """Questions whose options changed, with the number of sets."""
        return {
            combination[self._place]: len(here) for combination, here in sorted(self._sets.items()) if len(here) > 1
        }

    def examples(self) -> list[str]:
        """The first items and questions, for an error message."""
        return self._examples
