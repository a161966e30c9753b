"""Showing a report: to a terminal, a pipe or a file."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

from calibrant.errors import OptionError

if TYPE_CHECKING:
    from calibrant.report.nodes import Report

__all__ = ["show"]

WIDEST = 100


def show(report: Report, form: str, output: str | None, *, full: bool = False) -> None:
    """Print a report, or write it to a file."""
    if output is None:
        click.echo(_rendered(report, form, terminal=sys.stdout.isatty(), full=full), nl=False)
        return
    from calibrant.safe import write_atomic

    write_atomic(output, _rendered(report, form, terminal=False, full=full))
    click.echo(f"Wrote {output}", err=True)


def _rendered(report: Report, form: str, *, terminal: bool, full: bool) -> str:
    if form == "json":
        text = report.to_json()
    elif form == "markdown":
        text = report.to_markdown(full=full)
    elif form == "html":
        if terminal:
            raise OptionError("A page of HTML is for a file or a pipe.", hint="Add -o report.html.")
        text = report.to_html()
    else:
        width = min(shutil.get_terminal_size((80, 24)).columns, WIDEST) if terminal else 80
        encoding = (sys.stdout.encoding or "utf-8").lower().replace("-", "")
        text = report.to_text(
            full=full,
            width=width,
            colour=terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
            ascii_only=not encoding.startswith("utf"),
        )
    return text if text.endswith("\n") else text + "\n"
