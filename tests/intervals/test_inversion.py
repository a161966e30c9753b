"""Test inversion: coverage, invariances, cost, agreement with the estimates it belongs to."""

from __future__ import annotations

import time

import numpy as np
import pytest

from calibrant.bins import Bins
from calibrant.calibration.debiased import debiased_square
from calibrant.calibration.ece import calibration_error
from calibrant.intervals.inversion import bin_gaps, error_intervals, l1_interval, l2_interval
from calibrant.tallies.cells import Cells
from calibrant.tallies.grid import FINE

BINS = Bins.width(10)


def coverage(gap: float, rows: int, repeats: int) -> tuple[float, float]:
    """Share of intervals that hold the truth when every bin is `gap` too high: l1 = gap, mean square = gap²."""
    rng = np.random.default_rng(rows)
    hits = np.zeros(2)
    for seed in range(repeats):
        p = 0.2 + 0.6 * rng.random(rows)
        cells = Cells.exact(p, (rng.random(rows) < p - gap).astype(int))
        l1, l2 = error_intervals(cells, BINS, seed=seed, draws=399)
        hits += [l1.low <= gap <= l1.high, l2.square_low <= gap**2 <= l2.square_high]
    return hits[0] / repeats, hits[1] / repeats


@pytest.mark.parametrize("rows", [100, 1000])
def test_intervals_cover_zero(rows: int) -> None:
    assert min(coverage(0.0, rows, 200)) >= 0.94


@pytest.mark.parametrize("rows", [200, 2000])
def test_intervals_cover_a_gap(rows: int) -> None:
    found = coverage(0.1, rows, 150)
    assert min(found) >= 0.905


def test_values_are_those_of_the_estimates() -> None:
    rng = np.random.default_rng(0)
    p, w = rng.random(300), rng.gamma(2, 1, 300)
    for weights in (None, w):
        cells = Cells.exact(p, (rng.random(300) < p**2).astype(int), weights)
        sums = cells.bin_sums(BINS)
        l1, l2 = error_intervals(cells, BINS)
        assert l1.value == pytest.approx(calibration_error(sums), rel=1e-12)
        assert l2.square == pytest.approx(debiased_square(sums), rel=1e-10)
        assert l2.value == pytest.approx(np.sign(l2.square) * abs(l2.square) ** 0.5)
        assert 0 < l1.low <= l1.high < 1
        assert l2.low**2 == pytest.approx(l2.square_low)


def test_levels_are_nested_and_seeds_repeat() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(400)
    gaps = bin_gaps(Cells.exact(p, (rng.random(400) < p**2).astype(int)).bin_sums(BINS))
    for interval in (l1_interval, l2_interval):
        wide, narrow = interval(gaps, level=0.99), interval(gaps, level=0.8)
        assert wide.low <= narrow.low <= narrow.high <= wide.high
        assert interval(gaps, seed=3)[:3] == interval(gaps, seed=3)[:3]


def test_a_lucky_sample_does_not_get_a_point_interval() -> None:
    p = np.repeat([0.25, 0.75], 200)
    y = np.concatenate([np.repeat([0, 1], [150, 50]), np.repeat([0, 1], [50, 150])])
    l1, l2 = error_intervals(Cells.exact(p, y), BINS)
    assert l1.value == 0.0
    assert l1.low == 0.0
    assert 0.02 < l1.high < 0.1
    assert 0.02 < l2.high < 0.1


def test_common_weight_changes_nothing_but_the_draws() -> None:
    rng = np.random.default_rng(2)
    p = rng.random(500)
    y = (rng.random(500) < p**2).astype(int)
    once, thrice = (l1_interval(bin_gaps(Cells.exact(p, y, np.full(500, c)).bin_sums(BINS))) for c in (1.0, 3.0))
    np.testing.assert_allclose(once[:3], thrice[:3], rtol=1e-6)


def test_cost_does_not_grow_with_rows() -> None:
    rng = np.random.default_rng(3)
    cells = [Cells.exact(p := rng.random(n), (rng.random(n) < p).astype(int)).coarsen(FINE) for n in (2000, 60_000)]
    seconds = []
    for part in cells:
        error_intervals(part, BINS)
        begin = time.perf_counter()
        error_intervals(part, Bins.width(20))
        seconds.append(time.perf_counter() - begin)
    assert max(seconds) < 0.4


def test_clustered_variance_widens() -> None:
    rng = np.random.default_rng(4)
    p = rng.random(500)
    sums = Cells.exact(p, (rng.random(500) < p**2).astype(int)).bin_sums(BINS).occupied()
    plain = bin_gaps(sums)
    doubled = bin_gaps(sums, (2 * plain.error * sums.weight) ** 2)
    a, b = l1_interval(plain), l1_interval(doubled)
    assert b.high - b.low > 1.4 * (a.high - a.low)


def test_domain_is_said() -> None:
    few = Cells.exact(np.full(30, 0.99), np.zeros(30, int))
    many = Cells.exact(np.full(60, 0.5), np.repeat([0, 1], 30))
    assert not error_intervals(few, BINS)[0].in_domain
    assert error_intervals(many, BINS)[0].in_domain
