"""How a text file is written: encoding, delimiter, header and decimal sign, found from its first lines.

Types are never guessed: every column is read as text, and the text is judged afterwards.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.errors import FileError, OptionError
from calibrant.safe import plain

if TYPE_CHECKING:
    from pathlib import Path

    from calibrant.io.options import ReadOptions

__all__ = ["HEAD_BYTES", "Dialect", "find_dialect", "head_of", "split_lines"]

HEAD_BYTES = 2**18
MAX_LINE = 2**20
DELIMITERS = (",", "\t", ";", "|")
SPACES = " "

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*%?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?\s*%?")
_DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?\s*%?")
_VALUES = frozenset({"", "na", "n/a", "nan", "null", "none", "true", "false", "-"})

_FOREIGN = (
    (b"\x89PNG", "a PNG picture"),
    (b"%PDF", "a PDF document"),
    (b"\x1f\x9d", "a .Z archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x93NUMPY", "a NumPy file"),
    (b"\x80\x04", "a pickle, which is never opened"),
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text table is written.

    Attributes:
        encoding: a Python codec name.
        delimiter: the character between columns; " " stands for runs of spaces.
        decimal: "." or ",".
        header: True when the first line holds names.
        skip: lines before the table.
        names: names of the columns, or "1", "2", … without a header.
        rows: the first rows as texts, without the header.
    """

    encoding: str
    delimiter: str
    decimal: str
    header: bool
    skip: int
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def head_of(path: Path) -> bytes:
    """The first bytes of a file, decompressed if it is gzipped.

    Raises:
        FileError: if it cannot be opened, is empty, or is no table at all.
    """
    name = plain(str(path))
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        if head[:2] == b"\x1f\x8b":
            with gzip.open(path) as file:
                head = file.read(HEAD_BYTES)
    except IsADirectoryError:
        raise FileError(f"{name} is a folder.", hint=f"Name the files: calibrant check {name}/*.csv") from None
    except FileNotFoundError:
        raise FileError(f"There is no file {name}.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileError(f"{name} is a damaged gzip file: {error}.", hint="Fetch or compress it again.") from None
    except OSError as error:
        raise FileError(f"Cannot read {name}: {error.strerror or error}.") from None
    if not head.strip(b"\x00 \r\n\t"):
        raise FileError(f"{name} is empty.", hint="It should hold a header line and a row per prediction.")
    for magic, what in _FOREIGN:
        if head.startswith(magic):
            raise FileError(f"{name} is {what}, not a table.", hint="Give a CSV, TSV, JSON, JSONL or Parquet file.")
    if head.startswith(b"PK\x03\x04"):
        what = "an Excel workbook" if b"xl/" in head[:4096] or path.suffix == ".xlsx" else "a zip archive"
        raise FileError(f"{name} is {what}.", hint="Save the sheet as CSV, or unpack the archive, first.")
    return head


def decode_head(head: bytes, wanted: str | None, name: str) -> tuple[str, str]:
    """The head as text, and the encoding that it is in.

    Raises:
        FileError: if it is not in that encoding.
    """
    encoding = wanted or _marked(head) or "utf-8"
    try:
        decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)()
        text = decoder.decode(head)
    except LookupError:
        raise OptionError(f"--encoding {plain(encoding)!r} is unknown.", hint="Try utf-8, latin-1 or utf-16.") from None
    except UnicodeError as error:
        place = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = head[:place].count(b"\n") + 1
        raise FileError(
            f"{name} is not written in {encoding}: line {line} holds the byte 0x{head[place]:02X}.",
            hint="Name the encoding: --encoding latin-1 (Western Windows files: --encoding cp1252).",
        ) from None
    return text, encoding


def _marked(head: bytes) -> str | None:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    few = head[:200]
    if few[1::2].count(0) > len(few) // 4 and few[0::2].count(0) == 0:
        return "utf-16-le"
    if few[0::2].count(0) > len(few) // 4 and few[1::2].count(0) == 0:
        return "utf-16-be"
    return None


def split_lines(text: str, skip: int) -> list[str]:
    """The lines after the skipped ones; a last line that was cut off is left away."""
    lines = text.splitlines(keepends=True)
    if len(lines) > 1 and len(text) >= HEAD_BYTES // 4 and not lines[-1].endswith(("\n", "\r")):
        lines.pop()
    return [line.rstrip("\r\n") for line in lines[skip:]]


def find_dialect(head: bytes, options: ReadOptions, name: str) -> Dialect:
    """Find how a text table is written; options given by the user win.

    Raises:
        FileError: if it is no text table.
    """
    text, encoding = decode_head(head, options.encoding, name)
    if "\x00" in text:
        line = text[: text.index("\x00")].count("\n") + 1
        raise FileError(f"{name} is not a text file: line {line} holds a NUL byte.", hint="Is it a binary format?")
    lines = split_lines(text, options.skip)
    if lines and max(map(len, lines)) > MAX_LINE // 8 and len(lines) == 1:
        raise FileError(f"{name} has a first line of more than {len(lines[0]):,} characters.", hint="Is it a table?")
    filled = [line for line in lines if line.strip()]
    if not filled:
        raise FileError(f"{name} holds no line after {options.skip} skipped ones.")
    delimiter = options.delimiter or _delimiter(filled)
    table = [row for row in _cells(filled[:200], delimiter) if row]
    first, rest = table[0], table[1:]
    header = options.header if options.header is not None else not all(_is_value(value) for value in first)
    names = tuple(_unique(first)) if header else tuple(str(k + 1) for k in range(len(first)))
    rows = rest if header else table
    if not rows and header:
        raise FileError(f"{name} has a header line and no row.", hint="Is a header missing? Use --no-header.")
    decimal = options.decimal or _decimal(rows, delimiter)
    return Dialect(encoding, delimiter, decimal, header, options.skip, names, tuple(tuple(row) for row in rows))


def _delimiter(lines: list[str]) -> str:
    best, best_score = "", 1.0
    for delimiter in DELIMITERS:
        counts = [len(row) for row in _cells(lines[:50], delimiter) if row]
        usual = max(set(counts), key=counts.count) if counts else 1
        if usual < 2:
            continue
        score = usual * (counts.count(usual) / len(counts)) ** 4
        # "0,84;1": both split every line in two or more; the comma is then a decimal sign.
        if delimiter == "," and any(";" in line for line in lines[:50]) and best == ";":
            continue
        if score > best_score:
            best, best_score = delimiter, score
    if ";" in lines[0] and best in ("", ","):
        with_semicolon = [len(row) for row in _cells(lines[:50], ";") if row]
        if min(with_semicolon) >= 2 and len(set(with_semicolon)) == 1:
            return ";"
    if best:
        return best
    spaced = [len(line.split()) for line in lines[:50]]
    return SPACES if spaced[0] > 1 and len(set(spaced[1:])) <= 1 and spaced[-1] > 1 else ","


def _cells(lines: list[str], delimiter: str) -> list[list[str]]:
    if delimiter == SPACES:
        return [line.split() for line in lines]
    try:
        return [[value.strip() for value in row] for row in csv.reader(lines, delimiter=delimiter)]
    except csv.Error:
        return [line.split(delimiter) for line in lines]


def _is_value(text: str) -> bool:
    return text.lower() in _VALUES or _NUMBER.fullmatch(text) is not None


def _decimal(rows: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    values = [value for row in rows for value in row]
    commas = sum(_DECIMAL_COMMA.fullmatch(value) is not None for value in values)
    points = sum(_DECIMAL_POINT.fullmatch(value) is not None for value in values)
    return "," if commas and not points else "."


def _unique(names: list[str]) -> list[str]:
    """Names without surrounding space; empty and repeated ones get their position."""
    out: list[str] = []
    for place, name in enumerate(names, start=1):
        clean = name.strip().lstrip("\ufeff") or f"column {place}"
        out.append(clean if clean not in out else f"{clean} ({place})")
    return out
