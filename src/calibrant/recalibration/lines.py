"""Lines in log odds: Platt's two numbers, and beta calibration's three."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from calibrant.recalibration.odds import floor_of, log_odds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from calibrant.recalibration.samples import Sample

__all__ = ["apply_beta", "apply_platt", "fit_beta", "fit_platt", "logistic"]

RIDGE = 1e-9
STEPS = 100
STEEPEST = 1e3


def fit_platt(sample: Sample, *, smoothing: bool = True) -> dict[str, Any]:
    """Fit logit q = slope · logit p + intercept, by logistic regression.

    With smoothing the outcomes count as (n₁ + 1)/(n₁ + 2) and 1/(n₀ + 2), which keeps separable data finite.

    Source: Platt (1999), *Advances in Large Margin Classifiers*, section 2.2; on log odds instead of scores.
    """
    floor = floor_of(sample)
    z = log_odds(sample.prob, floor)
    target = sample.label.astype(np.float64)
    weight = sample.weight * (sample.effective_n / sample.weight.sum())
    if smoothing:
        yes, no = float(weight[sample.label == 1].sum()), float(weight[sample.label == 0].sum())
        target = np.where(sample.label == 1, (yes + 1) / (yes + 2), 1 / (no + 2))
    if np.ptp(z) < 1e-12:
        share = float(weight @ target / weight.sum())
        return {"slope": 0.0, "intercept": _logit(share), "floor": floor, "bound": None}
    theta = logistic(np.stack([z, np.ones_like(z)], axis=1), target, weight)
    return {"slope": float(theta[0]), "intercept": float(theta[1]), "floor": floor, "bound": _bound(theta)}


def apply_platt(params: Mapping[str, Any], prob: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities on Platt's line."""
    z = log_odds(prob, float(params["floor"]))
    return np.asarray(expit(float(params["slope"]) * z + float(params["intercept"])))


def fit_beta(sample: Sample) -> dict[str, Any]:
    """Fit logit q = a·ln p − b·ln(1 − p) + c with a, b ≥ 0: a line whose two ends may bend differently.

    When a or b would be below 0 it is held at 0, so that the order of probabilities never turns round.

    Source: Kull, Silva Filho & Flach (2017), AISTATS, section 4.
    """
    floor = floor_of(sample)
    x = _beta_features(sample.prob, floor)
    target, weight = sample.label.astype(np.float64), sample.weight * (sample.effective_n / sample.weight.sum())
    yes, total = float(weight @ target), float(weight.sum())
    share = (yes + 1) / (total + 2) if yes in (0.0, total) else yes / total
    theta = np.array([0.0, 0.0, _logit(share)])
    free = [column for column in (0, 1) if np.ptp(x[:, column]) > 1e-12]
    if np.unique(sample.prob).size < 3:
        free = free[:1]  # two values carry one slope
    while free:
        columns = [*free, 2]
        found = logistic(x[:, columns], target, weight)
        worst = int(np.argmin(found[:-1]))
        if found[worst] >= 0:
            theta = np.zeros(3)
            theta[columns] = found
            break
        del free[worst]
    a, b, c = (float(part) for part in theta)
    return {"a": a, "b": b, "c": c, "floor": floor, "bound": _bound(theta)}


def apply_beta(params: Mapping[str, Any], prob: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities on the beta curve."""
    theta = np.array([params["a"], params["b"], params["c"]], dtype=np.float64)
    return np.asarray(expit(_beta_features(prob, float(params["floor"])) @ theta))


def _beta_features(prob: NDArray[np.float64], floor: float) -> NDArray[np.float64]:
    return np.stack(
        [np.log(np.maximum(prob, floor)), -np.log(np.maximum(1.0 - prob, floor)), np.ones_like(prob)], axis=1
    )


def logistic(x: NDArray[np.float64], target: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logistic regression by Newton's method with halved steps; a trace of ridge keeps separable data finite."""
    theta = np.zeros(x.shape[1])
    ridge = RIDGE * float(weight.sum())

    def loss(at: NDArray[np.float64]) -> float:
        z = x @ at
        return float(weight @ (np.logaddexp(0.0, z) - target * z)) + ridge * float(at @ at) / 2

    now = loss(theta)
    for _ in range(STEPS):
        q = expit(x @ theta)
        gradient = x.T @ (weight * (q - target)) + ridge * theta
        curve = (x * (weight * q * (1 - q))[:, None]).T @ x + ridge * np.eye(theta.size)
        step = np.linalg.lstsq(curve, gradient, rcond=None)[0]
        size = 1.0
        while size > 1e-8 and loss(theta - size * step) > now:
            size /= 2
        theta = theta - size * step
        after = loss(theta)
        if now - after <= 1e-14 * abs(now) and float(np.abs(step).max()) < 1e-9:
            break
        if now - after <= 0 or float(np.abs(theta).max()) > STEEPEST:
            break
        now = after
    return theta


def _logit(share: float) -> float:
    return float(np.log(share) - np.log1p(-share))


def _bound(theta: NDArray[np.float64]) -> str | None:
    return "separable" if float(np.abs(theta).max()) > 30 else None
