"""Parquet exports of spans, through DuckDB, a few thousand rows at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["parquet_records"]

BATCH = 2048


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
