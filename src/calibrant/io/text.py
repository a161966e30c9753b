"""CSV, TSV and their relatives as tables: every column is text, records that do not fit are put aside."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from calibrant.errors import FileError
from calibrant.io.dialect import find_dialect
from calibrant.io.numbering import empty_lines
from calibrant.io.plainly import copy_plainly
from calibrant.io.sql import literal
from calibrant.io.table import Table, connect
from calibrant.safe import plain

if TYPE_CHECKING:
    from contextlib import ExitStack

    from numpy.typing import NDArray

    from calibrant.io.dialect import Dialect
    from calibrant.io.opening import Head
    from calibrant.io.options import ReadOptions

__all__ = ["TextTable", "engine_path", "open_text"]

MAX_LINE = 2**24
"""The most bytes of one record; a longer one is put aside."""

REJECTED = {
    "TOO MANY COLUMNS": "wrong number of columns",
    "MISSING COLUMNS": "wrong number of columns",
    "INVALID ENCODING": "not readable as text",
    "LINE SIZE OVER MAXIMUM": "longer than 16 MiB",
    "UNQUOTED VALUE": "a stray quote",
}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the engine reads: the file itself, or a plain copy of it."""

    path: Path
    delimiter: str
    skip: int
    zipped: bool


@dataclass(eq=False)
class TextTable(Table):
    """A text file.

    Attributes:
        dialect: how it is written.
        place: the file, or a copy of it.
    """

    dialect: Dialect = field(kw_only=True)
    place: _Place = field(kw_only=True)

    def sample(self) -> list[list[str]]:
        """The first rows as texts."""
        return [list(row) for row in self.dialect.rows]

    def store(self, columns: str) -> None:
        """Read the file into the engine's table `wanted`, and note which records were put aside.

        Raises:
            FileError: if a quote is opened and not closed.
        """
        import duckdb

        if self.dialect.copy:
            self._use_copy()
        try:
            self._read(columns)
        except duckdb.Error as error:
            # Line ends of several kinds that began after the first lines: the engine gives up, a copy does not.
            if "state machine" not in str(error) or self.dialect.copy:
                raise
            self._use_copy()
            self._read(columns)
        self.rejects = self._rejects()

    def _read(self, columns: str) -> None:
        names = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in self.names)
        place = self.place
        self.relation = (
            f"read_csv({literal(str(place.path))}, auto_detect = false, delim = {literal(place.delimiter)}, "
            f"quote = '\"', escape = '\"', header = false, skip = {place.skip}, columns = {{{names}}}, "
            f"strict_mode = true, null_padding = false, ignore_errors = true, store_rejects = true, "
            f"rejects_limit = 0, hive_partitioning = false, max_line_size = {MAX_LINE}, "
            f"compression = {literal('gzip' if place.zipped else 'none')})"
        )
        super().store(columns)

    def _use_copy(self) -> None:
        target = Path(self.keep.enter_context(tempfile.TemporaryDirectory())) / "table"
        copy_plainly(self.place.path, self.dialect, target, zipped=self.place.zipped, name=self.name)
        self.place = _Place(target, "\t", 0, zipped=False)

    def _rejects(self) -> dict[str, NDArray[np.int64]]:
        rows = self.connection.execute(
            "SELECT line, min(CAST(error_type AS VARCHAR)), "
            "max(contains(rtrim(csv_line, chr(10) || chr(13)), chr(10))) FROM reject_errors "
            "WHERE scan_id = (SELECT max(scan_id) FROM reject_scans) GROUP BY line ORDER BY line"
        ).fetchall()
        if not rows:
            return {}
        lines = np.array([row[0] for row in rows], dtype=np.int64)
        kinds = [row[1] for row in rows]
        empty = empty_lines(self.place.path, zipped=self.place.zipped, quotes="UNQUOTED VALUE" not in kinds)
        empty = empty[empty > self.place.skip]
        records = lines - self.place.skip - np.searchsorted(empty, lines)
        for (_, kind, swallows), record in zip(rows, records.tolist(), strict=True):
            if kind == "UNQUOTED VALUE" and swallows:
                raise FileError(
                    f"{self.name}: a quote is opened in record {record} and not closed where the cell ends, "
                    "so that it swallows the lines after it.",
                    hint='Close the quote; inside quotes, a quote is written twice: "he said ""no""".',
                )
        reasons = np.array([REJECTED.get(kind, plain(kind.lower())) for kind in kinds])
        return {str(reason): records[reasons == reason] for reason in dict.fromkeys(reasons.tolist())}


def open_text(path: Path, name: str, head: Head, options: ReadOptions) -> TextTable:
    """A text file as a table.

    Raises:
        FileError: if it is no text table.
    """
    dialect = find_dialect(head, options, name)
    place = _Place(path, dialect.delimiter, dialect.skip, head.zipped)
    return TextTable(
        name,
        dialect.names,
        "",
        connect(),
        decimal=dialect.decimal,
        notes=dialect.notes,
        repeated=dialect.repeated,
        dialect=dialect,
        place=place,
    )


def engine_path(path: Path, stack: ExitStack) -> Path:
    """A path that the engine takes for one file: it reads signs such as * and [ as patterns."""
    if not set("*?[") & set(str(path)):
        return path
    link = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "table"
    try:
        link.symlink_to(path.resolve())
    except OSError:
        shutil.copyfile(path, link)
    return link
