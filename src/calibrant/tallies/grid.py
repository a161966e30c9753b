"""Grids: the fixed cells a view falls back to when it has too many distinct probabilities.

The middle of [0, 1] has `width_cells` cells of equal width; within 2**-7 of 0 and of 1 cells have a constant
*relative* width instead, so that rare events keep their resolution. A cell is named by its index, which rises with
the probability. The fine grid has 50,400 middle cells because 50,400 is divisible by every usual number of bins:
equal-width bins with up to 128 of its divisors are exact. A grid never changes: a new one gets a new name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["COARSE", "COMPACT", "FINE", "GRIDS", "Grid"]

TAIL = 2.0**-7


@dataclass(frozen=True)
class Grid:
    """Fixed cells on [0, 1].

    Attributes:
        name: the versioned name that tally files carry.
        width_cells: number of equal-width cells on [0, 1]; those inside the tails stay empty.
        tail_bits: each octave of a tail has 2**tail_bits cells.
        tail_until: the last tail cell holds everything within 2**-tail_until of the end.
    """

    name: str
    width_cells: int
    tail_bits: int
    tail_until: int

    @cached_property
    def tail_cells(self) -> int:
        """Cells in one tail."""
        return ((self.tail_until - 7) << self.tail_bits) + 1

    @cached_property
    def size(self) -> int:
        """Cells in all."""
        return self.width_cells + 2 * self.tail_cells

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """Edges k / width_cells of the middle cells, by division; the last one is open upwards."""
        edges = np.arange(self.width_cells + 1) / self.width_cells
        edges[-1] = np.inf
        return edges

    @cached_property
    def _tail_low(self) -> NDArray[np.float64]:
        steps = np.arange(self.tail_cells, dtype=np.int64)
        bits = (steps - 1 + ((1023 - self.tail_until) << self.tail_bits)) << (52 - self.tail_bits)
        low = bits.view(np.float64).copy()
        low[0] = 0.0
        return low

    @cached_property
    def low(self) -> NDArray[np.float64]:
        """Lower bound of every cell, shape (size,)."""
        tail = self._tail_low
        upper = np.append(tail[1:], TAIL)
        return np.concatenate([tail, np.clip(self.edges[:-1], TAIL, 1 - TAIL), 1.0 - upper[::-1]])

    @cached_property
    def high(self) -> NDArray[np.float64]:
        """Upper bound of every cell, shape (size,)."""
        tail = self._tail_low
        upper = np.append(tail[1:], TAIL)
        middle = np.clip(self.edges[1:], TAIL, 1 - TAIL)
        return np.concatenate([upper, middle, 1.0 - tail[::-1]])

    @cached_property
    def anchor(self) -> NDArray[np.float64]:
        """The value from which a cell's offsets are counted: its lower edge, and 0 or 1 in the tails.

        With these anchors the offset p - anchor is exact in floating point (Sterbenz), so sums of offsets do not
        depend on the order of the rows to more than their own rounding.
        """
        tail = self.tail_cells
        return np.concatenate([np.zeros(tail), np.arange(self.width_cells) / self.width_cells, np.ones(tail)])

    @cached_property
    def middle(self) -> NDArray[np.float64]:
        """A point inside each cell, for deciding which bin holds the cell."""
        return (self.low + self.high) / 2

    def index(self, prob: NDArray[np.float64]) -> NDArray[np.intp]:
        """The cell of each probability (float64, inside [0, 1])."""
        m = self.width_cells
        scaled = prob * m
        cell = scaled.astype(np.intp)
        near = np.flatnonzero(np.abs(scaled - np.rint(scaled)) < 1e-6)
        if near.size:  # only there can the product land on the wrong side of an edge
            at = np.minimum(cell[near], m - 1)
            value = prob[near]
            at -= value < self.edges[at]
            at += value >= self.edges[at + 1]
            cell[near] = at
        cell += self.tail_cells
        in_tail = np.flatnonzero((prob < TAIL) | (prob > 1 - TAIL))
        if in_tail.size:
            value = prob[in_tail]
            upper = value > 0.5
            distance = np.where(upper, 1.0 - value, value)
            bits = distance.view(np.int64) >> (52 - self.tail_bits)
            step = np.maximum(bits - (((1023 - self.tail_until) << self.tail_bits) - 1), 0)
            cell[in_tail] = np.where(upper, self.size - 1 - step, step)
        return cell

    def on_edge(self, prob: NDArray[np.float64], cell: NDArray[np.intp]) -> NDArray[np.bool_]:
        """True where a probability equals the edge that decides its bin: a middle cell's lower edge, 0 or 1."""
        return np.asarray(np.where(cell == self.size - 1, prob == 1.0, prob == self.low[cell]))


FINE = Grid("fine/1", 50_400, 10, 40)
COARSE = Grid("coarse/1", 720, 2, 40)
COMPACT = Grid("compact/1", 60, 0, 37)
GRIDS = {grid.name: grid for grid in (FINE, COARSE, COMPACT)}
