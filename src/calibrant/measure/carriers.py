"""What carries the score: the few probabilities that make most of the Brier score and of the log loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from calibrant.tallies.cells import Cells

__all__ = ["Carrier", "carriers"]


class Carrier(NamedTuple):
    """Rows that said the same and came out the same.

    Attributes:
        said: their probability; of a grid cell the mean.
        outcome: 1 if it happened, or was right.
        rows: how many they are.
        brier_share: their share of the Brier score, from 0 to 1.
        log_share: their share of the log loss; None when it is infinite.
    """

    said: float
    outcome: int
    rows: int
    brier_share: float
    log_share: float | None


def carriers(cells: Cells, most: int = 5) -> tuple[Carrier, ...]:
    """The rows that carry most of the Brier score, largest share first.

    Example:
        >>> from calibrant.tallies.cells import Cells
        >>> found = carriers(Cells.exact(np.array([0.8, 0.3, 0.9]), np.array([0, 1, 1])))
        >>> [(row.said, row.outcome, round(row.brier_share, 2)) for row in found]
        [(0.8, 0, 0.56), (0.3, 1, 0.43), (0.9, 1, 0.01)]
    """
    prob, w = cells.prob, cells.w
    missed = np.stack([prob, 1.0 - prob], axis=1)
    brier = w * np.square(missed)
    total = float(brier.sum())
    if total <= 0:
        return ()
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.where(w > 0, w * -np.log(np.maximum(1.0 - missed, 0.0)), 0.0)
    finite = bool(np.all(np.isfinite(log)))
    order = np.argsort(-brier, axis=None, kind="stable")[:most]
    out = []
    for flat in order.tolist():
        cell, outcome = divmod(flat, 2)
        if brier[cell, outcome] <= 0:
            break
        share = float(log[cell, outcome] / log.sum()) if finite else None
        rows = int(cells.rows[cell, outcome])
        out.append(Carrier(float(prob[cell]), outcome, rows, float(brier[cell, outcome]) / total, share))
    return tuple(out)
