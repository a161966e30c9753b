"""Smooth ECE and ECE-sweep: published values, floors, agreement of cells and grid."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.calibration.smooth import smooth_ece, smooth_ece_of_cells, smooth_floor
from calibrant.calibration.sweep import ece_sweep, sweep_floor
from calibrant.tallies.cells import Cells
from calibrant.tallies.grid import FINE

PROB = np.array([0.05, 0.12, 0.18, 0.25, 0.33, 0.41, 0.47, 0.58, 0.62, 0.77, 0.83, 0.96])
OUTCOME = np.array([0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1])


def test_smooth_ece_is_the_exact_fixed_point() -> None:
    assert smooth_ece(PROB, OUTCOME) == pytest.approx(0.0782633408961, abs=2e-8)
    assert smooth_ece(PROB, OUTCOME) == pytest.approx(0.0771366381386, rel=0.02)  # relplot 1.0.3
    assert smooth_ece([0.2], [1]) == pytest.approx(0.8, abs=1e-9)
    assert smooth_ece([1.0, 0.0], [1, 0]) == 0.0


def test_smooth_ece_by_direct_integration() -> None:
    """The kernel with its mirror images, integrated numerically."""
    width = smooth_ece(PROB, OUTCOME)
    t = (np.arange(20_000) + 0.5) / 20_000
    images = np.concatenate([2 * k + sign * PROB for k in (-1, 0, 1) for sign in (1, -1)])
    weight = np.tile(OUTCOME - PROB, 6) / PROB.size
    density = np.exp(-0.5 * ((t[:, None] - images) / width) ** 2) / (width * np.sqrt(2 * np.pi))
    assert np.abs(density @ weight).mean() == pytest.approx(width, abs=1e-7)


def test_weights_repeat_rows() -> None:
    weights = np.tile([1, 2, 3], 4)
    repeated = smooth_ece(np.repeat(PROB, weights), np.repeat(OUTCOME, weights))
    assert smooth_ece(PROB, OUTCOME, weights=weights) == pytest.approx(repeated, abs=1e-10)
    assert smooth_ece(PROB[::-1], OUTCOME[::-1]) == pytest.approx(smooth_ece(PROB, OUTCOME), abs=1e-12)


def test_smooth_ece_of_a_grid_and_of_many_cells() -> None:
    rng = np.random.default_rng(0)
    p = rng.beta(1, 3, 20_000)
    cells = Cells.exact(p, (rng.random(p.size) < p**1.2).astype(int))
    direct = smooth_ece_of_cells(Cells.exact(p[:4000], np.arange(4000) % 2))
    assert direct > 0.2
    assert smooth_ece_of_cells(cells.coarsen(FINE)) == pytest.approx(smooth_ece_of_cells(cells), rel=1e-4)


@pytest.mark.parametrize("floor", [smooth_floor, sweep_floor])
def test_floor_is_reached_by_chance_and_passed_by_error(floor: object) -> None:
    rng = np.random.default_rng(1)
    p = rng.random(300)
    honest = floor(Cells.exact(p, (rng.random(300) < p).astype(int)))  # type: ignore[operator]
    tilted = floor(Cells.exact(p, (rng.random(300) < 0.3 + 0.4 * p).astype(int)))  # type: ignore[operator]
    assert honest.p_value > 0.05
    assert tilted.p_value <= 0.01
    assert tilted.value > tilted.floor_95 > tilted.floor > 0


def test_smooth_floor_has_its_level() -> None:
    rng = np.random.default_rng(2)
    hits = 0
    for seed in range(100):
        p = rng.beta(2, 2, 80)
        hits += smooth_floor(Cells.exact(p, (rng.random(80) < p).astype(int)), seed=seed, draws=99).p_value <= 0.1
    assert 3 <= hits <= 18


def test_sweep_is_that_of_its_authors() -> None:
    found = ece_sweep(PROB, OUTCOME)
    assert (found.value, found.bins) == (pytest.approx(0.1475, abs=1e-12), 4)
    assert ece_sweep(PROB, OUTCOME, norm="l2").value == pytest.approx(0.172006136841, abs=1e-11)


def test_sweep_never_splits_ties_and_ends() -> None:
    assert ece_sweep([0.5] * 4, [0, 1, 1, 1]) == (0.25, 1)
    assert ece_sweep([0.1, 0.9], [1, 0]).bins == 1
    assert ece_sweep([0.1, 0.1, 0.9], [0, 0, 1]).bins == 2


def test_the_eleven_tenths_by_the_integral_itself() -> None:
    """relplot prints 0.0950 here, from a grid that tenths do not fall on."""
    prob = np.arange(11) / 10
    outcome = np.array([0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1])
    at = (np.arange(4000) + 0.5) / 4000
    centres = np.concatenate([2 * k + sign * prob for k in range(-4, 5) for sign in (1, -1)])
    residual = np.tile(outcome - prob, centres.size // 11)

    def error(width: float) -> float:
        kernel = np.exp(-np.square((at[:, None] - centres) / width) / 2) / (width * np.sqrt(2 * np.pi))
        return float(np.abs(kernel @ residual / 11).mean())

    assert error(0.09104) > 0.09104
    assert error(0.09105) < 0.09105
    assert smooth_ece(prob, outcome) == pytest.approx(0.091042, abs=1e-6)
