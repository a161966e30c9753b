"""What a log says about its own quality: the traps of decision-model APIs, one test each."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from calibrant.io.decisions import read_log
from calibrant.io.decisions.confidence import FORMULAS, formula_values
from calibrant.io.decisions.notices import facts_notices, sentences
from calibrant.io.decisions.quality import decimals_of

RNG = random.Random(7)


def record(answers, item=None, state=None, model="m-1.1", asked="m-latest", labels=None, **response):
    request = {"model": asked, "state": state or f"state {item}", "questions": {}}
    body = {"model": model, "answers": answers, **response}
    out = {"request": request, "response": body}
    if item is not None:
        out["id"] = item
    return out if labels is None else {**out, "labels": labels}


@pytest.fixture
def facts(tmp_path):
    def read(records, **options):
        path = tmp_path / "log.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
        return read_log(path, **options)[1]

    return read


def keys(facts):
    return {notice.key: notice for notice in facts_notices(facts)}


def shares(options, decimals=None, sharp=1.0):
    raw = [RNG.random() ** sharp for _ in range(options)]
    out = [one / sum(raw) for one in raw]
    return out if decimals is None else [round(one, decimals) for one in out]


def choice(probs, **more):
    return {"type": "choice", "probabilities": {f"o{place}": p for place, p in enumerate(probs)}, **more}


# what `confidence` is


@pytest.mark.parametrize(
    ("probs", "expected"),
    [
        ((0.84, 0.16), (0.84, 0.68, 0.68, 0.366, 0.68)),
        ((0.76, 0.24), (0.76, 0.52, 0.52, 0.205, 0.52)),
        ((0.7, 0.2, 0.1), (0.70, 0.55, 0.50, 0.270, 0.40)),
        ((0.84, *[0.16 / 9] * 9), (0.84, 0.822, 0.822, 0.656, 0.68)),
    ],
)
def test_the_published_table_of_confidences(probs, expected):
    """p_max, TypeSafe choice, margin, 1 − entropy; the last column is TypeSafe score at the first level."""
    found = formula_values(np.array([probs]), "score")
    names = ("p_max", "above_uniform", "margin", "one_minus_entropy")
    assert [round(float(found[name][0]), 3) for name in names] == [round(value, 3) for value in expected[:4]]
    if len(probs) < 10:
        assert round(float(found["level_distance"][0]), 2) == expected[4]


def test_the_recorded_confidences_of_typesafe_jevcompat_and_sparrow():
    anger = formula_values(np.array([[0.0, 0.95, 0.05]]), "score")
    assert anger["level_distance"][0] == pytest.approx(0.925, abs=1e-12)
    stub = formula_values(np.array([[0.7150189685021779, 0.27505743604024563, 0.009923595457576406]]), "score")
    assert stub["level_distance"][0] == pytest.approx(0.5576430595669024, abs=1e-12)
    sparrow = formula_values(np.array([[0.0297, 0.2026, 0.7677]]), "score")
    assert sparrow["level_spread"][0] == pytest.approx(0.4974, abs=2e-4)


def spread_confidence(probs):
    levels = np.arange(len(probs))
    mean = float(levels @ np.array(probs))
    return 1 - float(np.sqrt(np.array(probs) @ (levels - mean) ** 2)) / ((len(probs) - 1) / 2)


CLAIMS = {
    "p_max": max,
    "above_uniform": lambda p: (max(p) - 1 / len(p)) / (1 - 1 / len(p)),
    "margin": lambda p: max(p) - sorted(p)[-2],
    "one_minus_entropy": lambda p: 1 + sum(one * np.log(one) for one in p if one > 0) / np.log(len(p)),
    "level_spread": spread_confidence,
}


@pytest.mark.parametrize("decimals", [2, 4, None])
@pytest.mark.parametrize("name", CLAIMS)
def test_the_formula_of_a_service_is_found_through_its_rounding(facts, name, decimals):
    kind = "score" if name == "level_spread" else "choice"
    records = []
    for place in range(200):
        exact = shares(4, sharp=3)
        reported = CLAIMS[name](exact)
        printed = [one if decimals is None else round(one, decimals) for one in exact]
        body = choice(printed, confidence=reported if decimals is None else round(reported, decimals))
        if kind == "score":
            body = {**body, "type": "score", "probabilities": {str(k): p for k, p in enumerate(printed)}}
        records.append(record({"q": body}, place))
    (model,) = facts(records).models
    (formula,) = model.formulas
    assert formula.matches == (name,)
    assert formula.reported == 200


def test_a_cut_accepts_different_answers_under_each_formula(facts):
    """0.95/0.05 and 0.85/0.15: p_max accepts the first, the scaled one (0.9, 0.7) too, the entropy neither."""
    records = [
        record({"q": choice((0.95, 0.05), confidence=0.9), "r": choice((0.85, 0.15), confidence=0.7)}, place)
        for place in range(20)
    ]
    found = facts(records)
    (formula,) = found.models[0].formulas
    assert formula.accepted == {"reported": 20, "p_max": 20, "above_uniform": 20, "margin": 20, "one_minus_entropy": 0}
    text = " ".join(sentences(facts_notices(found)))
    assert "as TypeSafe has it, not the chance of being right. A cut at 0.9 accepts 20 answers by it and 20" in text


def test_a_confidence_that_fits_nothing_is_said_to_fit_nothing(facts):
    records = [record({"q": choice(shares(3), confidence=RNG.random())}, place) for place in range(50)]
    found = facts(records)
    assert found.models[0].formulas[0].matches == ()
    assert "confidence.unknown" in keys(found)


def test_no_formula_is_named_from_a_handful_of_answers(facts):
    found = facts([record({"q": choice((0.84, 0.16), confidence=0.84)}, place) for place in range(19)])
    assert found.models[0].formulas[0].matches == ()
    assert not {"confidence.p_max", "confidence.unknown"} & set(keys(found))


def test_vllm_multiplies_by_the_label_mass(facts):
    records = []
    for place in range(40):
        p, mass = shares(3), 0.5 + RNG.random() / 2
        records.append(
            record({"q": choice(p, confidence=max(p) * mass)}, place, diagnostics={"q": {"label_mass": mass}})
        )
    found = facts(records)
    assert found.models[0].formulas[0].matches == ("p_max_times_label_mass",)
    count, mean, least, _ = found.models[0].label_mass
    assert (count, 0.5 <= least <= mean <= 1) == (40, True)
    assert "label_mass" in keys(found)


# rounding and sums


def test_decimals():
    assert decimals_of(np.array([0.1, 0.3])) == 1
    assert decimals_of(np.array([0.1, 0.29])) == 2
    assert decimals_of(np.array([0.0001])) == 4
    assert decimals_of(np.random.default_rng(0).random(50)) == 7
    assert decimals_of(1 - np.round(np.random.default_rng(0).random(1000), 2)) == 2


def test_two_decimals_are_seen_with_what_they_hide(facts):
    records = [record({"q": {"type": "noul", "noul": round(RNG.random(), 2)}}, place) for place in range(40)]
    records.append(record({"q": {"type": "noul", "noul": 1.0}}, "sure", labels={"q": True}))
    found = facts(records)
    assert (found.models[0].decimals, found.models[0].zeros_and_ones >= 1) == (2, True)
    assert keys(found)["rounded"].values["half"] == "0.005"
    assert "certain" in keys(found)


def test_sums_off_one_are_counted_and_rounding_is_not_refused(facts):
    records = [record({"q": choice((0.33, 0.33, 0.33))}, place, labels={"q": "o0"}) for place in range(3)]
    found = facts([*records, record({"q": choice((0.5, 0.2, 0.1))}, "bad", labels={"q": "o0"})])
    assert (found.models[0].sums_off, round(found.models[0].largest_gap, 9)) == (4, 0.2)
    assert "Nothing was repaired" in " ".join(sentences(facts_notices(found)))


def test_gemini_clips_yes_and_no(facts):
    values = [0.01, 0.99, 0.99, 0.4, 0.7]
    clipped = facts([record({"q": {"type": "noul", "noul": p}}, place) for place, p in enumerate(values)])
    assert clipped.models[0].clipped == 3
    free = facts([record({"q": {"type": "noul", "noul": p}}, place) for place, p in enumerate([*values, 0.995])])
    assert free.models[0].clipped == 0


# gaps, models, repeats


def test_gaps_are_counted_by_reason_with_their_lines_and_the_services_words(facts):
    asked = {"q": {"type": "noul"}}
    failed = {"request": {"state": "s", "questions": asked}, "status": 503, "response": {"error": "overloaded"}}
    found = facts(
        [failed, failed, record({"q": {"uncertain": True}}, "u"), record({"q": {"type": "noul", "noul": 0.5}})]
    )
    assert {code: (part.rows, part.first) for code, part in found.missing.items()} == {
        "failed": (2, (1, 2)),
        "uncertain": (1, (3,)),
    }
    assert found.details == {"failed": {"HTTP 503 overloaded": 2}, "uncertain": {}}
    assert keys(found)["missing.failed"].values["detail"] == "HTTP 503 overloaded"
    assert keys(found)["missing.failed"].level == "warning"


def test_several_served_versions_are_reported_apart(facts):
    found = facts([record({"q": {"type": "noul", "noul": 0.5}}, place, model=f"m-{place % 2}") for place in range(6)])
    assert found.served == {("m-latest", "m-0"): 3, ("m-latest", "m-1"): 3}
    assert [model.model for model in found.models] == ["m-0", "m-1"]
    assert keys(found)["several_versions"].values["versions"] == "m-0, m-1"


def test_a_response_without_a_model_stands_under_the_name_asked_for(facts):
    found = facts([record({"q": {"type": "noul", "noul": 0.5}}, 1, model=None)])
    assert [one.model for one in found.questions] == ["m-latest"]
    assert "no_served" in keys(found)


def test_identical_requests_that_differ_are_found(facts):
    def ask(state, p, model="m-1.1"):
        return record({"q": choice((p, 1 - p))}, state=state, model=model)

    found = facts([ask("a", 0.7), ask("a", 0.7), ask("a", 0.73), ask("b", 0.5), ask("b", 0.9, "other")]).repeats
    assert (found.looked_at, found.repeated, found.differ) == (5, 2, 1)
    assert found.largest == pytest.approx(0.03)
    same = facts([ask("a", 0.7), ask("a", 0.7)])
    assert (same.repeats.repeated, same.repeats.differ) == (1, 0)
    assert "repeats_same" in keys(same)


def test_unknown_types_are_named_and_counted(facts):
    found = facts([record({"where": {"type": "box", "box": []}, "q": {"type": "noul", "noul": 0.5}}, 1)] * 3)
    assert found.unknown_types == {"box": 3}
    assert keys(found)["unknown_type"].values == {"rows": "3", "type": "box"}
    assert [one.question for one in found.questions] == ["q"]


# labels


def labelled_where(condition):
    records = []
    for place in range(400):
        p = RNG.random()
        label = {"q": RNG.random() < p} if condition(max(p, 1 - p)) else None
        records.append(record({"q": {"type": "noul", "noul": p}}, place, labels=label))
    return records


def test_labels_of_routed_items_only_are_warned_of(facts):
    routed = facts(labelled_where(lambda confidence: confidence < 0.7))
    assert routed.questions[0].labels_of_low_confidence
    assert keys(routed)["only_doubtful"].level == "warning"


@pytest.mark.parametrize("share", [0.2, 0.5, 1.0])
def test_a_random_sample_of_labels_is_not_warned_of(facts, share):
    found = facts(labelled_where(lambda _: RNG.random() < share))
    assert not found.questions[0].labels_of_low_confidence
    assert ("unlabelled" in keys(found)) == (share < 1)


def test_facts_go_into_json_and_every_notice_has_a_sentence(facts):
    found = facts([record({"q": choice((0.5, 0.5))}, 1), {"nothing": 1}])
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["served"] == [{"asked": "m-latest", "served": "m-1.1", "answers": 1}]
    assert plain["unread"]["the record has no answers in a known shape"] == {"rows": 1, "first": [2]}
    assert all(sentences(facts_notices(found)))


def test_every_formula_has_a_name_in_words():
    from importlib import resources

    words = json.loads(resources.files("calibrant.words").joinpath("decisions", "en.json").read_text("utf-8"))
    assert {f"formula.{name}" for name in FORMULAS if name != "p_max"} <= set(words)
