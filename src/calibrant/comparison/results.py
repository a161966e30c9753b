"""Results of a comparison: per slice the models, their pairs, and what decides between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from calibrant.report.json import number_as_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant.measure.number import Number

__all__ = ["Compared", "Deciding", "ModelFigures", "PairCode", "PairResult"]

PairCode = Literal[
    "first", "second", "not_shown", "equivalent", "no_worse", "identical", "cannot_tell", "not_comparable"
]


@dataclass(frozen=True, slots=True)
class Deciding:
    """Which items decide a gap.

    Attributes:
        top: items with the largest differences: item, score of the first, of the second.
        half: the fewest items that carry half of all differences.
        reverse: the fewest items without which the gap would be gone; None when there is no gap.
    """

    top: tuple[tuple[str, float, float], ...]
    half: int
    reverse: int | None


@dataclass(frozen=True, slots=True, eq=False)
class PairResult:
    """Two models.

    Attributes:
        first: name of the first.
        second: name of the second.
        code: "first" or "second" when that one is better by more than chance, "not_shown", "identical", "cannot_tell";
            with a margin also "equivalent", and "no_worse" (the first than the second); "not_comparable" for different
            items.
        paired: whether both answered the same items.
        numbers: differences, first minus second, by name.
        p_value: p-value of the score that decides, adjusted when there are several pairs; None when there is none.
        table: rows where both are right, only the first, only the second, neither; None when unknown.
        deciding: which items decide; None when only sums are known.
    """

    first: str
    second: str
    code: PairCode
    paired: bool
    numbers: Mapping[str, Number]
    p_value: float | None
    table: tuple[int, int, int, int] | None = None
    deciding: Deciding | None = None

    def as_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        out: dict[str, Any] = {
            "first": self.first,
            "second": self.second,
            "paired": self.paired,
            "verdict": self.code,
            "p_value": self.p_value,
            "differences": {name: number_as_json(number) for name, number in self.numbers.items()},
        }
        if self.table is not None:
            both, one, two, none = self.table
            out["right"] = {"both": both, "only_first": one, "only_second": two, "neither": none}
        if self.deciding is not None:
            out["deciding"] = {
                "items": [{"item": item, "first": a, "second": b} for item, a, b in self.deciding.top],
                "items_with_half_of_the_differences": self.deciding.half,
                "items_that_reverse_the_gap": self.deciding.reverse,
            }
        return out


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """One model in a comparison.

    Attributes:
        name: the model.
        items: items that it answered.
        left_out: rows that could not be used.
        own: Brier score on its own items.
        common: Brier score on the items answered by all.
        filled: Brier score when the items it did not answer count as uniform guesses.
        scores: further mean scores on the common items.
    """

    name: str
    items: int
    left_out: int
    own: float | None
    common: float | None
    filled: float | None
    scores: Mapping[str, float | None] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        return {
            "name": self.name,
            "items": self.items,
            "left_out": self.left_out,
            "brier_own_items": self.own,
            "brier_common_items": self.common,
            "brier_failures_as_uniform": self.filled,
            "scores": dict(self.scores),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The comparison of one slice.

    Attributes:
        by: the slice.
        kind: kind of the questions.
        items: items answered by all.
        all_items: items answered by any.
        different_outcomes: items left out because the files contradict one another.
        units: independent units.
        clustered: whether they are clusters.
        models: the models, best first.
        pairs: every pair.
        critical: t value that all pairs stay below together, when there are several.
        uniform: Brier score of a uniform guess; None when options are unknown.
        notes: what must be known.
    """

    by: Mapping[str, str]
    kind: str
    items: int
    all_items: int
    different_outcomes: int
    units: int
    clustered: bool
    models: tuple[ModelFigures, ...]
    pairs: tuple[PairResult, ...]
    critical: float | None = None
    uniform: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The slice in one text."""
        return ", ".join(f"{key}={value}" for key, value in self.by.items())

    def as_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        return {
            "by": dict(self.by),
            "kind": self.kind,
            "items": self.items,
            "all_items": self.all_items,
            "items_with_different_outcomes": self.different_outcomes,
            "unit": "cluster" if self.clustered else "row",
            "units": self.units,
            "brier_uniform": self.uniform,
            "models": [model.as_dict() for model in self.models],
            "pairs": [pair.as_dict() for pair in self.pairs],
            "critical_t_of_all_pairs": self.critical,
            "notes": list(self.notes),
        }
