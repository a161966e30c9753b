"""The command to type when columns are not recognised, guessed from names and first values."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from calibrant.safe import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BLANK", "STDIN", "corrected_command"]

BLANK = frozenset({"", "na", "n/a", "nan", "null", "none"})
BINARY = frozenset({"0", "1", "true", "false", "0.0", "1.0"})
PROB_WORDS = ("prob", "conf", "forecast", "score", "pred")
OUTCOME_WORDS = ("outcome", "won", "win", "correct", "label", "result", "actual", "observed", "obs", "target", "truth")

NOTHING = "COLUMN"
STDIN = "standard input"
"""What messages call the file named -."""


def corrected_command(
    source: str,
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    prob: str | None = None,
    outcome: str | None = None,
    python: bool = False,
) -> str:
    """The complete command with a probability and an outcome column.

    The probability is a column of numbers from 0 to 1 (or percentages), the outcome one of 0 and 1, else one of two
    words; among several, the one whose name says so.

    Args:
        source: name of the file.
        names: its columns.
        rows: its first rows as texts.
        prob: the probability column, if it is known.
        outcome: the outcome column, if it is known.
        python: a call in Python instead of a command.

    Example:
        >>> corrected_command("a.csv", ["id", "prob yes", "won"], [["7", "0.9", "1"], ["8", "0.25", "0"]])
        "calibrant check a.csv --prob 'prob yes' --outcome won"
    """
    inside: list[str] = []
    binary: list[str] = []
    worded: dict[str, list[str]] = {}
    for place, name in enumerate(names):
        values = [row[place] for row in rows if place < len(row) and row[place].casefold() not in BLANK]
        if not values:
            continue
        if sum(value.casefold() in BINARY for value in values) >= 0.9 * len(values):
            binary.append(name)
        elif all(_is_unit(value) for value in values):
            inside.append(name)
        elif len(words := list(dict.fromkeys(values))) == 2:
            worded[name] = sorted(words)
    prob = prob or _best(inside, PROB_WORDS) or _best(binary, PROB_WORDS) or NOTHING
    spare = [name for name in (*binary, *([] if binary else worded)) if name != prob]
    exact = [name for name in spare if name.strip().casefold() in ("outcome", "y", "correct")]
    paired = [name for name in spare if name.casefold() == f"{prob}_outcome".casefold()]
    outcome = outcome or _best([*exact, *paired], OUTCOME_WORDS) or _best(spare, OUTCOME_WORDS) or NOTHING
    no, yes = worded.get(outcome, ("", ""))
    if python:
        words_given = f", yes={yes!r}, no={no!r}" if yes else ""
        return f"check(data, prob={plain(prob)!r}, outcome={plain(outcome)!r}{words_given})"
    parts = ["calibrant", "check", "-" if source == STDIN else source, "--prob", prob, "--outcome", outcome]
    return " ".join(shlex.quote(plain(part)) for part in [*parts, *(["--yes", yes, "--no", no] if yes else [])])


def _best(names: Sequence[str], words: Sequence[str]) -> str | None:
    named = [name for name in names if any(word in name.casefold() for word in words)]
    return next(iter(named or names), None)


def _is_unit(value: str) -> bool:
    """Whether a text is a number from 0 to 1, or a percentage."""
    try:
        number = float(value.rstrip("% ").replace(",", "."))
    except ValueError:
        return False
    return 0 <= number <= (100 if value.endswith("%") else 1)
