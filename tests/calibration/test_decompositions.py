"""Decompositions of the Brier score and of the log loss."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibrant.arrays import cells_of, check_events
from calibrant.calibration.corp import corp_decomposition, corp_of_cells
from calibrant.calibration.decomposition import MurphyDecomposition, decompose, murphy_decomposition
from calibrant.calibration.isotonic import isotonic_fit
from calibrant.scores.brier import brier_score
from calibrant.tallies.grid import COARSE, FINE

D12 = [0.05, 0.12, 0.18, 0.25, 0.33, 0.41, 0.47, 0.58, 0.62, 0.77, 0.83, 0.96]
D12_Y = [0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1]
G12 = [0.1] * 4 + [0.4] * 5 + [0.8] * 3
G12_Y = [0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0]


def near(value: float) -> object:
    return pytest.approx(value, abs=1e-12)


def five_terms(terms: MurphyDecomposition) -> float:
    three = terms.reliability - terms.resolution + terms.uncertainty
    return three + terms.within_bin_variance - terms.within_bin_covariance


def test_murphy_over_distinct_values() -> None:
    terms = murphy_decomposition(G12, G12_Y)
    assert terms.brier == near(0.23)
    assert terms.reliability == near(43 / 3600)
    assert terms.resolution == near(1 / 40)
    assert terms.uncertainty == near(35 / 144)
    assert terms.within_bin_variance == near(0)
    assert terms.within_bin_covariance == near(0)
    assert terms.bins == 3


def test_bias_corrected_terms_stay_signed() -> None:
    found = murphy_decomposition(G12, G12_Y).corrected
    assert found.reliability == near(43 / 3600 - 53 / 720)
    assert found.resolution == near(1 / 40 - 53 / 720 + 35 / 144 / 11)
    assert found.uncertainty == near(35 / 132)
    half = murphy_decomposition(D12, D12_Y, bins=5).corrected
    assert half.reliability == near(-0.05519444444444444)
    assert half.resolution == near(1 / 44)
    assert half.uncertainty == near(3 / 11)


def test_rows_that_cannot_be_corrected_are_counted() -> None:
    found = murphy_decomposition(D12, D12_Y).corrected
    assert found.rows_in_bins_of_one == 12
    assert found.reliability == near(0.172825)
    assert murphy_decomposition(D12, D12_Y, bins=2).corrected.rows_in_bins_of_one == 0


@pytest.mark.parametrize(
    ("bins", "expected", "generalised", "three_terms"),
    [
        (5, (0.0420277777778, 0.0972222222222, 0.00385277777778, 0.0258333333333), 0.119202777778, 0.194805555556),
        (2, (0.00138976190476, 0.0642857142857, 0.0198638095238, 0.0341428571429), 0.0785647619048, 0.187104047619),
        (1, (0.00128402777778, 0.0, 0.0790409722222, 0.1575), 0.0784590277778, 0.251284027778),
    ],
)
def test_binned_terms_of_stephenson(
    bins: int, expected: tuple[float, ...], generalised: float, three_terms: float
) -> None:
    terms = murphy_decomposition(D12, D12_Y, bins=bins)
    found = (terms.reliability, terms.resolution, terms.within_bin_variance, terms.within_bin_covariance)
    assert found == pytest.approx(expected, abs=1e-12)
    assert terms.generalised_resolution == near(generalised)
    assert terms.reliability - terms.resolution + terms.uncertainty == near(three_terms)
    assert five_terms(terms) == near(0.172825)
    assert terms.brier == near(0.172825)


@pytest.mark.parametrize(
    ("prob", "outcome", "expected"),
    [
        ([0.9] * 7 + [0.1] * 3, [1] * 7 + [0] * 3, (0.01, 0.01, 0.21, 0.21)),
        ([0.7] * 10, [1] * 7 + [0] * 3, (0.21, 0.0, 0.0, 0.21)),
        ([0.5] * 10, [1] * 7 + [0] * 3, (0.25, 0.04, 0.0, 0.21)),
        ([0.95] * 100, [1] * 95 + [0] * 5, (0.0475, 0.0, 0.0, 0.0475)),
        ([0.3] * 10, [1] * 3 + [0] * 7, (0.21, 0.0, 0.0, 0.21)),
    ],
)
def test_two_agents_of_the_seed(
    prob: list[float], outcome: list[int], expected: tuple[float, float, float, float]
) -> None:
    terms = murphy_decomposition(prob, outcome)
    assert (terms.brier, terms.reliability, terms.resolution, terms.uncertainty) == pytest.approx(expected, abs=1e-12)
    corp = corp_decomposition(prob, outcome)
    found = (corp.score, corp.miscalibration, corp.discrimination, corp.uncertainty)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("prob", "outcome", "score", "expected"),
    [
        (D12, D12_Y, "brier", (0.172825, 0.172825 - 5 / 36, 1 / 9, 0.25)),
        (D12, D12_Y, "log", (0.509115721942, 0.118938119682, 0.302969578299, 0.69314718056)),
        (G12, G12_Y, "brier", (0.23, 43 / 3600, 1 / 40, 35 / 144)),
        ([0.6, 0.9], [1, 1], "brier", (0.085, 0.085, 0.0, 0.0)),
        ([0.2, 0.9], [1, 0], "brier", (0.725, 0.475, 0.0, 0.25)),
        ([0.5] * 4, [0, 1, 1, 1], "brier", (0.25, 0.0625, 0.0, 0.1875)),
    ],
)
def test_corp(prob: list[float], outcome: list[int], score: str, expected: tuple[float, ...]) -> None:
    terms = corp_decomposition(prob, outcome, score=score)  # type: ignore[arg-type]
    found = (terms.score, terms.miscalibration, terms.discrimination, terms.uncertainty)
    assert found == pytest.approx(expected, abs=2e-12)
    assert terms.error_bound == 0.0


def test_corp_log_score_certain_and_wrong() -> None:
    terms = corp_decomposition([0.0, 0.4, 0.9], [1, 0, 1], score="log")
    assert terms.score == math.inf
    assert terms.miscalibration == math.inf
    assert math.isfinite(terms.discrimination)
    assert math.isfinite(terms.uncertainty)


def test_isotonic_blocks() -> None:
    fit = isotonic_fit(cells_of(*check_events(D12, D12_Y)))
    assert fit.low.tolist() == [0.05, 0.18, 0.41, 0.77]
    assert fit.high.tolist() == [0.12, 0.33, 0.62, 0.96]
    assert fit.value.tolist() == pytest.approx([0, 1 / 3, 1 / 2, 1], abs=1e-15)
    assert fit.weight.tolist() == [2, 3, 4, 3]
    assert fit(np.array([0.0, 0.12, 0.15, 0.2, 1.0])).tolist() == pytest.approx([0, 0, 0, 1 / 3, 1], abs=1e-15)


def test_isotonic_fit_pools_equal_probabilities_first() -> None:
    fit = isotonic_fit(cells_of(*check_events([0.0, 0.25, 0.25, 0.5, 0.75], [0, 1, 0, 0, 1])))
    assert fit.value.tolist() == pytest.approx([0, 1 / 3, 1], abs=1e-15)


def test_coarse_cells_still_add_up_and_bound_their_error() -> None:
    rng = np.random.default_rng(11)
    prob = rng.random(3000)
    outcome = (rng.random(3000) < prob).astype(np.intp)
    exact = cells_of(prob, outcome)
    truth = corp_of_cells(exact)
    for grid in (FINE, COARSE):
        coarse = exact.coarsen(grid)
        terms = decompose(coarse.sums())
        assert terms.brier == pytest.approx(brier_score(prob, outcome), abs=1e-13)
        assert five_terms(terms) == pytest.approx(terms.brier, abs=1e-12)
        found = corp_of_cells(coarse)
        assert found.score == pytest.approx(truth.score, abs=1e-13)
        assert found.uncertainty == truth.uncertainty
        for ours, exactly in (
            (found.miscalibration, truth.miscalibration),
            (found.discrimination, truth.discrimination),
        ):
            assert ours - 1e-12 <= exactly <= ours + found.error_bound + 1e-12
        assert 0 < found.error_bound < 0.02
