"""Documents: the records inside one JSON value, as exporters nest them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.evals.inspect_log import inspect_records, is_inspect

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["records_of_document"]

LISTS = ("spans", "traces", "records", "rows", "data", "items", "exchanges", "results", "request_states")


def records_of_document(document: Any) -> Iterator[dict[str, Any]]:
    """Every record in a document: a list's elements, OTLP's nested spans, or the one list that wraps them.

    Objects that are a record themselves come out as they are.

    Example:
        >>> list(records_of_document({"spans": [{"attributes": {}}]}))
        [{'attributes': {}}]
    """
    if isinstance(document, list):
        for one in document:
            yield from records_of_document(one) if isinstance(one, dict | list) else ()
        return
    if not isinstance(document, dict):
        return
    if isinstance(document.get("resourceSpans"), list):
        yield from _otlp(document["resourceSpans"])
        return
    if is_inspect(document):
        yield from inspect_records(document)
        return
    if isinstance(document.get("record"), dict) and not {"answers", "response"} & set(document):
        yield document["record"]
        return
    if isinstance(document.get("span"), dict):
        yield document["span"]
        return
    if not {"answers", "response", "answer", "attributes", "output"} & set(document):
        for name in LISTS:
            inner = document.get(name)
            if isinstance(inner, list) and inner and all(isinstance(one, dict) for one in inner):
                yield from records_of_document(inner)
                return
    yield document


def _otlp(resources: list[Any]) -> Iterator[dict[str, Any]]:
    for resource in resources:
        scopes = resource.get("scopeSpans") if isinstance(resource, dict) else None
        for scope in scopes if isinstance(scopes, list) else []:
            spans = scope.get("spans") if isinstance(scope, dict) else None
            for span in spans if isinstance(spans, list) else []:
                if isinstance(span, dict):
                    yield span
