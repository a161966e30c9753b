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
        return _typed(column, options, percent=percent)
    raw = f"CAST({identifier(column)} AS VARCHAR)"
    plain = _read(raw, decimal)
    quick = _quick(raw, plain, options)
    trimmed = f"trim({raw})"
    signed = f"ends_with({trimmed}, '%')"
    bare = f"CASE WHEN {signed} THEN rtrim({trimmed}, '% ') ELSE {trimmed} END"
    value = f"CASE WHEN contains({raw}, '_') THEN NULL ELSE {_read(bare, decimal)} END"
    scaled = f"({value}) / (CASE WHEN {signed} OR {str(percent).lower()} THEN 100.0 ELSE 1.0 END)"
    missing = _missing(trimmed, value, options)
    return (
        f"CASE WHEN {quick} THEN {plain}{' / 100.0' if percent else ''} WHEN {missing} THEN NULL ELSE {scaled} END",
        (
            f"CASE WHEN {quick} THEN {OK} WHEN {missing} THEN {MISSING} WHEN ({value}) IS NULL THEN {UNREADABLE} "
            f"ELSE {OK} END"
        ),
    )


def outcome(column: str, options: ReadOptions, decimal: str = ".", *, typed: bool = False) -> tuple[str, str]:
    """Expressions for the outcome in a column (0, 1, or another number as it is), and for its state."""
    if typed and not options.yes:
        return _typed(column, options)
    raw = f"trim(CAST({identifier(column)} AS VARCHAR))"
    value = f"CASE WHEN contains({raw}, '_') THEN NULL ELSE {_read(raw, decimal)} END"
    if options.yes:
        yes, no = (_named(raw, value, words) for words in (options.yes, options.no))
        missing = _missing(raw, None, options)
        number_ = f"CASE WHEN {yes} THEN 1.0 WHEN {no} THEN 0.0 END"
        return number_, f"CASE WHEN {yes} OR {no} THEN {OK} WHEN {missing} THEN {MISSING} ELSE {UNREADABLE} END"
    # Most outcomes are written 0 or 1: comparing them is cheaper than reading any number.
    digits = [digit for digit in ("0", "1") if not _is_code(float(digit), options)]
    exact = "".join(f"WHEN {identifier(column)} = '{digit}' THEN {digit}.0 " for digit in digits)
    quick = f"{identifier(column)} IN ({', '.join(map(literal, digits))})" if digits else "false"
    missing = _missing(raw, value, options)
    worded = f"CASE lower({raw}) WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 ELSE ({value}) END"
    return (
        f"CASE {exact if not typed else ''}WHEN {missing} THEN NULL ELSE ({worded}) END",
        (
            f"CASE WHEN {quick if not typed else 'false'} THEN {OK} WHEN {missing} THEN {MISSING} "
            f"WHEN ({worded}) IS NULL THEN {UNREADABLE} ELSE {OK} END"
        ),
    )


def _typed(column: str, options: ReadOptions, *, percent: bool = False) -> tuple[str, str]:
    """Numbers and truth values that are no text; codes are compared as short floats, since a column may hold such."""
    name = identifier(column)
    codes = [f"CAST({float(code)!r} AS FLOAT)" for code in options.na if _is_number(code)]
    missing = f"({name} IS NULL" + f" OR CAST({name} AS FLOAT) IN ({', '.join(codes)})" * bool(codes) + ")"
    value = f"{name}{' / 100.0' if percent else ''}"
    return f"CASE WHEN {missing} THEN NULL ELSE {value} END", f"CASE WHEN {missing} THEN {MISSING} ELSE {OK} END"


def _read(text_: str, decimal: str) -> str:
    plain = f"replace({text_}, ',', '.')" if decimal == "," else text_
    return f"TRY_CAST({plain} AS DOUBLE)"


def _quick(raw: str, value: str, options: ReadOptions) -> str:
    """True for a plain finite number that is no code; an underscore is a separator for the engine, not for us."""
    codes = [repr(float(code)) for code in options.na if _is_number(code)]
    rest = f" AND {value} NOT IN ({', '.join(codes)})" if codes else ""
    return f"({value} IS NOT NULL AND isfinite({value}) AND NOT contains({raw}, '_'){rest})"


def _named(raw: str, value: str, words: tuple[str, ...]) -> str:
    numbers = [repr(float(word)) for word in words if _is_number(word)]
    alike = f" OR ({value}) IN ({', '.join(numbers)})" if numbers else ""
    return f"coalesce({_among(f'lower({raw})', [word.strip().lower() for word in words])}{alike}, false)"


def _is_code(number_: float, options: ReadOptions) -> bool:
    return any(_is_number(code) and float(code) == number_ for code in options.na)


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
