"""Each verdict on a constructed example, and who wins when several findings hold."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.report.results import CODES
from calibrant.verdict import default_thresholds, judge
from report_cases import curve, drawn, logistic, number, numbers, result

GOOD = {
    "brier": (0.18, 0.17, 0.19),
    "brier_uniform": 0.25,
    "brier_skill": (0.28, 0.25, 0.31),
    "accuracy": (0.73, 0.71, 0.75),
    "mean_confidence": 0.73,
    "confidence_gap": (0.0, -0.01, 0.01),
    "bias": (0.0, -0.01, 0.01),
    "base_rate": (0.5, 0.48, 0.52),
    "mean_probability": 0.5,
    "auc": (0.8, 0.78, 0.82),
    "slope": (1.0, 0.95, 1.05),
    "debiased_l2": (0.005, 0.0, 0.025),
}
NO_ORDER = {"auc": (0.5, 0.48, 0.52)}
GUESS = {**NO_ORDER, "brier": (0.249, 0.245, 0.253), "brier_skill": (0.003, -0.008, 0.014)}


def judged(kind="yes_no", n=5000, thresholds=None, **changed):
    return judge(numbers(**{**GOOD, **changed}), curve(), kind, n, thresholds)


CONSTRUCTED = {
    "honest": {},
    "overconfident": {"confidence_gap": (0.1, 0.08, 0.12), "debiased_l2": (0.11, 0.09, 0.13)},
    "underconfident": {"confidence_gap": (-0.1, -0.12, -0.08), "debiased_l2": (0.11, 0.09, 0.13)},
    "hedging": {"brier": (0.249, 0.247, 0.251), "brier_skill": (0.003, -0.002, 0.008), "auc": (0.52, 0.49, 0.55)},
    "base_rate_echo": {"brier": (0.09, 0.08, 0.1), "brier_skill": (0.0, -0.004, 0.004), "auc": (0.5, 0.47, 0.53)},
    "right_order_unusable_numbers": {"bias": (-0.2, -0.22, -0.18), "debiased_l2": (0.2, 0.18, 0.22)},
    "worse_than_guessing": {"brier": (0.3, 0.28, 0.32), "brier_skill": (-0.2, -0.25, -0.15), "auc": (0.45, 0.42, 0.48)},
    "cannot_tell": {"confidence_gap": (0.05, -0.03, 0.13), "debiased_l2": (0.04, 0.0, 0.12)},
}


@pytest.mark.parametrize("code", CONSTRUCTED)
def test_each_verdict_has_a_constructed_example(code):
    verdict = judged(**CONSTRUCTED[code])
    assert verdict.code == code
    assert verdict.meaning.endswith(".")
    assert verdict.advice.endswith(".")
    assert (verdict.rows_needed is not None) == (code == "cannot_tell")


def test_every_code_is_constructed():
    assert set(CONSTRUCTED) == set(CODES)


DRAWN = {
    "overconfident": (lambda z: 2 * z, 4000),
    "underconfident": (lambda z: 0.4 * z, 4000),
    "worse_than_guessing": (lambda z: -z, 4000),
    "hedging": (lambda z: 0.02 * np.sin(1000 * z), 4000),
    "honest": (lambda z: z, 30_000),
    "cannot_tell": (lambda z: z, 100),
}


@pytest.mark.parametrize("code", DRAWN)
def test_drawn_forecasters_are_told_apart(code):
    shape, n = DRAWN[code]
    assert result(*drawn(shape, n)).verdict.code == code


def test_always_thirty_percent_where_it_rains_on_thirty_is_an_echo():
    found = result(np.full(3000, 0.3), (np.arange(3000) % 10 < 3).astype(np.uint8))
    assert found.verdict.code == "base_rate_echo"
    assert "always saying 30%" in found.verdict.meaning
    assert found.verdict.sentence == "When it says 30%, it happens 30% of the time (28–32%, n = 3,000)."


@pytest.mark.parametrize(("right", "code"), [(60, "overconfident"), (95, "underconfident")])
def test_84_percent_stated(right, code):
    outcome = np.arange(1000) % 100 < right
    # Confidences vary a little, so that this is no constant forecaster.
    found = result(np.where(np.arange(1000) % 2, 0.85, 0.83), outcome.astype(np.uint8), kind="answer")
    assert found.verdict.code == code
    assert found.verdict.sentence.startswith(f"When it says 84%, it is right {right}% of the time")


def test_an_ece_alone_decides_nothing():
    seen = {
        "event_ece": number("event_ece", 0.4, 0.38, 0.42),
        "confidence_ece": number("confidence_ece", 0.4, 0.38, 0.42),
    }
    assert judge(seen, curve(), "yes_no", 5000).code == "cannot_tell"


def test_a_value_without_an_interval_decides_nothing():
    bare = {
        name: value[0] if isinstance(value, tuple) else value for name, value in CONSTRUCTED["overconfident"].items()
    }
    assert judged(**bare).code == "cannot_tell"


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        # A gap within the tolerance is none, however sure it is.
        ({"confidence_gap": (0.02, 0.015, 0.025)}, "honest"),
        # A gap beyond the tolerance is one only if its interval excludes 0.
        ({"confidence_gap": (0.04, -0.001, 0.081)}, "honest"),
        ({"confidence_gap": (0.04, 0.006, 0.074)}, "overconfident"),
        # Events have two signed gaps, which share the error rate: this interval excludes 0 at 95%, not at 97.5%.
        ({"confidence_gap": (0.04, 0.001, 0.079)}, "honest"),
        # Worse than the base rate in an order that holds: not worse than guessing.
        ({"brier_skill": (-0.2, -0.25, -0.15), "confidence_gap": (0.2, 0.18, 0.22)}, "right_order_unusable_numbers"),
        # A gap explains a lack of skill, and is named first; without one, a constant says nothing.
        ({**NO_ORDER, "brier_skill": (0.0, -0.01, 0.01), "confidence_gap": (0.1, 0.08, 0.12)}, "overconfident"),
        ({**NO_ORDER, "brier_skill": (-0.1, -0.12, -0.08), "confidence_gap": (0.1, 0.08, 0.12)}, "overconfident"),
        ({**NO_ORDER, "brier_skill": (-0.1, -0.12, -0.08)}, "worse_than_guessing"),
        ({**NO_ORDER, "brier_skill": (0.0, -0.01, 0.01)}, "base_rate_echo"),
        # The score of a guess with much confidence is being too sure; with little of it, it is hedging.
        ({**GUESS, "mean_confidence": 0.75, "confidence_gap": (0.15, 0.13, 0.17)}, "overconfident"),
        ({**GUESS, "mean_confidence": 0.55, "confidence_gap": (0.05, 0.03, 0.07)}, "hedging"),
        # An order that holds is worth naming: rare events have little skill at best.
        ({"brier_skill": (0.01, 0.005, 0.015)}, "honest"),
        # A shift of all probabilities makes a confidence gap as a side effect.
        ({"bias": (-0.2, -0.22, -0.18), "confidence_gap": (0.05, 0.03, 0.07)}, "right_order_unusable_numbers"),
        # On one side of one half the two gaps are the same one.
        ({"bias": (-0.1, -0.12, -0.08), "confidence_gap": (0.1, 0.08, 0.12)}, "overconfident"),
        # Too high and too low cancel out in the gap; then the slope tells.
        ({"debiased_l2": (0.1, 0.08, 0.12), "slope": (0.5, 0.4, 0.6)}, "overconfident"),
        ({"debiased_l2": (0.1, 0.08, 0.12), "slope": (2.0, 1.8, 2.2)}, "underconfident"),
        # A slope that differs from 1 without an error that matters is no verdict.
        ({"slope": (0.9, 0.85, 0.95)}, "honest"),
        ({"debiased_l2": (0.1, 0.08, 0.12)}, "right_order_unusable_numbers"),
        ({"debiased_l2": (0.1, 0.08, 0.12), "auc": (0.5, 0.45, 0.55)}, "overconfident"),
        ({"bias": (0.2, 0.18, 0.22), "auc": (0.55, 0.52, 0.58)}, "overconfident"),
        ({"bias": (-0.2, -0.22, -0.18), "auc": (0.55, 0.52, 0.58)}, "underconfident"),
        ({"debiased_l2": (0.0, 0.0, 0.031)}, "cannot_tell"),
    ],
)
def test_precedence(changed, code):
    assert judged(**changed).code == code


def test_findings_are_kept_also_when_they_do_not_decide():
    verdict = judged(brier_skill=(-0.2, -0.25, -0.15), confidence_gap=(0.2, 0.18, 0.22), debiased_l2=(0.3, 0.28, 0.32))
    assert [finding.code for finding in verdict.findings] == [
        "overconfident",
        "miscalibrated",
        "below_base_rate",
        "order",
    ]


def test_thresholds_can_be_changed():
    gap = {"confidence_gap": (0.04, 0.03, 0.05), "debiased_l2": (0.04, 0.03, 0.045)}
    assert judged(**gap).code == "overconfident"
    assert judged(**gap, thresholds=default_thresholds(tolerance=0.05)).code == "honest"


def test_rare_events_have_a_smaller_tolerance():
    doubled = {"base_rate": (0.01, 0.009, 0.011), "mean_probability": 0.02, "bias": (0.01, 0.009, 0.011)}
    doubled |= {"confidence_gap": (-0.01, -0.011, -0.009), "debiased_l2": (0.01, 0.009, 0.011)}
    assert judged(**doubled).code == "underconfident"
    assert judged(**{**doubled, "base_rate": (0.3, 0.29, 0.31), "mean_probability": 0.31}).code == "honest"


def test_rows_needed_are_those_for_the_gap_seen():
    verdict = judged(
        "answer", n=100, accuracy=(0.84, 0.75, 0.9), confidence_gap=(0.05, -0.03, 0.13), debiased_l2=(0.05, 0.0, 0.1)
    )
    assert verdict.rows_needed == 422
    assert (
        verdict.meaning
        == "Cannot tell yet: 100 rows leave it open. Telling 5 points of gap from none takes about 422 rows."
    )


def test_rows_needed_are_more_than_there_are():
    for n in (50, 5000, 10**6):
        verdict = judged(n=n, debiased_l2=(0.01, 0.0, 0.031))
        assert verdict.code == "cannot_tell"
        assert verdict.rows_needed > n


def test_without_rows_nothing_can_be_told():
    verdict = judge({}, (), "yes_no", 0)
    assert (verdict.code, verdict.meaning, verdict.rows_needed) == (
        "cannot_tell",
        "Cannot tell: there are no rows.",
        None,
    )


def test_a_forecaster_upside_down_is_told_so():
    verdict = result(*drawn(lambda z: -z)).verdict
    assert verdict.code == "worse_than_guessing"
    upside = judged(brier_skill=(-0.8, -0.9, -0.7), auc=(0.2, 0.18, 0.22))
    assert "upside down" in upside.meaning


def test_certain_and_wrong_is_a_finding():
    prob, outcome = drawn(lambda z: z, 500)
    prob[:2], outcome[:2] = 1.0, 0
    assert "certain_and_wrong" in {finding.code for finding in result(prob, outcome).verdict.findings}


def test_choices_that_hedge_over_ten_levels():
    seen = numbers(
        brier=(0.91, 0.9, 0.92), brier_uniform=0.9, accuracy=(0.1, 0.08, 0.12), mean_confidence=0.11,
        confidence_gap=(0.01, -0.01, 0.03), debiased_l2=(0.01, 0.0, 0.02),
    )  # fmt: skip
    assert judge(seen, curve(), "score", 1736).code == "hedging"
    worse = {**seen, **numbers(brier=(0.912, 0.905, 0.919))}
    assert judge(worse, curve(), "score", 1736).code == "worse_than_guessing"


def test_calibrated_forecasters_are_seldom_called_otherwise():
    rng = np.random.default_rng(7)
    codes = []
    for _ in range(40):
        logit = rng.normal(0, 1.5, 800)
        codes.append(result(logistic(logit), (rng.random(800) < logistic(logit)).astype(np.uint8)).verdict.code)
    assert sum(code not in ("honest", "cannot_tell") for code in codes) <= 5


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["yes_no", "answer"])
@pytest.mark.parametrize("n", [60, 200, 600, 2000])
def test_false_alarms_are_as_seldom_as_the_page_on_verdicts_says(kind, n):
    alarms = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        logit = rng.normal(0, 1.5, n) if kind == "yes_no" else np.abs(rng.normal(1, 1.5, n))
        prob = logistic(logit)
        verdict = result(prob, (rng.random(n) < prob).astype(np.uint8), kind=kind).verdict
        alarms += verdict.code not in ("honest", "cannot_tell")
    # 7.3% was seen at worst, with a standard error of 1.5 points.
    assert alarms / 300 <= 0.10


def test_answers_have_one_gap_whose_interval_is_taken_as_it_is():
    seen = {name: value for name, value in GOOD.items() if name not in ("bias", "base_rate", "mean_probability")}
    verdict = judge(numbers(**{**seen, "confidence_gap": (0.04, 0.001, 0.079)}), curve(), "answer", 5000)
    assert verdict.code == "overconfident"


@pytest.mark.parametrize(("p", "found"), [(0.001, True), (0.049, True), (0.051, False)])
def test_the_calibration_test_is_a_finding_that_does_not_decide(p, found):
    verdict = judged(calibration_test=p)
    assert ("test_rejects" in {finding.code for finding in verdict.findings}) == found
    assert verdict.code == "honest"
