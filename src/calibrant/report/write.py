"""Writes a face to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["written"]


def written(text: str, path: str | Path | None) -> str:
    """The text, after writing it to `path` when there is one.

    Example:
        >>> written("text", None)
        'text'
    """
    if path is not None:
        from calibrant.safe import write_atomic

        write_atomic(path, text)
    return text
