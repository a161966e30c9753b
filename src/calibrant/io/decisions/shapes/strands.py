"""Strands' OpenTelemetry spans: `gen_ai.decision.answers` as JSON, without the texts of questions and input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from calibrant.io.decisions.exchange import unwrap
from calibrant.io.decisions.shapes.spans import attributes, span_item
from calibrant.io.decisions.shapes.system_one import answers_of_map

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer

__all__ = ["answers", "recognises"]

ANSWERS, QUESTIONS = "gen_ai.decision.answers", "gen_ai.decision.questions"


def recognises(record: dict[str, Any]) -> bool:
    """A span with the attribute of decided answers."""
    found = attributes(record)
    return found is not None and (ANSWERS in found or QUESTIONS in found)


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """The answers by question; {"uncertain": true} is one without probabilities, a question without answer omitted."""
    found = attributes(record) or {}
    names, given = _json(found.get(QUESTIONS)), _json(found.get(ANSWERS))
    asked = {name: {} for name in names if isinstance(name, str)} if isinstance(names, list) else names
    exchange = {
        "id": span_item(record, found),
        "ts": record.get("start_time"),
        "labels": record.get("labels", record.get("label")),
        "request": {"questions": asked, "model": found.get("gen_ai.request.model")},
        "response": {"answers": given, "model": found.get("gen_ai.response.model")},
    }
    return answers_of_map(unwrap(exchange))


def _json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        return None
