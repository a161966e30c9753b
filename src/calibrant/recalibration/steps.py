"""Step functions: isotonic regression and histogram binning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.calibration.isotonic import pool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from calibrant.recalibration.samples import Sample

__all__ = ["apply_isotonic", "apply_steps", "fit_histogram", "fit_isotonic", "table_of"]

BINS = 10


def table_of(
    prob: NDArray[np.float64], happened: NDArray[np.bool_], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distinct probabilities, and Σw per outcome of each, shape (m, 2)."""
    key, place = np.unique(prob, return_inverse=True)
    slot = 2 * place + happened
    return key, np.asarray(np.bincount(slot, weight, minlength=2 * key.size).reshape(-1, 2), dtype=np.float64)


def fit_isotonic(sample: Sample) -> dict[str, Any]:
    """The rising steps nearest to what happened; equal probabilities are pooled first.

    For choices, one step function for each option against the rest; rows are divided by their sum afterwards.

    Source: Zadrozny & Elkan (2002), KDD, section 3.1.
    """
    if sample.is_binary:
        return _isotonic(sample.prob, sample.label == 1, sample.weight)
    columns = [_isotonic(sample.prob[:, k], sample.label == k, sample.weight) for k in range(sample.prob.shape[1])]
    return {"options": columns}


def _isotonic(prob: NDArray[np.float64], happened: NDArray[np.bool_], weight: NDArray[np.float64]) -> dict[str, Any]:
    key, table = table_of(prob, happened, weight)
    start = pool(table)
    sums = np.add.reduceat(table, start, axis=0)
    return {"low": key[start].tolist(), "value": (sums[:, 1] / sums.sum(axis=1)).tolist()}


def fit_histogram(sample: Sample, *, bins: int = BINS) -> dict[str, Any]:
    """The observed share in ten bins of equal mass; equal probabilities share a bin.

    Source: Zadrozny & Elkan (2001), ICML, section 3.2.
    """
    key, table = table_of(sample.prob, sample.label == 1, sample.weight)
    weight = table.sum(axis=1)
    middle = (np.cumsum(weight) - weight / 2) / weight.sum()
    start = np.flatnonzero(np.diff(np.minimum((middle * bins).astype(np.intp), bins - 1), prepend=-1))
    sums = np.add.reduceat(table, start, axis=0)
    return {"low": key[start].tolist(), "value": (sums[:, 1] / sums.sum(axis=1)).tolist()}


def apply_steps(params: Mapping[str, Any], prob: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value of the step that holds each probability; below the first step, its value."""
    low, value = (np.asarray(params[name], dtype=np.float64) for name in ("low", "value"))
    return np.asarray(value[np.maximum(np.searchsorted(low, prob, side="right") - 1, 0)])


def apply_isotonic(params: Mapping[str, Any], prob: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities on the steps; a choice whose options all come out as 0 gets the same probability for each."""
    if prob.ndim == 1:
        return apply_steps(params, prob)
    raw = np.stack([apply_steps(steps, prob[:, k]) for k, steps in enumerate(params["options"])], axis=1)
    total = raw.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(total > 0, raw / total, 1.0 / raw.shape[1]))
