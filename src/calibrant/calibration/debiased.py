"""The squared calibration error without the part that chance alone adds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.arrays import cells_of, check_events, undefined
from calibrant.calibration.binning import choose_bins

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from calibrant.arrays import Weighting
    from calibrant.bins import Closed
    from calibrant.calibration.binning import Binning, BinsLike
    from calibrant.tallies.cells import BinSums

__all__ = ["DebiasedError", "debiased_calibration_error", "debiased_square", "kumar_square", "signed_root"]

ONE_ROW = 1e-12
"""Σw²/(Σw)² is 1 in a bin of one row; nearer to 1 than this is rounding."""


class DebiasedError(NamedTuple):
    """A squared calibration error whose mean is right, and its root with the same sign.

    Attributes:
        square: below 0 when the gaps are smaller than chance alone makes them.
        root: sign(square) · √|square|.
    """

    square: float
    root: float


def signed_root(square: float) -> float:
    """The root of the size of a number, with the sign of the number.

    Example:
        >>> signed_root(-0.04)
        -0.2
    """
    return float(np.sign(square) * np.sqrt(abs(square)))


def debiased_square(binned: BinSums) -> float:
    """Σ_k (W_k/W) [(Σwu)² − Σw²u²] / [(Σw)² − Σw²] with u = p − y; nan when no bin holds two rows.

    The mean of u_i·u_j over all pairs of different rows of a bin is unbiased for its squared gap. A bin with a single
    row has no pair and adds 0.
    """
    some = binned.occupied()
    weight = some.weight
    pairs = np.square(weight) - some.v.sum(axis=1)
    usable = pairs > ONE_ROW * np.square(weight)
    if not usable.any():
        return float("nan")
    excess = np.square(some.residual) - some.residual_square
    return float(np.sum(weight[usable] / weight.sum() * excess[usable] / pairs[usable]))


def kumar_square(binned: BinSums) -> float:
    """Kumar, Liang & Ma's form Σ_k (n_k/n) [(p̄_k − ȳ_k)² − ȳ_k(1 − ȳ_k)/(n_k − 1)]; bins of one row add 0.

    It leaves out the spread of p within a bin; it is here to reproduce that paper's numbers.

    Source: Kumar, Liang & Ma (2019), NeurIPS, section 4.
    """
    some = binned.occupied()
    weight, y = some.weight, some.observed
    ratio = some.v.sum(axis=1) / np.square(weight)
    usable = ratio < 1 - ONE_ROW
    if not usable.any():
        return float("nan")
    noise = y * (1 - y) * ratio / np.where(usable, 1 - ratio, 1.0)
    part = weight / weight.sum() * (np.square(some.residual / weight) - noise)
    return float(part[usable].sum())


def debiased_calibration_error(
    prob: ArrayLike,
    outcome: ArrayLike,
    *,
    bins: BinsLike = 10,
    binning: Binning = "width",
    closed: Closed = "left",
    weights: ArrayLike | None = None,
    weighting: Weighting = "sampling",
) -> DebiasedError:
    """The l2 calibration error with the part that chance alone adds taken off, and signed: lower is better.

    A perfectly calibrated forecaster scores 0 on average, sometimes below: negative values are shown, not cut. For
    answers, give the confidence and whether the answer was right.

    Args:
        prob: probabilities of the event, shape (n,).
        outcome: 0 or 1, shape (n,).
        bins: see `event_ece`.
        binning: see `event_ece`.
        closed: see `event_ece`.
        weights: how much each row counts, shape (n,).
        weighting: "sampling" weights, or "frequency" when a row stands for that many equal rows.

    Returns:
        The square and its signed root; nan, with a warning, when every bin holds a single row.

    Raises:
        InputError: if shapes do not fit or a value is refused.
        OptionError: if an option means nothing.

    Example:
        >>> result = debiased_calibration_error([0.9] * 20 + [0.5] * 20, [1] * 12 + [0] * 8 + [0, 1] * 10)
        >>> round(result.square, 6), round(result.root, 6)
        (0.032105, 0.179179)

    Source: U-statistic of Lee, Huang, Hassani & Dobriban (2023), JMLR 24, normalised over pairs.
    """
    p, y, w = check_events(prob, outcome, weights)
    cells = cells_of(p, y, w, weighting)
    square = debiased_square(cells.bin_sums(choose_bins(cells, bins, binning, closed)))
    if np.isnan(square):
        square = undefined("The debiased calibration error is undefined: every bin holds a single row.")
    return DebiasedError(square, signed_root(square))
