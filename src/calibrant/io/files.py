"""Opening files as tables: finds by content what a file is."""

from __future__ import annotations

import codecs
import json
import re
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from calibrant.errors import FileError
from calibrant.io.dialect import SPACES, Dialect, find_dialect, head_of
from calibrant.io.sql import literal
from calibrant.io.table import Table, connect, damaged, described
from calibrant.safe import plain

if TYPE_CHECKING:
    from calibrant.io.options import ReadOptions

__all__ = ["open_file", "spooled_stdin"]

MAX_OBJECT = 64 * 2**20
NATIVE = ("utf-8", "utf8", "utf-8-sig", "ascii")


def open_file(path: str | Path, options: ReadOptions) -> Table:
    """Open a file as a table; "-" is standard input.

    Raises:
        FileError: if it cannot be opened, or is no table.
    """
    stack = ExitStack()
    name = plain(str(path))
    if str(path) == "-":
        path, name = stack.enter_context(spooled_stdin()), "standard input"
    path = Path(path)
    head = head_of(path)
    if head.startswith(b"PAR1"):
        return described(name, f"read_parquet({literal(str(path))})", connect(), stack)
    if head.startswith((b"ARROW1", b"FEA1")):
        return _arrow(path, name)
    start = head.lstrip(codecs.BOM_UTF8 + b" \t\r\n")[:1]
    if start in (b"{", b"["):
        return _json(path, name, head, stack)
    return _text(path, name, find_dialect(head, options, name), stack)


class spooled_stdin(tempfile.TemporaryDirectory[str]):  # noqa: N801  (used like a function)
    """Standard input as a file, which can be looked at twice."""

    def __enter__(self) -> Path:  # type: ignore[override]
        target = Path(super().__enter__()) / "stdin"
        with target.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        return target


def _text(path: Path, name: str, dialect: Dialect, stack: ExitStack) -> Table:
    zipped = path.open("rb").read(2) == b"\x1f\x8b"
    notes = []
    if dialect.encoding.lower() not in NATIVE or dialect.delimiter == SPACES:
        path = _rewritten(path, dialect, stack, zipped=zipped)
        zipped = False
    if dialect.delimiter not in (",", "\t"):
        notes.append(f"columns separated by {'spaces' if dialect.delimiter == SPACES else repr(dialect.delimiter)}")
    if dialect.decimal == ",":
        notes.append("decimal comma")
    if not dialect.header:
        notes.append("no header: columns are numbered from 1")
    delimiter = "\t" if dialect.delimiter == SPACES else dialect.delimiter
    columns = ", ".join(f"{literal(column)}: 'VARCHAR'" for column in dialect.names)
    skip = dialect.skip + (1 if dialect.header else 0)
    relation = (
        f"read_csv({literal(str(path))}, auto_detect = false, delim = {literal(delimiter)}, quote = '\"', "
        f"escape = '\"', header = false, skip = {skip}, columns = {{{columns}}}, strict_mode = false, "
        f"null_padding = false, ignore_errors = true, store_rejects = true, rejects_limit = 0, "
        f"compression = {literal('gzip' if zipped else 'none')}, max_line_size = {2**24})"
    )
    return Table(name, dialect.names, relation, connect(), {}, dialect.decimal, skip + 1, tuple(notes), keep=stack)


def _rewritten(path: Path, dialect: Dialect, stack: ExitStack, *, zipped: bool) -> Path:
    """A copy in UTF-8, with runs of spaces turned into tabs where they separate columns."""
    import gzip

    target = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "table"
    source = gzip.open(path, "rb") if zipped else path.open("rb")  # noqa: SIM115
    encoding = "utf-8-sig" if dialect.encoding.lower() in NATIVE else dialect.encoding
    try:
        with source, target.open("w", encoding="utf-8", newline="") as out:
            for line in codecs.getreader(encoding)(source):
                text = line.lstrip("\ufeff")
                out.write(re.sub(r"[ \t]+", "\t", text.strip()) + "\n" if dialect.delimiter == SPACES else text)
    except UnicodeError as error:
        raise FileError(
            f"{plain(str(path))} is not written in {dialect.encoding}: {error}.", hint="Name another --encoding."
        ) from None
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


def _json(path: Path, name: str, head: bytes, stack: ExitStack) -> Table:
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise FileError(f"{name} is JSON in UTF-16.", hint="JSON is written in UTF-8; convert it first.")
    text = head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    form = "array" if text.startswith("[") else "newline_delimited"
    names = _json_names(text, name)
    columns = ", ".join(f"{literal(column)}: 'VARCHAR'" for column in names)
    relation = (
        f"read_json({literal(str(path))}, format = {literal(form)}, columns = {{{columns}}}, "
        f"maximum_object_size = {MAX_OBJECT})"
    )
    return Table(name, names, relation, connect(), keep=stack)


def _json_names(text: str, name: str) -> tuple[str, ...]:
    """Keys of the first objects, in order of appearance."""
    decoder = json.JSONDecoder()
    place = 1 if text.startswith("[") else 0
    keys: dict[str, None] = {}
    seen = 0
    while seen < 1000:
        place = _next_object(text, place)
        if place >= len(text):
            break
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break  # the head ends inside an object, or the engine will say what is wrong with it
        if not isinstance(value, dict):
            raise FileError(
                f"{name} is JSON, but not of records: element {seen + 1} is {type(value).__name__}.",
                hint='Records look like {"p": 0.84, "y": 1}, one a line or in one list.',
            )
        keys |= dict.fromkeys(map(str, value))
        seen += 1
    if not keys:
        line = text[:place].count("\n") + 1
        raise FileError(f"{name} is not readable JSON (line {line}).", hint="Is it complete?")
    return tuple(keys)


def _next_object(text: str, place: int) -> int:
    while place < len(text) and text[place] in ", \t\r\n":
        place += 1
    return place if place < len(text) and text[place] != "]" else len(text)
