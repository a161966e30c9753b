"""JSON: records one a line, or in one list; every value is read as text."""

from __future__ import annotations

import codecs
import json
from typing import TYPE_CHECKING

from calibrant.errors import FileError
from calibrant.io.sql import literal
from calibrant.io.table import Table, connect

if TYPE_CHECKING:
    from pathlib import Path

    from calibrant.io.opening import Head

__all__ = ["looks_like_json", "open_json"]

MAX_OBJECT = 64 * 2**20
SAMPLE_OBJECTS = 1000
_RECORDS = 'Records look like {"p": 0.84, "y": 1}, one a line or in one list.'


def looks_like_json(head: bytes) -> bool:
    """Whether the first character is that of an object or a list."""
    return head.lstrip(codecs.BOM_UTF8 + b" \t\r\n")[:1] in (b"{", b"[")


def open_json(path: Path, name: str, head: Head) -> Table:
    """A JSON file as a table; columns are the keys of its first records.

    Raises:
        FileError: if it does not hold records.
    """
    text = head.data.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    form = "array" if text.startswith("[") else "newline_delimited"
    names = _names(text, name, whole=head.whole)
    columns = ", ".join(f"{literal(column)}: 'VARCHAR'" for column in names)
    relation = (
        f"read_json({literal(str(path))}, format = {literal(form)}, columns = {{{columns}}}, "
        f"maximum_object_size = {MAX_OBJECT}, hive_partitioning = false, "
        f"compression = {literal('gzip' if head.zipped else 'none')})"
    )
    return Table(name, names, relation, connect())


def _names(text: str, name: str, *, whole: bool) -> tuple[str, ...]:
    """Keys of the first objects, in order of appearance."""
    decoder = json.JSONDecoder()
    place = 1 if text.startswith("[") else 0
    keys: dict[str, str] = {}
    seen = 0
    while seen < SAMPLE_OBJECTS:
        place = _next(text, place)
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
            raise FileError(f"{name} is JSON, but not of records: element {seen + 1} is {_kind(value)}.", hint=_RECORDS)
        for key in value:
            keys.setdefault(key.casefold(), key)
        place, seen = end, seen + 1
    if not keys:
        raise FileError(f"{name} is JSON without records.", hint=_RECORDS)
    return tuple(keys.values())


def _next(text: str, place: int) -> int:
    while place < len(text) and text[place] in ", \t\r\n":
        place += 1
    return place if place < len(text) and text[place] != "]" else len(text)


def _kind(value: object) -> str:
    return {list: "a list", str: "a text", int: "a number", float: "a number", bool: "true or false"}.get(
        type(value), "null"
    )
