"""read_log: paths in, a tally and the facts of the log out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.io.decisions.collect import BY, Collector, Reading
from calibrant.io.decisions.labelled import read_truth
from calibrant.io.decisions.log import LogReader

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from calibrant.io.decisions.answer import Answer
    from calibrant.io.decisions.facts import LogFacts
    from calibrant.tallies.tally import Tally

__all__ = ["read_answers", "read_log"]


def read_answers(path: str | Path, *, strict: bool = False) -> Iterator[tuple[int, Answer]]:
    """Record number and answer, one by one, from one log.

    Raises:
        FileError: if the file cannot be opened or holds no answers.
        RowError: with `strict`, at the first record that cannot be read.
    """
    return iter(LogReader(path, strict=strict))


def read_log(
    paths: str | Path | Sequence[str | Path],
    *,
    truth: str | Path | None = None,
    join: tuple[str, ...] = ("id",),
    by: tuple[str, ...] = BY,
    words: Mapping[str, str] | None = None,
    yes: Collection[str] = (),
    no: Collection[str] = (),
    loglikelihoods: str | None = None,
    renormalise: bool = False,
    cluster: bool = False,
    strict: bool = False,
) -> tuple[Tally, LogFacts]:
    """Read logs of decision models in one pass and bounded memory.

    Args:
        paths: one or more logs; "-" is stdin. Shapes are found by content, record by record.
        truth: a file of labels (CSV, TSV, JSON lines); its labels win over those in the log, and its column `weight`
            (as in a sheet of `calibrant sample`) gives sampling weights.
        join: ("id",), ("id", "question") or ("state",): what labels and answers share.
        by: what makes a slice: "model", "model_asked", "question", "kind", or the name of a tag such as "split".
        words: label word to option name, tried after exact matching.
        yes: further words for yes.
        no: further words for no.
        loglikelihoods: "softmax" or "softmax_per_byte", for logs that hold log-likelihoods.
        renormalise: divide probabilities that do not add up to 1 by their sum; the facts count it.
        cluster: keep sums by item.
        strict: refuse the first record or row that cannot be used.

    Returns:
        The tally, sliced by `by`, and the facts of the log.

    Raises:
        FileError: if a file cannot be opened or holds no answers.
        RowError: if a label is none of its question's options, or something is labelled twice.
        InputError: if no label meets an answer, or log-likelihoods come without a rule.
    """
    listed = [paths] if isinstance(paths, str) or not hasattr(paths, "__iter__") else list(paths)
    reading = Reading(by, words, yes, no, loglikelihoods, renormalise, cluster, strict)
    collector = Collector(reading, None if truth is None else read_truth(truth, join))
    readers = [LogReader(path, strict=strict) for path in listed]
    for reader in readers:
        for number, answer in reader:
            collector.add(number, answer, reader.name)
    return collector.finish(readers)
