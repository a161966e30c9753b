"""Costs: where they put the cut, what rules let through, and savings with intervals that cover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibrant as cb
from calibrant.routing.costs import Costs, band, confidence_threshold
from calibrant.routing.rules import Piece, Rule, outcome_of, savings_of
from calibrant.tallies.cells import Cells
from calibrant.tallies.split import halves


def test_chow_and_elkan():
    costs = Costs(by_option={"yes": 1.0, "no": 5.0}, review=0.5)
    cut = band(costs)
    assert cut == pytest.approx((0.1, 0.5, 1 / 6))
    prob = np.array([0.05, 0.3, 0.6, 0.95])
    assert Rule("policy", cut.low, cut.high, "both").action(prob).tolist() == [0, 2, 1, 1]
    act = np.minimum(5 * prob, 1 - prob)
    assert np.minimum(act, 0.5).sum() == pytest.approx(1.2)


@given(st.floats(0.01, 100), st.floats(0.01, 100), st.floats(0, 20), st.floats(0.5, 1), st.floats(0, 1))
def test_the_band_takes_the_cheapest_act_everywhere(c_yes, c_no, review, accuracy, prob):
    costs = Costs(by_option={"yes": c_yes, "no": c_no}, review=review, review_accuracy=accuracy)
    cut = band(costs)
    action = int(Rule("policy", cut.low, cut.high, "both").action(np.array([prob]))[0])
    e = 1 - accuracy
    price = [prob * c_no, (1 - prob) * c_yes, review + e * (prob * c_no + (1 - prob) * c_yes)]
    assert price[action] <= min(price) + 1e-9 * (1 + max(price))


@given(st.floats(0.1, 100), st.floats(0, 20), st.floats(0.5, 1), st.floats(0, 1))
def test_the_threshold_takes_the_cheaper_of_acting_and_asking(wrong, review, accuracy, confidence):
    least = confidence_threshold(Costs(wrong=wrong, review=review, review_accuracy=accuracy), "a")
    act, ask = (1 - confidence) * wrong, review + (1 - accuracy) * wrong
    if confidence >= least:
        assert act <= ask + 1e-9 * (1 + wrong)
    else:
        assert ask <= act + 1e-9 * (1 + wrong)


def test_the_table_of_the_seed():
    """Approve from 0.9 on, send 0.4 to 0.6 to a person: counted by hand."""
    prob = np.array([0.95, 0.92, 0.5, 0.45, 0.2, 0.3, 0.9, 0.1])
    happened = np.array([1, 0, 1, 0, 0, 1, 1, 0])
    piece = Piece(Cells.exact(prob, happened), Rule("seed", 0.4, 0.6, "both"))
    found = outcome_of([piece], Costs(wrong=10.0, review=1.0))
    assert (found.rows, found.acted, found.seen) == (8, 6, 2)
    assert found.automated == 0.75
    assert found.expected == pytest.approx(0.05 + 0.08 + 0.2 + 0.3 + 0.1 + 0.1)
    assert found.cost == pytest.approx(1000 * (2 * 10 + 2 * 1) / 8)


def simulated(rows, rng):
    prob = rng.beta(1.2, 1.2, rows)
    return Cells.exact(prob.round(3), (rng.random(rows) < prob.round(3)).astype(int))


def test_intervals_of_savings_cover():
    costs = Costs(by_option={"yes": 4.0, "no": 10.0}, review=1.0, review_accuracy=0.95)
    cut = band(costs)
    rng = np.random.default_rng(5)
    rules = [Rule("policy", cut.low, cut.high, "both"), Rule("act", cut.act, cut.act, "both")]
    big = simulated(2_000_000, rng)
    truth = savings_of([Piece(big, rules[0])], [Piece(big, rules[1])], costs).value
    inside = 0
    for _ in range(400):
        cells = simulated(400, rng)
        found = savings_of([Piece(cells, rules[0])], [Piece(cells, rules[1])], costs)
        inside += found.low <= truth <= found.high
    assert 0.92 <= inside / 400 <= 0.98


def test_the_reviewers_uncertainty_widens_the_interval():
    cells = simulated(2000, np.random.default_rng(1))
    rule, nobody = Rule("policy", 0.2, 0.8, "both"), Rule("act", 0.5, 0.5, "both")
    wide, narrow = (
        savings_of([Piece(cells, rule)], [Piece(cells, nobody)], Costs(10, {}, 1, 0.9, rows)) for rows in (30, None)
    )
    assert wide.value == narrow.value
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_few_differing_rows_get_a_betting_interval():
    cells = Cells.exact(np.repeat([0.05, 0.95], 150), np.repeat([0, 1, 0, 1], [148, 2, 3, 147]))
    rule, nobody = Rule("policy", 0.0, 0.5, "both"), Rule("act", 0.5, 0.5, "both")
    found = savings_of([Piece(cells, rule)], [Piece(cells, nobody)], Costs(10, {}, 1, 1.0))
    assert found.method == "betting (conservative)"
    assert found.low < found.value < found.high


def test_a_policy_made_on_one_half_does_on_the_other_what_it_says():
    cells = simulated(20_000, np.random.default_rng(9))
    one, two = halves(cells)
    assert one.n == two.n == 10_000
    prob = np.repeat(one.prob, one.rows.sum(axis=1))
    happened = np.concatenate([np.repeat([0, 1], row) for row in one.rows])
    policy = cb.route(prob, happened, cost_wrong=10, cost_review=2, review_accuracy=0.97)
    seen = outcome_of([Piece(two, policy.parts[0].rules[""])], Costs(10, {}, 2, 0.97))
    assert seen.low <= seen.expected / seen.acted <= seen.high
    promised = policy.parts[0].evidence["outcomes"]["policy"]
    assert promised["cost_low"] <= seen.cost <= promised["cost_high"]


def test_capacity_makes_it_act_more_often():
    cells = simulated(3000, np.random.default_rng(2))
    prob = np.repeat(cells.prob, cells.rows.sum(axis=1))
    happened = np.concatenate([np.repeat([0, 1], row) for row in cells.rows])
    common = {"cost_wrong": {"yes": 5, "no": 10}, "cost_review": 1, "review_accuracy": 0.98}
    free = cb.route(prob, happened, **common).parts[0].evidence["outcomes"]["policy"]["automated"]
    tight = cb.route(prob, happened, capacity=0.2, **common)
    assert free < 0.7
    assert 0.79 <= tight.parts[0].evidence["outcomes"]["policy"]["automated"] <= 0.83
    assert "capped at 20%" in str(tight)


@pytest.mark.parametrize(
    "given_costs",
    [
        {"cost_wrong": 10},
        {"cost_review": 1, "review_accuracy": 1.0},
        {"cost_wrong": 10, "cost_review": 1},
        {"cost_wrong": -1, "cost_review": 1, "review_accuracy": 0.9},
        {"cost_wrong": 10, "cost_review": 1, "review_accuracy": 1.2},
        {"cost_wrong": 0, "cost_review": 1, "review_accuracy": 0.9},
        {"capacity": 0.2, "max_error": 0.05},
        {},
    ],
)
def test_costs_that_mean_nothing_are_refused(given_costs):
    with pytest.raises(cb.OptionError):
        cb.route([0.2, 0.8], [0, 1], **given_costs)


def test_no_reviewer_is_assumed_to_be_perfect():
    with pytest.raises(cb.OptionError, match="no reviewer is assumed to be perfect"):
        cb.route([0.2, 0.8], [0, 1], cost_wrong=10, cost_review=1)
