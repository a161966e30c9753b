"""A real decision model's log: recalibrated question by question, and judged on answers it was not fitted on."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import calibrant as cb

LOG = Path(__file__).parents[1] / "fixtures" / "decisions" / "sparrow.jsonl.gz"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "sparrow.jsonl"
    path.write_bytes(gzip.decompress(LOG.read_bytes()))
    return cb.recalibrate(str(path), method="temperature")


def test_every_question_has_a_map_for_its_model(found):
    model = {repair.by["model"] for repair in found.repairs}
    assert model == {"sparrow-nano-general-v1.1"}
    kinds = {repair.by["question"]: (repair.kind, repair.rows, repair.option_count) for repair in found.repairs}
    assert {name: kind for name, (kind, _, _) in kinds.items()} == {
        "refund": "yes_no",
        "angry": "yes_no",
        "team": "choice",
        "urgency": "score",
    }
    assert {rows for _, rows, _ in kinds.values()} == {240}


def test_urgency_knows_nothing_and_is_flattened(found):
    urgency = next(repair for repair in found.repairs if repair.by["question"] == "urgency")
    assert urgency.verdict == "helps"
    assert urgency.fitted.params["T"] > 5
    assert urgency.effect.decided_by == "rps"
    assert urgency.effect.same_top == 1.0


def test_the_fit_is_that_of_the_rows(found):
    probs, labels = [], []
    for line in gzip.decompress(LOG.read_bytes()).splitlines():
        record = json.loads(line)
        body = record["response"]["answers"]["team"]["probabilities"]
        probs.append(list(body.values()))
        labels.append(list(body).index(record["labels"]["team"]))
    again = cb.recalibrate(np.array(probs), labels, method="temperature", options=list(body))
    team = next(repair for repair in found.repairs if repair.by["question"] == "team")
    assert again.repairs[0].fitted.params["T"] == pytest.approx(team.fitted.params["T"], abs=1e-9)


def test_auto_seldom_harms_on_untouched_halves():
    """Each question, fitted by auto on a random half and judged on the other; three splits."""
    rows: dict[str, list[tuple[list[float], int]]] = {}
    for line in gzip.decompress(LOG.read_bytes()).splitlines():
        record = json.loads(line)
        for question, body in record["response"]["answers"].items():
            label = record["labels"][question]
            if "noul" in body:
                rows.setdefault(question, []).append(([1 - body["noul"], body["noul"]], int(label)))
            else:
                names = list(body["probabilities"])
                rows.setdefault(question, []).append((list(body["probabilities"].values()), names.index(str(label))))
    counts: Counter[str] = Counter()
    for question, pairs in rows.items():
        probs, label = np.array([p for p, _ in pairs]), np.array([y for _, y in pairs])
        kind = {"team": "choice", "urgency": "score"}.get(question)
        for seed in range(3):
            order = np.random.default_rng(seed).permutation(len(label))
            one, two = order[:120], order[120:]
            prob = probs if kind else probs[:, 1]
            made = cb.recalibrate(prob[one], label[one], kind=kind)
            if made.verdict != "helps":
                counts["declined"] += 1
                continue
            change = loss(kind, made.transform(prob[two]), label[two]) - loss(kind, prob[two], label[two])
            shown = change.mean() > 1.96 * change.std() / np.sqrt(change.size)
            counts["harms" if shown else "helps"] += 1
    # Measured: 8 declined, 4 helped (all of them urgency or angry), none harmed.
    assert counts["harms"] == 0
    assert counts["helps"] >= 3


def loss(kind, probs, label):
    """Brier score of each row, or ranked probability score of ordered levels, computed here."""
    if kind is None:
        return (probs - label) ** 2
    hot = np.eye(probs.shape[1])[label]
    return (((probs - hot) if kind == "choice" else np.cumsum(probs - hot, axis=1)) ** 2).sum(axis=1)
