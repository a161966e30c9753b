"""Sign flips: tests and intervals of a paired mean for few units, and McNemar's test.

Under "both models are alike" the sign of each unit's difference is a coin flip, so all patterns of signs are as
likely. The same with a hypothetical mean taken off is the wild bootstrap of few clusters, with the null imposed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FLIP_UNITS", "Flips", "flip_signs", "mcnemar"]

FLIP_UNITS = 5000
"""Up to so many units signs are flipped; above, the t test agrees with it to the third digit."""
EXACT_UNITS = 13
DRAWS = 9999
STREAM = 31
ROUNDING = 1e-12


class Flips(NamedTuple):
    """Result of flipping signs.

    Attributes:
        p_value: two-sided.
        low: lower limit of the mean, nan when there is none.
        high: upper limit.
        exact: whether all patterns were tried.
    """

    p_value: float
    low: float
    high: float
    exact: bool


def flip_signs(
    sums: NDArray[np.float64],
    weights: NDArray[np.float64],
    *,
    level: float = 0.95,
    seed: int = 0,
    interval: bool = False,
    draws: int = DRAWS,
) -> Flips:
    """Flip the signs of the units' sums.

    Args:
        sums: Σ w·d of each unit.
        weights: Σ w of each unit.
        level: level of the interval.
        seed: seed of the patterns, when not all are tried.
        interval: whether to invert the test into an interval of the mean Σsums/Σweights.
        draws: number of random patterns.

    Example:
        >>> flip_signs(np.ones(6), np.ones(6)).p_value
        0.03125
    """
    units = sums.size
    exact = units <= EXACT_UNITS
    flipped, moved = _patterns(sums, weights, seed, draws, exact=exact)
    total, mass = float(sums.sum()), float(weights.sum())

    def p_of(theta: float) -> float:
        seen = abs(total - theta * mass)
        close = np.abs(flipped - theta * moved) >= seen - ROUNDING * (np.abs(sums).sum() + abs(theta) * mass)
        hits = float(np.count_nonzero(close))
        return hits / flipped.size if exact else (1 + hits) / (1 + flipped.size)

    low = high = float("nan")
    alpha = 1 - level
    if interval and 2.0 ** (1 - units) < alpha:
        mean = total / mass
        spread = float(np.sqrt(np.square(sums - mean * weights).sum())) / mass
        low, high = (_edge(p_of, mean, side * spread, alpha) for side in (-1.0, 1.0))
    return Flips(p_of(0.0), low, high, exact)


def _edge(p_of: object, mean: float, step: float, alpha: float) -> float:
    assert callable(p_of)
    if step == 0:
        return mean
    inside, outside = 0.0, 4.0
    while p_of(mean + outside * step) > alpha and outside < 1e6:
        inside, outside = outside, outside * 2
    for _ in range(30):
        middle = (inside + outside) / 2
        if p_of(mean + middle * step) > alpha:
            inside = middle
        else:
            outside = middle
    return mean + outside * step


def _patterns(
    sums: NDArray[np.float64], weights: NDArray[np.float64], seed: int, draws: int, *, exact: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    both = np.stack([sums, weights], axis=1)
    if exact:
        bits = (np.arange(2**sums.size)[:, None] >> np.arange(sums.size)) & 1
        found = (1.0 - 2.0 * bits) @ both
        return found[:, 0], found[:, 1]
    generator = np.random.Generator(np.random.Philox([seed & 0xFFFFFFFF, STREAM]))
    out = np.empty((draws, 2))
    step = max(1, (1 << 21) // sums.size)
    for begin in range(0, draws, step):
        size = min(step, draws - begin)
        signs = generator.integers(0, 2, (size, sums.size), dtype=np.int8)
        out[begin : begin + size] = both.sum(axis=0) - 2.0 * (signs.astype(np.float64) @ both)
    return out[:, 0], out[:, 1]


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact two-sided p-value that rows right in just one model fall to either alike.

    Args:
        only_first: rows where only the first is right.
        only_second: rows where only the second is right.

    Source: McNemar (1947), Psychometrika 12, 153–157; exact binomial form.

    Example:
        >>> round(mcnemar(1, 9), 6)
        0.021484
    """
    from scipy.special import bdtr

    discordant = only_first + only_second
    if discordant == 0:
        return 1.0
    return min(1.0, 2.0 * float(bdtr(min(only_first, only_second), discordant, 0.5)))
