"""`calibrant route`: which answers to act on, and which to hand to a person."""

from __future__ import annotations

import contextlib
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
from calibrant.cli.show import show

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["command"]

EPILOG = """\
Examples:
  calibrant route answers.csv --max-error 0.05 --confidence 0.95
  calibrant route loans.csv --cost-wrong yes=10 --cost-wrong no=2 --cost-review 1 \\
    --review-accuracy 0.97 --review-rows 150 -o policy.json
  calibrant route --policy policy.json new.csv

Exit codes: 0 done (also when the answer is: hand everything to a person), 2 bad use or bad data."""


@click.command(cls=SectionedCommand, name="route", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--cost-wrong", multiple=True, metavar="[OPTION=]X", help="Cost of acting on a wrong answer (repeatable)."
)
@click.option("--cost-review", type=float, metavar="X", help="Cost of a review by a person.")
@click.option("--review-accuracy", type=float, metavar="P", help="Share of reviews that are right, as measured.")
@click.option("--review-rows", type=int, metavar="N", help="Rows that this share was measured on.")
@click.option("--capacity", type=float, metavar="P", help="Largest share of rows that can be reviewed.")
@click.option("--max-error", type=float, metavar="P", help="Certify that at most this share of acted answers is wrong.")
@click.option("--sure", type=float, metavar="P", help="Confidence of the certificate (0.95); --confidence 0.95 too.")
@click.option("--shared", is_flag=True, help="Share 1 - confidence among all slices instead of giving it to each.")
@click.option("--cut", metavar="LEVEL", help="Score questions: act on at most this level, and on above it.")
@click.option("--today", metavar="RULE", help="The rule in use now, 0.7 or 0.4-0.9, to compare with.")
@click.option("--policy", "given_policy", metavar="FILE", help="Judge this policy on the rows, instead of making one.")
@click.option("--level", type=float, default=0.95, metavar="P", help="Confidence level of intervals (default 0.95).")
@click.option("--seed", type=int, default=0, metavar="N", help="Seed of tests (default 0).")
@click.option("-o", "--output", metavar="FILE", help="Write the policy file (JSON).")
@click.option("--all", "full", is_flag=True, help="Every number, not just the first screen.")
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", help="Form shown.")
@click.option("--debug", is_flag=True, expose_value=False, help="Print a traceback when something fails.")
@column_options
@reading_options
def command(files: Sequence[str], output: str | None, **given: Any) -> None:
    """Choose which answers to act on and which to hand to a person, from costs or a certified error rate."""
    from calibrant.loading import load
    from calibrant.routing.choosing import Wish
    from calibrant.routing.policy import Policy
    from calibrant.routing.route import costs_of, recheck_tally, route_tally

    sure = given["sure"] or 0.95
    with contextlib.suppress(TypeError, ValueError):
        # Elsewhere --confidence names a column; beside --max-error a number is how sure the certificate is.
        sure, given["confidence"] = float(given["confidence"]), None
    if given["given_policy"] is not None:
        policy = Policy.from_json(Path(given["given_policy"]))
        tally, _ = load(files, column_choice(given), read_options(given))
        show(recheck_tally(policy, tally, level=given["level"]), given["form"], output, full=given["full"])
        return
    costs = costs_of(
        _costs(given["cost_wrong"]),
        given["cost_review"],
        given["review_accuracy"],
        given["review_rows"],
        given["capacity"],
    )
    wish = Wish(costs, given["max_error"], sure, given["cut"], given["seed"])
    tally, _ = load(files, column_choice(given), read_options(given))
    policy = route_tally(tally, wish, shared=given["shared"], today=given["today"], level=given["level"])
    if given["form"] == "json":
        click.echo(policy.to_json(), nl=False)
    else:
        assert policy.report is not None
        show(policy.report, given["form"], None, full=given["full"])
    if output is not None:
        policy.to_json(output)
        click.echo(f"Wrote {output}", err=True)


def _costs(texts: Sequence[str]) -> float | dict[str, float] | None:
    """One cost, or one for each option; a cost without an option is that of all others."""
    if not texts:
        return None
    out: dict[str, float] = {}
    for text in texts:
        option, sign, value = text.rpartition("=")
        try:
            out[option if sign else ""] = float(value)
        except ValueError:
            raise click.UsageError(f"--cost-wrong is a number or OPTION=NUMBER, got {text!r}.") from None
    return out[""] if set(out) == {""} else out
