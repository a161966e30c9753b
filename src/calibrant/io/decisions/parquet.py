"""Parquet exports of spans, through DuckDB, a few thousand rows at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["is_span_table", "parquet_records"]

BATCH = 2048
NEEDED = ("attributes", "input", "output", "answers", "response", "answer")


def parquet_records(path: str | Path) -> Iterator[dict[str, Any]]:
    """Rows of a Parquet file as records; nested columns arrive as objects and lists.

    Raises:
        FileError: if DuckDB cannot read it.
    """
    import duckdb

    try:
        with duckdb.connect() as connection:
            cursor = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
            names = [column[0] for column in cursor.description or []]
            while rows := cursor.fetchmany(BATCH):
                for row in rows:
                    yield {name: value for name, value in zip(names, row, strict=True) if value is not None}
    except duckdb.Error as wrong:
        raise FileError(f"{path} cannot be read as Parquet: {str(wrong).splitlines()[0]}.") from wrong


def is_span_table(path: str | Path) -> bool:
    """True if a Parquet file has the columns of spans or of exchanges."""
    import duckdb

    try:
        with duckdb.connect() as connection:
            cursor = connection.execute("SELECT * FROM read_parquet(?) LIMIT 0", [str(path)])
            names = [column[0] for column in cursor.description or []]
    except duckdb.Error:
        return False
    return any(name == need or name.startswith(f"{need}.") for name in names for need in NEEDED)
