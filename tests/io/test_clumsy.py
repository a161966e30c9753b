"""The table of clumsy inputs: what is read from them, or what their error says."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest

from calibrant.errors import CalibrantError
from calibrant.io.files import open_file
from calibrant.io.options import ColumnChoice, ReadOptions
from calibrant.io.read import open_reader

CASES = json.loads((Path(__file__).parents[1] / "vectors" / "clumsy.json").read_text(encoding="utf-8"))["cases"]
OF_COLUMNS = ("prob", "outcome", "by", "levels")


def read(path, options):
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    choice = ColumnChoice(**{name: value for name, value in given.items() if name in OF_COLUMNS})
    rest = ReadOptions(**{name: value for name, value in given.items() if name not in OF_COLUMNS})
    with open_file(path, rest) as table:
        reader = open_reader(table, choice, rest)
        return reader, [block for block, _ in reader.predictions()]


def write(case, folder):
    path = folder / "table.csv"
    path.write_bytes(case["text"].encode() if "text" in case else base64.b64decode(case["base64"]))
    return path


GOOD = [case for case in CASES if "error" not in case]
BAD = [case for case in CASES if "error" in case]


def test_the_table_is_large_enough():
    assert len(CASES) >= 30
    assert len({case["name"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case["name"])
def test_rows_and_reasons(case, tmp_path):
    reader, (block,) = read(write(case, tmp_path), case.get("options", {}))
    assert block.kind == case["kind"]
    prob = block.prob if block.probs is None else block.probs
    right = block.outcome if block.probs is None else block.label
    assert [[p, int(y)] for p, y in zip(prob.tolist(), right.tolist(), strict=True)] == case["rows"]
    found = {reason: list(rows.first) for reason, rows in block.left_out.items()}
    found |= {reason: records.tolist() for reason, records in reader.table.rejects.items()}
    assert found == case["left_out"]
    gone = [record for records in case["left_out"].values() for record in records]
    assert reader.rows == len(case["rows"]) + len(gone)
    kept = reader.table.records(0, reader.rows - sum(map(len, reader.table.rejects.values())))[block.kept]
    assert kept.tolist() == case["records"]
    assert np.intersect1d(kept, gone).size == 0
    said = "; ".join(reader.notes())
    for words in case.get("notes", ()):
        assert words in said


@pytest.mark.parametrize("case", BAD, ids=lambda case: case["name"])
def test_errors_say_where_and_what_to_do(case, tmp_path):
    with pytest.raises(CalibrantError) as caught:
        read(write(case, tmp_path), case.get("options", {}))
    for words in case["error"]["says"]:
        assert words in caught.value.message
    for words in case["error"]["hint"]:
        assert words in caught.value.hint
