"""`calibrant compare`: which of two or more models is better, by how much, and is that more than noise?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from calibrant.cli.check import typed_command
from calibrant.cli.options import SectionedCommand, column_choice, column_options, read_options, reading_options
from calibrant.cli.show import show

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["command"]

EPILOG = """\
Examples:
  calibrant compare old.csv new.csv --id item
  calibrant compare runs.csv --model model --id item --cluster author
  calibrant compare weather.csv --compare-columns Logistic,EMOS,ENS --outcome obs
  calibrant compare old.csv new.csv --id item --margin 0.005
  calibrant compare monday.tally.json tuesday.tally.json

Exit codes: 0 done, 2 bad use or bad data."""


@click.command(cls=SectionedCommand, name="compare", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--id", "item", multiple=True, metavar="COLUMN[,COLUMN]", help="Column that names the item (repeatable).")
@click.option("--by-order", is_flag=True, help="Join files row by row instead of by an item column.")
@click.option("--model", metavar="COLUMN", help="Column that names the model, in one file.")
@click.option("--compare-columns", metavar="A,B,…", help="Columns of probabilities, one per model, in one file.")
@click.option("--name", "names", multiple=True, metavar="NAME", help="Name of each file's model, in order.")
@click.option(
    "--score",
    type=click.Choice(["brier", "log_loss", "rps", "accuracy"]),
    default="brier",
    help="The score that decides (default brier).",
)
@click.option("--margin", type=float, metavar="D", help="Differences below it do not matter: asks for equivalence too.")
@click.option("--bins", type=int, default=10, metavar="N", help="Bins of the debiased calibration error (default 10).")
@click.option("--level", type=float, default=0.95, metavar="P", help="Confidence level (default 0.95).")
@click.option("--seed", type=int, default=0, metavar="N", help="Seed of everything simulated (default 0).")
@click.option("--pair", metavar="FILE", help="Write the pair block of two models: sums only, comparable without rows.")
@click.option("--all", "full", is_flag=True, help="Every pair and number, not just the first screen.")
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", help="Form shown.")
@click.option("-o", "--output", metavar="FILE", help="Write the report to a file.")
@click.option("--debug", is_flag=True, expose_value=False, help="Print a traceback when something fails.")
@column_options
@reading_options
def command(files: Sequence[str], **given: Any) -> None:
    """Compare models that answered the same questions.

    Scores are compared on the items that all models answered, joined by --id. Tallies give an unpaired comparison; a
    pair block (--pair) gives a paired one without the rows.
    """
    from calibrant.comparison.comparison import compare_sources
    from calibrant.comparison.judging import Settings
    from calibrant.intervals.wilson import check_level
    from calibrant.safe import write_atomic

    settings = Settings(given["score"], given["margin"], check_level(given["level"]), given["bins"], given["seed"])
    found = compare_sources(
        list(files),
        column_choice(given),
        read_options(given),
        settings,
        id=_listed(given["item"]),
        by_order=given["by_order"],
        model=given["model"],
        compare_columns=_listed((given["compare_columns"] or "",)),
        names=given["names"],
        keep_block=given["pair"] is not None,
    )
    if not given["full"]:
        found = replace(found, command=typed_command())
    if given["form"] != "json":
        show(found.report, given["form"], given["output"], full=given["full"])
    elif given["output"] is None:
        click.echo(found.to_json(), nl=False)
    else:
        found.to_json(given["output"])
        click.echo(f"Wrote {given['output']}", err=True)
    if given["pair"] is not None:
        from calibrant.tallies.pair import pair_to_json

        write_atomic(given["pair"], pair_to_json(found.blocks[0]))
        click.echo(f"Wrote {given['pair']}", err=True)


def _listed(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.strip() for text in texts for part in text.split(",") if part.strip())
