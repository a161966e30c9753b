"""Tables that would lead a reader astray: every row counted, none invented, nothing carried out."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

from calibrant.errors import CalibrantError, ColumnError, RowError
from calibrant.loading import load_data


def tally(tmp_path, data, name="a.csv", **options):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return load_data(path, **options).tally


def left_out(found):
    parts = [*found.slices, found]
    return {reason: (rows.rows, rows.first) for part in parts for reason, rows in part.left_out.items()}


def test_a_fraction_after_300_000_rows_of_0_and_1(tmp_path):
    found = tally(tmp_path, "p,y\n" + "0,0\n1,1\n" * 150_000 + "0.3,1\n0.5,0\n")
    cells = found.slices[0].views["event"]
    assert found.n == 300_002
    assert sorted(cells.prob.tolist()) == [0.0, 0.3, 0.5, 1.0]


def test_a_decimal_comma_after_100_000_rows_of_0_and_1(tmp_path):
    found = tally(tmp_path, "p;y\n" + "0;0\n1;1\n" * 150_000 + "0,3;1\n")
    assert sorted(found.slices[0].views["event"].prob.tolist()) == [0.0, 0.3, 1.0]


def test_line_ends_that_change_far_into_the_file(tmp_path):
    data = b"p,y\n" + b"0.5,1\n" * 300_000 + b"0.2,0\r\n" * 3 + b"0.3\r0.4,1\n"
    found = tally(tmp_path, data)
    assert found.n == 300_004
    assert left_out(found) == {"wrong number of columns": (1, (300_004,))}


def test_text_that_stops_being_utf8_far_into_the_file(tmp_path):
    data = b"p,y\n" + b"0.5,1\n" * 300_000 + b"0.2\xff,0\n0.4,1\n"
    assert left_out(tally(tmp_path, data)) == {"not readable as text": (1, (300_001,))}


def test_ragged_records_keep_their_numbers_across_blank_lines_and_buffers(tmp_path):
    data = b"p,y,t\n" + b"0.5,1,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n\n" * 400_000 + b"0.2,0\n0.3,x,b\n0.4,1\n"
    found = tally(tmp_path, data)
    assert found.n == 400_000
    assert left_out(found) == {
        "wrong number of columns": (2, (400_001, 400_003)),
        "outcome is not 0 or 1": (1, (400_002,)),
    }


def test_a_record_of_more_than_16_mib(tmp_path):
    found = tally(tmp_path, b"p,y,t\n0.1,1,a\n0.2,0," + b"x" * (2**24 + 5) + b"\n0.3,1,b\n")
    assert left_out(found) == {"longer than 16 MiB": (1, (2,))}
    assert found.n == 2


def test_nine_thousand_other_columns(tmp_path):
    names, values = ",".join(f"c{k}" for k in range(9000)), ",".join("1" * 9000)
    assert tally(tmp_path, f"{names},p,y\n{values},0.3,1\n").n == 1


def test_names_that_look_like_commands(tmp_path):
    text = 'p,"y""; DROP TABLE wanted; --","a\'); --"\n0.1,1,x\n'
    found = tally(tmp_path, text, prob="p", outcome='y"; DROP TABLE wanted; --', by="a'); --")
    assert (found.n, found.slices[0].by) == (1, {"a'); --": "x"})


def test_words_and_codes_that_look_like_commands(tmp_path):
    found = tally(tmp_path, 'p,y\n0.1,\'\n0.2,"a"" b"\n', yes="'", no='a" b', na="'); DROP TABLE wanted --")
    assert found.n == 2


@pytest.mark.parametrize("name", ["x'); --.csv", "a[1]*.csv", "?.csv", "y=1/b.csv", "ü 漢.csv", "{a,b}.csv"])
def test_file_names_that_engines_take_for_patterns(name, tmp_path):
    found = tally(tmp_path, "p,y\n0.1,0\n0.2,1\n", name)
    assert (found.n, found.source.rows) == (2, 2)


def test_folders_give_no_columns(tmp_path):
    path = tmp_path / "y=1" / "b.parquet"
    path.parent.mkdir()
    duckdb.sql(f"COPY (SELECT 0.3 AS p, 0 AS y) TO '{path}'")
    assert load_data(path).tally.slices[0].views["event"].prob.tolist() == [0.3]


def test_names_that_steer_a_terminal(tmp_path):
    with pytest.raises(ColumnError) as caught:
        tally(tmp_path, "a\x1b[31m,b\u202e\n0.1,1\n")
    assert "\x1b" not in str(caught.value)
    assert "\u202e" not in str(caught.value)


def test_numbers_that_are_hardly_numbers(tmp_path):
    text = "p,y\n0." + "1" * 100_000 + ",1\n" + "1" * 400 + ",1\n１,1\n−0.5,1\n0.5.1,1\n1e-400,1\nNaN,0\n-inf,0\n"
    assert left_out(tally(tmp_path, text)) == {
        "probability is not a number": (3, (3, 4, 5)),
        "probability is outside 0 to 1": (2, (2, 8)),
        "probability is missing": (1, (7,)),
    }


def test_strict_names_the_first_bad_record(tmp_path):
    with pytest.raises(RowError, match=r"probability is not a number \(record 2\)"):
        tally(tmp_path, "p,y\n0.1,1\nx,0\n", strict=True)
    with pytest.raises(RowError, match=r"wrong number of columns \(record 2\)"):
        tally(tmp_path, "p,y\n0.1,1\n0.2\n", strict=True)


def test_negative_weights_are_refused(tmp_path):
    with pytest.raises(RowError, match=r"record 2 has -2"):
        tally(tmp_path, "w,p,y\n1,0.5,1\n-2,0.4,0\n", weight="w")


def test_float32_is_read_as_the_decimal_it_was(tmp_path):
    path = tmp_path / "a.parquet"
    duckdb.sql(f"COPY (SELECT unnest([0.7, -0.01])::FLOAT AS p, 1 AS y) TO '{path}'")
    found = load_data(path, na="-0.01").tally
    assert found.slices[0].views["event"].prob.tolist() == [0.7]
    assert left_out(found) == {"probability is missing": (1, (2,))}


def test_nothing_is_left_in_the_folder_or_in_the_temporary_one(tmp_path, monkeypatch):
    scratch, here = tmp_path / "scratch", tmp_path / "here"
    scratch.mkdir()
    here.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    monkeypatch.chdir(here)
    tally(here, "p y\n" + "0.5   1\n" * 1000)
    assert [path.name for path in here.iterdir()] == ["a.csv"]
    assert list(scratch.iterdir()) == []


def test_two_files_are_numbered_each_for_itself(tmp_path):
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in paths:
        path.write_text("p,y\n0.5,1\nx,0\n")
    found = load_data(paths).tally
    assert (found.n, found.source.rows, found.source.names) == (2, 4, tuple(map(str, paths)))
    assert left_out(found) == {"probability is not a number": (2, (2, 2))}


def test_any_bytes_give_a_tally_or_a_sentence(tmp_path):
    rng = np.random.default_rng(20)
    alphabet = np.frombuffer(b'py,;\t|"\n\r 01.5%-#e\xc3\xa9\x00', dtype=np.uint8)
    for length in rng.integers(1, 60, 150):
        body = b"p,y\n" + alphabet[rng.integers(0, alphabet.size, length)].tobytes()
        try:
            found = tally(tmp_path, body)
        except CalibrantError:
            continue  # a sentence; anything else would fail the test
        gone = sum(rows for rows, _ in left_out(found).values())
        assert found.n + gone == found.source.rows
