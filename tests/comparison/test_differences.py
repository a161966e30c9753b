"""Paired differences: equal to scipy's paired tests, with the level and coverage that docs/compare.md states."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from calibrant.comparison.differences import differences
from calibrant.comparison.flips import flip_signs, mcnemar
from calibrant.errors import TallyError
from calibrant.predictions import judge_choices, judge_events
from calibrant.tallies.pair import pair_block, pair_from_json, pair_to_json
from calibrant.tallies.rows import score_rows


def block(first, second, outcome, *, cluster=None, weight=None, bins=10):
    judged = [judge_events(p, outcome) for p in (first, second)]
    scored = [score_rows(part) for part in judged]
    return pair_block(("a", "b"), tuple(judged), tuple(scored), weight=weight, cluster=cluster, bins=bins)


def world(seed, rows, clusters=None):
    rng = np.random.default_rng([seed, rows])
    group = None if clusters is None else rng.integers(0, clusters, rows)
    shared = np.zeros(rows) if group is None else rng.normal(0, 0.8, clusters)[group]
    z = shared + rng.normal(-0.3, 1, rows)
    noise = [rng.normal(0, 0.4, rows) + (0 if group is None else rng.normal(0, 0.3, clusters)[group]) for _ in "ab"]
    outcome = (rng.random(rows) < 1 / (1 + np.exp(-z))).astype(int)
    first, second = (1 / (1 + np.exp(-(z + e))) for e in noise)
    return first, second, outcome, group


def test_scores_equal_the_paired_t_test():
    a, b, y, _ = world(1, 400)
    found = differences(block(a, b, y))
    for name, loss in (
        ("brier", lambda p: (p - y) ** 2),
        ("log_loss", lambda p: -np.log(np.where(y == 1, p, 1 - p))),
        ("accuracy", lambda p: ((p >= 0.5) == y) * 1.0),
    ):
        expected = stats.ttest_rel(loss(a), loss(b))
        limits = expected.confidence_interval()
        assert found[name].extra["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)
        assert (found[name].low, found[name].high) == pytest.approx((limits.low, limits.high), rel=1e-9)


def test_the_case_of_twelve_rows():
    p = np.array([0.1, 0.2, 0.2, 0.3, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
    y = np.array([0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1])
    q = np.array([0.1, 0.2, 0.2, 0.2, 0.3, 0.5, 0.5, 0.6, 0.6, 0.7, 0.8, 0.9])
    d = (p - y) ** 2 - (q - y) ** 2
    number = differences(block(p, q, y))["brier"]
    assert number.extra["standard_error"] == pytest.approx(d.std(ddof=1) / 12**0.5, rel=1e-12)
    assert number.extra["first"] - number.extra["second"] == pytest.approx(d.mean())


def test_identical_models_have_p_one_and_no_crash():
    y = np.array([0, 1] * 20)
    number = differences(block(y * 0.5 + 0.2, y * 0.5 + 0.2, y))["brier"]
    assert (number.value, number.extra["p_value"], number.why) == (0.0, 1.0, "identical on every row")


def test_a_constant_difference_has_no_p_value():
    y = np.array([0, 1] * 20)
    first, second = np.where(y, 0.9, 0.1), np.where(y, 0.8, 0.2)
    number = differences(block(first, second, y))["brier"]
    assert number.low is None
    assert number.extra["p_value"] is None
    assert number.why == "no variation in the difference"


def test_small_losses_keep_their_t_value():
    # dm-variance-floor: 1e-6, 2e-6, 3e-6 have t = 3.4641; no floor under the variance.
    a, b, y, _ = world(3, 300)
    usual = differences(block(a, b, y))["brier"].extra["t"]
    tiny = differences(block(y + (a - y) * 1e-3, y + (b - y) * 1e-3, y))["brier"].extra["t"]
    assert tiny == pytest.approx(usual, rel=1e-6)


def test_clusters_equal_a_test_of_cluster_means_when_all_are_of_one_size():
    a, b, y, _ = world(4, 600)
    group = np.repeat(np.arange(60), 10)
    d = ((a - y) ** 2 - (b - y) ** 2).reshape(60, 10).mean(axis=1)
    number = differences(block(a, b, y, cluster=group))["brier"]
    assert number.extra["p_value"] == pytest.approx(stats.ttest_1samp(d, 0).pvalue, rel=1e-9)
    assert number.extra["degrees_of_freedom"] == 59


def test_frequent_rows_and_doubling_change_only_what_they_should():
    a, b, y, _ = world(5, 200)
    one = differences(block(a, b, y))
    weighted = differences(block(a, b, y, weight=np.full(200, 3.0)))
    for name, number in one.items():
        assert weighted[name].value == pytest.approx(number.value, abs=1e-12)
        assert weighted[name].low == pytest.approx(number.low, abs=1e-12)


def test_skill_and_linear_parts_fit_together():
    a, b, y, _ = world(6, 2000)
    found = differences(block(a, b, y))
    parts = found["miscalibration"].value - found["discrimination"].value
    assert parts == pytest.approx(found["brier"].value, abs=1e-12)
    assert found["brier_skill"].value == pytest.approx(-found["brier"].value / (y.mean() * (1 - y.mean())))


def test_choices_have_skill_over_class_rates():
    rng = np.random.default_rng(0)
    p, q = (rng.dirichlet([2, 1, 1], 300) for _ in "ab")
    label = rng.integers(0, 3, 300)
    judged = [judge_choices(x, label, options=("x", "y", "z")) for x in (p, q)]
    scored = [score_rows(part) for part in judged]
    found = differences(pair_block(("a", "b"), tuple(judged), tuple(scored), bins=10))
    rates = np.bincount(label) / 300
    losses = [((x - np.eye(3)[label]) ** 2).sum(axis=1).mean() for x in (p, q)]
    assert found["brier_skill"].value == pytest.approx((losses[1] - losses[0]) / (rates * (1 - rates)).sum())


def test_pair_blocks_add_up_and_survive_json():
    a, b, y, _ = world(7, 500)
    whole = block(a, b, y, bins=60)
    both = block(a[:200], b[:200], y[:200], bins=60) + block(a[200:], b[200:], y[200:], bins=60)
    again = pair_from_json(pair_to_json(both))
    for name, number in differences(block(a, b, y)).items():
        for other in (whole, both, again):
            found = differences(other)[name]
            assert (found.value, found.low, found.high) == pytest.approx((number.value, number.low, number.high))


@pytest.mark.parametrize("text", ["{}", "[]", "nonsense", '{"schema": "calibrant.pair/9", "bins": 60}'])
def test_a_damaged_pair_block_is_refused(text):
    with pytest.raises(TallyError):
        pair_from_json(text)


def test_mcnemar_is_the_exact_binomial_test():
    for one, two in ((1, 9), (3, 3), (0, 5), (40, 25)):
        assert mcnemar(one, two) == pytest.approx(stats.binomtest(one, one + two).pvalue)
    assert mcnemar(0, 0) == 1.0


def test_flips_equal_the_exact_permutation_test():
    d = np.array([0.3, -0.1, 0.25, 0.4, 0.05, -0.02, 0.31, 0.2])
    expected = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
    assert flip_signs(d, np.ones(8)).p_value == pytest.approx(expected)


def test_flips_give_an_interval_that_their_test_does_not_refuse():
    rng = np.random.default_rng(1)
    d = rng.normal(0.2, 1, 25)
    found = flip_signs(d, np.ones(25), interval=True)
    usual = stats.ttest_1samp(d, 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx((usual.low, usual.high), abs=0.08)
    assert np.isnan(flip_signs(d[:5], np.ones(5), interval=True).low)


@pytest.mark.parametrize(("rows", "clusters", "repeats"), [(60, None, 120), (1000, None, 120), (1000, 60, 120)])
def test_alike_models_are_told_apart_at_the_stated_rate(rows, clusters, repeats):
    covered = {"brier": 0, "debiased_l2_square": 0, "miscalibration": 0}
    given = dict.fromkeys(covered, 0)
    for seed in range(repeats):
        a, b, y, group = world(seed, rows, clusters)
        for name, number in differences(block(a, b, y, cluster=group)).items():
            if name in covered and number.low is not None:
                given[name] += 1
                covered[name] += number.low <= 0 <= number.high
    share = {name: covered[name] / given[name] for name in covered}
    assert 0.89 < share["brier"] < 1  # 95% within three standard errors of 120 samples
    assert share["debiased_l2_square"] > 0.92
    assert share["miscalibration"] > 0.92


def test_flips_of_few_clusters_keep_their_level():
    refused = sum(
        flip_signs(np.random.default_rng([seed, 9]).exponential(1, 12) - 1, np.ones(12)).p_value < 0.05
        for seed in range(200)
    )
    assert refused <= 24
