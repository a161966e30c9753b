"""Inspect AI's `.eval` archives: a zip with header.json and one JSON file for each sample."""

from __future__ import annotations

import zipfile
from typing import IO, TYPE_CHECKING, Any

import msgspec

from calibrant.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["archive_records"]

MAX_MEMBER = 2**28
CONVERT = "Convert it with Inspect itself: inspect log convert --to json FILE --output-dir DIR."


def archive_records(stream: IO[bytes], name: str) -> Iterator[dict[str, Any]]:
    """Samples of an archive, one at a time.

    Raises:
        FileError: if it is no such archive, or a part of it is damaged or larger than 256 MB.
    """
    if not stream.seekable():
        raise FileError(f"{name} is an archive and cannot be read from a pipe.", hint="Give the file's path.")
    try:
        with zipfile.ZipFile(stream) as archive:
            members = archive.namelist()
            start = next((one for one in ("header.json", "_journal/start.json") if one in members), None)
            if start is None:
                raise FileError(f"{name} is a zip archive without the header of an Inspect log.")
            header = _json(archive, start, name)
            spec = header.get("eval") if isinstance(header, dict) else None
            spec = spec if isinstance(spec, dict) else {}
            for member in sorted(members):
                if member.startswith("samples/") and member.endswith(".json"):
                    sample = _json(archive, member, name)
                    yield {"inspect_sample": sample, "task": spec.get("task"), "model": spec.get("model")}
    except (zipfile.BadZipFile, EOFError) as wrong:
        raise FileError(f"{name} is a damaged archive: {wrong}.") from wrong
    except NotImplementedError as wrong:
        raise FileError(f"{name} uses a compression that Python cannot read: {wrong}.", hint=CONVERT) from wrong


def _json(archive: zipfile.ZipFile, member: str, name: str) -> Any:
    if archive.getinfo(member).file_size > MAX_MEMBER:
        raise FileError(f"{name}: {member} is larger than 256 MB.", hint=CONVERT)
    try:
        return msgspec.json.decode(archive.read(member))
    except (msgspec.DecodeError, RecursionError) as wrong:
        raise FileError(f"{name}: {member} is not JSON: {wrong}.", hint=CONVERT) from wrong
