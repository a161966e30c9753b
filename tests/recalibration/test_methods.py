"""Methods of recalibration: published cases, agreement with scikit-learn, and what each never changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from calibrant.predictions import judge_choices
from calibrant.recalibration.lines import fit_platt
from calibrant.recalibration.methods import METHODS, FittedMap, fit_map, usable
from calibrant.recalibration.samples import deal, sample_of_cells, sample_of_predictions, stack
from calibrant.recalibration.temperature import apply_temperature
from calibrant.recalibration.venn_abers import fit_venn_abers, venn_abers_interval
from calibrant.tallies.cells import Cells

P = np.array([0.05, 0.12, 0.18, 0.25, 0.33, 0.41, 0.47, 0.58, 0.62, 0.77, 0.83, 0.96])
Y = np.array([0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1])


def events(prob, outcome, kind="yes_no"):
    return sample_of_cells(Cells.exact(np.asarray(prob, float), np.asarray(outcome, int)), kind)


def choices(probs, label, kind="choice"):
    names = tuple("abcdefghij"[: np.shape(probs)[1]])
    return sample_of_predictions(judge_choices(np.asarray(probs, float), label, kind=kind, options=names))


def log_loss(prob, outcome):
    return -np.mean(np.log(np.where(outcome == 1, prob, 1 - prob)))


def test_temperature_of_the_twelve_row_example():
    fitted = fit_map("temperature", events(P, Y))
    assert fitted.params["T"] == pytest.approx(1.00014231035, abs=1e-6)
    assert log_loss(P, Y) == pytest.approx(0.509115721942, abs=1e-12)
    assert log_loss(fitted(P), Y) == pytest.approx(0.509115719727, abs=1e-11)


def test_temperature_of_separable_rows_stops_at_its_lower_bound_and_says_so():
    fitted = fit_map("temperature", choices([[0.8808, 0.1192], [0.1192, 0.8808]], [0, 1]))
    assert fitted.params["T"] == pytest.approx(0.01)
    assert fitted.params["bound"] == "lower"
    assert -np.log(fitted(np.array([[0.8808, 0.1192]]))[0, 0]) == pytest.approx(0.0, abs=1e-12)


def test_temperature_never_turns_negative():
    probs = np.array([[0.8808, 0.1192], [0.1192, 0.8808]])
    fitted = fit_map("temperature", choices(probs, [1, 0]))
    assert fitted.params["T"] == pytest.approx(100.0)
    assert fitted.params["bound"] == "upper"
    out = fitted(probs)
    assert out == pytest.approx(np.full((2, 2), 0.5), abs=0.006)
    assert -np.mean(np.log(out[[0, 1], [1, 0]])) == pytest.approx(np.log(2), abs=0.011)
    assert out.argmax(axis=1).tolist() == [0, 1]


def test_temperature_does_not_raise_the_log_loss_of_its_own_rows():
    prob, outcome = np.array([0.9, 0.9, 0.6, 0.6]), np.array([1, 1, 1, 0])
    assert log_loss(fit_map("temperature", events(prob, outcome))(prob), outcome) <= log_loss(prob, outcome)


def test_platt_on_log_odds_without_smoothing_is_logistic_regression():
    found = fit_platt(events(P, Y), smoothing=False)
    assert (found["intercept"], found["slope"]) == pytest.approx((0.21866415, 1.03392962), abs=1e-5)


def test_isotonic_pools_equal_values_first():
    x = np.array([0, 1, 1, 2, 3]) / 3
    fitted = fit_map("isotonic", events(x, [0, 0, 1, 0, 1]))
    assert fitted(x) == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3, 1])
    assert np.sum((fitted(x) - [0, 0, 1, 0, 1]) ** 2) == pytest.approx(2 / 3)


def test_isotonic_makes_ties_and_temperature_makes_none():
    sample = events(P, Y)
    steps = fit_map("isotonic", sample)(P)
    assert np.unique(steps).size == 4
    assert {0.0, 1.0} <= set(steps.tolist())
    assert np.unique(fit_map("temperature", sample)(P)).size == 12


def test_isotonic_of_denormal_values_is_finite():
    fitted = fit_map("isotonic", events([1e-320, 1e-310, 0.5], [0, 1, 1]))
    out = fitted(np.array([5e-321, 1e-315, 0.7]))
    assert np.isfinite(out).all()
    assert ((out >= 0) & (out <= 1)).all()


@pytest.mark.parametrize("method", ["platt", "beta", "isotonic", "histogram", "venn_abers", "temperature"])
def test_a_constant_forecast_falls_back_to_the_base_rate(method):
    fitted = fit_map(method, events(np.zeros(6), [0, 1, 0, 1, 0, 1]))
    expected = 0.5 if method != "temperature" else pytest.approx(0.5, abs=0.01)
    assert fitted(np.zeros(1))[0] == pytest.approx(expected, abs=1e-6)


def test_all_options_at_zero_become_uniform():
    params = {"options": [{"low": [0.0], "value": [0.0]}] * 3}
    assert FittedMap("isotonic", params)(np.array([[0.2, 0.3, 0.5]])) == pytest.approx(np.full((1, 3), 1 / 3))


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(np.float64, (5, 4), elements=st.floats(0.001, 1.0)),
    st.floats(0.05, 50.0),
)
def test_temperature_keeps_the_top_choice(raw, temperature):
    probs = raw / raw.sum(axis=1, keepdims=True)
    out = apply_temperature({"T": temperature, "floor": 1e-9}, probs)
    top = probs.argmax(axis=1)
    assert np.allclose(out[np.arange(5), top], out.max(axis=1), rtol=1e-12)
    assert out.sum(axis=1) == pytest.approx(np.ones(5))


@settings(max_examples=60, deadline=None)
@given(hnp.arrays(np.float64, 12, elements=st.floats(0.0, 1.0)), st.floats(0.05, 50.0))
def test_temperature_keeps_the_order_of_yes_no_probabilities(prob, temperature):
    ordered = np.sort(prob)
    assert (np.diff(apply_temperature({"T": temperature, "floor": 1e-9}, ordered)) >= 0).all()


@pytest.mark.parametrize("truth", [0.5, 2.0, 5.0])
def test_temperature_is_found_for_over_and_underconfident_choices(truth):
    rng = np.random.default_rng(3)
    z = rng.normal(0, 2, (20_000, 3)) * (1 if truth >= 1 else 0.5)
    said, true = (np.exp(part) / np.exp(part).sum(axis=1, keepdims=True) for part in (z, z / truth))
    label = (rng.random(20_000)[:, None] > true.cumsum(axis=1)).sum(axis=1).clip(max=2)
    params = fit_map("temperature", choices(said, label)).params
    assert abs(np.log(params["T"] / truth)) < 4 * params["log_T_se"] < 0.3


def test_levels_move_together_where_temperature_cannot():
    rng = np.random.default_rng(5)
    centre = rng.normal(2, 1, 5000)
    levels = np.arange(5)
    said = np.exp(-((levels - centre[:, None]) ** 2))
    said /= said.sum(axis=1, keepdims=True)
    true = np.exp(-((levels - centre[:, None] - 0.7) ** 2) / 2)
    true /= true.sum(axis=1, keepdims=True)
    label = (rng.random(5000)[:, None] > true.cumsum(axis=1)).sum(axis=1).clip(max=4)
    sample = choices(said, label, "score")
    loss = {
        name: -np.log(fit_map(name, sample)(said)[np.arange(5000), label]).mean() for name in ("temperature", "levels")
    }
    best = -np.log(true[np.arange(5000), label]).mean()
    assert loss["levels"] < best + 0.02 < loss["temperature"]


@pytest.mark.parametrize("decimals", [1, 2, 6])
def test_venn_abers_is_isotonic_regression_with_one_more_row(decimals):
    isotonic = pytest.importorskip("sklearn.isotonic")
    rng = np.random.default_rng(decimals)
    prob = rng.random(60).round(decimals)
    outcome = (rng.random(60) < prob).astype(int)
    at = np.unique(np.concatenate([prob, rng.random(20), [0.0, 1.0]]))
    for label, got in zip((0, 1), venn_abers_interval(fit_venn_abers(events(prob, outcome)), at), strict=True):
        for x, value in zip(at, got, strict=True):
            peer = isotonic.IsotonicRegression().fit(np.append(prob, x), np.append(outcome, label))
            assert value == pytest.approx(peer.predict([x])[0], abs=1e-9)


def test_venn_abers_of_the_published_example():
    params = fit_venn_abers(events(P, Y))
    low, high = venn_abers_interval(params, P)
    assert (low <= high).all()
    assert fit_map("venn_abers", events(P, Y))(P) == pytest.approx(high / (1 - low + high))


def test_isotonic_and_platt_agree_with_scikit_learn():
    linear = pytest.importorskip("sklearn.linear_model")
    isotonic = pytest.importorskip("sklearn.isotonic")
    rng = np.random.default_rng(9)
    prob = rng.random(500).round(2).clip(0.01, 0.99)
    outcome = (rng.random(500) < prob**2).astype(int)
    sample = events(prob, outcome)
    peer = isotonic.IsotonicRegression().fit(prob, outcome)
    assert fit_map("isotonic", sample)(prob) == pytest.approx(peer.predict(prob), abs=1e-12)
    z = np.log(prob / (1 - prob))
    fit = linear.LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(z[:, None], outcome)
    found = fit_platt(sample, smoothing=False)
    assert (found["slope"], found["intercept"]) == pytest.approx((fit.coef_[0, 0], fit.intercept_[0]), abs=1e-4)
    features = np.stack([np.log(prob), -np.log(1 - prob)], axis=1)
    fit = linear.LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(features, outcome)
    beta = fit_map("beta", sample).params
    if fit.coef_.min() >= 0:
        assert (beta["a"], beta["b"], beta["c"]) == pytest.approx((*fit.coef_[0], fit.intercept_[0]), abs=1e-3)


def test_beta_never_turns_the_order_round():
    rng = np.random.default_rng(2)
    prob = rng.random(300)
    params = fit_map("beta", events(prob, rng.random(300) < 1 - prob)).params
    assert params["a"] >= 0
    assert params["b"] >= 0


def test_a_said_zero_or_one_stands_half_as_far_out_as_the_nearest_other_value():
    prob = np.repeat([0.0, 0.01, 0.5, 1.0], 50)
    outcome = np.tile(np.repeat([0, 1], [2, 8]), 20)
    assert fit_map("temperature", events(prob, outcome)).params["floor"] == pytest.approx(0.005)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_probabilities(method):
    rng = np.random.default_rng(11)
    kind = METHODS[method].kinds[0]
    if kind == "yes_no":
        sample, prob = events(rng.random(400).round(2), rng.integers(0, 2, 400)), np.linspace(0, 1, 101)
    else:
        raw = rng.dirichlet(np.ones(3), 400)
        sample, prob = choices(raw, rng.integers(0, 3, 400), kind), raw
    assert usable(method, sample) is None
    out = fit_map(method, sample)(prob)
    assert out.shape == prob.shape
    assert ((out >= 0) & (out <= 1)).all()
    if out.ndim == 2:
        assert out.sum(axis=1) == pytest.approx(np.ones(len(out)))


def test_dealing_splits_counts_as_rows_and_keeps_clusters_together():
    prob = np.repeat([0.2, 0.8], [7, 94])
    dealt = deal(events(prob, np.arange(101) % 2), 5, 1)
    assert dealt.n == 101
    assert np.bincount(dealt.fold, dealt.rows).tolist() == [20, 20, 20, 20, 21]
    rows = choices(np.full((60, 2), 0.5), np.zeros(60))
    clustered = deal(stack([rows]), 4, 0)
    assert np.bincount(clustered.fold).tolist() == [15, 15, 15, 15]
