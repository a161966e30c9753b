"""Which bins: so many of equal width, so many of equal mass, or one's own edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from calibrant.arrays import check_option
from calibrant.bins import Bins, Closed, check_bin_count
from calibrant.errors import OptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.tallies.cells import Cells

__all__ = ["Binning", "BinsLike", "choose_bins", "cube_root_bins", "mass_bins"]

Binning: TypeAlias = "Literal['width', 'mass'] | Sequence[float] | NDArray[np.float64]"
BinsLike: TypeAlias = "int | Literal['auto'] | Bins | Sequence[float] | NDArray[np.float64]"


def cube_root_bins(n: int) -> int:
    """The smallest whole number whose cube is at least `n`, a usual number of bins for `n` rows.

    Whole-number arithmetic throughout: in floating point the cube root of 1000 is a little less than 10.

    Example:
        >>> [cube_root_bins(n) for n in (8, 60, 64, 1000, 1001)]
        [2, 4, 4, 10, 11]

    Source: Sun, Song & Hero (2023), arXiv 2312.03016: bins growing as the cube root of n.
    """
    root: int = max(round(float(n) ** (1 / 3)), 1)
    while root**3 >= n and root > 1:
        root -= 1
    while root**3 < n:
        root += 1
    return root


def mass_bins(cells: Cells, bins: int) -> Bins:
    """Bins that hold about equally many rows (equally much weight); equal probabilities stay together.

    A cell with the weight c0 before it and c1 up to its end is in bin floor((c0 + c1)/2 · bins / W). Bins that no cell
    falls into are dropped, so there can be fewer than asked for. The order of the rows plays no part.

    Args:
        cells: at least one.
        bins: the number of bins wanted.

    Returns:
        Bins whose edges lie between the cells; `requested` is the number asked for.
    """
    bins = check_bin_count(bins)
    weight = cells.w.sum(axis=1)
    end = np.cumsum(weight)
    place = np.minimum(((2 * end - weight) / 2 * bins / end[-1]).astype(np.intp), bins - 1)
    first = np.flatnonzero(np.diff(place)) + 1
    return Bins(np.concatenate([[0.0], _edge_before(cells, first), [1.0]]), "left", "mass", bins)


def _edge_before(cells: Cells, first: NDArray[np.intp]) -> NDArray[np.float64]:
    """An edge between each cell of `first` and the one before it."""
    if not cells.is_exact:
        low: NDArray[np.float64] = cells.grid.low[cells.key[first]]
        return low
    before, after = cells.prob[first - 1], cells.prob[first]
    between = before + (after - before) / 2
    # Between two neighbouring floats there is no room; the upper one then is the edge, closed on the left.
    return np.where((between > before) & (between < after), between, after)


def choose_bins(cells: Cells, bins: BinsLike = 10, binning: Binning = "width", closed: Closed = "left") -> Bins:
    """The bins that the options `bins`, `binning` and `closed` ask for.

    Raises:
        OptionError: if the options mean nothing, or contradict each other.
    """
    if isinstance(bins, Bins):
        return bins
    edges = bins if isinstance(bins, (Sequence, np.ndarray)) and not isinstance(bins, str) else None
    if not isinstance(binning, str):
        if edges is not None:
            raise OptionError("Edges were given twice, by `bins` and by `binning`.")
        edges = binning
    if edges is not None:
        return Bins.own(edges, closed=closed)
    check_option("binning", binning, ("width", "mass"))
    if isinstance(bins, str):
        check_option("bins", bins, ("auto",))
        bins = cube_root_bins(cells.n)
    if binning == "mass":
        check_option("closed", closed, ("left", "right"))
        return mass_bins(cells, check_bin_count(bins))
    return Bins.width(check_bin_count(bins), closed=closed)
