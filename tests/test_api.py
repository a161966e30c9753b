"""The two verbs from Python: arrays, frames, paths and tallies through one door."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import calibrant as cb
from calibrant.errors import InputError, OptionError

PROB, WON = [0.2, 0.9, 0.4, 0.7], [0, 1, 1, 1]


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame({"stated": PROB, "won": WON, "model": ["a", "a", "b", "b"]})


def test_columns_are_named_as_on_the_command_line(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    whole = cb.tally(PROB, WON).to_json()
    for data in (frame, path, str(path), [path]):
        for found in (cb.tally(data, prob="stated", outcome="won"), cb.tally(data, "won", prob="stated")):
            assert found.n == 4
            assert cb.Tally.from_json(found.to_json()).slices[0].moments.mean("brier") == pytest.approx(0.125)
    assert '"n":4' in whole
    report = cb.check(frame, "won", prob="stated", by="model")
    assert [part.by for part in report.slices] == [{"model": "a"}, {"model": "b"}]


def test_arrays_tallies_and_files_give_one_report(frame: pd.DataFrame, tmp_path: Path) -> None:
    tally = cb.tally(PROB, WON)
    tally.to_json(tmp_path / "tally.json")
    reports = [cb.check(PROB, WON), cb.check(tally), cb.check(tmp_path / "tally.json")]
    numbers = [{name: number.value for name, number in report.slices[0].numbers.items()} for report in reports]
    assert numbers[0] == numbers[1] == numbers[2]
    assert repr(tally) == "<Tally of 4 rows in 1 slice>"


def test_pairs_of_columns_are_yes_and_no_as_scikit_learn_writes_them() -> None:
    pair = np.column_stack([1 - np.array(PROB), PROB])
    assert cb.tally(pair, WON).slices[0].kind == "yes_no"
    assert cb.tally(pair, WON).slices[0].moments.mean("brier") == cb.tally(PROB, WON).slices[0].moments.mean("brier")
    assert cb.tally(pair, WON, options=("lose", "win")).slices[0].kind == "choice"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: cb.tally(PROB, WON, by="model"), "by: such options name columns"),
        (lambda: cb.tally(PROB, WON[:3]), r"`outcome` has the shape \(3,\) where `data` has 4 rows"),
        (lambda: cb.tally(PROB, WON, kind="score"), "needs one probability per option"),
        (lambda: cb.tally(np.eye(3), [0, 1, 2], options=("a", "b")), "2 options are named, but there are 3 columns"),
        (lambda: cb.tally(np.eye(3), [0, 1, 2], kind="yes_no"), "needs one probability a row"),
    ],
)
def test_what_does_not_fit_is_told(call, says: str) -> None:
    with pytest.raises(InputError, match=says):
        call()


def test_an_unknown_option_is_told(frame: pd.DataFrame) -> None:
    with pytest.raises(OptionError, match="There is no option `outcome_column`"):
        cb.tally(frame, prob="stated", outcome_column="won")
