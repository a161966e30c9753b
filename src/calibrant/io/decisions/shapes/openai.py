"""OpenAI Decisions (also Fireworks' /v1/decisions): a list of questions in, a list of answers out, in order.

Names may be absent, an answer may be a refusal, and an option may be true or false, which are not the words "true"
and "false".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.answer import CHOICE, SCORE, YES_NO, MalformedError, Missing, chance, option_name, shown
from calibrant.io.decisions.exchange import unwrap, words_of
from calibrant.io.decisions.shapes.system_one import unwrap_answers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer
    from calibrant.io.decisions.exchange import Exchange

__all__ = ["answers", "option_names", "recognises"]

KINDS = {"predicate": YES_NO, "choice": CHOICE, "score": SCORE}
NAME_LENGTH = 80


def recognises(record: dict[str, Any]) -> bool:
    """A list of answers, each an object with a type."""
    found = unwrap_answers(record)
    return isinstance(found, list) and any(isinstance(body, dict) and "type" in body for body in found)


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """One answer for each place in the list of questions or of answers."""
    exchange = unwrap(record)
    found = exchange.answers
    asked = exchange.asked if isinstance(exchange.asked, list) else []
    for place in range(max(len(found), len(asked))):
        question = asked[place] if place < len(asked) and isinstance(asked[place], dict) else {}
        body = found[place] if place < len(found) else None
        name = _name(question, body, place)
        label = exchange.label_of(name, place, only=len(found) == 1)
        if body is None:
            yield exchange.missing(name, _kind({}, question), Missing.OMITTED, label=label)
            continue
        try:
            yield _answer(exchange, name, question, body, label)
        except MalformedError as wrong:
            yield exchange.missing(name, _kind(body, question), Missing.MALFORMED, str(wrong), label=label)


def option_names(values: list[Any]) -> tuple[str, ...]:
    """Names of options, apart even where a boolean and its word both occur.

    Example:
        >>> option_names(["refunds", True]), option_names(["true", True])
        (('refunds', 'true'), ('true', 'true (boolean)'))
    """
    words = {value for value in values if isinstance(value, str)}
    return tuple(
        f"{option_name(value)} (boolean)"
        if isinstance(value, bool) and option_name(value) in words
        else option_name(value)
        for value in values
    )


def _name(question: dict[str, Any], body: Any, place: int) -> str:
    """The question's name; without one its words, since a place in the list means nothing in another request."""
    for value in (question.get("name"), body.get("name") if isinstance(body, dict) else None):
        if isinstance(value, str) and value:
            return value
    words = question.get("instructions")
    return words[:NAME_LENGTH] if isinstance(words, str) and words else f"question {place + 1}"


def _kind(body: Any, question: dict[str, Any]) -> str:
    name = body.get("type") if isinstance(body, dict) else None
    if name in (None, "refusal"):
        name = question.get("type", "choice")
    return KINDS.get(name) or f"other:{option_name(name)[:40]}" if isinstance(name, str) else "other:untyped"


def _answer(exchange: Exchange, name: str, question: dict[str, Any], body: Any, label: Any) -> Answer:
    if not isinstance(body, dict):
        raise MalformedError(f"the answer should be an object, found {shown(body)}")
    kind = _kind(body, question)
    if body.get("type") == "refusal":
        return exchange.missing(name, kind, Missing.REFUSED, label=label)
    if kind == YES_NO:
        fields = _predicate(body)
    elif kind == CHOICE:
        fields = _choice(body, question)
        label = _boolean_label(label, question, fields["options"])
    elif kind == SCORE:
        fields = _score(body, question)
    else:
        return exchange.answer(name, kind, label=label)
    reported = body.get("confidence")
    return exchange.answer(
        name,
        kind,
        label=label,
        reported_confidence=None if reported is None else chance(reported, "confidence"),
        asks=words_of(question.get("instructions")),
        request_key=exchange.key(name, question.get("instructions"), fields["options"]),
        **fields,
    )


def _predicate(body: dict[str, Any]) -> dict[str, Any]:
    if body.get("probability") is None:
        return {"options": ("no", "yes"), "missing": Missing.NO_PROBABILITIES}
    yes = chance(body["probability"], "probability")
    return {"options": ("no", "yes"), "probabilities": (1.0 - yes, yes)}


def _choice(body: dict[str, Any], question: dict[str, Any]) -> dict[str, Any]:
    found = _pairs(body.get("probabilities"))
    asked = question.get("choices")
    values = [one.get("value") for one in asked if isinstance(one, dict)] if isinstance(asked, list) else []
    values = values or [value for value, _ in found or []]
    options = option_names(values)
    chosen = body.get("choice")
    fields: dict[str, Any] = {"options": options, "chosen": None}
    if chosen is not None:
        fields["chosen"] = options[_place(chosen, values)] if _place(chosen, values) >= 0 else option_name(chosen)
    if found is None:
        return fields | {"missing": Missing.NO_PROBABILITIES}
    return fields | {"probabilities": _in_order(found, values)}


def _score(body: dict[str, Any], question: dict[str, Any]) -> dict[str, Any]:
    asked = question.get("levels")
    texts: list[Any] = (
        [one.get("label") if isinstance(one, dict) else one for one in asked] if isinstance(asked, list) else []
    )
    found = _pairs(body.get("probabilities"))
    if not texts and found is not None:
        texts = [one.get("label", one.get("value")) for one in body["probabilities"]]
    levels = list(range(len(texts)))
    fields: dict[str, Any] = {
        "options": tuple(str(level) for level in levels),
        "legend": tuple(option_name(text) for text in texts),
    }
    if found is None:
        return fields | {"missing": Missing.NO_PROBABILITIES}
    return fields | {"probabilities": _in_order(found, levels)}


def _pairs(found: Any) -> list[tuple[Any, float]] | None:
    if found is None:
        return None
    if not isinstance(found, list):
        raise MalformedError(f"`probabilities` should be a list, found {shown(found)}")
    pairs = []
    for one in found:
        if not isinstance(one, dict) or "value" not in one:
            raise MalformedError("`probabilities` should hold objects with `value` and `probability`")
        pairs.append((one["value"], chance(one.get("probability"), "probability")))
    return pairs


def _place(value: Any, values: list[Any]) -> int:
    """Place of a value by type and value: true is not 1 and not "true"."""
    for place, one in enumerate(values):
        if one == value and isinstance(one, bool) == isinstance(value, bool):
            return place
    return -1


def _in_order(found: list[tuple[Any, float]], values: list[Any]) -> tuple[float, ...]:
    if not found:
        raise MalformedError("`probabilities` is empty")
    if len(found) != len(values):
        raise MalformedError(f"`probabilities` has {len(found)} options, the question has {len(values)}")
    out: list[float | None] = [None] * len(values)
    for value, share in found:
        place = _place(value, values)
        if place < 0:
            raise MalformedError(f"`probabilities` has {shown(value)}, which is not one of the options asked for")
        if out[place] is not None:
            raise MalformedError(f"`probabilities` names {shown(value)} twice")
        out[place] = share
    return tuple(share for share in out if share is not None)


def _boolean_label(label: Any, question: dict[str, Any], options: tuple[str, ...]) -> Any:
    """A boolean label as the name of the boolean option."""
    asked = question.get("choices")
    if isinstance(label, bool) and isinstance(asked, list):
        place = _place(label, [one.get("value") for one in asked if isinstance(one, dict)])
        return options[place] if place >= 0 else label
    return label
