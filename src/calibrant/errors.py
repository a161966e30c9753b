"""Every error that Calibrant raises on purpose.

    CalibrantError (ValueError)
    ├── InputError            the data cannot be read as predictions and outcomes
    │   ├── ColumnError       a column is missing, ambiguous or unusable
    │   └── RowError          a row is refused; says which one
    ├── FileError             a file cannot be opened, decoded or parsed
    ├── TallyError            a tally file is damaged, too new, or tallies do not fit together
    ├── OptionError           an option has a value that means nothing
    └── LimitError            a gate failed or could not be judged

A message has the form *what is wrong, where, what was found*, and a hint on its own line says what to do.
"""

from __future__ import annotations

__all__ = [
    "CalibrantError",
    "ColumnError",
    "FileError",
    "InputError",
    "LimitError",
    "OptionError",
    "RowError",
    "TallyError",
]


class CalibrantError(ValueError):
    """Base of all errors raised on purpose; a `ValueError`, so that older `except` clauses keep working.

    Args:
        message: one sentence: what is wrong, where, what was found.
        hint: what to do about it; printed on a line of its own.

    Example:
        >>> print(CalibrantError("`bins` must be a whole number of at least 1, got 0.", hint="Try bins=10."))
        `bins` must be a whole number of at least 1, got 0.
        Hint: Try bins=10.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nHint: {self.hint}"


class InputError(CalibrantError):
    """The data cannot be read as predictions and outcomes."""


class ColumnError(InputError):
    """A column is missing, ambiguous or unusable."""


class RowError(InputError):
    """A row is refused; the message names the record."""


class FileError(CalibrantError):
    """A file cannot be opened, decoded or parsed."""


class TallyError(CalibrantError):
    """A tally file is damaged or too new, or two tallies do not fit together."""


class OptionError(CalibrantError):
    """An option has a value that means nothing."""


class LimitError(CalibrantError):
    """A gate failed or could not be judged."""
