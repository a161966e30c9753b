"""Finds the file of a language and fills its sentences in."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import TYPE_CHECKING

from calibrant.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["languages", "missing_keys", "placeholders", "sentence", "vocabulary"]


def languages() -> tuple[str, ...]:
    """Languages that reports can be written in, by their two letters.

    Example:
        >>> "en" in languages()
        True
    """
    names = (entry.name for entry in files("calibrant.words").iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


@cache
def vocabulary(lang: str = "en") -> Mapping[str, str]:
    """All sentences of a language, by key.

    Raises:
        OptionError: if there is no such language.

    Example:
        >>> vocabulary("en")["format.decimal"]
        '.'
    """
    if lang not in languages():
        raise OptionError(
            f"There are no sentences in language {lang!r}.", hint=f"Choose one of: {', '.join(languages())}."
        )
    words: dict[str, str] = json.loads(files("calibrant.words").joinpath(f"{lang}.json").read_text("utf-8"))
    return words


def sentence(key: str, lang: str = "en", **values: object) -> str:
    """A sentence with its placeholders filled in.

    Args:
        key: its key, such as "headline.event".
        lang: the language.
        values: a text for each placeholder; numbers come formatted (`calibrant.words.format`).

    Raises:
        KeyError: if the language has no such sentence, or a placeholder has no value.
        OptionError: if there is no such language.

    Example:
        >>> sentence("gap.points", points="7")
        '7 points'
    """
    return vocabulary(lang)[key].format(**values)


def placeholders(text: str) -> frozenset[str]:
    """Names of the placeholders of a sentence.

    Example:
        >>> sorted(placeholders("{a} of {b}"))
        ['a', 'b']
    """
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name)


def missing_keys(lang: str) -> tuple[str, ...]:
    """Keys that English has and this language lacks, or whose placeholders differ: empty when it is complete.

    Example:
        >>> missing_keys("en")
        ()
    """
    theirs = vocabulary(lang)
    return tuple(
        key
        for key, text in vocabulary("en").items()
        if key not in theirs or placeholders(theirs[key]) != placeholders(text)
    )
