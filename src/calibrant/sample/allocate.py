"""Allocation: how many rows of every band to draw, and what an interval from them is worth."""

from __future__ import annotations

import math

__all__ = ["allocate", "half_width", "rows_needed"]

Z = 1.959963984540054


def allocate(counts: dict[int, int], size: int) -> dict[int, int]:
    """Rows per band in proportion to the root of its size: every band is seen, and the large ones more."""
    size = max(min(size, sum(counts.values())), min(2 * len(counts), sum(counts.values())))
    take = {band: min(2, count) for band, count in counts.items()}
    root = sum(math.sqrt(count) for count in counts.values())
    for band, count in counts.items():
        take[band] = max(take[band], min(count, int(size * math.sqrt(count) / root)))
    order = sorted(counts, key=lambda band: (-counts[band], band))
    while sum(take.values()) < size:
        open_bands = [band for band in order if take[band] < counts[band]]
        band = min(open_bands, key=lambda one: (take[one] / math.sqrt(counts[one]), one))
        take[band] += 1
    return take


def half_width(counts: dict[int, int], drawn: dict[int, int]) -> float:
    """Half the interval's width at worst: every band half right.

    z·√(Σ (N_h/N)²·¼/n_h·(1 − n_h/N_h)), the stratified estimator (Cochran 1977, eq. 5.7).
    """
    total = sum(counts.values())
    variance = sum(
        (count / total) ** 2 * 0.25 / drawn[band] * (1 - drawn[band] / count) for band, count in counts.items()
    )
    return Z * math.sqrt(variance)


def rows_needed(counts: dict[int, int], half: float) -> int:
    """Fewest rows with which `half_width` is reached."""
    low, high = 1, sum(counts.values())
    while low < high:
        middle = (low + high) // 2
        if half_width(counts, allocate(counts, middle)) <= half:
            high = middle
        else:
            low = middle + 1
    return low
