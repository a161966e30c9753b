"""The report as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.report.diagram import diagram_lines
from calibrant.report.ink import Ink, clean
from calibrant.report.nodes import Command, Figure, Notice, NumberTable, Sentence, Table
from calibrant.report.reading import comparison, interval_text, name_text, value_text
from calibrant.words import sentence
from calibrant.words.format import count, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.report.nodes import Node, Report

__all__ = ["report_markdown"]

DIAGRAM_WIDTH = 80


def report_markdown(report: Report, *, full: bool = True) -> str:
    """The report as Markdown (tables in GitHub's form); text from the data is escaped.

    Args:
        report: what to show.
        full: everything, or the first screen.
    """
    blocks = [f"# {_escaped(report.headline.text)}"]
    for section in report.sections:
        if not (section.first or full):
            continue
        if section.title:
            blocks.append(f"## {_escaped(section.title)}")
        blocks += [block for node in section.nodes if (block := _block(node, report.lang))]
    blocks.append(f"<sub>Calibrant {_escaped(report.version)}, seed {report.seed}</sub>")
    return "\n\n".join(blocks) + "\n"


def _block(node: Node, lang: str) -> str:
    match node:
        case Sentence(text=text, tone=tone):
            return f"**{_escaped(text)}**" if tone in ("strong", "bad", "good", "unsure") else _escaped(text)
        case Notice(text=text):
            return f"> {_escaped(text)}"
        case Command(text=text):
            return f"{sentence('next.copy', lang)}\n\n{_fence(clean(text), 'sh')}"
        case Figure():
            return _fence("\n".join(diagram_lines(node, width=DIAGRAM_WIDTH, ink=Ink(colour=False), lang=lang)), "text")
        case NumberTable():
            return _numbers(node, lang)
        case Table(columns=columns, rows=rows, align=align, more=more):
            text = _table(columns, rows, align)
            return f"{text}\n\n{sentence('next.more', lang, rows=count(more, lang))}" if more else text


def _numbers(table: NumberTable, lang: str) -> str:
    heads = ("table.name", "table.value", "table.interval", "table.rows", "table.reading", "table.convention")
    level = percent(next((number.level for number in table.numbers), 0.95), lang)
    rows = [
        (
            name_text(number, lang),
            value_text(number, lang),
            interval_text(number, lang),
            count(number.n, lang),
            "; ".join(
                part
                for part in (
                    sentence(f"note.{number.better}", lang, down="", up="").strip() if number.better else "",
                    comparison(number, table.context, lang),
                    number.why or "",
                )
                if part
            ),
            number.convention,
        )
        for number in table.numbers
    ]
    return _table([sentence(head, lang, level=level) for head in heads], rows, "<>>><<")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> str:
    lines = [
        "| " + " | ".join(_escaped(head) for head in heads) + " |",
        "|" + "|".join("---:" if side == ">" else ":---" for side in align) + "|",
    ]
    lines += ["| " + " | ".join(_escaped(text) for text in row) + " |" for row in rows]
    return "\n".join(lines)


def _fence(text: str, language: str) -> str:
    """A block of code; its fence is longer than any run of backticks inside."""
    lines = [clean(line) for line in text.split("\n")]
    marks = "```"
    while any(marks in line for line in lines):
        marks += "`"
    return "\n".join([marks + language, *lines, marks])


_SPECIAL = frozenset("\\*{}[]<>#|~!&")


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is; backticks stay, since notes use them for column names."""
    shown = clean(text)
    if shown.count("`") % 2:
        shown = shown.replace("`", "'")
    out, code = "", False
    for place, char in enumerate(shown):
        if char == "`":
            code = not code
            out += char
        elif code:
            # A bar ends a table cell even inside code, and HTML cannot start inside it.
            out += "\\|" if char == "|" else char
        else:
            # An underscore inside a word, as in a file name, emphasises nothing.
            loose = char == "_" and not (shown[place - 1 : place].isalnum() and shown[place + 1 : place + 2].isalnum())
            out += f"\\{char}" if char in _SPECIAL or loose else char
    return out
