"""`.jevl`: JSON lines {v, id, ts, model, request, answers, label, tags, meta} as jevkit writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.wires import wire_answers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer

__all__ = ["answers", "recognises"]


def recognises(record: dict[str, Any]) -> bool:
    """Answers beside the request, with a version."""
    return "v" in record and isinstance(record.get("request"), dict) and "answers" in record


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """The answers, with the record's model as the model served; `meta` is not read, as it may hold customers."""
    response = {name: record[name] for name in ("model", "answers", "diagnostics", "usage") if name in record}
    return wire_answers({**record, "response": response}) or iter(())
