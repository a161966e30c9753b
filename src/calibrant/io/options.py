"""How a file is read and which of its columns mean what; the same names as on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ColumnChoice", "ReadOptions"]


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """Columns named by the user; whatever is left empty is found by name.

    Attributes:
        prob: column of the probability; several for one column per option.
        outcome: column of the outcome, or of the right option; several for one column per option.
        predicted: column of the predicted option; right is where it equals the outcome.
        confidence: column of the stated confidence in the answer.
        levels: names of ordered levels, lowest first; makes the question a score.
        by: columns whose combinations make slices.
        weight: column of weights.
        cluster: column that names what rows belong together.
        id: column that names the item.
    """

    prob: tuple[str, ...] = ()
    outcome: tuple[str, ...] = ()
    predicted: str | None = None
    confidence: str | None = None
    levels: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    weight: str | None = None
    cluster: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How values are written in the file.

    Attributes:
        percent: probabilities are 0 to 100.
        odds: probabilities are odds in favour, o = p / (1 − p).
        logits: probabilities are log odds, or scores to be put through a softmax.
        decimal: "." or ","; None finds it.
        na: codes of missing values, such as "-999".
        yes: words of the outcome that mean yes.
        no: words of the outcome that mean no.
        delimiter: character between columns; None finds it.
        encoding: such as "latin-1"; None takes UTF-8 or what a byte order mark says.
        header: whether the first line holds names; None finds it.
        skip: lines before the table.
        renormalise: divide the probabilities of a row by their sum.
        weights: "sampling" or "frequency".
        truth: a file with the outcomes, joined to the rows.
        join: columns that rows and truth share.
        strict: refuse the first unusable row instead of leaving it out.
        loglikelihoods: how log-likelihoods in logs become probabilities, "softmax" or "softmax_per_byte".
        words: pairs of a label's word and the option that it means, for logs.
    """

    percent: bool = False
    odds: bool = False
    logits: bool = False
    decimal: str | None = None
    na: tuple[str, ...] = ()
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    skip: int = 0
    renormalise: bool = False
    weights: str = "sampling"
    truth: str | Path | None = None
    join: tuple[str, ...] = ("id",)
    strict: bool = False
    loglikelihoods: str | None = None
    words: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        scales = [name for name in ("percent", "odds", "logits") if getattr(self, name)]
        if len(scales) > 1:
            raise OptionError(f"Use just one of --{', --'.join(scales)}.")
        if bool(self.yes) != bool(self.no):
            raise OptionError(
                "Words for the outcome need both --yes and --no.", hint="For example --yes won --no lost."
            )
        if self.decimal not in (None, ".", ","):
            raise OptionError(f"--decimal must be a point or a comma, got {self.decimal!r}.")
        if self.skip < 0:
            raise OptionError(f"--skip must be 0 or more, got {self.skip}.")
