"""Outcomes in words: when the first rows show two words that are not 0 and 1, ask which of them means yes."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from calibrant.errors import ColumnError
from calibrant.safe import plain

if TYPE_CHECKING:
    from calibrant.io.layout import Layout
    from calibrant.io.options import ReadOptions
    from calibrant.io.table import Table

__all__ = ["ask_for_words"]

READ = frozenset({"0", "1", "true", "false"})
BLANK = frozenset({"", "na", "n/a", "nan", "null", "none"})
LIKELY = (
    "yes",
    "y",
    "true",
    "t",
    "won",
    "win",
    "right",
    "correct",
    "sim",
    "ja",
    "si",
    "sí",
    "oui",
    "pass",
    "good",
)


def ask_for_words(table: Table, layout: Layout, options: ReadOptions) -> None:
    """Refuse an outcome column whose first rows hold words that cannot be read as 0 and 1.

    Two values are a question to the user; a column without any 0 or 1 is the wrong column. Single odd values among
    good ones are left to the judge, who leaves out their rows.

    Raises:
        ColumnError: naming the words, with the option that tells their meaning.
    """
    if options.yes or layout.predicted or layout.kind not in ("yes_no", "answer"):
        return
    column = layout.outcome[0]
    place = table.names.index(column)
    codes = {code.strip().casefold() for code in options.na}
    values = [row[place].strip() for row in table.sample() if place < len(row)]
    words = list(dict.fromkeys(value for value in values if value.casefold() not in BLANK | codes))
    read = [word for word in words if _is_read(word, table.decimal)]
    odd = [word for word in words if word not in read]
    if not odd or (read and (len(words) > 2 or 0 < _number(odd[0].replace(table.decimal, ".")) < 1)):
        return
    shown = f"`{plain(column, limit=40)}` of {table.name}"
    if len(words) > 2:
        some = ", ".join(plain(word, limit=20) for word in words[:3])
        raise ColumnError(
            f"{shown} holds neither 0 and 1 nor true and false: {some}, …",
            hint="Name another column with --outcome, or the words with --yes and --no (each may be repeated).",
        )
    # The likely word first; of two numbers the larger one; of a single word it cannot be known.
    ordered = sorted(words, key=lambda word: (word.casefold() in LIKELY, _number(word)), reverse=True)
    yes, no = [*ordered, "WORD"][:2]
    said = " and ".join(plain(word, limit=20) for word in words)
    raise ColumnError(
        f"{shown} holds {said} instead of 0 and 1.",
        hint=f"Say which is which: --yes {shlex.quote(plain(yes))} --no {shlex.quote(plain(no))}",
    )


def _is_read(word: str, decimal: str) -> bool:
    if word.casefold() in READ:
        return True
    number = _number(word.replace(decimal, "."))
    return number in (0.0, 1.0)


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return float("-inf")
