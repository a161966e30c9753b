"""Tally files: versioned JSON (schema `calibrant.tally/1`) and Parquet with the same content.

Both hold cells and totals only: no id, text or feature of the user's rows, and clusters only sealed. Columns of a view
are written per outcome, `"rows": [[…outcome 0…], […outcome 1…]]`. In Parquet each view is rows of one long table, the
rest is metadata.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import TallyError
from calibrant.predictions import KINDS, LeftOut
from calibrant.tallies.cells import EXACT, Cells
from calibrant.tallies.clusters import ClusterSums, SealedClusters
from calibrant.tallies.grid import GRIDS
from calibrant.tallies.moments import Moments
from calibrant.tallies.tally import InfiniteLog, Slice, Source, Tally

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["SCHEMA", "from_document", "from_json", "to_document", "to_json"]

SCHEMA = "calibrant.tally/1"

_TABLES = ("offset", "weight", "edge_weight", "offset_v")


def to_json(tally: Tally) -> str:
    """The tally as a JSON text; `from_json` gives the same tally back, bit for bit."""
    return json.dumps(to_document(tally), ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def from_json(text: str | bytes) -> Tally:
    """Read a tally from JSON text.

    Raises:
        TallyError: if it is no tally, of a newer version, or damaged.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TallyError(f"The tally is not readable JSON: {error}.") from None
    return from_document(document)


def to_document(tally: Tally) -> dict[str, Any]:
    """The tally as plain dicts, lists, numbers and strings."""
    return {
        "schema": SCHEMA,
        "by": list(tally.by),
        "source": {"names": list(tally.source.names), "rows": tally.source.rows, "notes": list(tally.source.notes)},
        "left_out": _left_out_document(tally.left_out),
        "slices": [_slice_document(part) for part in tally.slices],
    }


def from_document(document: object) -> Tally:
    """The tally that `to_document` wrote.

    Raises:
        TallyError: if it is no tally, of a newer version, or damaged.
    """
    if not isinstance(document, dict) or not str(document.get("schema", "")).startswith("calibrant.tally/"):
        raise TallyError(
            "This JSON is not a tally: its `schema` is not calibrant.tally/1.",
            hint="Make one with `calibrant tally FILE -o tally.json`.",
        )
    if document["schema"] != SCHEMA:
        raise TallyError(
            f"The tally has schema {str(document['schema'])[:40]!r}; this version reads {SCHEMA}.",
            hint="Update Calibrant, or make the tally anew.",
        )
    try:
        source = document.get("source", {})
        return Tally(
            tuple(str(name) for name in document["by"]),
            tuple(_slice(part) for part in document["slices"]),
            Source(
                tuple(str(name) for name in source.get("names", ())),
                int(source.get("rows", 0)),
                tuple(str(note) for note in source.get("notes", ())),
            ),
            _left_out(document["left_out"]),
        )
    except TallyError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise TallyError(
            f"The tally is damaged: {type(error).__name__}: {error}.", hint="Make the tally anew from the rows."
        ) from None


def _slice_document(part: Slice) -> dict[str, Any]:
    moments = part.moments
    out: dict[str, Any] = {
        "by": dict(part.by),
        "kind": part.kind,
        "options": list(part.options),
        "weights": part.weights,
        "n": part.n,
        "moments": {"names": list(moments.names), "first": moments.first.tolist()},
        "infinite_log": {"rows": part.infinite_log.rows, "weight": part.infinite_log.weight},
        "option_counts": {str(key): value for key, value in part.option_counts.items()},
        "classes": dict(part.classes),
        "ties": part.ties,
        "left_out": _left_out_document(part.left_out),
        "views": {name: _cells_document(cells) for name, cells in part.views.items()},
    }
    if moments.second is not moments.first:
        out["moments"]["second"] = moments.second.tolist()
    if part.clusters is not None:
        out["clusters"] = _clusters_document(part.clusters)
    return out


def _left_out_document(left_out: Mapping[str, LeftOut]) -> list[dict[str, Any]]:
    return [{"reason": reason, "rows": found.rows, "first": list(found.first)} for reason, found in left_out.items()]


def _left_out(raw: list[Any]) -> dict[str, LeftOut]:
    return {
        str(entry["reason"]): LeftOut(int(entry["rows"]), tuple(int(record) for record in entry["first"]))
        for entry in raw
    }


def _cells_document(cells: Cells) -> dict[str, Any]:
    out: dict[str, Any] = {
        "resolution": cells.resolution,
        "key": cells.key.tolist(),
        "rows": cells.rows.T.tolist(),
    }
    tables = ("weight",) if cells.is_exact else _TABLES
    if not cells.is_exact:
        out["edge"] = cells.edge.T.tolist()
    for name in tables:
        table = getattr(cells, name)
        if table is not None:
            out[name] = np.moveaxis(table, 0, 2).tolist()
    return out


def _slice(raw: Mapping[str, Any]) -> Slice:
    if raw["kind"] not in KINDS or raw["weights"] not in (None, "sampling", "frequency"):
        raise TallyError(f"The tally has a slice of unknown kind {raw['kind']!r} or weights {raw['weights']!r}.")
    names = tuple(str(name) for name in raw["moments"]["names"])
    first = _finite(raw["moments"]["first"], (len(names), len(names)))
    second = _finite(raw["moments"]["second"], first.shape) if "second" in raw["moments"] else first
    part = Slice(
        {str(key): str(value) for key, value in raw["by"].items()},
        raw["kind"],
        tuple(str(option) for option in raw["options"]),
        {str(name): _cells(view) for name, view in raw["views"].items()},
        Moments(names, first, second),
        InfiniteLog(int(raw["infinite_log"]["rows"]), float(raw["infinite_log"]["weight"])),
        {int(key): int(value) for key, value in raw["option_counts"].items()},
        {str(key): float(value) for key, value in raw["classes"].items()},
        int(raw["ties"]),
        _left_out(raw["left_out"]),
        raw["weights"],
        _clusters(raw["clusters"]) if "clusters" in raw else None,
    )
    if part.n != int(raw["n"]):
        raise TallyError(f"The tally is damaged: its cells hold {part.n:,} rows, its total says {int(raw['n']):,}.")
    return part


def _cells(raw: Mapping[str, Any]) -> Cells:
    size = len(raw["key"])
    rows = _counts(raw["rows"], size)
    tables = {
        name: np.ascontiguousarray(np.moveaxis(_finite(raw[name], (2, 2, size)), 2, 0))
        for name in _TABLES
        if name in raw
    }
    if raw["resolution"] == EXACT:
        key = _finite(raw["key"], (size,))
        if size and not (np.all(np.diff(key) > 0) and key[0] >= 0 and key[-1] <= 1):
            raise TallyError("The tally is damaged: its probabilities do not rise inside 0 to 1.")
        return Cells.from_exact(key, rows, tables.get("weight"))
    if raw["resolution"] not in GRIDS:
        raise TallyError(
            f"The tally uses the grid {raw['resolution']!r}, which this version does not know.",
            hint="Update Calibrant, or make the tally anew.",
        )
    index = np.asarray(raw["key"], dtype=np.int64).reshape(size)
    if size and not (np.all(np.diff(index) > 0) and index[0] >= 0 and index[-1] < GRIDS[raw["resolution"]].size):
        raise TallyError("The tally is damaged: its cells do not rise inside their grid.")
    return Cells(raw["resolution"], index, rows, _counts(raw["edge"], size), **tables)


def _counts(raw: object, size: int) -> NDArray[np.int64]:
    counts = np.asarray(raw, dtype=np.int64).reshape(2, size).T
    if np.any(counts < 0):
        raise TallyError("The tally is damaged: a count is negative.")
    return np.ascontiguousarray(counts)


def _finite(raw: object, shape: tuple[int, ...]) -> NDArray[np.float64]:
    array = np.asarray(raw, dtype=np.float64)
    if array.shape != shape and not (array.size == 0 and 0 in shape):
        raise TallyError(f"The tally is damaged: a table has shape {array.shape} where {shape} belongs.")
    if not np.all(np.isfinite(array)):
        raise TallyError("The tally is damaged: a sum is not a finite number.")
    return array.reshape(shape)


def _clusters_document(clusters: ClusterSums | SealedClusters) -> dict[str, Any]:
    sealed = clusters.seal() if isinstance(clusters, ClusterSums) else clusters
    return {
        "names": list(sealed.names),
        "count": sealed.count,
        "total": sealed.total.tolist(),
        "outer": sealed.outer.tolist(),
    }


def _clusters(raw: Mapping[str, Any]) -> SealedClusters:
    names = tuple(str(name) for name in raw["names"])
    width = len(names)
    return SealedClusters(
        names, int(raw["count"]), _finite(raw["total"], (width,)), _finite(raw["outer"], (width, width))
    )
