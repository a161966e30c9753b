"""Miscalibration and discrimination by a line, and what recalibration is worth on fresh rows."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.calibration.gain import cross_fit
from calibrant.calibration.linear import linear_recalibration
from calibrant.tallies.cells import Cells
from calibrant.tallies.grid import FINE


def cells_from(rng: np.random.Generator, rows: int, low: float, slope: float) -> Cells:
    p = rng.random(rows)
    return Cells.exact(p, (rng.random(rows) < low + slope * p).astype(int))


def test_the_three_terms_add_up_to_the_brier_score() -> None:
    rng = np.random.default_rng(0)
    p, w = rng.random(200), rng.gamma(2, 1, 200)
    y = (rng.random(200) < p**2).astype(int)
    found = linear_recalibration(Cells.exact(p, y, w))
    brier = np.average((p - y) ** 2, weights=w)
    assert found.miscalibration - found.discrimination + found.uncertainty == pytest.approx(brier, rel=1e-12)
    slope, intercept = np.polyfit(p, y, 1, w=np.sqrt(w))
    assert (found.slope, found.intercept) == (pytest.approx(slope), pytest.approx(intercept))


@pytest.mark.parametrize(
    ("low", "slope", "miscalibration", "discrimination"),
    [(0.0, 1.0, 0.0, 1 / 12), (0.25, 0.5, 1 / 48, 1 / 48), (0.4, 0.0, 0.01 + 1 / 12, 0.0)],
)
def test_intervals_cover(low: float, slope: float, miscalibration: float, discrimination: float) -> None:
    rng = np.random.default_rng(1)
    hits = np.zeros(2)
    for seed in range(250):
        found = linear_recalibration(cells_from(rng, 300, low, slope), seed=seed, draws=499)
        hits += [
            found.miscalibration_low <= miscalibration <= found.miscalibration_high,
            found.discrimination_low <= discrimination <= found.discrimination_high,
        ]
    assert hits.min() / 250 >= 0.915


def test_undefined_terms_say_why() -> None:
    constant = linear_recalibration(Cells.exact(np.full(40, 0.3), np.repeat([0, 1], 20)))
    assert constant.miscalibration == pytest.approx(0.04)
    assert "equal" in str(constant.why)
    few = linear_recalibration(Cells.exact(np.arange(40) / 40, np.repeat([0, 1], [37, 3])))
    assert np.isnan(few.miscalibration_low)
    assert "rarer" in str(few.why)


def test_cross_fit_sees_what_a_map_can_save() -> None:
    rng = np.random.default_rng(2)
    tilted = cross_fit(cells_from(rng, 4000, 0.25, 0.5))
    assert tilted.saved_low < 1 / 48 < tilted.saved_high
    assert tilted.skill_low < (1 / 48) / 0.25 < tilted.skill_high
    honest = cross_fit(cells_from(rng, 4000, 0.0, 1.0))
    assert honest.saved_high < 0.002
    assert honest.skill == pytest.approx(1 / 3, abs=0.04)


def test_noise_has_no_skill_and_few_rows_cannot_say_so() -> None:
    rng = np.random.default_rng(3)
    assert cross_fit(cells_from(rng, 4000, 0.4, 0.0)).skill_high < 0.02
    assert cross_fit(cells_from(rng, 60, 0.4, 0.0)).skill_high > 0.02


def test_folds_follow_the_seed_and_the_grid_changes_little() -> None:
    rng = np.random.default_rng(4)
    cells = cells_from(rng, 5000, 0.2, 0.6)
    assert cross_fit(cells, seed=1) == cross_fit(cells, seed=1)
    assert cross_fit(cells, seed=1).saved != cross_fit(cells, seed=2).saved
    assert cross_fit(cells.coarsen(FINE)).skill == pytest.approx(cross_fit(cells).skill, abs=0.01)
    weighted = cross_fit(Cells.exact(np.array([0.1, 0.2]), np.array([0, 1]), np.array([1.5, 2.0])))
    assert "weights" in str(weighted.why)
