"""Slots: which slice an answer belongs to.

A question keeps one order of options. When its options change within a log, each set is a slice of its own, up to a
few; when the options belong to the item (an exam, a choice among passages), all are pooled without views per option.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.errors import InputError
from calibrant.io.decisions.answer import ANSWER, YES_NO
from calibrant.io.decisions.groups import Group
from calibrant.predictions import FIRST_RECORDS, LeftOut, add_left_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer
    from calibrant.io.decisions.facts import QuestionFacts

__all__ = ["MAX_SETS", "MAX_SLICES", "Slots"]

COLUMNS = ("model", "model_asked", "question", "kind")
MAX_SETS = 8
MAX_SLICES = 2000
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
"""Why an answer has no probabilities, as a reason for a row that is left out."""


class Slots:
    """Finds the group of an answer."""

    def __init__(self, by: tuple[str, ...], *, weighted: bool) -> None:
        self._by, self._weighted = by, weighted
        self._usual = by == ("model", "question")
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
        where = (model, answer.question) if self._usual else self.combination(answer, model)
        key = (where, answer.kind, None if answer.own_options else answer.options)
        group = self._known.get(key)
        if group is None:
            group = self._known[key] = self._new(answer, model, where)
            if len(self._known) > 50 * MAX_SLICES:
                self._known.clear()
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

    def unknown_columns(self) -> tuple[str, ...]:
        """Columns of `by` that no answer has."""
        return tuple(
            name
            for place, name in enumerate(self._by)
            if name not in COLUMNS and self._groups and not any(key[place] for key in self._groups)
        )

    def examples(self) -> list[str]:
        """The first items and questions, for an error message."""
        return self._examples[:3]
