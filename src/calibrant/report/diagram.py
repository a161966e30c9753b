"""The reliability diagram in characters: one bin a line, what was said beside what happened.

A line reads from left to right like the headline: it says 84% (○), and it happens 71% of the time (●, with its
95% interval). Where the circle lies inside the interval, the bin gives no reason for doubt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.report.ink import Ink, Marks, marks
from calibrant.words import sentence
from calibrant.words.format import count, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.report.nodes import Figure, Tone
    from calibrant.report.results import CurvePoint

__all__ = ["diagram_lines"]

WIDEST_AXIS = 61
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def diagram_lines(
    figure: Figure, *, width: int, ink: Ink, ascii_only: bool = False, lang: str = "en", legend: str = ""
) -> list[str]:
    """The diagram as lines of at most `width` columns; empty bins are left away.

    Args:
        figure: what to draw.
        width: columns.
        ink: paints, or not.
        ascii_only: draw with ASCII.
        lang: language of the words.
        legend: what to add to the line of explanation where there is room.
    """
    filled = [point for point in figure.curve if point.n > 0]
    if not filled:
        return [sentence("diagram.empty", lang)]
    chars = marks(ascii_only=ascii_only)
    event = figure.view == "event"
    heads = [sentence(f"table.{key}", lang) for key in ("says", "happens" if event else "right", "rows")]
    columns = (
        _texts(heads[0], [point.mean_probability for point in filled], lang),
        _texts(heads[1], [point.observed for point in filled], lang),
        [heads[2], *(count(point.n, lang) for point in filled)],
    )
    wide = [max(map(len, column)) for column in columns]
    # Two columns of space on the left, and two between any two of the four parts.
    axis = max(11, min(WIDEST_AXIS, width - 2 - sum(wide) - 6))
    lines = [_line(ink, [part[0] for part in columns], wide, ink.paint(_ticks(axis, lang), "quiet"), "quiet")]
    for index, point in enumerate(filled, start=1):
        parts = [part[index] for part in columns]
        lines.append(_line(ink, parts, wide, _draw(point, axis, ink, chars), "plain"))
    key = "diagram.legend.event" if event else "diagram.legend.answer"
    text = sentence(key, lang, stated=chars.stated, observed=chars.observed, level=percent(figure.level, lang))
    explained = f"  {text}   {legend}"
    lines.append(ink.paint(explained if len(explained) <= width else f"  {text}", "quiet"))
    return [line.rstrip() for line in lines]


def _texts(head: str, shares: Sequence[float | None], lang: str) -> list[str]:
    return [head, *("" if share is None else percent(share, lang) for share in shares)]


def _line(ink: Ink, parts: list[str], wide: list[int], axis: str, style: Tone) -> str:
    stated, observed, rows = (part.rjust(size) for part, size in zip(parts, wide, strict=True))
    return (
        "  "
        + ink.paint(stated, style)
        + "  "
        + axis
        + "  "
        + ink.paint(observed, style)
        + "  "
        + ink.paint(rows, style)
    )


def _place(share: float, axis: int) -> int:
    return min(axis - 1, max(0, round(share * (axis - 1))))


def _ticks(axis: int, lang: str) -> str:
    """Labels of the axis, each centred on its place as far as there is room."""
    out = [" "] * axis
    ticks = TICKS if axis >= 30 else (0.0, 0.5, 1.0)
    for tick in ticks:
        text = percent(tick, lang)
        start = min(max(0, _place(tick, axis) - len(text) // 2), axis - len(text))
        out[start : start + len(text)] = text
    return "".join(out)


def _draw(point: CurvePoint, axis: int, ink: Ink, chars: Marks) -> str:
    stated, observed = point.mean_probability, point.observed
    low, high = point.observed_low, point.observed_high
    cells: list[tuple[str, Tone]] = [(" ", "plain")] * axis
    for tick in TICKS:
        cells[_place(tick, axis)] = (chars.guide, "quiet")
    if stated is None or observed is None:
        return _painted(cells, ink)
    at, said = _place(observed, axis), _place(stated, axis)
    style: Tone = "plain"
    if low is not None and high is not None:
        style = "plain" if low <= stated <= high else "bad"
        left, right = _place(low, axis), _place(high, axis)
        for place in range(left, right + 1):
            cells[place] = (chars.line, style)
        # The ends stand where there is room for them beside the dot.
        if left < at:
            cells[left] = (chars.left, style)
        if right > at:
            cells[right] = (chars.right, style)
    cells[said] = (chars.stated, "strong")
    cells[at] = (chars.both if said == at else chars.observed, style)
    return _painted(cells, ink)


def _painted(cells: list[tuple[str, Tone]], ink: Ink) -> str:
    """Cells as text, painting runs of one style together."""
    out, run, style = [], "", cells[0][1]
    for char, wanted in cells:
        if wanted != style:
            out.append(ink.paint(run, style))
            run, style = "", wanted
        run += char
    out.append(ink.paint(run, style))
    return "".join(out)
