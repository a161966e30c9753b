"""One check each of what arrays may hold; `arrays` puts them together.

`keep` marks the rows that count: rows of weight 0 are not judged. A refused value is named with its index.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import numpy as np

from calibrant.errors import InputError, RowError
from calibrant.predictions import normalise_floats, sums_to_one

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "as_column",
    "as_numbers",
    "check_length",
    "check_outcomes",
    "check_range",
    "check_sums",
    "check_weights",
    "only_binary",
    "refuse",
]

SMALLEST_WEIGHT = 1e-100
"""Squares of weights enter every standard error; beyond this, and its inverse, they leave the range of floats."""


def as_numbers(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Values as float64, or say that they are no numbers; masked ones become nan."""
    if isinstance(values, np.ma.MaskedArray) and bool(np.any(values.mask)):
        values = np.where(np.ma.getmaskarray(values), np.nan, values.data)
    array = np.asarray(values)
    if array.dtype.kind == "O":
        with contextlib.suppress(TypeError, ValueError):
            array = array.astype(np.float64)
    if array.dtype.kind not in "fiub":
        raise InputError(
            f"`{name}` must hold numbers, got values of type {array.dtype}.",
            hint="Turn words into 0 and 1, and option names into their index, first.",
        )
    return normalise_floats(array)


def as_column(array: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    """An array of shape (n,) or (n, 1) as (n,)."""
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        raise InputError(f"`{name}` must have the shape (n,), got {array.shape}.")
    return array


def check_length(first: NDArray[np.float64], second: NDArray[np.float64], name: str, other: str) -> int:
    """The common number of rows of two arrays, which is not 0."""
    if len(first) != len(second):
        raise InputError(f"`{name}` has {len(first):,} rows and `{other}` has {len(second):,}.")
    if not len(first):
        raise InputError(f"`{name}` and `{other}` are empty.")
    return len(first)


def check_weights(weights: ArrayLike | None, rows: int) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_]]:
    """Weights as float64, and which rows count."""
    everything = np.ones(rows, dtype=bool)
    if weights is None:
        return None, everything
    w = as_column(as_numbers(weights, "weights"), "weights")
    if w.size != rows:
        raise InputError(f"`weights` has {w.size:,} values for {rows:,} rows.")
    refuse(~np.isfinite(w), w, "weights", "not a finite number", everything)
    refuse(w < 0, w, "weights", "negative", everything, hint="A weight says how much a row counts: 0 or more.")
    extreme = (w > 0) & ((w < SMALLEST_WEIGHT) | (w > 1 / SMALLEST_WEIGHT))
    hint = "Only the proportions of weights matter: divide them all by their mean."
    refuse(extreme, w, "weights", "too small or too large to be squared", everything, hint=hint)
    if not w.any():
        raise InputError("The weights sum to zero.", hint="At least one row must count.")
    return w, w > 0


def check_range(p: NDArray[np.float64], name: str, keep: NDArray[np.bool_]) -> None:
    """Refuse probabilities that are missing or outside 0 to 1."""
    refuse(np.isnan(p), p, name, "missing (nan)", keep)
    hint = None
    with np.errstate(invalid="ignore"):
        bad = ~((p >= 0) & (p <= 1))
        if bad[keep].any():
            top = float(np.nanmax(p[keep]))
            percent = 1 < top <= 100 and float(np.nanmin(p[keep])) >= 0 and top > 1.5
            hint = "Divide percentages by 100 first." if percent else "Turn scores or logits into probabilities first."
    refuse(bad, p, name, "outside 0 to 1", keep, hint=hint)


def check_outcomes(y: NDArray[np.float64], keep: NDArray[np.bool_]) -> None:
    """Refuse outcomes other than 0 and 1."""
    refuse(np.isnan(y), y, "outcome", "missing (nan)", keep)
    kinds = np.unique(y[keep][:1000])
    hint = "An outcome is 1 if the event happened, else 0."
    if kinds.size == 2:
        low, high = kinds
        hint = f"If {high:g} means that it happened, give outcome == {high:g}; if {low:g} does, outcome == {low:g}."
    refuse((y != 0) & (y != 1), y, "outcome", "not 0 or 1", keep, hint=hint)


def check_sums(p: NDArray[np.float64], name: str, keep: NDArray[np.bool_]) -> None:
    """Refuse rows whose probabilities miss 1 by more than their rounding explains."""
    total = p.sum(axis=1)
    refuse(
        ~sums_to_one(p, total),
        total,
        f"{name}.sum(axis=1)",
        "not 1 within rounding",
        keep,
        hint="Nothing is renormalised in silence: divide each row by its sum first if that is meant.",
    )


def refuse(
    bad: NDArray[np.bool_],
    values: NDArray[np.float64],
    name: str,
    what: str,
    keep: NDArray[np.bool_],
    *,
    hint: str | None = None,
) -> None:
    """Raise an error that counts the bad values and names the first."""
    found = np.argwhere(bad & (keep if bad.ndim == 1 else keep[:, None]))
    if not len(found):
        return
    place = tuple(int(index) for index in found[0])
    index = ", ".join(map(str, place))
    size = int(keep.sum()) * (1 if bad.ndim == 1 else bad.shape[1])
    are = "is" if len(found) == 1 else "are"
    raise RowError(
        f"{len(found):,} of {size:,} values of `{name}` {are} {what}; first {name}[{index}] = {values[place]:.10g} "
        f"(row {place[0]}).",
        hint=hint,
    )


def only_binary(values: NDArray[np.float64]) -> bool:
    """True when there is nothing but 0 and 1."""
    return bool(np.all((values == 0) | (values == 1)))
