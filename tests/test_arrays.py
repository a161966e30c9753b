"""The checks of public array functions: what is refused, and with which words."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from calibrant.arrays import CalibrantWarning, check_choices, check_events, undefined
from calibrant.calibration.by_option import classwise_ece
from calibrant.calibration.ece import confidence_ece, event_ece
from calibrant.errors import InputError, RowError
from calibrant.scores.brier import brier_score


@pytest.mark.parametrize(
    ("prob", "outcome", "words"),
    [
        ([1.7, -0.3], [1, 0], "2 of 2 values of `prob` are outside 0 to 1; first prob[0] = 1.7 (row 0)"),
        ([0.9, 0.8, 0.1, 1.0000001], [1, 1, 0, 1], "1 of 4 values of `prob` is outside 0 to 1; first prob[3]"),
        ([0.2, float("nan")], [1, 0], "1 of 2 values of `prob` is missing (nan); first prob[1] = nan (row 1)"),
        ([0.2, float("inf")], [1, 0], "outside 0 to 1; first prob[1] = inf"),
        ([0.9, 0.8, 0.3], [2, 2, 1], "3 of 3 values of `outcome` are not 0 or 1"[2:]),
        ([0.9, 0.8], [1, float("nan")], "`outcome` is missing (nan); first outcome[1]"),
        ([0.9, 0.8], [1, -1], "`outcome` is not 0 or 1; first outcome[1] = -1"),
        ([0.9, 0.8, 0.1], [1, 0], "`prob` has 3 rows and `outcome` has 2"),
        ([], [], "are empty"),
        (["0.9", "0.8"], [1, 0], "`prob` must hold numbers"),
        ([0.9, 0.8], ["yes", "no"], "`outcome` must hold numbers"),
        ([0.9, None], [1, 0], "missing (nan)"),
        ([0.9 + 1j], [1], "must hold numbers"),
        (0.9, 1, "shape (n,)"),
        ([[[0.9]]], [1], "shape (n,)"),
        ([[0.2, 0.3, 0.5]], [1], "shape (n,) for yes/no"),
        ([0.9], [[1, 0]], "shape (n,)"),
    ],
)
def test_events_that_are_refused(prob: object, outcome: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        check_events(prob, outcome)  # type: ignore[arg-type]
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("probs", "label", "words"),
    [
        ([[0.72, 0.09, 0.09], [0.18, 0.63, 0.09], [0.18, 0.18, 0.54]], [0, 1, 2], "3 of 3 values of `probs.sum"),
        ([[0.2, 0.3]], [1], "not 1 within rounding; first probs.sum(axis=1)[0] = 0.5 (row 0)"),
        ([[0.5, 0.5], [0.5, 0.5]], [0, 2], "not the index of an option, 0 to 1; first label[1] = 2"),
        ([[0.5, 0.5]], [-1], "not the index"),
        ([[0.5, 0.5]], [0.5], "not the index"),
        ([[0.5, 0.5]], [float("nan")], "not the index"),
        ([[1.5, -0.5]], [0], "2 of 2 values of `probs` are outside 0 to 1; first probs[0, 0] = 1.5"),
        ([0.5, 0.5], [0, 1], "shape (n, k)"),
        (np.zeros((0, 3)), [], "are empty"),
        ([[0.5, 0.5]], ["dog"], "`label` must hold numbers"),
    ],
)
def test_choices_that_are_refused(probs: object, label: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        check_choices(probs, label)  # type: ignore[arg-type]
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, -0.5], "`weights` is negative; first weights[1] = -0.5 (row 1)"),
        ([0, 0], "The weights sum to zero"),
        ([1, float("inf")], "not a finite number"),
        ([1, float("nan")], "not a finite number"),
        ([1, 1e-200], "too small or too large to be squared; first weights[1] = 1e-200"),
        ([1e200, 1], "divide them all by their mean"),
        ([1, 1, 1], "`weights` has 3 values for 2 rows"),
        (["a", "b"], "must hold numbers"),
    ],
)
def test_weights_that_are_refused(weights: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        check_events([0.3, 0.2], [1, 0], weights)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_swapped_arguments() -> None:
    with pytest.raises(InputError, match="holds only 0 and 1 and `outcome` does not: swapped"):
        brier_score([1], [0.3])
    with pytest.raises(InputError, match="swapped"):
        event_ece([0, 1, 1], [0.2, 0.7, 1.0])


def test_hints_say_what_to_do() -> None:
    with pytest.raises(RowError, match="Divide percentages by 100"):
        check_events([84, 20], [1, 0])
    with pytest.raises(RowError, match="logits into probabilities"):
        check_events([-2.0, 1.3], [1, 0])
    with pytest.raises(RowError, match="give outcome == 2"):
        check_events([0.9, 0.8, 0.3], [2, 2, 1])
    with pytest.raises(InputError, match="use the function for events"):
        classwise_ece([0.5], [1])
    with pytest.raises(InputError, match="confidence_ece"):
        event_ece([[0.2, 0.3, 0.5]], [1])


def test_zero_weight_rows_are_gone_but_indices_stay() -> None:
    checked = check_events([0.3, 0.2, 0.99], [1, 0, 0], [1, 1, 0])
    assert checked.prob.tolist() == [0.3, 0.2]
    assert brier_score([0.3, 0.2, 0.99], [1, 0, 0], weights=[1, 1, 0]) == pytest.approx(0.265, abs=1e-15)
    assert event_ece([0.3, 0.2, 0.99], [1, 0, 0], weights=[1, 1, 0]) == pytest.approx(0.45, abs=1e-15)
    with pytest.raises(RowError, match=r"prob\[2\] = 1.5"):
        check_events([7.0, 0.2, 1.5], [1, 0, 0], [0, 1, 1])


def test_what_is_read_as_it_is_meant() -> None:
    masked = np.ma.array([0.2, 0.9], mask=[False, True])
    with pytest.raises(RowError, match=r"missing \(nan\); first prob\[1\]"):
        check_events(masked, [0, 1])
    assert check_events(np.array([True, False]), [True, False]).outcome.tolist() == [1, 0]
    assert check_events([-0.0], [1]).prob.tobytes() == np.zeros(1).tobytes()
    assert check_events(np.array([0.5], dtype=object), [1]).prob.tolist() == [0.5]


@pytest.mark.parametrize("row", [[0.33, 0.33, 0.33], [0.333, 0.333, 0.333], [0.1, 0.2, 0.7000004]])
def test_rounded_rows_pass_and_are_left_as_they_are(row: list[float]) -> None:
    assert check_choices([row], [0]).probs.tolist() == [row]


@pytest.mark.parametrize("row", [[0.33, 0.33, 0.31], [0.3333, 0.3333, 0.3300], [0.2, 0.3, 0.45]])
def test_rows_that_miss_one_by_more_than_rounding_fail(row: list[float]) -> None:
    with pytest.raises(RowError, match="within rounding"):
        check_choices([row], [0])


def test_float32_decimals_are_the_decimals() -> None:
    short = np.array([0.3, 0.7, 0.6, 0.1], dtype=np.float32)
    outcome = [0, 1, 1, 0]
    assert event_ece(short, outcome) == event_ece([0.3, 0.7, 0.6, 0.1], outcome)
    probs = np.array([[0.7, 0.3], [0.6, 0.4]], dtype=np.float32)
    assert confidence_ece(probs, [0, 1]) == confidence_ece([[0.7, 0.3], [0.6, 0.4]], [0, 1])


def test_undefined_warns_and_is_nan() -> None:
    with pytest.warns(CalibrantWarning, match="because"):
        assert np.isnan(undefined("because"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        brier_score([0.2], [1])
