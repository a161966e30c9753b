"""What a report is made of. Faces (text, JSON, Markdown, HTML) render these nodes and compute nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from calibrant.measure.number import Number
    from calibrant.predictions import Kind, LeftOut

__all__ = [
    "CODES",
    "Code",
    "Command",
    "CurvePoint",
    "Figure",
    "Finding",
    "LimitResult",
    "Node",
    "Notice",
    "NumberTable",
    "Report",
    "Section",
    "Sentence",
    "SliceResult",
    "SourceFacts",
    "Table",
    "Verdict",
]

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
        """observed − mean_probability."""


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
        ten_bins: ten equal-width bins, which the headline and the first screen use; empty if `curve` is those.
        curves: further curves by view, such as "top" for yes/no questions.
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
    curves: Mapping[str, tuple[CurvePoint, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The combination in one text, such as "model=jev, question=q1"; empty when there is none."""
        return ", ".join(f"{key}={value}" for key, value in self.by.items())

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


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence.

    Attributes:
        text: the sentence.
        tone: "plain"; "strong" for the one that matters; "good", "bad" or "unsure" for a judgement; "quiet".
    """

    text: str
    tone: Literal["plain", "strong", "good", "bad", "unsure", "quiet"] = "plain"


@dataclass(frozen=True, slots=True, eq=False)
class NumberTable:
    """Numbers with their intervals.

    Attributes:
        title: what they are.
        numbers: in the order to be shown.
        context: all numbers of the slice, for what a number is held against.
        full: True to show range, formula and rows with each.
    """

    title: str
    numbers: tuple[Number, ...]
    context: Mapping[str, Number] = field(default_factory=dict)
    full: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts.

    Attributes:
        title: what it shows.
        columns: headings.
        rows: one text for each column.
        align: "<" or ">" for each column.
        more: rows that were left away here and are shown in full reports.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str
    more: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A reliability diagram.

    Attributes:
        kind: "reliability".
        view: "event" (says against happens) or "top" (says against is right).
        curve: the bins to draw, in order.
    """

    kind: Literal["reliability"]
    view: Literal["event", "top"]
    curve: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the reader must know to read the rest right.

    Attributes:
        level: "note" or "warning".
        text: one sentence.
    """

    level: Literal["note", "warning"]
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command to copy.

    Attributes:
        text: the command.
    """

    text: str


Node = Sentence | NumberTable | Table | Figure | Notice | Command


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """Nodes under one title.

    Attributes:
        title: the title; empty for none.
        nodes: what it shows, in order.
        first: True if it belongs to the first screen.
    """

    title: str
    nodes: tuple[Node, ...]
    first: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """The answer: a headline, sections, and the results behind them.

    `str(report)` is the first screen as text; in a notebook it shows itself.

    Attributes:
        headline: the one sentence.
        sections: the rest, first screen first.
        source: what was read.
        slices: the results, in the order of the data.
        next_command: one command to copy.
        version: version of Calibrant that made it.
        seed: seed of everything simulated.
        limits: rules of `--fail-if` and what became of them.
        lang: language of its sentences.
    """

    headline: Sentence
    sections: tuple[Section, ...]
    source: SourceFacts
    slices: tuple[SliceResult, ...]
    next_command: str
    version: str
    seed: int
    limits: tuple[LimitResult, ...] = ()
    lang: str = "en"

    @property
    def failed(self) -> bool:
        """True if any limit failed."""
        return any(limit.failed for limit in self.limits)

    def to_text(self, *, full: bool = False, width: int = 80, colour: bool = False, ascii_only: bool = False) -> str:
        """The report as text for a terminal.

        Args:
            full: every number and bin instead of the first screen.
            width: columns; at most 100 are used.
            colour: mark good and bad by ANSI colours.
            ascii_only: use no character beyond ASCII.
        """
        from calibrant.report.text import report_text

        return report_text(self, full=full, width=width, colour=colour, ascii_only=ascii_only)

    def to_json(self, path: str | Path | None = None) -> str:
        """The report as JSON of schema calibrant.report/1; also written to `path` if given."""
        from calibrant.report.json import report_json
        from calibrant.report.write import written

        return written(report_json(self), path)

    def to_markdown(self, path: str | Path | None = None, *, full: bool = True) -> str:
        """The report as Markdown; also written to `path` if given."""
        from calibrant.report.markdown import report_markdown
        from calibrant.report.write import written

        return written(report_markdown(self, full=full), path)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from calibrant.report.notebook import report_html

        return report_html(self)
