"""Families of p-values and intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from calibrant.intervals.multiplicity import benjamini_yekutieli, false_coverage_level
from calibrant.intervals.power import label_errors_explaining


def test_adjusted_p_values_are_those_of_scipy() -> None:
    p = np.random.default_rng(0).random(30) ** 2
    np.testing.assert_allclose(benjamini_yekutieli(p), stats.false_discovery_control(p, method="by"), rtol=1e-12)


def test_missing_p_values_do_not_count() -> None:
    found = benjamini_yekutieli([0.01, np.nan, 0.04])
    assert np.isnan(found[1])
    np.testing.assert_allclose(found[[0, 2]], benjamini_yekutieli([0.01, 0.04]))
    assert np.isnan(benjamini_yekutieli([np.nan])).all()


def test_false_coverage_level() -> None:
    assert false_coverage_level(0, 10) == 0.95
    assert false_coverage_level(1, 1) == pytest.approx(0.95)
    assert false_coverage_level(1, 20) > false_coverage_level(5, 20) > 0.95


def test_wrong_labels_pull_towards_one_half() -> None:
    assert label_errors_explaining(0.95, 0.932) == pytest.approx(0.02)
    assert label_errors_explaining(0.05, 0.068) == pytest.approx(0.02)
    assert label_errors_explaining(0.05, 0.01) is None
    assert label_errors_explaining(0.5, 0.4) is None
    assert label_errors_explaining(0.3, 0.3) == 0.0
