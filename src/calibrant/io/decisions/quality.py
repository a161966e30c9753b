"""Quality of the numbers themselves, collected block by block: rounding, sums, clipping, label mass, `confidence`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.io.decisions.answer import ANSWER, YES_NO
from calibrant.io.decisions.confidence import FORMULAS, formula_slack, formula_values
from calibrant.io.decisions.facts import FormulaFacts, ModelFacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CUT", "ModelQuality", "decimals_of"]

CUT = 0.9
MATCH_SHARE = 0.99
MATCH_LEAST = 20
"""Fewer confidences than this could fit a formula by chance."""
FEWEST_DECIMALS = 2
MAX_DECIMALS = 6
ROUNDED_FROM = 10
"""Fewer probabilities than this say nothing about rounding."""


def decimals_of(values: NDArray[np.float64]) -> int:
    """Fewest decimals that write every value exactly; 7 when six are not enough.

    Example:
        >>> decimals_of(np.array([0.25, 0.5])), decimals_of(np.array([1 / 3]))
        (2, 7)
    """
    for decimals in range(1, MAX_DECIMALS + 1):
        if np.array_equal(np.round(values, decimals), values) or np.all(
            np.abs(values * 10**decimals - np.rint(values * 10**decimals)) < 1e-9 * 10**decimals
        ):
            return decimals
    return MAX_DECIMALS + 1


class _Formulas:
    """Which known formula gives the reported confidences of one kind."""

    def __init__(self) -> None:
        self.reported = 0
        self.accepted: dict[str, int] = {"reported": 0}
        self.within: dict[str, int] = {}

    def add(
        self, probs: NDArray[np.float64], kind: str, reported: NDArray[np.float64], mass: NDArray[np.float64]
    ) -> None:
        formulas = formula_values(probs, kind, mass)
        stated = ~np.isnan(reported)
        self.reported += int(stated.sum())
        self.accepted["reported"] += int(np.count_nonzero(reported[stated] >= CUT))
        written = min(decimals_of(values[~np.isnan(values)]) for values in (probs, reported))
        step = 10.0 ** -max(written, FEWEST_DECIMALS)
        options = np.count_nonzero(~np.isnan(probs[stated]), axis=1)
        for name, found in formulas.items():
            self.accepted[name] = self.accepted.get(name, 0) + int(np.count_nonzero(found >= CUT - 1e-12))
            near = np.abs(found[stated] - reported[stated]) <= formula_slack(name, found[stated], options, step)
            self.within[name] = self.within.get(name, 0) + int(np.count_nonzero(near))

    def facts(self, kind: str) -> FormulaFacts:
        enough = MATCH_SHARE * self.reported
        matches = tuple(
            name for name in FORMULAS if self.reported >= MATCH_LEAST and self.within.get(name, 0) >= enough
        )
        return FormulaFacts(kind, self.reported, matches, dict(self.accepted))


class ModelQuality:
    """Collects one served model's numbers."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._answers = self._numbers = self._certain = self._sums_off = 0
        self._decimals = 1
        self._gap = 0.0
        self._clip = [0, 0]  # yes/no answers at 0.01 or 0.99, and outside
        self._mass = [0.0, 0.0, np.inf, 0.0]  # count, sum, least, below 0.9
        self._formulas: dict[str, _Formulas] = {}

    def add(
        self, kind: str, probs: NDArray[np.float64], reported: NDArray[np.float64], mass: NDArray[np.float64]
    ) -> None:
        """Add a block: shape (n, k), nan for absent options; of yes/no, column 1 is P(yes).

        Rows with impossible numbers are left to the judge.
        """
        fine = ~((probs < 0) | (probs > 1)).any(axis=1) & ~np.isnan(probs[:, 0])
        probs, reported, mass = probs[fine], reported[fine], mass[fine]
        if not probs.size:
            return
        numbers = probs[:, 1] if kind == YES_NO else probs[~np.isnan(probs)]
        self._answers += probs.shape[0]
        self._numbers += numbers.size
        if self._decimals <= MAX_DECIMALS:
            self._decimals = max(self._decimals, decimals_of(numbers))
        self._certain += int(np.count_nonzero((numbers == 0) | (numbers == 1)))
        if kind == YES_NO:
            self._clip[0] += int(np.count_nonzero((numbers == 0.01) | (numbers == 0.99)))
            self._clip[1] += int(np.count_nonzero((numbers < 0.01) | (numbers > 0.99)))
        elif kind != ANSWER:
            gap = np.abs(np.nansum(probs, axis=1) - 1)
            self._sums_off += int(np.count_nonzero(gap > 1e-6))
            self._gap = max(self._gap, float(gap.max(initial=0.0)))
        self._add_mass(mass)
        if kind != ANSWER:
            self._formulas.setdefault(kind, _Formulas()).add(probs, kind, reported, mass)

    def _add_mass(self, mass: NDArray[np.float64]) -> None:
        stated = mass[~np.isnan(mass)]
        if stated.size:
            self._mass[0] += stated.size
            self._mass[1] += float(stated.sum())
            self._mass[2] = min(self._mass[2], float(stated.min()))
            self._mass[3] += int(np.count_nonzero(stated < CUT))

    def facts(self) -> ModelFacts:
        """The sums as facts."""
        count, total, least, below = self._mass
        rounded = self._decimals <= MAX_DECIMALS and self._numbers >= ROUNDED_FROM
        clipped = self._clip[0] if self._clip[1] == 0 and self._clip[0] > 1 else 0
        return ModelFacts(
            self._model,
            self._answers,
            self._decimals if rounded else None,
            self._certain,
            self._sums_off,
            self._gap,
            clipped,
            (int(count), total / count, float(least), int(below)) if count else None,
            tuple(formulas.facts(kind) for kind, formulas in sorted(self._formulas.items())),
        )
