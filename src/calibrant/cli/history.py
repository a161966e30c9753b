"""`calibrant history`: the group of commands that keep and watch tallies over releases."""

from __future__ import annotations

from calibrant.cli.lazy import LazyGroup

__all__ = ["command"]

# Short help of `calibrant history`; each module holds one command, loaded when it is used.
COMMANDS: dict[str, tuple[str, str]] = {}

command = LazyGroup(
    "history",
    table=COMMANDS,
    help="Keep tallies over releases: what moved, and by how much.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
