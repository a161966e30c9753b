"""`calibrant tally`: rows become a small file that can be shared, stored and added to others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calibrant.cli.options import (
    SectionedCommand,
    column_choice,
    column_options,
    read_options,
    reading_options,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["command"]

EPILOG = """\
Examples:
  calibrant tally monday.csv tuesday.csv -o week.json
  calibrant tally week1.json week2.json -o month.parquet
  calibrant check month.parquet

Exit codes: 0 done, 2 bad use or bad data."""


@click.command(cls=SectionedCommand, name="tally", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("-o", "--output", metavar="FILE", help="Where to write: .json or .parquet (default: JSON to the screen).")
@click.option("--share", is_flag=True, help="Leave no cell of fewer than 5 rows, so that no row can be told apart.")
@column_options
@reading_options
def command(files: Sequence[str], output: str | None, *, share: bool, **given: Any) -> None:
    """Add up rows, or tallies, into one tally.

    A tally holds counts and sums only: no id, text or feature of your rows. Of a probability that occurs once it
    does hold that row's outcome; --share leaves no such cell.
    """
    from calibrant.loading import load
    from calibrant.safe import write_atomic, write_with
    from calibrant.tallies.parquet import write_parquet
    from calibrant.tallies.share import for_sharing
    from calibrant.tallies.store import to_json

    tally = load(files, column_choice(given), read_options(given)).tally
    tally = for_sharing(tally) if share else tally
    if output is None:
        click.echo(to_json(tally), nl=False)
        return
    if Path(output).suffix.lower() == ".parquet":
        write_with(output, lambda draft: write_parquet(tally, draft))
    else:
        write_atomic(output, to_json(tally))
    parts = (tally.left_out, *(part.left_out for part in tally.slices))
    left_out = sum(found.rows for part in parts for found in part.values())
    rows = f"{tally.n:,} rows in {len(tally.slices):,} slice{'s' * (len(tally.slices) != 1)}"
    click.echo(f"Wrote {output}: {rows}, {left_out:,} left out.", err=True)
