"""Every probability lies in the cell that its bounds describe, in every grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.tallies.grid import COARSE, COMPACT, FINE, Grid

GRIDS = [FINE, COARSE, COMPACT]


def hard_values(m: int) -> np.ndarray:
    edges = np.arange(m + 1) / m
    powers = 2.0 ** -np.arange(1.0, 60.0)
    values = [edges, np.nextafter(edges, 0), np.nextafter(edges, 1), powers, 1 - powers, np.nextafter(powers, 0)]
    return np.clip(np.concatenate(values), 0, 1)


@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: grid.name)
@pytest.mark.parametrize("m", [7, 10, 15, 100, 128, 720, 50_400])
def test_a_value_is_inside_its_cell(grid: Grid, m: int) -> None:
    prob = hard_values(m)
    cell = grid.index(prob)
    low, high = grid.low[cell], grid.high[cell]
    upper_tail = cell >= grid.size - grid.tail_cells
    last = prob == 1 - 2.0**-7  # the middle is closed at its upper end
    inside = np.where(upper_tail, (low < prob) & (prob <= high), (low <= prob) & ((prob < high) | last))
    assert inside.all()


@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: grid.name)
@given(pair=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_cells_rise_with_the_probability(grid: Grid, pair: tuple[float, float]) -> None:
    low, high = grid.index(np.array(sorted(pair)))
    assert low <= high


@given(prob=st.floats(0, 1))
def test_the_offset_from_the_anchor_is_exact(prob: float) -> None:
    cell = FINE.index(np.array([prob]))
    anchor = float(FINE.anchor[cell][0])
    assert anchor + (prob - anchor) == prob


@pytest.mark.parametrize("coarse", [COARSE, COMPACT], ids=lambda grid: grid.name)
def test_fine_cells_fit_into_coarser_ones(coarse: Grid) -> None:
    prob = hard_values(50_400)
    assert np.array_equal(coarse.index(prob), coarse.index(FINE.middle[FINE.index(prob)]))


def test_sizes_are_part_of_the_format() -> None:
    assert [(grid.name, grid.size) for grid in GRIDS] == [("fine/1", 117_986), ("coarse/1", 986), ("compact/1", 122)]
