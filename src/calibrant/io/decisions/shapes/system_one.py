"""System One: a map of questions in, a map of answers out; types noul, choice and score.

Spoken by TypeSafe, llama.cpp, vLLM, Ollama, OpenRouter, Perplexity, sparrow and many gateways. They differ in what
is optional: OpenRouter may leave probabilities out, vLLM gives yes/no a distribution and adds `diagnostics`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.answer import CHOICE, SCORE, YES_NO, MalformedError, Missing, chance, chances, option_name
from calibrant.io.decisions.exchange import unwrap, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer
    from calibrant.io.decisions.exchange import Exchange

__all__ = ["answer_of", "answers", "answers_of_map", "label_mass", "options_of", "recognises"]

UNTYPED = frozenset(("noul", "probabilities", "uncertain"))
KINDS = {"noul": YES_NO, "choice": CHOICE, "score": SCORE}


def recognises(record: dict[str, Any]) -> bool:
    """A map of answers, one of them an object with a type, known or not, or with the parts of an answer."""
    found = unwrap_answers(record)
    return isinstance(found, dict) and any(
        isinstance(body, dict) and (isinstance(body.get("type"), str) or not UNTYPED.isdisjoint(body))
        for body in found.values()
    )


def unwrap_answers(record: dict[str, Any]) -> Any:
    """The `answers` of the record's response, without further work."""
    response = record.get("response")
    if not isinstance(response, dict):
        response = record.get("output")
    return response.get("answers") if isinstance(response, dict) else record.get("answers")


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """One answer for every question asked, and for every one answered."""
    return answers_of_map(unwrap(record))


def answers_of_map(exchange: Exchange) -> Iterator[Answer]:
    """The answers of a map; a question that was asked and has no answer is `omitted`."""
    found = exchange.answers if isinstance(exchange.answers, dict) else {}
    asked = exchange.asked if isinstance(exchange.asked, dict) else {}
    only = len(found) <= 1 and len(asked) <= 1
    for name, question in asked.items():
        if name not in found:
            kind = _kind({}, question if isinstance(question, dict) else None)
            yield exchange.missing(name, kind, Missing.OMITTED, label=exchange.label_of(name, only=only))
    for name, body in found.items():
        question = asked.get(name)
        label = exchange.label_of(name, only=only)
        try:
            yield answer_of(exchange, name, question if isinstance(question, dict) else {}, body, label)
        except MalformedError as wrong:
            yield exchange.missing(name, _kind(body, question), Missing.MALFORMED, str(wrong), label=label)


def answer_of(exchange: Exchange, name: str, question: dict[str, Any], body: Any, label: Any) -> Answer:
    """One answer of System One.

    Raises:
        MalformedError: if a part of it has the wrong type.
    """
    if not isinstance(body, dict):
        raise MalformedError("the answer should be an object")
    kind = _kind(body, question)
    if kind == YES_NO:
        fields = _yes_no(body)
    elif kind == CHOICE:
        fields = _choice(body, question)
    elif kind == SCORE:
        fields = _score(body, question)
    elif kind == "other:refusal":
        return exchange.missing(name, _kind({}, question), Missing.REFUSED, _words(body), label=label)
    elif body.get("uncertain") is True:
        return exchange.missing(name, _kind({}, question), Missing.UNCERTAIN, label=label)
    elif "error" in body:
        return exchange.missing(name, _kind({}, question), Missing.FAILED, _words(body), label=label)
    else:
        return exchange.answer(name, kind, label=label)
    reported = body.get("confidence")
    return exchange.answer(
        name,
        kind,
        label=label,
        reported_confidence=None if reported is None else chance(reported, "confidence"),
        label_mass=label_mass(exchange, name, body),
        asks=words_of(question.get("instructions")),
        request_key=exchange.key(name, question.get("instructions"), fields["options"]),
        **fields,
    )


def label_mass(exchange: Exchange, name: str, body: dict[str, Any]) -> float | None:
    """The share of probability that fell on the options, wherever the server puts it."""
    value = body.get("label_mass", body.get("x_label_mass", body.get("option_mass")))
    if value is None:
        diagnostics = exchange.response.get("diagnostics")
        mine = diagnostics.get(name) if isinstance(diagnostics, dict) else None
        value = mine.get("label_mass") if isinstance(mine, dict) else None
    return None if value is None else chance(value, "label_mass")


def _kind(body: Any, question: Any) -> str:
    name = body.get("type") if isinstance(body, dict) else None
    if name is None and isinstance(question, dict):
        name = question.get("type")
    if name is None and isinstance(body, dict):
        name = next((one for one in KINDS if one in body), None)
    if name is None:
        return CHOICE if isinstance(body, dict) and "probabilities" in body else "other:untyped"
    return KINDS.get(name, f"other:{name[:40]}") if isinstance(name, str) else "other:untyped"


def _yes_no(body: dict[str, Any]) -> dict[str, Any]:
    value = body.get("noul")
    if value is None and isinstance(body.get("probabilities"), dict):
        value = chances(body["probabilities"], ("no", "yes"))[1]
    if value is None:
        return {"options": ("no", "yes"), "missing": Missing.NO_PROBABILITIES}
    yes = chance(value, "noul")
    return {"options": ("no", "yes"), "probabilities": (1.0 - yes, yes), "chosen": "yes" if yes >= 0.5 else "no"}


def options_of(kind: str, question: dict[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Options and texts of the levels as a question defines them; no options when it does not.

    Example:
        >>> options_of("score", {"criteria": ["calm", "angry"]})
        (('0', '1'), ('calm', 'angry'))
    """
    asked = question.get("criteria")
    if kind == YES_NO:
        return ("no", "yes"), ()
    if kind == SCORE and isinstance(asked, list):
        return tuple([str(level) for level in range(len(asked))]), tuple([option_name(one) for one in asked])
    if kind == CHOICE and isinstance(asked, dict | list):
        return tuple([option_name(one) for one in asked]), ()
    return (), ()


def _choice(body: dict[str, Any], question: dict[str, Any]) -> dict[str, Any]:
    found = body.get("probabilities")
    options, _ = options_of(CHOICE, question)
    options = options or (tuple(found) if isinstance(found, dict) else ())
    chosen = body.get("choice")
    fields: dict[str, Any] = {"options": options, "chosen": None if chosen is None else option_name(chosen)}
    if found is None:
        return fields | {"missing": Missing.NO_PROBABILITIES}
    fields["probabilities"] = chances(found, options)
    return fields


def _score(body: dict[str, Any], question: dict[str, Any]) -> dict[str, Any]:
    found, legend = body.get("probabilities"), body.get("legend")
    options, texts = options_of(SCORE, question)
    if not options:
        if isinstance(legend, dict):
            texts = tuple([option_name(legend.get(str(level), level)) for level in range(len(legend))])
        levels = len(texts) or (len(found) if isinstance(found, dict) else 0)
        options = tuple([str(level) for level in range(levels)])
    fields: dict[str, Any] = {"options": options, "legend": texts}
    if found is None:
        return fields | {"missing": Missing.NO_PROBABILITIES}
    fields["probabilities"] = chances(found, options)
    return fields


def _words(body: dict[str, Any]) -> str:
    for name in ("reason", "message", "error"):
        if isinstance(body.get(name), str):
            return str(body[name])
    return ""
