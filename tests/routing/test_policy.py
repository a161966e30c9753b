"""Policies: what they refuse, decide, keep in a file, and say on new rows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import calibrant as cb
from calibrant.cli.route import command
from calibrant.routing.rules import Rule

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "policy-1.json").read_text("utf-8"))
COSTS = {"cost_wrong": 10, "cost_review": 1, "review_accuracy": 0.97, "review_rows": 200}


def honest(rows=3000, seed=0):
    rng = np.random.default_rng(seed)
    prob = rng.beta(0.7, 0.7, rows).round(3)
    return prob, (rng.random(rows) < prob).astype(int)


def choices(rows=3000, options=3, seed=0):
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.full(options, 0.3), rows)
    return probs, (rng.random(rows)[:, None] > probs.cumsum(axis=1)).sum(axis=1).clip(max=options - 1)


def refusal(prob, outcome, **given_options):
    policy = cb.route(prob, outcome, **given_options)
    assert policy.decide(0.999) == "person"
    return policy.parts[0].refusal, str(policy)


def test_noise_gets_a_sentence_instead_of_a_threshold():
    """An agent that always says about 0.7 and is right 70% of the time: honest, and no cut exists at any value."""
    rng = np.random.default_rng(1)
    prob, outcome = (0.7 + 0.02 * rng.random(4000)).round(3), (rng.random(4000) < 0.71).astype(int)
    code, text = refusal(prob, outcome, **COSTS)
    assert code == "no_order"
    assert "no cut separates right from wrong answers at any value" in " ".join(text.split())


def test_the_flattering_agent_gets_none_either():
    code, _ = refusal(np.full(1000, 0.95), np.arange(1000) % 20 > 0, **COSTS)
    assert code == "no_order"


def test_upside_down_probabilities_get_none():
    prob, outcome = honest()
    assert refusal(1 - prob, outcome, **COSTS)[0] == "no_order"


def test_few_rows_get_none():
    code, text = refusal(*honest(60), **COSTS)
    assert code == "few_rows"
    assert "60 rows are too few" in text


def test_an_uncalibrated_signal_gets_none_from_costs_but_may_be_certified():
    prob, outcome = honest()
    squeezed = 0.5 + (prob - 0.5) * 0.2
    code, text = refusal(squeezed, outcome, **COSTS)
    assert code == "uncalibrated"
    assert "Recalibrate first" in " ".join(text.split())
    certified = cb.route(squeezed, outcome, max_error=0.1)
    assert certified.parts[0].refusal is None
    assert certified.decide(0.6) == "yes"


def test_certificates_need_independent_rows():
    prob, outcome = honest()
    assert refusal(prob, outcome, max_error=0.05, cluster=np.arange(3000) // 10)[0] == "clusters"
    assert refusal(prob, outcome, max_error=0.05, weight=np.linspace(1, 2, 3000))[0] == "weights"


def test_answers_without_an_order_may_still_be_certified_as_a_whole():
    policy = cb.route(np.full(600, 0.97), np.arange(600) % 100 > 0, max_error=0.05, kind="answer")
    assert policy.parts[0].refusal is None
    assert policy.decide(0.97) == "act"


@pytest.mark.parametrize("given_options", [COSTS, {"max_error": 0.1}, {**COSTS, "max_error": 0.05}])
def test_yes_no_policies_decide_and_travel(given_options, tmp_path):
    policy = cb.route(*honest(), **given_options)
    decisions = policy.decide([0.0, 0.5, 1.0])
    assert decisions == ["no", "person", "yes"]
    text = policy.to_json(tmp_path / "p.json")
    jsonschema.validate(json.loads(text), SCHEMA)
    again = cb.Policy.from_json(tmp_path / "p.json")
    grid = np.linspace(0, 1, 1001)
    assert again.decide(grid) == policy.decide(grid)
    with pytest.raises(cb.InputError):
        policy.decide(1.2)
    with pytest.raises(cb.InputError, match="no policy for"):
        policy.decide(0.5, question="other")


def test_costs_and_certificate_together_are_no_wider_than_either():
    prob, outcome = honest()
    rules = [cb.route(prob, outcome, **extra).parts[0].rules[""] for extra in (COSTS, {"max_error": 0.05})]
    both = cb.route(prob, outcome, **COSTS, max_error=0.05).parts[0].rules[""]
    assert both.high == max(rule.high for rule in rules)
    assert both.low == min(rule.low for rule in rules)


def test_choices_have_a_threshold_by_option():
    probs, label = choices()
    policy = cb.route(
        probs, label, options=["a", "b", "c"], cost_wrong={"a": 20, "": 4}, cost_review=1, review_accuracy=0.98
    )
    assert policy.parts[0].rules["a"].high == pytest.approx(0.93)
    assert policy.parts[0].rules[""].high == pytest.approx(0.73)
    assert policy.decide([0.8, 0.1, 0.1]) == "person"
    assert policy.decide([[0.1, 0.8, 0.1], [0.95, 0.03, 0.02]]) == ["b", "a"]
    jsonschema.validate(json.loads(policy.to_json()), SCHEMA)
    found = policy.parts[0].evidence["outcomes"]["policy"]
    top = probs.max(axis=1)
    acted = top >= np.where(probs.argmax(axis=1) == 0, 0.93, 0.73)
    assert found["acted"] == acted.sum()
    assert found["seen"] == (acted & (probs.argmax(axis=1) != label)).sum()
    with pytest.raises(cb.InputError, match="no option here"):
        cb.route(probs, label, cost_wrong={"z": 3}, cost_review=1, review_accuracy=0.98)


def test_levels_have_a_band_at_a_cut():
    probs, label = choices(options=4, seed=2)
    policy = cb.route(probs, label, kind="score", options=["0", "1", "2", "3"], cut="1", **COSTS)
    assert policy.decide([0.9, 0.09, 0.01, 0.0]) == "at most 1"
    assert policy.decide([0.0, 0.01, 0.4, 0.59]) == "above 1"
    assert policy.decide([0.25, 0.25, 0.25, 0.25]) == "person"
    with pytest.raises(cb.InputError, match="no cut"):
        cb.route(probs, label, kind="score", options=["0", "1", "2", "3"], cut="3", **COSTS)


def test_today_and_the_alternatives_stand_beside_the_policy():
    policy = cb.route(*honest(), **COSTS, today="0.4-0.9")
    evidence = policy.parts[0].evidence
    assert set(evidence["outcomes"]) == {"policy", "person", "act", "today"}
    assert evidence["outcomes"]["person"]["automated"] == 0
    assert evidence["outcomes"]["act"]["automated"] == 1
    assert set(evidence["savings"]) == {"person", "act", "today"}
    assert all(saved["low"] <= saved["value"] <= saved["high"] for saved in evidence["savings"].values())
    with pytest.raises(cb.OptionError, match="no rule"):
        cb.route(*honest(), **COSTS, today="often")


def test_slices_have_policies_of_their_own():
    prob, outcome = honest(4000)
    data = {"question": np.repeat(["a", "b"], 2000), "p": prob, "outcome": outcome}
    each = cb.route(data, by="question", max_error=0.1)
    shared = cb.route(data, by="question", max_error=0.1, shared=True)
    assert [part.by for part in each.parts] == [{"question": "a"}, {"question": "b"}]
    for one, two in zip(each.parts, shared.parts, strict=True):
        assert two.rules[""].high >= one.rules[""].high
    assert each.decide(1.0, question="a") == "yes"


def test_the_first_screen_fits():
    for policy in (cb.route(*honest(), **COSTS, today="0.5"), cb.route(*honest(), max_error=0.1)):
        lines = str(policy).splitlines()
        assert len(lines) <= 30
        assert max(map(len, lines)) <= 80
        assert not re.search(r"\{\w*\}", str(policy))


def test_a_policy_is_judged_on_new_rows(tmp_path):
    for name, seed in (("old", 1), ("new", 2)):
        prob, outcome = honest(seed=seed)
        lines = "\n".join(f"{p},{y}" for p, y in zip(prob, outcome, strict=True))
        (tmp_path / f"{name}.csv").write_text(f"p,outcome\n{lines}\n")
    upside = "\n".join(f"{p},{1 - y}" for p, y in zip(*honest(seed=3), strict=True))
    (tmp_path / "bad.csv").write_text(f"p,outcome\n{upside}\n")
    run, file = CliRunner(), str(tmp_path / "policy.json")
    args = [str(tmp_path / "old.csv"), "--max-error", "0.1", "--confidence", "0.9", "-o", file]
    done = run.invoke(command, args, catch_exceptions=False)
    assert done.exit_code == 0
    assert json.loads(Path(file).read_text())["settings"]["confidence"] == 0.9
    good = run.invoke(command, ["--policy", file, str(tmp_path / "new.csv")], catch_exceptions=False).output
    assert "holds here" in good
    bad = run.invoke(command, ["--policy", file, str(tmp_path / "bad.csv")], catch_exceptions=False).output
    assert "is broken" in bad


def test_costs_by_option_on_the_command_line(tmp_path):
    prob, outcome = honest()
    lines = "\n".join(f"{p},{y}" for p, y in zip(prob, outcome, strict=True))
    (tmp_path / "t.csv").write_text(f"p,outcome\n{lines}\n")
    args = [str(tmp_path / "t.csv"), "--cost-wrong", "yes=1", "--cost-wrong", "no=5", "--cost-review", "0.5"]
    done = CliRunner().invoke(command, [*args, "--review-accuracy", "1", "--format", "json"], catch_exceptions=False)
    rule = json.loads(done.output)["policies"][0]["rules"][""]
    assert (rule["no_below"], rule["yes_from"]) == pytest.approx((0.1, 0.5))
    done = CliRunner().invoke(command, [args[0], "--cost-wrong", "much"])
    assert done.exit_code == 2


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "nonsense",
        '{"schema": "calibrant.policy/2", "policies": []}',
        '{"schema": "calibrant.policy/1", "policies": [{"for": {}}]}',
        (
            '{"schema": "calibrant.policy/1", "policies": [{"for": {}, "kind": "yes_no", "options": [],'
            ' "view": "event",'
            ' "rules": {"": {"no_below": 0.9, "no_includes_edge": false, "yes_from": 0.1}}}]}'
        ),
    ],
)
def test_damaged_policies_get_a_sentence(text, tmp_path):
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(cb.FileError):
        cb.Policy.from_json(path)


def test_rules_at_their_edges():
    rule = Rule("policy", 0.4, 0.6, "both")
    assert rule.action(np.array([0.39, 0.4, 0.59, 0.6])).tolist() == [0, 2, 2, 1]
    inclusive = Rule("policy", 0.4, 0.6, "both", inclusive_low=True)
    assert inclusive.action(np.array([0.4, 0.41])).tolist() == [0, 2]
    empty = Rule("policy", 0.5, 0.5, "both")
    assert empty.action(np.array([0.49, 0.5])).tolist() == [0, 1]
