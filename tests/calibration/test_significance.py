"""The calibration test and the descriptive tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from calibrant.arrays import CalibrantWarning
from calibrant.bins import Bins
from calibrant.calibration.classic_tests import hosmer_lemeshow, spiegelhalter_test
from calibrant.calibration.rounding import rounding_step
from calibrant.calibration.significance import calibration_test, calibration_test_of_cells, tcal_statistic
from calibrant.tallies.cells import Cells
from calibrant.tallies.grid import FINE

PROB = np.array([0.05, 0.12, 0.18, 0.25, 0.33, 0.41, 0.47, 0.58, 0.62, 0.77, 0.83, 0.96])
OUTCOME = np.array([0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1])


@pytest.mark.parametrize(("bins", "expected"), [(2, -0.0263671428571), (4, -0.0370666666667), (8, -0.034175)])
def test_tcal_statistic_is_that_of_the_official_code(bins: int, expected: float) -> None:
    found = tcal_statistic(Cells.exact(PROB, OUTCOME).bin_sums(Bins.width(bins)))
    assert found == pytest.approx(expected, abs=1e-12)


def test_spiegelhalter_has_two_sides() -> None:
    found = spiegelhalter_test(PROB, OUTCOME)
    assert found.z == pytest.approx(0.0592866, abs=1e-7)
    assert found.p_value == pytest.approx(0.952724, abs=1e-6)
    timid = spiegelhalter_test([0.6] * 10, [1] * 10)
    assert timid.z == pytest.approx(-2.58198889747, abs=1e-10)
    assert timid.p_value == pytest.approx(0.00982327450752, abs=1e-11)


def test_spiegelhalter_is_undefined_without_variance() -> None:
    with pytest.warns(CalibrantWarning, match="no variance"):
        found = spiegelhalter_test([0.5, 0.5], [0, 1])
    assert np.isnan(found.z)
    assert np.isnan(found.p_value)


def test_hosmer_lemeshow_degrees_of_freedom() -> None:
    external = hosmer_lemeshow(PROB, OUTCOME, groups=4)
    fitted = hosmer_lemeshow(PROB, OUTCOME, groups=4, fitted_here=True)
    assert external.chi2 == fitted.chi2 == pytest.approx(2.48867377295, abs=1e-10)
    assert external.p_value == pytest.approx(0.646665071453, abs=1e-11)
    assert fitted.p_value == pytest.approx(0.288131908961, abs=1e-11)


def test_score_statistic_is_the_textbook_one() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(300)
    y = (rng.random(300) < p).astype(int)
    design = np.stack([np.ones(300), np.log(p / (1 - p))])
    u = design @ (y - p)
    expected = u @ np.linalg.solve((design * (p * (1 - p))) @ design.T, u)
    found = calibration_test(p, y)
    assert found.score == pytest.approx(expected, rel=1e-9)
    assert found.score_p == pytest.approx(stats.chi2.sf(expected, 2), abs=0.05)


@pytest.mark.parametrize("weighted", [False, True])
def test_level_of_the_calibration_test(weighted: bool) -> None:
    rng = np.random.default_rng(5)
    rejected = 0
    for seed in range(300):
        p = rng.beta(1, 2, 150)
        w = rng.gamma(4, 0.25, 150) if weighted else None
        cells = Cells.exact(p, (rng.random(150) < p).astype(int), w)
        rejected += calibration_test_of_cells(cells, seed=seed, draws=199).p_value <= 0.05
    assert 0.02 <= rejected / 300 <= 0.085


def test_power_against_tilts_and_bumps() -> None:
    rng = np.random.default_rng(6)
    p = rng.random(2000)
    tilt = 0.25 + 0.5 * p
    bumps = np.clip(p + 0.12 * np.sin(40 * p), 0, 1)
    for truth in (tilt, bumps):
        assert calibration_test(p, rng.random(2000) < truth).p_value <= 0.01


def test_rounded_honest_forecasts_are_not_impossible() -> None:
    rng = np.random.default_rng(7)
    p = 1 - rng.beta(0.3, 30, 4000)
    y = (rng.random(4000) < p).astype(int)
    printed = p.round(2)
    assert np.any((printed == 1) & (y == 0))
    found = calibration_test(printed, y)
    assert found.rounding == 0.01
    assert found.p_value > 0.05
    assert calibration_test(np.append(p, 1.0), np.append(y, 0)).p_value <= 0.05


def test_rounding_is_seen_only_where_all_values_share_it() -> None:
    assert rounding_step(Cells.exact(np.array([0.1, 0.2, 0.9]), np.zeros(3, int))) == 0.1
    assert rounding_step(Cells.exact(np.array([0.1, 0.2, 0.9, 0.12345]), np.zeros(4, int))) == 0.0
    assert rounding_step(Cells.exact(np.array([0.5, 0.5]), np.zeros(2, int))) == 0.0


def test_certain_forecasts_cannot_be_tested_and_say_so() -> None:
    found = calibration_test_of_cells(Cells.exact(np.array([0.0, 1.0]), np.array([0, 1])))
    assert np.isnan(found.p_value)
    assert found.why is not None


def test_cells_and_grid_agree() -> None:
    rng = np.random.default_rng(8)
    p = rng.random(5000)
    cells = Cells.exact(p, (rng.random(5000) < p).astype(int))
    exact, grid = (calibration_test_of_cells(part, seed=1) for part in (cells, cells.coarsen(FINE)))
    assert exact.score == pytest.approx(grid.score, rel=1e-3)
    assert exact.p_value == pytest.approx(grid.p_value, abs=0.02)
