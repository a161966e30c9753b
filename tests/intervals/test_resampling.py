"""Standard errors from the tally against resampling of rows: ratio 0.95 to 1.05."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.bins import Bins
from calibrant.calibration.linear import linear_recalibration
from calibrant.intervals.inversion import bin_gaps
from calibrant.scores.auc import auc_of_cells
from calibrant.tallies.cells import Cells
from calibrant.tallies.grid import FINE
from calibrant.tallies.moments import Moments

BINS = Bins.width(10)


def rows_of(n: int, name: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    p = {"uniform": rng.random(n), "rare": rng.beta(0.8, 8, n)}[name]
    return p, (rng.random(n) < 0.1 + 0.7 * p).astype(int)


def resampled(p: np.ndarray, y: np.ndarray, draws: int) -> np.ndarray:
    """Brier, AUC and the gap of every bin, of resampled rows."""
    rng = np.random.default_rng(1)
    n = p.size
    place = BINS.index(p)
    order = np.argsort(p)
    out = np.empty((draws, 12))
    for row in range(draws):
        times = np.bincount(rng.integers(0, n, n), minlength=n).astype(float)
        gap = np.bincount(place, times * (p - y), 10) / np.maximum(np.bincount(place, times, 10), 1)
        t, happened = times[order], y[order]
        no, yes = t * (1 - happened), t * happened
        area = yes @ (np.cumsum(no) - no / 2) / (yes.sum() * no.sum())
        out[row] = [times @ (p - y) ** 2 / n, area, *gap]
    return out


@pytest.mark.parametrize("name", ["uniform", "rare"])
@pytest.mark.parametrize("n", [200, 4000])
def test_standard_errors_agree_with_row_resampling(n: int, name: str) -> None:
    p, y = rows_of(n, name)
    draws = resampled(p, y, 2000)
    deviation = draws.std(axis=0)
    cells = Cells.exact(p, y).coarsen(FINE)
    brier = Moments.of({"brier": (p - y) ** 2}).standard_error("brier")
    assert 0.95 <= brier / deviation[0] <= 1.05
    # A resampled pair of one row with itself ties, so that resampling overstates an AUC's error when rows are few.
    assert 0.95 - 10 / n <= auc_of_cells(cells).standard_error / deviation[1] <= 1.05
    sums = cells.bin_sums(BINS)
    many = np.flatnonzero(sums.n >= 60)
    errors = bin_gaps(sums).error[np.searchsorted(np.flatnonzero(sums.n), many)]
    ratio = errors / deviation[2:][many]
    assert np.all((ratio > 0.92) & (ratio < 1.08))
    assert many.size == 0 or 0.95 <= float(np.median(ratio)) <= 1.05


@pytest.mark.slow
def test_standard_errors_at_a_million_rows() -> None:
    p, y = rows_of(1_000_000, "uniform")
    cells = Cells.exact(p, y).coarsen(FINE)
    draws = resampled(p, y, 300)
    assert 0.88 <= Moments.of({"brier": (p - y) ** 2}).standard_error("brier") / draws[:, 0].std() <= 1.12
    ratio = bin_gaps(cells.bin_sums(BINS)).error / draws[:, 2:].std(axis=0)
    assert 0.95 <= float(ratio.mean()) <= 1.05


def test_linear_recalibration_agrees_with_row_resampling() -> None:
    p, y = rows_of(1500, "uniform")
    rng = np.random.default_rng(2)
    found = linear_recalibration(Cells.exact(p, y))
    terms = []
    for _ in range(1500):
        take = rng.integers(0, p.size, p.size)
        a, b = p[take], y[take]
        slope = np.cov(a, b)[0, 1] / a.var(ddof=1)
        terms.append(slope**2 * a.var())
    low, high = np.quantile(terms, [0.025, 0.975])
    width = found.discrimination_high - found.discrimination_low
    assert 0.9 <= width / (high - low) <= 1.12
