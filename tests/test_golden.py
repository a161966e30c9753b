"""Golden files of formats 1: this version reads them and still gives the numbers of the version that wrote them."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path

import jsonschema
import pytest

import calibrant as cb
from calibrant.tallies.parquet import read_parquet
from calibrant.tallies.store import to_document

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"
NAMES = ("exact", "gridded", "weighted", "clustered", "choice", "score", "answer")
LOG_BASED = ("log_loss", "slope", "intercept", "calibration_in_the_large", "spiegelhalter")


def schema(name):
    document = json.loads((ROOT / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document)


def golden(kind, name):
    return json.loads((GOLDEN / f"{kind}-1-{name}.json").read_text(encoding="utf-8"))


def differences(was, now, tolerance, where=""):
    """Places where two JSON documents differ by more than the tolerance."""
    if isinstance(was, dict) and isinstance(now, dict):
        missing = [f"{where}/{key} is gone" for key in was if key not in now]
        return missing + [
            d for key in was if key in now for d in differences(was[key], now[key], tolerance, f"{where}/{key}")
        ]
    if isinstance(was, list) and isinstance(now, list):
        if len(was) != len(now):
            return [f"{where} has {len(now)} entries, had {len(was)}"]
        return [
            d
            for k, pair in enumerate(zip(was, now, strict=True))
            for d in differences(*pair, tolerance, f"{where}/{k}")
        ]
    if isinstance(was, float) and isinstance(now, (int, float)):
        same = math.isclose(was, now, rel_tol=tolerance, abs_tol=1e-15)
    else:
        same = was == now
    return [] if same else [f"{where}: was {was!r}, now {now!r}"]


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_tally_follows_its_schema_and_comes_back_the_same(name):
    document = golden("tally", name)
    schema("tally-1").validate(document)
    tally = cb.Tally.from_json((GOLDEN / f"tally-1-{name}.json").read_bytes())
    assert differences(document, json.loads(tally.to_json()), 0) == []


@pytest.mark.parametrize("name", ["weighted", "gridded"])
def test_a_golden_parquet_tally_is_the_json_one(name):
    assert to_document(read_parquet(GOLDEN / f"tally-1-{name}.parquet")) == golden("tally", name)


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_report_follows_its_schema(name):
    schema("report-1").validate(golden("report", name))


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_tally_gives_its_golden_numbers(name):
    tally = cb.Tally.from_json((GOLDEN / f"tally-1-{name}.json").read_bytes())
    now = json.loads(cb.check(tally).to_json())
    (was,) = golden("report", name)["slices"]
    (part,) = now["slices"]
    assert [part[key] for key in ("kind", "n", "resolution", "left_out")] == [
        was[key] for key in ("kind", "n", "resolution", "left_out")
    ]
    assert part["verdict"]["code"] == was["verdict"]["code"]
    assert differences(was["curve"], part["curve"], 1e-12) == []
    for key, number in was["numbers"].items():
        exact = {fact: number[fact] for fact in ("value", "scale", "bins", "binning", "convention") if fact in number}
        assert differences(exact, part["numbers"][key], 1e-9 if key in LOG_BASED else 1e-12, key) == []
        drawn = {fact: number[fact] for fact in ("low", "high", "floor", "floor_95", "p_value") if fact in number}
        assert differences(drawn, part["numbers"][key], 1e-9, key) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda d: d.update(schema="calibrant.tally/2"),
        lambda d: d["slices"][0].pop("n"),
        lambda d: d["slices"][0].update(kind="maybe"),
        lambda d: d["slices"][0]["views"]["event"]["key"].append(1.5),
        lambda d: d["slices"][0]["views"]["event"]["rows"].append([1]),
        lambda d: d["slices"][0]["views"].update(secret=d["slices"][0]["views"]["event"]),
    ],
)
def test_the_schema_refuses_what_is_no_tally(damage):
    document = copy.deepcopy(golden("tally", "exact"))
    damage(document)
    assert not schema("tally-1").is_valid(document)


def test_every_printed_number_is_explained():
    page = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    printed = {key for name in NAMES for part in golden("report", name)["slices"] for key in part["numbers"]}
    assert {key for key in printed if f"`{key}`" not in page} == set()
