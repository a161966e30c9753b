"""The report as text for a terminal: the first screen, or everything."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from calibrant.report.diagram import diagram_lines
from calibrant.report.ink import Ink, ascii_text, clean, marks
from calibrant.report.nodes import Command, Figure, Notice, NumberTable, Sentence, Table
from calibrant.report.reading import comparison, facts, interval_text, name_text, value_text
from calibrant.report.tables import table_lines
from calibrant.words import sentence
from calibrant.words.format import count

if TYPE_CHECKING:
    from calibrant.report.nodes import Node, Report, Tone

__all__ = ["report_text"]

WIDEST = 100
NARROWEST = 40
FIRST_SCREEN = 30
LONGEST_PARAGRAPH = 2
USUAL = 80


def report_text(
    report: Report, *, full: bool = False, width: int = 80, colour: bool = False, ascii_only: bool = False
) -> str:
    """The report as lines of text.

    Args:
        report: what to show.
        full: everything instead of the first screen, which has at most 30 lines at 80 columns.
        width: columns of the terminal; between 40 and 100 are used.
        colour: paint judgements with ANSI colours.
        ascii_only: use ASCII alone, for outputs that have nothing else.
    """
    face = _Face(report, min(WIDEST, max(NARROWEST, width)), Ink(colour), full=full, ascii_only=ascii_only)
    text = "\n".join(face.lines()) + "\n"
    return ascii_text(text) if ascii_only else text


class _Face:
    """One rendering; holds what every part of it needs."""

    def __init__(self, report: Report, width: int, ink: Ink, *, full: bool, ascii_only: bool) -> None:
        self.report = report
        self.width = width
        self.ink = ink
        self.full = full
        self.ascii_only = ascii_only
        self.lang = report.lang
        self.chars = marks(ascii_only=ascii_only)

    def lines(self) -> list[str]:
        out = self._paragraph(self.report.headline.text, "strong")
        for number, section in enumerate(self.report.sections):
            if not (section.first or self.full):
                continue
            # The verdict's meaning belongs to the headline; everything else stands apart.
            if number > 0 or not isinstance(section.nodes[0], Sentence) or len(self.report.slices) != 1:
                out.append("")
            if section.title and not (section.first and not self.full):
                out += [self.ink.paint(clean(section.title), "strong")]
            for node in section.nodes:
                out += self._node(node)
        while not self.full and len(out) > FIRST_SCREEN and "" in out:
            out.remove("")
        return [line.rstrip() for line in out]

    def _node(self, node: Node) -> list[str]:
        match node:
            case Sentence(text=text, tone=tone):
                return self._paragraph(text, tone)
            case Notice(level=level, text=text):
                bullet = "! " if level == "warning" else "- "
                return self._paragraph(text, "plain", first=bullet)
            case Command(text=text):
                # A command is never wrapped: it is there to be copied.
                return [sentence("next.copy", self.lang) + " " + self.ink.paint(clean(text), "strong")]
            case Figure():
                legend = "   ".join(
                    sentence(key, self.lang, down=self.chars.down, up=self.chars.up)
                    for key in ("note.lower", "note.higher")
                )
                return diagram_lines(
                    node,
                    width=self.width,
                    ink=self.ink,
                    ascii_only=self.ascii_only,
                    lang=self.lang,
                    legend=legend,
                )
            case NumberTable():
                return self._full_numbers(node) if node.full else self._numbers(node)
            case Table():
                return self._table(node)

    def _paragraph(self, text: str, style: Tone, *, first: str = "") -> list[str]:
        wrapped = textwrap.wrap(
            clean(text),
            self.width,
            initial_indent=first,
            subsequent_indent=" " * len(first),
            break_on_hyphens=False,
            # On a first screen of usual width no sentence may push the rest out of it.
            max_lines=None if self.full or self.width < USUAL else LONGEST_PARAGRAPH,
            placeholder=" " + self.chars.ellipsis,
        )
        return [self.ink.paint(line, style) for line in wrapped]

    def _table(self, table: Table) -> list[str]:
        out = table_lines(table.columns, table.rows, table.align, width=self.width, ink=self.ink, chars=self.chars)
        if table.more:
            out.append(
                self.ink.paint("  " + sentence("next.more", self.lang, rows=count(table.more, self.lang)), "quiet")
            )
        return out

    def _arrow(self, better: str | None) -> str:
        return {"lower": self.chars.down, "higher": self.chars.up}.get(better or "", "")

    def _numbers(self, table: NumberTable) -> list[str]:
        rows = []
        for number in table.numbers:
            name = f"{name_text(number, self.lang)} {self._arrow(number.better)}".rstrip()
            note = comparison(number, table.context, self.lang)
            if number.value is None:
                note = note or clean(number.why or "")
            rows.append((name, value_text(number, self.lang), interval_text(number, self.lang), note))
        wide = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
        out = []
        for name, value, interval, note in rows:
            line = f"  {name.ljust(wide[0])}  {value.rjust(wide[1])}  {interval.ljust(wide[2])}  "
            room = self.width - len(line)
            out.append(line + (self.ink.paint(note, "quiet") if len(note) <= room else ""))
        return out

    def _full_numbers(self, table: NumberTable) -> list[str]:
        """Each number on a line of its own, and what it means on the next."""
        out = []
        for number in table.numbers:
            name = f"{name_text(number, self.lang)} {self._arrow(number.better)}".rstrip()
            head = f"  {name.ljust(34)} {value_text(number, self.lang):>9}  {interval_text(number, self.lang)}"
            out.append(head)
            text = "; ".join(clean(fact) for fact in facts(number, table.context, self.lang))
            out += [
                self.ink.paint(line, "quiet")
                for line in textwrap.wrap(text, self.width - 4, initial_indent="    ", subsequent_indent="    ")
            ]
        return out
