"""Tables: CSV, TSV, JSON, JSONL, Parquet and columns in memory, all as one relation of DuckDB.

Text is never typed by the engine; records that do not fit the table are put aside with their line numbers.
"""

from __future__ import annotations

import itertools
import re
import secrets
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrant.errors import FileError
from calibrant.io.sql import identifier
from calibrant.safe import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["BLOCK_ROWS", "SAMPLE_ROWS", "Table", "connect", "damaged", "described"]

BLOCK_ROWS = 2**18
SAMPLE_ROWS = 200

MAX_MEMORY = 2
"""The most GiB that the engine holds of one table; what is more goes to disk. Ten million rows of two columns take
0.2 GiB, so that only wide or very long tables come to it."""

_NUMERIC = frozenset(
    [
        "DOUBLE",
        "FLOAT",
        "DECIMAL",
        "TINYINT",
        "SMALLINT",
        "INTEGER",
        "BIGINT",
        "HUGEINT",
        "UTINYINT",
        "USMALLINT",
        "UINTEGER",
        "UBIGINT",
    ]
)


def described(name: str, relation: str, connection: Any) -> Table:
    """A table whose columns the engine knows.

    Raises:
        FileError: if it cannot be read.
    """
    import duckdb

    try:
        rows = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()  # noqa: S608  (quoted parts)
    except duckdb.Error as error:
        raise damaged(name, error) from None
    types = {str(row[0]): str(row[1]) for row in rows}
    return Table(name, tuple(types), relation, connection, types)


def connect() -> Any:
    """A connection of its own to DuckDB in memory: it reads what we tell it to, and nothing from the network."""
    import duckdb

    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            # A folder of its own, made when it is needed and removed by the engine: processes must not share one.
            "temp_directory": str(Path(tempfile.gettempdir()) / f"calibrant-{secrets.token_hex(8)}"),
        }
    )
    allowed = connection.execute("SELECT current_setting('memory_limit')").fetchall()[0][0]
    if _gibibytes(allowed) > MAX_MEMORY:
        connection.execute(f"SET memory_limit = '{MAX_MEMORY} GiB'")
    connection.execute("SET enable_progress_bar = false")
    return connection


def _gibibytes(size: str) -> float:
    """The engine's "18.8 GiB" or "512.0 MiB" as a number; 0 in smaller units."""
    number, _, unit = size.partition(" ")
    return float(number) * {"TiB": 1024.0, "GiB": 1.0, "MiB": 1 / 1024}.get(unit, 0.0)


@dataclass(eq=False)
class Table:
    """A relation with text or typed columns.

    Attributes:
        name: what to call it in messages.
        names: its columns.
        types: the engine's types of the columns that are not text; empty when all are text.
        relation: SQL that stands for it after FROM.
        connection: where the relation lives.
        decimal: "." or ",".
        notes: what was found about how it is written, in words for the reader.
        repeated: names that more than one column of the file has.
        rejects: after reading: record numbers of records put aside, by reason.
        keep: what lives as long as the table, such as temporary files.
    """

    name: str
    names: tuple[str, ...]
    relation: str
    connection: Any
    types: Mapping[str, str] = field(default_factory=dict)
    decimal: str = "."
    notes: tuple[str, ...] = ()
    repeated: frozenset[str] = frozenset()
    rejects: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    keep: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the engine and of temporary files."""
        self.connection.close()
        self.keep.close()

    def is_number(self, column: str) -> bool:
        """True when the column holds numbers rather than text."""
        return self.types.get(column, "VARCHAR").split("(")[0] in _NUMERIC

    def sample(self) -> list[list[str]]:
        """The first rows as texts."""
        import duckdb

        columns = ", ".join(f"CAST({identifier(name)} AS VARCHAR)" for name in self.names)
        try:
            rows = self.connection.execute(f"SELECT {columns} FROM {self.relation} LIMIT {SAMPLE_ROWS}").fetchall()  # noqa: S608
        except duckdb.Error as error:
            raise self.damaged(error) from None
        return [["" if value is None else str(value).strip() for value in row] for row in rows]

    def use(self, columns: Sequence[str]) -> None:
        """Get ready to read these columns; tables that hold more than they are asked for need it."""

    def blocks(
        self, expressions: Mapping[str, str], look: Callable[[], tuple[str, int] | None] = lambda: None
    ) -> Iterator[dict[str, NDArray[Any]]]:
        """Blocks of columns computed by SQL expressions, in the order of the file.

        The engine keeps the computed columns, spilling to disk when they are large; a block is fetched at a time.

        Args:
            expressions: SQL by column name.
            look: called once the engine's table `wanted` holds the columns; it may give SQL for what to fetch between
                two row ids in place of all columns, and the number of columns that this makes.

        Raises:
            FileError: if the file turns out to be damaged.
        """
        import duckdb

        wanted = ", ".join(f"{expression} AS {identifier(name)}" for name, expression in expressions.items())
        try:
            self.store(wanted)
            query, width = look() or ("SELECT * FROM wanted WHERE rowid >= ? AND rowid < ?", 1)
            rows = max(BLOCK_ROWS // max(width // 8, 1), 1024)
            for start in itertools.count(0, rows):
                block = self.connection.execute(query, [start, start + rows]).fetchnumpy()
                if not len(next(iter(block.values()))):
                    return
                yield {name: _plain_array(column) for name, column in block.items()}
        except duckdb.Error as error:
            raise self.damaged(error) from None
        finally:
            self.connection.execute("DROP TABLE IF EXISTS wanted")

    def damaged(self, error: Exception) -> FileError:
        """A sentence for what the engine says of the table."""
        return damaged(self.name, error)

    def store(self, columns: str) -> None:
        """Compute columns, given in SQL, into the engine's table `wanted`."""
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE wanted AS SELECT {columns} FROM {self.relation}")  # noqa: S608

    def records(self, start: int, rows: int) -> NDArray[np.int64]:
        """Record numbers, counted from 1, of `rows` rows after the first `start` ones that were not put aside."""
        places = np.arange(start + 1, start + rows + 1, dtype=np.int64)
        if not self.rejects:
            return places
        gone = np.sort(np.concatenate(list(self.rejects.values())))
        kept_before = gone - 1 - np.arange(gone.size)
        return places + np.searchsorted(kept_before, places, side="left")


def _plain_array(column: Any) -> NDArray[Any]:
    """A column without a mask: missing numbers are nan, missing texts None."""
    if not isinstance(column, np.ma.MaskedArray):
        return np.asarray(column)
    mask = np.ma.getmaskarray(column)
    if column.dtype.kind == "O":
        texts = np.array(column.data, dtype=object)
        texts[mask] = None
        return texts
    if not mask.any():
        return np.asarray(column.data)
    # Short floats stay short, so that the judge can read them as the decimals they were.
    numbers = np.array(column.data, dtype=column.dtype if column.dtype.kind == "f" else np.float64)
    numbers[mask] = np.nan
    return numbers


def damaged(name: str, error: Exception) -> FileError:
    """A sentence for what the engine says of a file."""
    said = plain(str(error))
    line = re.search(r"[Ll]ine:? ?(\d+)", said)
    where = f" (line {line.group(1)})" if line else ""
    first = said.strip().splitlines()[0] if said.strip() else "no reason given"
    first = re.sub(r"^[\w ]*(Error|Exception): ", "", first)
    first = first.removesuffix(". Try auto-detecting the JSON format.")
    first = re.sub(r"( in)? [Ff]ile ['\"][^'\"]*['\"]", lambda found: "" if found.group(1) else " the file", first)
    first = first[:200].strip().rstrip(".")
    return FileError(f"{name} cannot be read{where}: {first}.", hint="Is it complete, and of the kind its name says?")
