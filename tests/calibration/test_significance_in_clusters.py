"""The calibration test in clusters: level where rows hang together, power, refusals."""

from __future__ import annotations

import numpy as np

from calibrant.bins import Bins
from calibrant.calibration.significance import calibration_test_of_cells
from calibrant.calibration.significance_in_clusters import calibration_test_of_clusters
from calibrant.tallies.cells import Cells
from calibrant.tallies.clusters import ClusterSums, SealedClusters

GRID = Bins.width(60)


def world(rng: np.random.Generator, clusters: int, size: int, gap: float = 0.0) -> tuple[Cells, SealedClusters]:
    """Outcomes agree inside a cluster: one uniform decides all its rows. They happen less often than said by `gap`."""
    cluster = np.repeat(np.arange(clusters, dtype=np.uint64), size)
    p = np.clip(np.repeat(rng.random(clusters), size) + rng.normal(0, 0.05, cluster.size), 0.001, 0.999)
    y = (np.repeat(rng.random(clusters), size) < p - gap).astype(np.uint8)
    sums = ClusterSums.of(cluster, {"outcome": y.astype(float)}, p, y, np.ones(p.size), GRID.index(p))
    return Cells.exact(p, y), sums.seal()


def test_level_and_power_in_clusters() -> None:
    rng = np.random.default_rng(0)
    held = naive = found = 0
    for seed in range(90):
        cells, sealed = world(rng, 80, 5)
        held += calibration_test_of_clusters(sealed, seed=seed, draws=199).p_value <= 0.05
        if seed < 20:
            naive += calibration_test_of_cells(cells, seed=seed, draws=99).p_value <= 0.05
            found += calibration_test_of_clusters(world(rng, 300, 5, 0.15)[1], seed=seed, draws=199).p_value <= 0.05
    assert held / 90 <= 0.10
    assert naive / 20 > 0.3
    assert found / 20 > 0.9


def test_single_rows_are_tested_about_as_without_clusters() -> None:
    cells, sealed = world(np.random.default_rng(1), 1500, 1, 0.04)
    together, alone = calibration_test_of_clusters(sealed), calibration_test_of_cells(cells)
    assert abs(together.score - alone.score) < 0.25 * alone.score


def test_few_clusters_are_refused() -> None:
    found = calibration_test_of_clusters(world(np.random.default_rng(2), 20, 5)[1])
    assert np.isnan(found.p_value)
    assert "20 clusters" in str(found.why)
