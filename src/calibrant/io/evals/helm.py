"""HELM runs: per_instance_stats.json (a confidence `max_prob` and `exact_match`) and scenario_state.json.

A server without log-probabilities makes HELM write a log-probability of 0 for every token, so that `max_prob` is 1
for every answer. Such rows have no confidence at all, and scoring them gives ECE = 1 − accuracy.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.answer import ANSWER, Answer, Missing, option_name

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["answers", "recognises"]

RIGHT = ("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match")
NO_LOGPROBS = "the server gave no log-probabilities (0 for every token), which HELM turns into a probability of 1"
NO_MAX_PROB = "the run has no `max_prob`"


def recognises(record: dict[str, Any]) -> bool:
    """An instance with its statistics, or a request with the instance it came from."""
    if "instance_id" in record and isinstance(record.get("stats"), list):
        return True
    return isinstance(record.get("instance"), dict) and isinstance(record.get("request"), dict) and "result" in record


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """One answer with its stated confidence."""
    if "stats" in record:
        yield _of_stats(record)
    else:
        yield _of_request(record)


def _of_stats(record: dict[str, Any]) -> Answer:
    means: dict[str, float] = {}
    for stat in record["stats"]:
        name = stat.get("name") if isinstance(stat, dict) else None
        mean = stat.get("mean") if isinstance(stat, dict) else None
        if isinstance(name, dict) and "perturbation" not in name and isinstance(mean, int | float):
            means.setdefault(str(name.get("name")), float(mean))
    right = next((means[name] for name in RIGHT if name in means), None)
    confidence, logprob = means.get("max_prob"), means.get("logprob")
    shared: dict[str, Any] = {
        "item": option_name(record["instance_id"]),
        "question": "",
        "kind": ANSWER,
        "label": right if right in (0.0, 1.0) else None,
        "tags": {"trial": option_name(record.get("train_trial_index", 0))},
    }
    if confidence is None:
        return Answer(missing=Missing.NO_PROBABILITIES, detail=NO_MAX_PROB, **shared)
    if confidence == 1.0 and logprob == 0.0:
        return Answer(missing=Missing.NO_PROBABILITIES, detail=NO_LOGPROBS, **shared)
    return Answer(probabilities=(confidence,), **shared)


def _of_request(record: dict[str, Any]) -> Answer:
    instance, result, request = record["instance"], record["result"], record["request"]
    result = result if isinstance(result, dict) else {}
    completions = result.get("completions")
    first = completions[0] if isinstance(completions, list) and completions else None
    model = request.get("model")
    shared: dict[str, Any] = {
        "item": option_name(instance.get("id", "")),
        "question": "",
        "kind": ANSWER,
        "model_served": model if isinstance(model, str) else None,
    }
    if not isinstance(first, dict) or result.get("success") is False:
        return Answer(missing=Missing.FAILED, detail=str(result.get("error", ""))[:200], **shared)
    label = _right(instance, record.get("output_mapping"), str(first.get("text", "")).strip())
    logprob, tokens = first.get("logprob"), first.get("tokens")
    tokens = tokens if isinstance(tokens, list) else []
    every = [token.get("logprob") for token in tokens if isinstance(token, dict)]
    if not isinstance(logprob, int | float) or all(one == 0 for one in (logprob, *every)):
        return Answer(label=label, missing=Missing.NO_PROBABILITIES, detail=NO_LOGPROBS, **shared)
    return Answer(label=label, probabilities=(math.exp(min(logprob, 0.0)),), **shared)


def _right(instance: dict[str, Any], mapping: Any, text: str) -> bool | None:
    """True if the text, or the option whose letter it is, is a correct reference."""
    references = instance.get("references")
    if not isinstance(references, list):
        return None
    if isinstance(mapping, dict):
        text = str(mapping.get(text, text))
    correct = [
        str(one["output"].get("text", "")).strip()
        for one in references
        if isinstance(one, dict) and isinstance(one.get("output"), dict) and _is_correct(one.get("tags"))
    ]
    return text.strip() in correct if correct else None


def _is_correct(tags: Any) -> bool:
    return isinstance(tags, list) and "correct" in tags
