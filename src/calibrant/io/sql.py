"""SQL for reading values: text to number with a state, text to outcome, and quoting that nothing escapes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calibrant.io.options import ReadOptions

__all__ = ["MISSING", "OK", "UNREADABLE", "identifier", "literal", "number", "outcome", "text"]

OK, MISSING, UNREADABLE = 0, 1, 2
"""States of a value as read: usable, empty or a code for missing, and something that is not of the kind asked for."""

_EMPTY = ("", "na", "n/a", "nan", "null", "none")


def identifier(name: str) -> str:
    """A quoted column name."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: str) -> str:
    """A quoted text."""
    return "'" + value.replace("'", "''") + "'"


def text(column: str) -> str:
    """The column as text without surrounding space; NULL where it is empty."""
    return f"nullif(trim(CAST({identifier(column)} AS VARCHAR)), '')"


def number(
    column: str, options: ReadOptions, decimal: str = ".", *, typed: bool = False, percent: bool = False
) -> tuple[str, str]:
    """Expressions for the number in a column, and for its state.

    "84%" is 0.84. With `percent` numbers without the sign are divided by 100 as well.

    Args:
        column: name of the column.
        options: codes of missing values.
        decimal: "." or ",".
        typed: the column holds numbers already, not text.
        percent: divide by 100.
    """
    if typed:
        value = f"{identifier(column)}{' / 100.0' if percent else ''}"
        codes = [repr(float(code)) for code in options.na if _is_number(code)]
        missing = f"({identifier(column)} IS NULL"
        missing += f" OR {identifier(column)} IN ({', '.join(codes)})" * bool(codes) + ")"
        return f"CASE WHEN {missing} THEN NULL ELSE {value} END", f"CASE WHEN {missing} THEN {MISSING} ELSE {OK} END"
    raw = f"trim(CAST({identifier(column)} AS VARCHAR))"
    clean = f"replace({raw}, ',', '.')" if decimal == "," else raw
    signed = f"ends_with({raw}, '%')"
    bare = f"CASE WHEN {signed} THEN rtrim({clean}, '% ') ELSE {clean} END"
    # An underscore inside digits is a separator for the engine, not for us.
    value = f"CASE WHEN contains({raw}, '_') THEN NULL ELSE TRY_CAST({bare} AS DOUBLE) END"
    scaled = f"({value}) / (CASE WHEN {signed} OR {str(percent).lower()} THEN 100.0 ELSE 1.0 END)"
    missing = _missing(raw, value, options)
    state = f"CASE WHEN {missing} THEN {MISSING} WHEN ({value}) IS NULL THEN {UNREADABLE} ELSE {OK} END"
    return f"CASE WHEN {missing} THEN NULL ELSE {scaled} END", state


def outcome(column: str, options: ReadOptions, decimal: str = ".") -> tuple[str, str]:
    """Expressions for the outcome in a column (0, 1, or another number as it is), and for its state."""
    raw = f"trim(CAST({identifier(column)} AS VARCHAR))"
    if options.yes:
        yes, no = (_among(f"lower({raw})", [word.lower() for word in words]) for words in (options.yes, options.no))
        missing = _missing(raw, None, options)
        value = f"CASE WHEN {yes} THEN 1.0 WHEN {no} THEN 0.0 WHEN {missing} THEN NULL END"
        return value, f"CASE WHEN {yes} OR {no} THEN {OK} WHEN {missing} THEN {MISSING} ELSE {UNREADABLE} END"
    clean = f"replace({raw}, ',', '.')" if decimal == "," else raw
    number_ = f"CASE WHEN contains({raw}, '_') THEN NULL ELSE TRY_CAST({clean} AS DOUBLE) END"
    missing = _missing(raw, number_, options)
    value = f"CASE lower({raw}) WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 ELSE ({number_}) END"
    state = f"CASE WHEN {missing} THEN {MISSING} WHEN ({value}) IS NULL THEN {UNREADABLE} ELSE {OK} END"
    return f"CASE WHEN {missing} THEN NULL ELSE ({value}) END", state


def _missing(raw: str, value: str | None, options: ReadOptions) -> str:
    codes = [*_EMPTY, *(code.strip().lower() for code in options.na)]
    test = f"({raw} IS NULL OR {_among(f'lower({raw})', codes)}"
    numbers = [code for code in options.na if _is_number(code)]
    if value is not None and numbers:
        test += f" OR ({value}) IN ({', '.join(repr(float(code)) for code in numbers)})"
    return test + ")"


def _among(expression: str, words: list[str]) -> str:
    return f"{expression} IN ({', '.join(literal(word) for word in words)})"


def _is_number(code: str) -> bool:
    try:
        return abs(float(code)) < float("inf")
    except ValueError:
        return False
