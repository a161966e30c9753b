"""Data frames and columns in memory as tables, without importing the library they come from."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import InputError
from calibrant.io.table import SAMPLE_ROWS, Table, connect, described
from calibrant.predictions import normalise_floats

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["FrameTable", "open_frame"]

_HOLDERS = (list, tuple, dict, np.ndarray)
_KINDS = "Give a path, arrays (probabilities, outcomes), a dict of columns, or a data frame."


@dataclass(eq=False)
class FrameTable(Table):
    """Columns in memory; only those that are read are handed to the engine.

    Attributes:
        fetch: gives a column as an array; with a number, its first rows.
    """

    fetch: Callable[[str, int | None], NDArray[Any]] = field(kw_only=True)

    def sample(self) -> list[list[str]]:
        """The first rows as texts."""
        columns = [self.fetch(name, SAMPLE_ROWS).tolist() for name in self.names]
        return [
            ["" if _is_missing(value) else str(value).strip() for value in row] for row in zip(*columns, strict=False)
        ]

    def use(self, columns: Sequence[str]) -> None:
        """Hand the columns to the engine."""
        held = {name: _engine_column(name, self.fetch(name, None)) for name in columns}
        if len({column.shape for column in held.values()}) > 1:
            listed = ", ".join(f"`{name}` {column.size:,}" for name, column in held.items())
            raise InputError(f"Columns of {self.name} have different lengths: {listed}.", hint="Give equal lengths.")
        self.connection.register("frame_columns", held)
        self.types = described(self.name, "frame_columns", self.connection).types


def open_frame(data: Any) -> FrameTable:
    """A data frame (pandas, Polars, PyArrow, …), a dict of columns or a structured array as a table.

    Raises:
        InputError: if it is neither, or two columns have one name.

    Example:
        >>> open_frame({"p": [0.2, 0.9], "y": [0, 1]}).names
        ('p', 'y')
    """
    if isinstance(data, dict):
        return _table({str(name): column for name, column in data.items()}, "columns", _of_mapping)
    if isinstance(data, np.ndarray) and data.dtype.names:
        return _table({name: data[name] for name in data.dtype.names}, "columns", _of_mapping)
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(data)
    except TypeError:
        raise InputError(f"Data of type {type(data).__name__} cannot be read.", hint=_KINDS) from None
    except DuplicateError:
        frame = None
    ready = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    native = list(data.columns) if ready is None else ready.columns
    repeated = [str(name) for name, times in Counter(map(str, native)).items() if times > 1]
    if repeated or ready is None:
        raise InputError(f"The data frame has more than one column `{repeated[0]}`.", hint="Rename one of them.")
    originals = {str(name): name for name in native}

    def fetch(columns: Mapping[str, Any], name: str, rows: int | None) -> NDArray[Any]:
        column = ready.get_column(columns[name])
        column = column if rows is None else column.head(rows)
        if isinstance(column.dtype, (nw.List, nw.Array, nw.Struct)):
            return _objects(column.to_list())
        return np.asarray(column.to_numpy())

    return _table(originals, f"{type(data).__module__.split('.')[0]} data frame", fetch)


def _of_mapping(columns: Mapping[str, Any], name: str, rows: int | None) -> NDArray[Any]:
    column = columns[name]
    if isinstance(column, (list, tuple)) and any(isinstance(value, _HOLDERS) for value in column):
        return _objects(column)[:rows]
    try:
        return np.asarray(column)[:rows]
    except (ValueError, IndexError):
        raise InputError(f"Column `{name}` is not one column of values.", hint="Give one value per row.") from None


def _table(
    columns: Mapping[str, Any], name: str, fetch: Callable[[Mapping[str, Any], str, int | None], NDArray[Any]]
) -> FrameTable:
    if not columns:
        raise InputError("There is no column.", hint=_KINDS)
    return FrameTable(name, tuple(columns), "frame_columns", connect(), fetch=lambda *which: fetch(columns, *which))


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = list(values)
    return out


def _engine_column(name: str, column: NDArray[Any]) -> NDArray[Any]:
    if column.ndim == 2 and column.dtype.kind in "fiu":
        column = _objects(list(column))
    if column.ndim != 1:
        raise InputError(f"Column `{name}` has the shape {column.shape}.", hint="Give one value per row.")
    if column.dtype.kind in "fiub" and column.dtype.itemsize <= 8 and column.dtype != np.float16:
        return np.ascontiguousarray(column)
    if column.dtype == np.float16:
        return normalise_floats(column)
    texts = np.empty(column.size, dtype=object)
    texts[:] = [
        None if _is_missing(value) else _as_json(value) if isinstance(value, _HOLDERS) else str(value)
        for value in column.tolist()
    ]
    return texts


def _as_json(value: Any) -> str:
    """Probabilities of options, in a list or by name; short floats as the decimals that they were."""
    if isinstance(value, dict):
        return json.dumps({str(key): _bare(entry) for key, entry in value.items()})
    if isinstance(value, np.ndarray):
        value = normalise_floats(value).tolist() if value.dtype.kind == "f" else value.tolist()
    return json.dumps([_bare(entry) for entry in value])


def _bare(entry: object) -> object:
    """A number as Python has it; anything else as text, which the reader judges."""
    if isinstance(entry, np.floating):
        return float(normalise_floats(np.asarray(entry)))
    if isinstance(entry, np.integer):
        return int(entry)
    return entry if entry is None or isinstance(entry, (int, float)) else str(entry)


def _is_missing(value: object) -> bool:
    """None, nan, NaT and pandas' NA, which is unequal to nothing and equal to nothing."""
    if value is None or isinstance(value, float):
        return value is None or value != value  # noqa: PLR0124  (nan is not itself)
    return type(value).__name__ in ("NAType", "NaTType")
