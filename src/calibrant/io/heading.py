"""Where a text table starts, whether it has a header, and the names of its columns."""

from __future__ import annotations

import re
from collections import Counter

from calibrant.errors import FileError
from calibrant.io.delimiter import cells, find_delimiter, usual_width

__all__ = ["MAX_COLUMNS", "SAMPLE_LINES", "column_names", "find_header", "find_start", "repeated_names"]

MAX_COLUMNS = 20_000
MAX_NAME = 10_000
SAMPLE_LINES = 200

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*%?")
_FRACTION = re.compile(r"[+-]?(\d*[.,]\d+([eE][+-]?\d+)?|\d+[eE]-\d+)\s*%?|\d+([.,]\d+)?\s*%")
_VALUES = frozenset({"", "na", "n/a", "nan", "null", "none", "true", "false", "-"})
_SEPARATOR = re.compile(r"sep=(.)")


def find_start(lines: list[str], skip: int) -> tuple[int, str | None, list[str]]:
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


def find_header(
    lines: list[str], start: int, table: list[list[str]], delimiter: str, wanted: bool | None
) -> tuple[int, list[list[str]], bool]:
    """The line of the header, the cells of the first lines (a # before the header taken off), and whether it is one."""
    first = table[0]
    if lines[start].startswith("#") and wanted is not False:
        bare = cells([lines[start].lstrip("#").strip()], delimiter)[0]
        table = [bare if len(table) > 1 and len(bare) == len(table[1]) else first, *table[1:]]
        return start, table, True
    if wanted is not None:
        return start, table, wanted
    values = all(value.lower() in _VALUES or _NUMBER.fullmatch(value) for value in first)
    return start, table, not values and not any(_FRACTION.fullmatch(value) for value in first)


def column_names(
    table: list[list[str]], *, header: bool, name: str, whole: bool, start: int
) -> tuple[tuple[str, ...], list[list[str]], list[str]]:
    """Names of the columns, the first rows, and what the reader must know about the names.

    Raises:
        FileError: if there is no row, or the header does not fit the rows.
    """
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


def repeated_names(names: list[str]) -> frozenset[str]:
    """Names, in lower case, that more than one column has."""
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
