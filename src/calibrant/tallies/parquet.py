"""Tallies as Parquet: one long table of cells, everything else as metadata; written and read by DuckDB."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import TallyError
from calibrant.tallies.store import from_document, to_document

if TYPE_CHECKING:
    from pathlib import Path

    from calibrant.tallies.tally import Tally

__all__ = ["is_tally", "read_parquet", "write_parquet"]

_METADATA = "calibrant"
_PAIRS = ("rows", "edge")
_TABLES = ("offset", "weight", "edge_weight", "offset_v")
_COLUMNS = (
    "key",
    *(f"{name}{y}" for name in _PAIRS for y in "01"),
    *(f"{name}{y}{k}" for name in _TABLES for k in "01" for y in "01"),
)


def write_parquet(tally: Tally, path: Path) -> None:
    """Write the tally to a Parquet file: a row per cell, the totals in the file's metadata."""
    import duckdb

    document = to_document(tally)
    columns: dict[str, list[np.ndarray[Any, Any]]] = {name: [] for name in ("slice", "view", *_COLUMNS)}
    for place, part in enumerate(document["slices"]):
        for number, view in enumerate(part["views"].values()):
            size = len(view["key"])
            columns["slice"].append(np.full(size, place, dtype=np.int32))
            columns["view"].append(np.full(size, number, dtype=np.int32))
            for name, values in _flat(view, size).items():
                columns[name].append(values)
            for name in ("key", *_PAIRS, *_TABLES):
                if name in view:
                    view[name] = size if name == "key" else True
    cells = {name: np.concatenate(parts) if parts else np.zeros(0) for name, parts in columns.items()}
    connection = duckdb.connect()
    connection.register("cells", cells)
    connection.execute(
        f"COPY cells TO {_quoted(str(path))} "
        f"(FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{_METADATA}: {_quoted(json.dumps(document))}}})"
    )


def _flat(view: dict[str, Any], size: int) -> dict[str, np.ndarray[Any, Any]]:
    out = {"key": np.asarray(view["key"], dtype=np.float64)}
    for name in _PAIRS:
        for y in (0, 1):
            out[f"{name}{y}"] = np.asarray(view[name][y], dtype=np.int64) if name in view else np.zeros(size, np.int64)
    for name in _TABLES:
        for k in (0, 1):
            for y in (0, 1):
                out[f"{name}{y}{k}"] = (
                    np.asarray(view[name][y][k], dtype=np.float64) if name in view else np.zeros(size)
                )
    return out


def is_tally(path: Path) -> bool:
    """True when a Parquet file holds a tally rather than rows."""
    import duckdb

    try:
        return _metadata(duckdb.connect(), path) is not None
    except duckdb.Error:
        return False


def _metadata(connection: Any, path: Path) -> str | None:
    found = connection.execute(
        "SELECT decode(value) FROM parquet_kv_metadata(?) WHERE decode(key) = ?", [str(path), _METADATA]
    ).fetchone()
    return None if found is None else str(found[0])


def read_parquet(path: Path) -> Tally:
    """Read a tally that `write_parquet` wrote.

    Raises:
        TallyError: if the file is no tally or damaged.
    """
    import duckdb

    connection = duckdb.connect()
    try:
        found = _metadata(connection, path)
        if found is None:
            raise TallyError(f"{path.name} is a Parquet file but not a tally.")
        document = json.loads(found)
        rows = connection.execute("SELECT * FROM read_parquet(?) ORDER BY slice, view, key", [str(path)]).fetchnumpy()
        _refill(document, rows)
    except (duckdb.Error, ValueError, KeyError, TypeError, IndexError) as error:
        if isinstance(error, TallyError):
            raise
        raise TallyError(f"{path.name} is a damaged tally: {error}.") from None
    return from_document(document)


def _refill(document: dict[str, Any], rows: dict[str, np.ndarray[Any, Any]]) -> None:
    start = 0
    for part in document["slices"]:
        for view in part["views"].values():
            stop = start + int(view["key"])
            cut = slice(start, stop)
            start = stop
            exact = view["resolution"] == "exact"
            view["key"] = rows["key"][cut] if exact else rows["key"][cut].astype(np.int64)
            for name in _PAIRS:
                if name in view:
                    view[name] = [rows[f"{name}{y}"][cut] for y in (0, 1)]
            for name in _TABLES:
                if name in view:
                    view[name] = [[rows[f"{name}{y}{k}"][cut] for k in (0, 1)] for y in (0, 1)]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
