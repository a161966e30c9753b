"""One slice before the judge: its evidence, findings and thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant.predictions import Kind
    from calibrant.report.results import Finding
    from calibrant.verdict.findings import Evidence
    from calibrant.verdict.thresholds import Thresholds

__all__ = ["Case"]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """What a verdict is reached from.

    Attributes:
        seen: the numbers.
        found: the findings, by code.
        kind: kind of the questions.
        n: rows.
        bars: thresholds.
        lang: language of the sentences.
    """

    seen: Evidence
    found: Mapping[str, Finding]
    kind: Kind
    n: int
    bars: Thresholds
    lang: str

    @property
    def events(self) -> bool:
        """True for yes/no questions, whose probabilities are of an event and not of being right."""
        return self.kind == "yes_no"

    @property
    def tolerance(self) -> float:
        """Gap that still counts as none."""
        # Only events are rare in this sense: for answers the rate is the accuracy, which should be close to 1.
        return self.bars.tolerance_for(self.seen.value("base_rate") if self.events else None)

    @property
    def knows_skill(self) -> bool:
        """True if the skill over the base rate has an interval."""
        return self.seen.high("brier_skill") is not None

    @property
    def uniform_confidence(self) -> float | None:
        """1/K, the confidence of a uniform guess, from its Brier score; None where that is not known."""
        uniform = self.seen.value("brier_uniform")
        if uniform is None:
            return None
        # The uniform guess scores 1 - 1/K on the scale that sums over options, which is twice the half scale.
        return 1 - (2 * uniform if self.events else uniform)

    def has(self, *codes: str) -> bool:
        """True if any of these was found."""
        return any(code in self.found for code in codes)
