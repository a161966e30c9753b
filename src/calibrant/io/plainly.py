"""Copies of text tables in the one form that the engine reads: UTF-8, tabs, one kind of line end."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import itertools
import re
import zlib
from typing import TYPE_CHECKING

from calibrant.errors import FileError
from calibrant.io.delimiter import SPACES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from calibrant.io.dialect import Dialect

__all__ = ["MAX_COPY", "copy_plainly"]

MAX_COPY = 64 * 2**30
"""The most bytes that a copy may have: a small gzip file can unpack to any size."""

NATIVE = ("utf-8", "utf8", "utf-8-sig", "ascii")


def copy_plainly(path: Path, dialect: Dialect, target: Path, *, zipped: bool, name: str) -> None:
    """Write the records of a table, without header and what stands before it, separated by tabs.

    Raises:
        FileError: if the file is not in its encoding, is damaged, or a quote is not closed.
    """
    encoding = "utf-8-sig" if dialect.encoding.lower() in NATIVE else dialect.encoding
    record = 0
    try:
        with gzip.open(path, "rb") if zipped else path.open("rb") as source, target.open("wb") as out:
            text = io.TextIOWrapper(source, encoding=encoding, newline="")
            plain = csv.writer(_Utf8(out), delimiter="\t", lineterminator="\n")
            for row in csv.reader(
                _lines(text, dialect), delimiter=dialect.delimiter, skipinitialspace=True, strict=True
            ):
                if row:
                    record += 1
                    plain.writerow(row)
                if record % 4096 == 0 and out.tell() > MAX_COPY:
                    raise FileError(f"{name} unpacks to more than {MAX_COPY // 2**30} GiB.", hint="Split it first.")
    except UnicodeError as error:
        raise FileError(
            f"{name} is not written in {dialect.encoding} after record {record}: {error}.",
            hint="Name another --encoding.",
        ) from None
    except csv.Error as error:
        raise FileError(
            f"{name} cannot be read at record {record + 1}: {error}.", hint="Is a quote opened and never closed?"
        ) from None
    except (EOFError, zlib.error, OSError) as error:
        raise FileError(f"{name} is damaged after record {record}: {error}.", hint="Fetch it again.") from None


def _lines(text: io.TextIOWrapper, dialect: Dialect) -> Iterator[str]:
    # The wrapper keeps line ends as they are, and splits at each of their three kinds.
    lines = itertools.islice(text, dialect.skip, None)
    if dialect.delimiter != SPACES:
        return lines
    return (re.sub(r"[ \t]+", " ", line.strip()) + "\n" for line in lines)


class _Utf8:
    """A text sink over a binary file, with no buffer of its own, so that its position is known."""

    def __init__(self, out: io.BufferedWriter) -> None:
        self.out = out
        self.encode = codecs.getencoder("utf-8")

    def write(self, text: str) -> int:
        return self.out.write(self.encode(text, "replace")[0])
