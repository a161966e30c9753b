"""Gemini Decisions: System One's answers to an `input`, yes/no clipped to [0.01, 0.99], and no `model` in the response.

A blocked input has no answers at all, only `prompt_feedback`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.answer import Missing
from calibrant.io.decisions.exchange import unwrap
from calibrant.io.decisions.shapes.failures import missing_for_all
from calibrant.io.decisions.shapes.system_one import answers_of_map

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer

__all__ = ["answers", "recognises"]


def recognises(record: dict[str, Any]) -> bool:
    """Blocked feedback in the response, or a map of questions about an `input`, answered in a map."""
    request, response = record.get("request"), record.get("response")
    if not isinstance(response, dict):
        return isinstance(record.get("prompt_feedback"), dict)
    if isinstance(response.get("prompt_feedback"), dict):
        return True
    return (
        isinstance(request, dict)
        and "input" in request
        and isinstance(request.get("questions"), dict)
        and isinstance(response.get("answers"), dict)
    )


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """Answers as in System One; a blocked input gives one `blocked` answer for each question asked."""
    exchange = unwrap(record)
    feedback = exchange.response.get("prompt_feedback")
    if exchange.answers is None and isinstance(feedback, dict):
        return missing_for_all(exchange, Missing.BLOCKED, str(feedback.get("block_reason", "")))
    return answers_of_map(exchange)
