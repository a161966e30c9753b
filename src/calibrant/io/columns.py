"""Which column means what: named by the user, or found by name."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibrant.errors import ColumnError
from calibrant.io.guess import corrected_command
from calibrant.safe import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from calibrant.io.options import ColumnChoice
    from calibrant.predictions import Kind

__all__ = ["Layout", "find_columns"]

PROBABILITY = ("probability", "p", "prob")
OUTCOME = ("outcome", "y", "correct")
CONFIDENCE = ("confidence", "top1_confidence", "top_confidence")
LABEL = ("label", "true_label", "gold", "answer")
PREDICTED = ("predicted", "pred_label", "predicted_label", "prediction")
OPTION_PREFIXES = ("p_", "prob_", "probability_")

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns by meaning, after finding.

    Attributes:
        kind: what the rows are.
        prob: the probability, or one column per option.
        outcome: the outcome, the right option, or one column of 0 and 1 per option.
        predicted: the predicted option; then right is where it equals the outcome.
        options: names of the options, one per probability column; empty for one column.
        by: columns that make slices.
        weight: column of weights.
        cluster: column of clusters.
        id: column of items.
        remark: what more the reader must know about how the columns were understood.
    """

    kind: Kind
    prob: tuple[str, ...]
    outcome: tuple[str, ...]
    predicted: str | None = None
    options: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    weight: str | None = None
    cluster: str | None = None
    id: str | None = None
    remark: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is read, once."""
        more = (self.predicted, self.weight, self.cluster, self.id)
        return tuple(dict.fromkeys([*self.prob, *self.outcome, *self.by, *(name for name in more if name)]))

    def note(self) -> str:
        """How the columns were understood, in words."""
        quoted = [f"`{plain(name, limit=40)}`" for name in self.prob]
        if self.kind in ("yes_no", "answer"):
            meaning = "probability" if self.kind == "yes_no" else "confidence"
            if self.predicted:
                right = f"right where `{plain(self.predicted)}` = `{plain(self.outcome[0])}`"
                return f"{quoted[0]} as {meaning}, {right}"
            role = "outcome" if self.kind == "yes_no" else "right or wrong"
            told = f"{quoted[0]} as {meaning}, `{plain(self.outcome[0], limit=40)}` as {role}"
            return f"{told} ({self.remark})" if self.remark else told
        shown = ", ".join(quoted[:4]) + (f" … ({len(quoted)} columns)" if len(quoted) > 4 else "")
        what = "levels" if self.kind == "score" else "options"
        if len(self.outcome) > 1:
            marks = ", ".join(f"`{plain(name, limit=40)}`" for name in self.outcome[:4])
            return f"{shown} as probabilities of {what}, the right one marked by {marks}" + " …" * (len(quoted) > 4)
        return f"{shown} as probabilities of {what}, `{plain(self.outcome[0], limit=40)}` as the right one"


def find_columns(
    names: Sequence[str],
    choice: ColumnChoice,
    source: str,
    sample: Callable[[], Sequence[Sequence[str]]] = lambda: (),
    repeated: frozenset[str] = frozenset(),
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
        python: hints are calls in Python, for data in memory, instead of commands.

    Raises:
        ColumnError: if a column is missing or more than one fits; the hint is the command to type.
    """
    finder = _Finder(names, choice, source, sample, python=python)
    layout = finder.layout()
    given = {name.strip() for name in (*choice.prob, *choice.outcome)}
    for column in layout.columns:
        if column.casefold() in repeated and not any(word.isdigit() for word in given):
            places = [k for k, name in enumerate(names, start=1) if _base(name) == column.casefold()]
            listed = " and ".join(map(str, places))
            raise ColumnError(
                f"{source} has more than one column `{plain(column, limit=40)}`: columns {listed}.",
                hint=f"Name it by its position: {finder.corrected(str(places[0]))}",
            )
    return layout


class _Finder:
    def __init__(
        self,
        names: Sequence[str],
        choice: ColumnChoice,
        source: str,
        sample: Callable[[], Sequence[Sequence[str]]],
        *,
        python: bool,
    ) -> None:
        self.names = list(names)
        self.folded = {name.strip().casefold(): name for name in reversed(self.names)}
        self.choice = choice
        self.source = source
        self.sample = sample
        self.python = python

    def layout(self) -> Layout:
        choice = self.choice
        extras: dict[str, Any] = {
            "by": tuple(self._named(name, "--by") for name in choice.by),
            "weight": self._maybe(choice.weight, "--weight"),
            "cluster": self._maybe(choice.cluster, "--cluster"),
            "id": self._maybe(choice.id, "--id"),
        }
        prob = tuple(self._named(name, "--prob") for name in choice.prob)
        confidence = self._maybe(choice.confidence, "--confidence")
        outcome = tuple(self._named(name, "--outcome") for name in choice.outcome)
        predicted = self._maybe(choice.predicted, "--predicted")
        if len(prob) > 1:
            return self._options(prob, outcome, extras)
        if predicted or confidence:
            one = confidence or (prob[0] if prob else self._one((*CONFIDENCE, *PROBABILITY), "confidence", "--prob"))
            truth = outcome or (self._truth(predicted=predicted is not None),)
            return Layout("answer", (one,), truth, predicted, **extras)
        if prob:
            return self._events(prob[0], outcome, extras)
        return self._by_names(outcome, extras)

    def _by_names(self, outcome: tuple[str, ...], extras: dict[str, Any]) -> Layout:
        prob = self._some(PROBABILITY)
        options = self._option_columns()
        if prob and not options:
            one = self._only(prob, "probability", "--prob")
            predicted = self._some(PREDICTED)
            if predicted and self._some(LABEL) and not outcome and not self._some(OUTCOME):
                return self._answers(one, extras)
            return self._events(one, outcome, extras)
        confidence = self._some(CONFIDENCE)
        if options and not prob:
            return self._options(options, outcome, extras)
        if confidence and not prob and not options:
            one = self._only(confidence, "confidence", "--prob")
            if outcome or self._some(OUTCOME):
                truth = outcome or (self._one(OUTCOME, "outcome", "--outcome"),)
                return Layout("answer", (one,), truth, None, **extras)
            if self._some(PREDICTED) and self._some(LABEL):
                return self._answers(one, extras)
            raise self._missing("outcome", OUTCOME)
        if prob and options:
            listed = ", ".join(f"`{plain(name)}`" for name in (*prob, *options)[:_SHOWN])
            raise ColumnError(
                f"{self.source} has a probability column and columns for options: {listed}.",
                hint=f"Choose: {self.corrected(prob[0])}",
            )
        raise self._missing("probability", PROBABILITY)

    def _answers(self, confidence: str, extras: dict[str, Any]) -> Layout:
        label = self._only(self._some(LABEL), "label", "--outcome")
        chosen = self._only(self._some(PREDICTED), "predicted option", "--predicted")
        return Layout("answer", (confidence,), (label,), chosen, **extras)

    def _events(self, prob: str, outcome: tuple[str, ...], extras: dict[str, Any]) -> Layout:
        truth = outcome[0] if outcome else self._outcome()
        kind: Kind = "answer" if prob.strip().casefold() in CONFIDENCE else "yes_no"
        return Layout(kind, (prob,), (truth,), None, **extras)

    def _outcome(self) -> str:
        found = self._some(OUTCOME)
        if found:
            return self._only(found, "outcome", "--outcome")
        label = self._some(("label",))
        if label:
            return label[0]
        raise self._missing("outcome", OUTCOME)

    def _truth(self, *, predicted: bool) -> str:
        found = self._some(LABEL if predicted else OUTCOME) or self._some(OUTCOME)
        if not found:
            raise self._missing("outcome", (*LABEL, *OUTCOME) if predicted else OUTCOME)
        return self._only(found, "outcome", "--outcome")

    def _options(self, prob: tuple[str, ...], outcome: tuple[str, ...], extras: dict[str, Any]) -> Layout:
        names = option_names(prob)
        levels = self.choice.levels
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
            prob, names = tuple(place[level.casefold()] for level in levels), tuple(levels)
        if names == ("0", "1") and not levels and len(outcome) < 2:
            remark = f"the pair `{plain(prob[0], limit=40)}`, `{plain(prob[1], limit=40)}` read as yes/no by the second"
            return Layout("yes_no", prob[1:], outcome or (self._label(),), None, remark=remark, **extras)
        kind: Kind = "score" if levels else "choice"
        truth = outcome or self._paired_outcomes(prob) or (self._label(),)
        return Layout(kind, prob, truth, None, names, **extras)

    def _paired_outcomes(self, prob: tuple[str, ...]) -> tuple[str, ...]:
        """One column of 0 and 1 per option, named X_outcome beside X."""
        pairs = [self.folded.get(f"{name.strip().casefold()}_outcome") for name in prob]
        return tuple(name for name in pairs if name) if all(pairs) else ()

    def _label(self) -> str:
        found = self._some(("label",)) or self._some(LABEL) or self._some(OUTCOME)
        if not found:
            raise self._missing("label", ("label", *OUTCOME))
        return self._only(found, "label", "--outcome")

    def _option_columns(self) -> tuple[str, ...]:
        for prefix in OPTION_PREFIXES:
            found = tuple(name for name in self.names if name.strip().casefold().startswith(prefix))
            if len(found) > 1:
                return found
        return ()

    def _named(self, name: str, option: str) -> str:
        if name in self.names:
            return name
        found = self.folded.get(name.strip().casefold())
        if found is None and name.isdigit() and 1 <= int(name) <= len(self.names):
            found = self.names[int(name) - 1]
        if found is None:
            raise ColumnError(
                f"{self.source} has no column {plain(name)!r} ({option}).", hint=f"It has {self._listed()}."
            )
        return found

    def _maybe(self, name: str | None, option: str) -> str | None:
        return None if name is None else self._named(name, option)

    def _some(self, wanted: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in self.names if name.strip().casefold() in wanted)

    def _one(self, wanted: Sequence[str], what: str, option: str) -> str:
        found = self._some(wanted)
        if not found:
            raise self._missing(what, wanted)
        return self._only(found, what, option)

    def _only(self, found: tuple[str, ...], what: str, option: str) -> str:
        if len(found) > 1:
            chosen = {"--prob": {"prob": found[0]}, "--outcome": {"outcome": found[0]}}.get(option, {})
            listed = " and ".join(f"`{plain(name)}`" for name in found)
            raise ColumnError(
                f"{self.source} has more than one {what} column: {listed}.",
                hint=f"Choose one: {self.corrected(**chosen)}",
            )
        return found[0]

    def _missing(self, what: str, wanted: Sequence[str]) -> ColumnError:
        looked = ", ".join(f"`{name}`" for name in wanted)
        hint = f"Name the columns: {self.corrected()}"
        return ColumnError(
            f"{self.source} has no {what} column: looked for {looked}; found {self._listed()}.", hint=hint
        )

    def _listed(self) -> str:
        shown = ", ".join(f"`{plain(name, limit=40)}`" for name in self.names[:_SHOWN])
        return shown + (f" and {len(self.names) - _SHOWN} more" if len(self.names) > _SHOWN else "")

    def corrected(self, prob: str | None = None, outcome: str | None = None) -> str:
        """The complete command, with columns guessed from the first values where they are not known."""
        given = self.choice.prob or ((self.choice.confidence,) if self.choice.confidence else ())
        return corrected_command(
            self.source,
            self.names,
            self.sample(),
            prob=prob or (given[0] if given else None),
            outcome=outcome or (self.choice.outcome[0] if self.choice.outcome else None),
            python=self.python,
        )


def option_names(columns: Sequence[str]) -> tuple[str, ...]:
    """Names of options from those of their columns, without a prefix that all of them share."""
    for prefix in OPTION_PREFIXES:
        if all(name.strip().casefold().startswith(prefix) and len(name.strip()) > len(prefix) for name in columns):
            return tuple(name.strip()[len(prefix) :] for name in columns)
    return tuple(name.strip() for name in columns)


_POSITION = re.compile(r" \(\d+\)$")


def _base(name: str) -> str:
    """A name without the position that a repeated one was given."""
    return _POSITION.sub("", name).casefold()
