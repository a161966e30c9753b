"""Reading one table in its layout: its values are read by the engine, and judged block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import RowError
from calibrant.io.expressions import expressions
from calibrant.io.judging import BlockJudge
from calibrant.io.nested import taken
from calibrant.io.outcomes import ask_for_words
from calibrant.io.shapes import Shape, shapes_of
from calibrant.io.truth import JoinedTable
from calibrant.predictions import FIRST_RECORDS, LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from calibrant.io.layout import Layout
    from calibrant.io.options import ReadOptions
    from calibrant.io.table import Table
    from calibrant.predictions import Predictions

__all__ = ["Reader"]


@dataclass(eq=False)
class Reader:
    """Reads one table in its layout.

    Attributes:
        table: the open table.
        layout: its columns by meaning.
        options: how values are written.
        rows: after reading: records in the table, those put aside among them.
        extra: further columns to keep as texts beside the judged rows.
    """

    table: Table
    layout: Layout
    options: ReadOptions
    rows: int = 0
    extra: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        truth = self.table.truth.name if isinstance(self.table, JoinedTable) else ""
        self.judge = BlockJudge(self.layout, self.options, truth)

    def put_aside(self) -> dict[str, LeftOut]:
        """After reading: records that do not fit the table, by reason.

        Raises:
            RowError: if there is one, and rows are not to be left out (strict).
        """
        rejects = self.table.rejects
        for reason, records in rejects.items():
            if self.options.strict:
                raise RowError(
                    f"{records.size:,} of {self.rows:,} records of {self.table.name} cannot be used: {reason} "
                    f"(record {records[0]}).",
                    hint="Correct the record, or leave such rows out (without --strict they are counted and left out).",
                )
        return {
            reason: LeftOut(int(records.size), tuple(records[:FIRST_RECORDS].tolist()))
            for reason, records in rejects.items()
        }

    def notes(self) -> tuple[str, ...]:
        """How the table was understood."""
        options = self.options
        scale = (
            "percent divided by 100"
            if options.percent
            else "odds turned into probabilities"
            if options.odds
            else "log odds turned into probabilities by the logistic function"
            if options.logits and len(self.layout.prob) == 1 and not self.layout.nested
            else "scores turned into probabilities by softmax"
            if options.logits
            else ""
        )
        more = [scale, "probabilities divided by their sum" if options.renormalise else "", *self.judge.notes()]
        return tuple(note for note in (self.layout.note(), *self.table.notes, *more) if note)

    def predictions(self) -> Iterator[tuple[Predictions, tuple[str, ...]]]:
        """Judged blocks, each with the combination of the `by` columns that all its rows have."""
        for judged, combination, _ in self.rows_and_extras():
            yield judged, combination

    def rows_and_extras(self) -> Iterator[tuple[Predictions, tuple[str, ...], dict[str, NDArray[Any]]]]:
        """Judged blocks, their combination, and the `extra` columns of the rows that were kept."""
        start = 0
        columns = dict.fromkeys((*self.layout.columns, *self.extra))
        self.table.use(tuple(columns))
        ask_for_words(self.table, self.layout, self.options)
        shapes: dict[tuple[str, ...], Shape] = {}
        one_number = self.layout.kind in ("yes_no", "answer")

        def look() -> tuple[str, int] | None:
            if one_number or not (self.layout.nested or self.layout.by):
                return None
            found, names = shapes_of(self.layout, self.table.connection)
            shapes.update(found)
            if not self.layout.nested:
                return None
            width = max((max(shape.places, default=0) + 1 for shape in found.values()), default=1)
            short = "FLOAT" in self.table.types.get(self.layout.prob[0], "")
            return taken(self.layout.nested, width, names, short=short), width

        whole = Shape(self.layout.kind, self.layout.options, tuple(range(len(self.layout.prob))))
        for block in self.table.blocks(expressions(self.table, self.layout, self.options, self.extra), look):
            size = len(next(iter(block.values())))
            records = self.table.records(start, size)
            start += size
            for combination, rows in _combinations(block, len(self.layout.by), size):
                part = {name: column[rows] for name, column in block.items()} if rows is not None else block
                shape = None if one_number else shapes.get(combination, whole)
                judged = self.judge.judge(part, records if rows is None else records[rows], shape)
                extras = {name: part[f"extra{place}"][judged.kept] for place, name in enumerate(self.extra)}
                yield judged, combination, extras
        self.rows = start + sum(records.size for records in self.table.rejects.values())


def _combinations(
    block: dict[str, NDArray[Any]], columns: int, size: int
) -> Iterator[tuple[tuple[str, ...], NDArray[np.intp] | None]]:
    """Each combination of the `by` columns in a block, with its rows; None stands for all rows."""
    if not columns:
        yield (), None
        return
    known: dict[tuple[str, ...], int] = {}
    names = zip(*(block[f"by{place}"].tolist() for place in range(columns)), strict=True)
    code = np.fromiter((known.setdefault(name, len(known)) for name in names), dtype=np.intp, count=size)
    order = np.argsort(code, kind="stable")
    starts = np.searchsorted(code[order], np.arange(len(known) + 1))
    for combination, place in known.items():
        yield combination, order[starts[place] : starts[place + 1]]
