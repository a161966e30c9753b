"""`calibrant --version`: what is installed, and what is missing for what."""

from __future__ import annotations

import importlib.metadata
import platform
import sys

from calibrant import __version__

__all__ = ["version_text"]

_NEEDED = ("numpy", "scipy", "duckdb", "narwhals", "click", "msgspec")
_OPTIONAL = {
    "pyarrow": "Arrow and Feather files",
    "pandas": "data frames of pandas",
    "polars": "data frames of Polars",
    "matplotlib": "figures from Python (calibrant[plot])",
}


def version_text(*, verbose: bool = False) -> str:
    """The version in one line, or with everything installed that matters."""
    first = f"calibrant {__version__}"
    if not verbose:
        return first
    lines = [first, f"Python {platform.python_version()} on {platform.system()} {platform.machine()} ({sys.prefix})"]
    lines += [f"  {name:<12} {_version(name) or 'MISSING'}" for name in _NEEDED]
    lines += [
        f"  {name:<12} {_version(name) or 'not installed'}{'' if _version(name) else f': needed for {purpose}'}"
        for name, purpose in _OPTIONAL.items()
    ]
    return "\n".join(lines)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
