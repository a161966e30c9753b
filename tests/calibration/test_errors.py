"""Calibration errors against values worked out by hand, in the seeds and in published cases."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibrant.arrays import CalibrantWarning, cells_of, check_events
from calibrant.bins import Bins
from calibrant.calibration.binning import choose_bins, cube_root_bins, mass_bins
from calibrant.calibration.by_option import classwise_ece, top_label_ece
from calibrant.calibration.debiased import (
    debiased_calibration_error,
    debiased_square,
    kumar_square,
    signed_root,
)
from calibrant.calibration.ece import calibration_error, confidence_ece, event_ece
from calibrant.errors import OptionError
from calibrant.tallies.cells import Cells

D12 = [0.05, 0.12, 0.18, 0.25, 0.33, 0.41, 0.47, 0.58, 0.62, 0.77, 0.83, 0.96]
D12_Y = [0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1]
TENTHS = [k / 10 for k in range(11)]
TENTHS_Y = [0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1]
EIGHT = [
    [0.7, 0.2, 0.1],
    [0.6, 0.3, 0.1],
    [0.1, 0.8, 0.1],
    [0.2, 0.5, 0.3],
    [0.1, 0.2, 0.7],
    [0.3, 0.3, 0.4],
    [0.9, 0.05, 0.05],
    [0.2, 0.6, 0.2],
]
EIGHT_Y = [0, 1, 1, 2, 2, 0, 0, 1]


def near(value: float) -> object:
    return pytest.approx(value, abs=1e-11)


def cells(prob: list[float], outcome: list[int]) -> Cells:
    return cells_of(*check_events(prob, outcome))


@pytest.mark.parametrize(
    ("prob", "outcome", "bins", "expected"),
    [
        ([0.0, 0.9], [1, 1], 10, 0.55),
        ([1, 1, 1, 1, 0], [0, 0, 1, 1, 1], 2, 0.6),
        ([0, 0, 0.2, 0.4, 0.6, 0.9], [1, 0, 0, 1, 1, 1], 5, 0.383333333333),
        (TENTHS, TENTHS_Y, 5, 0.118181818182),
        (TENTHS, TENTHS_Y, 10, 0.3),
        ([0.25, 0.25, 0.55, 0.75, 0.75], [0, 0, 1, 1, 1], 2, 0.29),
        ([0.1] * 9 + [0.5], [1] + [0] * 8 + [1], 10, 0.06),
        ([1.0] * 4, [1] * 4, 10, 0.0),
        ([0.9] * 20, [1] * 15 + [0] * 5, 10, 0.15),
        ([0.25, 0.25, 0.75, 0.75], [0, 0, 1, 1], 2, 0.25),
        ([0.1, 0.2, 0.9], [0, 0, 1], 10, 0.133333333333),
        ([0.9, 0.8, 0.1, 1.0], [1, 1, 0, 1], 10, 0.1),
        ([0.95, 0.95, 0.92, 0.98, 0.62, 0.65, 0.68, 0.65, 0.62, 0.68], [1, 1, 1, 0, 1, 1, 1, 1, 0, 0], 10, 0.09),
        ([0.3] * 10, [1] * 3 + [0] * 7, 10, 0.0),
        ([0.8] * 10, [1] * 5 + [0] * 5, 10, 0.3),
        ([0.3] * 10 + [0.7] * 10, [1] * 5 + [0] * 5 + [1] * 9 + [0], 10, 0.2),
    ],
)
def test_event_ece(prob: list[float], outcome: list[int], bins: int, expected: float) -> None:
    assert event_ece(prob, outcome, bins=bins) == near(round(expected, 12))


def test_event_and_top_choice_disagree_completely() -> None:
    prob, outcome = [0.3] * 10 + [0.7] * 10, [1] * 5 + [0] * 5 + [1] * 9 + [0]
    assert event_ece(prob, outcome) == near(0.2)
    assert confidence_ece(prob, outcome) == near(0.0)
    pair = np.stack([1 - np.array(prob), prob], axis=1)
    assert confidence_ece(pair, outcome) == near(0.0)
    assert event_ece(pair, outcome) == near(0.2)


def test_closing_rules() -> None:
    assert event_ece(TENTHS, TENTHS_Y, bins=5, closed="right") == near(0.190909090909)
    assert event_ece(TENTHS, TENTHS_Y, bins=10, closed="right") == near(0.3)
    counts = cells(TENTHS, TENTHS_Y).bin_sums(Bins.width(10)).n
    assert counts.tolist() == [1] * 9 + [2]


def test_counts_add_up_to_the_rows() -> None:
    found = cells([0, 0, 0.2, 0.4, 0.6, 0.9], [1, 0, 0, 1, 1, 1]).bin_sums(Bins.width(5)).n
    assert found.tolist() == [2, 1, 1, 1, 1]


def test_norms() -> None:
    prob, outcome = [0.25, 0.25, 0.55, 0.75, 0.75], [0, 0, 1, 1, 1]
    assert event_ece(prob, outcome, bins=2, norm="l2") == near(0.291833285741)
    assert event_ece(prob, outcome, bins=2, norm="max") == near(0.316666666667)
    assert event_ece([1, 1, 1, 1, 0], [0, 0, 1, 1, 1], bins=2, norm="max") == near(1.0)
    assert event_ece([0.25, 0.25, 0.75, 0.75], [0, 0, 1, 1], bins=2, norm="max") == near(0.25)
    with pytest.raises(OptionError, match="norm"):
        event_ece(prob, outcome, norm="l3")  # type: ignore[arg-type]


def test_positive_class_and_confidence() -> None:
    prob, outcome = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 0, 1, 0, 1, 0, 1, 1]
    assert event_ece(prob, outcome, bins=5) == near(0.2)
    assert confidence_ece(prob, outcome, bins=5) == near(0.15)
    assert confidence_ece(prob, outcome, bins=5, closed="right") == near(0.25)


def test_three_errors_of_one_model() -> None:
    assert confidence_ece(EIGHT, EIGHT_Y) == near(0.25)
    assert confidence_ece(EIGHT, EIGHT_Y, norm="l2") == near(0.287228132327)
    assert confidence_ece(EIGHT, EIGHT_Y, norm="max") == near(0.5)
    assert classwise_ece(EIGHT, EIGHT_Y) == near(0.258333333333)
    assert classwise_ece(EIGHT, EIGHT_Y, reduce="sum") == near(0.775)
    assert top_label_ece(EIGHT, EIGHT_Y) == near(0.35)
    each = [event_ece([row[k] for row in EIGHT], [int(y == k) for y in EIGHT_Y]) for k in range(3)]
    assert each == near_list([0.2875, 0.24375, 0.24375])


def near_list(values: list[float]) -> object:
    return pytest.approx(values, abs=1e-11)


def test_a_tie_goes_to_the_first_option() -> None:
    assert confidence_ece([[0.5, 0.5, 0.0]], [1]) == near(0.5)
    assert confidence_ece([0.5], [1]) == near(0.5)


def test_a_class_that_never_happens_counts() -> None:
    assert confidence_ece([[0.9, 0.1], [0.8, 0.2]], [0, 0], bins=15) == near(0.15)


def test_hedger_is_calibrated() -> None:
    assert confidence_ece(np.full((10, 10), 0.1), range(10)) == near(0.0)


def test_all_shapes_of_a_yes_no_question_agree() -> None:
    for prob in ([0.2, 0.7], [[0.2], [0.7]], [[0.8, 0.2], [0.3, 0.7]]):
        assert event_ece(prob, [0, 1]) == near(0.25)


def test_bands_of_the_arena() -> None:
    right = [1, 0, 0, 0]
    band = [0.6446] * 4
    others = [0.95] * 76
    view = cells(band + others, right + [1] * 76)
    binned = view.bin_sums(Bins.bands())
    assert binned.n.tolist() == [0, 4, 0, 0, 76]
    assert float(binned.residual[1] / 4) == near(0.3946)
    assert float(binned.residual[1] / 80) == near(0.01973)
    low = cells([0.3, 0.2], [1, 0]).bin_sums(Bins.bands())
    assert low.n.tolist() == [2, 0, 0, 0, 0]


def test_own_edges() -> None:
    prob, outcome, edges = [0.001, 0.004, 0.02, 0.2], [0, 0, 1, 0], [0, 0.005, 0.05, 1]
    binned = cells(prob, outcome).bin_sums(choose_bins(cells(prob, outcome), edges))
    assert binned.n.tolist() == [2, 1, 1]
    assert binned.observed.tolist() == [0, 1, 0]
    assert binned.mean_prob.tolist() == near_list([0.0025, 0.02, 0.2])
    assert event_ece(prob, outcome, bins=edges) == event_ece(prob, outcome, binning=edges)
    assert event_ece(prob, outcome, bins=edges) == event_ece(prob, outcome, bins=Bins.own(edges))


def test_equal_mass_keeps_ties_together() -> None:
    view = cells([0.5] * 4, [0, 1, 1, 1])
    assert len(mass_bins(view, 10)) == 1
    assert mass_bins(view, 10).requested == 10
    assert event_ece([0.5] * 4, [0, 1, 1, 1], binning="mass") == near(0.25)


def test_equal_mass_does_not_depend_on_the_order() -> None:
    prob, outcome = [0.1, 0.2, 0.6, 0.9, 0.3, 0.7, 0.4, 0.8], [0, 0, 1, 1, 0, 1, 0, 1]
    assert event_ece(prob, outcome, bins=2, binning="mass") == near(0.25)
    pairs = sorted(zip(prob, outcome, strict=True))
    sorted_prob, sorted_outcome = zip(*pairs, strict=True)
    assert event_ece(sorted_prob, sorted_outcome, bins=2, binning="mass") == near(0.25)


def test_equal_mass_sizes() -> None:
    prob = np.arange(29) / 29
    view = cells_of(prob, np.zeros(29, dtype=np.intp))
    sizes = view.bin_sums(mass_bins(view, 10)).n
    assert len(sizes) == 10
    assert sorted(sizes.tolist()) == [2] + [3] * 9


def test_equal_mass_with_a_bin_for_one_alone() -> None:
    view = cells([0.2, 0.4, 1.0, 1.0], [0, 1, 1, 1])
    assert view.bin_sums(mass_bins(view, 2)).n.tolist() == [2, 2]
    near_one = np.nextafter(1.0, 0.0)
    tight = cells([near_one, near_one, 1.0, 1.0], [0, 1, 1, 1])
    assert tight.bin_sums(mass_bins(tight, 2)).n.tolist() == [2, 2]


def test_number_of_bins_by_the_cube_root() -> None:
    assert [cube_root_bins(n) for n in (1, 8, 9, 60, 64, 1000, 10**18)] == [1, 2, 3, 4, 4, 10, 10**6]
    view = cells(D12, D12_Y)
    assert len(choose_bins(view, "auto", "mass")) == 3


@pytest.mark.parametrize("bins", [0, -1, 2.5, True, "many", 10**6])
def test_no_number_of_bins(bins: object) -> None:
    with pytest.raises(OptionError):
        event_ece([0.2, 0.7], [0, 1], bins=bins)  # type: ignore[arg-type]


def test_options_that_contradict() -> None:
    with pytest.raises(OptionError, match="twice"):
        event_ece([0.2], [1], bins=[0, 1], binning=[0, 1])
    with pytest.raises(OptionError, match="closed"):
        event_ece([0.2], [1], binning="mass", closed="middle")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="binning"):
        event_ece([0.2], [1], binning="height")  # type: ignore[arg-type]


@pytest.mark.parametrize(("bins", "expected"), [(2, -0.0315763888889), (4, -0.0646138888889), (8, -0.06835)])
def test_debiased_square_is_signed(bins: int, expected: float) -> None:
    found = debiased_calibration_error(D12, D12_Y, bins=bins)
    assert found.square == near(expected)
    assert found.root == near(-math.sqrt(-expected))


def test_kumar_form() -> None:
    view = cells(D12, D12_Y)
    three = view.bin_sums(mass_bins(view, 3))
    assert calibration_error(three, "l2") ** 2 == near(0.00492708333333)
    assert kumar_square(three) == near(-0.0645173611111)
    prob, outcome = [0.9] * 20 + [0.5] * 20, [1] * 12 + [0] * 8 + [1] * 10 + [0] * 10
    two = cells(prob, outcome).bin_sums(Bins.width(10))
    assert calibration_error(two, "l2") ** 2 == near(0.045)
    assert kumar_square(two) == pytest.approx(0.0321053, abs=1e-7)
    assert signed_root(kumar_square(two)) == pytest.approx(0.179179, abs=1e-6)


def test_debiasing_needs_two_rows_in_a_bin() -> None:
    view = cells(D12, D12_Y)
    twelve = view.bin_sums(mass_bins(view, 12))
    assert calibration_error(twelve, "l2") ** 2 == near(0.172825)
    assert math.isnan(kumar_square(twelve))
    with pytest.warns(CalibrantWarning, match="every bin holds a single row"):
        found = debiased_calibration_error(D12, D12_Y, bins=12, binning="mass")
    assert math.isnan(found.square)
    assert math.isnan(found.root)


def test_debiased_square_by_pairs() -> None:
    rng = np.random.default_rng(5)
    prob, weight = rng.random(40), rng.random(40) + 0.1
    outcome = (rng.random(40) < prob).astype(int)
    u = prob - outcome
    place = Bins.width(4).index(prob)
    expected = 0.0
    for k in range(4):
        w, r = weight[place == k], u[place == k]
        pairs = np.outer(w, w) * (1 - np.eye(w.size))
        expected += w.sum() / weight.sum() * float((pairs * np.outer(r, r)).sum() / pairs.sum())
    found = debiased_square(cells_of(prob, outcome, weight).bin_sums(Bins.width(4)))
    assert found == pytest.approx(expected, abs=1e-13)
