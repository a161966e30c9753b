"""Every public array function on the smallest and strangest inputs: a value, nan with a reason, or a sentence."""

from __future__ import annotations

import itertools
import warnings
from functools import partial

import pytest

import calibrant as cb

FUNCTIONS = [
    cb.brier_score,
    cb.brier_skill_score,
    cb.log_loss,
    cb.auc,
    cb.accuracy,
    cb.event_ece,
    partial(cb.event_ece, binning="mass"),
    partial(cb.event_ece, norm="l2"),
    cb.confidence_ece,
    cb.debiased_calibration_error,
    cb.murphy_decomposition,
    partial(cb.murphy_decomposition, bins=3),
    cb.corp_decomposition,
    partial(cb.corp_decomposition, score="log"),
    cb.reliability_curve,
    cb.calibration_slope,
]
PROBABILITIES = [
    [0.0],
    [1.0],
    [0.5],
    [5e-324, 1 - 2**-53],
    [0.0, 1.0, 0.5],
    [0.2, 0.2],
    [1e-300, 0.5, 0.9],
    [1e-300, 1e-300, 0.5, 0.9],
]
WEIGHTS = {"none": None, "tiny": 1e-90, "huge": 1e95, "mixed": 1e40}


@pytest.mark.parametrize("scale", WEIGHTS)
@pytest.mark.parametrize("prob", PROBABILITIES, ids=str)
def test_nothing_crashes_or_warns_of_arithmetic(prob: list[float], scale: str) -> None:
    size = WEIGHTS[scale]
    weights = None if size is None else [size if scale != "mixed" else size**k / size for k in range(len(prob))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", cb.CalibrantWarning)
        for outcome in itertools.product([0, 1], repeat=len(prob)):
            for function in FUNCTIONS:
                assert function(prob, list(outcome), weights=weights) is not None
