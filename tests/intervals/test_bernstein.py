"""The interval that needs nothing but sums and bounds."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.intervals.bernstein import bernstein_interval
from calibrant.tallies.moments import Moments


@pytest.mark.parametrize(("chance", "n"), [(0.01, 60), (0.001, 300), (0.3, 25)])
def test_it_holds_where_t_does_not(chance: float, n: int) -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        scores = 2.0 * (rng.random(n) < chance)
        low, high, _, _ = bernstein_interval(Moments.of({"brier": scores}), "brier", (0.0, 2.0))
        hits += low <= 2 * chance <= high
    assert hits / 400 >= 0.95


def test_it_narrows_and_stays_inside() -> None:
    rng = np.random.default_rng(1)
    widths = []
    for n in (100, 10_000):
        low, high, _, _ = bernstein_interval(Moments.of({"brier": rng.random(n)}), "brier", (0.0, 1.0))
        assert 0 <= low <= high <= 1
        widths.append(high - low)
    assert widths[1] < widths[0] / 8


def test_weights_are_refused_with_the_reason() -> None:
    moments = Moments.of({"brier": np.array([0.1, 0.3])}, np.array([1.0, 2.5]))
    assert "weights" in str(bernstein_interval(moments, "brier", (0.0, 1.0)).why)
