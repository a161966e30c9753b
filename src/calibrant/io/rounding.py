"""Rounded probabilities, seen while rows are read: how many decimals, and rows that add up to 1 only so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RoundingWatch"]

DECIMALS = (2, 3, 4)
FEWEST = 10
"""Fewer distinct values than this may have been meant as they are, such as 0.25 and 0.75."""

EXACT = 1e-6


class RoundingWatch:
    """Looks at usable probabilities as they come by.

    Example:
        >>> watch = RoundingWatch()
        >>> watch.see(np.arange(0, 1, 0.05))
        >>> watch.notes()
        ('probabilities rounded to 2 decimals',)
    """

    def __init__(self) -> None:
        self._left = list(DECIMALS)
        self._coarse = True
        self._values: set[int] = set()
        self._rows = 0
        self._off = 0

    def see(self, values: NDArray[np.float64]) -> None:
        """Look at probabilities of shape (n,), or (n, k) with nan for absent options."""
        if values.ndim > 1:
            self._rows += len(values)
            self._off += int(np.count_nonzero(np.abs(np.nansum(values, axis=1) - 1) > EXACT * values.shape[1]))
        flat = values.ravel()
        flat = flat[~np.isnan(flat)]
        # Most probabilities that are not rounded are so from the first rows on.
        for part in (flat[:1000], flat):
            while self._left and not _on_step(part, self._left[0]):
                self._left.pop(0)
            if not self._left:
                return
        self._coarse &= _on_step(flat, 1)
        if len(self._values) < FEWEST:
            self._values |= set(np.unique(np.rint(flat * 1e4)).astype(int).tolist())

    def notes(self) -> tuple[str, ...]:
        """What was seen, in words."""
        out = []
        if self._left and not self._coarse and len(self._values) >= FEWEST:
            out.append(f"probabilities rounded to {self._left[0]} decimals")
        if self._off:
            verb = "adds" if self._off == 1 else "add"
            out.append(f"{self._off:,} of {self._rows:,} rows {verb} up to 1 only within rounding")
        return tuple(out)


def _on_step(values: NDArray[np.float64], decimals: int) -> bool:
    scaled = values * 10.0**decimals
    return bool(np.all(np.abs(scaled - np.rint(scaled)) < 1e-7))
