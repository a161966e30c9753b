"""Cells: one view of a tally, a sparse table sorted by probability, from which every statistic is computed.

A cell stands for one probability (`exact`) or one interval of a grid. Per outcome (0, 1) it holds the number of
rows, sums of weights, and sums of the offset f = p - anchor. Of an exact cell the anchor is the probability itself,
so its offsets are 0. Tables add up: the cells of two files are the cells of the files together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.tallies.grid import GRIDS, Grid
from calibrant.tallies.sums import BinSums, ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.bins import Bins

__all__ = ["EXACT", "MAX_EXACT", "BinSums", "Cells", "group", "shifted"]

EXACT = "exact"
ROUNDING = 1e-15
MAX_EXACT = 2**16
"""A view with more distinct probabilities than this falls to its grid."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A sorted sparse table of cells; see the module's text.

    Attributes:
        resolution: "exact" or the name of a grid.
        key: the probability of an exact cell (float64), or the index of a grid cell (int64); rising strictly.
        rows: int64, shape (m, 2): rows per outcome.
        edge: int64, shape (m, 2): rows exactly on the cell's edge, so that both closing rules can be answered.
        offset: float64, shape (m, 2, 2): Σwf and Σwf² per outcome.
        weight: float64, shape (m, 2, 2): Σw and Σw² per outcome, or None when rows have no weights.
        edge_weight: the same for the rows on the edge, or None.
        offset_v: float64, shape (m, 2, 2): Σw²f and Σw²f², or None.
    """

    resolution: str
    key: NDArray[Any]
    rows: NDArray[np.int64]
    edge: NDArray[np.int64]
    offset: NDArray[np.float64]
    weight: NDArray[np.float64] | None = None
    edge_weight: NDArray[np.float64] | None = None
    offset_v: NDArray[np.float64] | None = None

    # --- making -----------------------------------------------------------------------------------------------

    @classmethod
    def exact(
        cls,
        prob: NDArray[np.float64],
        outcome: NDArray[np.integer],
        weights: NDArray[np.float64] | None = None,
    ) -> Cells:
        """One cell per distinct probability, however many there are.

        Args:
            prob: float64, shape (n,), inside [0, 1].
            outcome: 0 or 1, shape (n,).
            weights: float64, shape (n,), not negative; None counts every row once.
        """
        key, place = np.unique(prob, return_inverse=True)
        slot = 2 * place + outcome
        size = 2 * key.size

        def total(values: NDArray[np.float64] | None) -> NDArray[Any]:
            return np.bincount(slot, values, minlength=size).reshape(-1, 2)

        rows = total(None).astype(np.int64)
        weight = None if weights is None else np.stack([total(weights), total(weights * weights)], axis=2)
        return cls.from_exact(key, rows, weight)

    @classmethod
    def from_exact(cls, key: NDArray[np.float64], rows: NDArray[np.int64], weight: NDArray[np.float64] | None) -> Cells:
        """Exact cells from their keys, rows and weights; nothing lies off its anchor."""
        zero = np.zeros((key.size, 2, 2))
        return cls(EXACT, key, rows, rows, zero, weight, weight, None if weight is None else zero)

    @classmethod
    def empty(cls, *, weighted: bool = False) -> Cells:
        """No cell at all."""
        return cls.from_exact(np.zeros(0), np.zeros((0, 2), np.int64), np.zeros((0, 2, 2)) if weighted else None)

    # --- looking ----------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.key.size

    @property
    def is_exact(self) -> bool:
        """True while every cell is one distinct probability."""
        return self.resolution == EXACT

    @property
    def is_weighted(self) -> bool:
        """True when rows have weights."""
        return self.weight is not None

    @property
    def grid(self) -> Grid:
        """The grid of cells that are not exact."""
        return GRIDS[self.resolution]

    @property
    def n(self) -> int:
        """Rows in all."""
        return int(self.rows.sum())

    @property
    def anchor(self) -> NDArray[np.float64]:
        """The value from which the offsets of each cell are counted."""
        return self.key if self.is_exact else self.grid.anchor[self.key]

    @property
    def w(self) -> NDArray[np.float64]:
        """Σw per cell and outcome, shape (m, 2)."""
        return self.rows.astype(np.float64) if self.weight is None else self.weight[:, :, 0]

    @property
    def v(self) -> NDArray[np.float64]:
        """Σw² per cell and outcome, shape (m, 2)."""
        return self.rows.astype(np.float64) if self.weight is None else self.weight[:, :, 1]

    @property
    def prob(self) -> NDArray[np.float64]:
        """The mean probability of each cell; exactly the probability where cells are exact."""
        if self.is_exact:
            return self.key
        return self.anchor + ratio(self.offset[:, :, 0].sum(axis=1), self.w.sum(axis=1))

    def sums(self) -> BinSums:
        """Σw, Σwp, Σwp² and their w² twins per cell and outcome."""
        anchor = self.anchor[:, None]
        w, v = self.w, self.v
        wf, wff = self.offset[:, :, 0], self.offset[:, :, 1]
        vf, vff = (wf, wff) if self.offset_v is None else (self.offset_v[:, :, 0], self.offset_v[:, :, 1])
        return BinSums(
            self.rows,
            w,
            w * anchor + wf,
            (w * anchor + 2 * wf) * anchor + wff,
            v,
            v * anchor + vf,
            (v * anchor + 2 * vf) * anchor + vff,
        )

    def bin_index(self, bins: Bins) -> NDArray[np.intp]:
        """The bin of each cell. Of grid cells the middle decides, so an edge inside a cell is moved to its end."""
        return bins.index(self.key if self.is_exact else self.grid.middle[self.key])

    def edges_moved(self, bins: Bins) -> int:
        """How many edges of `bins` lie inside an occupied cell and are therefore moved to an end of it."""
        if self.is_exact:
            return 0
        low, high = self.grid.low[self.key], self.grid.high[self.key]
        inner = bins.edges[1:-1]
        at = np.clip(np.searchsorted(low, inner, side="right") - 1, 0, max(len(self) - 1, 0))
        return 0 if not len(self) else int(np.count_nonzero((low[at] < inner) & (inner < high[at])))

    def bin_sums(self, bins: Bins) -> BinSums:
        """Sums per bin, empty bins included; they add up to those of all cells."""
        per_cell = self.sums()
        place = self.bin_index(bins)
        binned = BinSums(*(_add_up(place, part, len(bins)) for part in per_cell))
        if self.is_exact or bins.closed == "left":
            return binned
        return self._close_right(binned, place, bins)

    def _close_right(self, binned: BinSums, place: NDArray[np.intp], bins: Bins) -> BinSums:
        """Move the rows that lie exactly on a bin's lower edge into the bin below."""
        low = self.grid.low[self.key]
        moves = np.flatnonzero((place > 0) & (low == bins.edges[place]) & (self.edge.sum(axis=1) > 0))
        value = low[moves][:, None]
        rows = self.edge[moves]
        w, v = (
            (rows.astype(np.float64),) * 2
            if self.edge_weight is None
            else (self.edge_weight[moves, :, 0], self.edge_weight[moves, :, 1])
        )
        moved = BinSums(rows, w, w * value, w * value**2, v, v * value, v * value**2)
        source = place[moves]
        return BinSums(
            *(
                part - _add_up(source, gone, len(bins)) + _add_up(source - 1, gone, len(bins))
                for part, gone in zip(binned, moved, strict=True)
            )
        )

    # --- changing resolution, adding ----------------------------------------------------------------------------

    def coarsen(self, grid: Grid) -> Cells:
        """The same rows on a grid; exact cells or a finer grid whose cells fit into this one's."""
        if self.resolution == grid.name:
            return self
        if self.is_exact:
            value: NDArray[np.float64] = self.key
            index = grid.index(value)
            keep_edge = grid.on_edge(value, index)
        else:
            index = grid.index(self.grid.middle[self.key])
            low = np.where(self.key == self.grid.size - 1, 1.0, self.grid.low[self.key])
            keep_edge = grid.on_edge(low, index)
        shift = (self.anchor - grid.anchor[index])[:, None]
        key, start = np.unique(index, return_index=True)
        edge = np.where(keep_edge[:, None], self.edge, 0)
        rows, edges = group(self.rows, start), group(edge, start)
        offset = group(shifted(self.w, self.offset, shift), start)
        if self.weight is None or self.edge_weight is None or self.offset_v is None:
            return Cells(grid.name, key.astype(np.int64), rows, edges, offset)
        edge_weight = np.where(keep_edge[:, None, None], self.edge_weight, 0.0)
        return Cells(
            grid.name,
            key.astype(np.int64),
            rows,
            edges,
            offset,
            group(self.weight, start),
            group(edge_weight, start),
            group(shifted(self.v, self.offset_v, shift), start),
        )

    def pooled(self) -> Cells:
        """The same rows with exact probabilities that differ by rounding only (less than 1e-15) taken as one.

        0.21 and 0.21000000000000002 are the same forecast; an order between them would be an order of noise.
        """
        start = np.flatnonzero(np.append(True, np.diff(self.key) >= ROUNDING)) if len(self) else np.zeros(0, np.intp)
        if not self.is_exact or start.size == len(self):
            return self
        weight = None if self.weight is None else group(self.weight, start)
        return Cells.from_exact(self.key[start], group(self.rows, start), weight)

    def as_frequency(self) -> Cells:
        """Weights that are numbers of repetitions become rows, as if every row had been written that often."""
        if self.weight is None or self.edge_weight is None:
            return self
        rows = np.rint(self.weight[:, :, 0]).astype(np.int64)
        if self.is_exact:
            return Cells.from_exact(self.key, rows, None)
        edge = np.rint(self.edge_weight[:, :, 0]).astype(np.int64)
        return Cells(self.resolution, self.key, rows, edge, self.offset)

    def with_weights(self) -> Cells:
        """The same cells with every row's weight, 1, written out."""
        if self.weight is not None:
            return self
        twice = np.stack([self.rows, self.rows], axis=2).astype(np.float64)
        on_edge = np.stack([self.edge, self.edge], axis=2).astype(np.float64)
        return replace(self, weight=twice, edge_weight=on_edge, offset_v=self.offset)

    def __add__(self, other: Cells) -> Cells:
        """Both tables together; at the coarser of the two resolutions, or coarser if the sum needs it."""
        if not isinstance(other, Cells):
            return NotImplemented
        left, right = self, other
        if left.is_weighted != right.is_weighted:
            left, right = left.with_weights(), right.with_weights()
        if left.resolution != right.resolution:
            coarse = min((cells.grid for cells in (left, right) if not cells.is_exact), key=lambda grid: grid.size)
            left, right = left.coarsen(coarse), right.coarsen(coarse)
        key = np.concatenate([left.key, right.key])
        order = np.argsort(key, kind="stable")
        key, start = np.unique(key[order], return_index=True)

        def both(name: str) -> NDArray[Any]:
            return group(np.concatenate([getattr(left, name), getattr(right, name)])[order], start)

        rows = both("rows").astype(np.int64)
        if left.is_exact:
            return Cells.from_exact(key, rows, both("weight") if left.is_weighted else None)
        weights = (both("weight"), both("edge_weight"), both("offset_v")) if left.is_weighted else (None, None, None)
        return Cells(left.resolution, key, rows, both("edge").astype(np.int64), both("offset"), *weights)

    def part(self, keep: NDArray[np.bool_]) -> Cells:
        """The cells marked `keep`."""

        def kept(column: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if column is None else column[keep]

        return Cells(
            self.resolution,
            self.key[keep],
            self.rows[keep],
            self.edge[keep],
            self.offset[keep],
            kept(self.weight),
            kept(self.edge_weight),
            kept(self.offset_v),
        )


def shifted(w: NDArray[np.float64], offset: NDArray[np.float64], shift: NDArray[np.float64]) -> NDArray[np.float64]:
    """Σwf and Σwf² after every offset has grown by `shift`."""
    wf, wff = offset[:, :, 0], offset[:, :, 1]
    return np.stack([wf + w * shift, wff + (2 * wf + w * shift) * shift], axis=2)


def group(part: NDArray[Any], start: NDArray[np.intp]) -> NDArray[Any]:
    """Sums of the runs of rows that begin at `start`."""
    return np.add.reduceat(part, start, axis=0) if part.shape[0] else part


def _add_up(place: NDArray[np.intp], part: NDArray[Any], size: int) -> NDArray[Any]:
    """Sums of the cells in each bin; cells rise, so those of a bin stand together."""
    out = np.zeros((size, *part.shape[1:]), dtype=part.dtype)
    if place.size:
        start = np.flatnonzero(np.append(True, np.diff(place) > 0))
        out[place[start]] = np.add.reduceat(part, start, axis=0)
    return out
