"""Probabilities of all options in one column: lists, arrays, maps and structs, or their text in JSON."""
# ruff: noqa: S608  (every name in the SQL below is quoted)

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from calibrant.errors import ColumnError
from calibrant.io.sql import identifier, literal, text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MAX_OPTIONS", "Nested", "keys_by_slice", "lengths_by_slice", "nested_form", "stored", "taken"]

Nested = Literal["", "list", "map"]

MAX_OPTIONS = 1000
"""The most options that lists may have, and the most names that maps may have together."""

ROWS = "SELECT * FROM wanted WHERE rowid >= ? AND rowid < ?"
_SHORT = ("FLOAT[", "FLOAT)", "FLOAT,")


def nested_form(kind: str, first: str) -> Nested:
    """Whether a column holds lists or maps, from the engine's type of it or, for text, its first value.

    Example:
        >>> nested_form("DOUBLE[]", ""), nested_form("", '{"a": 0.5}'), nested_form("", "0.5")
        ('list', 'map', '')
    """
    if kind.endswith("]"):
        return "list"
    if kind.startswith(("MAP(", "STRUCT(")):
        return "map"
    if kind not in ("", "VARCHAR", "JSON"):
        return ""
    return "list" if first.startswith("[") else "map" if first.startswith("{") else ""


def stored(column: str, form: Nested, kind: str) -> dict[str, str]:
    """SQL of what is kept of a nested column while the table is read: its numbers, or its object as JSON."""
    number = "FLOAT" if any(part in kind for part in _SHORT) else "DOUBLE"
    if form == "list":
        if kind.endswith("]"):
            return {"probs": f"TRY_CAST({identifier(column)} AS {number}[])"}
        # Brackets, commas and blanks all part numbers: JSON writes [0.2, 0.8], NumPy [0.2 0.8].
        return {"probs": f"TRY_CAST(regexp_extract_all({text(column)}, '[^\\s,;\\[\\]()]+') AS DOUBLE[])"}
    if kind.startswith(("MAP(", "STRUCT(")):
        return {"keyed": f"to_json({identifier(column)})"}
    raw = text(column)
    quoted = f"CASE WHEN contains({raw}, '\"') THEN {raw} ELSE replace({raw}, '''', '\"') END"
    return {"keyed": f"coalesce(TRY_CAST({quoted} AS JSON), CASE WHEN {raw} IS NULL THEN NULL ELSE 'null'::JSON END)"}


def taken(form: Nested, width: int, names: Sequence[str], *, short: bool = False) -> str:
    """SQL that makes one column of a number for each option from what was stored, and a mark of unreadable cells."""
    if form == "list":
        source, bad = "probs", "coalesce(len(probs) > list_count(probs), false)"
        inner = f"SELECT *, {bad} AS unreadable FROM ({ROWS})"
    else:
        paths = ", ".join(literal("/" + name.replace("~", "~0").replace("/", "~1")) for name in names)
        source = "numbers"
        raw = f"json_extract_string(keyed, [{paths}])" if names else "CAST([] AS VARCHAR[])"
        number = "FLOAT" if short else "DOUBLE"
        inner = (
            "SELECT * EXCLUDE (texts), coalesce(list_count(texts) > list_count(numbers) OR json_type(keyed) <> "
            f"'OBJECT', false) AS unreadable FROM (SELECT *, TRY_CAST(texts AS {number}[]) AS numbers FROM "
            f"(SELECT *, {raw} AS texts FROM ({ROWS})))"
        )
    columns = "".join(f", list_extract({source}, {place + 1}) AS prob{place}" for place in range(width))
    gone = "probs" if form == "list" else "keyed, numbers"
    return f"SELECT * EXCLUDE ({gone}){columns} FROM ({inner})"


def lengths_by_slice(connection: Any, columns: int) -> dict[tuple[str, ...], tuple[int, int]]:
    """Smallest and largest length of the lists of each slice, empty ones apart.

    Raises:
        ColumnError: if a list is too long to be one of options.
    """
    keys = [f"by{place}" for place in range(columns)]
    length = "nullif(len(probs), 0)"
    rows = connection.execute(
        f"SELECT {', '.join([*keys, f'min({length})', f'max({length})'])} FROM wanted{_group(keys)}"
    ).fetchall()
    out = {tuple(row[:columns]): (int(row[-2] or 1), int(row[-1] or 1)) for row in rows}
    longest = max((found[1] for found in out.values()), default=1)
    if longest > MAX_OPTIONS:
        raise ColumnError(
            f"A list holds {longest:,} probabilities; at most {MAX_OPTIONS:,} options can be read from lists.",
            hint="Keep the largest probability of each row, and whether it was right, as confidence and correct.",
        )
    return out


def keys_by_slice(connection: Any, columns: int) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Names of the options of each slice, in order of appearance; those without any value are left away.

    Raises:
        ColumnError: if there are too many names to be options.
    """
    keys = [f"by{place}" for place in range(columns)]
    listed = "".join(f"{key}, " for key in keys)
    rows = connection.execute(
        f"SELECT {listed}name, min(row), arg_min(place, row) FROM (SELECT {listed}rowid AS row, keyed, "
        "unnest(json_keys(keyed)) AS name, generate_subscripts(json_keys(keyed), 1) AS place FROM wanted "
        "WHERE json_type(keyed) = 'OBJECT') WHERE json_extract_string(keyed, "
        "'/' || replace(replace(name, '~', '~0'), '/', '~1')) IS NOT NULL "
        f"GROUP BY {listed}name ORDER BY min(row), arg_min(place, row)"
    ).fetchall()
    out: dict[tuple[str, ...], tuple[str, ...]] = (
        {tuple(row): () for row in connection.execute(f"SELECT DISTINCT {listed[:-2]} FROM wanted").fetchall()}
        if keys
        else {(): ()}
    )
    for row in rows:
        out[tuple(row[:columns])] += (str(row[columns]),)
    names = {name for found in out.values() for name in found}
    if len(names) > MAX_OPTIONS:
        raise ColumnError(
            f"There are {len(names):,} names of options; at most {MAX_OPTIONS:,} can be read from maps.",
            hint="Where each question has options of its own, give lists of probabilities, with the label's place.",
        )
    return out


def _group(keys: Sequence[str]) -> str:
    return f" GROUP BY {', '.join(keys)}" if keys else ""
