"""OpenInference DECISION spans: the raw request and response are JSON strings inside the attributes.

The attributes may be flat ("input.value"), nested ({"input": {"value": …}}), columns of a table
("attributes.input.value", as Phoenix exports), or an OTLP list of {key, value}. The labels that people give in Phoenix
are annotations and come as a separate file: join them with --truth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from calibrant.io.decisions.answer import CHOICE, Answer, Missing, option_name
from calibrant.io.decisions.wires import wire_answers

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["answers", "attributes", "recognises", "span_item"]

ITEM_KEYS = ("decision.item_id", "metadata.item_id", "session.id")


def recognises(record: dict[str, Any]) -> bool:
    """A span of kind DECISION, or one with a decision's attributes and a response."""
    found = attributes(record)
    if found is None:
        return False
    if found.get("openinference.span.kind") == "DECISION" or record.get("span_kind") == "DECISION":
        return True
    return any(key.startswith("decision.") for key in found) and "output.value" in found


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """The exchange inside the span. A span without a readable response counts as one `failed` answer."""
    found = attributes(record) or {}
    request, response = _body(found.get("input.value")), _body(found.get("output.value"))
    asked, served = found.get("decision.request.model_name"), found.get("decision.response.model_name")
    if request is not None and "model" not in request and isinstance(asked, str):
        request = {**request, "model": asked}
    if response is not None and "model" not in response and isinstance(served, str):
        response = {**response, "model": served}
    exchange = {
        "id": span_item(record, found),
        "ts": record.get("start_time", record.get("startTimeUnixNano")),
        "provider": found.get("decision.provider"),
        "labels": record.get("labels", record.get("label")),
        "request": request or {},
        "response": response or {},
    }
    known = wire_answers(exchange) if response is not None else None
    if known is not None:
        return known
    return iter((_unreadable(exchange, found, asked, served),))


def attributes(record: dict[str, Any]) -> dict[str, Any] | None:
    """The attributes of a span under dotted names, or None if the record is no span.

    Example:
        >>> attributes({"attributes": {"input": {"value": "{}"}}})
        {'input.value': '{}'}
    """
    found = record.get("attributes")
    if isinstance(found, list):
        listed = [one for one in found if isinstance(one, dict) and "key" in one]
        return {str(one["key"]): _otlp_value(one.get("value")) for one in listed}
    if isinstance(found, dict):
        return dict(_flat(found, ""))
    start = "attributes."
    columns = {key[len(start) :]: value for key, value in record.items() if key.startswith(start)}
    return dict(_flat(columns, "")) if columns else None


def span_item(record: dict[str, Any], found: dict[str, Any]) -> str | None:
    """An id given in the attributes, else the span's own id."""
    for key in ITEM_KEYS:
        if isinstance(found.get(key), str):
            return str(found[key])
    context = record.get("context")
    own = record.get("span_id", record.get("spanId", record.get("context.span_id")))
    if own is None and isinstance(context, dict):
        own = context.get("span_id")
    return None if own is None else option_name(own)


def _flat(found: dict[str, Any], start: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    for key, value in found.items():
        if isinstance(value, dict) and depth < 8:
            yield from _flat(value, f"{start}{key}.", depth + 1)
        else:
            yield f"{start}{key}", value


def _otlp_value(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return next((one for key, one in value.items() if key.endswith("Value")), None)


def _body(text: Any) -> dict[str, Any] | None:
    if isinstance(text, dict):
        return text
    if not isinstance(text, str):
        return None
    try:
        body = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _unreadable(exchange: dict[str, Any], found: dict[str, Any], asked: Any, served: Any) -> Answer:
    status = found.get("exception.message") or "no response in a known shape"
    return Answer(
        item=exchange["id"] or "",
        question="(all)",
        kind=CHOICE,
        missing=Missing.FAILED,
        detail=str(status)[:200],
        model_asked=asked if isinstance(asked, str) else None,
        model_served=served if isinstance(served, str) else None,
    )
