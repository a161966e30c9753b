"""SGLang's /v1/decisions: a list of questions with ids in, a map of answers out; types yes_no, choice and score.

Every answer has its `label_mass` and none has a `confidence`. The server's /v1/systemone is System One.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.answer import CHOICE, SCORE, YES_NO, MalformedError, Missing, chances, option_name, shown
from calibrant.io.decisions.exchange import unwrap, words_of
from calibrant.io.decisions.shapes.system_one import label_mass, unwrap_answers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer
    from calibrant.io.decisions.exchange import Exchange

__all__ = ["answers", "recognises"]

KINDS = {"yes_no": YES_NO, "choice": CHOICE, "score": SCORE}


def recognises(record: dict[str, Any]) -> bool:
    """A map of answers with a type yes_no, or to a list of questions with ids, or marked as `decisions`."""
    found = unwrap_answers(record)
    if not isinstance(found, dict):
        return False
    response, request = record.get("response"), record.get("request")
    if (response if isinstance(response, dict) else record).get("object") == "decisions":
        return True
    asked = (request if isinstance(request, dict) else record).get("questions")
    if isinstance(asked, list) and any(isinstance(one, dict) and "id" in one for one in asked):
        return True
    return any(isinstance(body, dict) and body.get("type") == "yes_no" for body in found.values())


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """One answer for every question asked, and for every one answered."""
    exchange = unwrap(record)
    found = exchange.answers if isinstance(exchange.answers, dict) else {}
    listed = exchange.asked if isinstance(exchange.asked, list) else []
    asked = {option_name(one["id"]): one for one in listed if isinstance(one, dict) and "id" in one}
    only = len(found) <= 1 and len(asked) <= 1
    for name in {**asked, **found}:
        question, label = asked.get(name, {}), exchange.label_of(name, only=only)
        body = found.get(name)
        kind = _kind(body, question)
        if body is None:
            yield exchange.missing(name, kind, Missing.OMITTED, label=label)
            continue
        try:
            yield _answer(exchange, name, question, body, kind, label)
        except MalformedError as wrong:
            yield exchange.missing(name, kind, Missing.MALFORMED, str(wrong), label=label)


def _kind(body: Any, question: dict[str, Any]) -> str:
    name = body.get("type") if isinstance(body, dict) else None
    name = question.get("type") if name is None else name
    return KINDS.get(name) or f"other:{name[:40]}" if isinstance(name, str) else "other:untyped"


def _answer(exchange: Exchange, name: str, question: dict[str, Any], body: Any, kind: str, label: Any) -> Answer:
    if not isinstance(body, dict):
        raise MalformedError(f"the answer should be an object, found {shown(body)}")
    if kind not in (YES_NO, CHOICE, SCORE):
        return exchange.answer(name, kind, label=label)
    found = body.get("probabilities")
    options, legend = _options(kind, question, found)
    chosen = body.get("choice")
    return exchange.answer(
        name,
        kind,
        options=options,
        legend=legend,
        probabilities=None if found is None else chances(found, options),
        missing=Missing.NO_PROBABILITIES if found is None else None,
        chosen=None if chosen is None else option_name(chosen),
        label=label,
        label_mass=label_mass(exchange, name, body),
        asks=words_of(question.get("question")),
        request_key=exchange.key(name, question.get("question"), options),
    )


def _options(kind: str, question: dict[str, Any], found: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if kind == YES_NO:
        return ("no", "yes"), ()
    listed = question.get("options" if kind == CHOICE else "levels")
    names = (
        tuple(option_name(one.get("name") if isinstance(one, dict) else one) for one in listed)
        if isinstance(listed, list)
        else ()
    )
    given = tuple(found) if isinstance(found, dict) else ()
    if kind == CHOICE:
        return names or given, ()
    return tuple(str(level) for level in range(len(names) or len(given))), names
