"""From answers to slices: labels, options that change, several models, weights."""

from __future__ import annotations

import json

import numpy as np
import pytest

from calibrant.errors import ColumnError, FileError, InputError, OptionError, RowError
from calibrant.io.decisions import read_log
from calibrant.io.decisions.answer import Answer
from calibrant.io.decisions.labels import LabelReader

TEAM = {"type": "choice", "criteria": ["refunds", "shipping"]}
LEVELS = {"type": "score", "criteria": ["can wait", "this week", "today"]}


def exchange(item, answers, labels=None, questions=None, model="m", **more):
    request = {"model": "asked", "state": f"state {item}", "questions": questions or {}}
    record = {"id": item, "request": request, "response": {"model": model, "answers": answers}, **more}
    return record if labels is None else {**record, "labels": labels}


def noul(p):
    return {"type": "noul", "noul": p}


def team(p):
    return {"type": "choice", "probabilities": {"refunds": p, "shipping": 1 - p}}


@pytest.fixture
def log(tmp_path):
    def make(*records, name="log.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
        return path

    return make


@pytest.fixture
def sheet(tmp_path):
    def make(text, name="truth.csv"):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return make


def slices(tally):
    return {tuple(part.by.values()): part for part in tally.slices}


def test_a_slice_for_each_served_model_and_question_with_exact_sums(log):
    records = [
        exchange("1", {"q": noul(0.75), "team": team(0.25)}, {"q": True, "team": "refunds"}, {"team": TEAM, "q": {}}),
        exchange("2", {"q": noul(0.25), "team": team(1.0)}, {"q": True, "team": "refunds"}, {"team": TEAM, "q": {}}),
        exchange("3", {"q": noul(0.5)}, {"q": False}, model="n"),
    ]
    tally, facts = read_log(log(*records))
    found = slices(tally)
    assert sorted(found) == [("m", "q"), ("m", "team"), ("n", "q")]
    assert tally.by == ("model", "question")
    event = found["m", "q"]
    assert (event.kind, event.n) == ("yes_no", 2)
    # (0.75 − 1)² + (0.25 − 1)² = 0.0625 + 0.5625
    assert event.moments.total("brier") == 0.625
    choice = found["m", "team"]
    # 2·0.75² + 0
    assert (choice.kind, choice.options, choice.moments.total("brier")) == ("choice", ("refunds", "shipping"), 1.125)
    assert facts.answers == 5
    assert facts.served == {("asked", "m"): 4, ("asked", "n"): 1}
    assert tally.source.rows == 3


def test_levels_may_be_labelled_by_number_or_by_text(log):
    body = {"type": "score", "probabilities": {"0": 0.5, "1": 0.25, "2": 0.25}}
    records = [
        exchange(str(place), {"u": body}, {"u": label}, {"u": LEVELS})
        for place, label in enumerate([2, "2", 2.0, "today", "2 today", "can wait"])
    ]
    (part,) = read_log(log(*records))[0].slices
    assert (part.kind, part.options) == ("score", ("0", "1", "2"))
    assert part.classes == {"0": 1.0, "1": 0.0, "2": 5.0}
    # Σ over the two cuts of (P(≤k) − [label ≤ k])²: label 2 gives 0.25 + 0.5625, label 0 gives 0.25 + 0.0625
    assert part.moments.total("rps") == 5 * 0.8125 + 0.3125


@pytest.mark.parametrize(
    ("label", "place"),
    [(True, 1), (False, 0), (1, 1), (0, 0), ("yes", 1), ("no", 0), ("True", 1), ("false", 0), ("1.0", 1), (None, -1)],
)
def test_labels_of_yes_no_questions(label, place):
    answer = Answer(item="1", question="q", kind="yes_no", options=("no", "yes"))
    assert LabelReader().place(answer, label, (1, "log.jsonl")) == place


@pytest.mark.parametrize("label", ["maybe", "Yes!", 2, -1, 0.5, "unknown", ["yes"], {"q": 1}])
def test_a_label_that_means_nothing_is_an_error_with_its_record(log, label):
    record = exchange("2", {"q": noul(0.5)})
    record["labels"] = {"q": label}
    with pytest.raises(RowError, match=r"record 2 of log\.jsonl") as wrong:
        read_log(log(exchange("1", {"q": noul(0.5)}, {"q": True}), record))
    assert "`q`" in str(wrong.value)


def test_words_match_exactly_and_then_by_the_stated_mapping(log):
    path = log(exchange("1", {"team": team(0.25)}, {"team": "Refunds"}, {"team": TEAM}))
    with pytest.raises(RowError, match=r"'Refunds', which is none of its options \(refunds, shipping\)") as wrong:
        read_log(path)
    assert '--word "Refunds=refunds"' in wrong.value.hint
    (part,) = read_log(path, words={"Refunds": "refunds"})[0].slices
    assert part.classes == {"refunds": 1.0, "shipping": 0.0}


def test_further_words_for_yes_and_no(log):
    path = log(exchange("1", {"q": noul(0.5)}, {"q": "won"}), exchange("2", {"q": noul(0.5)}, {"q": "lost"}))
    (part,) = read_log(path, yes=["won"], no=["lost"])[0].slices
    assert part.moments.total("outcome") == 1.0


def test_answers_without_a_label_or_without_probabilities_are_left_out_rows_of_their_slice(log):
    refused = {"type": "refusal"}
    records = [
        exchange("1", {"q": noul(0.5)}, {"q": True}),
        exchange("2", {"q": noul(0.5)}),
        exchange("3", {"q": refused}, questions={"q": {"type": "noul"}}),
    ]
    tally, facts = read_log(log(*records))
    (part,) = tally.slices
    assert {why: (left.rows, left.first) for why, left in part.left_out.items()} == {
        "no label": (1, (2,)),
        "the model refused": (1, (3,)),
    }
    (question,) = facts.questions
    assert (question.answers, question.labelled, question.unlabelled, question.missing) == (3, 1, 1, {"refused": 1})


def test_strict_refuses_bad_numbers_and_not_missing_labels(log):
    records = [exchange("1", {"q": noul(0.5)}), exchange("2", {"q": noul(0.5)}, {"q": True})]
    assert read_log(log(*records), strict=True)[0].n == 1
    with pytest.raises(RowError, match=r"outside 0 to 1 \(record 3"):
        read_log(log(*records, exchange("3", {"q": noul(1.5)}, {"q": True})), strict=True)


def test_a_question_that_was_only_refused_stands_in_the_facts_and_has_no_slice(log):
    records = [
        exchange("1", {"q": noul(0.5), "r": {"type": "refusal"}}, {"q": True}, {"q": {}, "r": {"type": "noul"}})
    ] * 2
    tally, facts = read_log(log(*records))
    assert [part.by["question"] for part in tally.slices] == ["q"]
    assert [(one.question, one.answers, one.missing) for one in facts.questions] == [
        ("q", 2, {}),
        ("r", 2, {"refused": 2}),
    ]


def test_the_order_of_options_may_change_but_the_slice_has_one(log):
    turned = {"type": "choice", "criteria": ["shipping", "refunds"]}
    records = [
        exchange("1", {"t": team(0.75)}, {"t": "refunds"}, {"t": TEAM}),
        exchange("2", {"t": team(0.75)}, {"t": "refunds"}, {"t": turned}),
    ]
    (part,) = read_log(log(*records))[0].slices
    assert part.options == ("refunds", "shipping")
    assert part.view("class:refunds").key.tolist() == [0.75]
    assert part.classes == {"refunds": 2.0, "shipping": 0.0}


def test_options_that_change_make_slices_of_their_own_and_are_told(log):
    more = {"type": "choice", "criteria": ["refunds", "shipping", "sales"]}
    third = {"type": "choice", "probabilities": {"refunds": 0.5, "shipping": 0.25, "sales": 0.25}}
    records = [
        exchange("1", {"t": team(0.75)}, {"t": "refunds"}, {"t": TEAM}),
        exchange("2", {"t": third}, {"t": "sales"}, {"t": more}),
        exchange("3", {"t": noul(0.5)}, {"t": True}),
    ]
    tally, facts = read_log(log(*records))
    assert [(part.by["question"], part.kind, part.n) for part in tally.slices] == [
        ("t", "choice", 1),
        ("t (options: refunds, shipping, sales)", "choice", 1),
        ("t (yes_no)", "yes_no", 1),
    ]
    assert facts.varying_options == {"t": 3}


def test_options_that_change_with_every_item_are_pooled(log):
    def record(place):
        names = [f"a{place}", f"b{place}"]
        body = {"type": "choice", "probabilities": {names[0]: 0.75, names[1]: 0.25}}
        return exchange(str(place), {"t": body}, {"t": names[0]}, {"t": {"type": "choice", "criteria": names}})

    tally, facts = read_log(log(*(record(place) for place in range(50))))
    sizes = {part.by["question"]: part.n for part in tally.slices}
    assert len(sizes) == 9
    assert sizes["t (other options)"] == 42
    assert facts.varying_options == {"t": 9}


def test_slicing_by_something_else(log):
    records = [
        exchange("1", {"q": noul(0.5), "t": team(0.5)}, {"q": True, "t": "refunds"}, {"q": {}, "t": TEAM}, split="dev"),
        exchange("2", {"q": noul(0.5), "r": noul(0.25)}, {"q": True, "r": False}, split="test"),
    ]
    path = log(*records)
    by_split = slices(read_log(path, by=("split", "question"))[0])
    assert sorted(by_split) == [("dev", "q"), ("dev", "t"), ("test", "q"), ("test", "r")]
    by_model = slices(read_log(path, by=("model",))[0])
    assert {key: part.n for key, part in by_model.items()} == {("m", "choice"): 1, ("m", "yes_no"): 3}
    with pytest.raises(OptionError, match="No answer has the column `customer`"):
        read_log(path, by=("question", "customer"))
    with pytest.raises(OptionError, match="twice"):
        read_log(path, by=("question", "question"))


def test_too_many_questions_are_refused_with_a_hint(log):
    body = {f"q{place}": noul(0.5) for place in range(2001)}
    with pytest.raises(InputError, match="more than 2,000 combinations of model and question"):
        read_log(log(exchange("1", body)))


def test_several_logs_make_one_tally(log):
    first = log(exchange("1", {"q": noul(0.5)}, {"q": True}))
    second = log(exchange("2", {"q": noul(0.5)}, {"q": False}), name="second.jsonl")
    tally, facts = read_log([first, second])
    assert (tally.n, facts.names, facts.records) == (2, ("log.jsonl", "second.jsonl"), 2)


def test_clusters_are_items_and_never_named(log):
    records = [exchange(item, {"q": noul(0.5)}, {"q": True}) for item in "aabbb"]
    (part,) = read_log(log(*records), cluster=True)[0].slices
    assert part.clusters.seal().count == 2


# truth


def test_labels_are_joined_by_id_and_question_and_win_over_the_log(log, sheet):
    path = log(exchange("1", {"q": noul(0.75), "t": team(0.5)}, {"q": False}, {"q": {}, "t": TEAM}))
    truth = sheet("id,question,label\n1,q,true\n1,t,shipping\n9,q,no\n1,zzz,yes\n2,q,\n")
    tally, facts = read_log(path, truth=truth, join=("id", "question"))
    found = slices(tally)
    assert found["m", "q"].moments.total("outcome") == 1.0
    assert found["m", "t"].classes == {"refunds": 0.0, "shipping": 1.0}
    assert (facts.truth.rows, facts.truth.matched, facts.truth.blank) == (4, 2, 1)
    assert facts.truth.unmatched == ("9, q", "1, zzz")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("item;outcome\n1;1\n", "a.csv"),
        ("ITEM_ID\t Label \n1\ttrue\n", "a.tsv"),
        ('{"id": "1", "labels": {"q": true}}\n', "a.jsonl"),
        ('[{"id": 1, "label": true}]', "a.json"),
        ('{"idx": -1, "dataset": {"ground_truth": {"tier": "GT-1"}}}\n{"id": "1", "labels": {"q": true}}\n', "k.jsonl"),
    ],
)
def test_labels_come_in_several_forms(log, sheet, text, name):
    (part,) = read_log(log(exchange("1", {"q": noul(0.75)})), truth=sheet(text, name))[0].slices
    assert (part.n, part.moments.total("outcome")) == (1, 1.0)


def test_labels_are_joined_by_the_text_itself(log, sheet):
    truth = sheet('{"state": "state 1", "labels": {"q": true}}\n', "t.jsonl")
    record = exchange("anything", {"q": noul(0.75)})
    record["request"]["state"] = "state 1"
    assert read_log(log(record), truth=truth, join=("state",))[0].n == 1


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("id,label\n1,yes\n2,no\n1,yes\n", RowError, "labels '1' twice: records 1 and 3"),
        ("id,label\n1,maybe\n", RowError, r"'maybe', which is none of its options \(no, yes\); record 1 of truth\.csv"),
        ("id,label\n7,yes\n", InputError, r"No label of truth\.csv met an answer: the first labels are for 7"),
        ("id,lbl\n1,yes\n", ColumnError, "record 1 has no label; looked for label"),
        ("name,label\n1,yes\n", ColumnError, "record 1 has no id; looked for id"),
        ("id,label\n1,\n", ColumnError, "holds no labels; 1 rows have a blank label"),
        ("id,label,weight\n1,yes,heavy\n", RowError, "the weight 'heavy' is not a number"),
        ("id,label,weight\n1,yes,-2\n", RowError, "Weights must not be negative; record 1 has -2"),
        ('{"id": 1, "label"\n', FileError, "line 1 is not JSON"),
    ],
)
def test_a_truth_file_that_is_wrong_says_where(log, sheet, text, error, words):
    with pytest.raises(error, match=words):
        read_log(log(exchange("1", {"q": noul(0.5)})), truth=sheet(text))


def test_one_label_cannot_serve_two_questions(log, sheet):
    path = log(exchange("1", {"q": noul(0.5), "r": noul(0.5)}))
    with pytest.raises(RowError, match=r"one label for '1' \(record 1\), but the log asks it `q` and `r`") as wrong:
        read_log(path, truth=sheet("id,label\n1,yes\n"))
    assert "--join id,question" in wrong.value.hint


def test_what_to_join_by_is_checked(log, sheet):
    path, truth = log(exchange("1", {"q": noul(0.5)})), sheet("id,label\n1,yes\n")
    for join in (("question",), ("id", "model")):
        with pytest.raises(OptionError):
            read_log(path, truth=truth, join=join)
    with pytest.raises(ColumnError, match="no `question` to join by"):
        read_log(path, truth=truth, join=("id", "question"))


def test_weights_of_a_sheet_are_sampling_weights_and_labels_of_the_log_stand_for_themselves(log, sheet):
    records = [exchange(str(place), {"q": noul(0.75)}) for place in range(3)]
    records.append(exchange("own", {"q": noul(0.75)}, {"q": False}))
    truth = sheet("id,question,label,weight\n0,q,yes,4\n2,q,no,2.5\n")
    (part,) = read_log(log(*records), truth=truth, join=("id", "question"))[0].slices
    assert part.weights == "sampling"
    # 4·1 of 4 + 2.5 + 1
    assert part.moments.total("outcome") == 4.0
    assert part.moments.total("one") == 7.5
    assert part.left_out["no label"].rows == 1


# repairs


def test_sums_that_miss_one_are_left_out_and_divided_only_when_asked(log):
    def record(item, a, b):
        body = {"type": "choice", "probabilities": {"refunds": a, "shipping": b}}
        return exchange(item, {"t": body}, {"t": "refunds"}, {"t": TEAM})

    path = log(record("1", 0.6, 0.2), record("2", 0.5, 0.5))
    tally, facts = read_log(path)
    assert tally.slices[0].left_out["probabilities do not add up to 1"].rows == 1
    assert (facts.models[0].sums_off, round(facts.models[0].largest_gap, 12)) == (1, 0.2)
    tally, facts = read_log(path, renormalise=True)
    assert (tally.n, facts.renormalised) == (2, 1)
    assert np.allclose(tally.slices[0].view("top").key, [0.5, 0.75])
    assert "1 answers were divided by the sum of their probabilities, as asked" in tally.source.notes
