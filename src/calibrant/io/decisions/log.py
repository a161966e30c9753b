"""Reading logs: files, compressed files and stdin become records, records become answers, one at a time.

JSON lines are streamed; a JSON document, an archive or a Parquet file of spans is opened by its first bytes. A line
that cannot be read is counted with its number, or refused with `strict`.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import msgspec

from calibrant.errors import FileError, RowError
from calibrant.io.decisions.documents import records_of_document
from calibrant.io.decisions.registry import shape_of
from calibrant.io.evals.wide import table_records, wide_delimiter
from calibrant.predictions import FIRST_RECORDS, LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer

__all__ = ["LogReader", "looks_like_log"]

MAX_LINE = 2**26
MAX_DOCUMENT = 2**29
PEEK = 2**16
NOT_JSON = "the line is not JSON"
TWICE = "a key occurs twice"
TOO_LONG = "the line is longer than 64 MB"
NO_OBJECT = "the record is not an object"
UNKNOWN = "the record has no answers in a known shape"
_GZIP, _ZIP, _PARQUET = b"\x1f\x8b", b"PK\x03\x04", b"PAR1"


class LogReader:
    """Reads one log and counts what it meets.

    Args:
        path: a file, or "-" for stdin.
        strict: refuse the first record that cannot be read.

    Attributes:
        records: records read so far.
        shapes: records by shape.
        unread: records that could not be read, by reason.
    """

    def __init__(self, path: str | Path, *, strict: bool = False) -> None:
        self.path = path
        self.name = "stdin" if str(path) == "-" else Path(path).name
        self.strict = strict
        self.records = 0
        self.shapes: dict[str, int] = {}
        self.unread: dict[str, LeftOut] = {}
        self._labels_only = 0

    def __iter__(self) -> Iterator[tuple[int, Answer]]:
        """Pairs of record number (the line in JSON lines, counted from 1) and answer.

        Raises:
            FileError: if the file cannot be opened, or holds no answers at all.
            RowError: with `strict`, at the first record that cannot be read.
        """
        for number, record in self._records():
            self.records += 1
            found = shape_of(record)
            if found is None:
                self._labels_only += "labels" in record
                self._refuse(number, UNKNOWN, f"it has the keys {', '.join(map(str, list(record)[:6]))}")
                continue
            name, shape = found
            self.shapes[name] = self.shapes.get(name, 0) + 1
            for answer in shape.answers(record):
                yield number, answer if answer.question else self._named(answer)
        if not self.shapes:
            raise self._nothing()

    def _named(self, answer: Answer) -> Answer:
        """An answer whose question only the file's name tells: the task of an evaluation, its model in the folder."""
        path = Path(self.path)
        task = re.sub(r"^samples_|_\d{4}-\d\d-\d\dT.*$", "", path.name.partition(".")[0])
        folder = path.parent.name
        if task in ("per_instance_stats", "scenario_state"):
            task = folder or task
        model = answer.model_served or (folder.replace("__", "/") if "__" in folder else None)
        return msgspec.structs.replace(answer, question=task, model_served=model)

    def _records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        try:
            with _open(self.path) as stream:
                start = stream.peek(4)[:4]  # type: ignore[attr-defined]
                if start in (_PARQUET, _ZIP) or start[:2] == _GZIP:
                    yield from self._binary(start, stream)
                else:
                    yield from self._text(stream)
        except (OSError, EOFError) as wrong:
            raise FileError(f"{self.name} cannot be read: {getattr(wrong, 'strerror', None) or wrong}.") from wrong

    def _binary(self, start: bytes, stream: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
        if start[:2] == _GZIP:
            with gzip.open(stream) as inner:
                yield from self._text(cast("IO[bytes]", inner))
        elif start == _PARQUET:
            from calibrant.io.decisions.parquet import parquet_records

            yield from enumerate(parquet_records(self.path), 1)
        else:
            from calibrant.io.evals.inspect_archive import archive_records

            yield from enumerate(archive_records(stream, self.name), 1)

    def _text(self, stream: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
        first = _first_line(stream)
        if first.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise FileError(f"{self.name} is UTF-16 text.", hint="Save it as UTF-8.")
        first = first.removeprefix(b"\xef\xbb\xbf")
        delimiter = wide_delimiter(first)
        if delimiter is not None:
            yield from enumerate(table_records(first, stream, delimiter), 1)
            return
        if self._is_line(first):
            yield from self._lines(first, stream)
            return
        rest = first + stream.read(MAX_DOCUMENT + 1)
        if len(rest) > MAX_DOCUMENT:
            raise FileError(
                f"{self.name} is one JSON document of more than 512 MB.",
                hint="Write it as JSON lines (jq -c '.[]' file.json), which are read in bounded memory.",
            )
        try:
            document = _decode(rest)
        except _UNREADABLE as wrong:
            if rest.lstrip()[:1] == b"[" or not rest.count(b"\n{"):
                raise FileError(f"{self.name} is not JSON: {wrong}.", hint=_hint(rest)) from wrong
            import io

            yield from self._lines(b"", io.BytesIO(rest))
            return
        yield from enumerate(records_of_document(document), 1)

    def _is_line(self, first: bytes) -> bool:
        """True if the first line is an object by itself; a document starts with a bracket or goes on after it."""
        try:
            record = _decode(first)
        except _UNREADABLE:
            return False
        return isinstance(record, dict)

    def _lines(self, first: bytes, stream: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
        number, line = 1, first or stream.readline(MAX_LINE)
        while line:
            if line.isspace():
                pass
            elif len(line) >= MAX_LINE and not line.endswith(b"\n"):
                self._refuse(number, TOO_LONG)
                while line and not line.endswith(b"\n"):
                    line = stream.readline(MAX_LINE)
            else:
                record = self._record(number, line)
                if record is not None:
                    for inner in records_of_document(record):
                        yield number, inner
            number += 1
            line = stream.readline(MAX_LINE)

    def _record(self, number: int, line: bytes) -> dict[str, Any] | None:
        try:
            record = _decode(line)
        except _UNREADABLE as wrong:
            self._refuse(number, NOT_JSON, str(wrong))
            return None
        if not isinstance(record, dict):
            self._refuse(number, NO_OBJECT)
            return None
        if line.count(b'":') != _keys(record) and _twice(line):
            self._refuse(number, TWICE)
            return None
        return record

    def _refuse(self, number: int, reason: str, words: str = "") -> None:
        if self.strict:
            more = f" ({words})" if words else ""
            raise RowError(
                f"{self.name}, record {number} cannot be read: {reason}{more}.",
                hint="Correct it; without --strict such records are counted and left out.",
            )
        found = self.unread.get(reason)
        if found is None:
            self.unread[reason] = LeftOut(1, (number,))
        else:
            first = found.first if len(found.first) >= FIRST_RECORDS else (*found.first, number)
            self.unread[reason] = LeftOut(found.rows + 1, first)

    def _nothing(self) -> FileError:
        if self._labels_only:
            return FileError(
                f"{self.name} holds labels and no answers ({self._labels_only:,} records).",
                hint=f"Give the log of answers, and these as --truth {self.name}.",
            )
        reasons = "; ".join(f"{reason} (record {found.first[0]})" for reason, found in self.unread.items())
        return FileError(
            f"{self.name} holds no answers of a decision model: {reasons or 'it is empty'}.",
            hint="docs/adding-a-format.md lists the shapes that are read.",
        )


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
        head = path
    else:
        try:
            with _open(path) as stream:
                head = stream.read(PEEK)
        except OSError:
            return None
        if head[:2] == _GZIP:
            try:
                with gzip.open(path) as inner:
                    head = inner.read(PEEK)
            except (OSError, EOFError):
                return None
        elif head[:4] == _ZIP:
            return "Inspect AI log" if b"header.json" in head or str(path).endswith(".eval") else None
        elif head[:4] == _PARQUET:
            from calibrant.io.decisions.parquet import is_span_table

            return "OpenInference span" if is_span_table(path) else None
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if wide_delimiter(head.partition(b"\n")[0]) is not None:
        return "options in columns"
    if head[:1] not in (b"{", b"["):
        return None
    return _shape_of_head(head, None if isinstance(path, bytes) else path)


def _shape_of_head(head: bytes, path: str | Path | None) -> str | None:
    for line in head.split(b"\n")[:5]:
        try:
            record = _decode(line)
        except _UNREADABLE:
            break
        name = _name_of(record)
        if name is not None:
            return name
    if path is None or str(path) == "-":
        try:
            return _name_of(_decode(head))
        except _UNREADABLE:
            return None
    reader = LogReader(path)
    try:
        next(iter(reader), None)
    except (FileError, RowError):
        return None
    return next(iter(reader.shapes), None)


def _name_of(document: Any) -> str | None:
    if not isinstance(document, dict | list):
        return None
    for record in records_of_document(document):
        found = shape_of(record)
        return None if found is None else found[0]
    return None


_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, json.JSONDecodeError, RecursionError)
_DECODER = msgspec.json.Decoder()


def _decode(data: bytes) -> Any:
    """JSON, and Python's NaN and Infinity, which are no JSON but are written by Python."""
    try:
        return _DECODER.decode(data)
    except msgspec.DecodeError:
        if b"NaN" in data or b"Infinity" in data:
            return json.loads(data)
        raise


def _keys(value: Any) -> int:
    """Number of keys in an object and all within."""
    found = 0
    if type(value) is dict:
        found = len(value)
        for one in value.values():
            if type(one) is dict or type(one) is list:
                found += _keys(one)
    elif type(value) is list:
        for one in value:
            if type(one) is dict or type(one) is list:
                found += _keys(one)
    return found


class _TwiceError(ValueError):
    pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise _TwiceError
    return out


def _twice(line: bytes) -> bool:
    try:
        json.loads(line, object_pairs_hook=_pairs)
    except _TwiceError:
        return True
    except (ValueError, RecursionError):
        return False
    return False


def _first_line(stream: IO[bytes]) -> bytes:
    line = stream.readline(MAX_LINE)
    while line and line.isspace():
        line = stream.readline(MAX_LINE)
    return line


def _hint(data: bytes) -> str:
    return "It is empty." if not data.strip() else "A log is JSON lines, a JSON document, or an export of spans."


def _open(path: str | Path) -> IO[bytes]:
    return sys.stdin.buffer if str(path) == "-" else Path(path).open("rb")
