"""A final score of rankings: how well expected levels order the items and follow them in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.checks import as_numbers
from calibrant.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["FinalScore", "FinalScoreGap", "expected_level", "final_score", "final_score_gap"]

STREAM = 33
DRAWS = 2000


class FinalScore(NamedTuple):
    """A final score: higher is better, at most 1.

    Attributes:
        value: weights[0] · srocc + weights[1] · plcc.
        srocc: Spearman's rank correlation, ties at their mean rank.
        plcc: Pearson's correlation.
    """

    value: float
    srocc: float
    plcc: float


class FinalScoreGap(NamedTuple):
    """Difference of two final scores on the same items.

    Attributes:
        value: first minus second.
        low: lower limit.
        high: upper limit.
        first: score of the first.
        second: score of the second.
        seed: seed of the resampling.
    """

    value: float
    low: float
    high: float
    first: FinalScore
    second: FinalScore
    seed: int


def expected_level(probs: ArrayLike) -> NDArray[np.float64]:
    """Expected level Σ k·p_k with levels 0, 1, 2 and so on.

    Example:
        >>> expected_level([[0.5, 0.5, 0.0]]).tolist()
        [0.5]
    """
    p = as_numbers(probs, "probs")
    if p.ndim != 2:
        raise InputError(f"`probs` must have the shape (n, k), got {p.shape}.")
    return np.asarray(p @ np.arange(p.shape[1], dtype=np.float64))


def final_score(predicted: ArrayLike, actual: ArrayLike, *, weights: tuple[float, float] = (0.6, 0.4)) -> FinalScore:
    """Rank-weighted final score 0.6·SROCC + 0.4·PLCC; nan when either is constant.

    Args:
        predicted: expected level (or any score) of each item, shape (n,).
        actual: what it was, shape (n,).
        weights: of rank and linear correlation.

    Raises:
        InputError: if shapes do not fit.

    Source: final score of the VQualA 2025 challenge on engagement prediction.

    Example:
        >>> final_score([0.1, 0.4, 0.9], [1, 2, 3]).srocc
        1.0
        >>> round(0.6 * 0.707 + 0.4 * 0.714, 3)
        0.71
    """
    x, y = _pair(predicted, actual)
    rank, line = _correlation(_ranks(x), _ranks(y)), _correlation(x, y)
    return FinalScore(weights[0] * rank + weights[1] * line, rank, line)


def final_score_gap(
    first: ArrayLike,
    second: ArrayLike,
    actual: ArrayLike,
    *,
    weights: tuple[float, float] = (0.6, 0.4),
    level: float = 0.95,
    seed: int = 0,
    draws: int = DRAWS,
) -> FinalScoreGap:
    """Difference of two final scores with a paired interval: items are drawn again, both models together.

    Percentile limits; a smooth statistic of many items, for which they hold from about 60 items on.

    Args:
        first: expected levels of the first model, shape (n,).
        second: of the second.
        actual: what it was.
        weights: see `final_score`.
        level: confidence level.
        seed: seed of the resampling.
        draws: number of samples.

    Example:
        >>> y = np.arange(80) % 10
        >>> gap = final_score_gap(y + np.sin(np.arange(80)), np.cos(np.arange(80)), y, draws=200)
        >>> gap.low > 0.5
        True
    """
    x, y = _pair(first, actual)
    z, _ = _pair(second, actual)
    one, two = (final_score(part, y, weights=weights) for part in (x, z))
    generator = np.random.Generator(np.random.Philox([seed & 0xFFFFFFFF, STREAM]))
    gaps = np.empty(draws)
    for k in range(draws):
        rows = generator.integers(0, y.size, y.size)
        gaps[k] = (
            final_score(x[rows], y[rows], weights=weights).value - final_score(z[rows], y[rows], weights=weights).value
        )
    low, high = (
        np.nanquantile(gaps, [(1 - level) / 2, (1 + level) / 2]) if np.isfinite(gaps).any() else (np.nan, np.nan)
    )
    return FinalScoreGap(one.value - two.value, float(low), float(high), one, two, seed)


def _pair(predicted: ArrayLike, actual: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = as_numbers(predicted, "predicted"), as_numbers(actual, "actual")
    if x.ndim != 1 or x.shape != y.shape or x.size < 2:
        raise InputError(f"`predicted` {x.shape} and `actual` {y.shape} must be two columns of at least two items.")
    return x, y


def _ranks(x: NDArray[np.float64]) -> NDArray[np.float64]:
    _, place, often = np.unique(x, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(often) - (often - 1) / 2)[place])


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    a, b = x - x.mean(), y - y.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(np.clip(a @ b / size, -1.0, 1.0)) if size > 0 else float("nan")
