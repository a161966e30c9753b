"""The rows on which other packages are asked: small classics, and random rows with fixed seeds.

The rows themselves are written into the vectors, so a test needs neither this file nor the generator.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["datasets"]


def _list(values: Any) -> list[Any]:
    listed: list[Any] = np.asarray(values).tolist()
    return listed


def _events(prob: Any, outcome: Any, **more: Any) -> dict[str, list[Any]]:
    return {"prob": _list(prob), "outcome": _list(outcome), **{name: _list(values) for name, values in more.items()}}


def _choices(rng: np.random.Generator, rows: int, options: int, sharpen: float) -> dict[str, list[Any]]:
    true = rng.dirichlet(np.ones(options), rows)
    label = (true.cumsum(axis=1) < rng.random((rows, 1))).sum(axis=1)
    stated = true**sharpen
    return {"probs": _list(stated / stated.sum(axis=1, keepdims=True)), "label": _list(label)}


def datasets() -> dict[str, dict[str, list[Any]]]:
    """Rows by name: `prob` and `outcome` for events (some with `weights`), `probs` and `label` for choices."""
    rng = np.random.default_rng(20261201)
    uniform = rng.random(200)
    tenths = rng.integers(0, 11, 200) / 10
    sharp = 1 / (1 + ((1 - uniform) / uniform) ** 2)
    rare = rng.beta(0.5, 12, 200)
    return {
        # Three distinct forecasts: every decomposition is exact.
        "g12": _events([0.1] * 4 + [0.4] * 5 + [0.8] * 3, [0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0]),
        # Twelve distinct forecasts.
        "d12": _events(
            [0.05, 0.12, 0.18, 0.25, 0.33, 0.41, 0.47, 0.58, 0.62, 0.77, 0.83, 0.96],
            [0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1],
        ),
        # Two levels of confidence, answers right or wrong.
        "h40": _events([0.9] * 20 + [0.5] * 20, [1] * 12 + [0] * 8 + [1] * 10 + [0] * 10),
        # Every tenth from 0 to 1: the rows on which peers disagree.
        "tenths11": _events(np.arange(11) / 10, [0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1]),
        "calibrated200": _events(uniform, (rng.random(200) < uniform).astype(int)),
        "overconfident200": _events(sharp, (rng.random(200) < uniform).astype(int)),
        "rare200": _events(rare, (rng.random(200) < rare).astype(int)),
        # Stated tenths that are too sure: some rows are certain and wrong.
        "tenths200": _events(tenths, (rng.random(200) < 0.1 + 0.8 * tenths).astype(int)),
        "weighted200": _events(
            uniform, (rng.random(200) < uniform**2).astype(int), weights=np.round(rng.gamma(2, 1, 200), 3)
        ),
        "choice200": _choices(rng, 200, 4, 1.5),
        "score200": _choices(rng, 200, 5, 1.0),
    }
