"""`calibrant sample`: which answers of a log to label next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from calibrant.cli.options import SectionedCommand

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["command"]

EPILOG = """\
Examples:
  calibrant sample log.jsonl -o sheet.csv
  calibrant check log.jsonl --truth sheet.csv --join id,question

Exit codes: 0 done, 2 bad use or bad data."""


@click.command(cls=SectionedCommand, name="sample", epilog=EPILOG)
@click.argument("logs", nargs=-1, required=True, metavar="LOG…")
@click.option("-o", "--output", required=True, metavar="FILE", help="Where to write the sheet, a CSV file.")
@click.option("--size", type=int, metavar="N", help="Rows in all (default: what --width needs).")
@click.option("--width", type=float, default=0.10, metavar="P", help="Wanted width of the 95% interval (default 0.10).")
@click.option("--question", "questions", multiple=True, metavar="NAME", help="Only this question (repeatable).")
@click.option("--filled", metavar="SHEET", help="An earlier sheet of the same seed, whose labels are carried over.")
@click.option("--seed", type=int, default=0, metavar="N", help="The same seed draws the same rows (default 0).")
@click.option("--strict", is_flag=True, help="Refuse the first record that cannot be read.")
def command(logs: Sequence[str], output: str, **given: Any) -> None:
    """Draw the answers of a log that are worth labelling next.

    The sheet is blind: it shows no answer of the model. Its weights make every number of
    `check --truth` an estimate for the whole log.
    """
    from calibrant.io.decisions.notices import sentences
    from calibrant.safe import write_atomic
    from calibrant.sample import sample, sheet_notices

    sheet = sample(list(logs), **given)
    write_atomic(output, sheet.to_csv())
    for line in sentences(sheet_notices(sheet, given["width"], logs[0], output)):
        click.echo(line, err=True)
