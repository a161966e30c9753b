"""`calibrant demo`: the main job on a bundled real file."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import click

from calibrant.cli.options import SectionedCommand, output_options
from calibrant.cli.show import show

__all__ = ["DEMOS", "command"]

DEMOS = {
    "yes-no": ("breast-cancer.csv", "Is this tumour malignant? A naive Bayes model says how likely it is."),
    "answers": ("digits-answers.csv", "Which digit is this? A naive Bayes model answers and says how sure it is."),
    "choices": ("digits-choices.csv", "Which digit is this? A linear model gives a probability for each of ten."),
}


@click.command(cls=SectionedCommand, name="demo")
@click.argument("which", type=click.Choice([*DEMOS]), default="yes-no")
@click.option("--save", is_flag=True, help="Leave the file in this folder for playing with it.")
@output_options
def command(which: str, *, save: bool, **given: Any) -> None:
    """Run `check` on a bundled file of real predictions.

    WHICH is yes-no (default), answers or choices.
    """
    from calibrant.checking import check_tally
    from calibrant.loading import load_tally
    from calibrant.safe import write_atomic

    name, story = DEMOS[which]
    with as_file(files("calibrant") / "data" / name) as path:
        read = load_tally([path])
        content = path.read_bytes()
    tally = replace(read, source=replace(read.source, names=(name,)))
    target = Path(name)
    if save:
        if target.exists() and target.read_bytes() != content:
            raise click.UsageError(f"{name} exists here already, with other content; it was left alone.")
        write_atomic(target, content)
    if given["form"] == "text" and given["output"] is None:
        click.echo(f"{story}\n")
    report = check_tally(tally, fail_if=given["fail_if"], command=f"calibrant check {name}")
    show(report, given["form"], given["output"], full=given["full"])
    if save:
        click.echo(f"Saved {name}.", err=True)
