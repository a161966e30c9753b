"""The best rising step function through observed shares: what the probabilities should have been."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.tallies.cells import Cells

__all__ = ["IsotonicFit", "isotonic_fit", "pool"]


class IsotonicFit(NamedTuple):
    """A rising step function; one entry per step.

    Attributes:
        low: smallest probability of the step.
        high: largest probability of the step.
        value: observed share of the event in the step; rises from step to step.
        weight: Σw of the step.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    value: NDArray[np.float64]
    weight: NDArray[np.float64]

    def __call__(self, prob: NDArray[np.float64]) -> NDArray[np.float64]:
        """The value at probabilities: that of the step which holds it, or of the nearest lower one."""
        place = np.searchsorted(self.low, prob, side="right") - 1
        out: NDArray[np.float64] = self.value[np.maximum(place, 0)]
        return out


def pool(w: NDArray[np.float64]) -> NDArray[np.intp]:
    """Pool adjacent violators: the places where the steps start.

    Args:
        w: Σw per cell and outcome, shape (m, 2), in the order of the probability; no cell is empty.

    Returns:
        Start of each step, shape (steps,), the first being 0.
    """
    from scipy.optimize import isotonic_regression

    weight = w.sum(axis=1)
    steps = isotonic_regression(w[:, 1] / weight, weights=weight).blocks[:-1]
    # Blocks whose shares are equal but for rounding are one step.
    sums = np.add.reduceat(w, steps, axis=0)
    share = sums[:, 1] / sums.sum(axis=1)
    out: NDArray[np.intp] = steps[np.concatenate([[True], np.diff(share) > 1e-15])]
    return out


def isotonic_fit(cells: Cells) -> IsotonicFit:
    """The isotonic (PAV) fit of outcomes on probabilities; equal probabilities are pooled first.

    Minimises Σw(y − x)² over rising x, and with it every proper score. Of grid cells the mean probability counts.

    Source: Ayer, Brunk, Ewing, Reid & Silverman (1955), Annals of Mathematical Statistics 26.
    """
    cells = cells.pooled()
    start = pool(cells.w)
    sums = np.add.reduceat(cells.w, start, axis=0)
    weight = sums.sum(axis=1)
    prob = cells.prob
    last = np.append(start[1:], len(cells)) - 1
    return IsotonicFit(prob[start], prob[last], sums[:, 1] / weight, weight)
