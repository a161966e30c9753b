"""Scores against values worked out by hand, in the seeds and in published cases."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibrant.arrays import CalibrantWarning
from calibrant.calibration.curve import reliability_curve
from calibrant.calibration.ece import confidence_ece
from calibrant.errors import InputError, OptionError
from calibrant.scores.accuracy import accuracy, tied_rows
from calibrant.scores.auc import auc
from calibrant.scores.brier import brier_score, brier_skill_score, uniform_brier
from calibrant.scores.log import log_loss, log_loss_of_happened
from calibrant.scores.ranked import ranked_probability_score
from calibrant.scores.votes import fair_brier_score

D12 = [0.05, 0.12, 0.18, 0.25, 0.33, 0.41, 0.47, 0.58, 0.62, 0.77, 0.83, 0.96]
D12_Y = [0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("prob", "outcome", "expected"),
    [
        ([0.4], [1], 0.36),
        ([1, 1, 1], [1, 1, 1], 0.0),
        ([0.5], [0], 0.25),
        (D12, D12_Y, 0.172825),
        ([0.1, 0.4, 0.2, 0.9], [0, 0, 1, 1], 0.205),
        ([0.25, 0.25, 0.75, 0.75], [0, 0, 1, 1], 0.0625),
        ([0.7], [1], 0.09),
        ([0.3] * 10, [1] * 3 + [0] * 7, 0.21),
        ([0.95] * 100, [1] * 95 + [0] * 5, 0.0475),
        ([0.5] * 10, [1] * 7 + [0] * 3, 0.25),
        ([0.8], [1], 0.04),
        ([0.8], [0], 0.64),
        ([0.9], [1], 0.01),
    ],
)
def test_brier_of_events(prob: list[float], outcome: list[int], expected: float) -> None:
    assert brier_score(prob, outcome) == pytest.approx(expected, abs=1e-15)
    assert brier_score(prob, outcome, scale="sum") == 2 * brier_score(prob, outcome)


@pytest.mark.parametrize(
    ("probs", "label", "expected"),
    [
        ([0.9, 0.1], 0, 0.02),
        ([0.6, 0.4], 0, 0.32),
        ([0.9, 0.1], 1, 1.62),
        ([1.0, 0.0], 0, 0.0),
        ([0.5, 0.5], 0, 0.5),
        ([0.0, 1.0], 0, 2.0),
        ([0.05, 0.95], 0, 1.805),
        ([0.76, 0.24], 0, 0.1152),
        ([0.1, 0.7, 0.2], 1, 0.14),
        ([0.1, 0.7, 0.2], 2, 1.14),
        ([0.1] * 10, 3, 0.9),
        ([0.1, 0.2, 0.3, 0.4], 0, 1.1),
        ([0.1, 0.2, 0.3, 0.4], 1, 0.9),
        ([0.1, 0.2, 0.3, 0.4], 2, 0.7),
        ([0.1, 0.2, 0.3, 0.4], 3, 0.5),
    ],
)
def test_brier_of_choices(probs: list[float], label: int, expected: float) -> None:
    assert brier_score([probs], [label]) == pytest.approx(expected, abs=1e-15)
    assert brier_score([probs], [label], scale="half") == brier_score([probs], [label]) / 2


def test_two_columns_give_the_sum_and_one_column_the_half() -> None:
    pair = np.stack([1 - np.array(D12), D12], axis=1)
    assert brier_score(pair, D12_Y) == pytest.approx(2 * 0.172825, abs=1e-15)
    assert brier_score(np.array(D12)[:, None], np.array(D12_Y)[:, None]) == pytest.approx(0.172825, abs=1e-15)


def test_ten_answers_of_the_seed() -> None:
    right, wrong = [0.5, 0.55, 0.8, 0.85, 0.5, 0.3], [0.05, 0.1, 0.1, 0.8]
    prob, outcome = right + wrong, [1] * 6 + [0] * 4
    assert brier_score(prob, outcome) == pytest.approx(0.19175, abs=1e-15)
    assert brier_skill_score(prob, outcome) == pytest.approx(0.201041666667, abs=1e-12)


@pytest.mark.parametrize(("options", "sum_bar"), [(2, 0.5), (3, 2 / 3), (10, 0.9)])
def test_uniform_bar(options: int, sum_bar: float) -> None:
    assert uniform_brier(options) == pytest.approx(sum_bar, abs=1e-15)
    assert uniform_brier(options, scale="half") == pytest.approx(sum_bar / 2, abs=1e-15)
    uniform = np.full((4, options), 1 / options)
    assert brier_score(uniform, [0, 1, 0, 1]) == pytest.approx(sum_bar, abs=1e-12)


def test_skill_by_reference() -> None:
    assert brier_skill_score(D12, D12_Y) == pytest.approx(0.3087, abs=1e-15)
    assert brier_skill_score(D12, D12_Y, reference=0.3) == pytest.approx(0.404051724138, abs=1e-12)
    assert brier_skill_score(D12, D12_Y, reference="uniform") == pytest.approx(0.3087, abs=1e-15)
    assert brier_skill_score([0.95] * 100, [1] * 95 + [0] * 5) == pytest.approx(0, abs=1e-12)
    probs = [[0.6, 0.2, 0.2], [0.1, 0.8, 0.1]]
    assert brier_skill_score(probs, [0, 1], reference="uniform") == pytest.approx(1 - 0.15 / (2 / 3), abs=1e-12)
    assert brier_skill_score(probs, [0, 1]) == pytest.approx(1 - 0.15 / 0.5, abs=1e-12)


def test_skill_with_one_class_is_undefined() -> None:
    with pytest.warns(CalibrantWarning, match="makes no error"):
        assert math.isnan(brier_skill_score([0.5, 0.7], [1, 1]))
    with pytest.warns(CalibrantWarning):
        assert math.isnan(brier_skill_score([[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]], [1, 1]))


@pytest.mark.parametrize("reference", [1.5, "median", -0.1])
def test_a_reference_that_means_nothing(reference: float | str) -> None:
    with pytest.raises(OptionError, match="reference"):
        brier_skill_score(D12, D12_Y, reference=reference)  # type: ignore[arg-type]


def test_log_loss() -> None:
    assert log_loss(D12, D12_Y) == pytest.approx(0.509115721942, abs=1e-12)
    assert log_loss([0.001, 0.7, 0.6, 0.2, 0.3], [1, 1, 1, 0, 0]) == pytest.approx(1.67101486839, abs=1e-11)
    assert log_loss([[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]], [1, 1]) == pytest.approx(0.857399214046, abs=1e-12)
    assert log_loss([[1, 0], [0, 1]], [0, 1]) == 0.0
    assert log_loss([1.0, 0.0], [1, 0]) == 0.0


def test_log_loss_is_infinite_when_certain_and_wrong() -> None:
    assert log_loss([0], [1]) == math.inf
    for dtype in (np.float64, np.float32, np.float16):
        assert log_loss(np.array([0.0, 0.2], dtype=dtype), [1, 0]) == math.inf
    loss = log_loss_of_happened(np.array([0.0, 0.5, 0.0]))
    assert loss == (math.inf, 2, math.log(2))
    assert math.isnan(log_loss_of_happened(np.zeros(1)).finite_mean)


def test_log_loss_floor_is_explicit() -> None:
    assert log_loss([0.0, 0.5], [1, 1], floor=1e-3) == pytest.approx((math.log(1000) + math.log(2)) / 2, abs=1e-12)
    for floor in (0.0, -1.0, 0.7):
        with pytest.raises(OptionError, match="floor"):
            log_loss([0.0], [1], floor=floor)


@pytest.mark.parametrize(("label", "expected"), [(0, 1.46), (1, 0.66), (2, 0.26), (3, 0.46)])
def test_ranked_probability_score(label: int, expected: float) -> None:
    probs = [[0.1, 0.2, 0.3, 0.4]]
    assert ranked_probability_score(probs, [label]) == pytest.approx(expected, abs=1e-15)
    assert ranked_probability_score(probs, [label], scale="unit") == pytest.approx(expected / 3, abs=1e-15)


def test_ranked_score_of_two_levels_is_the_brier_score() -> None:
    assert ranked_probability_score([[0.7, 0.3]], [1]) == pytest.approx(0.49, abs=1e-15)
    assert brier_score([[0.7, 0.3]], [1]) == pytest.approx(0.98, abs=1e-15)
    assert ranked_probability_score([[0.2, 0.3, 0.5]], [2]) == pytest.approx(0.29, abs=1e-15)
    assert ranked_probability_score([[0.2, 0.3, 0.5]], [2], scale="unit") == pytest.approx(0.145, abs=1e-15)


def test_levels_off_cost_more_the_further_they_are() -> None:
    certain = np.eye(10)[[0]]
    costs = [ranked_probability_score(certain, [label]) for label in range(10)]
    assert costs == [float(label) for label in range(10)]


def test_accuracy_and_its_tie_rule() -> None:
    assert accuracy([[0.5, 0.5, 0.0]], [1]) == 0.0
    assert accuracy([[0.5, 0.5, 0.0]], [0]) == 1.0
    assert tied_rows([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]], [1, 0]) == 1
    assert accuracy([0.5], [1]) == 1.0
    assert accuracy([0.5], [0]) == 0.0
    assert tied_rows([0.5, 0.4], [1, 0]) == 1
    assert accuracy([0.0, 0.0, 0.0], [0, 0, 0]) == 1.0
    assert accuracy([0.9, 0.2], [1, 1], weights=[3, 1]) == 0.75


def test_auc_small() -> None:
    assert auc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]) == 0.75
    assert auc([0.5] * 4, [0, 1, 0, 1]) == 0.5
    with pytest.warns(CalibrantWarning, match="only one outcome"):
        assert math.isnan(auc([0.1, 0.2], [1, 1]))


def test_fair_score_of_a_vote() -> None:
    assert brier_score([2 / 3], [1]) == pytest.approx(1 / 9, abs=1e-12)
    assert fair_brier_score([2], 3, [1]) == pytest.approx(0.0, abs=1e-12)
    rng = np.random.default_rng(1)
    truth = rng.random(20_000)
    outcome = (rng.random(20_000) < truth).astype(int)
    votes = rng.binomial(4, truth)
    assert fair_brier_score(votes, 4, outcome) == pytest.approx(brier_score(truth, outcome), abs=0.006)
    assert brier_score(votes / 4, outcome) > brier_score(truth, outcome) + 0.03
    for yes, members in ((1, 1), (3, 2), (0.5, 2), (-1, 2)):
        with pytest.raises(OptionError, match="Votes"):
            fair_brier_score([yes], members, [1])


def test_observed_share_is_not_accuracy() -> None:
    assert reliability_curve([0.0, 0.0, 0.0], [0, 0, 0]).points[0].observed == 0.0
    assert accuracy([0.0, 0.0, 0.0], [0, 0, 0]) == 1.0


def test_equal_brier_scores_can_hide_different_calibration() -> None:
    # One always says 0.5 and is right half the time, the other says 1 and is right three times in four.
    honest, brash = ([0.5] * 4, [1, 0, 1, 0]), ([1.0] * 4, [1, 1, 1, 0])
    assert brier_score(*honest) == brier_score(*brash) == 0.25
    assert confidence_ece(*honest) == 0.0
    assert confidence_ece(*brash) == 0.25


def test_lengths_must_fit() -> None:
    with pytest.raises(InputError, match="1 rows and `outcome` has 2"):
        brier_score([0.5], [1, 0])
