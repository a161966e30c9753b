"""Venn–Abers: isotonic regression asked twice, as if the new row had come out no, and as if it had come out yes.

The two answers p0 ≤ p1 form an interval that is honest about how few rows speak for it; the single probability is
p1 / (1 − p0 + p1), which is safe for the log loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.recalibration.steps import table_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from calibrant.recalibration.samples import Sample

__all__ = ["apply_venn_abers", "fit_venn_abers", "venn_abers_interval"]

MOST_CELLS = 2**13


def fit_venn_abers(sample: Sample) -> dict[str, Any]:
    """p0 and p1 at every probability that was seen and in every gap between two of them.

    More than 8,192 distinct probabilities are put into that many groups first.

    Source: Vovk, Petej & Fedorova (2015), NeurIPS, "Large-scale probabilistic predictors …", algorithms 1 to 4.
    """
    weight = sample.weight * (sample.effective_n / sample.weight.sum())
    key, table = table_of(sample.prob, sample.label == 1, weight)
    if key.size > MOST_CELLS:
        place = np.arange(key.size) * MOST_CELLS // key.size
        start = np.flatnonzero(np.diff(place, prepend=-1))
        key, table = key[start], np.add.reduceat(table, start, axis=0)
    p1 = _with_one_more(table)
    p0 = 1.0 - _with_one_more(table[::-1, ::-1])[::-1]
    return {"at": key.tolist(), "p0": p0.tolist(), "p1": p1.tolist()}


def venn_abers_interval(
    params: Mapping[str, Any], prob: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """p0 and p1 of probabilities."""
    at, p0, p1 = (np.asarray(params[name], dtype=np.float64) for name in ("at", "p0", "p1"))
    left = np.searchsorted(at, prob, side="left")
    place = 2 * left + (np.searchsorted(at, prob, side="right") > left)
    return p0[place], p1[place]


def apply_venn_abers(params: Mapping[str, Any], prob: NDArray[np.float64]) -> NDArray[np.float64]:
    """The single probability p1 / (1 − p0 + p1)."""
    p0, p1 = venn_abers_interval(params, prob)
    return np.asarray(p1 / (1.0 - p0 + p1))


def _with_one_more(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The isotonic value of one more row that came out yes, in gap 0, at cell 0, in gap 1, …, in gap m.

    Among cumulative points (Σw, Σwy) the new row is a step of (1, 1) between a left part, up to point j, and a right
    part, from point j or j + 1 on. Its value is the slope of the lower common tangent of both convex hulls: the
    smallest, over right points, of the largest slope from left points.
    """
    x: list[float] = [0.0, *np.cumsum(table.sum(axis=1)).tolist()]
    y: list[float] = [0.0, *np.cumsum(table[:, 1]).tolist()]
    last = len(x) - 1
    right = _right_hulls(x, y)
    out = np.empty(2 * last + 1)
    hull: list[int] = []
    for j in range(last + 1):
        while len(hull) > 1 and _turns_right(x, y, hull[-2], hull[-1], j):
            hull.pop()
        hull.append(j)
        out[2 * j] = _tangent(x, y, hull, right, j)
        if j < last:
            out[2 * j + 1] = _tangent(x, y, hull, right, j + 1)
    return out


def _right_hulls(x: list[float], y: list[float]) -> list[int]:
    """For each point the next one on the lower hull of all points from it on."""
    size = len(x)
    following = [-1] * size
    for j in range(size - 2, -1, -1):
        after = j + 1
        while following[after] >= 0 and _turns_right(x, y, j, after, following[after]):
            after = following[after]
        following[j] = after
    return following


def _turns_right(x: list[float], y: list[float], a: int, b: int, c: int) -> bool:
    """True when b lies on or above the line from a to c."""
    return (y[b] - y[a]) * (x[c] - x[a]) >= (y[c] - y[a]) * (x[b] - x[a])


def _tangent(x: list[float], y: list[float], hull: list[int], following: list[int], first: int) -> float:
    """The slope of the lower common tangent from a left hull to a right hull moved by (1, 1)."""
    left, right = len(hull) - 1, first
    a = hull[left]
    best = (y[right] + 1.0 - y[a]) / (x[right] + 1.0 - x[a])
    moved = True
    while moved:
        moved = False
        while left > 0:
            a = hull[left - 1]
            steeper = (y[right] + 1.0 - y[a]) / (x[right] + 1.0 - x[a])
            if steeper <= best:
                break
            best, left, moved = steeper, left - 1, True
        a = hull[left]
        while following[right] >= 0:
            b = following[right]
            flatter = (y[b] + 1.0 - y[a]) / (x[b] + 1.0 - x[a])
            if flatter >= best:
                break
            best, right, moved = flatter, b, True
    return best
