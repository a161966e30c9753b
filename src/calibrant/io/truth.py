"""Outcomes that came later, in a file of their own, joined to predictions by what both call an item."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import ColumnError, RowError
from calibrant.io.naming import LABEL, OUTCOME
from calibrant.io.sql import identifier, text
from calibrant.io.table import Table
from calibrant.safe import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from calibrant.errors import FileError

__all__ = ["JoinedTable", "join_truth"]


@dataclass(eq=False)
class JoinedTable(Table):
    """Predictions with the columns of their truth; rows without a truth have empty cells there.

    Attributes:
        left: the predictions.
        truth: the outcomes, one row per key.
        keys: columns of the predictions that make the key.
        truth_keys: the same columns of the truth.
    """

    left: Table = field(kw_only=True)
    truth: Table = field(kw_only=True)
    keys: tuple[str, ...] = field(kw_only=True)
    truth_keys: tuple[str, ...] = field(kw_only=True)
    used: tuple[str, ...] = ()

    def sample(self) -> list[list[str]]:
        """The first rows of both as texts, not matched."""
        rows = zip_longest(self.left.sample(), self.truth.sample(), fillvalue=())
        both = [({**_named(self.truth, b), **_own(self, a)} if a or b else {}) for a, b in rows]
        return [[row.get(name, "") for name in self.names] for row in both]

    def use(self, columns: Sequence[str]) -> None:
        """Get ready to read these columns."""
        self.used = tuple(columns)
        self.left.use(tuple(dict.fromkeys([*self.keys, *(name for name in columns if name in self._of_left())])))

    def damaged(self, error: Exception) -> FileError:
        """A sentence for what the engine says of the predictions."""
        return self.left.damaged(error)

    def store(self, columns: str) -> None:
        """Join, and compute columns, given in SQL, into the engine's table `wanted`.

        Raises:
            RowError: if the truth has two rows of one key.
        """
        mine = [name for name in self.used if name in self._of_left()]
        raw = [f"{identifier(name)} AS mine{place}" for place, name in enumerate(mine)]
        raw += [f"{text(name)} AS key{place}" for place, name in enumerate(self.keys)]
        theirs = [name for name in self.used if name not in mine]
        self.left.store(", ".join(raw))
        self.rejects = self.left.rejects
        self.connection.execute("ALTER TABLE wanted RENAME TO mine")
        rows = self._truth_rows(theirs)
        self.connection.register("truth_rows", rows)
        on = " AND ".join(f"mine.key{place} = truth_rows.key{place}" for place in range(len(self.keys)))
        picked = [f"mine{place} AS {identifier(name)}" for place, name in enumerate(mine)]
        picked += [f"theirs{place} AS {identifier(name)}" for place, name in enumerate(theirs)]
        joined = f"FROM mine LEFT JOIN truth_rows ON {on}"
        self.relation = f"(SELECT {', '.join(picked)} {joined} ORDER BY mine.rowid)"
        super().store(columns)
        without, met = self.connection.execute(
            f"SELECT count(*) FILTER (place IS NULL), count(DISTINCT place) {joined}"
        ).fetchone()
        self.notes = (*self.left.notes, self._note(int(without), int(met), len(rows["place"])))

    def close(self) -> None:
        """Let go of both tables."""
        self.left.close()
        self.truth.close()

    def _of_left(self) -> frozenset[str]:
        shadowed = {name for name in self.truth.names if name not in self.truth_keys}
        return frozenset(name for name in self.left.names if name not in shadowed)

    def _truth_rows(self, columns: Sequence[str]) -> dict[str, NDArray[Any]]:
        wanted = {f"key{place}": text(name) for place, name in enumerate(self.truth_keys)}
        wanted |= {f"theirs{place}": text(name) for place, name in enumerate(columns)}
        self.truth.use((*self.truth_keys, *columns))
        blocks = list(self.truth.blocks(wanted))
        rows: dict[str, NDArray[Any]] = {
            name: np.concatenate([np.empty(0, dtype=object), *(block[name].astype(object) for block in blocks)])
            for name in wanted
        }
        size = len(rows["key0"])
        records = self.truth.records(0, size)
        seen: dict[tuple[str, ...], int] = {}
        keys = zip(*(rows[f"key{place}"].tolist() for place in range(len(self.keys))), strict=True)
        for key, record in zip(keys, records.tolist(), strict=True):
            if seen.setdefault(key, record) != record and None not in key:
                said = ", ".join(
                    f"`{plain(name)}` {plain(value, limit=40)!r}"
                    for name, value in zip(self.truth_keys, key, strict=True)
                )
                raise RowError(
                    f"{self.truth.name} has two rows for {said}: records {seen[key]} and {record}.",
                    hint="Keep one of them, or join by more columns: --join id,question",
                )
        return rows | {"place": np.arange(size, dtype=np.int64)}

    def _note(self, without: int, met: int, rows: int) -> str:
        by = ", ".join(f"`{plain(name, limit=40)}`" for name in self.keys)
        said = f"outcomes from {self.truth.name} by {by}"
        if without:
            said += f"; {without:,} row{'s have' if without > 1 else ' has'} none there"
        if met < rows:
            said += f"; {rows - met:,} of its {rows:,} rows {'have' if rows - met > 1 else 'has'} no prediction"
        return said


def join_truth(left: Table, truth: Table, join: Sequence[str]) -> JoinedTable:
    """Predictions with the columns of their truth.

    Columns of the truth stand in front of those of the predictions, whose own outcome columns are hidden.

    Args:
        left: the predictions.
        truth: the outcomes.
        join: columns that both have.

    Raises:
        ColumnError: if a column to join by is missing.
    """
    keys = tuple(_key(left, name) for name in join)
    truth_keys = tuple(_key(truth, name) for name in join)
    added = tuple(name for name in truth.names if name not in truth_keys)
    hidden = {*OUTCOME, *LABEL, *(name.casefold() for name in added)}
    kept = tuple(name for name in left.names if name in keys or name.strip().casefold() not in hidden)
    return JoinedTable(
        left.name,
        (*kept, *(name for name in added if name not in kept)),
        "",
        left.connection,
        {name: kind for name, kind in left.types.items() if name in kept},
        left.decimal,
        left=left,
        truth=truth,
        keys=keys,
        truth_keys=truth_keys,
    )


def _key(table: Table, name: str) -> str:
    for column in table.names:
        if column.strip().casefold() == name.strip().casefold():
            return column
    listed = ", ".join(f"`{plain(column, limit=40)}`" for column in table.names[:12])
    raise ColumnError(
        f"{table.name} has no column {plain(name)!r} to join by; it has {listed}.",
        hint="Name what both files share: --join id",
    )


def _named(table: Table, row: Sequence[str]) -> dict[str, str]:
    return dict(zip(table.names, row, strict=False))


def _own(table: JoinedTable, row: Sequence[str]) -> dict[str, str]:
    return {name: value for name, value in _named(table.left, row).items() if name in table._of_left()}
