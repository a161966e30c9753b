"""`s1-record/1` (also jev-record/1): one flat row for each item and question, `p` or `probabilities`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.answer import (
    CHOICE,
    SCORE,
    YES_NO,
    Answer,
    MalformedError,
    Missing,
    chance,
    chances,
    option_name,
)
from calibrant.io.decisions.exchange import TAG_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["answers", "recognises"]

KINDS = {"noul": YES_NO, "predicate": YES_NO, "yes_no": YES_NO, "choice": CHOICE, "score": SCORE}
SCHEMAS = ("s1-record/", "jev-record/")


def recognises(record: dict[str, Any]) -> bool:
    """The schema says so."""
    schema = record.get("schema")
    return isinstance(schema, str) and schema.startswith(SCHEMAS)


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """One answer. The recalibrated `calib.p` is another forecaster's and is not read."""
    name = record.get("primitive")
    kind = KINDS.get(name) or f"other:{name[:40]}" if isinstance(name, str) else "other:untyped"
    try:
        fields = _fields(kind, record)
    except MalformedError as wrong:
        fields = {"missing": Missing.MALFORMED, "detail": str(wrong)}
    yield Answer(
        item=option_name(record.get("item_id", "")),
        question=option_name(record.get("question_id", "")),
        kind=kind,
        label=record.get("label"),
        model_asked=_text(record, "model_requested"),
        model_served=_text(record, "model_served"),
        time=_text(record, "timestamp"),
        tags={tag: record[tag] for tag in TAG_FIELDS if isinstance(record.get(tag), str)},
        **fields,
    )


def _fields(kind: str, record: dict[str, Any]) -> dict[str, Any]:
    found = record.get("probabilities")
    if kind == YES_NO:
        value = record.get("p")
        if value is None and isinstance(found, dict):
            value = chances(found, ("no", "yes"))[1]
        if value is None:
            return {"options": ("no", "yes"), "missing": Missing.NO_PROBABILITIES}
        yes = chance(value, "p")
        return {"options": ("no", "yes"), "probabilities": (1.0 - yes, yes)}
    if kind not in (CHOICE, SCORE):
        return {}
    if not isinstance(found, dict):
        return {"missing": Missing.NO_PROBABILITIES}
    options = tuple(found)
    if kind == SCORE:
        options = tuple(sorted(options, key=lambda level: (len(level), level)))
    return {"options": options, "probabilities": chances(found, options)}


def _text(record: dict[str, Any], name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) else None
