"""Clustered rows: the sandwich by hand, coverage, design effects."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.bins import Bins
from calibrant.calibration.noise import floor_of_cells
from calibrant.errors import OptionError
from calibrant.intervals.clusters import (
    cluster_covariance_of_means,
    clustered_bins,
    clustered_interval,
    few_clusters_reason,
)
from calibrant.intervals.inversion import bin_gaps, l1_interval
from calibrant.tallies.cells import Cells
from calibrant.tallies.clusters import ClusterSums, SealedClusters

BINS = Bins.width(10)
GRID = Bins.width(60)


def sealed(p: np.ndarray, y: np.ndarray, cluster: np.ndarray) -> SealedClusters:
    scores = {"outcome": y.astype(float), "brier": (p - y) ** 2}
    return ClusterSums.of(
        cluster.astype(np.uint64), scores, p, y.astype(np.uint8), np.ones(p.size), GRID.index(p)
    ).seal()


def clustered(rng: np.random.Generator, clusters: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Calibrated forecasts whose outcomes agree within a cluster: one uniform decides a cluster's rows."""
    cluster = np.repeat(np.arange(clusters), size)
    p = np.clip(np.repeat(rng.random(clusters), size) + rng.normal(0, 0.01, cluster.size), 0.001, 0.999)
    return p, (np.repeat(rng.random(clusters), size) < p).astype(int), cluster


def test_clusters_of_one_row_are_independent_rows() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(400)
    y = (rng.random(400) < p).astype(int)
    found = sealed(p, y, np.arange(400))
    covariance = cluster_covariance_of_means(found, ("brier", "outcome"))
    np.testing.assert_allclose(covariance, np.cov((p - y) ** 2, y) / 400, rtol=1e-9)
    parts = clustered_bins(found, BINS)
    sums = Cells.exact(p, y).bin_sums(BINS).occupied()
    np.testing.assert_allclose(np.diag(parts.null_covariance), sums.residual_square, rtol=1e-9)
    assert np.all(parts.design_effect < 1.05)


def test_repeating_every_row_changes_no_interval() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(300)
    y = (rng.random(300) < p).astype(int)
    once = clustered_interval(sealed(p, y, np.arange(300)), "brier")
    fourfold = clustered_interval(sealed(np.tile(p, 4), np.tile(y, 4), np.tile(np.arange(300), 4)), "brier")
    assert (fourfold.low, fourfold.high) == (pytest.approx(once.low), pytest.approx(once.high))
    effect = clustered_bins(sealed(np.tile(p, 4), np.tile(y, 4), np.tile(np.arange(300), 4)), BINS).design_effect
    assert np.all((effect > 3.5) & (effect < 4.5))


def test_floor_and_interval_hold_their_level_in_clusters() -> None:
    rng = np.random.default_rng(2)
    rejected = covered = naive = 0
    for seed in range(150):
        p, y, cluster = clustered(rng, 150, 6)
        cells = Cells.exact(p, y)
        parts = clustered_bins(sealed(p, y, cluster), BINS)
        error, _ = floor_of_cells(cells, BINS, seed=seed, draws=499, covariance=parts.null_covariance)
        rejected += error.p_value <= 0.05
        naive += floor_of_cells(cells, BINS, seed=seed, draws=499)[0].p_value <= 0.05
        interval = l1_interval(bin_gaps(cells.bin_sums(BINS), parts.variance), seed=seed, draws=499)
        covered += interval.low == 0.0
    assert naive / 150 > 0.5
    assert rejected / 150 <= 0.1
    assert covered / 150 >= 0.92


def test_edges_must_lie_on_the_grid_and_few_clusters_are_said() -> None:
    p, y, cluster = clustered(np.random.default_rng(3), 20, 3)
    with pytest.raises(OptionError, match="1/60"):
        clustered_bins(sealed(p, y, cluster), Bins.width(7))
    assert "only 20 clusters" in str(few_clusters_reason(20))
    assert few_clusters_reason(40) is None
