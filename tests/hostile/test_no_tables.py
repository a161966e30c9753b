"""Files that are no tables of predictions: one sentence about what is wrong, and what to do."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import zipfile

import duckdb
import numpy as np
import pytest

from calibrant.errors import ColumnError, FileError, OptionError
from calibrant.loading import load_data


def parquet(folder, query="SELECT 0.3 AS p, 1 AS y"):
    path = folder / "made.parquet"
    duckdb.sql(f"COPY ({query}) TO '{path}'")
    return path.read_bytes()


def zipped(*names):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name in names:
            archive.writestr(name, "p,y\n0.5,1\n")
    return held.getvalue()


def saved(array):
    held = io.BytesIO()
    np.save(held, array)
    return held.getvalue()


TABLE = b"p,y\n" + b"".join(b"0.%d,1\n" % (k * 7919 % 100_003) for k in range(400_000))

NO_TABLES = {
    "an empty file": (b"", "is empty", "header"),
    "blanks only": (b" \n\r\n\t\n", "nothing but blanks", "header"),
    "a PNG picture": (b"\x89PNG\r\n\x1a\n" + bytes(40), "a PNG picture", "CSV"),
    "a JPEG picture": (b"\xff\xd8\xff\xe0" + bytes(40), "a JPEG picture", "CSV"),
    "a PDF document": (b"%PDF-1.7\n1 0 obj", "a PDF document", "CSV"),
    "a program": (b"\x7fELF" + bytes(40), "a program", "CSV"),
    "a zip archive": (zipped("a.csv"), "a zip archive", "Unpack"),
    "an Excel workbook": (zipped("xl/workbook.xml"), "an Excel workbook", "as CSV"),
    "an old Excel file": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(40), "old Excel", "as CSV"),
    "a pickle": (pickle.dumps({"p": [0.5]}), "a pickle, which is never opened", "CSV"),
    "a NumPy file": (saved(np.ones(3)), "a NumPy file", "calibrant.check"),
    "an SQLite database": (b"SQLite format 3\x00" + bytes(90), "an SQLite database", "Export"),
    "a bzip2 archive": (b"BZh91AY&SY", "a bzip2 archive", "Unpack"),
    "a Zstandard archive": (b"\x28\xb5\x2f\xfd" + bytes(9), "a Zstandard archive", "Unpack"),
    "an HTML page": (b"\xef\xbb\xbf\n<!DOCTYPE html>\n<html>404", "an HTML or XML page", "error page"),
    "random bytes": (bytes(np.random.default_rng(7).integers(1, 255, 4000, dtype=np.uint8)), "not a text file", "CSV"),
    "a NUL byte in a text": (b"p,y\n0.5,1\n0.4,\x000\n", "line 3 holds a NUL byte", "binary"),
    "gzip cut at its start": (gzip.compress(b"p,y\n0.5,1\n" * 9)[:-12], "damaged gzip", "again"),
    "gzip cut far in": (gzip.compress(TABLE)[:-500], "cannot be read", "complete"),
    "gzip inside gzip": (gzip.compress(gzip.compress(b"p,y\n0.5,1\n")), "compressed twice", "gunzip"),
    "Parquet inside gzip": (gzip.compress(b"PAR1" + bytes(40)), "inside gzip", "gunzip"),
    "the magic of Parquet alone": (b"PAR1", "cannot be read", "complete"),
    "a header alone": (b"p,y\n\n", "a header line and no row", "--no-header"),
    "a header wider than its rows": (b"a,b,p,y,c\n0.5,1\n0.4,0\n", "line 1 has 5 columns", "--skip"),
    "one line of 30,000 columns": (b",".join([b"x"] * 30_000) + b"\n1\n", "30,000 columns in one line", "table"),
    "a name of 20,000 letters": (b"p" * 20_000 + b",y\n0.5,1\n", "more than 10,000 characters", "table"),
    "40 MB without a line end": (b"x" * 40_000_000, "more than 10,000 characters", "table"),
    "a JSON number list": (b"[1, 2]", "element 1 is a number", "Records look like"),
    "a JSON list of lists": (b"[[0.5, 1]]", "element 1 is a list", "Records look like"),
    "an empty JSON list": (b" []", "without records", "Records look like"),
    "JSON cut in its second record": (b'[{"p": 0.5, "y": 1}, {"p":', "record 2 (line 1)", "complete"),
    "JSON nested too deeply": (b"[" * 100_000, "nested too deeply", "complete"),
    "records inside a key": (b'{"data": [{"p": 0.5, "y": 1}]}', "inside `data`", "jq -c '.data[]'"),
    "a broken line far into JSONL": (
        b'{"p": 0.5, "y": 1}\n' * 70_000 + b'{"p": 0.2, "y": tru\n{"p": 0.2, "y": 0}\n',
        "line 70001",
        "Correct",
    ),
    "a list far into JSONL": (b'{"p": 0.5, "y": 1}\n' * 70_000 + b"[1]\n", "line 70001 is a list", "Records look like"),
    "one key twice": (b'{"p": 0.5, "y": 1}\n{"p": 0.1, "p": 0.2, "y": 1}\n', 'duplicate key "p"', "complete"),
    "a quote that swallows the rest": (
        b"p,y,t\n" + b"0.5,1,a\n" * 5000 + b'0.2,0,"b\n' + b"0.3,1,c\n" * 90_000,
        "record 5001",
        "Close the quote",
    ),
}


@pytest.mark.parametrize("name", NO_TABLES)
def test_no_table(name, tmp_path):
    data, says, hint = NO_TABLES[name]
    path = tmp_path / "given"
    path.write_bytes(data)
    with pytest.raises(FileError) as caught:
        load_data(path)
    assert says in caught.value.message
    assert hint in caught.value.hint
    assert "given" in caught.value.message
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 400 + len(str(path))


def test_parquet_without_its_end(tmp_path):
    path = tmp_path / "cut.parquet"
    path.write_bytes(parquet(tmp_path)[:-20])
    with pytest.raises(FileError, match="cannot be read"):
        load_data(path)


def test_parquet_with_damage_inside(tmp_path):
    data = parquet(tmp_path)
    path = tmp_path / "hurt.parquet"
    path.write_bytes(data[:10] + b"\xff" * 30 + data[40:])
    with pytest.raises(FileError, match="cannot be read"):
        load_data(path)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nowhere.csv", "There is no file"),
        ("nowhere*.csv", "There is no file"),
        ("http://example.org/a.csv", "There is no file"),
        ("s3://bucket/a.csv", "There is no file"),
        ("a\x00b", "Cannot read"),
        (".", "is a folder"),
        (os.devnull, "is empty"),
    ],
)
def test_paths_that_lead_nowhere(path, says):
    with pytest.raises(FileError, match=says.replace("*", r"\*")) as caught:
        load_data(path)
    assert caught.value.hint


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read(tmp_path):
    path = tmp_path / "locked.csv"
    path.write_text("p,y\n0.5,1\n")
    path.chmod(0)
    with pytest.raises(FileError, match="may not be read"):
        load_data(path)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"encoding": "klingon"}, OptionError, "'klingon' is unknown"),
        ({"encoding": "rot13"}, OptionError, "'rot13' is unknown"),
        ({"encoding": "utf-16"}, FileError, "not written in utf-16"),
        ({"delimiter": ",,"}, OptionError, "one character"),
        ({"delimiter": '"'}, OptionError, "one character"),
        ({"skip": 9}, FileError, "no line after 9 skipped"),
        ({"skip": -1}, OptionError, "0 or more"),
        ({"percent": True, "odds": True}, OptionError, "just one"),
        ({"yes": "won"}, OptionError, "both --yes and --no"),
        ({"decimal": "'"}, OptionError, "a point or a comma"),
        ({"prob": "nope"}, ColumnError, "no column 'nope'"),
        ({"by": "nope"}, ColumnError, "no column 'nope'"),
    ],
)
def test_options_that_do_not_fit(options, error, says, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("p,y\n0.5,1\n0.2,0\n")
    with pytest.raises(error) as caught:
        load_data(path, **options)
    assert says in caught.value.message
