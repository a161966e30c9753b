"""The rows behind a comparison: each model's answers with their items, from files, frames or arrays."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import ColumnError, InputError, OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from calibrant.io.options import ColumnChoice, ReadOptions
    from calibrant.predictions import Predictions

__all__ = ["Answers", "check_items", "column_answers", "file_answers", "model_answers"]

SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What one model answered.

    Attributes:
        name: the model.
        by: the slice.
        block: its usable rows.
        items: text, shape (n,): the item of each row.
        cluster: text, shape (n,): the cluster of each row, or None.
        left_out: rows that could not be used.
    """

    name: str
    by: dict[str, str]
    block: Predictions
    items: NDArray[Any]
    cluster: NDArray[Any] | None
    left_out: int

    def __len__(self) -> int:
        return len(self.block)


def file_answers(
    files: Sequence[Any],
    choice: ColumnChoice,
    options: ReadOptions,
    *,
    id: tuple[str, ...] = (),  # noqa: A002  (the word of the command line)
    by_order: bool = False,
    names: Sequence[str] = (),
) -> list[Answers]:
    """One model per file or frame.

    Raises:
        OptionError: if neither an item column nor the order of rows was named.
    """
    if not id and not by_order:
        raise OptionError(
            "Rows of several files are joined by an item column, and none was named.",
            hint="Add --id COLUMN, or --by-order if row 1 of each file is the same item, row 2 too, and so on.",
        )
    labels = list(names) or _file_names(files)
    if len(labels) != len(files):
        raise OptionError(f"There are {len(files)} files and {len(labels)} names.", hint="Give one --name per file.")
    out = []
    for file, label in zip(files, labels, strict=True):
        out += _read(file, choice, options, () if by_order else id, label)
    return out


def model_answers(
    data: Any,
    choice: ColumnChoice,
    options: ReadOptions,
    *,
    model: str,
    id: tuple[str, ...],  # noqa: A002
) -> list[Answers]:
    """One file in which a column names the model.

    Raises:
        OptionError: if no item column was named.
    """
    if not id:
        raise OptionError(
            f"With --model {model} the rows of the models are joined by an item column.", hint="Add --id COLUMN."
        )
    wide = replace(choice, by=(model, *choice.by))
    out = []
    for answers in _read(data, wide, options, id, ""):
        rest = {key: value for key, value in answers.by.items() if key != model}
        out.append(replace(answers, name=answers.by[model], by=rest))
    return out


def column_answers(
    data: Any,
    choice: ColumnChoice,
    options: ReadOptions,
    *,
    columns: Sequence[str],
    id: tuple[str, ...] = (),  # noqa: A002
) -> list[Answers]:
    """One file with a column of probabilities per model and one outcome."""
    if len(set(columns)) < len(columns):
        raise OptionError(f"A column is named twice in --compare-columns {','.join(columns)}.")
    out = []
    for column in columns:
        out += _read(data, replace(choice, prob=(column,)), options, id, column, may_fail=True)
    return out


def _read(
    data: Any,
    choice: ColumnChoice,
    options: ReadOptions,
    id: tuple[str, ...],  # noqa: A002
    name: str,
    *,
    may_fail: bool = False,
) -> list[Answers]:
    from calibrant.io.files import open_file
    from calibrant.io.frames import open_frame
    from calibrant.io.rows import rows_of_tables
    from calibrant.io.truth import join_truth

    table = open_file(data, options) if isinstance(data, (str, Path)) else open_frame(data)
    if options.truth is not None:
        table = join_truth(table, open_file(options.truth, options), options.join)
    extra = (*id, *((choice.cluster,) if choice.cluster and choice.cluster not in id else ()))
    folded = {column.strip().casefold(): column for column in table.names}
    extra = tuple(folded.get(column.strip().casefold(), column) for column in extra)
    groups, source = rows_of_tables([table], choice, options, extra=extra)
    out = []
    for group in groups:
        items = _texts([group.extra[column] for column in extra[: len(id)]]) if id else None
        if items is None:
            if len(groups) > 1:
                raise OptionError("Slices need an item column to be joined by.", hint="Add --id COLUMN.")
            items = _order(group.block, source.rows)
        cluster = None
        if choice.cluster:
            cluster = group.extra[extra[-1] if choice.cluster not in id else extra[id.index(choice.cluster)]]
        left = sum(part.rows for part in group.block.left_out.values())
        if not len(group.block) and not may_fail:
            raise InputError(f"{name or group.by} has no usable row.", hint="See why: calibrant check FILE")
        out.append(Answers(name, dict(group.by), group.block, items, cluster, left))
    return out


def _order(block: Predictions, records: int) -> NDArray[Any]:
    """Record numbers of the rows, where they are certain."""
    left = sum(part.rows for part in block.left_out.values())
    straight = bool(np.array_equal(block.kept, np.arange(len(block))))
    inside = any(first <= len(block) for part in block.left_out.values() for first in part.first)
    if records != len(block) + left or (straight and inside):
        raise InputError(
            "Some records do not fit the table or have no weight, so that rows have no certain order.",
            hint="Join by an item column: --id COLUMN.",
        )
    return (block.kept + 1).astype(object)


def _texts(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    if len(columns) == 1:
        return columns[0].astype(object)
    return np.array([SEPARATOR.join(map(str, row)) for row in zip(*columns, strict=True)], dtype=object)


def _file_names(files: Sequence[Any]) -> list[str]:
    stems = [
        Path(file).stem if isinstance(file, (str, Path)) else f"model {k}" for k, file in enumerate(files, start=1)
    ]
    many = Counter(stems)
    return [str(file) if many[stem] > 1 else stem for stem, file in zip(stems, files, strict=True)]


def check_items(answers: Answers) -> None:
    """Refuse items that a model answered twice.

    Raises:
        ColumnError: if there is one.
    """
    if len(set(answers.items.tolist())) == answers.items.size:
        return
    item, often = Counter(answers.items.tolist()).most_common(1)[0]
    raise ColumnError(
        f"{answers.name or 'A model'} has {often} rows of item {str(item).replace(SEPARATOR, ', ')!r}.",
        hint="Name more columns, such as --id item,question, so that each row is one item.",
    )
