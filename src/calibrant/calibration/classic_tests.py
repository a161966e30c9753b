"""Spiegelhalter's and Hosmer–Lemeshow's tests: descriptive, and in wide use.

They are printed because people compare them. Spiegelhalter's is blind to any error that keeps Σ(y − p)(1 − 2p) at 0;
Hosmer–Lemeshow's depends on its groups. The verdict rests on `calibration_test`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.arrays import cells_of, check_events, undefined
from calibrant.calibration.binning import mass_bins

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from calibrant.arrays import Weighting
    from calibrant.tallies.cells import Cells

__all__ = [
    "HosmerLemeshow",
    "Spiegelhalter",
    "hosmer_lemeshow",
    "hosmer_lemeshow_of_cells",
    "spiegelhalter_of_cells",
    "spiegelhalter_test",
]

NAN = float("nan")


class Spiegelhalter(NamedTuple):
    """z, about standard normal when calibrated; above 0 when forecasts are too extreme. Two-sided p-value."""

    z: float
    p_value: float
    why: str | None


class HosmerLemeshow(NamedTuple):
    """A χ² over groups of equal size.

    Attributes:
        chi2: Σ (observed − expected)² / (expected (1 − expected/n)).
        degrees: degrees of freedom: the groups, or two fewer when the model was fitted on these rows.
        p_value: upper tail of χ².
        groups: groups actually made; equal probabilities are never split.
        why: why there is no value; None when there is one.
    """

    chi2: float
    degrees: int
    p_value: float
    groups: int
    why: str | None


def spiegelhalter_of_cells(cells: Cells) -> Spiegelhalter:
    """Z = Σw(y − p)(1 − 2p) / √Σw²(1 − 2p)²p(1 − p) from cells; of grid cells the mean probability counts."""
    from scipy.special import ndtr

    p, w = cells.prob, cells.w
    lean = 1.0 - 2.0 * p
    variance = float(cells.v.sum(axis=1) @ (lean**2 * p * (1.0 - p)))
    if variance <= 1e-300:
        return Spiegelhalter(NAN, NAN, "every probability is 0, 0.5 or 1, so that the statistic has no variance")
    z = float(lean @ (w[:, 1] - w.sum(axis=1) * p)) / variance**0.5
    return Spiegelhalter(z, float(2.0 * ndtr(-abs(z))), None)


def spiegelhalter_test(
    prob: ArrayLike, outcome: ArrayLike, *, weights: ArrayLike | None = None, weighting: Weighting = "sampling"
) -> Spiegelhalter:
    """Does the Brier score differ from what these probabilities promise? Descriptive; two-sided.

    Equal to (Brier − E₀ Brier) / √Var₀ Brier. Range of z: any number, 0 when as promised.

    Args:
        prob: probabilities of the event, shape (n,).
        outcome: 0 or 1, shape (n,).
        weights: how much each row counts, shape (n,).
        weighting: "sampling" weights, or "frequency" when a row stands for that many equal rows.

    Returns:
        z and p-value; nan, with a warning, when every probability is 0, 0.5 or 1.

    Raises:
        InputError: if shapes do not fit or a value is refused.

    Example:
        >>> found = spiegelhalter_test([0.6] * 10, [1] * 10)
        >>> round(found.z, 6), round(found.p_value, 6)
        (-2.581989, 0.009823)

    Source: Spiegelhalter (1986), Statistics in Medicine 5, 421–433.
    """
    p, y, w = check_events(prob, outcome, weights)
    found = spiegelhalter_of_cells(cells_of(p, y, w, weighting))
    if found.why is not None:
        undefined(f"Spiegelhalter's z is undefined: {found.why}.")
    return found


def hosmer_lemeshow_of_cells(cells: Cells, groups: int = 10, *, fitted_here: bool = False) -> HosmerLemeshow:
    """The statistic over groups of equal mass; with weights each group has the variance Σw² p̄(1 − p̄)."""
    from scipy.special import chdtrc

    sums = cells.bin_sums(mass_bins(cells, groups)).occupied()
    made = int(sums.n.size)
    degrees = made - 2 if fitted_here else made
    mean = sums.mean_prob
    variance = sums.v.sum(axis=1) * mean * (1.0 - mean)
    if degrees < 1:
        return HosmerLemeshow(NAN, degrees, NAN, made, "too few groups for the degrees of freedom")
    if np.any(variance <= 0):
        return HosmerLemeshow(NAN, degrees, NAN, made, "a group holds only probabilities of 0 or 1")
    with np.errstate(over="ignore"):  # an outcome that was all but ruled out: infinite
        chi2 = float((sums.residual**2 / variance).sum())
    return HosmerLemeshow(chi2, degrees, float(chdtrc(degrees, chi2)), made, None)


def hosmer_lemeshow(
    prob: ArrayLike,
    outcome: ArrayLike,
    *,
    groups: int = 10,
    fitted_here: bool = False,
    weights: ArrayLike | None = None,
    weighting: Weighting = "sampling",
) -> HosmerLemeshow:
    """Compare expected with observed numbers of events in groups of equal size. Descriptive; lower is better.

    Args:
        prob: probabilities of the event, shape (n,).
        outcome: 0 or 1, shape (n,).
        groups: number of groups wanted; equal probabilities stay together.
        fitted_here: True when the model was fitted on these very rows; takes two degrees of freedom away.
        weights: how much each row counts, shape (n,).
        weighting: "sampling" weights, or "frequency" when a row stands for that many equal rows.

    Raises:
        InputError: if shapes do not fit or a value is refused.

    Example:
        >>> found = hosmer_lemeshow([0.1, 0.2, 0.7, 0.8], [0, 0, 1, 1], groups=2)
        >>> round(found.chi2, 4), found.degrees
        (1.0196, 2)

    Source: Hosmer & Lemeshow (1980), Communications in Statistics A9, 1043–1069.
    """
    p, y, w = check_events(prob, outcome, weights)
    found = hosmer_lemeshow_of_cells(cells_of(p, y, w, weighting), groups, fitted_here=fitted_here)
    if found.why is not None:
        undefined(f"The Hosmer–Lemeshow statistic is undefined: {found.why}.")
    return found
