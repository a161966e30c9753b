"""Exchange: the request, the response and what the log says around them, found in any record.

Every wire reader starts from this, so that a log writer may nest the two as it likes:
{"request": …, "response": …}, a bare response, or a response with its request's fields beside it.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgspec

from calibrant.io.decisions.answer import Answer, option_name

__all__ = ["ITEM_FIELDS", "TAG_FIELDS", "Exchange", "item_of_state", "state_key", "tags_of", "unwrap", "words_of"]

ITEM_FIELDS = ("id", "item_id", "item", "custom_id", "example_id", "doc_id", "instance_id", "request_id")
LABEL_FIELDS = ("labels", "label", "gold", "truth", "expected")
TIME_FIELDS = ("ts", "time", "timestamp", "created_at", "created")
TAG_FIELDS = ("split", "dataset", "generator", "provider", "environment", "release")


class Exchange(msgspec.Struct, gc=False):
    """One request and its response.

    Attributes:
        request: the request's body; empty when the log has none.
        response: the response's body, taken out of envelopes.
        asked: the questions of the request, as they are (an object or a list), or None.
        answers: the answers of the response, as they are, or None.
        item: id of the item.
        labels: the right answers, as they are: by question, in order, or one value.
        state_key: equal for equal states within one run of the program, or None.
        model_asked: name in the request, or None.
        model_served: name in the response, or None.
        time: when it was answered, as written.
        tags: further columns to slice by.
        state: what was asked about, as decoded.
    """

    request: dict[str, Any]
    response: dict[str, Any]
    asked: Any
    answers: Any
    item: str
    labels: Any
    state_key: int | None
    model_asked: str | None
    model_served: str | None
    time: str | None
    tags: dict[str, str]
    state: Any

    def key(self, question: str, instructions: Any, options: tuple[str, ...]) -> int | None:
        """The request key of one question: the same state, words and options give the same key."""
        if self.state_key is None:
            return None
        return hash((self.state_key, question, words_of(instructions), options))

    def label_of(self, question: str, place: int = 0, only: bool = False) -> Any:
        """The label of a question, by name, by place, or the only one."""
        labels = self.labels
        if isinstance(labels, dict):
            return labels.get(question)
        if isinstance(labels, list):
            return labels[place] if place < len(labels) else None
        return labels if only else None

    def answer(
        self,
        question: str,
        kind: str,
        *,
        options: tuple[str, ...] = (),
        probabilities: tuple[float, ...] | None = None,
        legend: tuple[str, ...] = (),
        asks: str = "",
        chosen: str | None = None,
        label: Any = None,
        reported_confidence: float | None = None,
        label_mass: float | None = None,
        missing: str | None = None,
        request_key: int | None = None,
    ) -> Answer:
        """An answer with the fields that are common to the exchange filled in."""
        return Answer(  # by place: keywords cost several times as much, and this line runs for every answer
            self.item,
            question,
            kind,
            options,
            probabilities,
            legend,
            asks,
            chosen,
            label,
            self.model_asked,
            self.model_served,
            reported_confidence,
            label_mass,
            missing,
            "",
            self.time,
            self.tags,
            self.state,
            request_key,
        )

    def missing(self, question: str, kind: str, code: str, detail: str = "", label: Any = None) -> Answer:
        """An answer without probabilities, for a stated reason."""
        answer = self.answer(question, kind, label=label, missing=code)
        return msgspec.structs.replace(answer, detail=detail[:200]) if detail else answer


def words_of(instructions: Any) -> str:
    """The question in words; nothing when they are not text."""
    return instructions if isinstance(instructions, str) else ""


def item_of_state(state: Any) -> str:
    """A short stable name for an item that has no id: a digest of its text.

    Example:
        >>> item_of_state("charged twice")
        'state:931913d721cf'
    """
    text = state.encode("utf-8", "surrogatepass") if isinstance(state, str) else msgspec.json.encode(state)
    return "state:" + blake2b(text, digest_size=6).hexdigest()


def unwrap(record: dict[str, Any]) -> Exchange:
    """The exchange in a record.

    The request is `request` (or `input` when that is an object with questions), else the record itself; the response
    is `response` (or `output`), else the record itself.
    """
    request, response = record.get("request"), record.get("response")
    if not isinstance(request, dict):
        inner = record.get("input")
        request = inner if isinstance(inner, dict) and "questions" in inner else record
    if not isinstance(response, dict):
        inner = record.get("output")
        response = inner if isinstance(inner, dict) else record
    envelope = response.get("result")
    if isinstance(envelope, dict) and "answers" not in response:
        response = envelope
    state = request.get("state")
    if state is None:
        state = request.get("input")
    served = response.get("model")
    asked = None if request is response else request.get("model")
    if response is record and request is not record:
        served = record.get("model", record.get("model_served"))
    return Exchange(
        request,
        response,
        request.get("questions"),
        response.get("answers"),
        _item(record, response, state),
        _labels(record),
        state_key(state),
        asked if isinstance(asked, str) else None,
        served if isinstance(served, str) else None,
        _first(record, TIME_FIELDS),
        tags_of(record),
        state,
    )


def _item(record: dict[str, Any], response: dict[str, Any], state: Any) -> str:
    for name in ITEM_FIELDS:
        value = record.get(name)
        if value is not None:
            return option_name(value)
    if state is not None:
        return item_of_state(state)
    value = response.get("id")
    return "" if value is None else option_name(value)


def state_key(state: Any) -> int | None:
    """A number that is equal for equal states within one run of the program."""
    if state is None:
        return None
    return hash(state) if isinstance(state, str) else hash(msgspec.json.encode(state))


def _labels(record: dict[str, Any]) -> Any:
    for name in LABEL_FIELDS:
        value = record.get(name)
        if value is not None:
            return value
    return None


def _first(record: dict[str, Any], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = record.get(name)
        if value is not None and not isinstance(value, dict | list):
            return str(value)
    return None


def tags_of(record: dict[str, Any]) -> dict[str, str]:
    """The columns that a record can be sliced by: a few named fields, and its tags."""
    tags = {name: record[name] for name in TAG_FIELDS if isinstance(record.get(name), str)}
    named = record.get("tags")
    if isinstance(named, dict):
        tags |= {str(name): option_name(value) for name, value in named.items() if not isinstance(value, dict | list)}
    elif isinstance(named, list) and named:
        tags["tags"] = ",".join(str(tag) for tag in named)
    return tags
