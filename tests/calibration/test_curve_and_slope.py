"""The reliability curve, and slope and intercept."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibrant.arrays import CalibrantWarning, cells_of, check_events
from calibrant.calibration.curve import reliability_curve
from calibrant.calibration.slope import calibration_slope, slope_of_cells
from calibrant.errors import OptionError
from calibrant.intervals.wilson import wilson_interval
from calibrant.tallies.grid import FINE

D12 = [0.05, 0.12, 0.18, 0.25, 0.33, 0.41, 0.47, 0.58, 0.62, 0.77, 0.83, 0.96]
D12_Y = [0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1]


def test_curve_with_weights() -> None:
    curve = reliability_curve([0.2, 0.2, 0.8], [0, 1, 1], bins=2, weights=[3, 1, 2])
    low, high = curve.points
    assert (low.mean_probability, low.observed, low.weight, low.n) == (0.2, 0.25, 4.0, 2)
    assert (high.mean_probability, high.observed, high.weight) == (0.8, 1.0, 2.0)
    assert low.gap == pytest.approx(0.05, abs=1e-15)
    limits = wilson_interval(0.25 * 1.6, 1.6)
    assert (low.observed_low, low.observed_high) == pytest.approx(limits, abs=1e-14)
    frequency = reliability_curve([0.2, 0.2, 0.8], [0, 1, 1], bins=2, weights=[3, 1, 2], weighting="frequency")
    rows = reliability_curve([0.2] * 4 + [0.8] * 2, [0, 0, 0, 1, 1, 1], bins=2)
    assert frequency.points[0].observed_high == rows.points[0].observed_high


def test_empty_bins_have_no_values() -> None:
    curve = reliability_curve([0.0, 1.0, 0.0, 1.0], [0, 1, 0, 1])
    assert [k for k, point in enumerate(curve.points) if point.n] == [0, 9]
    assert len(curve.points) == 10
    empty = curve.points[4]
    assert (empty.low, empty.high, empty.n) == (0.4, 0.5, 0)
    assert (empty.mean_probability, empty.observed, empty.observed_low, empty.observed_high, empty.gap) == (None,) * 5


def test_gap_is_observed_minus_said() -> None:
    over = reliability_curve([0.9] * 10, [1] * 7 + [0] * 3).points[9]
    assert over.gap == pytest.approx(-0.2, abs=1e-12)
    under = reliability_curve([0.9] * 10, [1] * 10).points[9]
    assert under.gap == pytest.approx(0.1, abs=1e-12)
    assert under.observed_high == 1.0


def test_curve_level_and_interval_are_used() -> None:
    ninety = reliability_curve([0.9] * 10, [1] * 7 + [0] * 3, level=0.8).points[9]
    assert (ninety.observed_low, ninety.observed_high) == pytest.approx((0.49737170524, 0.846200821924), abs=1e-11)
    with pytest.raises(OptionError, match="interval"):
        reliability_curve([0.9], [1], interval="wald")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="level"):
        reliability_curve([0.9], [1], level=95)


def test_isotonic_fit_of_the_curve() -> None:
    assert reliability_curve(D12, D12_Y).isotonic.value.tolist() == pytest.approx([0, 1 / 3, 1 / 2, 1])


def test_slope_and_the_two_intercepts() -> None:
    fit = calibration_slope(D12, D12_Y)
    assert fit.intercept == pytest.approx(0.21866415, abs=1e-8)
    assert fit.slope == pytest.approx(1.03392962, abs=1e-8)
    assert fit.in_the_large == pytest.approx(0.2101431, abs=1e-7)
    assert fit.observed_expected == pytest.approx(1.07719928187, abs=1e-11)


def test_standard_errors_by_the_second_derivative() -> None:
    x, y = np.log(np.array(D12) / (1 - np.array(D12))), np.array(D12_Y)
    fit = calibration_slope(D12, D12_Y)

    def loss(a: float, b: float) -> float:
        eta = a + b * x
        return float(np.sum(np.logaddexp(0, eta) - y * eta))

    h = 1e-4
    a, b = fit.intercept, fit.slope
    aa = (loss(a + h, b) - 2 * loss(a, b) + loss(a - h, b)) / h**2
    bb = (loss(a, b + h) - 2 * loss(a, b) + loss(a, b - h)) / h**2
    ab = (loss(a + h, b + h) - loss(a + h, b - h) - loss(a - h, b + h) + loss(a - h, b - h)) / (4 * h**2)
    inverse = np.linalg.inv(np.array([[aa, ab], [ab, bb]]))
    assert fit.intercept_se == pytest.approx(math.sqrt(inverse[0, 0]), rel=1e-5)
    assert fit.slope_se == pytest.approx(math.sqrt(inverse[1, 1]), rel=1e-5)
    assert fit.covariance == pytest.approx(inverse[0, 1], rel=1e-5)


@pytest.mark.parametrize(
    ("prob", "outcome", "reason", "level_too"),
    [
        ([0.2, 0.4, 0.6, 0.8], [0, 0, 1, 1], "separate", False),
        ([0.2, 0.4, 0.6, 0.8], [1, 1, 0, 0], "separate", False),
        ([0.2, 0.5, 0.5, 0.8], [0, 0, 1, 1], "separate", False),
        ([0.3, 0.3, 0.3], [0, 1, 1], "equal", False),
        ([0.3, 0.4], [1, 1], "only one outcome", True),
        ([0.0, 0.4, 0.3], [0, 1, 0], "0 or 1", True),
        ([1.0, 0.4, 0.3], [1, 1, 0], "0 or 1", True),
    ],
)
def test_undefined_slopes_say_why(prob: list[float], outcome: list[int], reason: str, level_too: bool) -> None:
    with pytest.warns(CalibrantWarning, match=reason):
        fit = calibration_slope(prob, outcome)
    assert math.isnan(fit.slope)
    assert math.isnan(fit.slope_se)
    assert reason in (fit.why or "")
    assert math.isnan(fit.in_the_large) == level_too
    assert (fit.why_in_the_large is not None) == level_too


def test_slope_of_far_off_forecasts_converges() -> None:
    rng = np.random.default_rng(3)
    z = rng.normal(size=4000)
    outcome = (rng.random(4000) < 1 / (1 + np.exp(-(2 + 0.05 * 20 * z)))).astype(int)
    fit = calibration_slope(1 / (1 + np.exp(-8 * z)), outcome)
    assert fit.slope == pytest.approx(0.125, abs=0.015)
    tame = calibration_slope(1 / (1 + np.exp(-4 * z)), outcome)
    assert tame.slope == pytest.approx(0.25, abs=0.03)
    assert tame.intercept == pytest.approx(2, abs=0.15)


def test_frequency_weights_are_repeated_rows_in_slope_and_errors() -> None:
    weight = [1, 2, 3, 1, 1, 2, 1, 1, 4, 1, 2, 1]
    frequency = calibration_slope(D12, D12_Y, weights=weight, weighting="frequency")
    repeated = calibration_slope(np.repeat(D12, weight), np.repeat(D12_Y, weight))
    assert frequency[:8] == pytest.approx(repeated[:8], abs=1e-10)
    sampling = calibration_slope(D12, D12_Y, weights=weight)
    assert sampling.slope == pytest.approx(repeated.slope, abs=1e-10)
    assert sampling.slope_se > repeated.slope_se


def test_slope_on_grid_cells_is_close() -> None:
    rng = np.random.default_rng(8)
    prob = rng.beta(2, 2, 5000)
    outcome = (rng.random(5000) < prob).astype(int)
    exact = cells_of(*check_events(prob, outcome))
    on_grid = slope_of_cells(exact.coarsen(FINE))
    assert on_grid.slope == pytest.approx(slope_of_cells(exact).slope, abs=1e-5)
