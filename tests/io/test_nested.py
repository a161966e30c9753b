"""Probabilities of all options in one column."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from calibrant.errors import ColumnError
from calibrant.loading import load_data

PROBS = [[0.25, 0.5, 0.25], [0.125, 0.75, 0.125], [0.5, 0.25, 0.25]]
KEYED = [{"cat": a, "dog": b, "bird": c} for a, b, c in PROBS]
LABELS = [1, 1, 2]


def parquet(folder, columns, types=None):
    table = pa.table({name: pa.array(column, (types or {}).get(name)) for name, column in columns.items()})
    pq.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


def csv(folder, columns):
    pd.DataFrame(columns).to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


def lines(folder, columns):
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    (folder / "t.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    return folder / "t.jsonl"


@pytest.mark.parametrize(
    "made",
    [
        lambda folder: parquet(folder, {"probs": PROBS, "label": LABELS}),
        lambda folder: parquet(folder, {"p": PROBS, "label": LABELS}, {"p": pa.list_(pa.float32(), 3)}),
        lambda folder: csv(folder, {"probs": [json.dumps(row) for row in PROBS], "label": LABELS}),
        lambda folder: csv(folder, {"probs": [str(np.array(row)) for row in PROBS], "label": LABELS}),
        lambda folder: lines(folder, {"probs": PROBS, "label": LABELS}),
        lambda _: {"probs": PROBS, "label": LABELS},
        lambda _: {"probs": np.array(PROBS, dtype=np.float32), "label": LABELS},
        lambda _: pd.DataFrame({"probs": PROBS, "label": LABELS}),
        lambda _: pl.DataFrame({"probs": PROBS, "label": LABELS}),
        lambda _: pa.table({"probs": PROBS, "label": LABELS}),
    ],
    ids=["list", "float32 array", "text", "numpy text", "jsonl", "dict", "2-D", "pandas", "polars", "arrow"],
)
def test_lists_of_one_length(made, tmp_path):
    (part,) = load_data(made(tmp_path)).tally.slices
    assert (part.kind, part.n, part.options) == ("choice", 3, ("0", "1", "2"))
    assert part.views["top"].prob.tolist() == [0.5, 0.75]
    assert part.classes == {"0": 0.0, "1": 2.0, "2": 1.0}


@pytest.mark.parametrize(
    "made",
    [
        lambda folder: parquet(folder, {"probs": KEYED, "label": ["dog", "dog", "bird"]}),
        lambda folder: parquet(
            folder,
            {"probs": [list(row.items()) for row in KEYED], "label": ["dog", "dog", "bird"]},
            {"probs": pa.map_(pa.string(), pa.float32())},
        ),
        lambda folder: csv(folder, {"probs": [json.dumps(row) for row in KEYED], "label": ["dog", "dog", "bird"]}),
        lambda folder: csv(folder, {"probs": [str(row) for row in KEYED], "label": ["Dog", "dog", "2"]}),
        lambda folder: lines(folder, {"probs": KEYED, "label": ["dog", "dog", "bird"]}),
        lambda _: pl.DataFrame({"probs": KEYED, "label": ["dog", "dog", "bird"]}),
        lambda _: pd.DataFrame({"probs": KEYED, "label": ["dog", "dog", "bird"]}),
    ],
    ids=["struct", "map", "text", "python text", "jsonl", "polars", "pandas"],
)
def test_maps_name_their_options(made, tmp_path):
    (part,) = load_data(made(tmp_path)).tally.slices
    assert (part.kind, part.n, part.options) == ("choice", 3, ("cat", "dog", "bird"))
    assert part.classes == {"cat": 0.0, "dog": 2.0, "bird": 1.0}


def test_float32_in_lists_and_maps_are_the_decimals_they_were(tmp_path):
    short = {"probs": [[0.7, 0.2, 0.1]], "label": [0]}
    found = load_data(parquet(tmp_path, short, {"probs": pa.list_(pa.float32())})).tally
    assert found.slices[0].views["top"].prob.tolist() == [0.7]
    keyed = {"probs": [[("a", 0.7), ("b", 0.3)]], "label": ["a"]}
    found = load_data(parquet(tmp_path, keyed, {"probs": pa.map_(pa.string(), pa.float32())})).tally
    assert found.slices[0].views["top"].prob.tolist() == [0.7]


def test_questions_with_different_numbers_of_options(tmp_path):
    ragged = [[0.5, 0.5], [0.25, 0.5, 0.25], [0.125, 0.125, 0.25, 0.5], [0.5, 0.5], None, [0.5, None], ["x", 1]]
    path = lines(tmp_path, {"probs": ragged, "label": [1, 1, 3, 2, 0, 0, 1]})
    (part,) = load_data(path).tally.slices
    assert (part.kind, part.options) == ("choice", ())
    assert part.option_counts == {2: 1, 3: 1, 4: 1}
    assert {reason: found.first for reason, found in part.left_out.items()} == {
        "label is not one of the options": (4,),
        "a probability is missing": (5,),
        "a probability is not a number": (6, 7),
    }


def test_a_map_may_lack_options(tmp_path):
    path = lines(tmp_path, {"probs": [{"a": 0.5, "b": 0.5}, {"b": 0.25, "c/d": 0.75}], "label": ["b", "c/d"]})
    (part,) = load_data(path).tally.slices
    assert (part.options, part.option_counts) == (("a", "b", "c/d"), {2: 2})


def test_lists_of_two_are_yes_or_no_by_the_second():
    (part,) = load_data({"probs": [[0.25, 0.75], [0.5, 0.5]], "label": [1, 0]}).tally.slices
    assert (part.kind, part.n) == ("yes_no", 2)
    assert part.views["event"].prob.tolist() == [0.5, 0.75]


def test_levels_order_lists_and_maps():
    (part,) = load_data({"probs": PROBS, "label": ["low", "high", "mid"]}, levels=["low", "mid", "high"]).tally.slices
    assert (part.kind, part.options) == ("score", ("low", "mid", "high"))
    (part,) = load_data({"probs": KEYED, "label": ["dog"] * 3}, levels=["bird", "cat", "dog"]).tally.slices
    assert (part.kind, part.options) == ("score", ("bird", "cat", "dog"))
    assert part.moments.mean("label") == 2.0
    with pytest.raises(ColumnError, match="names 2 levels, but lists of `probs` have 3"):
        load_data({"probs": PROBS, "label": LABELS}, levels=["low", "high"])
    with pytest.raises(ColumnError, match="must name each option of `probs` once: cat, dog, bird"):
        load_data({"probs": KEYED, "label": LABELS}, levels=["low", "high"])


def test_lists_too_long_to_be_options():
    with pytest.raises(ColumnError, match="at most 1,000 options"):
        load_data({"probs": [[1 / 1001] * 1001], "label": [0]})
