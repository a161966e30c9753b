"""The worked examples of the four documents that describe the system, each under its number in the team's list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibrant as cb
from calibrant.bins import Bins

TEN = (
    [0.50, 0.55, 0.80, 0.85, 0.50, 0.30, 0.05, 0.10, 0.10, 0.80],
    [1, 1, 1, 1, 1, 1, 0, 0, 0, 0],
)


@pytest.mark.parametrize(
    ("number", "probs", "label", "score"),
    [
        ("A11", [0.1, 0.9], 1, 0.02),
        ("A12", [0.4, 0.6], 1, 0.32),
        ("A13", [0.1, 0.9], 0, 1.62),
        ("A16", [0.1] * 10, 3, 0.9),
        ("D8", [0.0, 1.0], 1, 0.0),
        ("D11", [0.5, 0.5], 1, 0.5),
        ("D13", [1.0, 0.0], 1, 2.0),
        ("D15", [0.1, 0.7, 0.2], 1, 0.14),
        ("D16", [0.1, 0.7, 0.2], 2, 1.14),
        ("D20", [0.05, 0.95], 0, 1.805),
        ("D21", [0.24, 0.76], 1, 0.1152),
    ],
)
def test_brier_scores_of_one_answer(number: str, probs: list[float], label: int, score: float) -> None:
    assert cb.brier_score([probs], [label], scale="sum") == pytest.approx(score, abs=1e-12), number


def test_a5_a_constant_forecaster_is_calibrated_and_says_nothing() -> None:
    prob, outcome = [0.3] * 10, [1] * 3 + [0] * 7
    parts = cb.murphy_decomposition(prob, outcome)
    assert cb.event_ece(prob, outcome) == pytest.approx(0, abs=1e-15)
    assert (parts.resolution, parts.brier) == (pytest.approx(0, abs=1e-15), pytest.approx(0.21))
    assert cb.brier_skill_score(prob, outcome) == pytest.approx(0, abs=1e-12)


def test_a17_d18_the_uniform_bar() -> None:
    assert [round(cb.uniform_brier(k), 3) for k in (2, 3, 10)] == [0.5, 0.667, 0.9]


def test_a20_a21_a_batch_contributes_its_gap() -> None:
    assert cb.confidence_ece([0.8] * 10, [1] * 8 + [0] * 2) == pytest.approx(0, abs=1e-15)
    assert cb.confidence_ece([0.8] * 10, [1] * 5 + [0] * 5) == pytest.approx(0.3)


def test_a24_the_hedger_has_no_calibration_error_and_the_brier_score_of_a_guess() -> None:
    probs, label = np.full((100, 10), 0.1), np.arange(100) % 10
    assert cb.confidence_ece(probs, label) == pytest.approx(0, abs=1e-12)
    assert cb.brier_score(probs, label) == pytest.approx(0.9)


def test_a26_equal_brier_scores_and_unequal_calibration() -> None:
    # Says 0.7 of what happens 70% of the time, and 0.9 / 0.5 of two kinds that happen 70% and 62%.
    honest = ([0.7] * 100, [1] * 70 + [0] * 30)
    outcome = [1] * 35 + [0] * 15 + [1] * 35 + [0] * 15
    bold = ([0.9] * 50 + [0.7] * 50, outcome)
    assert cb.event_ece(*honest) < 1e-12 < cb.event_ece(*bold)
    assert cb.brier_score(*honest) == pytest.approx(0.21)
    assert cb.brier_score(*bold) == pytest.approx(0.21 + 0.5 * 0.04)


def test_event_and_confidence_errors_can_disagree_completely() -> None:
    prob = [0.3] * 10 + [0.7] * 10
    outcome = [1] * 5 + [0] * 5 + [1] * 9 + [0]
    assert cb.event_ece(prob, outcome) == pytest.approx(0.2)
    # Confidence is 0.7 throughout, and 14 of 20 answers are right.
    assert cb.confidence_ece(prob, outcome) == pytest.approx(0, abs=1e-12)


def test_c13_to_c17_ten_answers() -> None:
    prob, outcome = TEN
    losses = np.square(np.array(prob) - outcome)
    assert losses.sum() == pytest.approx(1.9175)
    assert cb.brier_score(prob, outcome) == pytest.approx(0.19175)
    assert np.sort(losses)[-2:].tolist() == pytest.approx([0.49, 0.64])
    assert cb.brier_skill_score(prob, outcome) == pytest.approx(0.20104, abs=1e-5)
    found = cb.check(prob, outcome).slices[0].carriers
    shares = {(row.said, row.outcome): row.brier_share for row in found}
    assert found[0][:3] == (0.8, 0, 1)
    assert shares[0.8, 0] + shares[0.3, 1] == pytest.approx(0.5893, abs=1e-4)


def test_c19_the_hedger_of_ten_answers() -> None:
    assert cb.brier_score([0.5] * 10, TEN[1]) == 0.25


@pytest.mark.parametrize(
    ("number", "prob", "outcome", "terms"),
    [
        ("C27", [0.9] * 7 + [0.1] * 3, [1] * 7 + [0] * 3, (0.01, 0.01, 0.21, 0.21)),
        ("C28", [0.7] * 10, [1] * 7 + [0] * 3, (0.21, 0.0, 0.0, 0.21)),
        ("C37", [0.95] * 100, [1] * 95 + [0] * 5, (0.0475, 0.0, 0.0, 0.0475)),
        ("C57", [0.5] * 10, [1] * 7 + [0] * 3, (0.25, 0.04, 0.0, 0.21)),
    ],
)
def test_brier_scores_in_their_parts(
    number: str, prob: list[float], outcome: list[int], terms: tuple[float, ...]
) -> None:
    parts = cb.murphy_decomposition(prob, outcome)
    found = (parts.brier, parts.reliability, parts.resolution, parts.uncertainty)
    assert found == pytest.approx(terms, abs=1e-12), number
    isotonic = cb.corp_decomposition(prob, outcome)
    assert (isotonic.miscalibration, isotonic.discrimination) == pytest.approx(terms[1:3], abs=1e-12), number


def test_c55_c56_one_forecast_of_an_event() -> None:
    assert cb.brier_score([0.8], [1]) == pytest.approx(0.04)
    assert cb.brier_score([0.8], [0]) == pytest.approx(0.64)


@given(truth=st.floats(0, 1), said=st.floats(0, 1))
def test_c7_nobody_gains_by_saying_what_they_do_not_believe(truth: float, said: float) -> None:
    def expected(q: float) -> float:
        return truth * cb.brier_score([q], [1]) + (1 - truth) * cb.brier_score([q], [0])

    assert expected(truth) <= expected(said) + 1e-12


@given(prob=st.floats(0, 1), outcome=st.integers(0, 1))
def test_d7_the_sum_over_two_options_is_exactly_twice_the_half(prob: float, outcome: int) -> None:
    assert cb.brier_score([prob], [outcome], scale="sum") == 2 * cb.brier_score([prob], [outcome], scale="half")


def test_d27_to_d29_the_arena_error_by_hand() -> None:
    confidence = np.array([95, 95, 92, 98, 62, 65, 68, 65, 62, 68]) / 100
    right = np.array([1, 1, 1, 0, 1, 1, 1, 1, 0, 0])
    bands = cb.event_ece(confidence, right, bins=Bins.bands())
    assert bands == pytest.approx(0.4 * 0.20 + 0.6 * (2 / 3 - 0.65), abs=1e-12) == pytest.approx(0.09)
    assert cb.event_ece(confidence, right, bins=10) == pytest.approx(0.09)


def test_d38_always_half() -> None:
    prob, outcome = [0.5] * 20, [1] * 10 + [0] * 10
    assert cb.confidence_ece(prob, outcome, bins=Bins.bands()) == 0
    assert cb.brier_score(prob, outcome, scale="sum") == 0.5


def test_d42_what_one_band_contributes() -> None:
    mean = 0.6446
    gap = abs(1 / 4 - mean)
    assert round(100 * gap, 2) == 39.46
    confidence = np.array([mean] * 4 + [1.0] * 76)
    right = np.array([1, 0, 0, 0] + [1] * 76)
    assert 100 * cb.event_ece(confidence, right, bins=Bins.bands()) == pytest.approx(1.973, abs=1e-3)


def test_b15_the_last_bin_holds_one() -> None:
    assert Bins.width(10).index(np.array([0.1, 1.0])).tolist() == [1, 9]
