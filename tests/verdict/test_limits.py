from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.errors import OptionError
from calibrant.limits import check_limits, parse_rule
from report_cases import hand_made, number


@pytest.mark.parametrize(
    ("text", "subject", "operator", "bar"),
    [
        ("event_ece > 0.08", "event_ece", ">", 0.08),
        ("event_ece>=0.08", "event_ece", ">=", 0.08),
        ("  brier.high  <  .5 ", "brier.high", "<", 0.5),
        ("event_ece.p_value <= 1e-3", "event_ece.p_value", "<=", 0.001),
        ("accuracy < 90%", "accuracy", "<", 0.9),
        ("brier_skill < -0.1", "brier_skill", "<", -0.1),
        ("n < 100", "n", "<", 100),
    ],
)
def test_rules_are_read(text, subject, operator, bar):
    rule = parse_rule(text)
    assert (rule.subject, rule.operator, rule.bar) == (subject, operator, bar)


@pytest.mark.parametrize(
    "text",
    ["", "event_ece", "event_ece > ", "> 0.08", "event_ece = 0.08", "event_ece == 0.08", "event ece > 0.08",
     "event_ece > high", "event_ece > nan", "event_ece > inf", "0.08 < event_ece", "a.b.c > 1", "ece > 0.1 and n > 3"],
)  # fmt: skip
def test_what_is_no_rule_is_refused_with_an_example(text):
    with pytest.raises(OptionError) as caught:
        parse_rule(text)
    assert "event_ece > 0.08" in caught.value.hint


@given(st.text(max_size=40))
def test_no_text_crashes_the_reader(text):
    with suppress(OptionError):
        assert parse_rule(text).bar < float("inf")


@pytest.mark.parametrize(
    ("rule", "failed", "told"),
    [
        ("confidence_ece > 0.2", False, "confidence_ece > 0.2: passed, confidence_ece is 0.1140"),
        ("confidence_ece > 0.1", True, "confidence_ece > 0.1: failed, confidence_ece is 0.1140"),
        ("confidence_ece.high > 0.13", True, "confidence_ece > 0.13"),
        ("confidence_ece.floor_95 > 0.03", True, "confidence_ece.floor_95 is 0.0310"),
        ("confidence_ece.bins < 10", False, "confidence_ece.bins is 10.0000"),
        ("n < 2000", True, "n is 1,000"),
        ("event_ece > 0.08", True, "event_ece > 0.08: failed, there is no event_ece here"),
        ("mean_confidence.high > 0.9", True, "mean_confidence.high has no value: it has no high"),
        ("brier.method > 1", True, "brier.method has no value"),
    ],
)
def test_rules_on_one_slice(rule, failed, told):
    (found,) = check_limits([rule], [hand_made()])
    assert found.failed == failed
    assert found.sentence.startswith(f"{rule}: {'failed' if failed else 'passed'}")
    assert told.split(" > ")[-1].split(": ")[-1] in found.sentence or told in found.sentence


def test_the_slices_that_fail_are_named():
    parts = [hand_made(by={"model": name}) for name in "abcde"]
    found = check_limits(["confidence_ece > 0.1", "confidence_ece > 0.2"], parts)
    assert [limit.failed for limit in found] == [True, False]
    assert "for model=a; " in found[0].sentence
    assert found[0].sentence.endswith("and 2 more")


def test_without_slices_every_rule_fails():
    assert check_limits(["brier > 0.3"], [])[0].failed


@pytest.mark.parametrize(("rule", "failed"), [("log_loss > 5", True), ("log_loss < 5", False)])
def test_an_infinite_value_is_above_every_bar(rule, failed):
    part = hand_made(log_loss=0.5)
    part.numbers["log_loss"] = number("log_loss", None, why="3 rows were certain and wrong", extra={"infinite_rows": 3})
    assert check_limits([rule], [part])[0].failed == failed


def test_a_missing_value_fails_with_its_reason():
    part = hand_made(slope=1.0)
    part.numbers["slope"] = number("slope", None, why="the outcomes are separable")
    (found,) = check_limits(["slope < 0.8"], [part])
    assert found.failed
    assert found.sentence == "slope < 0.8: failed, slope has no value: the outcomes are separable"
