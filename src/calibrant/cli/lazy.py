"""Groups of commands whose modules load when they are used, so that `--help` stays fast."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """A group that knows its commands by name, module and one line of help.

    Each module holds its click command under the name `command`.

    Example:
        >>> group = LazyGroup("calibrant", table={"demo": ("calibrant.cli.demo", "Run `check` on a bundled file.")})
        >>> group.get_command(click.Context(group), "demo").name
        'demo'
    """

    def __init__(self, *args: Any, table: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return [*self.table]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, its module loaded now; None where there is no such name."""
        if cmd_name not in self.table:
            return None
        command = importlib.import_module(self.table[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without loading one of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.table.items()])
