"""Opening files as tables: finds by content what a file is."""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from calibrant.errors import FileError
from calibrant.io.guess import STDIN
from calibrant.io.json import looks_like_json, open_json
from calibrant.io.opening import head_of
from calibrant.io.sql import literal
from calibrant.io.table import Table, connect, damaged, described
from calibrant.io.text import engine_path, open_text
from calibrant.safe import plain

if TYPE_CHECKING:
    from calibrant.io.options import ReadOptions

__all__ = ["open_file", "spooled_stdin"]


def open_file(path: str | Path, options: ReadOptions) -> Table:
    """Open a file as a table; "-" is standard input.

    Raises:
        FileError: if it cannot be opened, or is no table.
    """
    with ExitStack() as opened:
        table = _open(path, options, opened)
        table.keep = opened.pop_all()
    return table


def _open(path: str | Path, options: ReadOptions, stack: ExitStack) -> Table:
    name = plain(str(path))
    if str(path) == "-":
        path, name = stack.enter_context(spooled_stdin()), STDIN
    path = Path(path)
    head = head_of(path, name)
    if head.data.startswith(b"PAR1"):
        source = literal(str(engine_path(path, stack)))
        return described(name, f"read_parquet({source}, hive_partitioning = false)", connect())
    if head.data.startswith((b"ARROW1", b"FEA1")):
        return _arrow(path, name)
    if looks_like_json(head.data):
        return open_json(engine_path(path, stack), name, head)
    return open_text(engine_path(path, stack), name, head, options)


class spooled_stdin(tempfile.TemporaryDirectory[str]):  # noqa: N801  (used like a function)
    """Standard input as a file, which can be looked at twice."""

    def __enter__(self) -> Path:  # type: ignore[override]
        target = Path(super().__enter__()) / "stdin"
        with target.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        return target


def _arrow(path: Path, name: str) -> Table:
    try:
        from pyarrow import ArrowInvalid, feather
    except ModuleNotFoundError:
        raise FileError(
            f"{name} is an Arrow file, and pyarrow is not installed.", hint="pip install 'calibrant[arrow]'"
        ) from None
    try:
        table = feather.read_table(path)
    except (ArrowInvalid, OSError) as error:
        raise damaged(name, error) from None
    connection = connect()
    connection.register("arrow_table", table)
    return described(name, "arrow_table", connection)
