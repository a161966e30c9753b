"""From tables to tallies: values are read by the engine, judged by `predictions`, added up by `tallies`."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import OptionError, RowError
from calibrant.io import sql
from calibrant.io.columns import find_columns
from calibrant.io.frames import FrameTable
from calibrant.io.labels import LabelReader
from calibrant.io.options import ColumnChoice, ReadOptions
from calibrant.io.outcomes import ask_for_words
from calibrant.predictions import FIRST_RECORDS, LeftOut, judge_choices, judge_events, normalise_floats
from calibrant.tallies.clusters import hash_clusters
from calibrant.tallies.collect import TallyBuilder
from calibrant.tallies.tally import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from calibrant.io.layout import Layout
    from calibrant.io.table import Table
    from calibrant.predictions import Predictions
    from calibrant.tallies.tally import Tally, WeightKind

__all__ = ["Reader", "open_reader", "tally_tables"]


def tally_tables(
    tables: Sequence[Table],
    choice: ColumnChoice = ColumnChoice(),  # noqa: B008  (a frozen value)
    options: ReadOptions = ReadOptions(),  # noqa: B008  (a frozen value)
) -> Tally:
    """Read tables and add them up.

    Args:
        tables: open tables; all with the same layout.
        choice: columns named by the user.
        options: how values are written.

    Raises:
        ColumnError: if columns are missing or ambiguous.
        FileError: if a table turns out to be damaged.
        RowError: if rows are refused (strict), or a weight is negative.
    """
    weights: WeightKind | None = None
    if choice.weight is not None:
        if options.weights not in ("sampling", "frequency"):
            raise OptionError(f'--weights must be "sampling" or "frequency", got {options.weights!r}.')
        weights = "frequency" if options.weights == "frequency" else "sampling"
    builder = TallyBuilder(choice.by, weights)
    source = Source()
    strays: dict[str, LeftOut] = {}
    with ExitStack() as opened:
        for table in tables:
            opened.enter_context(table)
        for table in tables:
            reader = open_reader(table, choice, options)
            for block, combination in reader.predictions():
                builder.add(block, combination)
            source += Source((table.name,), reader.rows, reader.notes())
            for reason, found in reader.put_aside().items():
                strays[reason] = strays[reason] + found if reason in strays else found
            table.close()
    return replace(builder.tally(source), left_out=strays)


def open_reader(table: Table, choice: ColumnChoice, options: ReadOptions) -> Reader:
    """A reader of a table whose columns are found by name.

    Raises:
        ColumnError: if columns are missing or ambiguous.
    """
    python = isinstance(table, FrameTable)
    layout = find_columns(table.names, choice, table.name, table.sample, table.repeated, python=python)
    return Reader(table, layout, options)


@dataclass(eq=False)
class Reader:
    """Reads one table in its layout.

    Attributes:
        table: the open table.
        layout: its columns by meaning.
        options: how values are written.
        rows: after reading: records in the table, those put aside among them.
        extra: further columns to keep as texts beside the judged rows.
    """

    table: Table
    layout: Layout
    options: ReadOptions
    rows: int = 0
    extra: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.labels = LabelReader(self.layout.options)

    def put_aside(self) -> dict[str, LeftOut]:
        """After reading: records that do not fit the table, by reason.

        Raises:
            RowError: if there is one, and rows are not to be left out (strict).
        """
        rejects = self.table.rejects
        for reason, records in rejects.items():
            if self.options.strict:
                raise RowError(
                    f"{records.size:,} of {self.rows:,} records of {self.table.name} cannot be used: {reason} "
                    f"(record {records[0]}).",
                    hint="Correct the record, or leave such rows out (without --strict they are counted and left out).",
                )
        return {
            reason: LeftOut(int(records.size), tuple(records[:FIRST_RECORDS].tolist()))
            for reason, records in rejects.items()
        }

    def notes(self) -> tuple[str, ...]:
        """How the table was understood."""
        options = self.options
        scale = (
            "percent divided by 100"
            if options.percent
            else "odds turned into probabilities"
            if options.odds
            else "log odds turned into probabilities by the logistic function"
            if options.logits and len(self.layout.prob) == 1
            else "scores turned into probabilities by softmax"
            if options.logits
            else ""
        )
        more = [scale, "probabilities divided by their sum" if options.renormalise else "", *self.labels.notes]
        return tuple(note for note in (self.layout.note(), *self.table.notes, *more) if note)

    def predictions(self) -> Iterator[tuple[Predictions, tuple[str, ...]]]:
        """Judged blocks, each with the combination of the `by` columns that all its rows have."""
        for judged, combination, _ in self.rows_and_extras():
            yield judged, combination

    def rows_and_extras(self) -> Iterator[tuple[Predictions, tuple[str, ...], dict[str, NDArray[Any]]]]:
        """Judged blocks, their combination, and the `extra` columns of the rows that were kept."""
        start = 0
        self.table.use(tuple(dict.fromkeys((*self.layout.columns, *self.extra))))
        ask_for_words(self.table, self.layout, self.options)
        for block in self.table.blocks(self._expressions()):
            size = len(next(iter(block.values())))
            records = self.table.records(start, size)
            start += size
            for combination, rows in _combinations(block, len(self.layout.by), size):
                part = {name: column[rows] for name, column in block.items()} if rows is not None else block
                judged = self._judged(part, records if rows is None else records[rows])
                extras = {name: part[f"extra{place}"][judged.kept] for place, name in enumerate(self.extra)}
                yield judged, combination, extras
        self.rows = start + sum(records.size for records in self.table.rejects.values())

    def _expressions(self) -> dict[str, str]:
        table, layout, options = self.table, self.layout, self.options
        out = {f"extra{place}": f"coalesce({sql.text(name)}, '')" for place, name in enumerate(self.extra)}
        for place, name in enumerate(layout.prob):
            typed = table.is_number(name)
            pair = sql.number(name, options, table.decimal, typed=typed, percent=options.percent)
            out[f"prob{place}"], out[f"prob_state{place}"] = pair
        if layout.predicted:
            said, true = sql.text(layout.predicted), sql.text(layout.outcome[0])
            same = f"({said} = {true} OR TRY_CAST({said} AS DOUBLE) = TRY_CAST({true} AS DOUBLE))"
            out["outcome0"] = f"CASE WHEN {said} IS NULL OR {true} IS NULL THEN NULL WHEN {same} THEN 1.0 ELSE 0.0 END"
            out["outcome_state0"] = f"CASE WHEN {said} IS NULL OR {true} IS NULL THEN {sql.MISSING} ELSE {sql.OK} END"
        elif layout.kind in ("choice", "score") and len(layout.outcome) == 1:
            out["label"] = sql.text(layout.outcome[0])
        else:
            for place, name in enumerate(layout.outcome):
                typed = table.is_number(name)
                pair = sql.outcome(name, options, table.decimal, typed=typed)
                out[f"outcome{place}"], out[f"outcome_state{place}"] = pair
        # Small columns: the engine holds them all until they are fetched.
        out |= {name: f"CAST({sql_} AS UTINYINT)" for name, sql_ in out.items() if "_state" in name}
        out |= {name: f"CAST({sql_} AS FLOAT)" for name, sql_ in out.items() if re.fullmatch(r"outcome\d+", name)}
        for place, name in enumerate(layout.by):
            out[f"by{place}"] = f"coalesce({sql.text(name)}, '')"
        if layout.weight:
            typed = table.is_number(layout.weight)
            out["weight"], out["weight_state"] = sql.number(layout.weight, options, table.decimal, typed=typed)
        if layout.cluster:
            out["cluster"] = f"coalesce({sql.text(layout.cluster)}, '')"
        return out

    def _judged(self, block: dict[str, NDArray[Any]], records: NDArray[np.int64]) -> Predictions:
        layout, options = self.layout, self.options
        weight = block.get("weight")
        common: dict[str, Any] = {
            "weight": None if weight is None else weight.astype(np.float64),
            "cluster": hash_clusters(block["cluster"]) if layout.cluster else None,
            "records": records,
            "strict": options.strict,
        }
        if layout.kind in ("yes_no", "answer"):
            what = "probability" if layout.kind == "yes_no" else "confidence"
            return judge_events(
                _scaled(block["prob0"], options),
                block["outcome0"],
                kind="yes_no" if layout.kind == "yes_no" else "answer",
                prob_state=_states(block["prob_state0"], what, "not a number"),
                outcome_state=_states(block["outcome_state0"], "outcome", self._outcome_words()),
                **common,
            )
        probs = np.column_stack([_scaled(block[f"prob{k}"], options, softmax=True) for k in range(len(layout.prob))])
        unreadable = np.zeros(len(probs), dtype=bool)
        for place in range(len(layout.prob)):
            unreadable |= block[f"prob_state{place}"] == sql.UNREADABLE
        label, label_state = self._labels(block)
        return judge_choices(
            _softmax(probs) if options.logits else _renormalised(probs) if options.renormalise else probs,
            label,
            options=layout.options,
            kind="score" if layout.kind == "score" else "choice",
            prob_state={"a probability is not a number": unreadable},
            label_state=label_state,
            **common,
        )

    def _labels(self, block: dict[str, NDArray[Any]]) -> tuple[NDArray[np.intp], dict[str, NDArray[np.bool_]]]:
        if "label" in block:
            return self.labels.read(block["label"])
        marks = np.column_stack([block[f"outcome{k}"] for k in range(len(self.layout.outcome))])
        one = (marks == 1).sum(axis=1) == 1
        rest = ((marks == 0) | (marks == 1)).all(axis=1)
        return np.nanargmax(np.nan_to_num(marks), axis=1), {"outcomes do not mark exactly one option": ~(one & rest)}

    def _outcome_words(self) -> str:
        return "not a word of --yes or --no" if self.options.yes else "not 0 or 1"


def _states(state: NDArray[Any], what: str, unreadable: str) -> dict[str, NDArray[np.bool_]]:
    return {
        f"{what} is missing": np.asarray(state == sql.MISSING),
        f"{what} is {unreadable}": np.asarray(state == sql.UNREADABLE),
    }


def _scaled(values: NDArray[Any], options: ReadOptions, *, softmax: bool = False) -> NDArray[Any]:
    values = normalise_floats(values)
    if options.odds:
        odds = values
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(np.isinf(odds), np.sign(odds), odds / (1 + odds))
    if options.logits and not softmax:
        from scipy.special import expit

        return np.asarray(expit(values))
    return values


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import softmax

    with np.errstate(invalid="ignore"):
        return np.asarray(softmax(scores, axis=1))


def _renormalised(probs: NDArray[np.float64]) -> NDArray[np.float64]:
    total = np.nansum(probs, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0, probs / total, probs)


def _combinations(
    block: dict[str, NDArray[Any]], columns: int, size: int
) -> Iterator[tuple[tuple[str, ...], NDArray[np.intp] | None]]:
    """Each combination of the `by` columns in a block, with its rows; None stands for all rows."""
    if not columns:
        yield (), None
        return
    known: dict[tuple[str, ...], int] = {}
    names = zip(*(block[f"by{place}"].tolist() for place in range(columns)), strict=True)
    code = np.fromiter((known.setdefault(name, len(known)) for name in names), dtype=np.intp, count=size)
    order = np.argsort(code, kind="stable")
    starts = np.searchsorted(code[order], np.arange(len(known) + 1))
    for combination, place in known.items():
        yield combination, order[starts[place] : starts[place + 1]]
