"""The command line: one thin file a command."""

from __future__ import annotations

from calibrant.cli.app import main

__all__ = ["main"]
