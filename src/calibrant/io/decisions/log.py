"""Reading logs: files, compressed files and stdin become answers, one at a time.

JSON lines are streamed; a JSON document, an archive, a table of options or a Parquet file of spans is known by its
first bytes, and the shape of every record by its content.
"""

from __future__ import annotations

import gzip
import io
import re
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import msgspec

from calibrant.errors import FileError
from calibrant.io.decisions.documents import records_of_document
from calibrant.io.decisions.lines import MAX_LINE, TOO_DEEP, UNKNOWN_SHAPE, UNREADABLE, LineReader, decode
from calibrant.io.decisions.registry import shape_of
from calibrant.io.evals.wide import table_records, wide_delimiter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer
    from calibrant.predictions import LeftOut

__all__ = ["GZIP", "PARQUET", "ZIP", "LogReader", "open_log"]

MAX_DOCUMENT = 2**29
PLAIN = "System One"
GZIP, ZIP, PARQUET = b"\x1f\x8b", b"PK\x03\x04", b"PAR1"


class LogReader:
    """Reads one log and counts what it meets.

    Args:
        path: a file, or "-" for stdin.
        strict: refuse the first record that cannot be read.

    Attributes:
        records: records read so far.
        shapes: records by shape.
    """

    def __init__(self, path: str | Path, *, strict: bool = False) -> None:
        self.path = path
        self.name = "stdin" if str(path) == "-" else Path(path).name
        self.records = 0
        self.shapes: dict[str, int] = {}
        self._lines = LineReader(self.name, strict=strict)
        self._labels_only = 0

    @property
    def unread(self) -> dict[str, LeftOut]:
        """Records that could not be read, by reason."""
        return self._lines.unread

    def __iter__(self) -> Iterator[tuple[int, Answer]]:
        """Pairs of record number (the line in JSON lines, counted from 1) and answer.

        Raises:
            FileError: if the file cannot be opened, or holds no answers at all.
            RowError: with `strict`, at the first record that cannot be read.
        """
        for number, record in self._records():
            self.records += 1
            if isinstance(record, list):
                self.shapes[PLAIN] = self.shapes.get(PLAIN, 0) + 1
                for answer in record:
                    yield number, answer
                continue
            found = shape_of(record)
            if found is None:
                self._labels_only += "labels" in record
                keys = ", ".join(str(key)[:30] for key in list(record)[:6])
                self._lines.refuse(number, UNKNOWN_SHAPE, f"its keys are {keys}")
                continue
            name, shape = found
            try:
                answers = list(shape.answers(record))
            except RecursionError:
                self._lines.refuse(number, TOO_DEEP)
                continue
            self.shapes[name] = self.shapes.get(name, 0) + 1
            for answer in answers:
                yield number, answer if answer.question else self._named(answer)
        if not self.shapes:
            raise self._nothing()

    def _named(self, answer: Answer) -> Answer:
        """An answer whose question only the file's name tells: the task of an evaluation, its model in the folder."""
        path = Path(self.name if str(self.path) == "-" else self.path)
        task = re.sub(r"^samples_|_\d{4}-\d\d-\d\dT.*$", "", path.name.partition(".")[0])
        folder = path.parent.name
        if task in ("per_instance_stats", "scenario_state"):
            task = folder or task
        model = answer.model_served or (folder.replace("__", "/") if "__" in folder else None)
        return msgspec.structs.replace(answer, question=task, model_served=model)

    def _records(self) -> Iterator[tuple[int, dict[str, Any] | list[Answer]]]:
        try:
            with open_log(self.path) as stream:
                start = stream.peek(4)[:4]  # type: ignore[attr-defined]
                if start == PARQUET:
                    from calibrant.io.decisions.parquet import parquet_records

                    yield from enumerate(parquet_records(self.path), 1)
                elif start == ZIP:
                    from calibrant.io.evals.inspect_archive import archive_records

                    yield from enumerate(archive_records(stream, self.name), 1)
                elif start[:2] == GZIP:
                    with gzip.open(stream) as inner:
                        yield from self._text(cast("IO[bytes]", inner))
                else:
                    yield from self._text(stream)
        except (OSError, EOFError) as wrong:
            raise FileError(f"{self.name} cannot be read: {getattr(wrong, 'strerror', None) or wrong}.") from wrong

    def _text(self, stream: IO[bytes]) -> Iterator[tuple[int, dict[str, Any] | list[Answer]]]:
        number, first = 1, stream.readline(MAX_LINE)
        while first.isspace():
            number, first = number + 1, stream.readline(MAX_LINE)
        if first.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise FileError(f"{self.name} is UTF-16 text.", hint="Save it as UTF-8.")
        first = first.removeprefix(b"\xef\xbb\xbf")
        delimiter = wide_delimiter(first)
        if delimiter is not None:
            yield from enumerate(table_records(first, stream, delimiter), 1)
        elif _is_object(first):
            yield from self._lines.read(stream, number, first)
        else:
            yield from self._document(first, stream)

    def _document(self, first: bytes, stream: IO[bytes]) -> Iterator[tuple[int, dict[str, Any] | list[Answer]]]:
        """One JSON value; lines after all when it is none, as when only the first line is broken."""
        whole = first + stream.read(MAX_DOCUMENT + 1)
        if len(whole) > MAX_DOCUMENT:
            raise FileError(
                f"{self.name} is one JSON document of more than 512 MB.",
                hint="Write it as JSON lines (jq -c '.[]' file.json), which are read in bounded memory.",
            )
        try:
            records = list(records_of_document(decode(whole)))
        except UNREADABLE as wrong:
            if b"\n{" not in whole:
                hint = (
                    "A log is JSON lines, a JSON document, or an export of spans." if whole.strip() else "It is empty."
                )
                raise FileError(f"{self.name} is not JSON: {wrong}.", hint=hint) from wrong
            rest = io.BytesIO(whole)
            yield from self._lines.read(rest, 1, rest.readline(MAX_LINE))
            return
        yield from enumerate(records, 1)

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


def open_log(path: str | Path) -> IO[bytes]:
    """A file, or stdin for "-"."""
    return sys.stdin.buffer if str(path) == "-" else Path(path).open("rb")


def _is_object(first: bytes) -> bool:
    """True if the first line is an object by itself; a document starts with a bracket or goes on after it."""
    try:
        return isinstance(decode(first), dict)
    except UNREADABLE:
        return False
