"""Sniffing: whether a file is a log of answers, and of which shape, from its first bytes."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

from calibrant.errors import FileError, RowError
from calibrant.io.decisions.documents import records_of_document
from calibrant.io.decisions.lines import UNREADABLE, decode
from calibrant.io.decisions.log import GZIP, PARQUET, ZIP, LogReader, open_log
from calibrant.io.decisions.registry import shape_of
from calibrant.io.evals.wide import wide_delimiter

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["looks_like_log"]

PEEK = 2**16
FIRST_LINES = 20


def looks_like_log(path: str | Path | bytes) -> str | None:
    """The shape of a file's first record ("System One", ".jevl", …), or None if it is no log of answers.

    Args:
        path: a file, or its first bytes.

    Example:
        >>> looks_like_log(b'{"model": "m", "answers": {"q": {"type": "noul", "noul": 0.9}}}')
        'System One'
        >>> looks_like_log(b"probability,outcome") is None
        True
    """
    if isinstance(path, bytes):
        return _of_head(path, None)
    if str(path) == "-":
        return None
    try:
        with open_log(path) as stream:
            head = stream.read(PEEK)
        if head[:2] == GZIP:
            with gzip.open(path) as inner:
                head = inner.read(PEEK)
    except (OSError, EOFError, ValueError):
        return None
    if head[:4] == ZIP:
        return "Inspect AI log" if str(path).endswith(".eval") or b"header.json" in head else None
    if head[:4] == PARQUET:
        return _of_parquet(path)
    return _of_head(head, path)


def _of_head(head: bytes, path: str | Path | None) -> str | None:
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if wide_delimiter(head.partition(b"\n")[0]) is not None:
        return "options in columns"
    if head[:1] not in (b"{", b"["):
        return None
    complete = False
    for line in head.split(b"\n")[:FIRST_LINES]:
        try:
            record = decode(line)
        except UNREADABLE:
            continue
        complete = complete or isinstance(record, dict)
        name = _of_value(record)
        if name is not None:
            return name
    if complete:
        return None
    return _of_document(head, path)


def _of_parquet(path: str | Path) -> str | None:
    from calibrant.io.decisions.parquet import parquet_records

    try:
        record = next(parquet_records(path), None)
    except FileError:
        return None
    return None if record is None else _of_value(record)


def _of_document(head: bytes, path: str | Path | None) -> str | None:
    """A document over several lines has to be read whole."""
    if path is None:
        try:
            return _of_value(decode(head))
        except UNREADABLE:
            return None
    reader = LogReader(path)
    try:
        next(iter(reader), None)
    except (FileError, RowError):
        return None
    return next(iter(reader.shapes), None)


def _of_value(value: Any) -> str | None:
    if not isinstance(value, dict | list):
        return None
    try:
        record = next(records_of_document(value), None)
    except RecursionError:
        return None
    found = None if record is None else shape_of(record)
    return None if found is None else found[0]
