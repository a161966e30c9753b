"""Tally files: the same tally comes back, and damage becomes a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibrant.errors import TallyError
from calibrant.predictions import judge_choices, judge_events
from calibrant.tallies.collect import tally_block
from calibrant.tallies.parquet import read_parquet, write_parquet
from calibrant.tallies.store import from_json, to_json
from calibrant.tallies.tally import Tally


def example(name: str) -> Tally:
    rng = np.random.default_rng(7)
    prob = rng.beta(0.8, 1.5, 80_000 if name == "gridded" else 300)
    outcome = (rng.random(prob.size) < prob).astype(int)
    if name == "choice":
        probs = rng.dirichlet([1, 2, 3], 200)
        return tally_block(judge_choices(probs, rng.integers(0, 3, 200), options=("a", "b", "c"), kind="score"))
    if name == "weighted":
        return tally_block(judge_events(prob, outcome, weight=rng.random(prob.size)), weights="sampling")
    if name == "clustered":
        cluster = rng.integers(0, 40, prob.size).astype(np.uint64)
        return tally_block(judge_events(prob, outcome, cluster=cluster))
    if name == "left out":
        return tally_block(judge_events([0.2, 7, np.nan], [1, 1, 0]))
    return tally_block(judge_events(prob, outcome))


NAMES = ["exact", "gridded", "weighted", "clustered", "choice", "left out"]


@pytest.mark.parametrize("name", NAMES)
def test_json_and_parquet_give_the_same_tally_back(name: str, tmp_path: Path) -> None:
    tally = example(name)
    text = to_json(tally)
    assert to_json(from_json(text)) == text
    write_parquet(tally, tmp_path / "it's a tally.parquet")
    assert to_json(read_parquet(tmp_path / "it's a tally.parquet")) == text


@pytest.mark.parametrize("name", NAMES)
def test_adding_is_commutative(name: str) -> None:
    first, second = example(name), example(name)
    assert to_json(first + second) == to_json(second + first)


def damaged(change: str) -> str:
    document: Any = json.loads(to_json(example("exact")))
    part = document["slices"][0]
    view = part["views"]["event"]
    match change:
        case "schema":
            document["schema"] = "calibrant.tally/99"
        case "other schema":
            document["schema"] = "calibrant.report/1"
        case "rows":
            view["rows"][0][0] += 1
        case "negative":
            view["rows"][0][0] = -1
        case "order":
            view["key"] = view["key"][::-1]
        case "outside":
            view["key"][-1] = 1.5
        case "grid":
            view["resolution"] = "fine/9"
        case "missing":
            del part["moments"]
        case "shape":
            part["moments"]["first"] = part["moments"]["first"][1:]
        case "kind":
            part["kind"] = "maybe"
        case "type":
            part["views"] = 3
        case "huge":
            view["rows"][0][0] = 10**30
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("schema", "this version reads calibrant.tally/1"),
        ("other schema", "is not a tally"),
        ("rows", "its cells hold 301 rows, its total says 300"),
        ("negative", "a count is negative"),
        ("order", "do not rise inside 0 to 1"),
        ("outside", "do not rise inside 0 to 1"),
        ("grid", "the grid 'fine/9', which this version does not know"),
        ("missing", "damaged: KeyError"),
        ("shape", "a table has shape"),
        ("kind", "unknown kind 'maybe'"),
        ("type", "damaged"),
        ("huge", "damaged"),
    ],
)
def test_a_damaged_tally_is_refused_with_a_sentence(change: str, says: str) -> None:
    with pytest.raises(TallyError, match=says):
        from_json(damaged(change))


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", '"x"', "[" * 100_000, "\x00"])
def test_what_is_no_tally_is_refused(text: str) -> None:
    with pytest.raises(TallyError):
        from_json(text)


def test_nan_is_refused() -> None:
    text = to_json(example("exact")).replace('"weight":0.0', '"weight":NaN', 1)
    text = text.replace('"first":[[300.0', '"first":[[NaN', 1)
    with pytest.raises(TallyError, match="not a finite number"):
        from_json(text)


def test_a_parquet_file_that_is_no_tally_is_refused(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "other.parquet"
    duckdb.sql("SELECT 1 AS x").write_parquet(str(path))
    with pytest.raises(TallyError, match="not a tally"):
        read_parquet(path)
    path.write_bytes(b"PAR1 nothing here")
    with pytest.raises(TallyError, match="damaged"):
        read_parquet(path)
