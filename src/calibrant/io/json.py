"""JSON: records one a line, one after the other or in one list; every value is read as text."""

from __future__ import annotations

import codecs
import gzip
import itertools
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calibrant.errors import FileError
from calibrant.io.sql import literal
from calibrant.io.table import Table, connect, damaged
from calibrant.safe import plain

if TYPE_CHECKING:
    from pathlib import Path

    from calibrant.io.opening import Head

__all__ = ["JsonTable", "looks_like_json", "open_json"]

MAX_OBJECT = 64 * 2**20
SAMPLE_OBJECTS = 1000
_RECORDS = 'Records look like {"p": 0.84, "y": 1}, one a line or in one list.'
_KINDS = {list: "a list", str: "a text", int: "a number", float: "a number", bool: "true or false", type(None): "null"}


@dataclass(eq=False)
class JsonTable(Table):
    """A JSON file.

    Attributes:
        path: the file.
        zipped: whether it is gzipped.
        lines: whether every record has a line of its own.
    """

    path: Path = field(kw_only=True)
    zipped: bool = field(kw_only=True)
    lines: bool = field(kw_only=True)

    def damaged(self, error: Exception) -> FileError:
        """A sentence for what the engine says; the line is looked up, since the engine is at times one line late."""
        found = re.search(r"in line (\d+)", str(error))
        if not found or not self.lines:
            return damaged(self.name, error)
        last = int(found.group(1))
        with gzip.open(self.path, "rb") if self.zipped else self.path.open("rb") as file:
            for number, line in enumerate(itertools.islice(file, max(last - 2, 0), last), start=max(last - 1, 1)):
                try:
                    value = json.loads(line) if line.strip() else {}
                except (ValueError, RecursionError) as fault:
                    said = fault.msg if isinstance(fault, json.JSONDecodeError) else "it is not text"
                    return FileError(
                        f"{self.name} is not readable JSON in line {number}: {plain(said)}.",
                        hint="Correct or remove the line.",
                    )
                if not isinstance(value, dict):
                    return _not_a_record(self.name, f"line {number}", value)
        return damaged(self.name, error)


def looks_like_json(head: bytes) -> bool:
    """Whether the first character is that of an object or a list."""
    return head.lstrip(codecs.BOM_UTF8 + b" \t\r\n")[:1] in (b"{", b"[")


def open_json(path: Path, name: str, head: Head) -> JsonTable:
    """A JSON file as a table; columns are the keys of its first records.

    Raises:
        FileError: if it does not hold records.
    """
    text = head.data.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    names, lines = _names(text, name, whole=head.whole)
    form = "array" if text.startswith("[") else "newline_delimited" if lines else "unstructured"
    columns = ", ".join(f"{literal(column)}: 'VARCHAR'" for column in names)
    relation = (
        f"read_json({literal(str(path))}, format = {literal(form)}, columns = {{{columns}}}, "
        f"maximum_object_size = {MAX_OBJECT}, hive_partitioning = false, "
        f"compression = {literal('gzip' if head.zipped else 'none')})"
    )
    return JsonTable(name, names, relation, connect(), path=path, zipped=head.zipped, lines=lines)


def _names(text: str, name: str, *, whole: bool) -> tuple[tuple[str, ...], bool]:
    """Keys of the first objects, in order of appearance, and whether each object has a line of its own."""
    decoder = json.JSONDecoder()
    place = 1 if text.startswith("[") else 0
    keys: dict[str, str] = {}
    seen, lines, value = 0, place == 0, None
    while seen < SAMPLE_OBJECTS:
        start = _next(text, place)
        lines &= seen == 0 or "\n" in text[place:start] or start >= len(text)
        place = start
        if place >= len(text):
            break
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            if not whole and seen:
                break
            line = text[:place].count("\n") + 1
            what = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
            raise FileError(
                f"{name} is not readable JSON at record {seen + 1} (line {line}): {what}.", hint="Is it complete?"
            ) from None
        if not isinstance(value, dict):
            raise _not_a_record(name, f"element {seen + 1}", value)
        for key in value:
            keys.setdefault(key.casefold(), key)
        lines &= "\n" not in text[place:end]
        place, seen = end, seen + 1
    if seen == 1 and isinstance(value, dict) and (key := _wrapped(value)) is not None:
        raise FileError(
            f"{name} holds its records inside `{plain(key, limit=40)}`.", hint=f"Take them out: jq -c '.{plain(key)}[]'"
        )
    if not keys:
        raise FileError(f"{name} is JSON without records.", hint=_RECORDS)
    return tuple(keys.values()), lines


def _wrapped(value: dict[str, object]) -> str | None:
    """The one key whose value is a list of records, if there is just one."""
    found = [key for key, held in value.items() if isinstance(held, list) and held and isinstance(held[0], dict)]
    return found[0] if len(found) == 1 else None


def _not_a_record(name: str, where: str, value: object) -> FileError:
    return FileError(f"{name} is JSON, but {where} is {_KINDS.get(type(value), 'no record')}.", hint=_RECORDS)


def _next(text: str, place: int) -> int:
    while place < len(text) and text[place] in ", \t\r\n":
        place += 1
    return place if place < len(text) and text[place] != "]" else len(text)
