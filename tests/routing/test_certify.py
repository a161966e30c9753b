"""Certified thresholds: how often they are wrong, what they say when there is none, and the curve beside them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, binom

import calibrant as cb
from calibrant.routing.certify import certify, labels_needed, least_rows
from calibrant.routing.coverage import risk_coverage
from calibrant.tallies.cells import Cells

RUNS = 1500


def drawn(accuracy, rows, rng):
    confidence = 0.5 + 0.5 * rng.random(rows)
    return Cells.exact(confidence, (rng.random(rows) < accuracy).astype(int))


@pytest.mark.parametrize("accuracy", [0.90, 0.945, 0.95])
@pytest.mark.parametrize("rows", [150, 300])
def test_a_threshold_that_does_not_exist_is_seldom_recommended(accuracy, rows):
    # Other tools recommend one in 44 to 91% of runs at 0.90, and in 87 to 99% at 0.945.
    rng = np.random.default_rng(int(1000 * accuracy) + rows)
    found = sum(certify(drawn(accuracy, rows, rng)).threshold is not None for _ in range(RUNS))
    assert found / RUNS <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / RUNS)


def test_thresholds_are_found_where_they_exist():
    # Starting at 100 rows, accuracy 0.98 is certified when at most one of them is wrong: 40% of runs.
    rng = np.random.default_rng(1)
    found = sum(certify(drawn(0.98, 300, rng)).threshold is not None for _ in range(RUNS)) / RUNS
    assert found == pytest.approx(binom.cdf(1, 100, 0.02), abs=0.05)


def test_certified_thresholds_fail_at_most_at_their_rate():
    """Accuracy rises with confidence, so the true error rate of each acceptance is known."""
    rng = np.random.default_rng(4)
    failed = certified = 0
    for _ in range(RUNS):
        confidence = rng.random(400)
        right = rng.random(400) < 0.8 + 0.2 * confidence
        threshold = certify(Cells.exact(confidence, right.astype(int))).threshold
        if threshold is not None:
            certified += 1
            failed += 0.2 * (1 - (1 + threshold) / 2) > 0.05
    assert certified > 0.2 * RUNS
    assert failed / RUNS <= 0.05


def test_both_sides_of_a_band_share_the_error():
    rng = np.random.default_rng(8)
    wrong = 0
    for _ in range(300):
        prob = rng.random(600)
        happened = (rng.random(600) < 0.1 + 0.8 * (prob > 0.5)).astype(int)
        policy = cb.route(prob, happened, max_error=0.099)
        rule = policy.parts[0].rules[""]
        wrong += rule.low > 0 or rule.high <= 1
    assert wrong / 300 <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 300)


def test_the_bound_is_that_of_clopper_and_pearson():
    cells = Cells.exact(np.repeat([0.7, 0.99], 200), np.repeat([0, 1, 0, 1], [60, 140, 1, 199]))
    found = certify(cells)
    assert (found.threshold, found.accepted, found.mistakes) == (0.99, 200, 1)
    assert found.bound == pytest.approx(beta.ppf(0.95, 2, 199))
    assert found.bound <= 0.05


def test_the_order_of_rows_and_outcomes_of_ties_do_not_move_the_grid():
    rng = np.random.default_rng(2)
    confidence, right = rng.random(500).round(1), rng.random(500) < 0.99
    order = np.lexsort((right, confidence))
    one = certify(Cells.exact(confidence, right.astype(int)))
    two = certify(Cells.exact(confidence[order], right[order].astype(int)))
    assert one == two


def test_without_a_certificate_it_says_how_many_labels():
    few = certify(Cells.exact(np.linspace(0.5, 1, 80), np.ones(80, int)))
    assert (few.threshold, few.why, few.labels) == (None, "rows", 100)
    rng = np.random.default_rng(3)
    some = certify(Cells.exact(np.linspace(0.5, 1, 150), (rng.random(150) < 0.965).astype(int)))
    if some.threshold is None:
        assert some.labels is None or some.labels > 150
    bad = certify(Cells.exact(np.linspace(0.5, 1, 500), np.arange(500) % 2))
    assert (bad.threshold, bad.labels) == (None, None)


def test_labels_needed_reach_their_power():
    rows = labels_needed(0.02, 0.05, 0.95)
    limit = next(k for k in range(rows) if binom.cdf(k, rows, 0.05) > 0.05) - 1
    assert binom.cdf(limit, rows, 0.02) == pytest.approx(0.8, abs=0.08)
    assert least_rows(0.05, 0.95) == 59


@pytest.mark.parametrize("value", [0, 1, -0.1, float("nan")])
def test_shares_are_judged(value):
    with pytest.raises(cb.OptionError):
        certify(Cells.exact(np.array([0.5]), np.array([1])), max_error=value)


def test_area_under_risk_and_coverage_is_that_of_single_rows():
    rng = np.random.default_rng(6)
    confidence = rng.permutation(4000) / 4000
    right = (rng.random(4000) < confidence).astype(int)
    order = np.argsort(-confidence)
    risks = np.cumsum(1 - right[order]) / np.arange(1, 4001)
    found = risk_coverage(Cells.exact(confidence, right))
    assert found.aurc == pytest.approx(risks.mean(), abs=2e-4)
    assert found.best < found.aurc < found.random
    assert found.points[-1].risk == pytest.approx(1 - right.mean())
    assert [point.rows for point in found.points] == [400 * k for k in range(1, 11)]


def test_equal_confidences_give_the_overall_risk():
    found = risk_coverage(Cells.exact(np.full(100, 0.9), np.repeat([0, 1], [20, 80])))
    assert found.aurc == pytest.approx(0.2)
    assert len(found.points) == 1
