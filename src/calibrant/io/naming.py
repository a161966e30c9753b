"""Columns by their names: the ones that the user calls, and the ones that are known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from calibrant.errors import ColumnError
from calibrant.io.guess import corrected_command
from calibrant.safe import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from calibrant.io.options import ColumnChoice

__all__ = [
    "CONFIDENCE",
    "LABEL",
    "NESTED",
    "OPTION_PREFIXES",
    "OUTCOME",
    "PREDICTED",
    "PROBABILITY",
    "SHOWN",
    "ColumnNames",
    "base_name",
    "option_names",
]

PROBABILITY = ("probability", "p", "prob")
NESTED = (*PROBABILITY, "probs", "probabilities")
OUTCOME = ("outcome", "y", "correct")
CONFIDENCE = ("confidence", "top1_confidence", "top_confidence")
LABEL = ("label", "true_label", "gold", "answer")
PREDICTED = ("predicted", "pred_label", "predicted_label", "prediction")
OPTION_PREFIXES = ("p_", "prob_", "probability_")

SHOWN = 12


class ColumnNames:
    """The names of a table's columns, and the errors when one is missing or more than one fits."""

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

    def named(self, name: str, option: str) -> str:
        """The column that the user calls so: by its name, in any case, or by its position.

        Raises:
            ColumnError: if there is no such column.
        """
        if name in self.names:
            return name
        found = self.folded.get(name.strip().casefold())
        if found is None and name.isdigit() and 1 <= int(name) <= len(self.names):
            found = self.names[int(name) - 1]
        if found is None:
            raise ColumnError(
                f"{self.source} has no column {plain(name)!r} ({option}).", hint=f"It has {self.listed()}."
            )
        return found

    def maybe(self, name: str | None, option: str) -> str | None:
        """The column that the user named, if one was named."""
        return None if name is None else self.named(name, option)

    def some(self, wanted: Sequence[str]) -> tuple[str, ...]:
        """Every column of one of these names."""
        return tuple(name for name in self.names if name.strip().casefold() in wanted)

    def one(self, wanted: Sequence[str], what: str, option: str) -> str:
        """The one column of these names.

        Raises:
            ColumnError: if there is no such column.
        """
        found = self.some(wanted)
        if not found:
            raise self.missing(what, wanted)
        return self.only(found, what, option)

    def only(self, found: tuple[str, ...], what: str, option: str) -> str:
        """The one column that was found.

        Raises:
            ColumnError: if there is more than one.
        """
        if len(found) > 1:
            chosen = {"--prob": {"prob": found[0]}, "--outcome": {"outcome": found[0]}}.get(option, {})
            listed = " and ".join(f"`{plain(name)}`" for name in found)
            raise ColumnError(
                f"{self.source} has more than one {what} column: {listed}.",
                hint=f"Choose one: {self.corrected(**chosen)}",
            )
        return found[0]

    def missing(self, what: str, wanted: Sequence[str]) -> ColumnError:
        """What to say when no column was found."""
        looked = ", ".join(f"`{name}`" for name in wanted)
        hint = f"Name the columns: {self.corrected()}"
        return ColumnError(
            f"{self.source} has no {what} column: looked for {looked}; found {self.listed()}.", hint=hint
        )

    def listed(self) -> str:
        """The columns that there are, in words."""
        shown = ", ".join(f"`{plain(name, limit=40)}`" for name in self.names[:SHOWN])
        return shown + (f" and {len(self.names) - SHOWN} more" if len(self.names) > SHOWN else "")

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


def base_name(name: str) -> str:
    """A name without the position that a repeated one was given."""
    return _POSITION.sub("", name).casefold()
