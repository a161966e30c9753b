"""`calibrant recalibrate`: repair probabilities, judged on rows that the repair has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calibrant.cli.options import SectionedCommand, column_choice, column_options, read_options, reading_options
from calibrant.cli.show import show

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["command"]

FIT_EPILOG = """\
Examples:
  calibrant recalibrate fit answers.csv -o calibration.json
  calibrant recalibrate fit log.csv --by question --method temperature --model jev-1.13.0
  calibrant recalibrate fit all.csv --fit-on split=train --judge-on split=test

Exit codes: 0 done (also when the answer is: do not recalibrate), 2 bad use or bad data."""

APPLY_EPILOG = """\
Examples:
  calibrant recalibrate apply calibration.json new.csv -o repaired.csv
  calibrant recalibrate export calibration.json --to python

Exit codes: 0 done, 2 bad use, bad data, or a calibration that does not fit."""

METHODS = ("auto", "temperature", "platt", "beta", "isotonic", "venn_abers", "histogram", "vector", "matrix", "levels")


@click.group(name="recalibrate", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Repair probabilities: fit a map, judge it on rows it has not seen, apply it."""


@command.command(cls=SectionedCommand, name="fit", epilog=FIT_EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("-o", "--output", metavar="FILE", help="Write the calibration file (JSON).")
@click.option("--method", type=click.Choice(METHODS), default="auto", help="Method (default auto, which may decline).")
@click.option("--folds", type=int, default=5, metavar="N", help="Parts for cross-fitting (default 5).")
@click.option("--fit-on", metavar="COLUMN=VALUE", help="Fit on these rows only.")
@click.option("--judge-on", metavar="COLUMN=VALUE|FILE", help="Judge on these rows instead of cross-fitting.")
@click.option("--time", metavar="COLUMN", help="Sort by it: fit on the past, judge on what followed.")
@click.option("--model", metavar="NAME", help="Served model version; `apply` then asks for the same.")
@click.option("--no-pool", is_flag=True, help="Let every slice of --by stand alone.")
@click.option("--level", type=float, default=0.95, metavar="P", help="Confidence level (default 0.95).")
@click.option("--seed", type=int, default=0, metavar="N", help="Seed of the folds (default 0).")
@click.option("--all", "full", is_flag=True, help="Every number, not just the first screen.")
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", help="Form shown.")
@click.option("--debug", is_flag=True, expose_value=False, help="Print a traceback when something fails.")
@column_options
@reading_options
def fit(files: Sequence[str], output: str | None, **given: Any) -> None:
    """Fit a repair and say whether it helps on rows it was not fitted on."""
    from calibrant.loading import stored_tally
    from calibrant.recalibration.recalibrate import fit_files, recalibrate

    settings = {
        "method": given["method"],
        "folds": given["folds"],
        "pool": not given["no_pool"],
        "model": given["model"],
        "level": given["level"],
        "seed": given["seed"],
    }
    tallies = [tally for path in files if (tally := stored_tally(path)) is not None]
    if tallies:
        if len(tallies) != len(files):
            raise click.UsageError("Give tallies or files of rows, not both.")
        whole = tallies[0]
        for tally in tallies[1:]:
            whole += tally
        found = recalibrate(whole, **settings)
    else:
        found = fit_files(
            list(files),
            column_choice(given),
            read_options(given),
            judge_on=given["judge_on"],
            fit_on=given["fit_on"],
            time=given["time"],
            **settings,
        )
    if given["form"] == "json":
        click.echo(found.to_json(), nl=False)
    else:
        show(found.report, given["form"], None, full=given["full"])
    if output is not None:
        found.to_json(output)
        click.echo(f"Wrote {output}", err=True)


@command.command(cls=SectionedCommand, name="apply", epilog=APPLY_EPILOG)
@click.argument("calibration", metavar="CALIBRATION")
@click.argument("file", metavar="FILE")
@click.option("-o", "--output", metavar="FILE", help="Where to write (default: the screen).")
@click.option("--prob", multiple=True, metavar="COLUMN", help="Probability; repeat it for one column per option.")
@click.option("--model", metavar="NAME", help="The model version that was served.")
@click.option("--force", is_flag=True, help="Apply in any case, also a map that is not shown to help.")
@click.option("--debug", is_flag=True, expose_value=False, help="Print a traceback when something fails.")
@reading_options
def apply(calibration: str, file: str, output: str | None, **given: Any) -> None:
    """Add repaired probabilities to the rows of a file (outcomes are not needed)."""
    from calibrant.recalibration.applying import apply_to_file
    from calibrant.recalibration.recalibrator import Recalibrator
    from calibrant.safe import write_atomic

    done = apply_to_file(
        Recalibrator.from_json(Path(calibration)),
        file,
        read_options({**given, "weights": "sampling", "truth": None, "join": ""}),
        prob=given["prob"],
        model=given["model"],
        force=given["force"],
    )
    if output is None:
        click.echo(done.text, nl=False)
    else:
        write_atomic(output, done.text)
        click.echo(f"Wrote {output}", err=True)
    for note in done.notes:
        click.echo(note, err=True)


@command.command(name="export")
@click.argument("calibration", metavar="CALIBRATION")
@click.option("--to", "form", type=click.Choice(["python", "javascript", "llama.cpp"]), default="python")
@click.option("--for", "wanted", multiple=True, metavar="COLUMN=VALUE", help="Which map, if there are several.")
@click.option("-o", "--output", metavar="FILE", help="Where to write (default: the screen).")
def export(calibration: str, form: str, wanted: Sequence[str], output: str | None) -> None:
    """Write a map as code without dependencies, or as temperatures for llama.cpp."""
    from calibrant.recalibration.recalibrator import Recalibrator
    from calibrant.safe import write_atomic

    by = dict(part.partition("=")[::2] for part in wanted)
    text = Recalibrator.from_json(Path(calibration)).export(form, **by)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_atomic(output, text)
        click.echo(f"Wrote {output}", err=True)
