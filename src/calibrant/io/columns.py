"""Which column means what: named by the user, or found by name."""

from __future__ import annotations

import shlex
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from calibrant.errors import ColumnError
from calibrant.io.guess import BLANK
from calibrant.io.layout import Layout
from calibrant.io.naming import (
    CONFIDENCE,
    LABEL,
    NESTED,
    OPTION_PREFIXES,
    OUTCOME,
    PREDICTED,
    PROBABILITY,
    SHOWN,
    ColumnNames,
    base_name,
    option_names,
)
from calibrant.io.nested import nested_form
from calibrant.safe import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from calibrant.io.nested import Nested
    from calibrant.io.options import ColumnChoice
    from calibrant.predictions import Kind

__all__ = ["find_columns"]


def find_columns(
    names: Sequence[str],
    choice: ColumnChoice,
    source: str,
    sample: Callable[[], Sequence[Sequence[str]]] = lambda: (),
    repeated: frozenset[str] = frozenset(),
    types: Mapping[str, str] | None = None,
    *,
    python: bool = False,
) -> Layout:
    """Find the columns of a table.

    Args:
        names: the columns that there are.
        choice: what the user named.
        source: name of the table, for messages.
        sample: gives the first rows as texts, for the corrected command of a failure.
        repeated: names, in lower case, that more than one column of the file has.
        types: the engine's types of the columns that are not text.
        python: hints are calls in Python, for data in memory, instead of commands.

    Raises:
        ColumnError: if a column is missing or more than one fits; the hint is the command to type.
    """
    finder = _Finder(names, choice, source, sample, python=python)
    finder.types = types or {}
    layout = finder.layout()
    given = {name.strip() for name in (*choice.prob, *choice.outcome)}
    for column in layout.columns:
        if column.casefold() in repeated and not any(word.isdigit() for word in given):
            places = [k for k, name in enumerate(names, start=1) if base_name(name) == column.casefold()]
            listed = " and ".join(map(str, places))
            raise ColumnError(
                f"{source} has more than one column `{plain(column, limit=40)}`: columns {listed}.",
                hint=f"Name it by its position: {finder.corrected(str(places[0]))}",
            )
    return layout


class _Finder(ColumnNames):
    types: Mapping[str, str] = MappingProxyType({})

    def layout(self) -> Layout:
        choice = self.choice
        extras: dict[str, Any] = {
            "by": tuple(self.named(name, "--by") for name in choice.by),
            "weight": self.maybe(choice.weight, "--weight"),
            "cluster": self.maybe(choice.cluster, "--cluster"),
            "id": self.maybe(choice.id, "--id"),
        }
        prob = tuple(self.named(name, "--prob") for name in choice.prob)
        confidence = self.maybe(choice.confidence, "--confidence")
        outcome = tuple(self.named(name, "--outcome") for name in choice.outcome)
        predicted = self.maybe(choice.predicted, "--predicted")
        if len(prob) > 1:
            return self._options(prob, outcome, extras)
        if prob and (form := self._form(prob[0])):
            return self._nested(prob[0], form, outcome, extras)
        if predicted or confidence:
            one = confidence or (prob[0] if prob else self.one((*CONFIDENCE, *PROBABILITY), "confidence", "--prob"))
            truth = outcome or (self._truth(predicted=predicted is not None),)
            return Layout("answer", (one,), truth, predicted, **extras)
        if prob:
            return self._events(prob[0], outcome, extras)
        return self._by_names(outcome, extras)

    def _by_names(self, outcome: tuple[str, ...], extras: dict[str, Any]) -> Layout:
        options = self._option_columns()
        nested = [name for name in self.some(NESTED) if self._form(name)]
        if nested and not options:
            one = self.only(tuple(nested), "probability", "--prob")
            return self._nested(one, self._form(one), outcome, extras)
        prob = self.some(PROBABILITY)
        if prob and not options:
            one = self.only(prob, "probability", "--prob")
            predicted = self.some(PREDICTED)
            if predicted and self.some(LABEL) and not outcome and not self.some(OUTCOME):
                return self._answers(one, extras)
            return self._events(one, outcome, extras)
        confidence = self.some(CONFIDENCE)
        if options and not prob:
            return self._options(options, outcome, extras)
        if confidence and not prob and not options:
            one = self.only(confidence, "confidence", "--prob")
            if outcome or self.some(OUTCOME):
                truth = outcome or (self.one(OUTCOME, "outcome", "--outcome"),)
                return Layout("answer", (one,), truth, None, **extras)
            if self.some(PREDICTED) and self.some(LABEL):
                return self._answers(one, extras)
            raise self.missing("outcome", OUTCOME)
        if prob and options and self.choice.by and not outcome:
            one = self.only(prob, "probability", "--prob")
            found = self._options(options, outcome, extras)
            return replace(found, kind="choice", single=one, single_outcome=self._outcome())
        if prob and options:
            listed = ", ".join(f"`{plain(name)}`" for name in (*prob, *options)[:SHOWN])
            raise ColumnError(
                f"{self.source} has a probability column and columns for options: {listed}.",
                hint=f"Choose: {self.corrected(prob[0])}",
            )
        raise self.missing("probability", PROBABILITY)

    def _answers(self, confidence: str, extras: dict[str, Any]) -> Layout:
        label = self.only(self.some(LABEL), "label", "--outcome")
        chosen = self.only(self.some(PREDICTED), "predicted option", "--predicted")
        return Layout("answer", (confidence,), (label,), chosen, **extras)

    def _events(self, prob: str, outcome: tuple[str, ...], extras: dict[str, Any]) -> Layout:
        truth = outcome[0] if outcome else self._outcome()
        kind: Kind = "answer" if prob.strip().casefold() in CONFIDENCE else "yes_no"
        return Layout(kind, (prob,), (truth,), None, **extras)

    def _outcome(self) -> str:
        found = self.some(OUTCOME)
        if found:
            return self.only(found, "outcome", "--outcome")
        label = self.some(("label",))
        if label:
            return label[0]
        raise self.missing("outcome", OUTCOME)

    def _truth(self, *, predicted: bool) -> str:
        found = self.some(LABEL if predicted else OUTCOME) or self.some(OUTCOME)
        if not found:
            raise self.missing("outcome", (*LABEL, *OUTCOME) if predicted else OUTCOME)
        return self.only(found, "outcome", "--outcome")

    def _options(self, prob: tuple[str, ...], outcome: tuple[str, ...], extras: dict[str, Any]) -> Layout:
        names = option_names(prob)
        if len(outcome) > 1 and len(outcome) != len(prob):
            raise ColumnError(
                f"There are {len(outcome)} outcome columns for {len(prob)} probability columns of {self.source}.",
                hint="Name one --outcome with the right option, or one for each --prob in the same order.",
            )
        levels = self.choice.levels
        known = {name.casefold(): name for name in names} | {
            column.casefold(): name for name, column in zip(names, prob, strict=True)
        }
        some = tuple(known[level.casefold()] for level in levels if level.casefold() in known)
        if levels and self.choice.by and len(some) == len(levels) < len(names):
            truth = outcome or (self._label(),)
            return Layout("choice", prob, truth, None, names, levels=some, picked=self._picked(truth), **extras)
        if levels:
            place = {name.casefold(): column for name, column in zip(names, prob, strict=True)}
            place |= {column.casefold(): column for column in prob}
            unknown = [level for level in levels if level.casefold() not in place]
            if unknown or len(levels) != len(prob):
                raise ColumnError(
                    f"--levels must name each of the {len(prob)} options once: {', '.join(names)}; "
                    f"{plain(unknown[0])!r} is none of them."
                    if unknown
                    else f"--levels names {len(levels)} levels, but there are {len(prob)} options: {', '.join(names)}.",
                    hint=f"Lowest first: --levels {shlex.quote(','.join(names))}",
                )
            if len(outcome) == len(prob):
                marks = dict(zip(prob, outcome, strict=True))
                outcome = tuple(marks[place[level.casefold()]] for level in levels)
            prob, names = tuple(place[level.casefold()] for level in levels), tuple(levels)
        if names == ("0", "1") and not levels and len(outcome) < 2:
            remark = f"the pair `{plain(prob[0], limit=40)}`, `{plain(prob[1], limit=40)}` read as yes/no by the second"
            return Layout("yes_no", prob[1:], outcome or (self._label(),), None, remark=remark, **extras)
        kind: Kind = "score" if levels else "choice"
        truth = outcome or self._paired_outcomes(prob) or (self._label(),)
        picked = self._picked(truth)
        return Layout(kind, prob, truth, None, names, levels=names if levels else (), picked=picked, **extras)

    def _nested(self, prob: str, form: Nested, outcome: tuple[str, ...], extras: dict[str, Any]) -> Layout:
        """Probabilities of all options in one column."""
        truth = outcome or (self._label(),)
        levels = self.choice.levels
        kind: Kind = "score" if levels else "choice"
        return Layout(kind, (prob,), truth, levels=levels, nested=form, picked=self._picked(truth), **extras)

    def _form(self, column: str) -> Nested:
        kind = self.types.get(column, "")
        first = ""
        if kind in ("", "VARCHAR", "JSON"):
            place = self.names.index(column)
            values = (row[place].strip() for row in self.sample() if place < len(row))
            first = next((value for value in values if value.casefold() not in BLANK), "")
        return nested_form(kind, first)

    def _picked(self, truth: tuple[str, ...]) -> str | None:
        """A column that names the answer beside the probabilities of all options."""
        if self.choice.predicted:
            return self.named(self.choice.predicted, "--predicted")
        found = [name for name in self.some((*PREDICTED, "pred")) if name not in truth]
        return found[0] if len(found) == 1 else None

    def _paired_outcomes(self, prob: tuple[str, ...]) -> tuple[str, ...]:
        """One column of 0 and 1 per option, named X_outcome beside X."""
        pairs = [self.folded.get(f"{name.strip().casefold()}_outcome") for name in prob]
        return tuple(name for name in pairs if name) if all(pairs) else ()

    def _label(self) -> str:
        found = self.some(("label",)) or self.some(LABEL) or self.some(OUTCOME)
        if not found:
            raise self.missing("label", ("label", *OUTCOME))
        return self.only(found, "label", "--outcome")

    def _option_columns(self) -> tuple[str, ...]:
        for prefix in OPTION_PREFIXES:
            found = tuple(name for name in self.names if name.strip().casefold().startswith(prefix))
            if len(found) > 1:
                return found
        return ()
