"""The answers of logs kept as rows, for fits that sums cannot serve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.io.decisions.collect import BY, Collector, Reading
from calibrant.io.decisions.labelled import read_truth
from calibrant.io.decisions.log import LogReader
from calibrant.io.rows import RowGroup, joined
from calibrant.tallies.tally import Source, Tally

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from calibrant.predictions import Predictions

__all__ = ["rows_of_logs"]


class _Rows:
    """Stands where a collector has its tally builder, and keeps the blocks."""

    def __init__(self) -> None:
        self.blocks: dict[tuple[str, ...], list[Predictions]] = {}
        self.source = Source()

    def add(self, block: Predictions, combination: tuple[str, ...] = ()) -> None:
        """Keep one block."""
        self.blocks.setdefault(combination, []).append(block)

    def tally(self, source: Source) -> Tally:
        """No tally, but the source that would be in it."""
        self.source = source
        return Tally((), (), source)


def rows_of_logs(
    paths: Sequence[str | Path],
    *,
    truth: str | Path | None = None,
    join: tuple[str, ...] = ("id",),
    by: tuple[str, ...] = BY,
    **reading: Any,
) -> tuple[tuple[RowGroup, ...], Source]:
    """Read logs of decision models as judged rows, one group for each model and question.

    Args:
        paths: logs.
        truth: a file of labels.
        join: what labels and answers share.
        by: what makes a group.
        **reading: further fields of `Reading`.

    Raises:
        CalibrantError: as `read_log`.
    """
    how = Reading(by=by, **reading)
    collector = Collector(how, None if truth is None else read_truth(truth, join))
    rows = _Rows()
    collector._builder = rows  # type: ignore[assignment]
    readers = [LogReader(path, strict=how.strict) for path in paths]
    for reader in readers:
        for number, answer in reader:
            collector.add(number, answer, reader.name)
    collector.finish(readers)
    columns = collector._reading.by
    groups = [
        RowGroup(dict(zip(columns, combination, strict=True)), joined([part for part in parts if len(part)]), {})
        for combination, parts in sorted(rows.blocks.items())
        if any(len(part) for part in parts)
    ]
    return tuple(groups), rows.source
