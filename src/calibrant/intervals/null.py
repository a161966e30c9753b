"""The null: outcomes drawn as if the probabilities were right, y* ~ Bernoulli(p).

Without weights the sum of a bin's outcomes is drawn exactly, as a sum of coin flips; with weights its residual
Σw(p − y*) is drawn from a normal of variance Σw²p(1 − p). One draw costs one uniform a bin, whatever the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.random import STREAMS, FlipSums, normals, uniforms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.bins import Bins
    from calibrant.tallies.cells import Cells

__all__ = [
    "FLOOR_DRAWS",
    "GROUPS",
    "NullGroups",
    "group_residuals",
    "null_groups",
    "null_residuals",
    "p_value",
    "plain_rows",
]

FLOOR_DRAWS = 4_999
GROUPS = 1_200
"""Where single groups are drawn, cells are first merged into about this many, each with one probability."""

SUM_GROUPS = 300
"""The same where only sums over bins are drawn; the spread of p inside a group then changes a bin's variance by less
than a part in 10,000."""


def null_residuals(cells: Cells, bins: Bins, *, seed: int, draws: int = FLOOR_DRAWS) -> NDArray[np.float64]:
    """Draws of the occupied bins' residual sums Σw(p − y*), y* ~ Bernoulli(p); shape (draws, occupied bins).

    Without weights a bin's Σy* is drawn from the distribution of a sum of coin flips (cells merged into about
    300 groups inside the bins, each with its mean probability); with weights the draw is normal.
    """
    cells = plain_rows(cells)
    sums = cells.bin_sums(bins).occupied()
    shape = (draws, sums.n.size)
    if cells.is_weighted:
        return normals(seed, STREAMS["floor"], shape) * np.sqrt(np.maximum(sums.null_variance, 0.0))
    place = cells.bin_index(bins)
    groups = null_groups(cells, place, SUM_GROUPS)
    _, to = np.unique(groups.place, return_inverse=True)
    if to.max(initial=-1) + 1 != sums.n.size:  # closed on the right: a bin may hold rows of its upper edge only
        return normals(seed, STREAMS["floor"], shape) * np.sqrt(np.maximum(sums.null_variance, 0.0))
    law = FlipSums.of(groups.rows, groups.prob, to, sums.n.size)
    return law.mean - law.quantile(uniforms(seed, STREAMS["floor"], shape))


class NullGroups(NamedTuple):
    """Cells merged into groups of nearly one probability.

    Attributes:
        rows: int64, shape (g,).
        prob: float64, shape (g,): mean probability.
        place: intp, shape (g,): the bin of the group.
        cell: intp, shape (m,): the group of each cell.
    """

    rows: NDArray[np.int64]
    prob: NDArray[np.float64]
    place: NDArray[np.intp]
    cell: NDArray[np.intp]


def null_groups(cells: Cells, place: NDArray[np.intp], limit: int = GROUPS) -> NullGroups:
    """Merge neighbouring cells of one bin so that at most `limit` groups (plus one a bin) of equal mass remain.

    Cells stay alone when they are no more than `limit`. A group never straddles a bin's edge.

    Args:
        cells: one view.
        place: the bin of each cell, shape (m,), rising.
        limit: groups wanted.
    """
    rows = cells.rows.sum(axis=1)
    if len(cells) <= limit:
        return NullGroups(rows, np.clip(cells.prob, 0.0, 1.0), place, np.arange(len(cells)))
    middle = np.cumsum(rows) - rows / 2
    share = np.floor(middle * (limit / max(int(rows.sum()), 1))).astype(np.int64)
    new = np.append(True, (np.diff(share) > 0) | (np.diff(place) > 0))
    start = np.flatnonzero(new)
    count = np.add.reduceat(rows, start)
    mean = np.add.reduceat(rows * cells.prob, start) / count
    return NullGroups(count, np.clip(mean, 0.0, 1.0), place[start], np.cumsum(new) - 1)


def group_residuals(
    cells: Cells, limit: int, *, stream: str, seed: int, draws: int
) -> tuple[NullGroups, NDArray[np.float64], NDArray[np.float64]]:
    """Groups of cells, the weight of each, and draws of their residual sums Σw(y* − p) under the null.

    Returns:
        The groups; Σw, shape (g,); the draws, shape (draws, g).
    """
    groups = null_groups(cells, np.zeros(len(cells), np.intp), limit)
    weight = np.bincount(groups.cell, cells.w.sum(axis=1)).astype(np.float64)
    shape = (draws, groups.rows.size)
    if cells.is_weighted:
        variance = np.bincount(groups.cell, np.maximum(cells.sums().null_variance, 0.0))
        return groups, weight, normals(seed, STREAMS[stream], shape) * np.sqrt(variance)
    law = FlipSums.of(groups.rows, groups.prob)
    return groups, weight, law.quantile(uniforms(seed, STREAMS[stream], shape)) - law.mean


def plain_rows(cells: Cells) -> Cells:
    """Cells whose weights are numbers of repetitions (Σw² = Σw, whole) as that many rows; others as they are."""
    if not cells.is_weighted or not np.array_equal(cells.v, cells.w):
        return cells
    return cells.as_frequency() if bool(np.all(cells.w == np.rint(cells.w))) else cells


def p_value(value: float, null: NDArray[np.float64]) -> float:
    """(1 + k) / (1 + B), k being how many of the B draws are at least as large as the value (up to rounding).

    Example:
        >>> p_value(3.0, np.array([1.0, 2.0, 3.0]))
        0.5
    """
    reached = np.count_nonzero(null >= value - 1e-12 * max(1.0, abs(value)))
    return float((1 + reached) / (1 + null.size))
