"""Options that several commands share, in sections, and what they become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from calibrant.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibrant.io.options import ColumnChoice, ReadOptions
    from calibrant.measure.options import MeasureOptions

__all__ = [
    "SectionedCommand",
    "column_choice",
    "column_options",
    "measure_options",
    "output_options",
    "read_options",
    "reading_options",
    "statistics_options",
]


class _Option(click.Option):
    """An option that knows under which heading `--help` shows it."""

    def __init__(self, *args: Any, section: str = "Options", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose `--help` shows options under headings and keeps its epilogue's lines."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            if not isinstance(param, click.Option):
                continue
            record = param.get_help_record(ctx)
            if record is not None:
                sections.setdefault(getattr(param, "section", "Options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are, without filling lines."""
        if self.epilog:
            formatter.write_paragraph()
            for line in self.epilog.splitlines():
                formatter.write(f"{line}\n")


@dataclass(frozen=True, slots=True)
class _Group:
    """Options of one section, applied together."""

    section: str
    options: tuple[tuple[tuple[str, ...], dict[str, Any]], ...]

    def __call__(self, command: Callable[..., Any]) -> Callable[..., Any]:
        for names, settings in reversed(self.options):
            command = click.option(*names, cls=_Option, section=self.section, **settings)(command)
        return command


column_options = _Group(
    "Columns (found by name when not given)",
    (
        (
            ("--prob",),
            {
                "multiple": True,
                "metavar": "COLUMN",
                "help": "Probability; repeat it for one column per option, or name one of lists or maps.",
            },
        ),
        (
            ("--outcome",),
            {"multiple": True, "metavar": "COLUMN", "help": "Outcome 0/1, or the right option; repeat it if one-hot."},
        ),
        (("--confidence",), {"metavar": "COLUMN", "help": "Stated confidence in the answer given."}),
        (
            ("--predicted",),
            {"metavar": "COLUMN", "help": "The answer given; right where it equals --outcome."},
        ),
        (("--levels",), {"metavar": "A,B,…", "help": "Ordered levels of a score question, lowest first."}),
        (
            ("--by",),
            {"multiple": True, "metavar": "COLUMN", "help": "Check each value of this column apart (repeatable)."},
        ),
        (("--weight",), {"metavar": "COLUMN", "help": "Weight of each row."}),
        (
            ("--weights",),
            {
                "type": click.Choice(["sampling", "frequency"]),
                "default": "sampling",
                "help": "What weights mean: sampling weights (default), or numbers of repetitions.",
            },
        ),
        (("--cluster",), {"metavar": "COLUMN", "help": "Rows that belong together, such as one item or person."}),
        (("--truth",), {"metavar": "FILE", "help": "Labels that came later, in a file of their own."}),
        (
            ("--join",),
            {"default": "id", "metavar": "id[,question]", "help": "What labels and rows share (default id)."},
        ),
    ),
)

reading_options = _Group(
    "How the file is written",
    (
        (("--percent",), {"is_flag": True, "help": "Probabilities are 0 to 100. (A % sign is understood without it.)"}),
        (("--odds",), {"is_flag": True, "help": "Probabilities are odds in favour, o = p / (1 - p)."}),
        (("--logits",), {"is_flag": True, "help": "Probabilities are log odds, or scores for a softmax."}),
        (("--yes",), {"multiple": True, "metavar": "WORD", "help": "Outcome word that means yes (repeatable)."}),
        (("--no",), {"multiple": True, "metavar": "WORD", "help": "Outcome word that means no (repeatable)."}),
        (
            ("--na",),
            {"multiple": True, "metavar": "CODE", "help": "Code of a missing value (repeatable)."},
        ),
        (("--decimal",), {"metavar": "SIGN", "help": "Decimal sign, . or , (default: found)."}),
        (("--delimiter",), {"metavar": "CHAR", "help": "Character between columns (default: found)."}),
        (("--encoding",), {"metavar": "NAME", "help": "Such as latin-1 (default: UTF-8, or what the file says)."}),
        (("--header/--no-header",), {"default": None, "help": "Whether the first line holds names (default: found)."}),
        (("--skip",), {"type": int, "default": 0, "metavar": "N", "help": "Lines before the table."}),
        (
            ("--word",),
            {"multiple": True, "metavar": "WORD=OPTION", "help": "In logs: a label's word for an option (repeatable)."},
        ),
        (
            ("--loglikelihoods",),
            {
                "type": click.Choice(["softmax", "softmax_per_byte"]),
                "help": "How log-likelihoods in evaluation logs become probabilities.",
            },
        ),
        (("--renormalise",), {"is_flag": True, "help": "Divide the probabilities of a row by their sum."}),
        (("--strict",), {"is_flag": True, "help": "Refuse the first unusable row instead of leaving it out."}),
    ),
)

statistics_options = _Group(
    "Statistics",
    (
        (("--bins",), {"default": "10", "metavar": "N|EDGES", "help": "Number of bins, or edges such as 0,0.1,0.5,1."}),
        (
            ("--binning",),
            {"type": click.Choice(["width", "mass"]), "default": "width", "help": "Bins of equal width or equal mass."},
        ),
        (
            ("--closed",),
            {"type": click.Choice(["left", "right"]), "default": "left", "help": "Side that belongs to a bin."},
        ),
        (("--level",), {"type": float, "default": 0.95, "metavar": "P", "help": "Confidence level (default 0.95)."}),
        (
            ("--floor",),
            {"type": float, "metavar": "P", "help": "Smallest probability in the log loss."},
        ),
        (
            ("--like",),
            {"metavar": "PACKAGE", "help": "Explain the number of sklearn, torchmetrics, netcal or relplot."},
        ),
        (("--seed",), {"type": int, "default": 0, "metavar": "N", "help": "Seed of everything simulated (default 0)."}),
    ),
)

output_options = _Group(
    "Output",
    (
        (("--all", "full"), {"is_flag": True, "help": "Every number and bin, not just the first screen."}),
        (
            ("--format", "form"),
            {
                "type": click.Choice(["text", "json", "markdown", "html"]),
                "default": "text",
                "help": "Form of the report (default text).",
            },
        ),
        (("-o", "--output"), {"metavar": "FILE", "help": "Write the report to a file."}),
        (
            ("--fail-if",),
            {
                "multiple": True,
                "metavar": "RULE",
                "help": 'Exit with 1 if the rule holds, such as "event_ece > 0.08" (repeatable).',
            },
        ),
        (("--debug",), {"is_flag": True, "expose_value": False, "help": "Print a traceback when something fails."}),
    ),
)


def column_choice(given: dict[str, Any]) -> ColumnChoice:
    """The columns that were named on the command line."""
    from calibrant.io.options import ColumnChoice

    levels = tuple(level.strip() for level in given["levels"].split(",")) if given["levels"] else ()
    return ColumnChoice(
        given["prob"],
        given["outcome"],
        given["predicted"],
        given["confidence"],
        levels,
        given["by"],
        given["weight"],
        given["cluster"],
    )


def read_options(given: dict[str, Any]) -> ReadOptions:
    """How the file is written, as said on the command line."""
    from calibrant.io.options import ReadOptions

    delimiter = {"tab": "\t", "\\t": "\t", "space": " "}.get(given["delimiter"], given["delimiter"])
    if delimiter is not None and len(delimiter) != 1:
        raise OptionError(f"--delimiter must be one character, got {delimiter!r}.", hint="Use tab or space by name.")
    names = ("percent", "odds", "logits", "decimal", "na", "yes", "no", "encoding", "header", "skip", "renormalise")
    values = {name: given[name] for name in (*names, "weights", "strict", "truth", "loglikelihoods")}
    values["words"] = tuple(_pair(text) for text in given["word"])
    values["join"] = tuple(part.strip() for part in given["join"].split(",") if part.strip()) or ("id",)
    return ReadOptions(delimiter=delimiter, **values)


def _pair(text: str) -> tuple[str, str]:
    word, equals, option = text.partition("=")
    if not equals or not word or not option:
        raise OptionError(f"--word needs WORD=OPTION, got {text!r}.", hint="For example --word Refunds=refunds.")
    return word, option


def measure_options(given: dict[str, Any], *, thorough: bool = True) -> MeasureOptions:
    """Bins, level, floor and seed, as said on the command line."""
    from calibrant.intervals.wilson import check_level
    from calibrant.measure.options import MeasureOptions

    floor = given["floor"]
    if floor is not None and not 0 < floor < 1:
        raise OptionError(f"--floor must lie between 0 and 1, got {floor:g}.", hint="For example --floor 1e-6.")
    level = check_level(given["level"])
    bins = _bins(given["bins"])
    return MeasureOptions(bins, given["binning"], given["closed"], level, floor, given["seed"], thorough)


def _bins(text: str) -> int | list[float]:
    try:
        return [float(edge) for edge in text.split(",")] if "," in text else int(text)
    except ValueError:
        raise OptionError(
            f"--bins must be a whole number or edges separated by commas, got {text!r}.",
            hint="For example --bins 15 or --bins 0,0.05,0.2,1.",
        ) from None
