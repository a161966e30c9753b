"""Stated confidences with their provenance: {"confidence": 0.9, "source": "fallback", "correct": 1}.

A default that a program fills in when the model says nothing is no confidence; it is counted and never scored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.answer import ANSWER, Answer, MalformedError, Missing, chance, option_name

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["answers", "recognises"]

SOURCES = ("source", "provenance", "confidence_source")
FALLBACKS = ("fallback", "default", "constant", "imputed")
RIGHT = ("correct", "outcome", "is_correct")


def recognises(record: dict[str, Any]) -> bool:
    """A confidence, right or wrong, and where the confidence came from."""
    return (
        "confidence" in record
        and any(name in record for name in RIGHT)
        and any(isinstance(record.get(name), str) for name in SOURCES)
        and "answers" not in record
    )


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """One answer; a fallback has no probability."""
    source = next(str(record[name]) for name in SOURCES if isinstance(record.get(name), str))
    model = record.get("model")
    shared: dict[str, Any] = {
        "item": option_name(record.get("id", "")),
        "question": option_name(record.get("question", record.get("task", ""))),
        "kind": ANSWER,
        "label": next((record[name] for name in RIGHT if name in record), None),
        "model_served": model if isinstance(model, str) else None,
        "tags": {"source": source},
    }
    if source.strip().lower() in FALLBACKS:
        yield Answer(missing=Missing.FALLBACK, detail=source, **shared)
        return
    if record["confidence"] is None:
        yield Answer(missing=Missing.NO_PROBABILITIES, **shared)
        return
    try:
        yield Answer(probabilities=(chance(record["confidence"], "confidence"),), **shared)
    except MalformedError as wrong:
        yield Answer(missing=Missing.MALFORMED, detail=str(wrong), **shared)
