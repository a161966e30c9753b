"""ECE-sweep: the calibration error with as many equal-mass bins as keep what happens rising."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.arrays import cells_of, check_events
from calibrant.calibration.noise import NoiseFloor, binned_error
from calibrant.intervals.null import GROUPS, group_residuals, p_value, plain_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from calibrant.arrays import Weighting
    from calibrant.calibration.noise import Norm
    from calibrant.tallies.cells import Cells

__all__ = ["SWEEP_DRAWS", "Sweep", "ece_sweep", "sweep_floor", "sweep_of_cells"]

SWEEP_DRAWS = 199
_MOST_BINS = 2_000


class Sweep(NamedTuple):
    """The error, and how many bins it took."""

    value: float
    bins: int


def ece_sweep(
    prob: ArrayLike,
    outcome: ArrayLike,
    *,
    norm: Norm = "l1",
    weights: ArrayLike | None = None,
    weighting: Weighting = "sampling",
) -> Sweep:
    """Calibration error with the largest number of equal-mass bins whose observed shares still rise.

    Bins b = 2, 3, … of equal mass are tried until some share is lower than the one before it; the last b before that
    counts, and 1 if two bins already fail. A probability with the weight c before it is in bin floor(c·b/W), as in the
    authors' code, but equal probabilities are never split. Range 0 to 1, lower is better.

    Args:
        prob: probabilities of the event, shape (n,).
        outcome: 0 or 1, shape (n,).
        norm: "l1", or "l2" as in the authors' code, or "max".
        weights: how much each row counts, shape (n,).
        weighting: "sampling" weights, or "frequency" when a row stands for that many equal rows.

    Returns:
        Value and number of bins.

    Raises:
        InputError: if shapes do not fit or a value is refused.

    Example:
        >>> ece_sweep([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
        Sweep(value=0.15, bins=4)

    Source: Roelofs, Cain, Shlens & Mozer (2022), AISTATS, algorithm 1.
    """
    p, y, w = check_events(prob, outcome, weights)
    return sweep_of_cells(cells_of(p, y, w, weighting), norm)


def sweep_of_cells(cells: Cells, norm: Norm = "l1") -> Sweep:
    """The same from cells; at most 2,000 bins are tried."""
    sums = cells.sums()
    return _sweep(sums.weight, -sums.residual, cells.w[:, 1], norm)


def sweep_floor(cells: Cells, norm: Norm = "l1", *, seed: int = 0, draws: int = SWEEP_DRAWS) -> NoiseFloor:
    """The sweep beside its noise floor; the number of bins is chosen anew in every draw y* ~ Bernoulli(p)."""
    cells = plain_rows(cells)
    groups, weight, null = group_residuals(cells, GROUPS, stream="sweep", seed=seed, draws=draws)
    expected = weight * groups.prob
    errors = np.array([_sweep(weight, row, expected + row, norm).value for row in null])
    value = sweep_of_cells(cells, norm).value
    return NoiseFloor(
        value, float(errors.mean()), float(np.quantile(errors, 0.95)), p_value(value, errors), draws, seed
    )


def _sweep(
    weight: NDArray[np.float64], residual: NDArray[np.float64], events: NDArray[np.float64], norm: Norm
) -> Sweep:
    """Sweep over cells in order: Σw, Σw(y − p) and Σwy of each."""
    end = np.cumsum(weight)
    start = end - weight
    running = np.stack([end, np.cumsum(residual), np.cumsum(events)])
    best = running[:, -1:]
    slack = 1e-12 * float(end[-1])
    for bins in range(2, min(weight.size, _MOST_BINS) + 1):
        cut = np.searchsorted(start, np.arange(1, bins) * (end[-1] / bins) - slack)
        cut = np.unique(cut[(cut > 0) & (cut < weight.size)])
        parts = np.diff(running[:, np.append(cut - 1, weight.size - 1)], axis=1, prepend=0.0)
        share = parts[2] / parts[0]
        if np.any(np.diff(share) < -1e-12):
            break
        best = parts
    value = binned_error(best[1][None, :], best[0], norm)[0]
    return Sweep(float(value), best.shape[1])
