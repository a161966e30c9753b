"""Logs of every container and of every sort of damage."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrant.errors import CalibrantError, FileError, RowError
from calibrant.io.decisions import LogReader, looks_like_log, read_log
from calibrant.io.decisions.lines import decode
from calibrant.io.decisions.notices import facts_notices, sentences
from calibrant.io.decisions.registry import shape_of
from calibrant.io.decisions.typed import FastLane
from calibrant.sample import sample

FIXTURES = Path(__file__).parents[1] / "fixtures" / "decisions"
RECORDS = [json.loads(line)["record"] for line in (FIXTURES / "exchanges.jsonl").read_text("utf-8").splitlines()]
GOOD = {"id": "1", "model": "m", "answers": {"q": {"type": "noul", "noul": 0.25}}, "labels": {"q": False}}


def write(path, *records):
    path.write_text("".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in records), "utf-8")
    return path


def read(path, **options):
    reader = LogReader(path, **options)
    return list(reader), reader


@pytest.fixture
def log(tmp_path):
    return lambda *records: write(tmp_path / "log.jsonl", *records)


def test_all_shapes_may_stand_in_one_file(log):
    found, reader = read(log(*RECORDS))
    assert len(found) == 45
    assert reader.records == len(RECORDS) == 24
    assert reader.shapes["System One"] == 8
    assert reader.unread == {}


def test_a_json_array_an_object_of_records_and_one_record_are_documents(tmp_path):
    for name, document in {"array": [GOOD, GOOD], "records": {"records": [GOOD, GOOD]}, "one": GOOD}.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(document, indent=1), "utf-8")
        assert [number for number, _ in read(path)[0]] == ([1] if name == "one" else [1, 2]), name


def test_otlp_exports_are_unfolded(tmp_path):
    span = {"spanId": "7", "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in SPAN.items()]}
    path = tmp_path / "otlp.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span, span]}]}]}, indent=2), "utf-8")
    assert [answer.probabilities[1] for _, answer in read(path)[0]] == [0.87, 0.87]


SPAN = next(one["attributes"] for one in RECORDS if one.get("name") == "OpenAI Decisions")


def test_spans_are_read_from_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    path = tmp_path / "spans.parquet"
    columns = {f"attributes.{key}": [value, value] for key, value in SPAN.items() if isinstance(value, str)}
    pq.write_table(pa.table({"context.span_id": ["a", "b"], **columns}), path)
    found, reader = read(path)
    assert [(answer.item, answer.probabilities[1]) for _, answer in found] == [("a", 0.87), ("b", 0.87)]
    assert looks_like_log(path) == "OpenInference span"
    assert reader.shapes == {"OpenInference span": 2}
    nested = tmp_path / "nested.parquet"
    pq.write_table(pa.Table.from_pylist([{"span_id": "c", "attributes": SPAN}]), nested)
    assert read(nested)[0][0][1].probabilities[1] == 0.87


def test_compressed_files_and_stdin_are_read(tmp_path, monkeypatch):
    text = json.dumps(GOOD).encode() + b"\n"
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(text * 3))
    assert len(read(path)[0]) == 3
    assert looks_like_log(path) == "System One"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(text * 2))))
    found, reader = read("-")
    assert (len(found), reader.name) == (2, "stdin")


def test_blank_lines_a_mark_at_the_start_and_no_newline_at_the_end_change_nothing(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode() + b"\r\n\n\n" + json.dumps(GOOD).encode())
    assert [number for number, _ in read(path)[0]] == [1, 4]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"id": "2", "answers": {"q"', "the line is not JSON"),
        ("[" * 100_000, "the record is nested too deeply"),
        ('{"a":' * 50_000 + "1" + "}" * 50_000, "the record is nested too deeply"),
        ("[1, 2]", "the line is not an object"),
        ('"text"', "the line is not an object"),
        ('{"id": "2", "id": "3", "answers": {"q": {"type": "noul", "noul": 0.5}}}', "a key occurs twice"),
        ('{"answers": {"q": {"type": "noul", "noul": 0.5}, "q": {"type": "noul", "noul": 0.6}}}', "a key occurs twice"),
        ('{"answers": {"q": {"type": "noul", "noul": 0.5, "noul" : 0.6}}}', "a key occurs twice"),
        ('{"hello": 1}', "the record has no answers in a known shape"),
        ('{"answers": 3}', "the record has no answers in a known shape"),
        ('{"answers": {"q": 0.3}}', "the record has no answers in a known shape"),
    ],
)
def test_a_record_that_cannot_be_read_is_counted_with_its_line_or_refused(log, line, reason):
    path = log(GOOD, line, GOOD)
    found, reader = read(path)
    assert [number for number, _ in found] == [1, 3]
    assert {why: (part.rows, part.first) for why, part in reader.unread.items()} == {reason: (1, (2,))}
    with pytest.raises(RowError, match="record 2 cannot be read"):
        read(path, strict=True)


@pytest.mark.parametrize("depth", range(850, 1050, 7))
def test_a_state_may_be_nested_as_deeply_as_the_machine_bears(log, depth):
    deep = (
        json.dumps(GOOD)[:-1]
        + ', "request": {"questions": {"q": {"type": "noul"}}, "state": '
        + '{"a":' * depth
        + "1"
        + "}" * depth
        + "}}"
    )
    found, reader = read(log(GOOD, deep, GOOD))
    assert len(found) == 2 + (not reader.unread)
    assert set(reader.unread) <= {"the record is nested too deeply"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"type": "noul", "noul": "0.5"}, "`noul` should be a number, found the text '0.5'"),
        ({"type": "noul", "noul": True}, "`noul` should be a number, found true"),
        ({"type": "noul", "noul": {}}, "`noul` should be a number, found an object"),
        ({"type": "choice", "probabilities": {"a": "0.5", "b": 0.5}}, "`probabilities.a` should be a number"),
        ({"type": "choice", "probabilities": [0.5, 0.5]}, "`probabilities` should be an object of options"),
        ({"type": "choice", "probabilities": {"a": 1.0}}, "`probabilities` lacks the option the text 'b'"),
        ({"type": "choice", "probabilities": {"a": 0.5, "c": 0.5}}, "`probabilities` lacks the option the text 'b'"),
        ({"type": "choice", "probabilities": {"a": 0.5, "b": 0.5, "c": 0}}, "has the text 'c', which is not one of"),
        ({"type": "choice", "probabilities": {"a": 0.5, "b": 0.5}, "confidence": "high"}, "`confidence` should be"),
        ("yes", "the answer should be an object"),
        (None, "the answer should be an object"),
    ],
)
def test_an_answer_of_wrong_types_is_malformed_and_says_where(log, body, words):
    question = {"type": "choice", "criteria": ["a", "b"]}
    other = {"type": "noul", "noul": 0.5}
    record = {"request": {"questions": {"q": question}}, "response": {"answers": {"q": body, "r": other}}}
    found = {answer.question: answer for _, answer in read(log(record))[0]}
    assert found["q"].missing == "malformed"
    assert words in found["q"].detail
    assert found["r"].probabilities == (0.5, 0.5)


def test_numbers_outside_the_rules_are_left_out_by_the_judge_with_their_lines(log):
    def record(value):
        return json.dumps({**GOOD, "answers": {"q": {"type": "noul", "noul": value}}})

    tally, facts = read_log(log(GOOD, record(-0.1), record(1.2), record(float("nan")), record(float("inf"))))
    (part,) = tally.slices
    assert part.n == 1
    assert {why: (left.rows, left.first) for why, left in part.left_out.items()} == {
        "probability is outside 0 to 1": (3, (2, 3, 5)),
        "probability is missing": (1, (4,)),
    }
    assert facts.answers == 5
    with pytest.raises(RowError, match="record 2"):
        read_log(log(GOOD, record(-0.1)), strict=True)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is not JSON"),
        (b"[" * 700 + b"]" * 700, "holds no answers"),
        (b"[" * 100_000 + b"]" * 100_000, "is not JSON"),
        (b"   \n \n", "is not JSON"),
        (b"{", "is not JSON"),
        (b"probability,outcome\n0.3,1\n", "is not JSON"),
        ('{"a": 1}'.encode("utf-16"), "UTF-16"),
        (b'{"state": "s", "labels": {"q": true}}\n', "holds labels and no answers"),
        (b'{"x": 1}\n{"x": 2}\n', "no answers in a known shape \\(record 1\\)"),
        (b"\x1f\x8b\x08\x00broken", "cannot be read"),
        (b"PK\x03\x04broken", "damaged archive"),
        (b"PAR1broken", "cannot be read as Parquet"),
        (b"\x00\xff\xfe\xfd" * 50, "is not JSON"),
    ],
)
def test_what_is_no_log_is_refused_with_a_sentence_and_is_not_taken_for_one(tmp_path, data, words):
    path = tmp_path / "file"
    path.write_bytes(data)
    assert looks_like_log(path) is None or data.startswith(b"PK")
    with pytest.raises(FileError, match=words):
        read(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileError, match=r"no\.jsonl cannot be read: No such file"):
        read(tmp_path / "no.jsonl")
    assert looks_like_log(tmp_path / "no.jsonl") is None


@pytest.mark.parametrize("record", RECORDS, ids=range(len(RECORDS)))
def test_every_shape_is_sniffed_from_lines_and_from_documents(tmp_path, record):
    shape = shape_of(record)[0]
    assert looks_like_log(json.dumps(record).encode()) == shape
    path = tmp_path / "log.json"
    path.write_text(json.dumps([record], indent=2), "utf-8")
    assert looks_like_log(path) == shape


EVALS = [
    {
        "doc_id": 0,
        "doc": {"choices": ["a", "b"]},
        "target": 0,
        "arguments": [["c", " a"], ["c", " b"]],
        "filtered_resps": [[-1.0, False], [-2.0, True]],
    },
    {
        "instance_id": "1",
        "stats": [{"name": {"name": "max_prob"}, "mean": 0.5}, {"name": {"name": "exact_match"}, "mean": 1}],
    },
    {
        "instance": {"id": "1", "references": [{"output": {"text": "a"}, "tags": ["correct"]}]},
        "request": {"model": "m"},
        "result": {"completions": [{"text": "A", "logprob": -1.0, "tokens": [{"logprob": -1.0}]}]},
        "output_mapping": {"A": "a"},
    },
    {"id": 7, "A": 0.75, "B": 0.25, "label": "B", "task": "trivia"},
    {"id": "1", "confidence": 0.5, "source": "logprob", "correct": 1},
    {
        "eval": {"task": "t", "model": "m"},
        "samples": [
            {
                "id": 1,
                "target": "B",
                "choices": ["x", "y"],
                "scores": {"s": {"value": "C", "metadata": {"probabilities": {"A": 0.25, "B": 0.75}}}},
            }
        ],
    },
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers(-3, 3)
    | st.sampled_from([2**70, "\ud800", "\x00", "x" * 300])
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_damage_to_a_record_crashes_a_reader(tmp_path_factory, data):
    """Any value anywhere in any record gives answers, a count or a sentence."""
    record = json.loads(json.dumps(data.draw(st.sampled_from(RECORDS + EVALS))))
    for _ in range(data.draw(st.integers(1, 3))):
        here = record
        while isinstance(here, dict | list) and here:
            key = data.draw(st.sampled_from(sorted(here) if isinstance(here, dict) else range(len(here))))
            if not isinstance(here[key], dict | list) or not here[key] or data.draw(st.booleans()):
                here[key] = data.draw(JSON)
                break
            here = here[key]
    path = tmp_path_factory.mktemp("damage") / "log.jsonl"
    write(path, record, GOOD)
    looks_like_log(path)
    try:
        _, facts = read_log(path, loglikelihoods="softmax", cluster=True)
        sentences(facts_notices(facts))
        sample(path, size=5).to_csv()
    except CalibrantError:
        return
    assert facts.answers >= 1


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_the_fast_lane_gives_what_the_general_reader_gives(data):
    record = json.loads(json.dumps(data.draw(st.sampled_from(PLAIN))))
    for _ in range(data.draw(st.integers(0, 2))):
        here = record
        while isinstance(here, dict) and here:
            key = data.draw(st.sampled_from(sorted(here)))
            if not isinstance(here[key], dict) or data.draw(st.booleans()):
                here[key] = data.draw(JSON)
                break
            here = here[key]
    line = json.dumps(record).encode()
    fast = FastLane().answers(line)
    if fast is not None:
        name, shape = shape_of(decode(line))
        assert name == "System One"
        assert fast == list(shape.answers(decode(line)))


PLAIN = [one for one in RECORDS if "request" in one and shape_of(one)[0] == "System One"]


def test_the_fast_lane_is_taken_and_closes_itself_when_it_is_of_no_use():
    plain = next(one for one in PLAIN if one["response"]["model"] == "jev-1.13.0")
    lane = FastLane()
    assert [one.probabilities for one in lane.answers(json.dumps(plain).encode())][1] == (0.88, 0.12)
    assert lane.answers(json.dumps(RECORDS[-1]).encode()) is None
    for _ in range(500):
        lane.answers(b"{}")
    assert not lane.open


@pytest.mark.parametrize("state", ['{"a": 1, "b": {"c": 2}}', {"a": {"b": 1}}, 'she said "yes": no', "\u00e9\n\t"])
def test_a_plain_line_stays_plain_whatever_its_state(state):
    line = json.dumps({**PLAIN[0], "request": {**PLAIN[0]["request"], "state": state}}).encode()
    fast = FastLane().answers(line)
    assert fast is not None
    assert fast == list(shape_of(decode(line))[1].answers(decode(line)))


@pytest.mark.parametrize(
    ("once", "twice"),
    [
        ('"id": "a1"', '"id": "a1", "id": "a2"'),
        ('"model": "jev-latest"', '"model": "jev-latest", "model": "other"'),
        ('"noul": 0.95', '"noul": 0.95, "noul": 0.05'),
        ('"refunds": 0.88', '"refunds": 0.01, "refunds": 0.88'),
        ('"anger": 2', '"anger": 2, "anger": 0'),
        ('"criteria": ["calm"', '"criteria": [], "criteria": ["calm"'),
    ],
)
def test_a_key_that_occurs_twice_anywhere_in_a_plain_line_is_seen(tmp_path, once, twice):
    line = json.dumps(PLAIN[0])
    assert once in line
    path = write(tmp_path / "log.jsonl", line.replace(once, twice), line)
    found, reader = read(path)
    assert {number for number, _ in found} == {2}
    assert {why: part.first for why, part in reader.unread.items()} == {"a key occurs twice": (1,)}
