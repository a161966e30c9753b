"""Nothing crashes, warns or leaves its range, whatever the cells."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calibrant.bins import Bins
from calibrant.calibration.bands import bad_bins, consistency_band, isotonic_band
from calibrant.calibration.classic_tests import hosmer_lemeshow_of_cells, spiegelhalter_of_cells
from calibrant.calibration.gain import cross_fit
from calibrant.calibration.linear import linear_recalibration
from calibrant.calibration.noise import floor_of_cells
from calibrant.calibration.significance import calibration_test_of_cells
from calibrant.calibration.smooth import smooth_ece_of_cells, smooth_floor
from calibrant.calibration.sweep import sweep_floor
from calibrant.intervals.inversion import error_intervals
from calibrant.intervals.ranking import auc_interval_of_cells, auc_test
from calibrant.tallies.cells import Cells
from calibrant.tallies.grid import COMPACT, FINE

PROBS = st.one_of(
    st.floats(0, 1),
    st.sampled_from([0.0, 1.0, 0.5, 0.1, 0.3, 0.7, 1e-300, 5e-324, 1 - 2**-53, 0.9999]),
)


@st.composite
def tables(draw: st.DrawFn) -> Cells:
    rows = draw(st.integers(1, 30))
    p = np.array(draw(st.lists(PROBS, min_size=rows, max_size=rows)))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=rows, max_size=rows)))
    repeat = draw(st.sampled_from([1, 1, 40]))
    weights = draw(st.one_of(st.none(), st.lists(st.floats(1e-3, 1e3), min_size=rows, max_size=rows)))
    w = None if weights is None else np.tile(np.array(weights), repeat)
    cells = Cells.exact(np.tile(p, repeat), np.tile(y, repeat), w)
    grid = draw(st.sampled_from([None, None, FINE, COMPACT]))
    return cells if grid is None else cells.coarsen(grid)


BINS = st.sampled_from([Bins.width(10), Bins.width(1), Bins.width(15, closed="right"), Bins.own([0.2, 0.4, 0.9])])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(), BINS)
def test_every_answer_is_in_its_range(cells: Cells, bins: Bins) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for norm in ("l1", "l2", "max"):
            error, floor = floor_of_cells(cells, bins, norm=norm, draws=99)
            assert min(floor.mean, floor.upper) >= 0
            assert 0 < error.p_value <= 1
            assert error.value >= 0
        for interval in error_intervals(cells, bins, draws=99):
            assert 0 <= interval.low <= interval.high <= 1
        found = calibration_test_of_cells(cells, draws=49)
        assert found.why is not None or 0 < found.p_value <= 1
        smooth = smooth_floor(cells, draws=19)
        assert 0 <= smooth.value <= 1 + 1e-9
        assert smooth.value == smooth_ece_of_cells(cells)
        assert 0 <= sweep_floor(cells, draws=19).value <= 1 + 1e-9
        z = spiegelhalter_of_cells(cells)
        assert z.why is not None or 0 <= z.p_value <= 1
        chi = hosmer_lemeshow_of_cells(cells, 4)
        assert chi.why is not None or 0 <= chi.p_value <= 1
        split = linear_recalibration(cells, draws=99)
        assert split.why is not None or 0 <= split.miscalibration_low <= split.miscalibration_high <= 1
        fitted = cross_fit(cells)
        assert fitted.why is not None or fitted.saved_low <= fitted.saved <= fitted.saved_high
        area = auc_interval_of_cells(cells)
        assert area.low is None or 0 <= area.low <= area.high <= 1  # type: ignore[operator]
        assert not auc_test(cells).p_value > 1
        band = consistency_band(cells, bins, draws=99)
        assert np.all(band.all_low <= band.low + 1e-12)
        assert np.all(band.high <= band.all_high + 1e-12)
        iso = isotonic_band(cells)
        assert np.all((iso.low >= 0) & (iso.high <= 1))
        bad_bins(cells.bin_sums(bins))


@pytest.mark.parametrize("prob", [0.0, 1.0])
def test_certain_forecasts(prob: float) -> None:
    right = Cells.exact(np.full(50, prob), np.full(50, int(prob)))
    wrong = Cells.exact(np.full(50, prob), np.full(50, 1 - int(prob)))
    assert floor_of_cells(right, Bins.width(10))[0][:4] == (0.0, 0.0, 0.0, 1.0)
    assert floor_of_cells(wrong, Bins.width(10))[0].p_value == pytest.approx(1 / 5000)
    assert smooth_ece_of_cells(right) == 0.0
    assert smooth_ece_of_cells(wrong) == pytest.approx(1.0, abs=1e-6)
