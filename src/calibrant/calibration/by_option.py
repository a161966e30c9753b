"""Calibration errors option by option: every option against the rest, and the rows of each predicted option."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from calibrant.arrays import cells_of, check_choices, check_option, top_answers
from calibrant.calibration.ece import NORMS, BinOptions, binned_error, combine_top_label

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from calibrant.bins import Closed
    from calibrant.calibration.binning import Binning, BinsLike
    from calibrant.calibration.ece import Norm
    from calibrant.tallies.cells import Cells

__all__ = ["class_cells", "classwise_ece", "predicted_cells", "top_label_ece"]


def class_cells(
    probs: NDArray[np.float64], label: NDArray[np.intp], weights: NDArray[np.float64] | None
) -> list[Cells]:
    """One-vs-rest view of every option."""
    return [cells_of(np.ascontiguousarray(probs[:, k]), label == k, weights) for k in range(probs.shape[1])]


def predicted_cells(
    probs: NDArray[np.float64], label: NDArray[np.intp], weights: NDArray[np.float64] | None
) -> dict[int, Cells]:
    """Top view of the rows that each option is the answer of; options that are never the answer are absent."""
    top = top_answers(probs)
    out = {}
    for option in np.unique(top.predicted).tolist():
        rows = top.predicted == option
        right = label[rows] == option
        out[option] = cells_of(top.confidence[rows], right, None if weights is None else weights[rows])
    return out


def classwise_ece(
    probs: ArrayLike,
    label: ArrayLike,
    *,
    bins: BinsLike = 10,
    binning: Binning = "width",
    norm: Norm = "l1",
    closed: Closed = "left",
    reduce: Literal["mean", "sum"] = "mean",
    weights: ArrayLike | None = None,
) -> float:
    """The event calibration error of every option against the rest, averaged over options: lower is better.

    Args:
        probs: probabilities of every option, shape (n, k).
        label: index of the right option, shape (n,).
        bins: see `event_ece`.
        binning: see `event_ece`.
        norm: see `event_ece`.
        closed: see `event_ece`.
        reduce: "mean" over the k options (from 0 to 1), or "sum" (from 0 to k), as some papers do.
        weights: how much each row counts, shape (n,).

    Returns:
        The error.

    Raises:
        InputError: if shapes do not fit or a value is refused.
        OptionError: if an option means nothing.

    Example:
        >>> round(classwise_ece([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2]], [0, 1]), 12)
        0.233333333333

    Source: Kull et al. (2019), NeurIPS, equation 2.
    """
    check_option("norm", norm, NORMS)
    check_option("reduce", reduce, ("mean", "sum"))
    options = BinOptions(bins, binning, closed)
    errors = [binned_error(cells, options, norm) for cells in class_cells(*check_choices(probs, label, weights))]
    return float(np.sum(errors) if reduce == "sum" else np.mean(errors))


def top_label_ece(
    probs: ArrayLike,
    label: ArrayLike,
    *,
    bins: BinsLike = 10,
    binning: Binning = "width",
    norm: Norm = "l1",
    closed: Closed = "left",
    weights: ArrayLike | None = None,
) -> float:
    """The confidence calibration error within the rows of each predicted option, put together: lower is better.

    Σ_l P(answer is l) · ECE of those rows: stricter than `confidence_ece`, where errors of different answers cancel.

    Args:
        probs: probabilities of every option, shape (n, k).
        label: index of the right option, shape (n,).
        bins: see `event_ece`; they are made anew for each predicted option.
        binning: see `event_ece`.
        norm: see `event_ece`; "l2" takes the root of the averaged squares.
        closed: see `event_ece`.
        weights: how much each row counts, shape (n,).

    Returns:
        The error, from 0 to 1.

    Raises:
        InputError: if shapes do not fit or a value is refused.
        OptionError: if an option means nothing.

    Example:
        >>> round(top_label_ece([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2]], [0, 1]), 12)
        0.35

    Source: Gupta & Ramdas (2021), arXiv 2107.08353, equation 3.
    """
    check_option("norm", norm, NORMS)
    options = BinOptions(bins, binning, closed)
    parts = predicted_cells(*check_choices(probs, label, weights))
    errors = [binned_error(cells, options, norm) for cells in parts.values()]
    return combine_top_label(errors, [float(cells.w.sum()) for cells in parts.values()], norm)
