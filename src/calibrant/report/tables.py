"""Tables of texts that fit into a width."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from calibrant.report.ink import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.report.ink import Ink, Marks

__all__ = ["columns_of", "fitted", "padded", "table_lines"]

LEAST = 6


def columns_of(text: str) -> int:
    """Terminal columns that a text takes: East Asian wide characters take two, combining ones none.

    Example:
        >>> columns_of("84%"), columns_of("模型")
        (3, 4)
    """
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def fitted(text: str, width: int, ellipsis: str = "…") -> str:
    """The text, cut to a width with an ellipsis at its end.

    Example:
        >>> fitted("a long name", 6)
        'a lon…'
    """
    if columns_of(text) <= width:
        return text
    out = ""
    for char in text:
        if columns_of(out + char) + len(ellipsis) > width:
            break
        out += char
    return out + ellipsis


def padded(text: str, width: int, align: str) -> str:
    """The text with spaces up to a width, on the right ("<") or on the left (">")."""
    spaces = " " * max(0, width - columns_of(text))
    return spaces + text if align == ">" else text + spaces


def table_lines(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    align: str,
    *,
    width: int,
    ink: Ink,
    chars: Marks,
) -> list[str]:
    """A table as lines. When it is too wide, its widest column gives way.

    Args:
        heads: headings.
        rows: texts.
        align: "<" or ">" for each column.
        width: columns of the terminal.
        ink: paints, or not.
        chars: characters to draw with.
    """
    cells = [[clean(text) for text in row] for row in (heads, *rows)]
    wide = [max(columns_of(row[column]) for row in cells) for column in range(len(heads))]
    while 2 * len(wide) + sum(wide) > width and max(wide) > LEAST:
        wide[wide.index(max(wide))] -= 1
    out = []
    for number, row in enumerate(cells):
        texts = [
            padded(fitted(text, size, chars.ellipsis), size, side)
            for text, size, side in zip(row, wide, align, strict=True)
        ]
        line = "  " + "  ".join(texts)
        out.append(ink.paint(line, "quiet") if number == 0 else line)
    return [line.rstrip() for line in out]
