"""Failures: an HTTP error, an `error` body or `success: false` in place of answers. They count; they never crash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.answer import CHOICE, SCORE, YES_NO, Missing
from calibrant.io.decisions.exchange import unwrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer
    from calibrant.io.decisions.exchange import Exchange

__all__ = ["answers", "missing_for_all", "recognises"]

KINDS = {"noul": YES_NO, "predicate": YES_NO, "yes_no": YES_NO, "choice": CHOICE, "score": SCORE}
HTTP_ERROR = 400


def recognises(record: dict[str, Any]) -> bool:
    """No answers, and an error in the response, in the record, or in the status, beside a request or a response."""
    response = record.get("response", record.get("body"))
    if not isinstance(response, dict) and not isinstance(record.get("request"), dict):
        return False  # a table may have columns named error or status
    body = response if isinstance(response, dict) else record
    if "answers" in body or "answers" in record:
        return False
    failed = any(body.get(name) for name in ("error", "errors", "detail")) or body.get("success") is False
    return failed or bool(record.get("error")) or _status(record) >= HTTP_ERROR


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """One `failed` answer for each question asked."""
    response = record.get("response", record.get("body"))
    body = response if isinstance(response, dict) else record
    status = _status(record)
    words = _words(body) or _words(record)
    detail = f"HTTP {status} {words}".strip() if status else words
    return missing_for_all(unwrap({**record, "response": body}), Missing.FAILED, detail)


def missing_for_all(exchange: Exchange, code: str, detail: str) -> Iterator[Answer]:
    """One answer without probabilities for every question asked; one in all when the questions are unknown."""
    asked = exchange.asked
    if isinstance(asked, dict):
        named = list(asked.items())
    elif isinstance(asked, list):
        named = [
            (str(one.get("name") or one.get("id") or one.get("instructions") or f"question {place + 1}")[:80], one)
            for place, one in enumerate(asked)
            if isinstance(one, dict)
        ]
    else:
        named = []
    for name, question in named or [("(all)", {})]:
        asked_type = question.get("type") if isinstance(question, dict) else None
        kind = KINDS.get(asked_type, CHOICE) if isinstance(asked_type, str) else CHOICE
        yield exchange.missing(name, kind, code, detail, label=exchange.label_of(name, only=len(named) <= 1))


def _status(record: dict[str, Any]) -> int:
    status = record.get("status", record.get("status_code"))
    return status if isinstance(status, int) else 0


def _words(body: dict[str, Any]) -> str:
    """The service's own words, from the few places where services put them."""
    for name in ("detail", "error", "errors"):
        found = body.get(name)
        if isinstance(found, list) and found:
            found = found[0]
        if isinstance(found, dict):
            parts = [found.get(key) for key in ("error_type", "type", "code", "message", "msg")]
            return " ".join(str(part) for part in parts if part is not None)
        if found:
            return str(found)
    return ""
