"""A real model's log from end to end: sparrow-decider 0.2.0 on 240 messages whose labels follow by rule."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from calibrant.io.decisions import looks_like_log, read_log
from calibrant.io.decisions.notices import facts_notices, sentences

ROOT = Path(__file__).parents[2]
LOG = ROOT / "tests" / "fixtures" / "decisions" / "sparrow.jsonl.gz"
ITEMS = ROOT / "examples" / "decisions" / "items.jsonl"


@pytest.fixture(scope="module")
def rows():
    """The log again, read with nothing but the standard library."""
    out = {"refund": [], "angry": [], "team": [], "urgency": []}
    for line in gzip.decompress(LOG.read_bytes()).splitlines():
        record = json.loads(line)
        for question, body in record["response"]["answers"].items():
            label = record["labels"][question]
            if "noul" in body:
                probs, place = [1 - body["noul"], body["noul"]], int(label)
            else:
                names = list(body["probabilities"])
                probs, place = list(body["probabilities"].values()), names.index(str(label))
            out[question].append((probs, place))
    return {name: (np.array([p for p, _ in found]), np.array([y for _, y in found])) for name, found in out.items()}


@pytest.fixture(scope="module")
def read():
    return read_log(LOG)


def test_the_log_is_known_and_read_whole(read):
    tally, facts = read
    assert looks_like_log(LOG) == "System One"
    assert {part.by["question"]: (part.kind, part.n, dict(part.left_out)) for part in tally.slices} == {
        "refund": ("yes_no", 240, {}),
        "angry": ("yes_no", 240, {}),
        "team": ("choice", 240, {}),
        "urgency": ("score", 240, {}),
    }
    assert (facts.records, facts.answers, facts.unread, facts.missing) == (240, 960, {}, {})


@pytest.mark.parametrize("question", ["refund", "angry", "team", "urgency"])
def test_sums_equal_those_of_the_rows(read, rows, question):
    part = next(part for part in read[0].slices if part.by["question"] == question)
    probs, label = rows[question]
    n, k = probs.shape
    right = np.eye(k)[label]
    scale = 0.5 if k == 2 else 1.0
    assert part.moments.mean("brier") == pytest.approx(scale * ((probs - right) ** 2).sum(axis=1).mean(), abs=1e-12)
    assert part.moments.mean("log") == pytest.approx(-np.log(probs[np.arange(n), label]).mean(), abs=1e-12)
    assert part.moments.mean("confidence") == pytest.approx(probs.max(axis=1).mean(), abs=1e-12)
    assert part.moments.mean("right") == pytest.approx((probs.argmax(axis=1) == label).mean(), abs=1e-12)
    if question == "urgency":
        rps = ((probs.cumsum(axis=1) - right.cumsum(axis=1))[:, :-1] ** 2).sum(axis=1).mean()
        assert part.moments.mean("rps") == pytest.approx(rps, abs=1e-12)


def test_what_the_log_says_about_the_model(read):
    (model,) = read[1].models
    assert (model.model, model.decimals, model.answers) == ("sparrow-nano-general-v1.1", 4, 960)
    assert {one.kind: one.matches for one in model.formulas} == {
        "choice": ("above_uniform",),
        "score": ("level_spread",),
        "yes_no": (),
    }
    text = "\n".join(sentences(facts_notices(read[1])))
    assert "960 answers were asked of `jev-latest` and given by `sparrow-nano-general-v1.1`." in text
    assert read[1].repeats.differ == 0


def test_the_items_follow_by_rule_from_the_committed_script(tmp_path):
    """The script's rules, run again, give the committed items; and their labels are those in the log."""
    script = (ROOT / "scripts" / "make_decision_fixture.py").read_text("utf-8")
    namespace = {"__name__": "fixture", "__file__": str(ROOT / "scripts" / "make_decision_fixture.py")}
    exec(compile(script, "make_decision_fixture.py", "exec"), namespace)
    items = namespace["make_items"]()
    committed = [json.loads(line) for line in ITEMS.read_text("utf-8").splitlines()]
    assert items == committed
    logged = [json.loads(line) for line in gzip.decompress(LOG.read_bytes()).splitlines()]
    assert [(one["id"], one["labels"]) for one in logged] == [(one["id"], one["labels"]) for one in committed]


def test_the_log_is_what_the_live_model_says_now(tmp_path):
    """Only where the model is installed (`make demo-decisions`); the committed log is checked everywhere."""
    pytest.importorskip("sparrow_decider")
    out = tmp_path / "log.jsonl"
    subprocess.run([sys.executable, ROOT / "scripts" / "make_decision_fixture.py", "log", out], check=True)
    assert out.read_bytes() == gzip.decompress(LOG.read_bytes())
