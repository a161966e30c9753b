"""Label sheets: stratified, blind, reproducible, and with weights that make the log whole again."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from collections import Counter

import numpy as np
import pytest

from calibrant.errors import FileError, InputError, OptionError
from calibrant.io.decisions import read_log
from calibrant.sample import COLUMNS, sample

TEAM = {"type": "choice", "instructions": "Which team?", "criteria": ["refunds", "shipping", "sales"]}
LEVELS = {"type": "score", "instructions": "How urgent?", "criteria": ["can wait", "today"]}


def make(path, n, labelled=0, only=("q", "team", "urgency")):
    rng = random.Random(3)
    rows = []
    for place in range(n):
        p, a = rng.random() ** 0.3, rng.random()
        answers = {
            "q": {"type": "noul", "noul": p},
            "team": {"type": "choice", "probabilities": {"refunds": a, "shipping": 1 - a, "sales": 0.0}},
            "urgency": {"type": "score", "probabilities": {"0": a, "1": 1 - a}},
        }
        answers = {name: answers[name] for name in only}
        asked = {"q": {"type": "noul", "instructions": "Is it?"}, "team": TEAM, "urgency": LEVELS}
        asked = {name: asked[name] for name in only}
        record = {
            "id": f"i{place}",
            "request": {"state": f"text of {place}", "questions": asked},
            "response": {"model": "m", "answers": answers},
        }
        if place < labelled:
            record["labels"] = {"q": True, "team": "sales", "urgency": 0}
        rows.append(json.dumps(record))
    path.write_text("\n".join(rows), "utf-8")
    return path


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return make(tmp_path_factory.mktemp("sample") / "log.jsonl", 2000)


def table(sheet):
    return list(csv.DictReader(io.StringIO(sheet.to_csv())))


def test_the_sheet_is_blind(log):
    sheet = sample(log, size=60)
    assert tuple(table(sheet)[0]) == COLUMNS == ("id", "question", "asks", "options", "text", "label", "weight")
    assert all(row["label"] == "" for row in table(sheet))
    first = next(row for row in table(sheet) if row["question"] == "team")
    assert (first["asks"], first["options"]) == ("Which team?", "refunds | shipping | sales")
    assert first["text"] == f"text of {first['id'][1:]}"
    assert {row["options"] for row in table(sheet)} == {
        "yes | no",
        "refunds | shipping | sales",
        "0 can wait | 1 today",
    }


def test_weights_add_up_to_the_log_within_every_question(log):
    sheet = sample(log, size=300)
    totals = Counter()
    for row in sheet.rows:
        totals[row.question] += row.weight
    assert {name: round(total, 6) for name, total in totals.items()} == {"q": 2000, "team": 2000, "urgency": 2000}
    assert [(plan.question, plan.population, plan.drawn) for plan in sheet.plans] == [
        ("q", 2000, 100),
        ("team", 2000, 100),
        ("urgency", 2000, 100),
    ]


def test_every_band_of_confidence_is_in_the_sheet(log):
    """Bands of width 0.1 hold at least two rows each, however rare."""
    confidence = {}
    for line in log.read_text("utf-8").splitlines():
        record = json.loads(line)
        p = record["response"]["answers"]["q"]["noul"]
        confidence[record["id"]] = max(p, 1 - p)
    bands = Counter(int(confidence[row.item] * 10) for row in sample(log, size=60).rows if row.question == "q")
    assert set(bands) == {int(value * 10) for value in confidence.values()} == {5, 6, 7, 8, 9}
    assert min(bands.values()) >= 2


def test_the_same_seed_draws_the_same_rows_and_a_larger_sheet_contains_the_smaller(log, tmp_path):
    small, again, large = sample(log, size=90), sample(log, size=90), sample(log, size=240)
    assert small == again
    pick = {(row.item, row.question) for row in small.rows}
    assert pick < {(row.item, row.question) for row in large.rows}
    assert {(row.item, row.question) for row in sample(log, size=90, seed=1).rows} != pick
    shuffled = tmp_path / "shuffled.jsonl"
    lines = log.read_text("utf-8").splitlines()
    random.Random(0).shuffle(lines)
    shuffled.write_text("\n".join(lines), "utf-8")
    assert sorted(sample(shuffled, size=90).rows) == sorted(small.rows)


def test_the_plan_says_how_many_labels_the_wanted_interval_needs(log):
    sheet = sample(log, width=0.10)
    for plan in sheet.plans:
        assert plan.drawn == plan.needed
        assert plan.half <= 0.05
        # A simple random sample would need 1.96²·¼/0.05² = 384, less what a population of 2,000 saves: 323.
        assert 323 <= plan.needed < 420
    short = sample(log, size=90, width=0.10)
    assert [plan.needed for plan in short.plans] == [plan.needed for plan in sheet.plans]
    assert all(plan.half > 0.05 for plan in short.plans)


def test_the_weighted_check_estimates_the_whole_log(tmp_path):
    """Over many seeds the weighted share of right answers is centred on the log's, with the promised error."""
    log = make(tmp_path / "log.jsonl", 400, only=("q",))
    truth = {}
    rng = random.Random(5)
    for line in log.read_text("utf-8").splitlines():
        record = json.loads(line)
        p = record["response"]["answers"]["q"]["noul"]
        truth[record["id"]] = rng.random() < p**3
        truth[record["id"], "right"] = (p >= 0.5) == truth[record["id"]]
    whole = np.mean([value for key, value in truth.items() if isinstance(key, tuple)])
    found, half = [], 0.0
    for seed in range(100):
        sheet = sample(log, size=60, seed=seed)
        half = sheet.plans[0].half
        path = tmp_path / "sheet.csv"
        rows = [{**row, "label": "yes" if truth[row["id"]] else "no"} for row in table(sheet)]
        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
        tally, facts = read_log(log, truth=path, join=("id", "question"))
        (part,) = tally.slices
        assert (part.weights, facts.truth.weighted) == ("sampling", True)
        assert part.moments.total("one") == pytest.approx(400)
        assert not any(one.labels_of_low_confidence for one in facts.questions)
        found.append(part.moments.mean("right"))
    assert abs(np.mean(found) - whole) < 4 * np.std(found) / math.sqrt(100)
    assert np.mean(np.abs(np.array(found) - whole) < half) >= 0.90


def test_labelled_and_repeated_answers_are_not_drawn(tmp_path):
    path = make(tmp_path / "log.jsonl", 40, labelled=30)
    path.write_text(path.read_text("utf-8") + "\n" + path.read_text("utf-8"), "utf-8")
    sheet = sample(path, size=300)
    assert {row.item for row in sheet.rows} == {f"i{place}" for place in range(30, 40)}
    assert [plan.population for plan in sheet.plans] == [10, 10, 10]
    assert all(row.weight == 1.0 for row in sheet.rows)
    with pytest.raises(InputError, match="No answer is left to label"):
        sample(make(tmp_path / "all.jsonl", 10, labelled=10))


def test_labels_of_an_earlier_sheet_are_carried_over(log, tmp_path):
    path = tmp_path / "sheet.csv"
    rows = table(sample(log, size=30))
    for row in rows[:7]:
        row["label"] = "yes" if row["question"] == "q" else row["options"].split(" | ")[0]
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    larger = sample(log, size=120, filled=path)
    assert sum(row.label != "" for row in larger.rows) == 7


def test_a_cell_that_a_spreadsheet_would_run_is_made_harmless_and_still_joins(tmp_path):
    path = tmp_path / "log.jsonl"
    record = {"request": {"state": "=1+1"}, "response": {"answers": {"q": {"type": "noul", "noul": 0.5}}}}
    path.write_text("\n".join(json.dumps({"id": f"@cmd{place}", **record}) for place in range(3)), "utf-8")
    text = sample(path, size=3).to_csv()
    assert "'@cmd1,q,,yes | no,'=1+1,,1.0" in text
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(text.replace(",,1.0", ",yes,1.0"), "utf-8")
    assert read_log(path, truth=sheet, join=("id", "question"))[0].n == 3


@pytest.mark.parametrize("options", [{"size": 0}, {"width": 0}, {"width": 1.5}])
def test_options_that_mean_nothing_are_refused(log, options):
    with pytest.raises(OptionError):
        sample(log, **options)


def test_what_is_no_log_is_refused(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("p,y\n0.5,1\n", "utf-8")
    with pytest.raises(FileError):
        sample(path)
