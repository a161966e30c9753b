"""The options that the questions of each slice have, found once the values are read.

A file may hold questions of several kinds. Which options a slice has is seen from what is ever filled in it: columns
of options, places of lists, or keys of maps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibrant.errors import ColumnError
from calibrant.io.nested import keys_by_slice, lengths_by_slice
from calibrant.io.sql import MISSING
from calibrant.safe import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibrant.io.layout import Layout
    from calibrant.predictions import Kind

__all__ = ["Shape", "shapes_of"]

BINARY = ("0", "1")


@dataclass(frozen=True, slots=True)
class Shape:
    """What kind of question the rows of a slice answer.

    Attributes:
        kind: the kind; "yes_no" stands for the second of two options, or for the single column beside options.
        options: names of the options, in order; empty when questions have different numbers of them.
        places: the columns of probabilities that belong to them, in this order; empty for the single column.
        ragged: questions may have fewer options than there are columns.
    """

    kind: Kind
    options: tuple[str, ...]
    places: tuple[int, ...]
    ragged: bool = False

    @property
    def label_names(self) -> tuple[str, ...]:
        """What a label may be."""
        return self.options or tuple(str(place) for place in self.places)


def shapes_of(layout: Layout, connection: Any) -> tuple[Mapping[tuple[str, ...], Shape], tuple[str, ...]]:
    """The shape of each combination of the `by` columns in the engine's table `wanted`, and the keys of maps.

    Raises:
        ColumnError: if levels were named that lists or maps do not have.
    """
    if layout.nested == "list":
        lengths = lengths_by_slice(connection, len(layout.by))
        return {key: _of_list(layout, shortest, longest) for key, (shortest, longest) in lengths.items()}, ()
    if layout.nested == "map":
        by_slice = keys_by_slice(connection, len(layout.by))
        names = tuple(dict.fromkeys(name for found in by_slice.values() for name in found))
        places = {name: place for place, name in enumerate(names)}
        return {key: _of_map(layout, found, places) for key, found in by_slice.items()}, names
    filled = _filled_by_slice(connection, len(layout.by), len(layout.prob), single=layout.single is not None)
    return {key: _of_columns(layout, places, only=only) for key, (places, only) in filled.items()}, ()


def _of_list(layout: Layout, shortest: int, longest: int) -> Shape:
    places = tuple(range(longest))
    if layout.levels:
        if shortest == longest == len(layout.levels):
            return Shape("score", layout.levels, places)
        if not layout.by:
            raise ColumnError(
                f"--levels names {len(layout.levels)} levels, but lists of `{plain(layout.prob[0], limit=40)}` "
                f"have {longest if shortest == longest else f'{shortest} to {longest}'} probabilities.",
                hint="Name one level for each place of the list, lowest first.",
            )
    names = tuple(str(place) for place in places)
    if shortest != longest:
        return Shape("choice", (), places, ragged=True)
    return Shape("yes_no" if names == BINARY else "choice", names, places)


def _of_map(layout: Layout, found: Sequence[str], places: Mapping[str, int]) -> Shape:
    folded = {name.casefold(): name for name in found}
    levels = [folded.get(level.casefold()) for level in layout.levels]
    ordered = tuple(name for name in levels if name is not None)
    if layout.levels and len(ordered) == len(levels) == len(found):
        return Shape("score", layout.levels, tuple(places[name] for name in ordered))
    if layout.levels and not layout.by:
        listed = ", ".join(plain(name, limit=40) for name in found[:12])
        raise ColumnError(
            f"--levels must name each option of `{plain(layout.prob[0], limit=40)}` once: {listed}.",
            hint="Lowest first: --levels low,middle,high",
        )
    return Shape("choice", tuple(found), tuple(places[name] for name in found), ragged=True)


def _of_columns(layout: Layout, filled: tuple[int, ...], *, only: bool) -> Shape:
    if only:
        return Shape("yes_no", ("no", "yes"), ())
    places = filled or tuple(range(len(layout.prob)))
    names = tuple(layout.options[place] for place in places)
    if layout.levels and set(names) == set(layout.levels):
        order = tuple(layout.options.index(level) for level in layout.levels)
        return Shape("score", layout.levels, order)
    return Shape("choice", names, places)


def _filled_by_slice(
    connection: Any, columns: int, options: int, *, single: bool
) -> dict[tuple[str, ...], tuple[tuple[int, ...], bool]]:
    """Columns of options that are ever filled in a slice, and whether only the single column is."""
    keys = [f"by{place}" for place in range(columns)]
    states = [f"prob_state{place}" for place in range(options)] + (["single_state"] if single else [])
    counts = ", ".join(f"count(*) FILTER ({state} <> {MISSING})" for state in states)
    group = f" GROUP BY {', '.join(keys)}" if keys else ""
    rows = connection.execute(f"SELECT {', '.join([*keys, counts])} FROM wanted{group}").fetchall()  # noqa: S608
    out: dict[tuple[str, ...], tuple[tuple[int, ...], bool]] = {}
    for row in rows:
        seen = row[columns : columns + options]
        filled = tuple(place for place, count in enumerate(seen) if count)
        out[tuple(row[:columns])] = filled, bool(single and not filled and row[-1])
    return out
