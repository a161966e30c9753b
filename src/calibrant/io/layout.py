"""A layout: which column of a table means what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.safe import plain

if TYPE_CHECKING:
    from calibrant.io.nested import Nested
    from calibrant.predictions import Kind

__all__ = ["Layout"]


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns by meaning, after finding.

    Attributes:
        kind: what the rows are.
        prob: the probability, or one column per option.
        outcome: the outcome, the right option, or one column of 0 and 1 per option.
        predicted: the predicted option; then right is where it equals the outcome.
        options: names of the options, one per probability column; empty for one column.
        levels: names of ordered levels, lowest first, of the questions that have just these options.
        nested: "list" or "map" when the one probability column holds those of all options.
        single: the probability column of yes/no questions beside columns of options, and
        single_outcome: its outcome.
        picked: the option that a column names as the answer, compared with the probabilities.
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
    levels: tuple[str, ...] = ()
    nested: Nested = ""
    single: str | None = None
    single_outcome: str | None = None
    picked: str | None = None
    by: tuple[str, ...] = ()
    weight: str | None = None
    cluster: str | None = None
    id: str | None = None
    remark: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is read, once."""
        more = (self.predicted, self.picked, self.single, self.single_outcome, self.weight, self.cluster, self.id)
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
        if self.nested:
            held = f"{quoted[0]} as {self.nested}s of probabilities of {'levels' if self.levels else 'options'}"
            return f"{held}, `{plain(self.outcome[0], limit=40)}` as the right one"
        shown = ", ".join(quoted[:4]) + (f" … ({len(quoted)} columns)" if len(quoted) > 4 else "")
        what = "levels" if self.kind == "score" else "options"
        if len(self.outcome) > 1:
            marks = ", ".join(f"`{plain(name, limit=40)}`" for name in self.outcome[:4])
            return f"{shown} as probabilities of {what}, the right one marked by {marks}" + " …" * (len(quoted) > 4)
        rest = f"; where these are empty, `{plain(self.single, limit=40)}` as probability" if self.single else ""
        return f"{shown} as probabilities of {what}, `{plain(self.outcome[0], limit=40)}` as the right one{rest}"
