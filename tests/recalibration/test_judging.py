"""Verdicts on untouched rows: simulated rates, clusters, time, pooling, declining."""

from __future__ import annotations

import numpy as np
import pytest

import calibrant as cb
from calibrant.recalibration import effect
from calibrant.recalibration.methods import FittedMap
from calibrant.recalibration.pooling import shrunken


def drawn(rows, temperature, seed, spread=1.5):
    rng = np.random.default_rng(seed)
    z = rng.normal(0, spread, rows)
    return 1 / (1 + np.exp(-temperature * z)), (rng.random(rows) < 1 / (1 + np.exp(-z))).astype(int)


@pytest.fixture
def fast(monkeypatch):
    """Verdicts rest on paired losses alone; the numbers beside them cost most of the time."""
    monkeypatch.setattr(effect, "changes_of_views", lambda *_, **__: {})


def verdicts(rows, temperature, method, runs):
    return [cb.recalibrate(*drawn(rows, temperature, seed), method=method).verdict for seed in range(runs)]


def test_a_calibrated_forecaster_is_seldom_told_that_repair_helps(fast):
    # 120 runs at the promised 2.5%: 8 or more have a chance of 1%.
    assert verdicts(400, 1.0, "temperature", 120).count("helps") < 8
    assert verdicts(200, 1.0, "auto", 30).count("helps") < 4


def test_repair_is_shown_to_help_where_it_does(fast):
    assert verdicts(2000, 1.6, "temperature", 20).count("helps") >= 19
    assert verdicts(2000, 1.6, "auto", 5).count("helps") >= 4


def test_repair_that_hurts_is_not_applied(fast):
    found = cb.recalibrate(*drawn(3000, 1.0, 4), method="histogram")
    assert found.verdict != "helps"
    prob = np.linspace(0, 1, 11)
    assert found.transform(prob).tolist() == prob.tolist()
    assert found.transform(prob, force=True).tolist() != prob.tolist()


def test_an_overconfident_forecaster_before_and_after():
    found = cb.recalibrate(*drawn(4000, 2.0, 1), method="temperature")
    changes = found.repairs[0].effect.changes
    assert found.verdict == "helps"
    assert found.repairs[0].fitted.params["T"] == pytest.approx(2.0, rel=0.1)
    assert changes["brier"].high < 0
    assert changes["event_ece"].after < changes["event_ece"].before / 3
    assert changes["event_ece"].extra["floor_after"] > 0
    # The order stays; maps of different folds, mixed, move the area a little.
    assert abs(changes["auc"].difference) < 0.001
    assert found.repairs[0].effect.same_top == 1.0
    assert changes["accuracy"].difference == 0


def test_the_twelve_row_example_is_judged_out_of_fold_and_shows_nothing():
    prob = [0.05, 0.12, 0.18, 0.25, 0.33, 0.41, 0.47, 0.58, 0.62, 0.77, 0.83, 0.96]
    found = cb.recalibrate(prob, [0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1], method="platt", folds=3)
    assert found.verdict == "not_shown"
    assert found.repairs[0].judged_by == "cross-fitting, 3 folds"
    assert "atters" in found.report.to_text(full=True)
    assert "itted on the same rows" in found.report.to_text(full=True)


def test_isotonic_that_makes_rows_impossible_is_harm():
    prob, outcome = drawn(300, 1.0, 8)
    found = cb.recalibrate(prob, outcome, method="isotonic")
    assert found.verdict == "harms"
    assert found.repairs[0].effect.why in ("infinite", "score")


def test_rows_of_one_cluster_are_judged_together():
    prob, outcome = drawn(150, 1.8, 3)
    alone = cb.recalibrate(np.repeat(prob, 20), np.repeat(outcome, 20), method="temperature")
    together = cb.recalibrate(
        np.repeat(prob, 20), np.repeat(outcome, 20), method="temperature", cluster=np.repeat(np.arange(150), 20)
    )
    narrow, wide = (part.repairs[0].effect.changes["brier"] for part in (alone, together))
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)
    assert together.repairs[0].effect.clusters == 150


def test_time_order_fits_on_the_past_only():
    early, late = drawn(1500, 2.0, 5), drawn(1500, 1.0, 6)
    prob, outcome = (np.concatenate(pair) for pair in zip(early, late, strict=True))
    found = cb.recalibrate(prob, outcome, time=np.arange(3000), method="temperature")
    assert found.repairs[0].effect.n == 2400
    assert "fitted on the past" in found.repairs[0].judged_by
    shuffled = np.random.default_rng(0).permutation(3000)
    again = cb.recalibrate(prob[shuffled], outcome[shuffled], time=shuffled, method="temperature")
    assert again.repairs[0].effect.changes["brier"].after == pytest.approx(
        found.repairs[0].effect.changes["brier"].after, abs=1e-12
    )


def test_fit_on_one_half_and_judge_on_the_other():
    prob, outcome = drawn(4000, 2.0, 7)
    found = cb.recalibrate(prob[:2000], outcome[:2000], method="temperature", judge_on=(prob[2000:], outcome[2000:]))
    assert found.repairs[0].effect.n == 2000
    brier = found.repairs[0].effect.changes["brier"]
    assert brier.after == pytest.approx(
        np.mean((found.transform(prob[2000:], force=True) - outcome[2000:]) ** 2), abs=1e-12
    )


def test_a_tally_and_its_rows_give_the_same_map_and_folds():
    prob, outcome = drawn(800, 1.5, 9)
    prob = prob.round(2)
    of_rows, of_tally = cb.recalibrate(prob, outcome), cb.recalibrate(cb.tally(prob, outcome))
    assert of_rows.to_json().split('"settings"')[1] == of_tally.to_json().split('"settings"')[1]


def test_frequency_weights_are_repeated_rows():
    prob, outcome = drawn(200, 1.7, 2)
    counts = np.random.default_rng(0).integers(1, 5, 200)
    many = cb.recalibrate(np.repeat(prob, counts), np.repeat(outcome, counts), method="beta")
    few = cb.recalibrate(prob, outcome, weight=counts, weights="frequency", method="beta")
    assert many.repairs[0].fitted.params["a"] == pytest.approx(few.repairs[0].fitted.params["a"], rel=1e-6)
    assert many.repairs[0].effect.n == few.repairs[0].effect.n


def columns(questions, rows, seed):
    rng = np.random.default_rng(seed)
    z = rng.normal(0, 1.5, (questions, rows))
    return {
        "question": np.repeat([f"q{k:02}" for k in range(questions)], rows),
        "p": (1 / (1 + np.exp(-2 * z))).ravel(),
        "outcome": (rng.random(z.shape) < 1 / (1 + np.exp(-z))).astype(int).ravel(),
    }


def test_small_questions_borrow_from_those_of_their_kind():
    data = columns(12, 60, 1)
    pooled = cb.recalibrate(data, by="question", method="temperature")
    alone = cb.recalibrate(data, by="question", method="temperature", pool=False)
    spread = [np.std([np.log(repair.fitted.params["T"]) for repair in found.repairs]) for found in (pooled, alone)]
    assert spread[0] < spread[1] / 2
    gains = [
        np.mean([repair.effect.changes["brier"].difference for repair in found.repairs]) for found in (pooled, alone)
    ]
    assert gains[0] < gains[1] < 0


def test_shrinkage_is_that_of_the_formula():
    def one(value, error):
        return FittedMap("temperature", {"T": np.exp(value), "floor": 0.01, "log_T_se": error, "bound": None})

    out = shrunken([one(0.0, 0.1), one(1.0, 0.1), one(2.0, 0.1), FittedMap("none", {})])
    # Q = 200, so tau² = (200 - 2) / (300 - 100) = 0.99; each keeps 0.99 of its distance from the middle, 1.
    assert [np.log(fitted.params["T"]) for fitted in out] == pytest.approx([0.01, 1.0, 1.99, 1.0])


def test_few_rows_show_nothing_and_say_why():
    found = cb.recalibrate(*drawn(12, 2.0, 1), method="temperature")
    assert found.verdict == "not_shown"
    assert found.repairs[0].effect.why == "few"
    assert "too few rows" in str(found)


def test_all_right_is_a_defined_outcome():
    found = cb.recalibrate([0.9] * 50, [1] * 50)
    assert found.verdict == "not_shown"
    assert found.transform([0.3]).tolist() == [0.3]


@pytest.mark.parametrize("method", ["vector", "levels"])
def test_methods_of_other_kinds_are_refused(method):
    with pytest.raises(cb.InputError, match="does not fit"):
        cb.recalibrate([0.2, 0.8], [0, 1], method=method)


def test_unknown_methods_and_folds_are_refused():
    with pytest.raises(cb.OptionError, match="no method"):
        cb.recalibrate([0.2, 0.8], [0, 1], method="magic")
    with pytest.raises(cb.OptionError, match="folds"):
        cb.recalibrate([0.2, 0.8], [0, 1], folds=1)


def test_choices_and_levels_of_a_tally_need_their_rows():
    whole = cb.tally([[0.2, 0.7, 0.1]] * 4, [0, 1, 1, 2])
    with pytest.raises(cb.InputError, match="does not hold"):
        cb.recalibrate(whole)
