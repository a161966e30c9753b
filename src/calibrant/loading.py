"""Loading: whatever holds rows (files, frames) or a tally of them becomes one tally."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from calibrant.errors import InputError
from calibrant.io.decisions.sniff import looks_like_log
from calibrant.io.files import open_file
from calibrant.io.frames import open_frame
from calibrant.io.given import choice_of
from calibrant.io.options import ColumnChoice, ReadOptions
from calibrant.io.read import tally_tables
from calibrant.io.truth import join_truth
from calibrant.report.nodes import Notice
from calibrant.safe import read_capped
from calibrant.tallies.parquet import is_tally as is_parquet_tally
from calibrant.tallies.parquet import read_parquet
from calibrant.tallies.store import from_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.io.table import Table
    from calibrant.tallies.tally import Tally

__all__ = ["Loaded", "load", "load_data", "load_log", "load_tally"]


class Loaded(NamedTuple):
    """What was read: its tally, and what must be known about how it was read."""

    tally: Tally
    notices: tuple[Notice, ...] = ()


def load(
    paths: Sequence[str | Path],
    choice: ColumnChoice = ColumnChoice(),  # noqa: B008  (a frozen value)
    options: ReadOptions = ReadOptions(),  # noqa: B008  (a frozen value)
) -> Loaded:
    """Load files of rows, tallies or logs; "-" is standard input.

    Raises:
        CalibrantError: if a file cannot be read, or files do not fit together.
    """
    shapes = [looks_like_log(path) for path in paths]
    if not any(shapes):
        return Loaded(load_tally(paths, choice, options))
    tables = [path for path, shape in zip(paths, shapes, strict=True) if shape is None]
    if tables:
        logs = [path for path, shape in zip(paths, shapes, strict=True) if shape is not None]
        raise InputError(
            f"{tables[0]} is no log of answers, and {logs[0]} is one; they cannot be checked together.",
            hint="Check logs and tables one by one.",
        )
    return load_log(paths, choice, options)


def load_tally(
    paths: Sequence[str | Path],
    choice: ColumnChoice = ColumnChoice(),  # noqa: B008  (a frozen value)
    options: ReadOptions = ReadOptions(),  # noqa: B008  (a frozen value)
) -> Tally:
    """One tally of several files, of rows or of tallies; "-" is standard input.

    Raises:
        CalibrantError: if a file cannot be read, or tallies do not fit together.
    """
    stored = [tally for path in paths if (tally := stored_tally(path)) is not None]
    rows = [path for path in paths if str(path) == "-" or not _is_tally(path)]
    parts = [*stored, *([tally_tables([_table(path, options) for path in rows], choice, options)] if rows else [])]
    whole = parts[0]
    for part in parts[1:]:
        whole += part
    return whole


def _table(path: str | Path, options: ReadOptions) -> Table:
    table = open_file(path, options)
    return table if options.truth is None else join_truth(table, open_file(options.truth, options), options.join)


def load_log(paths: Sequence[str | Path], choice: ColumnChoice, options: ReadOptions) -> Loaded:
    """Logs of decision models or evaluations.

    Raises:
        CalibrantError: if a log cannot be read, or holds no labelled answer.
    """
    # The readers of logs load when there is a log: they are most of what a table never needs.
    from calibrant.io.decisions.collect import BY
    from calibrant.io.decisions.notices import facts_notices, sentences
    from calibrant.io.decisions.read import read_log

    tally, facts = read_log(
        list(paths),
        truth=options.truth,
        join=options.join,
        words=dict(options.words),
        yes=options.yes,
        no=options.no,
        loglikelihoods=options.loglikelihoods,
        renormalise=options.renormalise,
        cluster=choice.cluster is not None,
        strict=options.strict,
        by=choice.by or BY,
    )
    found = facts_notices(facts)
    notices = zip(found, sentences(found), strict=True)
    return Loaded(tally, tuple(Notice("warning" if one.level == "warning" else "note", text) for one, text in notices))


def stored_tally(path: str | Path) -> Tally | None:
    """The tally that a file holds; None if the file holds rows."""
    if str(path) == "-" or not _is_tally(path):
        return None
    file = Path(path)
    return read_parquet(file) if _head(file, 4) == b"PAR1" else from_json(read_capped(file))


def load_data(data: Any, **given: Any) -> Loaded:
    """A path, a list of paths, a data frame or a dict of columns; `given` are the options of columns and reading."""
    choice, options = choice_of(**given)
    if isinstance(data, (str, Path)):
        return load([data], choice, options)
    if isinstance(data, (list, tuple)) and data and all(isinstance(path, (str, Path)) for path in data):
        return load(data, choice, options)
    frame = open_frame(data)
    table = frame if options.truth is None else join_truth(frame, open_file(options.truth, options), options.join)
    return Loaded(tally_tables([table], choice, options))


def _is_tally(path: str | Path) -> bool:
    file = Path(path)
    if not file.is_file():
        return False
    head = _head(file, 200)
    if head[:4] == b"PAR1":
        return is_parquet_tally(file)
    return head.lstrip().startswith(b"{") and b'"calibrant.tally/' in head


def _head(path: Path, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""
