"""Whatever the numbers are, there is one verdict with whole sentences, and a report that can be shown."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrant.limits import check_limits
from calibrant.report.results import CODES, SliceResult
from calibrant.verdict import judge
from report_cases import curve, number, report

SHARES = (
    *("brier", "brier_uniform", "brier_base_rate", "accuracy", "base_rate"),
    *("mean_probability", "mean_confidence", "auc", "event_ece"),
)
SIGNED = ["brier_skill", "confidence_gap", "bias", "debiased_l2", "slope"]


@st.composite
def a_number(draw, name, low, high):
    ends = st.floats(low, high) | st.sampled_from([low, 0.0, high]) | st.just(float("nan"))
    bottom, value, top = sorted((draw(ends), draw(ends), draw(ends)))
    if draw(st.booleans()):
        bottom = top = None
    if draw(st.integers(0, 9)) == 0:
        return number(name, None, why="it cannot be computed", extra={"infinite_rows": 3})
    return number(name, value, bottom, top, n=draw(st.integers(1, 10**9)))


@st.composite
def some_numbers(draw):
    shares = draw(st.sets(st.sampled_from(SHARES)))
    signed = draw(st.sets(st.sampled_from(SIGNED)))
    found = {name: draw(a_number(name, 0.0, 1.0)) for name in sorted(shares)}
    return found | {name: draw(a_number(name, -3.0, 3.0)) for name in sorted(signed)}


@st.composite
def some_curve(draw):
    bins = []
    for k in range(10):
        rows = draw(st.integers(0, 1000))
        if rows and draw(st.booleans()):
            bins.append((k / 10, rows, (k + draw(st.floats(0, 1))) / 10, draw(st.integers(0, rows))))
    return curve(*bins)


@pytest.mark.parametrize("lang", ["en", "pt"])
@settings(max_examples=40, deadline=None)
@given(some_numbers(), some_curve(), st.sampled_from(["yes_no", "answer", "choice", "score"]), st.integers(0, 10**10))
def test_there_is_always_a_verdict_and_a_report(lang, numbers, bins, kind, n):
    verdict = judge(numbers, bins, kind, n, lang=lang)
    assert verdict.code in CODES
    for text in (verdict.sentence, verdict.meaning, verdict.advice, *(finding.text for finding in verdict.findings)):
        assert text
        assert not set(text) & set("{}")
        assert "nan" not in text.split()
    part = SliceResult({}, kind, n, "exact", {}, numbers, bins, verdict)
    made = report(part, limits=check_limits(["brier > 0.3", "auc.low < 0.5"], [part]), lang=lang)
    for full in (False, True):
        assert made.to_text(full=full)
        assert made.to_text(full=full, ascii_only=True).isascii()
        assert made.to_markdown(full=full)
    assert made._repr_html_()
    json.loads(made.to_json())
