"""Inspect AI logs: samples with scores; probabilities only where a scorer stored them.

A scorer may keep them in a score's metadata: `probabilities` (by option, or in the order of the choices), or a number
`confidence` or `probability` for the answer given. Nothing else in the log is a probability.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.answer import ANSWER, CHOICE, Answer, MalformedError, Missing, chance, chances, option_name

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["answers", "inspect_records", "is_inspect", "recognises"]

DISTRIBUTIONS = ("probabilities", "probs", "choice_probabilities", "option_probs")
NUMBERS = ("confidence", "probability", "p")
RIGHT = {"C": True, "I": False}
NONE_STORED = "no scorer stored a probability; store one in Score(metadata={'confidence': …})"


def is_inspect(document: dict[str, Any]) -> bool:
    """True for a whole log: the evaluation and its samples."""
    return isinstance(document.get("eval"), dict) and ("samples" in document or "plan" in document)


def inspect_records(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One record for each sample, with the task and the model of the evaluation."""
    spec = document["eval"]
    samples = document.get("samples")
    for sample in samples if isinstance(samples, list) else []:
        if isinstance(sample, dict):
            yield {"inspect_sample": sample, "task": spec.get("task"), "model": spec.get("model")}


def recognises(record: dict[str, Any]) -> bool:
    """A sample as `inspect_records` gives it."""
    return isinstance(record.get("inspect_sample"), dict)


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """One answer for each score of the sample; one without probabilities when nothing was scored."""
    sample = record["inspect_sample"]
    task, model = option_name(record.get("task") or "task"), record.get("model")
    epoch = sample.get("epoch", 1)
    shared: dict[str, Any] = {
        "item": option_name(sample.get("id", "")),
        "model_served": model if isinstance(model, str) else None,
        "tags": {"epoch": option_name(epoch)},
        "state": sample.get("input"),
    }
    scores = sample.get("scores")
    scores = scores if isinstance(scores, dict) else {}
    if not scores:
        words = sample.get("error")
        detail = str(words.get("message", ""))[:200] if isinstance(words, dict) else "the sample has no score"
        yield Answer(question=task, kind=ANSWER, missing=Missing.FAILED, detail=detail, **shared)
    for name, score in scores.items():
        question = task if len(scores) == 1 else f"{task}/{name}"
        try:
            fields = _fields(sample, score if isinstance(score, dict) else {})
        except MalformedError as wrong:
            fields = {"kind": ANSWER, "missing": Missing.MALFORMED, "detail": str(wrong)}
        yield Answer(question=question, **fields, **shared)


def _fields(sample: dict[str, Any], score: dict[str, Any]) -> dict[str, Any]:
    stored = score.get("metadata")
    stored = stored if isinstance(stored, dict) else {}
    found = next((stored[name] for name in DISTRIBUTIONS if stored.get(name) is not None), None)
    if found is not None:
        return _distribution(sample, found)
    number = next((stored[name] for name in NUMBERS if stored.get(name) is not None), None)
    right = _right(score.get("value"))
    if number is None:
        return {"kind": ANSWER, "label": right, "missing": Missing.NO_PROBABILITIES, "detail": NONE_STORED}
    return {"kind": ANSWER, "probabilities": (chance(number, "confidence"),), "label": right}


def _distribution(sample: dict[str, Any], found: Any) -> dict[str, Any]:
    letters = tuple(chr(ord("A") + place) for place in range(26))
    if isinstance(found, list):
        options = letters[: len(found)]
        shares = tuple(chance(one, "probabilities") for one in found)
    elif isinstance(found, dict):
        options = tuple(found)
        shares = chances(found, options)
    else:
        raise MalformedError("`probabilities` should be an object or a list")
    if not options:
        raise MalformedError("`probabilities` is empty")
    target = sample.get("target")
    if isinstance(target, list):
        target = target[0] if len(target) == 1 else None
    texts = sample.get("choices")
    if isinstance(texts, list) and target in texts and target not in options:
        target = letters[texts.index(target)]
    return {"kind": CHOICE, "options": options, "probabilities": shares, "label": target, "own_options": True}


def _right(value: Any) -> Any:
    if isinstance(value, str):
        return RIGHT.get(value)
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    return None
