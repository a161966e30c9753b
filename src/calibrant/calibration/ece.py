"""Calibration errors over bins: how far, on average, stated probabilities are from what happens.

Three questions have three names. Of the *event*: when the model says 30% yes, how often is it yes? Of the *confidence*:
when the largest probability of a row is 84%, how often is that answer right? Of *every class*: the first question for
each option. They can differ completely on the same rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from calibrant.arrays import (
    cells_of,
    check_choices,
    check_events,
    check_option,
    looks_like_choices,
    top_answers,
)
from calibrant.calibration.binning import choose_bins
from calibrant.tallies.fold import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from calibrant.bins import Closed
    from calibrant.calibration.binning import Binning, BinsLike
    from calibrant.tallies.cells import BinSums, Cells

__all__ = [
    "NORMS",
    "BinOptions",
    "Norm",
    "binned_error",
    "calibration_error",
    "combine_top_label",
    "confidence_cells",
    "confidence_ece",
    "event_ece",
]

Norm = Literal["l1", "l2", "max"]
NORMS: tuple[str, ...] = ("l1", "l2", "max")


class BinOptions(NamedTuple):
    """How calibration errors are binned; the defaults are ten bins of equal width, closed on the left."""

    bins: BinsLike = 10
    binning: Binning = "width"
    closed: Closed = "left"


def calibration_error(binned: BinSums, norm: Norm = "l1") -> float:
    """The calibration error of binned rows.

    With W_k the weight, p̄_k the mean probability and ȳ_k the observed share of bin k:
    l1 = Σ (W_k/W)|p̄_k − ȳ_k|, l2 = √(Σ (W_k/W)(p̄_k − ȳ_k)²), max = max |p̄_k − ȳ_k| over occupied bins.
    """
    some = binned.occupied()
    weight = some.weight
    gap = np.abs(some.residual) / weight
    if norm == "max":
        return float(gap.max())
    share = weight / weight.sum()
    return float(np.dot(share, gap)) if norm == "l1" else float(np.sqrt(np.dot(share, np.square(gap))))


def binned_error(cells: Cells, options: BinOptions, norm: Norm) -> float:
    """The calibration error of one view, binned as asked for."""
    return calibration_error(cells.bin_sums(choose_bins(cells, *options)), norm)


def confidence_cells(prob: ArrayLike, label: ArrayLike, weights: ArrayLike | None = None) -> Cells:
    """Check arrays and take their top view: the largest probability of each row, and whether that answer was right."""
    if looks_like_choices(prob):
        probs, y, w = check_choices(prob, label, weights)
        top = top_answers(probs)
        return cells_of(top.confidence, top.predicted == y, w)
    p, outcome, w = check_events(prob, label, weights)
    return fold(cells_of(p, outcome, w))


def combine_top_label(errors: Sequence[float], weights: Sequence[float], norm: Norm = "l1") -> float:
    """Errors of the rows by predicted option, put together by the weight of those rows."""
    parts, share = np.asarray(errors, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if norm == "max":
        return float(parts.max())
    share = share / share.sum()
    return float(share @ parts) if norm == "l1" else float(np.sqrt(share @ np.square(parts)))


def event_ece(
    prob: ArrayLike,
    outcome: ArrayLike,
    *,
    bins: BinsLike = 10,
    binning: Binning = "width",
    norm: Norm = "l1",
    closed: Closed = "left",
    weights: ArrayLike | None = None,
) -> float:
    """How far stated probabilities of an event are from how often it happens: lower is better, from 0 to 1.

    Rows are put into bins by their probability; Σ_k (n_k/n) |p̄_k − ȳ_k| with p̄_k the mean probability (not the
    middle) and ȳ_k the observed share of bin k. Even a perfect forecaster does not score 0 on finitely many rows.

    Args:
        prob: probabilities of the event, shape (n,).
        outcome: 0 or 1, shape (n,).
        bins: how many bins, or their edges, or "auto" for the cube root of n.
        binning: "width" for equal width, "mass" for equally many rows (equal values stay together), or edges.
        norm: "l1" for the mean gap, "l2" for its root mean square, "max" for the largest.
        closed: the side of a bin that belongs to it: "left" puts 0.3 into 0.3 to 0.4, "right" into 0.2 to 0.3.
        weights: how much each row counts, shape (n,).

    Returns:
        The error.

    Raises:
        InputError: if shapes do not fit or a value is refused.
        OptionError: if an option means nothing.

    Example:
        >>> round(event_ece([0.25, 0.25, 0.55, 0.75, 0.75], [0, 0, 1, 1, 1], bins=2), 12)
        0.29

    Source: Naeini, Cooper & Hauskrecht (2015), AAAI, section 2, for the event's probability.
    """
    check_option("norm", norm, NORMS)
    p, y, w = check_events(prob, outcome, weights)
    return binned_error(cells_of(p, y, w), BinOptions(bins, binning, closed), norm)


def confidence_ece(
    probs: ArrayLike,
    label: ArrayLike,
    *,
    bins: BinsLike = 10,
    binning: Binning = "width",
    norm: Norm = "l1",
    closed: Closed = "left",
    weights: ArrayLike | None = None,
) -> float:
    """How far the confidence in the top answer is from how often it is right: lower is better, from 0 to 1.

    The confidence of a row is its largest probability. Of equal ones the first option is the answer; a yes/no
    question of shape (n,) is answered yes from p = 0.5.

    Args:
        probs: probabilities of every option, shape (n, k); or of the event of yes/no questions, shape (n,).
        label: index of the right option, shape (n,); or 0 or 1.
        bins: see `event_ece`.
        binning: see `event_ece`.
        norm: see `event_ece`.
        closed: see `event_ece`.
        weights: how much each row counts, shape (n,).

    Returns:
        The error.

    Raises:
        InputError: if shapes do not fit or a value is refused.
        OptionError: if an option means nothing.

    Example:
        >>> round(confidence_ece([[0.5, 0.5, 0.0]], [1]), 12)
        0.5

    Source: Guo, Pleiss, Sun & Weinberger (2017), ICML, equation 3.
    """
    check_option("norm", norm, NORMS)
    return binned_error(confidence_cells(probs, label, weights), BinOptions(bins, binning, closed), norm)
