"""Cluster sums: what is needed to make every interval robust when rows are not independent.

For each cluster (a keyed hash, never the id) the sums of the row scores and, in 60 equal bins of the calibration
view, Σw, Σwy and Σwp are kept while rows come in. Sealing turns them into Σ_c r_c·r_cᵀ and forgets the clusters.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import TallyError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CLUSTER_BINS", "ClusterSums", "SealedClusters", "hash_clusters"]

CLUSTER_BINS = 60

_KEY = secrets.token_bytes(32)
"""Lives as long as the process: names of clusters cannot be found again from a tally, however few there are."""


def hash_clusters(names: NDArray[Any]) -> NDArray[np.uint64]:
    """A number for each cluster's name, the same within this process; equal names are one cluster."""
    known, place = np.unique(np.asarray(names).astype(str), return_inverse=True)
    digests = [hashlib.blake2b(name.encode(), key=_KEY, digest_size=8).digest() for name in known.tolist()]
    return np.array([int.from_bytes(digest, "little") for digest in digests], dtype=np.uint64)[place]


@dataclass(frozen=True, slots=True, eq=False)
class SealedClusters:
    """Clusters that can no longer grow.

    Attributes:
        names: what the columns are: the row scores, then w0…, y0…, p0… for each of the 60 bins.
        count: number of clusters.
        total: float64, shape (d,): Σ_c r_c.
        outer: float64, shape (d, d): Σ_c r_c·r_cᵀ.
    """

    names: tuple[str, ...]
    count: int
    total: NDArray[np.float64]
    outer: NDArray[np.float64]

    def disjoint_union(self, other: SealedClusters) -> SealedClusters:
        """Both together, on the caller's word that no cluster is in both."""
        if self.names != other.names:
            raise TallyError("Cluster sums of different row scores cannot be added.")
        return SealedClusters(self.names, self.count + other.count, self.total + other.total, self.outer + other.outer)


@dataclass(frozen=True, slots=True, eq=False)
class ClusterSums:
    """Open cluster sums, a sparse table with one entry per (cluster, column).

    Attributes:
        scores: names of the row scores, the first columns.
        cluster: uint64, shape (m,): keyed hash of the entry's cluster.
        column: int64, shape (m,): the entry's column.
        value: float64, shape (m,): its sum.
    """

    scores: tuple[str, ...]
    cluster: NDArray[np.uint64]
    column: NDArray[np.int64]
    value: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        cluster: NDArray[np.uint64],
        scores: dict[str, NDArray[np.float64]],
        prob: NDArray[np.float64],
        outcome: NDArray[np.uint8],
        weight: NDArray[np.float64],
        bin_index: NDArray[np.intp],
    ) -> ClusterSums:
        """Sums of one block of rows; `scores` are per row, `bin_index` is the bin of each row among the 60."""
        names = ("one", *scores)
        columns = [np.full(cluster.size, place) for place in range(len(names))]
        values = [weight, *(weight * score for score in scores.values())]
        for part, sums in enumerate((weight, weight * outcome, weight * prob)):
            columns.append(len(names) + part * CLUSTER_BINS + bin_index)
            values.append(sums)
        return cls(
            names, np.tile(cluster, len(columns)), np.concatenate(columns).astype(np.int64), np.concatenate(values)
        )._added_up()

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.scores) + 3 * CLUSTER_BINS

    def __add__(self, other: ClusterSums) -> ClusterSums:
        if not isinstance(other, ClusterSums):
            return NotImplemented
        if self.scores != other.scores:
            raise TallyError("Cluster sums of different row scores cannot be added.")
        return ClusterSums(
            self.scores,
            np.concatenate([self.cluster, other.cluster]),
            np.concatenate([self.column, other.column]),
            np.concatenate([self.value, other.value]),
        )._added_up()

    def _added_up(self) -> ClusterSums:
        order = np.lexsort((self.column, self.cluster))
        cluster, column, value = self.cluster[order], self.column[order], self.value[order]
        if not value.size:
            return self
        new = np.append(True, (cluster[1:] != cluster[:-1]) | (column[1:] != column[:-1]))
        start = np.flatnonzero(new)
        return ClusterSums(self.scores, cluster[start], column[start], np.add.reduceat(value, start))

    def seal(self) -> SealedClusters:
        """Σ_c r_c·r_cᵀ; afterwards no row can be added to a cluster."""
        from scipy.sparse import csr_array

        known, place = np.unique(self.cluster, return_inverse=True)
        table = csr_array((self.value, (place, self.column)), shape=(known.size, self.width))
        names = (*self.scores, *(f"{part}{k}" for part in "wyp" for k in range(CLUSTER_BINS)))
        return SealedClusters(
            names, int(known.size), np.asarray(table.sum(axis=0)).ravel(), (table.T @ table).toarray()
        )
