"""The calibration test when rows come in clusters: the same two statistics, with draws that respect the clusters.

Outcomes cannot be redrawn row by row when they hang together inside a cluster. But the residual sums of 60 bins, added
over many clusters, are about normal, with a covariance that the clusters themselves show: Σ_c r_c·r_cᵀ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.calibration.significance import TEST_DRAWS, CalibrationTest, shares_above
from calibrant.intervals.clusters import FEW_CLUSTERS
from calibrant.random import STREAMS, normals
from calibrant.tallies.clusters import CLUSTER_BINS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.tallies.clusters import SealedClusters

__all__ = ["calibration_test_of_clusters"]

LEVELS = (2, 5, 10, 20, 60)
NAN = float("nan")


def calibration_test_of_clusters(sealed: SealedClusters, *, seed: int = 0, draws: int = TEST_DRAWS) -> CalibrationTest:
    """Test calibration from cluster sums: Cox's score at 60 bins, and T-Cal at 2, 5, 10, 20 and 60 bins, min-p.

    Draws are multivariate t with clusters − 1 degrees of freedom and the covariance Σ_c r_c·r_cᵀ. Probabilities count
    as the mean of their bin. Domain: at least 40 clusters, none of them dominating; level at most 7% there.

    Args:
        sealed: cluster sums of the calibration view.
        seed: seed of the draws.
        draws: number of draws.
    """
    if sealed.count < FEW_CLUSTERS:
        why = f"only {sealed.count} clusters; the test needs about {FEW_CLUSTERS}"
        return CalibrationTest(NAN, NAN, NAN, NAN, NAN, (), 0.0, 0, seed, why)
    first = sealed.names.index("w0")
    w, y, p = (np.arange(first + part * CLUSTER_BINS, first + (part + 1) * CLUSTER_BINS) for part in range(3))
    total = sealed.total
    some = np.flatnonzero(total[w] > 0)
    pick = np.zeros((some.size, total.size))
    pick[np.arange(some.size), y[some]], pick[np.arange(some.size), p[some]] = 1.0, -1.0
    covariance = pick @ sealed.outer @ pick.T
    if not np.diag(covariance).any():
        return CalibrationTest(NAN, NAN, NAN, NAN, NAN, (), 0.0, 0, seed, "no residual differs from 0")
    every = np.vstack([pick @ total, _student(covariance, sealed.count - 1, seed, draws)])
    prob = np.clip(total[p[some]] / total[w[some]], 1e-9, 1 - 1e-9)
    score = _score(every, covariance, np.log(prob / (1.0 - prob)))
    bumps = _bumps(every, covariance, total[w[some]], some)
    p_score, p_bumps = shares_above(score), shares_above(bumps)
    both = shares_above(-np.minimum(p_score, p_bumps))
    return CalibrationTest(
        float(both[0]), float(score[0]), float(p_score[0]), float(bumps[0]), float(p_bumps[0]),
        LEVELS, 0.0, draws, seed, None,
    )  # fmt: skip


def _student(covariance: NDArray[np.float64], degrees: int, seed: int, draws: int) -> NDArray[np.float64]:
    """Multivariate t; its χ² by the cube of a normal (Wilson & Hilferty 1931), good to 0.1% from 39 degrees."""
    size = covariance.shape[0]
    values, vectors = np.linalg.eigh(covariance)
    z = normals(seed, STREAMS["test"], (draws, size + 1))
    share = 2.0 / (9.0 * degrees)
    shrink = (1.0 - share + z[:, -1:] * share**0.5) ** 1.5
    return np.asarray((z[:, :-1] * np.sqrt(np.maximum(values, 0.0))) @ vectors.T / shrink)


def _score(
    residual: NDArray[np.float64], covariance: NDArray[np.float64], x: NDArray[np.float64]
) -> NDArray[np.float64]:
    design = np.stack([np.ones_like(x), x - float(np.diag(covariance) @ x) / float(np.trace(covariance))], axis=1)
    inverse = np.linalg.pinv(design.T @ covariance @ design, rcond=1e-10)
    along = residual @ design
    return np.asarray(np.einsum("bi,ij,bj->b", along, inverse, along))


def _bumps(
    residual: NDArray[np.float64], covariance: NDArray[np.float64], mass: NDArray[np.float64], some: NDArray[np.intp]
) -> NDArray[np.float64]:
    best = np.full(residual.shape[0], -np.inf)
    for level in LEVELS:
        place = some * level // CLUSTER_BINS
        known, to = np.unique(place, return_inverse=True)
        into = (to[:, None] == np.arange(known.size)).astype(np.float64) / np.sqrt(np.bincount(to, mass)[to][:, None])
        spread = into.T @ covariance @ into
        scale = float(np.sqrt(2.0 * (spread**2).sum()))
        if scale > 0:
            best = np.maximum(best, (((residual @ into) ** 2).sum(axis=1) - np.trace(spread)) / scale)
    return best
