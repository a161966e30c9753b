"""Vector and matrix scaling: each option its own slope and shift, or every option a mix of all of them.

Both have many numbers, so they are held near "change nothing" by a penalty whose strength is chosen by
cross-validation inside the rows that are fitted on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.recalibration.odds import floor_of, log_probs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from calibrant.recalibration.samples import Sample

    Solution = tuple[NDArray[np.float64], NDArray[np.float64]]

__all__ = ["MOST_OPTIONS", "apply_matrix", "fit_matrix", "fit_vector"]

MOST_OPTIONS = 50
"""Matrix scaling is offered up to this many options."""

PENALTIES = (1000.0, 100.0, 10.0, 1.0)
FOLDS = 3
LIMITS = {"maxiter": 300, "ftol": 1e-8, "gtol": 1e-5}


def fit_vector(sample: Sample) -> dict[str, Any]:
    """softmax(aₖ·ln pₖ + cₖ): a slope and a shift for each option.

    Source: Guo, Pleiss, Sun & Weinberger (2017), ICML, section 4.2.
    """
    return _fit(sample, full=False)


def fit_matrix(sample: Sample) -> dict[str, Any]:
    """softmax(W·ln p + c), with W held near the unit matrix and c near 0.

    Source: Kull, Perello-Nieto, Kängsepp, Silva Filho, Song & Flach (2019), NeurIPS, section 4 (penalty off the
    diagonal and on the shifts).
    """
    return _fit(sample, full=True)


def apply_matrix(params: Mapping[str, Any], prob: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities after the linear map of their logs."""
    z = log_probs(prob, float(params["floor"]))
    weights = np.asarray(params["weights"], dtype=np.float64)
    moved = z * weights if weights.ndim == 1 else _mixed(z, weights)
    return _softmax(moved + np.asarray(params["shift"], dtype=np.float64))


def _fit(sample: Sample, *, full: bool) -> dict[str, Any]:
    floor = floor_of(sample)
    z = log_probs(sample.prob, floor)
    weight = sample.weight * (sample.effective_n / sample.weight.sum())
    place = np.random.default_rng(20_240).permutation(z.shape[0]) % FOLDS
    if sample.cluster is not None:
        place = sample.cluster % FOLDS
    losses = np.zeros(len(PENALTIES))
    for fold in range(FOLDS):
        here = place == fold
        start: Solution | None = None
        for number, penalty in enumerate(PENALTIES):  # from the strongest on, each starting where the last ended
            start = _solve(z[~here], sample.label[~here], weight[~here], penalty, full=full, start=start)
            losses[number] += _loss(*start, z[here], sample.label[here], weight[here])
    penalty = PENALTIES[int(np.argmin(losses))]
    weights, shift = _solve(z, sample.label, weight, penalty, full=full)
    return {"weights": weights.tolist(), "shift": shift.tolist(), "penalty": penalty, "floor": floor, "bound": None}


def _solve(
    z: NDArray[np.float64],
    label: NDArray[np.intp],
    weight: NDArray[np.float64],
    penalty: float,
    *,
    full: bool,
    start: Solution | None = None,
) -> Solution:
    from scipy.optimize import minimize

    k = z.shape[1]
    rest = np.eye(k) if full else np.ones(k)
    first = (rest, np.zeros(k)) if start is None else start
    share, hold = weight / weight.sum(), penalty / float(weight.sum())
    hot = np.zeros_like(z)
    hot[np.arange(label.size), label] = 1.0

    def objective(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, shift = theta[:-k].reshape(rest.shape), theta[-k:]
        q = _softmax((_mixed(z, weights) if full else z * weights) + shift)
        loss = -float(share @ np.log(np.maximum(q[np.arange(label.size), label], 1e-300)))
        gap = (q - hot) * share[:, None]
        slope = np.einsum("ij,ik->jk", gap, z) if full else (gap * z).sum(axis=0)
        away = weights - rest
        loss += hold / 2 * (float((away**2).sum()) + float(shift @ shift))
        return loss, np.concatenate([(slope + hold * away).ravel(), gap.sum(axis=0) + hold * shift])

    found = minimize(
        objective, np.concatenate([first[0].ravel(), first[1]]), jac=True, method="L-BFGS-B", options=LIMITS
    )
    return found.x[:-k].reshape(rest.shape), found.x[-k:]


def _loss(
    weights: NDArray[np.float64],
    shift: NDArray[np.float64],
    z: NDArray[np.float64],
    label: NDArray[np.intp],
    weight: NDArray[np.float64],
) -> float:
    q = _softmax((_mixed(z, weights) if weights.ndim == 2 else z * weights) + shift)
    return -float(weight @ np.log(np.maximum(q[np.arange(label.size), label], 1e-300)))


def _mixed(z: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """z·Wᵀ without threads, which cost more than they save on so few columns."""
    return np.asarray(np.einsum("ij,kj->ik", z, weights))


def _softmax(z: NDArray[np.float64]) -> NDArray[np.float64]:
    q = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(q / q.sum(axis=1, keepdims=True))
