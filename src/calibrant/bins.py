"""Bins: the one rule that says in which bin a probability lies.

Edges are made by division (`k / m`), never by accumulation, so that a typed 0.3 is the edge 0.3 and lies in
[0.3, 0.4). Bins are closed on the left and the last one is closed on both sides; `closed="right"` turns this around.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["ARENA_BANDS", "MAX_BINS", "Bins", "Closed", "check_bin_count"]

Closed = Literal["left", "right"]

MAX_BINS = 10_000
ARENA_BANDS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def check_bin_count(bins: object) -> int:
    """Return `bins` as an int, or say why it is no number of bins.

    Raises:
        OptionError: if it is not a whole number from 1 to 10,000.

    Example:
        >>> check_bin_count(15)
        15
    """
    if not isinstance(bins, (int, np.integer)) or isinstance(bins, bool) or not 1 <= bins <= MAX_BINS:
        raise OptionError(
            f"`bins` must be a whole number from 1 to {MAX_BINS:,}, got {bins!r}.",
            hint="10 is the usual number of bins; give edges to choose your own.",
        )
    return int(bins)


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """Intervals that cover the probabilities; each value lies in exactly one.

    Value p is in bin i iff `edges[i] <= p < edges[i + 1]` (`closed="left"`, the default; the last bin holds its
    upper edge too) or iff `edges[i] < p <= edges[i + 1]` (`closed="right"`; the first bin holds its lower edge too).
    Values outside the edges are taken into the first or last bin.

    Attributes:
        edges: float64, shape (bins + 1,), rising strictly.
        closed: the side that belongs to the bin.
        scheme: how the edges came about: "width", "mass", "own" or "bands".
        requested: the number of bins asked for; equal-mass bins can be fewer.

    Example:
        >>> Bins.width(10).index(np.array([0.0, 0.3, 0.6, 0.7, 1.0])).tolist()
        [0, 3, 6, 7, 9]
    """

    edges: NDArray[np.float64]
    closed: Closed = "left"
    scheme: str = "own"
    requested: int = 0

    @classmethod
    def width(cls, bins: int | np.integer[Any] = 10, *, closed: Closed = "left") -> Bins:
        """`bins` bins of equal width on [0, 1], with edges k / bins."""
        count = check_bin_count(bins)
        return cls(np.arange(count + 1) / count, _check_closed(closed), "width", count)

    @classmethod
    def own(cls, edges: Sequence[float] | NDArray[np.float64], *, closed: Closed = "left") -> Bins:
        """Bins with the given edges.

        Raises:
            OptionError: if there are fewer than two, or they are not finite, inside [0, 1] and rising.
        """
        array = np.asarray(edges, dtype=np.float64)
        fits = array.ndim == 1 and 2 <= array.size <= MAX_BINS + 1
        if not (fits and bool(np.all((array >= 0) & (array <= 1))) and bool(np.all(np.diff(array) > 0))):
            raise OptionError(
                f"Bin edges must rise strictly inside 0 to 1, at least two of them; got {_brief(edges)}.",
                hint="For example edges=[0, 0.05, 0.2, 1].",
            )
        return cls(array, _check_closed(closed), "own", array.size - 1)

    @classmethod
    def bands(cls) -> Bins:
        """The arena's five bands of the top probability, 50–60 … 90–100 %; lower values count into the first."""
        return cls(np.array(ARENA_BANDS), "left", "bands", 5)

    def __len__(self) -> int:
        return self.edges.size - 1

    def index(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        """The bin of each value, by the one edge rule."""
        side: Literal["left", "right"] = "right" if self.closed == "left" else "left"
        found = np.searchsorted(self.edges, values, side=side) - 1
        return np.clip(found, 0, len(self) - 1)

    def describe(self) -> str:
        """A few words for print, such as "10 equal-width bins"."""
        name = {"width": "equal-width", "mass": "equal-mass", "bands": "confidence"}.get(self.scheme, "own")
        unit = "bands" if self.scheme == "bands" else "bins"
        text = f"{len(self)} {name} {unit}"
        if len(self) != self.requested:
            text += f" ({self.requested} asked for)"
        return text if self.closed == "left" else f"{text}, closed on the right"


def _check_closed(closed: str) -> Closed:
    if closed not in ("left", "right"):
        raise OptionError(f'`closed` must be "left" or "right", got {closed!r}.')
    return closed  # type: ignore[return-value]


def _brief(value: object) -> str:
    text = str(list(value)) if isinstance(value, (list, tuple, np.ndarray)) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
