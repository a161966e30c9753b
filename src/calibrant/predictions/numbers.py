"""Numbers as they were meant: floats read as the decimals they were rounded from, sums that rounding explains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["SUM_TOLERANCE", "normalise_floats", "sums_to_one"]

SUM_TOLERANCE = 0.02
"""The most that the probabilities of one row may miss 1 by and still count as rounded."""


def normalise_floats(values: ArrayLike) -> NDArray[np.float64]:
    """Numbers as float64, without −0.0; short floats are read as the number they were rounded from.

    A float32 0.7 is 0.699999988 when widened, below the edge 0.7. So where a value is the float32 (or float16)
    rounding of a decimal of at most six (three) places, or of a k/50400, that number is taken.

    Example:
        >>> normalise_floats(np.array([0.7, -0.0], dtype=np.float32)).tolist()
        [0.7, 0.0]
    """
    array = np.asarray(values)
    wide = array.astype(np.float64) + 0.0
    if array.dtype.kind != "f" or array.dtype.itemsize >= 8:
        return wide
    for scale in (50_400.0, 1e6) if array.dtype.itemsize == 4 else (1e3,):
        short = np.rint(wide * scale) / scale
        wide = np.where(short.astype(array.dtype) == array, short, wide)
    return wide


def sums_to_one(p: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.bool_]:
    """True where a row adds up to 1, or misses it by no more than its own rounding to decimals explains.

    A row of k options rounded to steps of s may miss by k·s/2, and by 0.02 at most; nan marks an absent option.
    """
    gap = np.abs(total - 1)
    fine = np.asarray(gap <= 1e-6 * max(p.shape[1], 1))
    unsure = np.flatnonzero(~fine & (gap <= SUM_TOLERANCE + 1e-9))
    if unsure.size:
        rows = np.nan_to_num(p[unsure])
        options = np.count_nonzero(~np.isnan(p[unsure]), axis=1)
        for decimals in (4, 3, 2):
            step = 10.0**-decimals
            rounded = np.all(np.abs(rows / step - np.rint(rows / step)) < 1e-6, axis=1)
            fine[unsure] |= rounded & (gap[unsure] <= options * step / 2 + 1e-9)
    return fine
