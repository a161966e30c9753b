"""Repair: one fitted map with what it was fitted to, what it may be applied to, and what it was worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from calibrant.errors import InputError
from calibrant.recalibration.samples import named
from calibrant.recalibration.venn_abers import venn_abers_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from calibrant.predictions import Kind
    from calibrant.recalibration.effect import Effect, VerdictCode
    from calibrant.recalibration.methods import FittedMap

__all__ = ["Repair", "matching"]


@dataclass(frozen=True, slots=True)
class Repair:
    """A map for one model, question or other combination.

    Attributes:
        by: the combination that it is for.
        kind: kind of the questions.
        options: names of the options; empty when unknown or different.
        option_count: number of options.
        fitted: the map.
        rows: rows that it was fitted on.
        verdict: "helps", "harms" or "not_shown", on rows that it was not fitted on.
        effect: what it did to those rows; None when read from a file.
        judged_by: how they were kept apart, in words.
        in_sample: scores before and after on the very rows it was fitted on; too good by nature.
    """

    by: Mapping[str, str]
    kind: Kind
    options: tuple[str, ...]
    option_count: int
    fitted: FittedMap
    rows: int
    verdict: VerdictCode
    effect: Effect | None = None
    judged_by: str = ""
    in_sample: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The combination in one text."""
        return named(self.by)

    @property
    def use(self) -> Literal["map", "as_is"]:
        """What `apply` does: the map only if it is shown to help."""
        return "map" if self.verdict == "helps" else "as_is"

    def apply(self, prob: NDArray[np.float64], *, force: bool = False) -> NDArray[np.float64]:
        """Repaired probabilities; as they are where the map is not shown to help, unless forced."""
        return self.fitted(prob) if force or self.use == "map" else prob

    def interval(self, prob: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Venn–Abers' p0 and p1.

        Raises:
            InputError: if another method was fitted.
        """
        if self.fitted.method != "venn_abers":
            raise InputError(
                f"The method {self.fitted.method} gives no interval for single rows.", hint='Use method="venn_abers".'
            )
        return venn_abers_interval(self.fitted.params, prob)

    def refusal(self, kind: Kind | None, options: Sequence[str] | None, count: int) -> str | None:
        """Why the map must not be applied to such questions; None when it may."""
        if kind is not None and kind != self.kind:
            return f"it was fitted on {self.kind} questions, these are {kind}"
        if self.option_count and count != self.option_count:
            return f"it was fitted on questions with {self.option_count} options, these have {count}"
        if self.options and options and tuple(options) != self.options and self.kind != "yes_no":
            return f"it was fitted on the options {', '.join(self.options)}, these are {', '.join(options)}"
        return None

    def check_numbers(self) -> None:
        """Try the map on a few probabilities, as a check of a file.

        Raises:
            ValueError: if it does not give probabilities.
        """
        line = np.linspace(0.0, 1.0, 11)
        if self.kind in ("yes_no", "answer"):
            out = self.fitted(line)
        else:
            out = self.fitted(np.full((3, max(self.option_count, 2)), 1.0 / max(self.option_count, 2)))
        if not bool(np.all((out >= 0) & (out <= 1))):
            raise ValueError("its numbers give no probabilities")


def matching(repairs: Sequence[Repair], by: Mapping[str, str], *, force: bool = False) -> Repair:
    """The map for a combination.

    Raises:
        InputError: if none was fitted for it; with `force` the only one is taken.
    """
    for repair in repairs:
        if dict(repair.by) == dict(by):
            return repair
    if force and len(repairs) == 1:
        return repairs[0]
    known = "; ".join(repair.name or "everything" for repair in repairs[:8])
    if "model" in by or any("model" in repair.by for repair in repairs):
        what = f"There is no calibration for this exact model ({named(by) or 'none named'})"
    else:
        what = f"There is no calibration for {named(by) or 'rows without a named combination'}"
    hint = "Fit one for it, or use --force (force=True) if there is just one map and you know that it fits."
    raise InputError(f"{what}; the file has {known}.", hint=hint)
