"""The report as a small piece of HTML for notebooks: no script, no network, every text escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from calibrant.report.ink import clean
from calibrant.report.nodes import Command, Figure, Notice, NumberTable, Sentence, Table
from calibrant.report.reading import comparison, interval_text, name_text, value_text
from calibrant.words import sentence
from calibrant.words.format import count, percent, percent_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.report.nodes import Node, Report
    from calibrant.report.results import CurvePoint

__all__ = ["report_html"]

# `currentColor` follows the notebook's theme, so the piece reads on light and dark alike.
_TONES = {"good": "color:#2e7d32", "bad": "color:#c62828", "unsure": "color:#8e24aa", "quiet": "opacity:.7"}
_CELL = "padding:1px 10px;border:none;background:none"
WIDTH, ROW, LEFT, RIGHT = 560, 20, 52, 110


def report_html(report: Report) -> str:
    """The first screen as HTML."""
    parts = [f"<p style='font-size:1.2em;font-weight:600;margin:.3em 0'>{_text(report.headline.text)}</p>"]
    for section in report.sections:
        if section.first:
            parts += [_node(node, report.lang) for node in section.nodes]
    return f"<div style='max-width:900px'>{''.join(parts)}</div>"


def _text(text: str) -> str:
    return escape(clean(text), quote=True)


def _node(node: Node, lang: str) -> str:
    match node:
        case Sentence(text=text, tone=tone):
            return f"<p style='margin:.3em 0;{_TONES.get(tone, '')}'>{_text(text)}</p>"
        case Notice(text=text):
            return f"<p style='margin:.3em 0'>{_text(text)}</p>"
        case Command(text=text):
            return f"<p style='margin:.3em 0'>{sentence('next.copy', lang)} <code>{_text(text)}</code></p>"
        case Figure():
            return _diagram(node, lang)
        case NumberTable():
            rows = [
                (
                    name_text(number, lang),
                    value_text(number, lang),
                    interval_text(number, lang),
                    comparison(number, node.context, lang) or number.why or "",
                )
                for number in node.numbers
            ]
            return _table((), rows, "<>><")
        case Table(columns=columns, rows=texts, align=align, more=more):
            extra = f"<p>{sentence('next.more', lang, rows=count(more, lang))}</p>" if more else ""
            return _table(columns, texts, align) + extra


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> str:
    sides = ["right" if side == ">" else "left" for side in align]

    def line(texts: Sequence[str], tag: str) -> str:
        cells = (
            f"<{tag} style='{_CELL};text-align:{side}'>{_text(text)}</{tag}>"
            for text, side in zip(texts, sides, strict=True)
        )
        return f"<tr style='background:none'>{''.join(cells)}</tr>"

    head = line(heads, "th") if heads else ""
    return f"<table style='border-collapse:collapse'>{head}{''.join(line(row, 'td') for row in rows)}</table>"


def _diagram(figure: Figure, lang: str) -> str:
    """The diagram of the terminal as SVG: one bin a line."""
    filled = [point for point in figure.curve if point.n > 0]
    if not filled:
        return f"<p>{sentence('diagram.empty', lang)}</p>"
    height = ROW * (len(filled) + 1) + 4
    guides = "".join(
        f"<line x1='{_x(tick):.1f}' x2='{_x(tick):.1f}' y1='{ROW}' y2='{height}' stroke='currentColor' opacity='.2'/>"
        f"<text x='{_x(tick):.1f}' y='13' text-anchor='middle' opacity='.7'>{percent(tick, lang)}</text>"
        for tick in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    rows = "".join(_row(point, ROW * (index + 1.5), lang) for index, point in enumerate(filled))
    view = "event" if figure.view == "event" else "answer"
    label = _text(sentence(f"diagram.legend.{view}", lang, stated="○", observed="●", level=percent(figure.level, lang)))
    return (
        f"<svg role='img' aria-label='{label}' width='{WIDTH + LEFT + RIGHT}' height='{height}' fill='currentColor' "
        f"style='font:12px sans-serif;max-width:100%'>{guides}{rows}</svg><p style='opacity:.7;margin:0'>{label}</p>"
    )


def _x(share: float) -> float:
    return LEFT + 14 + share * (WIDTH - 28)


def _row(point: CurvePoint, y: float, lang: str) -> str:
    stated, observed = point.mean_probability, point.observed
    low, high = point.observed_low, point.observed_high
    if stated is None or observed is None or low is None or high is None:
        return ""
    colour = "currentColor" if low <= stated <= high else "#d32f2f"
    tip = _text(f"{percent(observed, lang)} ({percent_range(low, high, lang)}), n = {count(point.n, lang)}")
    return (
        f"<g><title>{tip}</title><text x='{LEFT - 8}' y='{y + 4}' text-anchor='end'>{percent(stated, lang)}</text>"
        f"<line x1='{_x(low):.1f}' x2='{_x(high):.1f}' y1='{y}' y2='{y}' stroke='{colour}' stroke-width='2'/>"
        f"<circle cx='{_x(observed):.1f}' cy='{y}' r='4' fill='{colour}'/>"
        f"<circle cx='{_x(stated):.1f}' cy='{y}' r='4' fill='none' stroke='currentColor' stroke-width='1.5'/>"
        f"<text x='{LEFT + WIDTH + 8}' y='{y + 4}'>{percent(observed, lang)}</text>"
        f"<text x='{LEFT + WIDTH + RIGHT}' y='{y + 4}' text-anchor='end' opacity='.7'>{count(point.n, lang)}</text></g>"
    )
