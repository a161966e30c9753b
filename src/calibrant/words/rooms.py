"""Sentences of one room, in a folder of their own: words/ROOM/LANGUAGE.json."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["room_sentence", "room_words"]


@cache
def room_words(room: str, lang: str = "en") -> Mapping[str, str]:
    """All sentences of a room; those that a language lacks are in English.

    Example:
        >>> room_words("repair")["verdict.helps"]
        'helps'
    """
    folder = files("calibrant.words").joinpath(room)
    words: dict[str, str] = json.loads(folder.joinpath("en.json").read_text("utf-8"))
    other = folder.joinpath(f"{lang}.json")
    if lang != "en" and other.is_file():
        words |= json.loads(other.read_text("utf-8"))
    return words


def room_sentence(room: str, key: str, lang: str = "en", **values: object) -> str:
    """A sentence of a room with its placeholders filled in.

    Raises:
        KeyError: if there is no such sentence, or a placeholder has no value.
    """
    return room_words(room, lang)[key].format(**values)
