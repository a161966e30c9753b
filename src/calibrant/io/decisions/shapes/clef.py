"""Cloudflare's envelope {result, success, errors, messages} around System One (Clef); four decimals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.exchange import unwrap
from calibrant.io.decisions.shapes.system_one import answers_of_map

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer

__all__ = ["answers", "recognises"]


def recognises(record: dict[str, Any]) -> bool:
    """An envelope with a result that has a map of answers."""
    response = record.get("response")
    body = response if isinstance(response, dict) else record
    result = body.get("result")
    return "success" in body and isinstance(result, dict) and isinstance(result.get("answers"), dict)


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """The answers inside the envelope."""
    return answers_of_map(unwrap(record))
