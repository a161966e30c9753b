"""JSON lines: one record a line, read in bounded memory, with the line's number beside everything."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any

import msgspec

from calibrant.errors import RowError
from calibrant.io.decisions.documents import records_of_document
from calibrant.io.decisions.keys import has_key_twice
from calibrant.io.decisions.typed import FastLane
from calibrant.predictions import FIRST_RECORDS, LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer

__all__ = ["MAX_LINE", "TOO_DEEP", "UNKNOWN_SHAPE", "UNREADABLE", "LineReader", "decode"]

MAX_LINE = 2**26
NOT_JSON = "the line is not JSON"
TWICE = "a key occurs twice"
TOO_LONG = "the line is longer than 64 MB"
TOO_DEEP = "the record is nested too deeply"
NO_OBJECT = "the line is not an object"
UNKNOWN_SHAPE = "the record has no answers in a known shape"
UNREADABLE = (msgspec.DecodeError, UnicodeError, json.JSONDecodeError, RecursionError)

_DECODER = msgspec.json.Decoder()


def decode(data: bytes) -> Any:
    """JSON, and Python's NaN and Infinity, which are no JSON but are written by Python.

    Raises:
        msgspec.DecodeError: if it is neither.
    """
    try:
        return _DECODER.decode(data)
    except msgspec.DecodeError:
        if b"NaN" in data or b"Infinity" in data:
            value = json.loads(data)
            if b"\\ud" in data.lower():  # half a character, which only Python's reader lets through
                json.dumps(value, ensure_ascii=False).encode()
            return value
        raise


class LineReader:
    """Reads lines and counts those that cannot be read.

    Args:
        name: the file's name, for messages.
        strict: refuse the first line that cannot be read.

    Attributes:
        unread: lines that could not be read, by reason.
    """

    def __init__(self, name: str, *, strict: bool = False) -> None:
        self.name = name
        self.strict = strict
        self.unread: dict[str, LeftOut] = {}
        self._fast = FastLane()

    def read(self, stream: IO[bytes], number: int, line: bytes) -> Iterator[tuple[int, dict[str, Any] | list[Answer]]]:
        """Records, or the answers of a plain line at once, from a line on that is already read.

        Raises:
            RowError: with `strict`, at the first line that cannot be read.
        """
        while line:
            if len(line) >= MAX_LINE and not line.endswith(b"\n"):
                self.refuse(number, TOO_LONG)
                while line and not line.endswith(b"\n"):
                    line = stream.readline(MAX_LINE)
            else:
                answers = self._fast.answers(line) if self._fast.open else None
                if answers is not None:
                    yield number, answers
                elif not line.isspace():
                    for inner in self._record(number, line):
                        yield number, inner
            number += 1
            line = stream.readline(MAX_LINE)

    def _record(self, number: int, line: bytes) -> list[dict[str, Any]]:
        """The records in a line: one, or those of an export that has many in one line."""
        try:
            record = decode(line)
            if not isinstance(record, dict):
                self.refuse(number, NO_OBJECT)
            elif has_key_twice(line, record):
                self.refuse(number, TWICE)
            else:
                return list(records_of_document(record))
        except RecursionError:
            self.refuse(number, TOO_DEEP)
        except UNREADABLE as wrong:
            self.refuse(number, NOT_JSON, str(wrong))
        return []

    def refuse(self, number: int, reason: str, words: str = "") -> None:
        """Count a record that cannot be read.

        Raises:
            RowError: with `strict`.
        """
        if self.strict:
            more = f" ({words})" if words else ""
            raise RowError(
                f"{self.name}, record {number} cannot be read: {reason}{more}.",
                hint="Correct it; without --strict such records are counted and left out.",
            )
        found = self.unread.get(reason, LeftOut(0))
        first = found.first if len(found.first) >= FIRST_RECORDS else (*found.first, number)
        self.unread[reason] = LeftOut(found.rows + 1, first)
