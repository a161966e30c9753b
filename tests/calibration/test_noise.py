"""The noise floor: published values, exactness, weights, invariances."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from calibrant.arrays import cells_of
from calibrant.bins import Bins
from calibrant.calibration.noise import floor_of_cells, noise_floor
from calibrant.errors import OptionError
from calibrant.intervals.null import null_groups, null_residuals
from calibrant.tallies.cells import Cells
from calibrant.tallies.grid import FINE

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "random.json").read_text())


@pytest.mark.parametrize(
    ("rows", "mean", "upper"),
    [(20, 0.211, 0.299), (60, 0.128, 0.182), (200, 0.07, 0.099), (1000, 0.032, 0.048), (5000, 0.014, 0.02)],
)
def test_uniform_probabilities_have_the_published_floor(rows: int, mean: float, upper: float) -> None:
    rng = np.random.default_rng(rows)
    floors = np.array([noise_floor(rng.random(rows), seed=seed)[:2] for seed in range(4)]).mean(axis=0)
    np.testing.assert_allclose(floors, [mean, upper], atol=0.01)


def test_constant_forecast_has_the_binomial_floor() -> None:
    floor = noise_floor([0.95] * 60)
    k = np.arange(61)
    exact = float(stats.binom.pmf(k, 60, 0.95) @ np.abs(k - 57) / 60)
    assert floor.mean == pytest.approx(exact, abs=6e-4)
    assert floor.upper == pytest.approx(0.05)


def test_vectors_for_the_page() -> None:
    for case in VECTORS["floors"]:
        weight = None if case["weight"] is None else np.array(case["weight"])
        cells = Cells.exact(np.array(case["prob"]), np.array(case["outcome"]), weight)
        for norm, expected in case["norms"].items():
            found = floor_of_cells(cells, Bins.width(case["bins"]), norm=norm)[0]
            np.testing.assert_allclose(found, list(expected.values()), atol=1e-12)


def test_p_value_is_uniform_under_the_null() -> None:
    rng = np.random.default_rng(4)
    values = []
    for seed in range(300):
        p = rng.beta(0.8, 2.0, 150)
        cells = Cells.exact(p, (rng.random(150) < p).astype(int))
        values.append(floor_of_cells(cells, Bins.width(10), seed=seed, draws=999)[0].p_value)
    assert stats.kstest(values, "uniform").pvalue > 0.01


def test_unit_weights_change_nothing_and_a_common_weight_little() -> None:
    p = np.random.default_rng(0).random(400)
    plain = noise_floor(p)
    assert noise_floor(p, weights=np.ones(400)) == plain
    seven = noise_floor(p, weights=np.full(400, 7.0))
    np.testing.assert_allclose(seven[:2], plain[:2], rtol=0.03)
    np.testing.assert_allclose(noise_floor(p, weights=np.full(400, 3.0))[:2], seven[:2], rtol=1e-12)


def test_frequency_weights_are_repeated_rows() -> None:
    rng = np.random.default_rng(5)
    p, w = rng.random(60), rng.integers(1, 5, 60)
    y = (rng.random(60) < p).astype(int)
    repeated = Cells.exact(np.repeat(p, w), np.repeat(y, w))
    assert floor_of_cells(cells_of(p, y, w.astype(float), "frequency"), Bins.width(10)) == floor_of_cells(
        repeated, Bins.width(10)
    )


def test_row_order_and_zero_weights_change_nothing() -> None:
    rng = np.random.default_rng(1)
    p, w = rng.random(100), rng.random(100)
    assert noise_floor(p) == noise_floor(p[::-1])
    extra = noise_floor(np.append(p, 0.3), weights=np.append(w, 0.0))
    assert extra == noise_floor(p, weights=w)


def test_groups_keep_sums_and_stay_inside_bins() -> None:
    rng = np.random.default_rng(2)
    p = rng.beta(0.5, 3, 30_000)
    cells = Cells.exact(p, np.zeros(p.size, int))
    bins = Bins.width(10)
    groups = null_groups(cells, cells.bin_index(bins))
    assert groups.rows.size <= 1_210
    assert groups.rows.sum() == p.size
    np.testing.assert_array_equal(bins.index(groups.prob), groups.place)
    np.testing.assert_allclose(groups.rows @ groups.prob, p.sum(), rtol=1e-12)
    null = null_residuals(cells, bins, seed=0)
    sums = cells.bin_sums(bins).occupied()
    np.testing.assert_allclose(null.std(axis=0), np.sqrt(sums.null_variance), rtol=0.04)
    assert np.abs(null.mean(axis=0) / null.std(axis=0)).max() < 4 / np.sqrt(null.shape[0])


def test_a_grid_gives_the_same_floor_and_a_thousand_rows_are_fast() -> None:
    p = np.random.default_rng(3).random(50_000)
    cells = Cells.exact(p, np.zeros(p.size, int))
    exact, grid = (floor_of_cells(part, Bins.width(10))[1] for part in (cells, cells.coarsen(FINE)))
    np.testing.assert_allclose(grid[:2], exact[:2], rtol=1e-6)
    begin = time.perf_counter()
    noise_floor(p[:1000])
    assert time.perf_counter() - begin < 0.15


def test_meaningless_options_are_refused() -> None:
    with pytest.raises(OptionError, match="norm"):
        noise_floor([0.5], norm="l3")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="from 0 to 1"):
        noise_floor([1.5])
    with pytest.raises(OptionError, match="weight above 0"):
        noise_floor([0.5], weights=[0.0])
