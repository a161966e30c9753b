"""Every wire shape and kind of log, one record each, against values read off by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calibrant.io.decisions.registry import SHAPES, shape_of

FIXTURES = Path(__file__).parents[1] / "fixtures" / "decisions"
RECORDS = {
    entry["name"]: entry["record"]
    for entry in map(json.loads, (FIXTURES / "exchanges.jsonl").read_text("utf-8").splitlines())
}


def answers(name):
    found = shape_of(RECORDS[name])
    assert found is not None
    return {answer.question: answer for answer in found[1].answers(RECORDS[name])}


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("typesafe", "System One"),
        ("sparrow", "System One"),
        ("jevcompat", "System One"),
        ("llamacpp", "System One"),
        ("vllm", "System One"),
        ("openrouter", "System One"),
        ("unknown_types", "System One"),
        ("omitted", "System One"),
        ("clef", "Cloudflare Clef"),
        ("clef_quota", "failed requests"),
        ("gemini", "Gemini Decisions"),
        ("gemini_blocked", "Gemini Decisions"),
        ("openai", "OpenAI Decisions"),
        ("fireworks", "OpenAI Decisions"),
        ("sglang", "SGLang Decisions"),
        ("jevl", ".jevl"),
        ("s1_record", "s1-record"),
        ("openinference", "OpenInference span"),
        ("openinference_systemone", "OpenInference span"),
        ("openinference_spec_example", "OpenInference span"),
        ("strands", "Strands span"),
        ("row", "answer rows"),
        ("error_422", "failed requests"),
        ("error_429", "failed requests"),
    ],
)
def test_a_record_is_known_by_its_content(name, shape):
    assert shape_of(RECORDS[name])[0] == shape


def test_every_fixture_is_in_the_table_and_each_shape_has_one():
    known = {shape_of(record)[0] for record in RECORDS.values()}
    evals = {"Inspect AI log", "lm-evaluation-harness samples", "HELM run", "options in columns", "stated confidences"}
    assert known | evals == {name for name, _ in SHAPES}


@pytest.mark.parametrize(
    ("name", "question", "kind", "options", "probabilities"),
    [
        ("typesafe", "billing", "yes_no", ("no", "yes"), (1 - 0.95, 0.95)),
        ("typesafe", "team", "choice", ("refunds", "shipping"), (0.88, 0.12)),
        ("typesafe", "anger", "score", ("0", "1", "2"), (0.0, 0.95, 0.05)),
        ("sparrow", "billing", "yes_no", ("no", "yes"), (1 - 0.2995, 0.2995)),
        ("sparrow", "urgency", "score", ("0", "1", "2"), (0.0297, 0.2026, 0.7677)),
        ("jevcompat", "billing", "yes_no", ("no", "yes"), (1 - 0.5066439346760706, 0.5066439346760706)),
        ("llamacpp", "team", "choice", ("refunds", "shipping"), (0.9101234674453735, 0.08987653255462646)),
        ("vllm", "urgent", "yes_no", ("no", "yes"), (0.98, 0.02)),
        ("vllm", "tone", "score", ("0", "1", "2"), (0.7, 0.2, 0.1)),
        ("clef", "urgent", "yes_no", ("no", "yes"), (1 - 0.9551, 0.9551)),
        ("gemini", "q2", "choice", ("refund", "replace"), (0.8, 0.2)),
        ("gemini", "q3", "score", ("0", "1", "2"), (0.1, 0.2, 0.7)),
        ("openai", "billing", "yes_no", ("no", "yes"), (1 - 0.97, 0.97)),
        ("openai", "team", "choice", ("refunds", "shipping", "true"), (0.91, 0.06, 0.03)),
        ("openai", "urgency", "score", ("0", "1", "2"), (0.04, 0.2, 0.76)),
        ("fireworks", "billing", "yes_no", ("no", "yes"), (1 - 0.94, 0.94)),
        ("sglang", "billing", "yes_no", ("no", "yes"), (0.0269, 0.9731)),
        ("sglang", "team", "choice", ("refunds", "shipping"), (0.93, 0.07)),
        ("sglang", "urgency", "score", ("0", "1", "2"), (0.05, 0.25, 0.7)),
        ("jevl", "billing", "yes_no", ("no", "yes"), (1 - 0.97, 0.97)),
        ("s1_record", "q-30076be2", "yes_no", ("no", "yes"), (1 - 0.0509, 0.0509)),
        ("openinference", "escalate", "yes_no", ("no", "yes"), (1 - 0.87, 0.87)),
        ("openinference_systemone", "billing", "yes_no", ("no", "yes"), (1 - 0.64, 0.64)),
        ("row", "is_angry", "yes_no", ("no", "yes"), (1 - 0.3969, 0.3969)),
        ("omitted", "billing", "yes_no", ("no", "yes"), (0.6, 0.4)),
    ],
)
def test_probabilities_come_in_the_order_of_the_options_and_unchanged(name, question, kind, options, probabilities):
    answer = answers(name)[question]
    assert (answer.kind, answer.options, answer.missing) == (kind, options, None)
    assert answer.probabilities == probabilities


@pytest.mark.parametrize(
    ("name", "question", "code", "detail"),
    [
        ("openrouter", "team", "no_probabilities", ""),
        ("openai", "An unnamed question.", "refused", ""),
        ("gemini_blocked", "q1", "blocked", "safety"),
        ("gemini_blocked", "q3", "blocked", "safety"),
        ("omitted", "team", "omitted", ""),
        ("strands", "billing", "uncertain", ""),
        ("strands", "team", "omitted", ""),
        ("clef_quota", "urgent", "failed", "HTTP 429 4006 daily quota used"),
        ("error_422", "(all)", "failed", "HTTP 422 missing Field required"),
        ("error_429", "billing", "failed", "HTTP 429 rate_limit_error slow down"),
        ("openinference_spec_example", "(all)", "failed", "no response in a known shape"),
    ],
)
def test_an_answer_without_probabilities_says_why(name, question, code, detail):
    answer = answers(name)[question]
    assert (answer.probabilities, answer.missing, answer.detail) == (None, code, detail)


def test_the_model_asked_and_the_model_served_are_kept_apart():
    pairs = {name: {(one.model_asked, one.model_served) for one in answers(name).values()} for name in RECORDS}
    assert pairs["typesafe"] == {("jev-latest", "jev-1.13.0")}
    assert pairs["sparrow"] == {("jev-latest", "sparrow-nano-general-v1.1")}
    assert pairs["gemini"] == {("gemini-decision-1", None)}
    assert pairs["clef"] == {(None, "clef-flash")}
    assert pairs["jevl"] == {(None, "jev-1.13.0")}
    assert pairs["openinference_systemone"] == {("jev-latest", "jev-1.13.0")}
    assert pairs["openai"] == {("gpt-6-luna", "gpt-6-luna-2026-10-01")}


def test_reported_confidence_and_label_mass_are_kept_but_are_no_probabilities():
    vllm = answers("vllm")
    assert (vllm["team"].reported_confidence, vllm["team"].label_mass) == (0.9, 0.93)
    assert answers("sglang")["team"].label_mass == 0.871
    assert answers("sglang")["team"].reported_confidence is None
    assert answers("typesafe")["billing"].reported_confidence is None
    assert answers("typesafe")["anger"].reported_confidence == 0.925


def test_unknown_types_are_kept_and_named():
    found = answers("unknown_types")
    assert (found["where"].kind, found["when"].kind, found["billing"].kind) == ("other:box", "other:moment", "yes_no")


def test_labels_times_and_tags_come_along():
    assert answers("typesafe")["anger"].label == 2
    jevl = answers("jevl")["billing"]
    assert (jevl.label, jevl.time, jevl.tags, jevl.item) == (
        True,
        "2026-10-25T01:00:00Z",
        {"tags": "prod"},
        "sha256:9f",
    )
    record = answers("s1_record")["q-30076be2"]
    assert (record.item, record.label, record.tags) == ("eval-0000", True, {"split": "eval", "dataset": "guard"})
    assert answers("row")["is_angry"].label is False


def test_an_item_without_an_id_is_named_after_its_state():
    first, second = answers("sparrow")["billing"].item, answers("jevcompat")["billing"].item
    assert first == second == "state:931913d721cf"
    assert answers("vllm")["team"].item != first


def test_a_boolean_option_is_not_the_word_true():
    record = json.loads(json.dumps(RECORDS["openai"]))
    record["request"]["questions"][1]["choices"].append({"value": "true"})
    record["response"]["answers"][1]["probabilities"].append({"value": "true", "probability": 0.0})
    record["labels"] = {"team": True}
    found = {one.question: one for one in shape_of(record)[1].answers(record)}["team"]
    assert found.options == ("refunds", "shipping", "true (boolean)", "true")
    assert found.probabilities == (0.91, 0.06, 0.03, 0.0)
    assert found.label == "true (boolean)"


def test_spans_are_read_from_otlp_and_from_columns():
    flat = RECORDS["openinference"]["attributes"]
    otlp = {
        "spanId": "7f",
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in flat.items()],
    }
    columns = {"context.span_id": "7f", **{f"attributes.{key}": value for key, value in flat.items()}}
    for record in (otlp, columns):
        name, shape = shape_of(record)
        (answer,) = shape.answers(record)
        assert (name, answer.probabilities[1], answer.question) == ("OpenInference span", 0.87, "escalate")


def test_a_gateway_may_nest_input_and_output():
    record = {"input": RECORDS["typesafe"]["request"], "output": RECORDS["typesafe"]["response"]}
    found = {one.question: one for one in shape_of(record)[1].answers(record)}
    assert found["team"].probabilities == (0.88, 0.12)
    assert found["team"].model_asked == "jev-latest"
