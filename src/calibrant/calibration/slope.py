"""Calibration slope and intercept: the straight line between stated and true log odds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, logit

from calibrant.arrays import cells_of, check_events, undefined

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from calibrant.arrays import Weighting
    from calibrant.tallies.cells import Cells

__all__ = ["CalibrationSlope", "calibration_slope", "slope_of_cells"]

NAN = float("nan")
STEPS = 200
SMALLEST_PART = 1e-12
UNSETTLED = "the fit does not settle: the outcomes are almost separated, or the probabilities almost equal"


class CalibrationSlope(NamedTuple):
    """logit P(y = 1) = intercept + slope · logit p, and the intercept when the slope is held at 1.

    Attributes:
        slope: 1 when calibrated, below 1 when too extreme, above 1 when too timid; nan when undefined.
        slope_se: its standard error.
        intercept: 0 when calibrated; fitted together with the slope.
        intercept_se: its standard error.
        covariance: of intercept and slope.
        in_the_large: the intercept with slope 1: above 0 when it happens more often than said; nan when undefined.
        in_the_large_se: its standard error.
        observed_expected: Σwy / Σwp.
        why: why slope and intercept are undefined; None when they are not.
        why_in_the_large: why calibration in the large is undefined; None when it is not.
    """

    slope: float
    slope_se: float
    intercept: float
    intercept_se: float
    covariance: float
    in_the_large: float
    in_the_large_se: float
    observed_expected: float
    why: str | None
    why_in_the_large: str | None


def slope_of_cells(cells: Cells) -> CalibrationSlope:
    """Fit by maximum likelihood, on cells; of grid cells the mean probability counts.

    Standard errors come from the information matrix; with sampling weights from the sandwich form.
    """
    p, w = cells.prob, cells.w
    expected = float((p[:, None] * w).sum())
    ratio = float(w[:, 1].sum()) / expected if expected > 0 else NAN
    why_level = _no_level(p, w)
    why = why_level or _no_slope(p, w)
    level = None if why_level else _fit(cells, slope=False)
    line = None if why else _fit(cells, slope=True)
    why_level = why_level or (None if level else UNSETTLED)
    why = why or (None if line else UNSETTLED)
    a, cov_a = level or (np.array([NAN]), np.array([[NAN]]))
    both, cov = line or (np.full(2, NAN), np.full((2, 2), NAN))
    se = np.sqrt(np.diag(cov))
    return CalibrationSlope(
        slope=float(both[1]),
        slope_se=float(se[1]),
        intercept=float(both[0]),
        intercept_se=float(se[0]),
        covariance=float(cov[0, 1]),
        in_the_large=float(a[0]),
        in_the_large_se=float(np.sqrt(cov_a[0, 0])),
        observed_expected=ratio,
        why=why,
        why_in_the_large=why_level,
    )


def _no_level(p: NDArray[np.float64], w: NDArray[np.float64]) -> str | None:
    """Why no intercept can be fitted, or None."""
    if not w[:, 0].any() or not w[:, 1].any():
        return "only one outcome happened"
    if p[0] <= 0 or p[-1] >= 1:
        return "some probabilities are 0 or 1, whose log odds are infinite"
    return None


def _no_slope(p: NDArray[np.float64], w: NDArray[np.float64]) -> str | None:
    """Why no slope can be fitted though both outcomes happened, or None."""
    if p.size == 1:
        return "all probabilities are equal"
    no, yes = p[w[:, 0] > 0], p[w[:, 1] > 0]
    if no[-1] <= yes[0] or yes[-1] <= no[0]:
        return "the probabilities separate the outcomes perfectly, so that the best slope is infinite"
    return None


@np.errstate(over="ignore", invalid="ignore")
def _fit(cells: Cells, *, slope: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Newton's method with halved steps on the log likelihood.

    Returns:
        Coefficients and their covariance; None when the steps do not settle.
    """
    x, w = logit(cells.prob), cells.w
    columns = np.stack([np.ones_like(x), x], axis=1) if slope else np.ones((x.size, 1))
    offset = np.zeros_like(x) if slope else x
    beta: NDArray[np.float64] = np.array([0.0, 1.0]) if slope else np.zeros(1)
    weight, yes = w.sum(axis=1), w[:, 1]

    def loss(at: NDArray[np.float64]) -> float:
        eta = columns @ at + offset
        return float(weight @ np.logaddexp(0.0, eta) - yes @ eta)

    now = loss(beta)
    for _ in range(STEPS):
        q = expit(columns @ beta + offset)
        inverse = _inverse_information(columns, weight * q * (1 - q))
        if inverse is None:
            return None
        step = inverse @ (columns.T @ (yes - weight * q))
        part, after = 1.0, loss(beta + step)
        while after > now + 1e-12 * abs(now) and part > SMALLEST_PART:
            part /= 2
            after = loss(beta + part * step)
        beta = np.asarray(beta + part * step, dtype=np.float64)
        now = min(after, now)
        if part * float(np.abs(step).max()) <= 1e-12 * max(1.0, float(np.abs(beta).max())):
            covariance = _covariance(cells, columns, columns @ beta + offset)
            return (beta, covariance) if part > SMALLEST_PART and np.all(np.isfinite(covariance)) else None
    return None


def _covariance(cells: Cells, columns: NDArray[np.float64], eta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inverse information; with sampling weights on both sides of Σw²(y − q)²xxᵀ."""
    w, v, q = cells.w, cells.v, expit(eta)
    inverse = _inverse_information(columns, w.sum(axis=1) * q * (1 - q))
    if inverse is None:
        return np.full((columns.shape[1], columns.shape[1]), NAN)
    if not cells.is_weighted or np.array_equal(v, w):
        return inverse
    spread = v[:, 0] * np.square(q) + v[:, 1] * np.square(1 - q)
    middle = columns.T @ (columns * spread[:, None])
    return np.asarray(inverse @ middle @ inverse, dtype=np.float64)


def _inverse_information(columns: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64] | None:
    information = columns.T @ (columns * weight[:, None])
    try:
        inverse = np.asarray(np.linalg.inv(information), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    return inverse if bool(np.all(np.isfinite(inverse))) and bool(np.all(np.diag(inverse) > 0)) else None


def calibration_slope(
    prob: ArrayLike,
    outcome: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    weighting: Weighting = "sampling",
) -> CalibrationSlope:
    """Whether probabilities are too extreme or too timid (slope), and too high or too low (calibration in the large).

    Fits logit P(y = 1) = a + b · logit p. A calibrated forecaster has b = 1 and a = 0; b below 1 means too extreme. The
    intercept `a` is the one fitted together with b; `in_the_large` is the one with b held at 1. Some packages print the
    first and some the second under one name.

    Args:
        prob: probabilities of the event, shape (n,), inside 0 and 1.
        outcome: 0 or 1, shape (n,).
        weights: how much each row counts, shape (n,).
        weighting: "sampling" weights, or "frequency" when a row stands for that many equal rows.

    Returns:
        The fits; nan with a reason in `why` and a warning where one is undefined: one outcome only, probabilities of
        0 or 1, equal probabilities, or outcomes that the probabilities separate perfectly.

    Raises:
        InputError: if shapes do not fit or a value is refused.

    Example:
        >>> fit = calibration_slope([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 0, 1, 0, 1, 0, 1, 1])
        >>> round(fit.slope, 6), round(fit.intercept, 6) + 0.0
        (1.073941, 0.0)

    Source: Cox (1958), Biometrika 45; Miller, Langefeld, Tierney, Hui & McDonald (1993), Medical Decision Making 13.
    """
    p, y, w = check_events(prob, outcome, weights)
    fit = slope_of_cells(cells_of(p, y, w, weighting))
    if fit.why is not None:
        undefined(f"The calibration slope is undefined: {fit.why}.")
    return fit
