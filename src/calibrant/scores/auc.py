"""AUC: how well the probabilities put events above non-events."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.arrays import cells_of, check_events, undefined

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from calibrant.tallies.cells import Cells

__all__ = ["Auc", "auc", "auc_of_cells"]


class Auc(NamedTuple):
    """Area under the ROC curve from cells.

    Attributes:
        value: the area; nan when only one outcome happened.
        standard_error: of DeLong, DeLong & Clarke-Pearson (1988), in the weighted form; nan when it is undefined.
        error_bound: the most by which the area of the rows can differ, because cells hide the order inside them;
            0 when cells are exact.
    """

    value: float
    standard_error: float
    error_bound: float


def auc_of_cells(cells: Cells) -> Auc:
    """AUC with ties counted half, from cells in the order of their probability."""
    w = cells.w
    no, yes = w[:, 0], w[:, 1]
    total_no, total_yes = float(no.sum()), float(yes.sum())
    if total_no == 0 or total_yes == 0:
        return Auc(float("nan"), float("nan"), 0.0)
    below = (np.cumsum(no) - no / 2) / total_no
    above = 1.0 - (np.cumsum(yes) - yes / 2) / total_yes
    area = float(np.dot(yes, below) / total_yes)
    hidden = 0.0 if cells.is_exact else float(np.dot(no, yes) / (2 * total_no * total_yes))
    v = cells.v
    variance = _variance_of_mean(v[:, 1], total_yes, below - area) + _variance_of_mean(v[:, 0], total_no, above - area)
    return Auc(area, float(np.sqrt(variance)), hidden)


def _variance_of_mean(v: NDArray[np.float64], weight: float, gap: NDArray[np.float64]) -> float:
    """Variance of a weighted mean of placements, with Kish's n / (n − 1)."""
    n = weight**2 / float(v.sum())
    return float(np.dot(v, np.square(gap))) / weight**2 * n / (n - 1) if n > 1 else float("nan")


def auc(prob: ArrayLike, outcome: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """The chance that a row where it happened has a higher probability than one where it did not; ties count half.

    Higher is better, from 0 to 1; 0.5 is no ranking at all. It says nothing about calibration: any rising map of the
    probabilities leaves it as it is.

    Args:
        prob: probabilities of the event, shape (n,).
        outcome: 0 or 1, shape (n,).
        weights: how much each row counts, shape (n,); a pair counts by the product.

    Returns:
        The area; nan, with a warning, when only one outcome happened.

    Raises:
        InputError: if shapes do not fit or a value is refused.

    Example:
        >>> auc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
        0.75

    Source: Hanley & McNeil (1982), Radiology 143, equation 1.
    """
    p, y, w = check_events(prob, outcome, weights)
    found = auc_of_cells(cells_of(p, y, w))
    if np.isnan(found.value):
        return undefined("AUC is undefined: only one outcome happened.")
    return found.value
