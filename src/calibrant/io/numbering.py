"""Record numbers of records that do not fit, from the line numbers that the engine gives.

The engine counts a record with quoted line breaks once, and empty lines too; a record number counts no empty line.
"""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["empty_lines"]

CHUNK = 2**22
QUOTE, LF, CR = b'"\n\r'


def empty_lines(path: Path, *, zipped: bool, quotes: bool = True) -> NDArray[np.int64]:
    """Numbers, counted from 1, of the empty lines of a file; line breaks inside quotes are not counted.

    Args:
        path: the file.
        zipped: whether it is gzipped.
        quotes: whether quotes are balanced; otherwise they are taken for plain characters.
    """
    found: list[NDArray[np.int64]] = []
    line, filled, quoted, end = 0, 0, 0, 0
    with gzip.open(path, "rb") if zipped else path.open("rb") as file:
        while chunk := file.read(CHUNK):
            data = np.frombuffer(chunk, dtype=np.uint8)
            end = end or (LF if (data == LF).any() else CR)
            ends = data == end
            if quotes:
                marks = np.cumsum(data == QUOTE) + quoted
                ends &= marks % 2 == 0
                quoted = int(marks[-1] % 2)
            # Characters up to each line end, the unfinished line of the chunk before included.
            so_far = filled + np.cumsum((data != LF) & (data != CR))
            at_ends = so_far[ends]
            found.append(line + 1 + np.flatnonzero(np.diff(at_ends, prepend=0) == 0))
            line += at_ends.size
            filled = int(so_far[-1]) - (int(at_ends[-1]) if at_ends.size else 0)
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)
