"""AUC: interval, test of no ranking, rows needed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from calibrant.errors import OptionError
from calibrant.intervals.power import rows_needed, visible_gap
from calibrant.intervals.ranking import auc_interval_of_cells, auc_test
from calibrant.tallies.cells import Cells


def test_interval_covers() -> None:
    rng = np.random.default_rng(0)
    truth = stats.norm.cdf(1.5 / np.sqrt(2))
    hits = 0
    for _ in range(500):
        y = np.repeat([0, 1], [60, 40])
        score = 1 / (1 + np.exp(-(rng.standard_normal(100) + 1.5 * y)))
        low, high, _, _ = auc_interval_of_cells(Cells.exact(score, y))
        hits += low <= truth <= high
    assert 0.925 <= hits / 500 <= 0.985


def test_perfect_ranking_keeps_a_width_and_few_events_have_no_interval() -> None:
    p = np.linspace(0.01, 0.99, 40)
    low, high, method, _ = auc_interval_of_cells(Cells.exact(p, (p > 0.5).astype(int)))
    assert high == 1.0
    assert 0.8 < low < 0.9
    assert "perfect" in str(method)
    few = auc_interval_of_cells(Cells.exact(p, (p > 0.9).astype(int)))
    assert few.low is None
    assert "10" in str(few.why)


def test_permutation_agrees_with_scipy_and_with_the_normal_limit() -> None:
    rng = np.random.default_rng(1)
    p = rng.integers(0, 20, 150) / 20
    y = (rng.random(150) < 0.3 + 0.3 * p).astype(int)
    found = auc_test(Cells.exact(p, y))
    expected = stats.mannwhitneyu(p[y == 1], p[y == 0], use_continuity=False)
    assert found.method == "permutation"
    assert found.p_value == pytest.approx(expected.pvalue, abs=0.02)
    large = np.tile(p, 3), np.tile(y, 3)
    expected = stats.mannwhitneyu(large[0][large[1] == 1], large[0][large[1] == 0], use_continuity=False)
    found = auc_test(Cells.exact(*large))
    assert found.method == "normal"
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-6)


def test_constant_forecast_has_no_ranking() -> None:
    assert auc_test(Cells.exact(np.full(300, 0.4), np.repeat([0, 1], 150))).p_value == 1.0


def test_rows_needed_is_the_published_number() -> None:
    assert rows_needed(0.84, 0.05) == 422
    assert rows_needed(0.84, -0.05) == 422
    assert visible_gap(0.84, 422) == pytest.approx(0.05, abs=1e-4)
    with pytest.raises(OptionError):
        rows_needed(0.84, 0)
