"""How a text file is written: encoding, delimiter, header and decimal sign, found from its first lines.

Types are never guessed: every column is read as text, and the text is judged afterwards.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.errors import FileError, OptionError
from calibrant.io.delimiter import SPACES, cells, find_delimiter, usual_width
from calibrant.safe import plain

if TYPE_CHECKING:
    from calibrant.io.opening import Head
    from calibrant.io.options import ReadOptions

__all__ = ["MAX_COLUMNS", "Dialect", "find_dialect"]

MAX_COLUMNS = 20_000
MAX_NAME = 10_000
SAMPLE_LINES = 200

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*%?")
_FRACTION = re.compile(r"[+-]?(\d*[.,]\d+([eE][+-]?\d+)?|\d+[eE]-\d+)\s*%?|\d+([.,]\d+)?\s*%")
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?\s*%?")
_COMMA_QUOTED = re.compile(r"[01]?,\d+|\d{1,3},\d+\s*%")
_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?\s*%?")
_VALUES = frozenset({"", "na", "n/a", "nan", "null", "none", "true", "false", "-"})
_SEPARATOR = re.compile(r"sep=(.)")
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
    start, given, notes = _start(lines, options.skip)
    body = [line for line in lines[start : start + SAMPLE_LINES] if line.strip()]
    if not body:
        raise FileError(f"{name} holds no line after {start} skipped ones.", hint="Skip fewer lines.")
    delimiter = options.delimiter or given or find_delimiter(body)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise OptionError(f"--delimiter must be one character, not a quote or a line end, got {delimiter!r}.")
    table = cells(body, delimiter)
    start, table, header = _header(lines, start, table, delimiter, options.header)
    names, rows, more = _names(table, header=header, name=name, whole=head.whole, start=start)
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
    repeated = _repeated(table[0]) if header else frozenset()
    return Dialect(encoding, delimiter, decimal, start + header, names, kept, copy, (*notes, *more), repeated)


def decode_head(head: bytes, wanted: str | None, name: str) -> tuple[str, str]:
    """The head as text, and the encoding that it is in.

    Raises:
        FileError: if it is not in that encoding.
        OptionError: if there is no such encoding.
    """
    encoding = wanted or _marked(head) or "utf-8"
    try:
        found = codecs.lookup(encoding)
        usable = found._is_text_encoding
    except (LookupError, ValueError):
        usable = False
    if not usable:
        raise OptionError(f"--encoding {plain(encoding)!r} is unknown.", hint="Try utf-8, latin-1 or utf-16.")
    try:
        decoder = codecs.getincrementaldecoder("utf-8-sig" if found.name == "utf-8" else found.name)()
        return decoder.decode(head), found.name if wanted else encoding
    except UnicodeError as error:
        place = error.start if isinstance(error, UnicodeDecodeError) else 0
        if sum(byte < 9 or 13 < byte < 32 for byte in head[:4096]) > len(head[:4096]) / 20:
            raise FileError(
                f"{name} is not a text file.", hint="Give a CSV, TSV, JSON, JSONL or Parquet file."
            ) from None
        line = head[:place].count(b"\n") + 1
        raise FileError(
            f"{name} is not written in {encoding}: line {line} holds the byte 0x{head[place]:02X}.",
            hint="Name the encoding: --encoding latin-1 (Western Windows files: --encoding cp1252).",
        ) from None


def _marked(head: bytes) -> str | None:
    """UTF-16 by its mark, or by zeros in every second byte."""
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    few = head[:200]
    even, odd = few[0::2].count(0), few[1::2].count(0)
    if odd > len(few) // 4 and even == 0:
        return "utf-16-le"
    if even > len(few) // 4 and odd == 0:
        return "utf-16-be"
    return None


def _start(lines: list[str], skip: int) -> tuple[int, str | None, list[str]]:
    """The line where the table starts, a delimiter named by a "sep=" line, and what was passed over."""
    start, given = skip, None
    notes = [f"{skip} line{'s' if skip > 1 else ''} skipped"] if skip else []
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start < len(lines) and (match := _SEPARATOR.fullmatch(lines[start].strip().strip('"').lower())):
        return start + 1, match.group(1), notes
    comments = 0
    while start + comments + 1 < len(lines) and lines[start + comments].startswith("#"):
        comments += 1
    if comments and not _heads(lines[start + comments - 1], lines[start + comments :]):
        notes.append(f"{comments} comment line{'s' if comments > 1 else ''} before the table")
        start += comments
    elif comments:
        start += comments - 1
    return start, given, notes


def _heads(comment: str, body: list[str]) -> bool:
    """Whether a line that starts with # is a header: as many cells as the rows, which start right after it."""
    filled = [line for line in body[:SAMPLE_LINES] if line.strip()]
    if not filled:
        return False
    bare = comment.lstrip("#").strip()
    delimiter = find_delimiter(filled)
    first = cells(filled[:1], delimiter)[0]
    fits = usual_width(cells(filled, delimiter)) in (len(cells([comment], delimiter)[0]), len(bare.split(delimiter)))
    return fits and len(first) > 1 and any(_NUMBER.fullmatch(value) for value in first)


def _header(
    lines: list[str], start: int, table: list[list[str]], delimiter: str, wanted: bool | None
) -> tuple[int, list[list[str]], bool]:
    first = table[0]
    if lines[start].startswith("#") and wanted is not False:
        bare = cells([lines[start].lstrip("#").strip()], delimiter)[0]
        table = [bare if len(table) > 1 and len(bare) == len(table[1]) else first, *table[1:]]
        return start, table, True
    if wanted is not None:
        return start, table, wanted
    values = all(value.lower() in _VALUES or _NUMBER.fullmatch(value) for value in first)
    return start, table, not values and not any(_FRACTION.fullmatch(value) for value in first)


def _names(
    table: list[list[str]], *, header: bool, name: str, whole: bool, start: int
) -> tuple[tuple[str, ...], list[list[str]], list[str]]:
    rows = table[1:] if header else table
    if not rows and whole:
        raise FileError(
            f"{name} has a header line and no row.", hint="If its first line is a row already, use --no-header."
        )
    width = usual_width(rows) if rows else len(table[0])
    if max(width, len(table[0])) > MAX_COLUMNS:
        raise FileError(f"{name} has {max(width, len(table[0])):,} columns in one line.", hint="Is it a table?")
    if not header:
        return tuple(str(place + 1) for place in range(width)), rows, ["no header: columns are numbered from 1"]
    first = table[0]
    if any(len(value) > MAX_NAME for value in first):
        raise FileError(f"{name} has a column name of more than {MAX_NAME:,} characters.", hint="Is it a table?")
    exact, wide = ([row for row in rows if len(row) == len(first) + more] for more in (0, 1))
    if len(first) > 1 and len(wide) > len(exact):
        if not any(row[-1] for row in wide):
            return _unique([*first, ""]), rows, []
        return _unique(["", *first]), rows, ["the first column has no name in the header"]
    if rows and not exact:
        place = next((k for k, row in enumerate(table) if len(row) == width), 1)
        raise FileError(
            f"{name}: line {start + 1} has {len(first)} column{'s' if len(first) > 1 else ''}, "
            f"but the lines after it have {width}.",
            hint=f"If the table starts later: --skip {start + place}",
        )
    return _unique(first), rows, []


def _mixed_ends(text: str) -> bool:
    return len(set(_LINE_END.findall(text))) > 1


def _repeated(names: list[str]) -> frozenset[str]:
    times = Counter(" ".join(name.split()).casefold() for name in names)
    return frozenset(name for name, found in times.items() if name and found > 1)


def _unique(names: list[str]) -> tuple[str, ...]:
    """Names without surrounding space and line breaks; empty and repeated ones get their position."""
    out: dict[str, None] = {}
    folded: set[str] = set()
    for place, name in enumerate(names, start=1):
        clean = " ".join(name.lstrip("\ufeff").split()) or f"column {place}"
        while clean.casefold() in folded:
            clean = f"{clean} ({place})"
        folded.add(clean.casefold())
        out[clean] = None
    return tuple(out)
