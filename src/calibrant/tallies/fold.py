"""Folding yes/no cells into their top view: confidence against right, from probability against happened."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.tallies.cells import Cells, group, shifted

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fold"]

_FLIP = slice(None, None, -1)


def fold(cells: Cells) -> Cells:
    """The top view of yes/no cells: confidence = max(p, 1 − p), outcome = the top answer was right.

    At p = 0.5 both answers tie and "yes" counts as the top one.

    Example:
        >>> top = fold(Cells.exact(np.array([0.2, 0.9]), np.array([0, 0])))
        >>> top.key.tolist(), top.rows.tolist()
        ([0.8, 0.9], [[0, 1], [1, 0]])
    """
    low = cells.key if cells.is_exact else cells.grid.low[cells.key]
    upper = np.asarray(low >= 0.5)
    return cells.part(upper) + _mirrored(cells.part(~upper))


def _mirrored(cells: Cells) -> Cells:
    """Probability 1 − p of outcome 1 − y, for cells below 0.5, where the difference keeps decimal edges."""
    if not cells.is_exact:
        return _mirrored_grid(cells)
    key, start = np.unique((1.0 - cells.key)[_FLIP], return_index=True)
    weight = None if cells.weight is None else group(cells.weight[_FLIP, _FLIP], start)
    return Cells.from_exact(key, group(cells.rows[_FLIP, _FLIP], start), weight)


def _mirrored_grid(cells: Cells) -> Cells:
    """Cell [a, b) becomes (1 − b, 1 − a]: its rows on a move up a cell, unless the cell lies in a tail."""
    grid, tail = cells.grid, cells.grid.tail_cells
    middle = np.asarray((cells.key >= tail) & (cells.key < tail + grid.width_cells))
    on_edge = _rows_on_edges(cells, middle)
    rest = _rows_off_edges(cells, on_edge)
    key = grid.size - 1 - cells.key.astype(np.int64)
    shift = ((1.0 - cells.anchor) - grid.anchor[key])[:, None]

    def turned(w: NDArray[np.float64], offset: NDArray[np.float64]) -> NDArray[np.float64]:
        negated = np.stack([-offset[:, :, 0], offset[:, :, 1]], axis=2)
        return shifted(w, negated, shift)[_FLIP, _FLIP]

    def ends(edges: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        if edges is None:
            return None
        return np.where(middle.reshape(-1, *[1] * (edges.ndim - 1)), 0, edges)[_FLIP, _FLIP]

    moved = Cells(
        grid.name,
        key[_FLIP],
        rest.rows[_FLIP, _FLIP],
        np.where(middle[:, None], 0, cells.edge)[_FLIP, _FLIP],
        turned(rest.w, rest.offset),
        None if rest.weight is None else rest.weight[_FLIP, _FLIP],
        ends(cells.edge_weight),
        None if rest.offset_v is None else turned(rest.v, rest.offset_v),
    )
    weight = None if on_edge.weight is None else on_edge.weight[_FLIP, _FLIP]
    edges = Cells.from_exact((1.0 - grid.low[cells.key])[_FLIP], on_edge.rows[_FLIP, _FLIP], weight)
    return moved.part(moved.rows.sum(axis=1) > 0) + edges.part(edges.rows.sum(axis=1) > 0)


def _rows_on_edges(cells: Cells, middle: NDArray[np.bool_]) -> Cells:
    edge = np.where(middle[:, None], cells.edge, 0)
    offset = np.zeros_like(cells.offset)
    weight = None if cells.edge_weight is None else np.where((edge > 0)[:, :, None], cells.edge_weight, 0.0)
    return Cells(cells.resolution, cells.key, edge, edge, offset, weight, weight, None if weight is None else offset)


def _rows_off_edges(cells: Cells, on_edge: Cells) -> Cells:
    weight = None if cells.weight is None or on_edge.weight is None else cells.weight - on_edge.weight
    return replace(cells, rows=cells.rows - on_edge.rows, weight=weight)
