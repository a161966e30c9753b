"""Rows kept as rows, for what cannot be computed from sums: fits to several options, clusters, order in time."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import ColumnError
from calibrant.io.options import ColumnChoice, ReadOptions
from calibrant.io.read import open_reader
from calibrant.predictions import Predictions, add_left_out
from calibrant.tallies.tally import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from calibrant.io.table import Table

__all__ = ["RowGroup", "joined", "rows_of_tables"]


@dataclass(frozen=True, slots=True, eq=False)
class RowGroup:
    """The rows of one combination of the `by` columns.

    Attributes:
        by: the combination.
        block: the judged rows, in the order of the files.
        extra: further columns as texts, by name, each of the length of the block.
    """

    by: dict[str, str]
    block: Predictions
    extra: dict[str, NDArray[Any]]


def rows_of_tables(
    tables: Sequence[Table],
    choice: ColumnChoice = ColumnChoice(),  # noqa: B008  (a frozen value)
    options: ReadOptions = ReadOptions(),  # noqa: B008  (a frozen value)
    *,
    extra: Sequence[str] = (),
) -> tuple[tuple[RowGroup, ...], Source]:
    """Read tables as judged rows, one group for each combination of the `by` columns.

    Args:
        tables: open tables.
        choice: columns named by the user.
        options: how values are written.
        extra: further columns to keep, as texts.

    Raises:
        ColumnError: if columns are missing or ambiguous.
        FileError: if a table turns out to be damaged.
        RowError: if rows are refused (strict), or a weight is negative.
    """
    found: dict[tuple[str, ...], list[tuple[Predictions, dict[str, NDArray[Any]]]]] = {}
    source = Source()
    with ExitStack() as opened:
        for table in tables:
            opened.enter_context(table)
        for table in tables:
            for name in extra:
                if name not in table.names:
                    raise ColumnError(
                        f"{table.name} has no column {name!r}.", hint=f"Its columns are {', '.join(table.names[:20])}."
                    )
            reader = open_reader(table, choice, options)
            reader.extra = tuple(extra)
            for judged, combination, kept in reader.rows_and_extras():
                found.setdefault(combination, []).append((judged, kept))
            reader.put_aside()
            source += Source((table.name,), reader.rows, reader.notes())
    return tuple(
        RowGroup(
            dict(zip(choice.by, combination, strict=True)),
            joined([block for block, _ in found[combination]]),
            {name: np.concatenate([kept[name] for _, kept in found[combination]]) for name in extra},
        )
        for combination in sorted(found)
    ), source


def joined(blocks: Sequence[Predictions]) -> Predictions:
    """Blocks of one kind with the same options as one."""

    def column(name: str) -> NDArray[Any] | None:
        parts = [getattr(block, name) for block in blocks]
        return None if parts[0] is None else np.concatenate(parts)

    if len(blocks) == 1:
        return blocks[0]
    return replace(
        blocks[0],
        prob=column("prob"),
        outcome=column("outcome"),
        probs=column("probs"),
        label=column("label"),
        weight=column("weight"),
        cluster=column("cluster"),
        kept=np.arange(sum(len(block) for block in blocks)),
        left_out=add_left_out(block.left_out for block in blocks),
    )
