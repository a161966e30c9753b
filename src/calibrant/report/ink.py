"""Colour for terminals, and the marks that a terminal can draw."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

    from calibrant.report.nodes import Tone

__all__ = ["Ink", "Marks", "ascii_text", "clean", "draws_lines", "marks", "wants_colour"]

# Only weight and the plain ANSI hues: they keep their contrast on dark and on light backgrounds, unlike white,
# black, yellow and the bright hues. Dim (2) is left to what can be missed.
_CODES: dict[Tone, str] = {"strong": "1", "good": "32", "bad": "31", "unsure": "35", "quiet": "2"}


@dataclass(frozen=True, slots=True)
class Ink:
    r"""Paints texts, or leaves them as they are.

    Attributes:
        colour: whether the output understands ANSI colours.

    Example:
        >>> Ink(colour=False).paint("71%", "bad")
        '71%'
        >>> Ink(colour=True).paint("71%", "bad")
        '\x1b[31m71%\x1b[0m'
    """

    colour: bool

    def paint(self, text: str, style: Tone) -> str:
        """The text in a style."""
        if not self.colour or style == "plain" or not text.strip():
            return text
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


@dataclass(frozen=True, slots=True)
class Marks:
    """Characters of the diagram and of tables."""

    stated: str
    observed: str
    both: str
    left: str
    line: str
    right: str
    guide: str
    rule: str
    down: str
    up: str
    ellipsis: str


_LINES = Marks("○", "●", "◉", "├", "─", "┤", "┊", "─", "↓", "↑", "…")
_ASCII = Marks("o", "#", "@", "[", "-", "]", ":", "-", "v", "^", "...")


def marks(*, ascii_only: bool) -> Marks:
    """The marks to draw with."""
    return _ASCII if ascii_only else _LINES


_ASCII_TWINS = str.maketrans(
    {"–": "-", "—": "-", "−": "-", "…": "...", "·": "-", "“": '"', "”": '"', "’": "'", "×": "x", "²": "^2", "≤": "<="}
)


def ascii_text(text: str) -> str:
    """The text without a character beyond ASCII; unknown ones become question marks.

    Example:
        >>> ascii_text("66–76%")
        '66-76%'
    """
    return text.translate(_ASCII_TWINS).encode("ascii", "replace").decode("ascii")


def clean(text: str) -> str:
    r"""The text on one line and without control characters or marks that reverse the reading direction.

    Names of files, columns and slices come from the user's data; a terminal would obey escape sequences in them.

    Example:
        >>> clean("a\x1b[2Jb\nc")
        'a?[2Jb c'
    """
    spaced = text.replace("\r\n", " ").replace("\n", " ").replace("\t", " ")
    return "".join(char if _harmless(char) else "?" for char in spaced)


def _harmless(char: str) -> bool:
    code = ord(char)
    if code < 0x20 or 0x7F <= code <= 0x9F or 0xD800 <= code <= 0xDFFF:
        return False
    return not (0x200B <= code <= 0x200F or 0x2028 <= code <= 0x202E or 0x2060 <= code <= 0x206F or code == 0xFEFF)


def wants_colour(stream: TextIO | None = None) -> bool:
    """True if the stream is a terminal and NO_COLOR (https://no-color.org) is not set."""
    out = sys.stdout if stream is None else stream
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and out.isatty()


def draws_lines(stream: TextIO | None = None) -> bool:
    """True if the encoding of the stream has the characters of the diagram."""
    encoding = getattr(sys.stdout if stream is None else stream, "encoding", None) or "ascii"
    try:
        "○●◉├─┤┊↓↑…–".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
