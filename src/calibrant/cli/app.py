"""The command `calibrant`: finds commands when they are used and turns errors into sentences and exit codes.

Exit codes: 0 done, 1 a limit failed, 2 bad use or bad data, 130 stopped by the user.
"""

from __future__ import annotations

import os
import sys
import traceback

import click

from calibrant.cli.lazy import LazyGroup
from calibrant.errors import CalibrantError, LimitError

__all__ = ["main"]

COMMANDS = {
    "check": (
        "calibrant.cli.check",
        "Tell whether probabilities can be trusted, how sure that is, and what to do.",
    ),
    "sample": (
        "calibrant.cli.sample",
        "Draw the answers of a log that are worth labelling next.",
    ),
    "tally": (
        "calibrant.cli.tally",
        "Turn rows into a small tally that can be shared, stored and added to others.",
    ),
    "recalibrate": (
        "calibrant.cli.recalibrate",
        "Repair probabilities, judged on rows that the repair has not seen.",
    ),
    "route": (
        "calibrant.cli.route",
        "Choose which answers to act on and which to hand to a person.",
    ),
    "page": (
        "calibrant.cli.page",
        "Open the browser workbench; data given to it never leaves the browser.",
    ),
    "compare": (
        "calibrant.cli.compare",
        "Tell which of several models is better, by how much, and whether that is more than noise.",
    ),
    "demo": (
        "calibrant.cli.demo",
        "Run `check` on a bundled real file.",
    ),
}


class _Commands(LazyGroup):
    """The commands; a file given in place of one is told from a typing error."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS and os.path.exists(name):  # noqa: PTH110
            ctx.fail(f"{name} is a file, not a command. Did you mean: calibrant check {name}")
        return super().resolve_command(ctx, args)


HELP = """When a model says 84%, is it right 84% of the time?

\b
calibrant check predictions.csv   can these probabilities be trusted?
calibrant demo                    see it on a bundled real file

Exit codes: 0 done, 1 a limit failed, 2 bad use or bad data.
"""


@click.group(
    cls=_Commands,
    table=COMMANDS,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.option("--version", is_flag=True, help="Print the version; with --verbose, what is installed too.")
@click.option("--verbose", is_flag=True, help="With --version: what is installed and what is missing for what.")
@click.option("--debug", is_flag=True, help="Print a traceback when something fails.")
@click.pass_context
def _group(ctx: click.Context, *, version: bool, verbose: bool, debug: bool) -> None:
    """When a model says 84%, is it right 84% of the time?"""
    ctx.obj = {"debug": debug}
    if version:
        from calibrant.cli.version import version_text

        click.echo(version_text(verbose=verbose))
        ctx.exit(0)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    arguments = sys.argv[1:] if args is None else args
    debug = "--debug" in arguments
    try:
        code = _group.main(arguments, prog_name="calibrant", standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.ClickException as error:
        error.show()
        code = 2
    except (click.Abort, KeyboardInterrupt):
        _say("Stopped.")
        code = 130
    except CalibrantError as error:
        if debug:
            traceback.print_exc()
        _say(f"Error: {error}")
        code = 1 if isinstance(error, LimitError) else 2
    except BrokenPipeError:
        # The reader of our output has left; pointing stdout elsewhere keeps Python silent at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except MemoryError:
        _say("Error: there is not enough memory for this.\nHint: tally the data in parts and add the tallies.")
        code = 2
    except OSError as error:
        if debug:
            traceback.print_exc()
        _say(f"Error: {error.strerror or error}{f': {error.filename}' if error.filename else ''}.")
        code = 2
    except Exception as error:  # noqa: BLE001  (the last resort: a sentence instead of a traceback)
        if debug:
            traceback.print_exc()
        _say(
            f"Error: Calibrant failed on this input ({type(error).__name__}: {error}). This is a defect.\n"
            "Hint: run again with --debug and report what it prints."
        )
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


def _say(text: str) -> None:
    from calibrant.safe import plain

    click.echo(plain(text), err=True)
