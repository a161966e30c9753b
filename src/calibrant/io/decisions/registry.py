"""Every kind of log that is read, listed by hand: the logs that wrap exchanges first, then the wire shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.shapes import jevl, rows, s1_record, spans, strands
from calibrant.io.decisions.wires import WIRES, Shape
from calibrant.io.evals import helm, inspect_log, lm_eval, stated, wide

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer

__all__ = ["SHAPES", "answers_of", "shape_of"]

SHAPES: tuple[tuple[str, Shape], ...] = (
    ("s1-record", s1_record),
    ("Strands span", strands),
    ("OpenInference span", spans),
    (".jevl", jevl),
    ("answer rows", rows),
    ("Inspect AI log", inspect_log),
    ("lm-evaluation-harness samples", lm_eval),
    ("HELM run", helm),
    ("options in columns", wide),
    ("stated confidences", stated),
    *WIRES,
)


def shape_of(record: dict[str, Any]) -> tuple[str, Shape] | None:
    """Name and reader of a record's shape, judged by its content; None when none fits."""
    for entry in SHAPES:
        if entry[1].recognises(record):
            return entry
    return None


def answers_of(record: dict[str, Any]) -> Iterator[Answer] | None:
    """The answers in a record, or None when its shape is not known."""
    found = shape_of(record)
    return None if found is None else found[1].answers(record)
