"""Noise floors of errors that look at several options: class-wise and top-label.

Class-wise errors share rows, so that only their mean floor follows from cells (the mean of a sum is the sum of the
means). The predicted option parts the rows, so the floor of the top-label error is known in full.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.calibration.noise import NoiseFloor, binned_error, floor_of_cells
from calibrant.intervals.null import FLOOR_DRAWS, null_residuals, p_value, plain_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.bins import Bins
    from calibrant.tallies.cells import Cells

__all__ = ["classwise_floor", "top_label_floor"]


def classwise_floor(views: Sequence[Cells], bins: Sequence[Bins], *, seed: int = 0, draws: int = FLOOR_DRAWS) -> float:
    """Mean class-wise error (mean over options) of a forecaster whose options are each calibrated.

    Its 95% point and a p-value need draws of whole rows, which cells do not keep.

    Args:
        views: one-vs-rest cells of each option.
        bins: the bins of each.
        seed: seed of the draws.
        draws: number of draws.
    """
    pairs = [(cells, part) for cells, part in zip(views, bins, strict=True) if len(cells)]
    return float(np.mean([floor_of_cells(cells, part, seed=seed, draws=draws)[1].mean for cells, part in pairs]))


def top_label_floor(
    views: Sequence[Cells], bins: Sequence[Bins], *, seed: int = 0, draws: int = FLOOR_DRAWS
) -> NoiseFloor:
    """The top-label error, Σ_l P(l)·ECE_l over predicted options l, beside its floor.

    Args:
        views: cells of the rows of each predicted option: confidence and whether it was right.
        bins: the bins of each.
        seed: seed of the draws; each option has a stream of its own under it.
        draws: number of draws.

    Example:
        >>> from calibrant.bins import Bins
        >>> from calibrant.tallies.cells import Cells
        >>> views = [Cells.exact(np.full(50, 0.8), np.repeat([0, 1], [10, 40])) for _ in range(2)]
        >>> found = top_label_floor(views, [Bins.width(10)] * 2)
        >>> round(found.value, 12), found.p_value
        (0.0, 1.0)
    """
    value, null, total = 0.0, np.zeros(draws), 0.0
    for place, (whole, part) in enumerate(zip(views, bins, strict=True)):
        if not len(whole):
            continue
        cells = plain_rows(whole)
        sums = cells.bin_sums(part).occupied()
        weight = float(sums.weight.sum())
        drawn = null_residuals(cells, part, seed=seed + (place << 32), draws=draws)
        null += weight * binned_error(drawn, sums.weight, "l1")
        value += weight * float(binned_error(sums.residual[None, :], sums.weight, "l1")[0])
        total += weight
    null, value = null / total, value / total
    return NoiseFloor(value, float(null.mean()), float(np.quantile(null, 0.95)), p_value(value, null), draws, seed)
