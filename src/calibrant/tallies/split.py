"""Splitting counts at random, as if their rows had been dealt one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.tallies.cells import Cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["halves", "split_counts"]


def split_counts(
    rows: NDArray[np.int64], parts: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
    """Counts split into parts of equal size (hypergeometric): part, place and rows of each piece that is not empty.

    Example:
        >>> part, place, rows = split_counts(np.array([3, 5]), 2, np.random.default_rng(0))
        >>> int(rows.sum()), int(rows[part == 0].sum())
        (8, 4)
    """
    left = rows.copy()
    pieces: list[NDArray[np.int64]] = []
    for number in range(parts - 1):
        taken = rng.multivariate_hypergeometric(left, int(left.sum()) // (parts - number), method="marginals")
        pieces.append(taken)
        left = left - taken
    table = np.stack([*pieces, left])
    part, place = np.nonzero(table)
    return part, place, table[part, place]


def halves(cells: Cells, seed: int = 0) -> tuple[Cells, Cells]:
    """Two random halves of exact cells without weights."""
    part, place, rows = split_counts(cells.rows.reshape(-1), 2, np.random.default_rng([seed, 0x11A1F]))
    out = []
    for half in (0, 1):
        counts = np.bincount(place[part == half], rows[part == half], minlength=cells.rows.size).astype(np.int64)
        table = counts.reshape(-1, 2)
        some = table.sum(axis=1) > 0
        out.append(Cells.from_exact(cells.prob[some], table[some], None))
    return out[0], out[1]
