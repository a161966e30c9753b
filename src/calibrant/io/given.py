"""Column and reading options given by name, as in `check`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from calibrant.errors import OptionError
from calibrant.io.options import ColumnChoice, ReadOptions

__all__ = ["choice_of"]

MANY = ("prob", "outcome", "levels", "by", "na", "yes", "no", "join", "words")


def choice_of(**given: Any) -> tuple[ColumnChoice, ReadOptions]:
    """Columns and reading options from keywords.

    Raises:
        OptionError: if there is no such option.

    Example:
        >>> choice_of(prob="p", outcome="won")[0].prob
        ('p',)
    """
    of_columns = {part.name for part in fields(ColumnChoice)}
    of_reading = {part.name for part in fields(ReadOptions)}
    unknown = [name for name in given if name not in of_columns | of_reading]
    if unknown:
        known = ", ".join(sorted(of_columns | of_reading))
        raise OptionError(f"There is no option `{unknown[0]}`.", hint=f"Options are {known}.")
    if isinstance(given.get("words"), dict):
        given = {**given, "words": tuple(given["words"].items())}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if value is not None:
            values[name] = ((value,) if isinstance(value, str) else tuple(value)) if name in MANY else value
    return (
        ColumnChoice(**{name: value for name, value in values.items() if name in of_columns}),
        ReadOptions(**{name: value for name, value in values.items() if name in of_reading}),
    )
