"""Data frames and dicts of columns as tables, without importing the library they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import InputError
from calibrant.io.table import Table, connect, described

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["open_frame"]


def open_frame(data: Any) -> Table:
    """A data frame (pandas, Polars, PyArrow, …) or a dict of columns as a table.

    Raises:
        InputError: if it is neither, or its columns have different lengths.
    """
    if isinstance(data, dict):
        return _table({str(name): np.asarray(column) for name, column in data.items()}, "columns")
    import narwhals as nw

    try:
        frame = nw.from_native(data)
    except TypeError:
        raise InputError(
            f"Data of type {type(data).__name__} cannot be read.",
            hint="Give a path, arrays (probabilities, outcomes), a dict of columns, or a data frame.",
        ) from None
    ready = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    if isinstance(ready, nw.Series):
        raise InputError("One column was given without outcomes.", hint="cb.check(probabilities, outcomes)")
    names = [str(name) for name in ready.columns]
    columns = {name: ready.get_column(original).to_numpy() for name, original in zip(names, ready.columns, strict=True)}
    return _table(columns, f"{type(data).__module__.split('.')[0]} data frame")


def _table(columns: Mapping[str, NDArray[Any]], name: str) -> Table:
    lengths = {column.shape[:1] for column in columns.values()}
    if not columns or len(lengths) != 1 or any(column.ndim != 1 for column in columns.values()):
        raise InputError("Columns must be one-dimensional and of one length, at least one of them.")
    connection = connect()
    connection.register("frame_columns", {key: _engine_column(column) for key, column in columns.items()})
    return described(name, "frame_columns", connection)


def _engine_column(column: NDArray[Any]) -> NDArray[Any]:
    if column.dtype.kind in "fiub" and column.dtype.itemsize <= 8 and column.dtype != np.float16:
        return np.ascontiguousarray(column)
    if column.dtype == np.float16:
        return column.astype(np.float32)
    return np.array([None if _is_missing(value) else str(value) for value in column.tolist()], dtype=object)


def _is_missing(value: object) -> bool:
    return value is None or value != value or str(value) == "<NA>"  # noqa: PLR0124  (nan is not itself)
