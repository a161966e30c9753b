"""Risk and coverage: how many mistakes are left when only the surest answers are acted on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.intervals.wilson import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.tallies.cells import Cells

__all__ = ["Coverage", "CoveragePoint", "risk_coverage"]

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


class CoveragePoint(NamedTuple):
    """Acting on the surest share of rows.

    Attributes:
        coverage: share of rows acted on; at least the share asked for, since equal confidences stay together.
        confidence: the least confidence among them.
        risk: share of mistakes among them.
        low: lower limit of the risk, simultaneous over all points.
        high: upper limit.
        rows: rows acted on.
    """

    coverage: float
    confidence: float
    risk: float
    low: float
    high: float
    rows: int


class Coverage(NamedTuple):
    """The risk–coverage curve at ten shares, and its area.

    Attributes:
        points: from the surest tenth to all rows; the limits hold for all of them together.
        aurc: area under the curve, the mean risk over all coverages; lower is better.
        best: the area that a perfect order of the same answers would have.
        random: the area of an order without information: the overall risk.
    """

    points: tuple[CoveragePoint, ...]
    aurc: float
    best: float
    random: float


def risk_coverage(cells: Cells, *, level: float = 0.95) -> Coverage:
    """Risk–coverage curve of a top view (confidence, and whether the answer was right).

    Rows of equal confidence enter together; between two cells the curve is that of entering in random order, so the
    area ∫ risk d(coverage) does not depend on the order of rows. The limits are Wilson's, at level 1 − (1 − level)/10.

    Source: Geifman & El-Yaniv (2017), NeurIPS; excess over the best order: Geifman, Uziel & El-Yaniv (2019), ICLR.

    Example:
        >>> from calibrant.tallies.cells import Cells
        >>> found = risk_coverage(Cells.exact(np.array([0.9, 0.9, 0.6, 0.6]), np.array([1, 1, 0, 1])))
        >>> found.points[0].risk, found.random, round(found.aurc, 4)
        (0.0, 0.25, 0.0767)
    """
    w = cells.w[::-1]
    weight, wrong = np.cumsum(w.sum(axis=1)), np.cumsum(w[:, 0])
    total = float(weight[-1])
    prob = cells.prob[::-1]
    square = np.cumsum(cells.v.sum(axis=1)[::-1])
    rows = np.cumsum(cells.rows.sum(axis=1)[::-1])
    points: list[CoveragePoint] = []
    for share in SHARES:
        place = min(int(np.searchsorted(weight, share * total * (1 - 1e-12))), weight.size - 1)
        risk = float(wrong[place] / weight[place])
        effective = float(weight[place] ** 2 / square[place])
        low, high = wilson(risk, effective, 1 - (1 - level) / len(SHARES))
        point = CoveragePoint(
            float(weight[place] / total), float(prob[place]), risk, float(low), float(high), int(rows[place])
        )
        if not points or point.coverage > points[-1].coverage:
            points.append(point)
    error = float(wrong[-1] / total)
    best = error + (1 - error) * math.log1p(-error) if error < 1 else 1.0
    return Coverage(tuple(points), _area(w) / total, best, error)


def _area(w: NDArray[np.float64]) -> float:
    """∫ E(x)/x dx over the rows in order, mistakes spread evenly inside a cell: r·s + (E − r·N)·ln((N + s)/N)."""
    size = w.sum(axis=1)
    before = np.cumsum(size) - size
    mistakes = np.cumsum(w[:, 0]) - w[:, 0]
    rate = w[:, 0] / size
    with np.errstate(divide="ignore", invalid="ignore"):
        bend = np.where(before > 0, (mistakes - rate * before) * np.log1p(size / before), 0.0)
    return float((rate * size + bend).sum())
