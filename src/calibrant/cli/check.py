"""`calibrant check`: can these probabilities be trusted?"""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from calibrant.cli.options import (
    SectionedCommand,
    column_choice,
    column_options,
    measure_options,
    output_options,
    read_options,
    reading_options,
    statistics_options,
)
from calibrant.cli.show import show

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["command", "typed_command"]

EPILOG = """\
Examples:
  calibrant check predictions.csv
  calibrant check games.csv --prob prob1 --outcome prob1_outcome --by season
  calibrant check answers.csv --fail-if "confidence_ece > 0.08"

Exit codes: 0 done, 1 a rule of --fail-if holds, 2 bad use or bad data."""


@click.command(cls=SectionedCommand, name="check", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@column_options
@reading_options
@statistics_options
@output_options
def command(files: Sequence[str], **given: Any) -> None:
    """Tell whether probabilities can be trusted, how sure that is, and what to do.

    FILE is CSV, TSV, JSON, JSONL or Parquet (also gzipped), a tally, or - for standard input. Columns are found by
    name: probability|p|prob with outcome|y|correct, confidence with correct, or p_OPTION… with label.
    """
    from calibrant.checking import check_tally
    from calibrant.loading import load

    thorough = given["full"] or given["form"] != "text" or bool(given["fail_if"])
    options = measure_options(given, thorough=thorough)
    tally, notices = load(files, column_choice(given), read_options(given))
    report = check_tally(
        tally,
        options,
        fail_if=given["fail_if"],
        command=typed_command(),
        notices=notices,
        like=given["like"],
    )
    show(report, given["form"], given["output"], full=given["full"])
    if report.failed:
        sys.exit(1)


def typed_command() -> str:
    """The command as it was typed, for building the next one."""
    return shlex.join(["calibrant", *sys.argv[1:]])
