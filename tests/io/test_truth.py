"""Outcomes in a file of their own."""

from __future__ import annotations

import pandas as pd
import pytest

from calibrant.errors import ColumnError, RowError
from calibrant.loading import load_data


@pytest.fixture
def files(tmp_path):
    def write(rows, truth):
        (tmp_path / "rows.csv").write_text(rows)
        (tmp_path / "truth.csv").write_text(truth)
        return tmp_path / "rows.csv", tmp_path / "truth.csv"

    return write


def test_rows_meet_their_truth_whatever_the_order(files):
    rows, truth = files("id,p\na,0.3\nb,0.9\n", "id,outcome\nb,1\nc,1\n")
    found = load_data(rows, truth=truth).tally
    assert found.n == 1
    assert found.slices[0].views["event"].prob.tolist() == [0.9]
    missing = found.slices[0].left_out["outcome is missing"]
    assert (missing.rows, missing.first) == (1, (1,))
    said = "; ".join(found.source.notes)
    assert "1 row has none there" in said
    assert "1 of its 2 rows has no prediction" in said


def test_the_truth_hides_the_outcomes_of_the_rows(files):
    rows, truth = files("id,p,label\n1,0.3,0\n2,0.9,0\n", "ID,label\n2,1\n1,0\n")
    found = load_data(rows, truth=truth).tally
    assert found.n == 2
    assert "none there" not in "; ".join(found.source.notes)


def test_labels_of_choices(files):
    rows, truth = files("id,p_a,p_b\n1,0.25,0.75\n2,0.5,0.5\n", "id,label\n1,B\n2,a\n")
    found = load_data(rows, truth=truth).tally
    assert (found.slices[0].kind, found.n) == ("choice", 2)


def test_predicted_against_true_label(files):
    rows, truth = files("id,confidence,predicted\n1,0.8,cat\n2,0.6,dog\n", "id,true_label\n1,cat\n2,cat\n")
    found = load_data(rows, truth=truth).tally
    assert (found.slices[0].kind, found.n) == ("answer", 2)


def test_a_key_of_two_columns_and_slices_from_the_truth(files):
    rows, truth = files("id,question,p\n1,a,0.3\n1,b,0.9\n2,a,0.5\n", "id,question,y,site\n1,a,0,X\n1,b,1,Y\n2,a,1,X\n")
    found = load_data(rows, truth=truth, join=("id", "question"), by="site").tally
    assert {part.by["site"]: part.n for part in found.slices} == {"X": 2, "Y": 1}


def test_records_keep_their_numbers_through_a_join(files):
    rows, truth = files("id,p\n1,0.3\n2\n3,x\n4,0.5\n", "id,y\n4,1\n3,1\n2,1\n1,0\n")
    found = load_data(rows, truth=truth).tally
    assert found.n == 2
    assert found.slices[0].left_out["probability is not a number"].first == (3,)
    assert found.left_out["wrong number of columns"].first == (2,)


def test_two_truths_of_one_item_are_refused(files):
    rows, truth = files("id,p\n1,0.3\n", "id,y\n1,0\n2,1\n1,1\n")
    with pytest.raises(RowError, match=r"two rows for `id` '1': records 1 and 3"):
        load_data(rows, truth=truth)


def test_a_missing_key_column(files):
    rows, truth = files("item,p\n1,0.3\n", "id,y\n1,0\n")
    with pytest.raises(ColumnError, match="no column 'id' to join by"):
        load_data(rows, truth=truth)


def test_words_in_the_truth_are_asked_about(files):
    rows, truth = files("id,p\n1,0.3\n2,0.5\n", "id,outcome\n1,won\n2,lost\n")
    with pytest.raises(ColumnError, match="won and lost"):
        load_data(rows, truth=truth)
    assert load_data(rows, truth=truth, yes="won", no="lost").tally.n == 2


def test_a_frame_with_a_file_of_truth(files):
    _, truth = files("", "id,y\n1,0\n2,1\n")
    assert load_data(pd.DataFrame({"id": [2, 1], "p": [0.9, 0.3]}), truth=truth).tally.n == 2
