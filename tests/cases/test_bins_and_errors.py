"""Public reports of wrong calibration errors, each with the right value; the comment names the case."""

from __future__ import annotations

import math

import numpy as np
import pytest

import calibrant as cb
from calibrant.bins import Bins
from calibrant.calibration.binning import cube_root_bins, mass_bins
from calibrant.calibration.debiased import kumar_square
from calibrant.calibration.noise import noise_floor
from calibrant.calibration.smooth import smooth_ece
from calibrant.calibration.sweep import ece_sweep
from calibrant.tallies.cells import Cells

TENTHS = (np.arange(11) / 10, [0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1])
D12 = (
    [0.05, 0.12, 0.18, 0.25, 0.33, 0.41, 0.47, 0.58, 0.62, 0.77, 0.83, 0.96],
    [0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1],
)
EIGHT = ([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 0, 1, 0, 1, 0, 1, 1])
FIVE = ([0.25, 0.25, 0.55, 0.75, 0.75], [0, 0, 1, 1, 1])
THREE_CLASSES = (
    [
        [0.7, 0.2, 0.1],
        [0.6, 0.3, 0.1],
        [0.1, 0.8, 0.1],
        [0.2, 0.5, 0.3],
        [0.1, 0.2, 0.7],
        [0.3, 0.3, 0.4],
        [0.9, 0.05, 0.05],
        [0.2, 0.6, 0.2],
    ],
    [0, 1, 1, 2, 2, 0, 0, 1],
)


@pytest.mark.parametrize(
    ("rows", "options", "expected"),
    [
        ((([0.0, 0.9]), [1, 1]), {}, 0.55),  # edge-p0-dropped
        (([0.5] * 4, [0, 1, 1, 1]), {"binning": "mass"}, 0.25),  # eqmass-all-ties
        (TENTHS, {"bins": 5}, 13 / 110),  # edge-convention-5
        (TENTHS, {"bins": 5, "closed": "right"}, 21 / 110),  # edge-convention-5
        (TENTHS, {"closed": "left"}, 0.3),  # edge-float-misbinning-10
        (TENTHS, {"closed": "right"}, 0.3),  # edge-float-misbinning-10
        (([0, 0, 0.2, 0.4, 0.6, 0.9], [1, 0, 0, 1, 1, 1]), {"bins": 5}, 2.3 / 6),  # edge-counts-sum-to-n
        (([1, 1, 1, 1, 0], [0, 0, 1, 1, 1]), {"bins": 2}, 0.6),  # edge-p0-crash
        (([1, 1, 1, 1, 0], [0, 0, 1, 1, 1]), {"bins": 2, "norm": "max"}, 1.0),  # edge-p0-crash
        (FIVE, {"bins": 2}, 0.29),  # ece-norms, llm-rms-ce
        (FIVE, {"bins": 2, "norm": "l2"}, 0.291833285741),  # ece-norms, llm-rms-ce
        (FIVE, {"bins": 2, "norm": "max"}, 0.95 / 3),  # ece-norms
        (EIGHT, {"bins": 5}, 0.2),  # ece-positive-vs-confidence
        (([0.1] * 9 + [0.5], [1] + [0] * 8 + [1]), {}, 0.06),  # ece-bin-weight
        (([1.0] * 4, [1] * 4), {}, 0.0),  # ece-mean-pred-not-midpoint
        (([0.9] * 20, [1] * 15 + [0] * 5), {}, 0.15),  # ece-unit: a fraction, not percent
        (([0.25, 0.25, 0.75, 0.75], [0, 0, 1, 1]), {"bins": 2}, 0.25),  # evidently-request
        (([0.25, 0.25, 0.75, 0.75], [0, 0, 1, 1]), {"bins": 2, "norm": "max"}, 0.25),  # evidently-request
        (([0.2, 0.2, 0.8], [0, 1, 1]), {"bins": 2, "weights": [3, 1, 2]}, 0.1),  # curve-weights
        (([0.3, 0.2, 0.99], [1, 0, 0]), {"weights": [1, 1, 0]}, 0.45),  # weights-zero-row
        (([0.1, 0.2, 0.9], [0, 0, 1]), {}, 0.4 / 3),  # negative-rows-flip
    ],
)
def test_event_ece(rows, options, expected):
    assert cb.event_ece(*rows, **options) == pytest.approx(expected, abs=1e-12)


# eqmass-needs-sorting
def test_equal_mass_does_not_depend_on_the_order_of_rows():
    prob = np.array([0.1, 0.2, 0.6, 0.9, 0.3, 0.7, 0.4, 0.8])
    outcome = np.array([0, 0, 1, 1, 0, 1, 0, 1])
    for order in (np.arange(8), np.argsort(prob), np.argsort(-prob)):
        assert cb.event_ece(prob[order], outcome[order], bins=2, binning="mass") == pytest.approx(0.25, abs=1e-12)


# eqmass-count-29
def test_ten_bins_of_equal_mass_are_ten():
    cells = Cells.exact(np.arange(1, 30) / 30, np.zeros(29, dtype=int))
    sizes = cells.bin_sums(mass_bins(cells, 10)).n
    assert len(sizes) == 10
    assert sorted(sizes.tolist()) == [2] + [3] * 9


# cube-root-trap, auto-bins
@pytest.mark.parametrize(("rows", "bins"), [(8, 2), (60, 4), (64, 4), (1000, 10), (1001, 11)])
def test_the_cube_root_is_taken_in_whole_numbers(rows, bins):
    assert cube_root_bins(rows) == bins


# edge-float-misbinning-10, edge-counts-sum-to-n, diagram-empty-bins, custom-edges
@pytest.mark.parametrize(
    ("prob", "bins", "counts"),
    [
        (np.arange(11) / 10, Bins.width(10), [1] * 9 + [2]),
        ([0, 0, 0.2, 0.4, 0.6, 0.9], Bins.width(5), [2, 1, 1, 1, 1]),
        ([0.0, 1.0, 0.0, 1.0], Bins.width(10), [2] + [0] * 8 + [2]),
        ([0.001, 0.004, 0.02, 0.2], Bins.own([0, 0.005, 0.05, 1]), [2, 1, 1]),
    ],
)
def test_counts_of_bins(prob, bins, counts):
    cells = Cells.exact(np.array(prob), np.zeros(len(prob), dtype=int))
    assert cells.bin_sums(bins).n.tolist() == counts


# custom-edges, diagram-empty-bins
def test_own_edges_and_empty_bins_of_a_curve():
    curve = cb.reliability_curve([0.001, 0.004, 0.02, 0.2], [0, 0, 1, 0], bins=[0, 0.005, 0.05, 1])
    assert [point.observed for point in curve.points] == [0, 1, 0]
    assert [point.mean_probability for point in curve.points] == pytest.approx([0.0025, 0.02, 0.2])
    empty = cb.reliability_curve([0.0, 1.0], [0, 1], bins=10).points[1:9]
    assert {(point.n, point.observed, point.gap) for point in empty} == {(0, None, None)}


# curve-weights
def test_weights_in_the_curve():
    first, second = cb.reliability_curve([0.2, 0.2, 0.8], [0, 1, 1], bins=2, weights=[3, 1, 2]).points
    assert (first.mean_probability, first.observed, first.weight) == pytest.approx((0.2, 0.25, 4))
    assert (second.mean_probability, second.observed, second.weight) == pytest.approx((0.8, 1.0, 2))


# ece-positive-vs-confidence; the case's right-closed value too
@pytest.mark.parametrize(("closed", "expected"), [("left", 0.15), ("right", 0.25)])
def test_confidence_ece_is_another_number(closed, expected):
    both = np.stack([1 - np.array(EIGHT[0]), EIGHT[0]], axis=1)
    assert cb.confidence_ece(both.round(1), EIGHT[1], bins=5, closed=closed) == pytest.approx(expected, abs=1e-12)


# multiclass-three-eces
def test_three_estimands_of_three_options():
    assert cb.confidence_ece(*THREE_CLASSES) == pytest.approx(0.25, abs=1e-12)
    assert cb.confidence_ece(*THREE_CLASSES, norm="l2") == pytest.approx(0.287228132327, abs=1e-12)
    assert cb.confidence_ece(*THREE_CLASSES, norm="max") == pytest.approx(0.5, abs=1e-12)
    assert cb.classwise_ece(*THREE_CLASSES) == pytest.approx(0.775 / 3, abs=1e-12)
    assert cb.classwise_ece(*THREE_CLASSES, reduce="sum") == pytest.approx(0.775, abs=1e-12)
    assert cb.top_label_ece(*THREE_CLASSES) == pytest.approx(0.35, abs=1e-12)


# argmax-tie, missing-class-top, llm-confidence-definition
@pytest.mark.parametrize(
    ("probs", "label", "bins", "expected"),
    [
        ([[0.5, 0.5, 0.0]], [1], 10, 0.5),
        ([[0.9, 0.1], [0.8, 0.2]], [0, 0], 15, 0.15),
        ([[0.7, 0.3], [0.6, 0.4], [0.2, 0.8]], [0, 1, 1], 10, 1.1 / 3),
    ],
)
def test_confidence_ece(probs, label, bins, expected):
    assert cb.confidence_ece(probs, label, bins=bins) == pytest.approx(expected, abs=1e-12)


# kumar-negative: the peer's own formula is negative, and so is ours; neither is cut at 0
def test_a_debiased_square_below_zero_is_shown():
    cells = Cells.exact(np.array(D12[0]), np.array(D12[1]))
    sums = cells.bin_sums(mass_bins(cells, 3))
    assert kumar_square(sums) == pytest.approx(-0.0645173611111, abs=1e-12)
    ours = cb.debiased_calibration_error(*D12, bins=3, binning="mass")
    assert ours.square < 0
    assert ours.root == pytest.approx(-math.sqrt(-ours.square), abs=1e-15)
    assert cb.event_ece(*D12, bins=3, binning="mass", norm="l2") ** 2 == pytest.approx(0.00492708333333, abs=1e-12)


# kumar-singletons
def test_debiasing_needs_two_rows_in_some_bin():
    with pytest.warns(cb.CalibrantWarning, match="every bin holds a single row"):
        assert math.isnan(cb.debiased_calibration_error(*D12, bins=12, binning="mass").square)
    assert cb.event_ece(*D12, bins=12, binning="mass", norm="l2") ** 2 == pytest.approx(0.172825, abs=1e-12)


# smece, smece-one-point
def test_smooth_ece_is_the_exact_fixed_point():
    assert smooth_ece(*D12) == pytest.approx(0.0782633408961, abs=2e-4)
    assert smooth_ece(*D12) == pytest.approx(0.0771366381386, rel=0.02)
    assert smooth_ece([0.2], [1]) == pytest.approx(0.8, abs=1e-3)


# ece-sweep
@pytest.mark.parametrize(("norm", "expected"), [("l1", 0.1475), ("l2", 0.172006136841)])
def test_the_sweep_stops_at_four_bins(norm, expected):
    found = ece_sweep(*D12, norm=norm)
    assert found.bins == 4
    assert found.value == pytest.approx(expected, abs=1e-12)


# noise-floor
@pytest.mark.parametrize(("n", "mean", "high"), [(60, 0.128, 0.182), (200, 0.070, 0.099), (1000, 0.032, 0.048)])
def test_a_perfect_model_does_not_score_zero(n, mean, high):
    floor = noise_floor((np.arange(n) + 0.5) / n)
    assert floor.mean == pytest.approx(mean, abs=0.01)
    assert floor.upper == pytest.approx(high, abs=0.01)
