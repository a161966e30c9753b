"""All pairs of many models at once: simultaneous intervals and adjusted p-values by the largest of all t values."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Family", "all_pairs"]

DRAWS = 20_000
STREAM = 32


class Family(NamedTuple):
    """All pairs of models.

    Attributes:
        pairs: places of the two models of each pair.
        difference: first minus second.
        error: standard errors.
        p_value: adjusted for all pairs.
        critical: the t value that all pairs stay below with probability `level` when no pair differs.
    """

    pairs: tuple[tuple[int, int], ...]
    difference: NDArray[np.float64]
    error: NDArray[np.float64]
    p_value: NDArray[np.float64]
    critical: float


def all_pairs(
    mean: NDArray[np.float64], covariance: NDArray[np.float64], degrees: int, *, level: float = 0.95, seed: int = 0
) -> Family:
    """Compare every pair of correlated means, with one error rate for all pairs together.

    The largest |t| over all pairs is drawn from a normal law with the covariance of the means, divided by the root of
    a χ²/degrees. Pairs with no variation in their difference have p = 1 (equal) or nan.

    Args:
        mean: means of the models.
        covariance: covariance of these means.
        degrees: degrees of freedom: units − 1.
        level: simultaneous confidence level.
        seed: seed of the draws.

    Source: single-step max-T, Hothorn, Bretz & Westfall (2008), Biometrical Journal 50, 346–363.

    Example:
        >>> found = all_pairs(np.array([0.1, 0.1, 0.3]), np.eye(3) * 1e-4, 200)
        >>> bool(found.p_value[0] > 0.9), bool(found.p_value[1] < 0.001), 2.2 < found.critical < 2.5
        (True, True, True)
    """
    first, second = np.triu_indices(mean.size, 1)
    spread = np.diag(covariance)
    variance = spread[first] + spread[second] - 2 * covariance[first, second]
    scale = spread[first] + spread[second]
    variance = np.where(variance > 1e-12 * scale, variance, 0.0)
    error, difference = np.sqrt(variance), mean[first] - mean[second]
    moving = error > 0
    pairs = tuple(zip(first.tolist(), second.tolist(), strict=True))
    p = np.where(np.abs(difference) <= 1e-15, 1.0, np.nan)
    if not moving.any() or degrees < 1:
        return Family(pairs, difference, error, p, float("nan"))
    generator = np.random.Generator(np.random.Philox([seed & 0xFFFFFFFF, STREAM]))
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    z = generator.standard_normal((DRAWS, mean.size)) @ root.T
    z /= np.sqrt(generator.chisquare(degrees, (DRAWS, 1)) / degrees)
    largest = np.zeros(DRAWS)
    for i, j, e in zip(first[moving], second[moving], error[moving], strict=True):
        np.maximum(largest, np.abs(z[:, i] - z[:, j]) / e, out=largest)
    seen = np.abs(difference[moving]) / error[moving]
    ordered = np.sort(largest)
    p[moving] = (1 + DRAWS - np.searchsorted(ordered, seen, side="left")) / (1 + DRAWS)
    return Family(pairs, difference, error, p, float(np.quantile(largest, level)))
