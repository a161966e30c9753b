"""From tables to tallies: values are read by the engine, judged by `predictions`, added up by `tallies`."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from calibrant.errors import InputError, OptionError
from calibrant.io.columns import find_columns
from calibrant.io.frames import FrameTable
from calibrant.io.options import ColumnChoice, ReadOptions
from calibrant.io.reader import Reader
from calibrant.tallies.collect import TallyBuilder
from calibrant.tallies.tally import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.io.table import Table
    from calibrant.predictions import LeftOut
    from calibrant.tallies.tally import Tally, WeightKind

__all__ = ["open_reader", "tally_tables"]


def tally_tables(
    tables: Sequence[Table],
    choice: ColumnChoice = ColumnChoice(),  # noqa: B008  (a frozen value)
    options: ReadOptions = ReadOptions(),  # noqa: B008  (a frozen value)
) -> Tally:
    """Read tables and add them up.

    Args:
        tables: open tables; all with the same layout.
        choice: columns named by the user.
        options: how values are written.

    Raises:
        ColumnError: if columns are missing or ambiguous.
        FileError: if a table turns out to be damaged.
        InputError: if all weights are zero.
        RowError: if rows are refused (strict), or a weight is negative.
    """
    weights: WeightKind | None = None
    if choice.weight is not None:
        if options.weights not in ("sampling", "frequency"):
            raise OptionError(f'--weights must be "sampling" or "frequency", got {options.weights!r}.')
        weights = "frequency" if options.weights == "frequency" else "sampling"
    builder = TallyBuilder(choice.by, weights)
    source = Source()
    strays: dict[str, LeftOut] = {}
    zero_weights: list[bool | None] = []
    with ExitStack() as opened:
        for table in tables:
            opened.enter_context(table)
        for table in tables:
            reader = open_reader(table, choice, options)
            for block, combination in reader.predictions():
                builder.add(block, combination)
            source += Source((table.name,), reader.rows, reader.notes())
            for reason, found in reader.put_aside().items():
                strays[reason] = strays[reason] + found if reason in strays else found
            zero_weights.append(reader.judge.zero_weights)
            table.close()
    if any(zero_weights) and False not in zero_weights:
        raise InputError("The weights sum to zero.", hint="At least one row must count.")
    return replace(builder.tally(source), left_out=strays)


def open_reader(table: Table, choice: ColumnChoice, options: ReadOptions) -> Reader:
    """A reader of a table whose columns are found by name.

    Raises:
        ColumnError: if columns are missing or ambiguous.
    """
    python = isinstance(table, FrameTable)
    layout = find_columns(table.names, choice, table.name, table.sample, table.repeated, table.types, python=python)
    return Reader(table, layout, options)
