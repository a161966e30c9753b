"""Every language has every sentence about a log, with the same placeholders."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from calibrant.io.decisions import read_log
from calibrant.io.decisions.notices import Notice, facts_notices, sentences
from calibrant.sample import sample, sheet_notices
from calibrant.words import languages
from calibrant.words.load import placeholders


def words(lang):
    return json.loads(resources.files("calibrant.words").joinpath("decisions", f"{lang}.json").read_text("utf-8"))


@pytest.mark.parametrize("lang", languages())
def test_every_language_is_complete(lang):
    english, theirs = words("en"), words(lang)
    assert list(theirs) == list(english)
    for key, text in english.items():
        assert placeholders(theirs[key]) == placeholders(text), key


def test_texts_of_a_log_cannot_steer_a_terminal(tmp_path):
    path = tmp_path / "log.jsonl"
    record = {"answers": {"q": {"type": "\u001b[31mbox\u202e"}, "r": {"type": "noul", "noul": 0.5}}}
    path.write_text(json.dumps(record), "utf-8")
    (line,) = [line for line in sentences(facts_notices(read_log(path)[1])) if "type" in line]
    assert "\u001b" not in line
    assert "\u202e" not in line


def test_warnings_come_first_and_counts_have_separators():
    assert sentences([Notice("truth_blank", {"rows": "1,200", "name": "s.csv"})]) == [
        "1,200 rows of s.csv have no label yet."
    ]


def test_a_sheet_says_what_it_is_worth(tmp_path):
    path = tmp_path / "log.jsonl"
    rows = [{"id": n, "answers": {"q": {"type": "noul", "noul": n / 400}}} for n in range(400)]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    lines = sentences(sheet_notices(sample(path, size=100), 0.10, "log.jsonl", "sheet.csv"))
    # A simple random sample of 400 needs 384.1/(1 + 384.1/400) = 196 rows; five equal bands lose nothing.
    assert lines == [
        (
            "`q`: 100 of 400 answers drawn; labelled in full they give the share of right answers to about "
            "±8.5 points. ±5 points need 196 labels."
        ),
        (
            "The sheet shows no answer of the model. Fill in `label`, then run: "
            "calibrant check log.jsonl --truth sheet.csv --join id,question"
        ),
    ]
