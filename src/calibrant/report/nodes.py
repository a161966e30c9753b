"""What a report is made of. Faces (text, JSON, Markdown, HTML) render these nodes and compute nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from calibrant.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from calibrant.measure.number import Number
    from calibrant.report.results import CurvePoint, LimitResult, SliceResult, SourceFacts
    from calibrant.tallies.tally import Tally

__all__ = ["Command", "Figure", "Node", "Notice", "NumberTable", "Report", "Section", "Sentence", "Table", "Tone"]

Tone = Literal["plain", "strong", "good", "bad", "unsure", "quiet"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence.

    Attributes:
        text: the sentence.
        tone: "plain"; "strong" for the one that matters; "good", "bad" or "unsure" for a judgement; "quiet".
    """

    text: str
    tone: Tone = "plain"


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
        level: confidence level of their intervals.
    """

    kind: Literal["reliability"]
    view: Literal["event", "top"]
    curve: tuple[CurvePoint, ...]
    level: float = 0.95


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
        tally: what it was computed from; None for a report that was put together by hand.
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
    tally: Tally | None = None

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

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as one HTML file, interactive without the rows; also written to `path` if given.

        Raises:
            OptionError: if the report was put together by hand and has no tally.
        """
        from calibrant.report.html import report_html
        from calibrant.report.write import written

        if self.tally is None:
            raise OptionError("This report has no tally, which the page is drawn from.", hint="Make it with check().")
        return written(report_html(self, self.tally, lang=self.lang), path)

    def to_markdown(self, path: str | Path | None = None, *, full: bool = True) -> str:
        """The report as Markdown; also written to `path` if given."""
        from calibrant.report.markdown import report_markdown
        from calibrant.report.write import written

        return written(report_markdown(self, full=full), path)

    def plot(self, ax: Any = None, *, slice_name: str | None = None) -> Any:
        """The reliability diagram of one slice as a matplotlib figure; returns the axes.

        Args:
            ax: axes to draw on; None makes a figure, with the rows of each bin below.
            slice_name: the slice, such as "model=jev"; None draws the first.
        """
        from calibrant.report.plot import plot_report

        return plot_report(self, ax, slice_name=slice_name)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from calibrant.report.notebook import report_html

        return report_html(self)
