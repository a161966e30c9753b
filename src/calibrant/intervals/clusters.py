"""Intervals when rows come in clusters: many rows of one item, forecaster or race are not independent.

Everything follows from Σ_c r_c·r_cᵀ, the products of the clusters' sums. Intervals use t with clusters − 1 degrees of
freedom; with fewer than about 40 clusters they are too narrow, and the result says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.errors import OptionError
from calibrant.intervals.means import MeanInterval, t_interval
from calibrant.tallies.clusters import CLUSTER_BINS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.bins import Bins
    from calibrant.tallies.clusters import SealedClusters

__all__ = [
    "FEW_CLUSTERS",
    "ClusteredBins",
    "cluster_covariance_of_means",
    "clustered_bins",
    "clustered_interval",
    "few_clusters_reason",
]

FEW_CLUSTERS = 40


class ClusteredBins(NamedTuple):
    """What clusters do to the bins of the calibration view; arrays over the occupied bins.

    Attributes:
        null_covariance: Σ_c r_c·r_cᵀ of the residual sums Σw(p − y), shape (k, k), for `floor_of_cells`.
        variance: variance of the residual sums around their means, shape (k,), for `bin_gaps`.
        design_effect: by how much clusters widen the variance of the observed share, at least 1, shape (k,).
        clusters: number of clusters.
    """

    null_covariance: NDArray[np.float64]
    variance: NDArray[np.float64]
    design_effect: NDArray[np.float64]
    clusters: int


def cluster_covariance_of_means(sealed: SealedClusters, names: tuple[str, ...]) -> NDArray[np.float64]:
    """Covariance of weighted means of row scores: Σ_c (S_c − s̄·W_c)(…)ᵀ / W², times G/(G − 1).

    Source: Liang & Zeger (1986), Biometrika 73, 13–22, for a mean.
    """
    places = [sealed.names.index(name) for name in names]
    one = sealed.names.index("one")
    weight = float(sealed.total[one])
    mean = sealed.total[places] / weight
    cross = sealed.outer[np.ix_(places, places)]
    with_one = sealed.outer[places, one]
    centred = (
        cross - np.outer(mean, with_one) - np.outer(with_one, mean) + sealed.outer[one, one] * np.outer(mean, mean)
    )
    return np.asarray(centred / weight**2 * _correction(sealed.count))


def clustered_interval(
    sealed: SealedClusters, name: str, level: float = 0.95, *, bounds: tuple[float, float] | None = None
) -> MeanInterval:
    """The t interval of a mean score with clusters − 1 degrees of freedom.

    Args:
        sealed: cluster sums.
        name: the score.
        level: confidence level.
        bounds: the limits are cut to this range.
    """
    if sealed.count < 2:
        return MeanInterval(None, None, None, "all rows are in one cluster")
    mean = float(sealed.total[sealed.names.index(name)] / sealed.total[sealed.names.index("one")])
    variance = float(cluster_covariance_of_means(sealed, (name,))[0, 0])
    low, high = t_interval(mean, max(variance, 0.0) ** 0.5, sealed.count - 1, level)
    if bounds is not None:
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return MeanInterval(low, high, "t, clusters", None)


def clustered_bins(sealed: SealedClusters, bins: Bins, square: NDArray[np.float64] | None = None) -> ClusteredBins:
    """Covariances of the bins' residual sums, from the 60 bins that cluster sums keep.

    Args:
        sealed: cluster sums of the calibration view.
        bins: bins whose edges are multiples of 1/60.
        square: Σw² of each occupied bin, when rows have weights.

    Raises:
        OptionError: if an edge of `bins` is no multiple of 1/60.
    """
    scaled = bins.edges * CLUSTER_BINS
    if bool(np.any(np.abs(scaled - np.rint(scaled)) > 1e-9)):
        raise OptionError(
            f"With clusters the edges of bins must be multiples of 1/{CLUSTER_BINS}; {bins.describe()} are not.",
            hint="Use 5, 10, 12, 15, 20, 30 or 60 bins.",
        )
    place = bins.index((np.arange(CLUSTER_BINS) + 0.5) / CLUSTER_BINS)
    first = sealed.names.index("w0")
    pick = np.zeros((3, len(bins), len(sealed.names)))
    for part in range(3):
        pick[part, place, first + part * CLUSTER_BINS + np.arange(CLUSTER_BINS)] = 1.0
    weight = pick[0] @ sealed.total
    pick = pick[:, weight > 0]
    weight = weight[weight > 0]
    w, y, p = pick
    residual = p - y
    gap, seen = (residual @ sealed.total) / weight, (y @ sealed.total) / weight
    centred, around = residual - gap[:, None] * w, y - seen[:, None] * w
    correction = _correction(sealed.count)
    variance = _diagonal(centred, sealed.outer) * correction
    together = _diagonal(w, sealed.outer)
    alone = weight if square is None else square
    plain = seen * (1.0 - seen) * alone
    spread = _diagonal(around, sealed.outer) * correction
    effect = np.where(plain > 0, spread / np.where(plain > 0, plain, 1.0), together / alone)
    return ClusteredBins(
        residual @ sealed.outer @ residual.T,
        np.maximum(variance, 0.0) + _pseudo_cluster(seen, weight, together),
        np.maximum(effect, 1.0),
        sealed.count,
    )


def _pseudo_cluster(
    seen: NDArray[np.float64], weight: NDArray[np.float64], square: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Variance of one pseudo-cluster of a bin, so that bins whose outcomes are all alike keep a width."""
    mean_square = square / weight  # Σ_c W_c² / W, the size of a typical cluster
    shrunk = (seen * weight + 0.5) / (weight + 1.0)
    return np.asarray(shrunk * (1.0 - shrunk) * mean_square**2)


def few_clusters_reason(clusters: int) -> str | None:
    """A warning when there are too few clusters for the promised coverage."""
    if clusters >= FEW_CLUSTERS:
        return None
    return f"only {clusters} clusters; limits are too narrow with fewer than about {FEW_CLUSTERS}"


def _correction(clusters: int) -> float:
    return clusters / (clusters - 1) if clusters > 1 else float("nan")


def _diagonal(rows: NDArray[np.float64], outer: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.einsum("ki,ij,kj->k", rows, outer, rows, optimize=True))
