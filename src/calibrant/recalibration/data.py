"""Data to fit on: arrays, tallies, files and frames become samples, one for each combination of columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.checks import as_numbers, only_binary
from calibrant.errors import InputError, OptionError
from calibrant.predictions import judge_choices, judge_events
from calibrant.recalibration.samples import sample_of_cells, sample_of_predictions
from calibrant.tallies.clusters import hash_clusters
from calibrant.tallies.tally import Source, Tally

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from calibrant.io.options import ColumnChoice, ReadOptions
    from calibrant.predictions import Kind, LeftOut
    from calibrant.recalibration.samples import Sample

__all__ = ["Part", "parts_of_arrays", "parts_of_files", "parts_of_tally", "split_columns"]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The rows of one combination.

    Attributes:
        by: the combination.
        sample: its rows.
        left_out: rows that could not be used, by reason.
        extra: further columns as texts; then every entry of the sample is one row.
    """

    by: dict[str, str]
    sample: Sample
    left_out: Mapping[str, LeftOut]
    extra: Mapping[str, NDArray[Any]]


def parts_of_arrays(
    prob: ArrayLike,
    outcome: ArrayLike,
    *,
    kind: Kind | None = None,
    options: Sequence[str] = (),
    weight: ArrayLike | None = None,
    frequency: bool = False,
    cluster: ArrayLike | None = None,
    order: ArrayLike | None = None,
    logits: bool = False,
) -> tuple[tuple[Part, ...], Source]:
    """One part of arrays; rows that cannot be used are refused, as everywhere with arrays.

    Raises:
        InputError: if shapes do not fit or a value is refused.
    """
    p, y = as_numbers(prob, "prob"), as_numbers(outcome, "outcome")
    if p.shape[:1] != y.shape or not p.size:
        raise InputError(f"`prob` has the shape {p.shape} and `outcome` {y.shape}; there must be one outcome a row.")
    if logits:
        p = _from_logits(p)
    pair = p.ndim == 2 and p.shape[1] == 2 and kind is None and not options
    if pair and only_binary(y):  # as scikit-learn writes yes/no questions
        p = p[:, 1]
    w = None if weight is None else as_numbers(weight, "weight")
    groups = None if cluster is None else hash_clusters(np.asarray(cluster))
    if p.ndim == 1:
        if kind in ("choice", "score"):
            raise InputError(f"A {kind} needs one probability per option, shape (n, k); got shape {p.shape}.")
        single: Any = "answer" if kind == "answer" else "yes_no"
        block = judge_events(p, y, kind=single, weight=w, cluster=groups, strict=True)
    else:
        names = tuple(options) or tuple(str(k) for k in range(p.shape[1]))
        several: Any = "score" if kind == "score" else "choice"
        block = judge_choices(p, y, options=names, kind=several, weight=w, cluster=groups, strict=True)
    extra: dict[str, NDArray[Any]] = {}
    if order is not None:
        extra["time"] = np.asarray(order)[block.kept]
        block = replace(
            block, cluster=np.arange(len(block), dtype=np.uint64) if block.cluster is None else block.cluster
        )
    sample = sample_of_predictions(block, frequency=frequency)
    if order is not None and groups is None:
        sample = replace(sample, cluster=None)
    return (Part({}, sample, block.left_out, extra),), Source(("arrays",), len(y), ("arrays as given",))


def _from_logits(p: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import expit, softmax

    return np.asarray(expit(p) if p.ndim == 1 else softmax(p, axis=1))


def parts_of_tally(tally: Tally) -> tuple[tuple[Part, ...], Source]:
    """Parts of a tally; of choices and scores a tally does not hold the rows that a fit needs.

    Raises:
        InputError: if the tally holds choices or scores, or clusters.
    """
    out = []
    for part in tally.slices:
        if part.kind in ("choice", "score"):
            raise InputError(
                f"A tally does not hold what a fit to {part.kind} questions needs.",
                hint="Give the rows: calibrant recalibrate fit FILE.",
            )
        if part.clusters is not None:
            raise InputError(
                "A tally does not tell which rows belong to one cluster, which must stay together in a fit.",
                hint="Give the rows, with --cluster.",
            )
        cells = part.view("event" if part.kind == "yes_no" else "top")
        if part.n:
            out.append(Part(dict(part.by), sample_of_cells(cells, part.kind, part.options), part.left_out, {}))
    return tuple(out), tally.source


def parts_of_files(
    data: Any,
    choice: ColumnChoice,
    options: ReadOptions,
    *,
    extra: Sequence[str] = (),
) -> tuple[tuple[Part, ...], Source]:
    """Parts of paths, data frames or dicts of columns.

    Args:
        data: a path, several paths, a data frame or a dict of columns.
        choice: columns named by the user.
        options: how values are written.
        extra: further columns to keep row by row.

    Raises:
        CalibrantError: if the data cannot be read.
    """
    from calibrant.io.decisions.sniff import looks_like_log
    from calibrant.io.files import open_file
    from calibrant.io.frames import open_frame
    from calibrant.io.rows import rows_of_tables
    from calibrant.io.truth import join_truth

    single = isinstance(data, (str, Path))
    several = isinstance(data, (list, tuple)) and data and all(isinstance(path, (str, Path)) for path in data)
    paths = [data] if single else list(data) if several else []
    if paths and all(looks_like_log(path) for path in paths):
        return _parts_of_logs(paths, choice, options, extra)
    tables = [open_file(path, options) for path in paths] or [open_frame(data)]
    if options.truth is not None:
        truth = options.truth
        tables = [join_truth(table, open_file(truth, options), options.join) for table in tables]
    groups, source = rows_of_tables(tables, choice, options, extra=extra)
    frequency = options.weights == "frequency"
    out = []
    for group in groups:
        if not len(group.block):
            continue
        block, lone = group.block, bool(extra) and group.block.cluster is None
        if lone:  # every row its own cluster, so that rows stay rows beside their further columns
            block = replace(block, cluster=np.arange(len(block), dtype=np.uint64))
        sample = sample_of_predictions(block, frequency=frequency)
        if lone:
            sample = replace(sample, cluster=None)
        out.append(Part(group.by, sample, group.block.left_out, group.extra))
    if not out:
        raise InputError("There is no row to fit on.", hint="See which rows are left out: calibrant check FILE")
    return tuple(out), source


def _parts_of_logs(
    paths: Sequence[str | Path], choice: ColumnChoice, options: ReadOptions, extra: Sequence[str]
) -> tuple[tuple[Part, ...], Source]:
    from calibrant.io.decisions.collect import BY
    from calibrant.io.decisions.rows import rows_of_logs

    if extra:
        raise InputError(
            "A log of answers has no columns to split or to sort rows by.",
            hint="Fit on one log and judge on another: --judge-on FILE.",
        )
    groups, source = rows_of_logs(
        paths,
        truth=options.truth,
        join=options.join,
        by=choice.by or BY,
        yes=options.yes,
        no=options.no,
        renormalise=options.renormalise,
        cluster=choice.cluster is not None,
        strict=options.strict,
    )
    parts = [Part(group.by, sample_of_predictions(group.block), group.block.left_out, {}) for group in groups]
    if not parts:
        raise InputError("There is no labelled answer to fit on.", hint="See why: calibrant check FILE")
    return tuple(parts), source


def split_columns(given: str | None) -> tuple[str, str] | None:
    """A condition such as "split=train" as column and value."""
    if given is None:
        return None
    column, sign, value = given.partition("=")
    if not sign or not column:
        raise OptionError(
            f"A part of the rows is named as COLUMN=VALUE, got {given!r}.", hint="For example split=train."
        )
    return column.strip(), value.strip()
