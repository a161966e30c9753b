"""Rounded probabilities: a forecast printed as 1.00 may mean 0.996, and an outcome of no is then not impossible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.tallies.cells import Cells

__all__ = ["allow_rounding", "rounding_step"]

MAX_DECIMALS = 4
MIN_VALUES = 3
COARSEST = 0.02
"""Steps wider than this are taken for what was meant, not for rounding."""


def rounding_step(cells: Cells) -> float:
    """The step to which probabilities are rounded, 0.1 to 0.0001, or 0 when they are not, or cells are a grid.

    Example:
        >>> from calibrant.tallies.cells import Cells
        >>> rounding_step(Cells.exact(np.array([0.25, 0.5, 0.75, 0.8]), np.zeros(4, int)))
        0.01
        >>> rounding_step(Cells.exact(np.array([0.123456, 0.5]), np.zeros(2, int)))
        0.0
    """
    if not cells.is_exact or len(cells) < MIN_VALUES:
        return 0.0
    prob = cells.prob
    for decimals in range(1, MAX_DECIMALS + 1):
        scaled = prob * 10.0**decimals
        if bool(np.all(np.abs(scaled - np.rint(scaled)) < 1e-7)):
            return float(10.0**-decimals)
    return 0.0


def allow_rounding(prob: NDArray[np.float64], step: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Probabilities that the printed ones may stand for: the middle of their range, and how far it reaches.

    A printed p stands for p ± step/2. A printed 0 stands for 0 to step/2, with the middle step/4, and 1 likewise, so
    that no outcome is impossible. Probabilities in steps of 0.1 are taken at their word, except at 0 and 1.

    Returns:
        The middles and the reaches, both of the shape of `prob`.

    Example:
        >>> [part.round(4).tolist() for part in allow_rounding(np.array([0.0, 0.3, 1.0]), 0.01)]
        [[0.0025, 0.3, 0.9975], [0.0025, 0.005, 0.0025]]
    """
    if step <= 0:
        return prob, np.zeros_like(prob)
    low, high = prob < step / 2, prob > 1.0 - step / 2
    middle = np.where(low, step / 4, np.where(high, 1.0 - step / 4, prob))
    inside = step / 2 if step <= COARSEST else 0.0
    return middle, np.where(low | high, step / 4, inside)
