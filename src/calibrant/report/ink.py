"""Colour for terminals, and the marks that a terminal can draw."""

from __future__ import annotations

import os
import sys
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.safe import plain

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
    """The text without a character beyond ASCII: letters lose their accents, unknown characters become "?".

    Example:
        >>> ascii_text("66–76%")
        '66-76%'
        >>> ascii_text("não")
        'nao'
    """
    twins = unicodedata.normalize("NFKD", text.translate(_ASCII_TWINS))
    bare = "".join(char for char in twins if not unicodedata.combining(char))
    return bare.encode("ascii", "replace").decode("ascii")


def clean(text: str) -> str:
    r"""The text on one line and without anything that could steer a terminal.

    Names of files, columns and slices come from the user's data.

    Example:
        >>> clean("a\x1b[2Jb\nc")
        'a\\x1b[2Jb c'
    """
    return plain(text.replace("\r\n", " ").replace("\n", " ").replace("\t", " "))


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
