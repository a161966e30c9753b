"""Habits that everything shares: atomic writes, harmless text for terminals and spreadsheets, caps on sizes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from calibrant.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MAX_DOCUMENT", "cell", "plain", "read_capped", "write_atomic", "write_with"]

MAX_DOCUMENT = 256 * 2**20
"""The most bytes of a tally, policy or configuration file that are read into memory."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def plain(text: str, *, limit: int | None = None) -> str:
    r"""Text that cannot steer a terminal: control and direction characters become visible escapes.

    Args:
        text: any text, such as a name from a file.
        limit: cut longer texts, with an ellipsis.

    Example:
        >>> plain("\x1b[31mred\x07")
        '\\x1b[31mred\\x07'
    """
    shown = "".join(char if char == "\n" or _harmless(char) else _escape(char) for char in text)
    return shown if limit is None or len(shown) <= limit else shown[: limit - 1] + "…"


def _harmless(char: str) -> bool:
    return char.isprintable() and not 0x202A <= ord(char) <= 0x202E and not 0x2066 <= ord(char) <= 0x2069


def _escape(char: str) -> str:
    return char.encode("unicode_escape", "backslashreplace").decode("ascii")


def cell(value: str) -> str:
    """Text for a CSV cell that no spreadsheet takes for a formula: a risky start gets an apostrophe before it.

    Numbers stay as they are.

    Example:
        >>> cell("=HYPERLINK(1)"), cell("-0.5")
        ("'=HYPERLINK(1)", '-0.5')
    """
    if not value.startswith(_FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return "'" + value
    return value


def write_atomic(path: str | Path, data: str | bytes) -> None:
    """Write a whole file or nothing: a reader sees the old content or the new, also after a crash.

    Raises:
        FileError: if the file cannot be written; what was there before is untouched.
    """

    def write(draft: Path) -> None:
        draft.write_bytes(data.encode() if isinstance(data, str) else data)

    write_with(path, write)


def write_with(path: str | Path, write: Callable[[Path], None]) -> None:
    """Like `write_atomic`, for writers that want a path: `write` fills a draft, which then takes the file's place.

    Raises:
        FileError: if the file cannot be written.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            _write_device(target, write)
            return
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise FileError(
            f"Cannot write {plain(str(path))}: {error.strerror or error}.",
            hint="Choose a folder that exists and may be written, with -o.",
        ) from None
    os.close(handle)
    draft = Path(name)
    try:
        write(draft)
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        draft.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        draft.replace(target)
    except OSError as error:
        raise FileError(f"Cannot write {plain(str(path))}: {error.strerror or error}.") from None
    finally:
        draft.unlink(missing_ok=True)


def _write_device(target: Path, write: Callable[[Path], None]) -> None:
    """Pipes and devices such as /dev/stdout cannot be replaced; they get the content as it is."""
    if target.is_dir():
        raise IsADirectoryError(21, "it is a folder")
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / "draft"
        write(draft)
        target.write_bytes(draft.read_bytes())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_capped(path: str | Path, limit: int = MAX_DOCUMENT) -> bytes:
    """The bytes of a file that must fit into memory.

    Raises:
        FileError: if it cannot be read, or is larger than `limit` bytes.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise FileError(f"Cannot read {plain(str(path))}: {error.strerror or error}.") from None
    if len(data) > limit:
        raise FileError(f"{plain(str(path))} is larger than {limit // 2**20:,} MiB, too large for such a file.")
    return data
