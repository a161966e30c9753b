"""Floors of class-wise and top-label errors against draws of whole rows."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant import classwise_ece, top_label_ece
from calibrant.bins import Bins
from calibrant.calibration.option_floors import classwise_floor, top_label_floor
from calibrant.tallies.cells import Cells

BINS = Bins.width(10)


def test_floors_are_those_of_whole_rows() -> None:
    rng = np.random.default_rng(0)
    probs = rng.dirichlet([1.0, 1.0, 2.0], 400)
    draws = [(rng.random((400, 1)) > probs.cumsum(axis=1)).sum(axis=1) for _ in range(200)]
    class_errors = [classwise_ece(probs, label) for label in draws]
    top_errors = [top_label_ece(probs, label) for label in draws]
    label = draws[0]
    classes = [Cells.exact(probs[:, k], (label == k).astype(int)) for k in range(3)]
    assert classwise_floor(classes, [BINS] * 3) == pytest.approx(np.mean(class_errors), rel=0.02)
    top = probs.argmax(axis=1)
    tops = [Cells.exact(probs[top == k, k], (label[top == k] == k).astype(int)) for k in range(3)]
    found = top_label_floor(tops, [BINS] * 3)
    assert found.value == pytest.approx(top_errors[0], rel=1e-12)
    assert found.floor == pytest.approx(np.mean(top_errors), rel=0.03)
    assert found.floor_95 == pytest.approx(np.quantile(top_errors, 0.95), rel=0.08)
    assert 0.01 < found.p_value <= 1
