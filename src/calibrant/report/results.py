"""Results that reports are built of: what was read, the numbers of each slice, its verdict, and limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant.measure.carriers import Carrier
    from calibrant.measure.number import Number
    from calibrant.predictions import Kind, LeftOut

__all__ = ["CODES", "Code", "CurvePoint", "Finding", "LimitResult", "SliceResult", "SourceFacts", "Verdict"]

Code = Literal[
    "honest",
    "overconfident",
    "underconfident",
    "hedging",
    "right_order_unusable_numbers",
    "base_rate_echo",
    "worse_than_guessing",
    "cannot_tell",
]
CODES: tuple[Code, ...] = (
    "worse_than_guessing",
    "hedging",
    "base_rate_echo",
    "right_order_unusable_numbers",
    "overconfident",
    "underconfident",
    "cannot_tell",
    "honest",
)
"""Every verdict, worst first; tables of slices are sorted by this."""


class CurvePoint(Protocol):
    """One bin of a reliability curve; an empty one has n = 0 and no values."""

    @property
    def low(self) -> float:
        """Lower edge."""

    @property
    def high(self) -> float:
        """Upper edge."""

    @property
    def n(self) -> int:
        """Rows."""

    @property
    def mean_probability(self) -> float | None:
        """Mean probability that was said."""

    @property
    def observed(self) -> float | None:
        """Share of rows where it happened, or was right."""

    @property
    def observed_low(self) -> float | None:
        """Lower limit of that share."""

    @property
    def observed_high(self) -> float | None:
        """Upper limit of that share."""

    @property
    def gap(self) -> float | None:
        """Observed minus stated."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact that a verdict rests on.

    Attributes:
        code: its name, such as "too_extreme".
        text: the fact in words, without a full stop.
        numbers: names of the numbers that it was read from.
    """

    code: str
    text: str
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the numbers mean, and what to do.

    Attributes:
        code: one of `CODES`.
        sentence: the headline of these rows, "When it says 84%, it is right 71% of the time (66–76%, n = 512)."
        meaning: the verdict in one sentence.
        advice: what to do next, in one or two sentences.
        findings: every fact found, also those that did not decide.
        rows_needed: with "cannot_tell": rows that would tell, about.
    """

    code: Code
    sentence: str
    meaning: str
    advice: str
    findings: tuple[Finding, ...] = ()
    rows_needed: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SliceResult:
    """Everything found about one combination of model, question or other columns.

    Attributes:
        by: the combination, column to value; empty when nothing was asked for.
        kind: "yes_no", "choice", "score" or "answer".
        n: rows used.
        resolution: "exact", or the name of the grid that probabilities were kept on.
        left_out: rows left out, by reason.
        numbers: every number by its name.
        curve: the bins asked for, in order.
        verdict: what the numbers mean.
        ten_bins: ten equal-width bins, which the headline and the first screen use; if empty, `curve` is those.
        curves: the curve of confidence ("top") too, for yes/no questions.
        carriers: the rows that carry most of the Brier score.
        consistency: for each bin of `curve`, where its point lies if the probabilities are right; None if empty.
        isotonic: steps of the isotonic fit: smallest and largest probability, observed share.
    """

    by: Mapping[str, str]
    kind: Kind
    n: int
    resolution: str
    left_out: Mapping[str, LeftOut]
    numbers: Mapping[str, Number]
    curve: tuple[CurvePoint, ...]
    verdict: Verdict
    ten_bins: tuple[CurvePoint, ...] = ()
    curves: Mapping[Literal["top"], tuple[CurvePoint, ...]] = field(default_factory=dict)
    carriers: tuple[Carrier, ...] = ()
    consistency: tuple[tuple[float, float] | None, ...] = ()
    isotonic: tuple[tuple[float, float, float], ...] = ()

    @property
    def name(self) -> str:
        """The combination in one text, such as "model=jev, question=q1"; empty when there is none."""
        return ", ".join(f"{key}={value}" for key, value in self.by.items())

    @property
    def level(self) -> float:
        """Confidence level of the intervals."""
        return next((number.level for number in self.numbers.values()), 0.95)

    @property
    def rows_left_out(self) -> int:
        """Rows left out, all reasons together."""
        return sum(part.rows for part in self.left_out.values())


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What was read.

    Attributes:
        name: file name or a description of the data.
        rows: records read, left-out ones included.
        notes: how it was understood, such as "`p` as probability, `won` as outcome".
    """

    name: str
    rows: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LimitResult:
    """Whether one rule of `--fail-if` was met.

    Attributes:
        rule: the rule as it was written.
        failed: True when the rule's condition holds somewhere, or could not be judged.
        sentence: what was found, and where.
    """

    rule: str
    failed: bool
    sentence: str
