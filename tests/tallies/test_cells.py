"""Cells add up, coarsen, fold and bin without changing what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrant.bins import Bins
from calibrant.tallies.build import BLOCK, CellBuilder
from calibrant.tallies.cells import MAX_EXACT, BinSums, Cells
from calibrant.tallies.fold import fold
from calibrant.tallies.grid import COARSE, COMPACT, FINE

EDGES = st.integers(1, 100).flatmap(lambda m: st.integers(0, m).map(lambda k: k / m))
PROBS = st.one_of(st.floats(0, 1), EDGES, st.sampled_from([0.0, 1.0, 1e-9, 1 - 1e-9]))
ROWS = st.lists(st.tuples(PROBS, st.integers(0, 1), st.floats(0.1, 9)), min_size=1, max_size=60)


def columns(rows: list[tuple[float, int, float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    prob, outcome, weight = zip(*rows, strict=True)
    return np.array(prob), np.array(outcome, dtype=np.uint8), np.array(weight)


def brute_force(prob: np.ndarray, outcome: np.ndarray, weight: np.ndarray, bins: Bins) -> BinSums:
    place = bins.index(prob)
    out = []
    for values in (np.ones_like(prob), *(w * prob**k for w in (weight, weight**2) for k in (0, 1, 2))):
        table = np.zeros((len(bins), 2))
        np.add.at(table, (place, outcome), values)
        out.append(table)
    return BinSums(*out)


def same(first: BinSums, second: BinSums) -> None:
    for mine, theirs in zip(first, second, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("bins", [1, 2, 10, 15, 100])
@given(rows=ROWS)
@settings(max_examples=40)
def test_bins_agree_with_a_loop_over_rows_exact_and_on_the_grid(bins: int, closed: str, rows: list) -> None:
    prob, outcome, weight = columns(rows)
    scheme = Bins.width(bins, closed=closed)  # type: ignore[arg-type]
    truth = brute_force(prob, outcome, weight, scheme)
    cells = Cells.exact(prob, outcome, weight)
    same(cells.bin_sums(scheme), truth)
    same(cells.coarsen(FINE).bin_sums(scheme), truth)


@given(rows=ROWS, cut=st.integers(0, 60), weighted=st.booleans(), coarse=st.booleans())
def test_adding_parts_is_tallying_the_whole(*, rows: list, cut: int, weighted: bool, coarse: bool) -> None:
    prob, outcome, weight = columns(rows)
    weights = weight if weighted else None
    whole = Cells.exact(prob, outcome, weights)
    parts = [
        Cells.exact(prob[part], outcome[part], None if weights is None else weights[part])
        for part in (slice(0, cut), slice(cut, None))
    ]
    if coarse:
        whole, parts[0] = whole.coarsen(FINE), parts[0].coarsen(FINE)
    for total in (parts[0] + parts[1], parts[1] + parts[0]):
        assert total.resolution == whole.resolution
        assert np.array_equal(total.key, whole.key)
        assert np.array_equal(total.rows, whole.rows)
        assert np.array_equal(total.edge, whole.edge)
        np.testing.assert_allclose(total.offset, whole.offset, rtol=1e-12, atol=1e-15)
        if weighted:
            np.testing.assert_allclose(total.weight, whole.weight, rtol=1e-12)


@given(rows=ROWS)
def test_coarsening_in_steps_is_coarsening_at_once(rows: list) -> None:
    prob, outcome, weight = columns(rows)
    cells = Cells.exact(prob, outcome, weight)
    for grid in (COARSE, COMPACT):
        once, steps = cells.coarsen(grid), cells.coarsen(FINE).coarsen(grid)
        assert np.array_equal(once.key, steps.key)
        assert np.array_equal(once.rows, steps.rows)
        assert np.array_equal(once.edge, steps.edge)
        for mine, theirs in zip(once.sums(), steps.sums(), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-13)


@given(rows=ROWS)
def test_folding_gives_confidence_and_right(rows: list) -> None:
    prob, outcome, weight = columns(rows)
    top = prob >= 0.5
    confidence = np.where(top, prob, 1 - prob)
    direct = Cells.exact(confidence, (top == (outcome == 1)).astype(np.uint8), weight)
    folded = fold(Cells.exact(prob, outcome, weight))
    assert np.array_equal(folded.key, direct.key)
    assert np.array_equal(folded.rows, direct.rows)
    np.testing.assert_allclose(folded.weight, direct.weight, rtol=1e-12)
    gridded = fold(Cells.exact(prob, outcome, weight).coarsen(FINE))
    for bins in (10, 15, 20):
        same(gridded.bin_sums(Bins.width(bins)), direct.bin_sums(Bins.width(bins)))


def test_too_many_distinct_values_fall_to_the_grid_whatever_the_blocks() -> None:
    rng = np.random.default_rng(1)
    prob = rng.random(MAX_EXACT + 5_000)
    outcome = (rng.random(prob.size) < prob).astype(np.uint8)
    at_once, in_blocks = CellBuilder(), CellBuilder()
    at_once.add(prob, outcome)
    for start in range(0, prob.size, 9_999):
        in_blocks.add(prob[start : start + 9_999], outcome[start : start + 9_999])
    first, second = at_once.cells(), in_blocks.cells()
    assert first.resolution == second.resolution == "fine/1"
    assert np.array_equal(first.key, second.key)
    assert np.array_equal(first.rows, second.rows)
    np.testing.assert_allclose(first.offset, second.offset, rtol=1e-9, atol=1e-15)
    assert 2 * FINE.size <= BLOCK


def test_exactly_the_limit_stays_exact() -> None:
    prob = (np.arange(MAX_EXACT) + 0.5) / MAX_EXACT
    builder = CellBuilder()
    builder.add(prob, np.zeros(prob.size, dtype=np.uint8))
    assert builder.cells().is_exact
    builder.add(np.array([0.123]), np.ones(1, dtype=np.uint8))
    assert not builder.cells().is_exact


def test_edges_inside_a_cell_are_counted_as_moved() -> None:
    prob = np.linspace(0, 1, 1000)
    cells = Cells.exact(prob, (prob > 0.5).astype(np.uint8)).coarsen(COMPACT)
    assert cells.edges_moved(Bins.width(10)) == 0
    assert cells.edges_moved(Bins.own([0, 0.505, 1])) == 1


def test_probabilities_that_differ_by_rounding_are_one_when_pooled() -> None:
    cells = Cells.exact(np.array([0.21, 0.21000000000000002, 0.3]), np.array([0, 1, 1]))
    assert len(cells) == 3
    assert cells.pooled().rows.tolist() == [[1, 1], [0, 1]]
    assert cells.coarsen(FINE).pooled().resolution == "fine/1"


def test_sums_do_not_depend_on_the_order_of_rows() -> None:
    prob = np.full(1_000_001, 0.1)
    cells = Cells.exact(prob, np.zeros(prob.size, dtype=np.uint8)).coarsen(FINE)
    total = float(cells.sums().wp.sum())
    assert abs(total - 100_000.1) < 1e-9
