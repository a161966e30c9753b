"""Verbalised probabilities in wide columns A, B, C, … with the right letter: CSV, TSV or JSON lines.

What a model says in words often misses 1; such rows are counted and left out unless dividing by the sum is asked for.
"""

from __future__ import annotations

import csv
from typing import IO, TYPE_CHECKING, Any

from calibrant.io.decisions.answer import CHOICE, Answer, MalformedError, Missing, chance, option_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["answers", "recognises", "table_records", "wide_delimiter"]

LABELS = ("label", "correct answer", "correct_answer", "answer", "gold", "target", "truth")
ITEMS = ("id", "item", "item_id", "doc_id", "index")
QUESTIONS = ("question_id", "task", "subject", "dataset")
MODELS = ("model", "model_name")
PROBABILITIES = ("probability", "p", "prob", "confidence")
"""Where one of these is a column, A and B are something else."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def recognises(record: dict[str, Any]) -> bool:
    """Columns A and B, and one for the right letter."""
    return "A" in record and "B" in record and any(name in record for name in LABELS)


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """One answer; an item with fewer options leaves its last columns empty."""
    columns = [letter for letter in LETTERS if letter in record]
    blank = [letter for letter in columns if record[letter] in (None, "")]
    options = tuple(letter for letter in columns if letter not in blank)
    model = _value(record, MODELS)
    shared: dict[str, Any] = {
        "item": option_name(_value(record, ITEMS) or ""),
        "question": option_name(_value(record, QUESTIONS) or ""),
        "kind": CHOICE,
        "model_served": None if model is None else option_name(model),
        "own_options": True,
    }
    label = _value(record, LABELS)
    label = label.strip() if isinstance(label, str) else label
    if len(options) < 2:
        yield Answer(missing=Missing.NO_PROBABILITIES, label=label, **shared)
        return
    try:
        shares = tuple(_number(record[letter], letter) for letter in options)
    except MalformedError as wrong:
        yield Answer(missing=Missing.MALFORMED, detail=str(wrong), label=label, **shared)
        return
    yield Answer(options=options, probabilities=shares, label=label, **shared)


def wide_delimiter(first: bytes) -> str | None:
    """The delimiter of a header that has the columns A, B and a label; None for any other line.

    Example:
        >>> wide_delimiter(b"id,A,B,C,label")
        ','
    """
    text = first.decode("utf-8", "replace").strip()
    delimiter = max(",;\t|", key=text.count)
    names = {name.strip().strip('"') for name in text.split(delimiter)}
    lower = {name.lower() for name in names}
    fits = {"A", "B"} <= names and not lower.isdisjoint(LABELS) and lower.isdisjoint(PROBABILITIES)
    return delimiter if fits else None


def table_records(first: bytes, stream: IO[bytes], delimiter: str) -> Iterator[dict[str, Any]]:
    """Rows of a table as records; names other than single letters are lower case."""

    def lines() -> Iterator[str]:
        yield first.decode("utf-8", "replace")
        for line in stream:
            yield line.decode("utf-8", "replace")

    for row in csv.DictReader(lines(), delimiter=delimiter):
        yield {
            name.strip() if len(name.strip()) == 1 else name.strip().lower(): value
            for name, value in row.items()
            if isinstance(name, str) and isinstance(value, str)
        }


def _value(record: dict[str, Any], names: tuple[str, ...]) -> Any:
    for name in names:
        if record.get(name) not in (None, ""):
            return record[name]
    return None


def _number(value: Any, what: str) -> float:
    """A number, its text, or a percentage written with its sign."""
    if not isinstance(value, str):
        return chance(value, what)
    text = value.strip()
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise MalformedError(f"`{what}` should be a number, found {shown(value)}") from None
