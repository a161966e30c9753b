"""How a text file is written: encoding, delimiter, header and decimal sign, found from its first lines.

Types are never guessed: every column is read as text, and the text is judged afterwards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.errors import FileError, OptionError
from calibrant.io.delimiter import SPACES, cells, find_delimiter
from calibrant.io.encoding import decode_head
from calibrant.io.heading import SAMPLE_LINES, column_names, find_header, find_start, repeated_names

if TYPE_CHECKING:
    from calibrant.io.opening import Head
    from calibrant.io.options import ReadOptions

__all__ = ["Dialect", "find_dialect"]

_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?\s*%?")
_COMMA_QUOTED = re.compile(r"[01]?,\d+|\d{1,3},\d+\s*%")
_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?\s*%?")
_LINE_END = re.compile(r"\r\n|\n|\r")
_SPACE_BEFORE_QUOTE = re.compile(r'[,;|\t] +"')


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text table is written.

    Attributes:
        encoding: a Python codec name.
        delimiter: the character between columns; " " stands for runs of spaces.
        decimal: "." or ",".
        skip: lines before the first record, the header among them.
        names: names of the columns, or "1", "2", … without a header.
        rows: the first rows as texts, without the header.
        copy: whether the engine needs a copy in plain form: other encodings, runs of spaces, mixed line ends.
        notes: what was found, in words for the reader.
        repeated: names, in lower case, that more than one column has.
    """

    encoding: str
    delimiter: str
    decimal: str
    skip: int
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    copy: bool
    notes: tuple[str, ...]
    repeated: frozenset[str] = frozenset()


def find_dialect(head: Head, options: ReadOptions, name: str) -> Dialect:
    """Find how a text table is written; options given by the user win.

    Raises:
        FileError: if it is no text table.
        OptionError: if an option means nothing, such as an encoding that does not exist.
    """
    text, encoding = decode_head(head.data, options.encoding, name)
    lines = _LINE_END.split(text)
    if not head.whole and len(lines) > 1:
        lines.pop()
    if "\x00" in text:
        line = len(_LINE_END.findall(text[: text.index("\x00")])) + 1
        raise FileError(
            f"{name} is not a text file: line {line} holds a NUL byte.",
            hint="Is it a binary format, or UTF-16 (--encoding utf-16)?",
        )
    start, given, notes = find_start(lines, options.skip)
    body = [line for line in lines[start : start + SAMPLE_LINES] if line.strip()]
    if not body:
        raise FileError(f"{name} holds no line after {start} skipped ones.", hint="Skip fewer lines.")
    delimiter = options.delimiter or given or find_delimiter(body)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise OptionError(f"--delimiter must be one character, not a quote or a line end, got {delimiter!r}.")
    table = cells(body, delimiter)
    start, table, header = find_header(lines, start, table, delimiter, options.header)
    names, rows, more = column_names(table, header=header, name=name, whole=head.whole, start=start)
    values = [value for row in rows for value in row]
    commas = sum((_COMMA_QUOTED if delimiter == "," else _COMMA).fullmatch(value) is not None for value in values)
    points = sum(_POINT.fullmatch(value) is not None for value in values)
    # With semicolons a comma can only be a decimal sign, also when the first one comes after these lines.
    decimal = options.decimal or ("," if commas > points or (delimiter == ";" and not points) else ".")
    if delimiter not in (",", "\t"):
        notes.append(f"columns separated by {'spaces' if delimiter == SPACES else repr(delimiter)}")
    if decimal == "," and (commas or options.decimal):
        notes.append("decimal comma")
    if encoding.lower() not in ("utf-8", "utf8", "utf-8-sig", "ascii"):
        notes.append(f"text in {encoding.lower()}")
    copy = (
        encoding.lower() not in ("utf-8", "utf8", "utf-8-sig", "ascii")
        or delimiter == SPACES
        or _mixed_ends(text)
        or any('"' in line for line in lines[:start])
        or _SPACE_BEFORE_QUOTE.search(text) is not None
    )
    kept = tuple(tuple(row) for row in rows)
    repeated = repeated_names(table[0]) if header else frozenset()
    return Dialect(encoding, delimiter, decimal, start + header, names, kept, copy, (*notes, *more), repeated)


def _mixed_ends(text: str) -> bool:
    return len(set(_LINE_END.findall(text))) > 1
