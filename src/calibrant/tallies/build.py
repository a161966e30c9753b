"""Building cells in one pass: exact while distinct probabilities are few, on a grid after that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.tallies.cells import MAX_EXACT, Cells
from calibrant.tallies.grid import FINE, Grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BLOCK", "CellBuilder"]

_TICKS = 10_000.0
_PEEK = MAX_EXACT + MAX_EXACT // 16

BLOCK = 2**18
"""Rows handled at once; several times the number of grid cells, since a count clears all cells."""


class CellBuilder:
    """Collects (probability, outcome, weight) blocks into one table of cells.

    Example:
        >>> builder = CellBuilder()
        >>> builder.add(np.array([0.3, 0.3, 0.9]), np.array([0, 1, 1], dtype=np.uint8))
        >>> builder.cells().rows.tolist()
        [[1, 1], [0, 1]]
    """

    def __init__(self, grid: Grid = FINE, *, weighted: bool = False) -> None:
        self._grid = grid
        self._weighted = weighted
        self._key = np.zeros(0)
        self._rows = np.zeros((0, 2), dtype=np.int64)
        self._weight = np.zeros((0, 2, 2))
        self._dense: _DenseCells | None = None

    def add(
        self, prob: NDArray[np.float64], outcome: NDArray[np.uint8], weight: NDArray[np.float64] | None = None
    ) -> None:
        """Add one block of rows; probabilities are float64 inside [0, 1]."""
        if self._dense is None and _surely_many(prob):
            self._to_grid()
        if self._dense is None:
            self._add_exact(prob, outcome, weight)
            if self._key.size > MAX_EXACT:
                self._to_grid()
        else:
            self._dense.add(prob, outcome, weight)

    def _to_grid(self) -> None:
        self._dense = _DenseCells(self._grid, weighted=self._weighted)
        self._dense.take(self._exact_cells().coarsen(self._grid))

    def cells(self) -> Cells:
        """The table of all rows added so far."""
        return self._exact_cells() if self._dense is None else self._dense.cells()

    def _exact_cells(self) -> Cells:
        return Cells.from_exact(self._key, self._rows, self._weight if self._weighted else None)

    def _add_exact(
        self, prob: NDArray[np.float64], outcome: NDArray[np.uint8], weight: NDArray[np.float64] | None
    ) -> None:
        ticks = np.rint(prob * _TICKS)
        if np.array_equal(ticks / _TICKS, prob):
            place = self._place_of_ticks(ticks.astype(np.intp))
        else:
            place = self._place_of_values(prob)
        slot = 2 * place + outcome
        size = 2 * self._key.size
        self._rows += np.bincount(slot, minlength=size).reshape(-1, 2)
        if self._weighted and weight is not None:
            self._weight[:, :, 0] += np.bincount(slot, weight, minlength=size).reshape(-1, 2)
            self._weight[:, :, 1] += np.bincount(slot, weight * weight, minlength=size).reshape(-1, 2)

    def _place_of_ticks(self, ticks: NDArray[np.intp]) -> NDArray[np.intp]:
        """Places of probabilities with at most four decimals: a look-up instead of a search."""
        found = np.flatnonzero(np.bincount(ticks))
        table = np.zeros(found[-1] + 1 if found.size else 1, dtype=np.intp)
        table[found] = self._place_of_values(found / _TICKS)
        return table[ticks]

    def _place_of_values(self, prob: NDArray[np.float64]) -> NDArray[np.intp]:
        """Places of any probabilities in the keys, which grow by those not seen before."""
        known = self._key
        place = np.minimum(np.searchsorted(known, prob), max(known.size - 1, 0))
        new = prob[known[place] != prob] if known.size else prob
        if not new.size:
            return place
        self._key = np.union1d(known, new)
        moved = np.searchsorted(self._key, known)
        self._rows = _spread(self._rows, moved, self._key.size)
        if self._weighted:
            self._weight = _spread(self._weight, moved, self._key.size)
        return np.searchsorted(self._key, prob)


class _DenseCells:
    """Sums for every cell of a grid and outcome, empty ones included: the fast form while rows come in."""

    def __init__(self, grid: Grid, *, weighted: bool) -> None:
        size = 2 * grid.size
        self.grid = grid
        self.rows = np.zeros(size, dtype=np.int64)
        self.edge = np.zeros(size, dtype=np.int64)
        self.offset = np.zeros((2, size))
        self.weight = np.zeros((2, size)) if weighted else None
        self.edge_weight = np.zeros((2, size)) if weighted else None
        self.offset_v = np.zeros((2, size)) if weighted else None

    def add(self, prob: NDArray[np.float64], outcome: NDArray[np.uint8], weight: NDArray[np.float64] | None) -> None:
        cell = self.grid.index(prob)
        offset = prob - self.grid.anchor[cell]
        slot = 2 * cell + outcome
        on_edge = np.flatnonzero((offset == 0) | (prob == 1.0))
        on_edge = on_edge[self.grid.on_edge(prob[on_edge], cell[on_edge])]
        self.rows += self._count(slot, None)
        self._add_edges(slot[on_edge], None if weight is None else weight[on_edge])
        if self.weight is None or self.offset_v is None or weight is None:
            self.offset[0] += self._count(slot, offset)
            np.multiply(offset, offset, out=offset)
            self.offset[1] += self._count(slot, offset)
            return
        square = weight * weight
        for power in (0, 1):
            self.weight[power] += self._count(slot, weight if power == 0 else square)
            self.offset[power] += self._count(slot, weight * offset ** (power + 1))
            self.offset_v[power] += self._count(slot, square * offset ** (power + 1))

    def _add_edges(self, slot: NDArray[np.intp], weight: NDArray[np.float64] | None) -> None:
        if not slot.size:
            return
        self.edge += self._count(slot, None)
        if self.edge_weight is not None and weight is not None:
            self.edge_weight[0] += self._count(slot, weight)
            self.edge_weight[1] += self._count(slot, weight * weight)

    def _count(self, slot: NDArray[np.intp], values: NDArray[np.float64] | None) -> NDArray[Any]:
        return np.bincount(slot, values, minlength=self.rows.size)

    def take(self, cells: Cells) -> None:
        """Add cells that are already on this grid."""
        slot = (2 * cells.key[:, None] + np.arange(2)).ravel()
        self.rows[slot] += cells.rows.ravel()
        self.edge[slot] += cells.edge.ravel()
        for mine, theirs in (
            (self.offset, cells.offset),
            (self.weight, cells.weight),
            (self.edge_weight, cells.edge_weight),
            (self.offset_v, cells.offset_v),
        ):
            if mine is not None and theirs is not None:
                mine[:, slot] += theirs.reshape(-1, 2).T

    def cells(self) -> Cells:
        rows = self.rows.reshape(-1, 2)
        key = np.flatnonzero(rows.sum(axis=1))

        def part(sums: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
            return None if sums is None else np.moveaxis(sums.reshape(2, -1, 2), 0, 2)[key]

        offset = part(self.offset)
        assert offset is not None
        return Cells(
            self.grid.name,
            key.astype(np.int64),
            rows[key],
            self.edge.reshape(-1, 2)[key],
            offset,
            part(self.weight),
            part(self.edge_weight),
            part(self.offset_v),
        )


def _surely_many(prob: NDArray[np.float64]) -> bool:
    """True when a few more rows than an exact view may have cells hold that many distinct values."""
    return prob.size > _PEEK and np.unique(prob[:_PEEK]).size > MAX_EXACT


def _spread(part: NDArray[Any], moved: NDArray[np.intp], size: int) -> NDArray[Any]:
    out = np.zeros((size, *part.shape[1:]), dtype=part.dtype)
    out[moved] = part
    return out
