"""The reliability curve as data: what was said and what happened, bin by bin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from calibrant.arrays import cells_of, check_events, check_option
from calibrant.calibration.binning import choose_bins
from calibrant.calibration.isotonic import IsotonicFit, isotonic_fit
from calibrant.intervals.wilson import check_level, effective_rows, wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from calibrant.arrays import Weighting
    from calibrant.bins import Bins, Closed
    from calibrant.calibration.binning import Binning, BinsLike
    from calibrant.tallies.cells import BinSums, Cells

__all__ = ["CurveBin", "ReliabilityCurve", "curve_bins", "curve_of_cells", "reliability_curve"]


@dataclass(frozen=True, slots=True)
class CurveBin:
    """One bin of the curve; an empty one has n = 0 and no values.

    Attributes:
        low: lower edge.
        high: upper edge.
        n: rows.
        weight: Σw; the number of rows when they have no weights.
        mean_probability: mean probability that was said.
        observed: share of rows where it happened.
        observed_low: lower limit of that share.
        observed_high: upper limit of that share.
        gap: observed − mean_probability; below 0 when too much was said.
    """

    low: float
    high: float
    n: int
    weight: float
    mean_probability: float | None
    observed: float | None
    observed_low: float | None
    observed_high: float | None
    gap: float | None


@dataclass(frozen=True, slots=True, eq=False)
class ReliabilityCurve:
    """A reliability curve; iterate over `points` to draw it, and over `isotonic` for the fit without bins.

    Attributes:
        points: every bin in order, empty ones included.
        bins: the bins.
        isotonic: the rising step function that fits best.
        level: confidence level of the limits.
        interval: the method of the limits, "wilson".
    """

    points: tuple[CurveBin, ...]
    bins: Bins
    isotonic: IsotonicFit
    level: float
    interval: str = "wilson"


def curve_bins(
    bins: Bins, binned: BinSums, level: float = 0.95, design_effect: NDArray[np.float64] | float = 1.0
) -> tuple[CurveBin, ...]:
    """The bins of a curve with Wilson limits from each bin's effective number of rows.

    Args:
        bins: the bins.
        binned: sums per bin, empty ones included.
        level: confidence level.
        design_effect: by how much clusters widen the variance, per bin or for all.
    """
    weight, n, said, seen = binned.weight, binned.n, binned.mean_prob, binned.observed
    low, high = wilson(seen, effective_rows(weight, binned.v.sum(axis=1), design_effect), level)
    points = []
    for k in range(len(bins)):
        edges = float(bins.edges[k]), float(bins.edges[k + 1])
        if n[k] == 0:
            points.append(CurveBin(*edges, 0, 0.0, None, None, None, None, None))
            continue
        gap = -float(binned.residual[k] / weight[k])
        limits = float(low[k]), float(high[k])
        points.append(CurveBin(*edges, int(n[k]), float(weight[k]), float(said[k]), float(seen[k]), *limits, gap))
    return tuple(points)


def curve_of_cells(
    cells: Cells, bins: Bins, level: float = 0.95, design_effect: NDArray[np.float64] | float = 1.0
) -> ReliabilityCurve:
    """The curve of one view."""
    points = curve_bins(bins, cells.bin_sums(bins), level, design_effect)
    return ReliabilityCurve(points, bins, isotonic_fit(cells), level)


def reliability_curve(
    prob: ArrayLike,
    outcome: ArrayLike,
    *,
    bins: BinsLike = 10,
    binning: Binning = "width",
    closed: Closed = "left",
    interval: Literal["wilson"] = "wilson",
    level: float = 0.95,
    weights: ArrayLike | None = None,
    weighting: Weighting = "sampling",
) -> ReliabilityCurve:
    """What was said against what happened, bin by bin, with an interval for what happened, and the isotonic fit.

    On the diagonal, observed = mean_probability, the forecaster is calibrated. Each interval holds for its own bin;
    of ten bins about one in two forecasters that are calibrated has some bin outside.

    Args:
        prob: probabilities of the event, shape (n,); or confidences.
        outcome: 0 or 1, shape (n,); or whether the answer was right.
        bins: see `event_ece`.
        binning: see `event_ece`.
        closed: see `event_ece`.
        interval: "wilson", which does not collapse where everything or nothing happened.
        level: confidence level of the intervals.
        weights: how much each row counts, shape (n,).
        weighting: "sampling" weights, or "frequency" when a row stands for that many equal rows.

    Returns:
        The curve; empty bins have n = 0 and no values.

    Raises:
        InputError: if shapes do not fit or a value is refused.
        OptionError: if an option means nothing.

    Example:
        >>> curve = reliability_curve([0.2, 0.2, 0.8], [0, 1, 1], bins=2, weights=[3, 1, 2])
        >>> [(point.n, point.mean_probability, point.observed) for point in curve.points]
        [(2, 0.2, 0.25), (1, 0.8, 1.0)]

    Source: Wilson (1927) for the limits; Ayer et al. (1955) for the fit.
    """
    check_option("interval", interval, ("wilson",))
    level = check_level(level)
    p, y, w = check_events(prob, outcome, weights)
    cells = cells_of(p, y, w, weighting)
    return curve_of_cells(cells, choose_bins(cells, bins, binning, closed), level)
