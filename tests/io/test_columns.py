"""Finding columns by name, and the command to type when that fails."""

from __future__ import annotations

import pytest

from calibrant.errors import ColumnError
from calibrant.io.columns import find_columns
from calibrant.io.guess import corrected_command
from calibrant.io.options import ColumnChoice


def found(names, rows=(), **choice):
    return find_columns(names.split(","), ColumnChoice(**choice), "a.csv", lambda: rows)


@pytest.mark.parametrize(
    ("names", "kind", "prob", "outcome"),
    [
        ("p,y", "yes_no", ("p",), ("y",)),
        ("Probability,OUTCOME", "yes_no", ("Probability",), ("OUTCOME",)),
        (" prob , correct ", "yes_no", (" prob ",), (" correct ",)),
        ("p,label", "yes_no", ("p",), ("label",)),
        ("id,confidence,correct", "answer", ("confidence",), ("correct",)),
        ("top1_confidence,correct,n", "answer", ("top1_confidence",), ("correct",)),
        ("true_label,pred_label,confidence", "answer", ("confidence",), ("true_label",)),
        ("label,predicted,p", "answer", ("p",), ("label",)),
        ("p_refunds,p_shipping,label", "choice", ("p_refunds", "p_shipping"), ("label",)),
        ("label,prob_b,prob_a", "choice", ("prob_b", "prob_a"), ("label",)),
    ],
)
def test_columns_are_found_by_name(names, kind, prob, outcome):
    layout = found(names)
    assert (layout.kind, layout.prob, layout.outcome) == (kind, prob, outcome)


def test_options_keep_the_order_of_the_file_and_lose_their_prefix():
    assert found("p_10,p_2,label").options == ("10", "2")


def test_levels_make_a_score_and_set_the_order():
    layout = found("p_high,p_low,label", levels=("low", "high"))
    assert (layout.kind, layout.prob, layout.options) == ("score", ("p_low", "p_high"), ("low", "high"))


def test_levels_that_are_no_options():
    with pytest.raises(ColumnError, match="'medium' is none of them"):
        found("p_high,p_low,label", levels=("low", "medium"))


def test_pairs_of_a_column_and_its_outcome():
    layout = found("a,a_outcome,b,b_outcome", prob=("a", "b"))
    assert (layout.kind, layout.outcome) == ("choice", ("a_outcome", "b_outcome"))


def test_positions_stand_for_names():
    layout = found("x,z", prob=("2",), outcome=("1",))
    assert (layout.prob, layout.outcome) == (("z",), ("x",))


def test_a_name_wins_over_a_position():
    assert found("2,1", prob=("1",), outcome=("2",)).prob == ("1",)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("p,prob,y", "more than one probability column: `p` and `prob`"),
        ("p,y,outcome", "more than one outcome column: `y` and `outcome`"),
        ("q,y", "no probability column: looked for `probability`, `p`, `prob`"),
        ("p,z", "no outcome column"),
        ("p,p_a,p_b,label", "a probability column and columns for options"),
        ("p_a,p_b,z", "no label column"),
        ("confidence,z", "no outcome column"),
    ],
)
def test_what_is_missing_or_double_is_said_with_a_command(names, says):
    with pytest.raises(ColumnError) as caught:
        found(names)
    assert says in caught.value.message
    assert "calibrant check a.csv --prob" in caught.value.hint


@pytest.mark.parametrize(
    ("names", "row", "command"),
    [
        ("prob1,prob1_outcome,prob2,prob2_outcome", "0.3,0,0.7,1", "--prob prob1 --outcome prob1_outcome"),
        ("age,sex,recid,scoreA", "33,0,1,0.4", "--prob scoreA --outcome sex"),
        ("date,A,obs", "2016-01-01,0.5,1", "--prob A --outcome obs"),
        ("pct,won", "84%,true", "--prob pct --outcome won"),
        ("1,2", "-1,0.3;1,0.2", "--prob 2 --outcome 1 --yes 1 --no -1"),
        ("my p,it's", "0.5,1;0.1,0", "--prob 'my p' --outcome 'it'\"'\"'s'"),
        ("text", "abc", "--prob COLUMN --outcome COLUMN"),
    ],
)
def test_the_corrected_command(names, row, command):
    rows = [line.split(",") for line in row.split(";")]
    assert corrected_command("a.csv", names.split(","), rows) == f"calibrant check a.csv {command}"


def test_the_corrected_call_for_data_in_memory():
    said = corrected_command("columns", ["q", "won"], [["0.5", "1"]], python=True)
    assert said == "check(data, prob='q', outcome='won')"
