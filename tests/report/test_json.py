"""The JSON face keeps to its published schema, and to JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.limits import check_limits
from calibrant.measure.number import Number
from calibrant.predictions import LeftOut
from calibrant.report import build_report
from calibrant.report.json import number_as_json, report_as_dict
from report_cases import SOURCE, drawn, hand_made, report, result

SCHEMA = Path(__file__).parents[2] / "schemas" / "report-1.json"


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def strict(text):
    """JSON as strict readers take it: no NaN, no Infinity."""

    def refuse(constant):
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("kind", ["yes_no", "answer"])
@pytest.mark.parametrize("n", [1, 40, 2000])
def test_reports_keep_to_the_schema(validator, kind, n):
    parts = [result(*drawn(lambda z: 3 * z, n, seed), kind=kind, by={"model": f"m{seed}"}) for seed in (1, 2)]
    text = report(*parts, limits=check_limits(["brier > 0.2"], parts)).to_json()
    found = strict(text)
    validator.validate(found)
    assert [part["by"]["model"] for part in found["slices"]] == ["m1", "m2"]
    assert found["limits"][0]["rule"] == "brier > 0.2"


def test_awkward_rows_keep_to_the_schema(validator):
    awkward = [
        (np.array([1.0, 0.0, 0.5]), np.array([0, 1, 1])),
        (np.zeros(20), np.zeros(20)),
        (np.full(30, 0.5), np.ones(30)),
    ]
    for prob, happened in awkward:
        validator.validate(strict(report(result(prob, happened.astype(np.uint8))).to_json()))
    validator.validate(strict(build_report((), SOURCE, version="0", seed=0).to_json()))


def test_the_parts_that_other_tools_rely_on():
    found = strict(report(hand_made(left_out={"outcome is not 0 or 1": LeftOut(7, (212, 590))})).to_json())
    assert found["schema"] == "calibrant.report/1"
    assert found["source"] == {"name": "games.csv", "rows": 2007, "notes": ["`p` as probability", "`won` as outcome"]}
    (part,) = found["slices"]
    assert part["left_out"] == [{"reason": "outcome is not 0 or 1", "rows": 7, "first": [212, 590]}]
    assert part["numbers"]["confidence_ece"] == {
        "value": 0.114, "low": 0.09, "high": 0.14, "level": 0.95, "method": "t", "range": [0.0, 1.0], "better": "lower",
        "n": 1000, "convention": "formula of confidence_ece", "bins": 10, "binning": "width", "floor": 0.021,
        "floor_95": 0.031, "p_value": 0.001,
    }  # fmt: skip
    assert part["curve"][8]["observed"] == 364 / 512
    assert part["curve"][0] == {
        "low": 0.0, "high": 0.1, "n": 0, "mean_probability": None, "observed": None, "observed_low": None,
        "observed_high": None, "gap": None,
    }  # fmt: skip
    assert part["verdict"]["code"] == "overconfident"
    assert part["verdict"]["sentence"] == found["headline"]


def test_an_infinite_value_is_null_with_its_rows_and_a_reason():
    prob, happened = drawn(lambda z: z, 200)
    prob[:3], happened[:3] = 0.0, 1
    log_loss = strict(report(result(prob, happened)).to_json())["slices"][0]["numbers"]["log_loss"]
    assert log_loss["value"] is None
    assert log_loss["infinite_rows"] == 3
    assert log_loss["why"]


anything = st.floats() | st.none() | st.integers() | st.text() | st.booleans()


@given(st.floats() | st.none(), st.floats(), st.floats(), st.dictionaries(st.text(), anything | st.lists(anything)))
def test_no_number_breaks_json(value, low, high, extra):
    number = Number("x", value, "formula", 3, (None, math.inf), low=low, high=high, extra=extra)
    found = strict(json.dumps(number_as_json(number), allow_nan=False))
    assert (found["value"] is None) <= ("why" in found)


def test_numbers_and_arrays_of_numpy_are_plain():
    extra = {
        "edges": np.array([0.0, 0.5, np.nan]),
        "rows": np.int64(3),
        "share": np.float64(0.5),
        "map": {1: (2, None)},
    }
    found = number_as_json(Number("x", np.float64(0.5), "formula", 3, extra=extra))
    assert found["edges"] == [0.0, 0.5, None]
    assert (found["rows"], found["share"], found["map"]) == (3, 0.5, {"1": [2, None]})


def test_the_slices_keep_the_order_of_the_data():
    parts = [hand_made(by={"model": name}) for name in ("z", "a", "m")]
    assert [part["by"]["model"] for part in report_as_dict(report(*parts))["slices"]] == ["z", "a", "m"]


def test_the_report_of_this_version_stays_as_it_was_published(validator):
    """When this fails, the schema has changed: add keys at most, and commit a further golden file."""
    golden = (Path(__file__).parent / "golden" / "report-0.1.0.json").read_text("utf-8")
    validator.validate(strict(golden))
    made = strict(report(hand_made(left_out={"outcome is not 0 or 1": LeftOut(7, (212, 590))})).to_json())
    assert made == strict(golden)
