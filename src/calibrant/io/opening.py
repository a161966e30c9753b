"""The first bytes of a file: what it is, told by its content and never by its name."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.errors import FileError
from calibrant.safe import plain

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["HEAD_BYTES", "Head", "head_of", "is_gzip"]

HEAD_BYTES = 2**20
GZIP = b"\x1f\x8b"

_TABLES = "Give a CSV, TSV, JSON, JSONL or Parquet file."
_UNPACK = "Unpack it first; .gz is the one kind of compression that is read directly."
_FOREIGN = (
    (b"\x89PNG", "a PNG picture", _TABLES),
    (b"\xff\xd8\xff", "a JPEG picture", _TABLES),
    (b"GIF8", "a GIF picture", _TABLES),
    (b"%PDF", "a PDF document", _TABLES),
    (b"\x7fELF", "a program", _TABLES),
    (b"\x1f\x9d", "a .Z archive", _UNPACK),
    (b"BZh", "a bzip2 archive", _UNPACK),
    (b"\xfd7zXZ", "an xz archive", _UNPACK),
    (b"7z\xbc\xaf", "a 7z archive", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", _UNPACK),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file", "Save the sheet as CSV first."),
    (b"SQLite format 3", "an SQLite database", "Export the table as CSV or Parquet first."),
    (b"\x89HDF", "an HDF5 file", "Export the columns as CSV or Parquet first."),
    (b"\x93NUMPY", "a NumPy file", "Load it and call calibrant.check(prob, outcome)."),
    (b"Obj\x01", "an Avro file", _TABLES),
    (b"ORC", "an ORC file", _TABLES),
    (b"\x80\x02", "a pickle, which is never opened", _TABLES),
    (b"\x80\x03", "a pickle, which is never opened", _TABLES),
    (b"\x80\x04", "a pickle, which is never opened", _TABLES),
    (b"\x80\x05", "a pickle, which is never opened", _TABLES),
)
_PAGES = (b"<!doctype html", b"<html", b"<?xml", b"<head", b"<body")


@dataclass(frozen=True, slots=True)
class Head:
    """The first bytes of a file, decompressed.

    Attributes:
        data: the bytes.
        zipped: whether the file is gzipped.
        whole: whether these bytes are all of it.
    """

    data: bytes
    zipped: bool = False
    whole: bool = True


def is_gzip(path: Path) -> bool:
    """Whether a file starts as gzip files do."""
    with path.open("rb") as file:
        return file.read(2) == GZIP


def head_of(path: Path, name: str | None = None) -> Head:
    """The first bytes of a file, decompressed if it is gzipped.

    Raises:
        FileError: if it cannot be opened, is empty, or is no table at all.
    """
    name = name or plain(str(path))
    found = _read(path, name)
    head = found.data
    if not head:
        raise FileError(f"{name} is empty.", hint="It should hold a header line and a line per prediction.")
    if not head.strip(b"\x00 \r\n\t"):
        raise FileError(f"{name} holds nothing but blanks.", hint="It should hold a header and a line per prediction.")
    for magic, what, hint in _FOREIGN:
        if head.startswith(magic):
            raise FileError(f"{name} is {what}, not a table.", hint=hint)
    if head.startswith(GZIP):
        raise FileError(f"{name} is compressed twice.", hint="Unpack it once: gunzip FILE")
    if head.startswith(b"PK\x03\x04"):
        if b"xl/" in head or path.suffix.lower() in (".xlsx", ".xlsm"):
            raise FileError(f"{name} is an Excel workbook.", hint="Save the sheet as CSV first.")
        raise FileError(f"{name} is a zip archive.", hint=_UNPACK)
    if head[:200].lstrip(b"\xef\xbb\xbf \r\n\t").lower().startswith(_PAGES):
        raise FileError(f"{name} is an HTML or XML page, not a table.", hint="Was an error page saved in its place?")
    if found.zipped and head.startswith((b"PAR1", b"ARROW1", b"FEA1")):
        raise FileError(f"{name} is a Parquet or Arrow file inside gzip.", hint="Unpack it first: gunzip FILE")
    return found


def _read(path: Path, name: str) -> Head:
    try:
        with path.open("rb") as file:
            raw = file.read(HEAD_BYTES + 1)
        zipped = raw[:2] == GZIP
        if zipped:
            with gzip.open(path) as unpacked:
                raw = unpacked.read(HEAD_BYTES + 1)
    except IsADirectoryError:
        raise FileError(f"{name} is a folder.", hint=f"Name the files: calibrant check {name}/*.csv") from None
    except FileNotFoundError:
        raise FileError(f"There is no file {name}.", hint="Check the spelling, and the folder you are in.") from None
    except PermissionError:
        raise FileError(f"{name} may not be read by you.", hint=f"Look at its permissions: ls -l {name}") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileError(f"{name} is a damaged gzip file: {error}.", hint="Fetch or compress it again.") from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else plain(str(error))
        raise FileError(f"Cannot read {name}: {said}.", hint="Is the path right?") from None
    return Head(raw[:HEAD_BYTES], zipped, len(raw) <= HEAD_BYTES)
