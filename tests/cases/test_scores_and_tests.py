"""Public reports of wrong scores, decompositions, tests and intervals, each with the right value."""

from __future__ import annotations

import math

import numpy as np
import pytest

import calibrant as cb
from calibrant.bins import Bins
from calibrant.calibration.classic_tests import hosmer_lemeshow, spiegelhalter_test
from calibrant.calibration.decomposition import corrected_terms
from calibrant.calibration.significance import tcal_statistic
from calibrant.intervals.means import mean_interval
from calibrant.intervals.wilson import wilson_interval
from calibrant.measure.carriers import carriers
from calibrant.measure.measure import measure
from calibrant.scores.votes import fair_brier_score
from calibrant.tallies.cells import Cells

D12 = (
    [0.05, 0.12, 0.18, 0.25, 0.33, 0.41, 0.47, 0.58, 0.62, 0.77, 0.83, 0.96],
    [0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1],
)
G12 = ([0.1] * 4 + [0.4] * 5 + [0.8] * 3, [0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0])


@pytest.mark.parametrize(
    ("prob", "outcome", "expected"),
    [
        ([0.4], [1], 0.36),  # brier-one-row
        ([1, 1, 1], [1, 1, 1], 0.0),  # brier-all-ones
        ([0.5], [0], 0.25),  # brier-single-class-error
        ([0.25, 0.25, 0.75, 0.75], [0, 0, 1, 1], 0.0625),  # evidently-request
        ([0.1, 0.4, 0.2, 0.9], [0, 0, 1, 1], 0.205),  # brier-event-level
        ([0.1, 0.4, 0.2, 0.9], [1, 1, 0, 0], 0.505),  # brier-event-level
        ([0.1, 0.2, 0.9], [0, 0, 1], 0.02),  # negative-rows-flip
        ([0.9, 0.8, 0.9], [0, 0, 1], 1.46 / 3),  # negative-rows-flip
        ([[1, 0], [0, 1]], [0, 1], 0.0),  # labels-order-ignored
        ([[0.9, 0.1], [0.8, 0.2]], [0, 0], 0.025),  # missing-class-top: the half scale of (n, 2)
        ([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.2, 0.2, 0.6]], [0, 1, 2], 0.44 / 3),  # brier-unnormalised, normalised
    ],
)
def test_brier(prob, outcome, expected):
    half = {"scale": "half"} if np.ndim(prob) == 2 and len(prob[0]) == 2 else {}
    assert cb.brier_score(prob, outcome, **half) == pytest.approx(expected, abs=1e-12)


# weights-zero-row
def test_a_row_without_weight_changes_nothing():
    assert cb.brier_score([0.3, 0.2, 0.99], [1, 0, 0], weights=[1, 1, 0]) == pytest.approx(0.265, abs=1e-12)


# ll-single-class, ll-dtype
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_log_loss_of_a_certain_error_is_infinite_in_every_dtype(dtype):
    assert cb.log_loss(np.array([0.0, 0.2], dtype=dtype), [1, 0]) == math.inf


# ll-one-outlier
def test_one_row_can_carry_most_of_the_log_loss():
    rows = ([0.001, 0.7, 0.6, 0.2, 0.3], [1, 1, 1, 0, 0])
    assert cb.log_loss(*rows) == pytest.approx(1.67101486839, abs=1e-10)
    worst = carriers(Cells.exact(np.array(rows[0]), np.array(rows[1])))[0]
    assert (worst.said, worst.outcome) == (0.001, 1)
    assert worst.log_share == pytest.approx(0.826773646323, abs=1e-10)


# d2-missing-class
def test_skill_without_a_reference_is_undefined():
    rows = ([[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]], [1, 1])
    assert cb.log_loss(*rows) == pytest.approx(0.857399214046, abs=1e-10)
    with pytest.warns(cb.CalibrantWarning, match="undefined"):
        assert math.isnan(cb.brier_skill_score(*rows))


# fair-brier
def test_votes_of_three_members():
    assert fair_brier_score([2], [3], [1]) == pytest.approx(0.0, abs=1e-12)
    assert cb.brier_score([2 / 3], [1]) == pytest.approx(1 / 9, abs=1e-12)


# rps-values, rps-k2, csv-ordinal-order
@pytest.mark.parametrize(
    ("probs", "label", "expected"),
    [
        ([0.1, 0.2, 0.3, 0.4], 0, 1.46),
        ([0.1, 0.2, 0.3, 0.4], 1, 0.66),
        ([0.1, 0.2, 0.3, 0.4], 2, 0.26),
        ([0.1, 0.2, 0.3, 0.4], 3, 0.46),
        ([0.7, 0.3], 1, 0.49),
        ([0.2, 0.3, 0.5], 2, 0.29),
    ],
)
def test_ranked_probability_score(probs, label, expected):
    assert cb.ranked_probability_score([probs], [label]) == pytest.approx(expected, abs=1e-12)
    steps = len(probs) - 1
    assert cb.ranked_probability_score([probs], [label], scale="unit") == pytest.approx(expected / steps, abs=1e-12)


# stephenson-1bins, -2bins, -5bins
@pytest.mark.parametrize(
    ("bins", "terms"),
    [
        (1, (0.00128402777778, 0.0, 0.0790409722222, 0.1575, 0.0784590277778)),
        (2, (0.00138976190476, 0.0642857142857, 0.0198638095238, 0.0341428571429, 0.0785647619048)),
        (5, (0.0420277777778, 0.0972222222222, 0.00385277777778, 0.0258333333333, 0.119202777778)),
    ],
)
def test_five_terms_add_up_and_three_do_not(bins, terms):
    found = cb.murphy_decomposition(*D12, bins=bins)
    ours = (
        found.reliability,
        found.resolution,
        found.within_bin_variance,
        found.within_bin_covariance,
        found.generalised_resolution,
    )
    assert ours == pytest.approx(terms, abs=1e-12)
    three = found.reliability - found.resolution + found.uncertainty
    assert three + found.within_bin_variance - found.within_bin_covariance == pytest.approx(0.172825, abs=1e-12)
    assert abs(three - 0.172825) > 0.01


# murphy-exact
def test_three_terms_over_distinct_values():
    found = cb.murphy_decomposition(*G12)
    assert (found.brier, found.reliability, found.resolution, found.uncertainty) == pytest.approx(
        (0.23, 43 / 3600, 1 / 40, 35 / 144), abs=1e-12
    )


# ferro-base-rate-half
def test_corrected_terms_are_not_cut():
    found = corrected_terms(Cells.exact(np.array(D12[0]), np.array(D12[1])).bin_sums(Bins.width(5)))
    assert (found.reliability, found.resolution, found.uncertainty) == pytest.approx(
        (-0.0551944444444, 0.0227272727273, 0.272727272727), abs=1e-12
    )


# corp-log, corp-antitonic, corp-single-class
@pytest.mark.parametrize(
    ("rows", "score", "expected"),
    [
        (D12, "log", (0.509115721942, 0.118938119682, 0.302969578299, 0.69314718056)),
        (([0.2, 0.9], [1, 0]), "brier", (0.725, 0.475, 0.0, 0.25)),
        (([0.6, 0.9], [1, 1]), "brier", (0.085, 0.085, 0.0, 0.0)),
    ],
)
def test_corp(rows, score, expected):
    found = cb.corp_decomposition(*rows, score=score)
    ours = (found.score, found.miscalibration, found.discrimination, found.uncertainty)
    assert ours == pytest.approx(expected, abs=1e-11)


# intercept-two-kinds
def test_two_kinds_of_intercept_have_two_names():
    found = cb.calibration_slope(*D12)
    assert (found.intercept, found.slope, found.in_the_large) == pytest.approx(
        (0.21866415, 1.03392962, 0.2101431), abs=1e-6
    )
    assert found.observed_expected == pytest.approx(1.07719928187, abs=1e-10)


# spiegelhalter-two-sided, spiegelhalter-all-half
def test_spiegelhalter_has_two_sides_and_can_be_undefined():
    found = spiegelhalter_test([0.6] * 10, [1] * 10)
    assert (found.z, found.p_value) == pytest.approx((-2.58198889747, 0.00982327450752), abs=1e-10)
    assert spiegelhalter_test(*D12).z == pytest.approx(0.0592866, abs=1e-6)
    with pytest.warns(cb.CalibrantWarning):
        none = spiegelhalter_test([0.5, 0.5], [0, 1])
    assert math.isnan(none.z)
    assert none.why


# hosmer-lemeshow-df
@pytest.mark.parametrize(("fitted_here", "p_value"), [(True, 0.288131908961), (False, 0.646665071453)])
def test_hosmer_lemeshow_on_own_and_on_fresh_rows(fitted_here, p_value):
    found = hosmer_lemeshow(*D12, groups=4, fitted_here=fitted_here)
    assert found.chi2 == pytest.approx(2.48867377295, abs=1e-9)
    assert found.p_value == pytest.approx(p_value, abs=1e-9)


# tcal
@pytest.mark.parametrize(("bins", "expected"), [(2, -0.0263671428571), (4, -0.0370666666667), (8, -0.034175)])
def test_the_statistic_of_t_cal(bins, expected):
    sums = Cells.exact(np.array(D12[0]), np.array(D12[1])).bin_sums(Bins.width(bins))
    assert tcal_statistic(sums) == pytest.approx(expected, abs=1e-12)


# interval-level-used, interval-collapse
@pytest.mark.parametrize(
    ("right", "rows", "level", "expected"),
    [
        (7, 10, 0.80, (0.49737170524, 0.846200821924)),
        (7, 10, 0.99, (0.320024679201, 0.920433683477)),
        (5, 5, 0.95, (0.565517535217, 1.0)),
    ],
)
def test_wilson_uses_its_level_and_does_not_collapse(right, rows, level, expected):
    assert tuple(wilson_interval(right, rows, level)) == pytest.approx(expected, abs=1e-9)


# llm-brier-no-se
def test_a_brier_score_has_a_standard_error():
    part = cb.tally(*D12).slices[0]
    assert part.moments.standard_error("brier") == pytest.approx(0.0591714242112, abs=1e-10)
    assert mean_interval(part.moments, "brier").why or mean_interval(part.moments, "brier").method


# bin-accuracy-vs-frequency
def test_observed_share_and_accuracy_are_two_numbers():
    numbers = measure(cb.tally([0.0, 0.0, 0.0], [0, 0, 0]).slices[0]).numbers
    assert numbers["base_rate"].value == 0.0
    assert numbers["accuracy"].value == 1.0
