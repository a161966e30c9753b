"""Sharing: a tally in which no row stands alone.

An exact cell with one row is that row's probability and outcome. For sharing, views are put on the compact grid and
cells with few rows join their neighbour; totals stay as they are, so scores do not change, and binned numbers change
a little.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.errors import OptionError
from calibrant.predictions import LeftOut
from calibrant.tallies.cells import Cells, group, shifted
from calibrant.tallies.grid import COMPACT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from calibrant.tallies.tally import Slice, Tally

__all__ = ["LEAST_ROWS", "for_sharing"]

LEAST_ROWS = 5


def for_sharing(tally: Tally, least: int = LEAST_ROWS) -> Tally:
    """The tally with no cell of fewer than `least` rows, without record numbers, and without slices smaller than that.

    Raises:
        OptionError: if `least` is below 2, or no slice has that many rows.

    Example:
        >>> import calibrant as cb
        >>> shared = for_sharing(cb.tally([0.1, 0.12, 0.14, 0.5, 0.9, 0.95], [0, 0, 1, 1, 1, 0]))
        >>> int(shared.slices[0].views["event"].rows.sum(axis=1).min())
        6
    """
    if least < 2:
        raise OptionError(f"Cells for sharing must hold at least 2 rows, got {least}.")
    slices = tuple(_slice(part, least) for part in tally.slices if part.n >= least)
    if not slices:
        raise OptionError(f"No slice has {least} rows or more, so that nothing can be shared.")
    return replace(tally, slices=slices, left_out=_without_records(tally.left_out))


def _slice(part: Slice, least: int) -> Slice:
    views = {name: merged(cells.coarsen(COMPACT), least) for name, cells in part.views.items()}
    kept = {name: cells for name, cells in views.items() if cells.n >= least or name in ("event", "top")}
    return replace(part, views=kept, left_out=_without_records(part.left_out), clusters=None)


def merged(cells: Cells, least: int) -> Cells:
    """Grid cells of at least `least` rows: too small ones join the next, the last of them the one before."""
    rows = cells.rows.sum(axis=1)
    place, held = np.zeros(len(cells), dtype=np.intp), 0
    for cell, count in enumerate(rows.tolist()):
        place[cell] = place[cell - 1] + (held >= least) if cell else 0
        held = count if cell and place[cell] != place[cell - 1] else held + count
    if held < least and len(cells):
        place[place == place[-1]] = max(int(place[-1]) - 1, 0)
    start = np.flatnonzero(np.append(True, np.diff(place) > 0)) if len(cells) else np.zeros(0, np.intp)
    anchor = cells.anchor
    fullest = np.array([lo + int(np.argmax(rows[lo:hi])) for lo, hi in _runs(start, len(cells))], dtype=np.intp)
    shift = (anchor - anchor[fullest][np.searchsorted(start, np.arange(len(cells)), side="right") - 1])[:, None]

    def moved(w: NDArray[np.float64], offset: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        return None if offset is None else group(shifted(w, offset, shift), start)

    offset = moved(cells.w, cells.offset)
    assert offset is not None
    # Rows on an edge are told apart only to move a bin's edge; joined cells have lost their edges.
    edge = np.zeros((start.size, 2), dtype=np.int64)
    weighted = cells.weight is not None
    return Cells(
        cells.resolution,
        cells.key[fullest],
        group(cells.rows, start),
        edge,
        offset,
        group(cells.weight, start) if cells.weight is not None else None,
        np.zeros((start.size, 2, 2)) if weighted else None,
        moved(cells.v, cells.offset_v),
    )


def _runs(start: NDArray[np.intp], size: int) -> list[tuple[int, int]]:
    return list(zip(start.tolist(), [*start.tolist()[1:], size], strict=True))


def _without_records(left_out: Mapping[str, LeftOut]) -> dict[str, LeftOut]:
    return {reason: LeftOut(found.rows) for reason, found in left_out.items()}
