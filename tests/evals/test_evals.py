"""Logs of LLM evaluations, small hand-made files of every format, and the published traps (cases of kind llm)."""

from __future__ import annotations

import json
import math
import zipfile

import pytest

from calibrant.errors import FileError, InputError, OptionError, RowError
from calibrant.io.decisions import looks_like_log, read_answers, read_log
from calibrant.io.decisions.likelihood import softmax
from calibrant.io.decisions.notices import facts_notices
from calibrant.io.evals.lm_eval import gold_place


def lines(path, *records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    return path


# lm-evaluation-harness


def sample(doc, logliks, target, *, texts=None, **more):
    texts = texts or [f" option {place}" for place in range(len(logliks))]
    return {
        "doc_id": doc,
        "doc": {"question": "?"},
        "target": target,
        "arguments": [["context", text] for text in texts],
        "resps": [[[value, False]] for value in logliks],
        "filtered_resps": [[value, False] for value in logliks],
        "acc": 1.0,
        **more,
    }


@pytest.fixture
def harness(tmp_path):
    def write(*records):
        return lines(tmp_path / "org__model-1" / "samples_arc_easy_2026-11-02T10-11-12.123.jsonl", *records)

    return write


def test_loglikelihoods_become_probabilities_only_when_asked(harness):
    path = harness(sample(0, [math.log(0.6), math.log(0.3), math.log(0.1)], 0), sample(1, [-1.0, -2.0], "1"))
    with pytest.raises(InputError, match=r"log-likelihoods of its options, not probabilities \(record 1") as wrong:
        read_log(path)
    assert "--loglikelihoods softmax" in wrong.value.hint
    tally, facts = read_log(path, loglikelihoods="softmax")
    (part,) = tally.slices
    assert dict(part.by) == {"model": "org/model-1", "question": "arc_easy"}
    assert (part.kind, part.n, part.options, part.option_counts) == ("choice", 2, (), {2: 1, 3: 1})
    # (0.6 − 1)² + 0.3² + 0.1² = 0.26; 1/(1 + e) = 0.26894…: 2·(1 − 0.26894…)² = 1.06888…
    assert part.moments.total("brier") == pytest.approx(0.26 + 2 * (1 / (1 + math.exp(-1))) ** 2, abs=1e-12)
    assert part.moments.total("right") == 1.0
    assert facts.softmax == 2
    assert "softmax of the log-likelihoods, as asked" in tally.source.notes[1]


def test_the_length_of_an_option_may_be_divided_out(harness):
    path = harness(sample(0, [-4.0, -4.0], 1, texts=[" yes", " certainly"]))
    (part,) = read_log(path, loglikelihoods="softmax_per_byte")[0].slices
    # −4/4 and −4/10
    assert part.moments.total("confidence") == pytest.approx(1 / (1 + math.exp(-0.6)), abs=1e-12)
    with pytest.raises(OptionError, match="softmax or softmax_per_byte"):
        read_log(path, loglikelihoods="exp")


def test_newer_files_write_numbers_as_text_and_arguments_as_objects(harness):
    record = sample(3, [-1.0, -2.0], "no")
    record["filtered_resps"] = [["-1.0", "True"], ["-2.0", "False"]]
    record["arguments"] = {
        "gen_args_0": {"arg_0": "context", "arg_1": " yes"},
        "gen_args_1": {"arg_0": "context", "arg_1": " no"},
    }
    ((_, answer),) = read_answers(harness(record))
    assert (answer.loglikelihoods, answer.legend, answer.label) == ((-1.0, -2.0), (" yes", " no"), 1)


@pytest.mark.parametrize("target", [-1, "-1", 2, "E", "nothing", {"a": 1}])
def test_a_gold_answer_that_is_no_choice_is_an_error(harness, target):
    with pytest.raises(RowError, match=r"The gold answer of document 5 is .* none of its 2 choices"):
        read_log(harness(sample(5, [-1.0, -2.0], target)), loglikelihoods="softmax")


def test_the_gold_answer_may_be_an_index_a_letter_or_a_text():
    assert gold_place("B", 4, (), (), "d") == 1
    assert gold_place(3, 4, (), (), "d") == 3
    assert gold_place("blue", 2, (), ("red", "blue"), "d") == 1
    assert gold_place(None, 2, (), (), "d") is None
    # A text that is one of the choices wins over its reading as an index.
    assert gold_place("1", 2, (" 1", " 0"), (), "d") == 0


def test_generated_texts_have_no_probabilities_and_count_as_such(harness):
    record = {
        "doc_id": 0,
        "target": "42",
        "resps": [["the answer is 42"]],
        "filtered_resps": ["42"],
        "exact_match": 1.0,
    }
    tally, facts = read_log(harness(record))
    assert (tally.n, facts.missing["no_probabilities"].rows) == (0, 1)


def test_minus_infinity_everywhere_is_no_distribution(harness):
    assert all(math.isnan(p) for p in softmax((-math.inf, -math.inf)))
    assert softmax((-1000.0, -1001.0)) == pytest.approx((1 / (1 + math.exp(-1)), 1 / (1 + math.e)), abs=1e-15)


# Inspect AI


def inspect_sample(number, value, metadata=None, **more):
    score = {"value": value, "answer": "A", "metadata": metadata}
    return {"id": number, "epoch": 1, "input": "q", "target": "B", "scores": {"judge": score}, **more}


def inspect_log(*samples):
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "trivia", "model": "acme/m-1"},
        "samples": list(samples),
    }


def inspect_file(tmp_path, kind, *samples):
    if kind == "json":
        path = tmp_path / "log.json"
        path.write_text(json.dumps(inspect_log(*samples), indent=2), "utf-8")
        return path
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({**inspect_log(), "samples": None}))
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_1.json", json.dumps(one))
    return path


@pytest.mark.parametrize("kind", ["json", "eval"])
def test_inspect_logs_give_the_confidence_that_a_scorer_stored(tmp_path, kind):
    path = inspect_file(
        tmp_path,
        kind,
        inspect_sample(1, "C", {"confidence": 0.75}),
        inspect_sample(2, "I", {"confidence": 0.5}),
        inspect_sample(3, 1, {"confidence": 1}),
        inspect_sample(4, "C", {"note": "nothing stored"}),
        inspect_sample(5, "N", {"confidence": 0.3}),
    )
    assert looks_like_log(path) == "Inspect AI log"
    tally, facts = read_log(path)
    (part,) = tally.slices
    assert dict(part.by) == {"model": "acme/m-1", "question": "trivia"}
    assert (part.kind, part.n, part.moments.total("right")) == ("answer", 3, 2.0)
    # (0.75 − 1)² + 0.5² + 0
    assert part.moments.total("brier") == 0.0625 + 0.25
    assert {why: left.rows for why, left in part.left_out.items()} == {
        "no label": 1,
        "no probabilities in the answer": 1,
    }
    assert "no scorer stored a probability" in next(iter(facts.details["no_probabilities"]))


def test_inspect_distributions_are_choices(tmp_path):
    samples = [
        inspect_sample(1, "C", {"probabilities": {"A": 0.25, "B": 0.75}}),
        inspect_sample(2, "I", {"probs": [0.5, 0.25, 0.25]}, target="paris", choices=["rome", "paris", "oslo"]),
        inspect_sample(3, "I", {"probabilities": "high"}),
    ]
    tally, facts = read_log(inspect_file(tmp_path, "json", *samples))
    kinds = {part.kind: part for part in tally.slices}
    # 2·0.25² ; 0.5² + 0.75² + 0.25²
    assert kinds["choice"].moments.total("brier") == 0.125 + 0.875
    assert facts.missing["malformed"].rows == 1


def test_a_sample_that_failed_is_counted(tmp_path):
    broken = {"id": 1, "epoch": 1, "error": {"message": "timeout"}}
    _, facts = read_log(inspect_file(tmp_path, "json", broken, inspect_sample(2, "C", {"p": 0.5})))
    assert (facts.missing["failed"].rows, facts.details["failed"]) == (1, {"timeout": 1})


def test_a_compression_that_python_lacks_is_named_with_a_way_out(tmp_path):
    path = inspect_file(tmp_path, "eval", inspect_sample(1, "C", {"confidence": 0.75}))
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        start = data.find(mark)
        while start >= 0:
            data[start + place : start + place + 2] = (93).to_bytes(2, "little")
            start = data.find(mark, start + 1)
    path.write_bytes(bytes(data))
    with pytest.raises(FileError, match="a compression that Python cannot read") as wrong:
        read_log(path)
    assert "inspect log convert" in wrong.value.hint


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"readme.txt": "x"}, "without the header of an Inspect log"),
        ({"header.json": "{", "samples/1.json": "{}"}, "header.json is not JSON"),
        ({"header.json": "{}", "samples/1.json": "["}, "samples/1.json is not JSON"),
        ({"header.json": "{}"}, "holds no answers"),
    ],
)
def test_damaged_archives_are_refused_with_a_sentence(tmp_path, files, words):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    with pytest.raises(FileError, match=words):
        read_log(path)


# HELM


def helm_stats(instance, **means):
    stats = [{"name": {"name": name, "split": "test"}, "count": 1, "mean": mean} for name, mean in means.items()]
    stats.append({"name": {"name": "max_prob", "split": "test", "perturbation": {"name": "typos"}}, "mean": 0.1})
    stats.append({"name": {"name": "training_co2_cost"}, "count": 0})
    return {"instance_id": instance, "train_trial_index": 0, "stats": stats}


@pytest.fixture
def helm(tmp_path):
    folder = tmp_path / "mmlu:subject=philosophy,model=openai_gpt2"
    folder.mkdir()

    def write(name, document):
        path = folder / name
        path.write_text(json.dumps(document, indent=2), "utf-8")
        return path

    return write


def test_helm_statistics_give_a_confidence_and_right_or_wrong(helm):
    records = [
        helm_stats("id1", max_prob=0.75, logprob=-0.3, exact_match=1.0),
        helm_stats("id2", max_prob=0.5, logprob=-0.7, exact_match=0.0),
    ]
    (part,) = read_log(helm("per_instance_stats.json", records))[0].slices
    assert part.by["question"] == "mmlu:subject=philosophy,model=openai_gpt2"
    assert (part.kind, part.n, part.moments.total("brier")) == ("answer", 2, 0.0625 + 0.25)


def test_models_without_logprobs_have_no_confidence_and_no_ece(helm):
    """Case llm-no-logprobs: a probability of 1 for every row would give ECE = 1 − accuracy = 0.25."""
    right = [1.0, 1.0, 1.0, 0.0]
    records = [helm_stats(f"id{n}", max_prob=1.0, logprob=0.0, exact_match=value) for n, value in enumerate(right)]
    tally, facts = read_log(helm("per_instance_stats.json", records))
    assert tally.n == 0
    assert facts.missing["no_probabilities"].rows == 4
    assert "the server gave no log-probabilities" in next(iter(facts.details["no_probabilities"]))
    notice = next(one for one in facts_notices(facts) if one.key == "missing.no_probabilities")
    assert (notice.values["rows"], notice.values["answers"]) == ("4", "4")


def test_helm_requests_are_read_with_the_option_behind_the_letter(helm):
    def state(number, letter, tokens):
        references = [
            {"output": {"text": "calm"}, "tags": []},
            {"output": {"text": "joy"}, "tags": ["correct"]},
        ]
        completion = {
            "text": f" {letter}",
            "logprob": sum(tokens),
            "tokens": [{"text": letter, "logprob": one} for one in tokens],
        }
        return {
            "instance": {"id": f"id{number}", "references": references},
            "request": {"model": "openai/gpt2"},
            "result": {"success": True, "completions": [completion]},
            "output_mapping": {"A": "calm", "B": "joy"},
        }

    records = [state(1, "B", [math.log(0.5), math.log(0.5)]), state(2, "A", [math.log(0.5)]), state(3, "B", [0.0])]
    records.append({**state(4, "A", [-1.0]), "result": {"success": False, "error": "503", "completions": []}})
    tally, facts = read_log(helm("scenario_state.json", {"adapter_spec": {}, "request_states": records}))
    (part,) = tally.slices
    assert (part.by["model"], part.n, part.moments.total("right")) == ("openai/gpt2", 2, 1.0)
    # The joint probability of two tokens, 0.25, and 0.5 for the wrong letter.
    assert part.moments.total("brier") == pytest.approx(0.75**2 + 0.5**2, abs=1e-12)
    assert {code: left.rows for code, left in facts.missing.items()} == {"no_probabilities": 1, "failed": 1}


def test_the_confidence_of_several_tokens_is_their_joint_probability():
    """Case llm-multitoken: e^(−0.1 − 0.2) = 0.7408…, not the mean token's 0.8607…"""
    from calibrant.io.evals.helm import answers

    tokens = [{"logprob": -0.1}, {"logprob": -0.2}]
    completion = {"text": "A", "logprob": -0.1 - 0.2, "tokens": tokens}
    record = {"instance": {"id": "1"}, "request": {}, "result": {"completions": [completion]}}
    (answer,) = answers(record)
    assert answer.probabilities[0] == pytest.approx(0.740818220682, abs=1e-12)


# wide A–E columns


def test_verbalised_probabilities_in_columns(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(
        "id,model,A,B,C,D,E,Correct Answer\n"
        "1,m,0.5,0.25,0.25,0,0,A\n"
        "2,m,60%,30%,20%,,,B\n"
        "3,m,0.5,0.5,,,,C\n"
        "4,m,high,0.5,,,,A\n",
        "utf-8",
    )
    assert looks_like_log(path) == "options in columns"
    with pytest.raises(RowError, match=r"'C', which is none of its options \(A, B\); record 3 of answers\.csv"):
        read_log(path)
    path.write_text(path.read_text("utf-8").replace(",,,,C", ",,,,B"), "utf-8")
    tally, facts = read_log(path)
    (part,) = tally.slices
    assert (part.n, part.option_counts, part.moments.total("brier")) == (2, {5: 1, 2: 1}, 0.375 + 0.5)
    assert {why: left.first for why, left in part.left_out.items()} == {
        "probabilities do not add up to 1": (2,),
        "the answer is malformed": (4,),
    }
    assert facts.models[0].sums_off == 1
    again, _ = read_log(path, renormalise=True)
    assert again.n == 3


def test_wide_json_lines_and_other_delimiters(tmp_path):
    record = {"id": 7, "A": 0.75, "B": 0.25, "label": "B", "task": "trivia"}
    ((_, answer),) = read_answers(lines(tmp_path / "a.jsonl", record))
    assert (answer.item, answer.question, answer.probabilities, answer.label) == ("7", "trivia", (0.75, 0.25), "B")
    table = tmp_path / "a.tsv"
    table.write_text("A\tB\tlabel\n0.75\t0.25\tA\n", "utf-8")
    ((_, answer),) = read_answers(table)
    assert (answer.question, answer.probabilities) == ("a", (0.75, 0.25))


def test_a_table_without_these_columns_is_no_log(tmp_path):
    for header in ("A,B,C", "a,b,label", "probability,outcome", "p_A,p_B,label", "A,B,label,prob"):
        path = tmp_path / "x.csv"
        path.write_text(f"{header}\n1,2,3\n", "utf-8")
        assert looks_like_log(path) is None


# provenance


def stated(confidence, source, correct=1):
    return {"id": "1", "task": "t", "confidence": confidence, "source": source, "correct": correct}


def test_fallback_constants_are_never_scored(tmp_path):
    """Case llm-fallback-constants: scored, five times 0.9 would give ECE 0.1."""
    path = lines(tmp_path / "a.jsonl", *[stated(0.9, "fallback")] * 5)
    tally, facts = read_log(path)
    assert (tally.n, facts.missing["fallback"].rows) == (0, 5)
    path = lines(tmp_path / "b.jsonl", stated(0.9, "fallback"), stated(0.75, "logprob"), stated(None, "reported"))
    (part,) = read_log(path)[0].slices
    assert (part.n, part.moments.total("brier")) == (1, 0.0625)
    assert {why: left.rows for why, left in part.left_out.items()} == {
        "the confidence is a fallback constant": 1,
        "no probabilities in the answer": 1,
    }


def test_a_constant_that_looks_like_a_fallback_is_flagged(tmp_path):
    found = [stated(0.9, "reported", place % 2) for place in range(12)]
    found += [stated(0.5 + place / 100, "reported") for place in range(10)]
    _, facts = read_log(lines(tmp_path / "a.jsonl", *found))
    assert facts.questions[0].constant == 0.9
    assert "constant" in {notice.key for notice in facts_notices(facts)}
    _, facts = read_log(lines(tmp_path / "a.jsonl", *[stated(0.5 + n / 100, "reported") for n in range(30)]))
    assert facts.questions[0].constant is None


def test_confidence_is_the_largest_probability_and_not_that_of_the_target(tmp_path):
    """Case llm-confidence-definition: confidences .7 .6 .8, right 1 0 1; P(target) would be .7 .4 .8."""
    rows = [(0.7, 0.3, "A"), (0.6, 0.4, "B"), (0.2, 0.8, "B")]
    records = [{"id": n, "A": a, "B": b, "label": label} for n, (a, b, label) in enumerate(rows)]
    (part,) = read_log(lines(tmp_path / "a.jsonl", *records))[0].slices
    view = part.view("top")
    assert view.key.tolist() == [0.6, 0.7, 0.8]
    assert view.rows.tolist() == [[1, 0], [0, 1], [0, 1]]
    # |0.6 − 0| + |0.7 − 1| + |0.8 − 1|, a third each
    right = view.rows[:, 1] / view.rows.sum(axis=1)
    assert abs(view.key - right).mean() == pytest.approx(0.366666666667, abs=1e-12)


def test_a_log_of_a_probability_above_0_is_refused(harness):
    """Case llm-positive-logprob: logits handed over as log probabilities."""
    with pytest.raises(InputError, match=r"has a log-likelihood above 0 \(.*\): 1\.69"):
        read_log(harness(sample(5, [1.69, -0.35], 0)), loglikelihoods="softmax")
