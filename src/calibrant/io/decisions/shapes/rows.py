"""Flat rows {id, question, type, answer, label, model}: one line for each answer, the answer in a wire shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.answer import option_name
from calibrant.io.decisions.wires import wire_answers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer

__all__ = ["answers", "recognises"]


def recognises(record: dict[str, Any]) -> bool:
    """One answer object and the name of its question."""
    return isinstance(record.get("answer"), dict) and isinstance(record.get("question"), str | int)


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """The row as an exchange with one question."""
    name, body = option_name(record["question"]), record["answer"]
    kind = record.get("type", body.get("type"))
    exchange = {key: value for key, value in record.items() if key not in ("answer", "question", "type", "model")}
    asked: dict[str, Any] = {name: {"type": kind}} if kind is not None else {}
    if isinstance(record.get("criteria"), dict | list) and asked:
        asked[name]["criteria"] = record["criteria"]
    request: dict[str, Any] = {"questions": asked, "state": record.get("state")}
    if isinstance(record.get("model_requested"), str):
        request["model"] = record["model_requested"]
    if "label" in record:
        exchange["labels"] = {name: record["label"]}
    response = {"model": record.get("model", record.get("model_served")), "answers": {name: {"type": kind, **body}}}
    return wire_answers({**exchange, "request": request, "response": response}) or iter(())
