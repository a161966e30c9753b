"""Consistency and confidence bands: simulated levels, validity at every point."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from calibrant.bins import Bins
from calibrant.calibration.bands import bad_bins, consistency_band, isotonic_band, simultaneous_wilson
from calibrant.tallies.cells import Cells

BINS = Bins.width(10)


def test_one_bin_has_binomial_limits() -> None:
    band = consistency_band(Cells.exact(np.full(100, 0.84), np.zeros(100, int)), BINS)
    expected = stats.binom.ppf([0.025, 0.975], 100, 0.84) / 100
    np.testing.assert_allclose([band.low[0], band.high[0]], expected, atol=0.0101)


def test_calibrated_forecasters_stay_inside_as_often_as_promised() -> None:
    rng = np.random.default_rng(0)
    whole = each = listed = 0
    for seed in range(300):
        p = rng.random(400)
        cells = Cells.exact(p, (rng.random(400) < p).astype(int))
        band = consistency_band(cells, BINS, seed=seed, draws=999)
        seen = cells.bin_sums(BINS).occupied().observed
        whole += np.all((seen >= band.all_low - 1e-9) & (seen <= band.all_high + 1e-9))
        each += np.mean((seen >= band.low - 1e-9) & (seen <= band.high + 1e-9))
        listed += bad_bins(cells.bin_sums(BINS)).any()
    assert 0.92 <= whole / 300 <= 0.99
    assert 0.93 <= each / 300 <= 0.98
    assert listed / 300 <= 0.08


def test_simultaneous_limits_are_wider_than_single_ones() -> None:
    p = np.random.default_rng(1).random(500)
    cells = Cells.exact(p, (p > 0.5).astype(int))
    low, high = simultaneous_wilson(cells.bin_sums(BINS))
    one_low, one_high = simultaneous_wilson(cells.bin_sums(Bins.width(1)))
    assert low.size == 10
    assert one_low.size == 1
    assert float((high - low).min()) > float(one_high[0] - one_low[0])


@pytest.mark.parametrize("rows", [50, 1000])
def test_isotonic_band_holds_the_curve_everywhere(rows: int) -> None:
    rng = np.random.default_rng(rows)
    at = np.linspace(0, 1, 401)
    misses = 0
    for _ in range(150):
        p = rng.beta(1, 2, rows).round(3)
        band = isotonic_band(Cells.exact(p, (rng.random(rows) < p**2).astype(int)))
        place = np.searchsorted(band.prob, at, side="right") - 1
        low = np.where(place >= 0, band.low[np.maximum(place, 0)], 0.0)
        above = np.searchsorted(band.prob, at, side="left")
        high = np.append(band.high, 1.0)[above]
        misses += np.any((at**2 < low - 1e-12) | (at**2 > high + 1e-12))
    assert misses / 150 <= 0.05


def test_isotonic_band_narrows_and_excludes_the_diagonal_when_it_is_wrong() -> None:
    rng = np.random.default_rng(2)
    p = rng.random(20_000)
    band = isotonic_band(Cells.exact(p, (rng.random(20_000) < 0.25 + 0.5 * p).astype(int)))
    middle = np.searchsorted(band.prob, [0.1, 0.9])
    assert band.low[middle[0]] > 0.1
    assert band.high[middle[1]] < 0.9
    assert float(np.median(band.high - band.low)) < 0.15


def test_weights_have_no_isotonic_band_and_say_so() -> None:
    band = isotonic_band(Cells.exact(np.array([0.2, 0.4]), np.array([0, 1]), np.array([1.0, 2.0])))
    assert band.prob.size == 0
    assert "weights" in str(band.why)


def test_a_95_percent_band_cuts_off_two_and_a_half_percent_on_either_side() -> None:
    """Case band-alpha: scoringrules calls the 5th and 95th percentile a band for alpha = 0.05."""
    cells = Cells.exact(np.full(400, 0.3), np.repeat([0, 1], [280, 120]))
    bins = Bins.width(10)
    band = consistency_band(cells, bins, level=0.95)
    low, high = stats.binom.ppf([0.025, 0.975], 400, 0.3) / 400
    assert band.low[0] == pytest.approx(low, abs=1.5 / 400)
    assert band.high[0] == pytest.approx(high, abs=1.5 / 400)
    narrow = consistency_band(cells, bins, level=0.90)
    assert narrow.low[0] > band.low[0]
    assert narrow.high[0] < band.high[0]
