"""Data in memory: the same rows from every kind of frame."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from calibrant.errors import ColumnError, InputError
from calibrant.loading import load_data

COLUMNS = {"p": [0.1, 0.5, 0.9, None], "y": [0, 1, 1, 0], "text": ["a", None, "b", "c"]}


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(dict(COLUMNS), id="dict"),
        pytest.param(pd.DataFrame(COLUMNS), id="pandas"),
        pytest.param(pd.DataFrame(COLUMNS).astype({"p": "Float64", "y": "Int64"}), id="pandas nullable"),
        pytest.param(pl.DataFrame(COLUMNS), id="polars"),
        pytest.param(pl.LazyFrame(COLUMNS), id="polars lazy"),
        pytest.param(pa.table(COLUMNS), id="pyarrow"),
        pytest.param(
            np.array([(0.1, 0), (0.5, 1), (0.9, 1), (np.nan, 0)], dtype=[("p", "f8"), ("y", "i1")]), id="structured"
        ),
    ],
)
def test_every_frame_gives_the_same_tally(frame):
    found = load_data(frame).tally
    cells = found.slices[0].views["event"]
    assert cells.prob.tolist() == [0.1, 0.5, 0.9]
    missing = found.slices[0].left_out["probability is missing"]
    assert (missing.rows, missing.first) == (1, (4,))


@pytest.mark.parametrize(
    "outcome",
    [
        pd.array([True, None, False], dtype="boolean"),
        pd.Series([1.0, None, 0.0]),
        ["true", "", "0"],
        pd.Categorical(["1", None, "0"]),
    ],
)
def test_outcomes_of_many_types(outcome):
    found = load_data(pd.DataFrame({"p": [0.1, 0.2, 0.3], "y": outcome})).tally
    assert found.slices[0].views["event"].n == 2
    assert found.slices[0].left_out["outcome is missing"].first == (2,)


def test_short_floats_are_the_decimals_they_were():
    for dtype in (np.float32, np.float16):
        found = load_data({"p": np.array([0.7, 0.3], dtype=dtype), "y": [1, 0]}).tally
        assert found.slices[0].views["event"].prob.tolist() == [0.3, 0.7]


def test_decimals_and_dates():
    table = pa.table(
        {"p": [decimal.Decimal("0.3"), decimal.Decimal("0.5")], "y": [1, 0], "d": [dt.date(2020, 1, 1)] * 2}
    )
    found = load_data(table, by="d").tally
    assert (found.n, found.slices[0].by) == (2, {"d": "2020-01-01"})


def test_columns_that_are_not_read_may_hold_anything():
    frame = pl.DataFrame({"p": [0.1], "y": [1], "lists": [[1, 2]]})
    assert load_data(frame).tally.n == 1


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "NoneType cannot be read"),
        (5, "int cannot be read"),
        (pd.Series([0.1]), "Series cannot be read"),
        ({}, "no column"),
        ({"p": [0.1, 0.2], "y": [1]}, "`p` 2, `y` 1"),
        ({"p": np.ones((2, 2, 2)), "y": [1, 0]}, "`p` has the shape (2, 2, 2)"),
        (pd.DataFrame(np.ones((1, 3)), columns=["p", "p", "y"]), "more than one column `p`"),
    ],
)
def test_data_that_cannot_be_read(data, says):
    with pytest.raises(InputError) as caught:
        load_data(data)
    assert says in caught.value.message
    assert caught.value.hint


def test_hints_are_calls_in_python():
    with pytest.raises(ColumnError) as caught:
        load_data(pd.DataFrame({"q": [0.1], "won": [1]}))
    assert "check(data, prob='q', outcome='won')" in caught.value.hint
