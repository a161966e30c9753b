"""The wire shapes, listed by hand, in the order in which they are tried. A new shape is one more line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from calibrant.io.decisions.shapes import clef, failures, gemini, openai, sglang, system_one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io.decisions.answer import Answer

__all__ = ["WIRES", "Shape", "wire_answers"]


class Shape(Protocol):
    """What every reader of a shape has; a module will do."""

    def recognises(self, record: dict[str, Any]) -> bool:
        """True if the record's content is of this shape."""
        ...

    def answers(self, record: dict[str, Any]) -> Iterator[Answer]:
        """Every answer in the record, and one for every question without an answer."""
        ...


WIRES: tuple[tuple[str, Shape], ...] = (
    ("Gemini Decisions", gemini),
    ("Cloudflare Clef", clef),
    ("SGLang Decisions", sglang),
    ("OpenAI Decisions", openai),
    ("System One", system_one),
    ("failed requests", failures),
)


def wire_answers(record: dict[str, Any]) -> Iterator[Answer] | None:
    """The answers of a request and response, whatever their shape; None when no shape fits."""
    for _, shape in WIRES:
        if shape.recognises(record):
            return shape.answers(record)
    return None
