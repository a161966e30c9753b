from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from calibrant.errors import OptionError
from calibrant.report.results import CODES
from calibrant.verdict import Thresholds, default_thresholds, reasons


def test_every_threshold_has_a_reason():
    assert set(reasons()) == {entry.name for entry in fields(Thresholds)}
    assert all(len(reason) > 60 for reason in reasons().values())


@pytest.mark.parametrize("value", [0, -0.1, float("nan"), float("inf"), "0.1"])
def test_a_threshold_is_a_number_above_zero(value):
    with pytest.raises(OptionError, match="`tolerance` must be a number above 0"):
        default_thresholds(tolerance=value)


def test_an_unknown_threshold_is_refused():
    with pytest.raises(OptionError, match="no threshold 'tolerence'") as caught:
        default_thresholds(tolerence=0.1)
    assert "tolerance" in caught.value.hint


def test_the_tolerance_of_a_one_sided_sample_is_the_plain_one():
    assert default_thresholds().tolerance_for(0.0) == default_thresholds().tolerance_for(1.0) == 0.03


def test_the_page_on_verdicts_has_the_thresholds_and_codes_of_the_code():
    text = (Path(__file__).parents[2] / "docs" / "verdicts.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", text, re.MULTILINE))
    defaults = default_thresholds()
    assert {name: float(value) for name, value in listed.items()} == {
        entry.name: getattr(defaults, entry.name) for entry in fields(Thresholds)
    }
    assert all(f"`{code}`" in text for code in CODES)
