"""What stands behind the intervals of a slice: independent rows, or clusters of rows that belong together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from calibrant.intervals.bernstein import bernstein_interval
from calibrant.intervals.clusters import (
    cluster_covariance_of_means,
    clustered_bins,
    clustered_interval,
    few_clusters_reason,
)
from calibrant.intervals.means import (
    MINIMUM_OF_EACH,
    MeanInterval,
    brier_betting_interval,
    few_rows_reason,
    mean_interval,
    share_interval,
    t_interval,
)
from calibrant.tallies.clusters import ClusterSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.bins import Bins
    from calibrant.intervals.clusters import ClusteredBins
    from calibrant.tallies.cells import Cells
    from calibrant.tallies.clusters import SealedClusters
    from calibrant.tallies.tally import Slice

__all__ = ["Uncertainty"]

ONLY_ROWS = "valid for independent rows only, and these rows come in clusters"


class Uncertainty:
    """Intervals of one slice at one level.

    Args:
        part: the slice; if it has cluster sums, every interval allows for them.
        level: confidence level.

    Attributes:
        clusters: sealed cluster sums, or None when rows are independent.
    """

    def __init__(self, part: Slice, level: float) -> None:
        self.level = level
        self.moments = part.moments
        open_or_sealed = part.clusters
        self.clusters: SealedClusters | None = (
            open_or_sealed.seal() if isinstance(open_or_sealed, ClusterSums) else open_or_sealed
        )

    @property
    def warning(self) -> str | None:
        """What the reader must know about few clusters."""
        return None if self.clusters is None else few_clusters_reason(self.clusters.count)

    def mean(self, name: str, bounds: tuple[float, float], cells: Cells | None = None) -> MeanInterval:
        """Interval of a mean score; of a Brier score outside the domain of t, the conservative one from cells."""
        if self.clusters is not None:
            return clustered_interval(self.clusters, name, self.level, bounds=bounds)
        interval = mean_interval(self.moments, name, self.level, bounds=bounds)
        if interval.method is None and name == "brier" and cells is not None:
            fallback = brier_betting_interval(cells, self.level)
            return fallback if fallback.method else interval
        if interval.method is None and np.isfinite(bounds[1]) and self.moments.second is self.moments.first:
            return bernstein_interval(self.moments, name, bounds, self.level)
        return interval

    def plain_mean(self, name: str) -> MeanInterval:
        """T interval of a mean of the forecasts themselves, which needs no errors to be seen."""
        if self.clusters is not None:
            return clustered_interval(self.clusters, name, self.level)
        if self.moments.effective_n <= 1:
            return MeanInterval(None, None, None, "a single row has no spread")
        low, high = t_interval(self.moments.mean(name), self._error((name,)), self._degrees, self.level)
        return MeanInterval(low, high, "t", None)

    def share(self, name: str) -> MeanInterval:
        """Wilson's interval of a share, with the design effect of clusters."""
        if self.clusters is None:
            return share_interval(self.moments, name, self.level)
        alone = self.moments.standard_error(name) ** 2
        effect = max(float(self._covariance((name,))[0, 0]) / alone, 1.0) if alone > 0 else 1.0
        interval = share_interval(self.moments, name, self.level, design_effect=effect)
        return interval._replace(method="wilson, clusters")

    def difference(self, first: str, second: str) -> MeanInterval:
        """Interval of the difference of two means of the same rows."""
        why = None if self.clusters is not None else few_rows_reason(self.moments)
        if why is not None:
            return MeanInterval(None, None, None, why)
        value = self.moments.mean(first) - self.moments.mean(second)
        cov = self._covariance((first, second))
        error = math.sqrt(max(float(cov[0, 0] - 2 * cov[0, 1] + cov[1, 1]), 0.0))
        low, high = t_interval(value, error, self._degrees, self.level)
        return MeanInterval(low, high, "t" if self.clusters is None else "t, clusters", None)

    def skill(self, outcomes: tuple[str, ...], scale: float = 1.0) -> MeanInterval:
        """Interval of 1 − B / u, the Brier skill over the base rate, by the delta method.

        The base rate's score is u = Σ_o r_o (1 − r_o) · scale over the shares r of `outcomes`, so that
        g = (−1/u, scale · B (1 − 2r_o) / u²) and the variance is g' Cov(B, r) g.

        Args:
            outcomes: scores that are 1 where an outcome is the right one.
            scale: 1 for one yes/no outcome in the 0–1 scale, and for every option in the 0–2 scale.
        """
        why = self._few(outcomes)
        if why is not None:
            return MeanInterval(None, None, None, why)
        rates = np.array([self.moments.mean(name) for name in outcomes])
        brier = self.moments.mean("brier")
        unit = scale * float(np.sum(rates * (1 - rates)))
        gradient = np.append(-1 / unit, scale * brier * (1 - 2 * rates) / unit**2)
        error = math.sqrt(max(float(gradient @ self._covariance(("brier", *outcomes)) @ gradient), 0.0))
        low, high = t_interval(1 - brier / unit, error, self._degrees, self.level)
        return MeanInterval(low, min(high, 1.0), "delta" if self.clusters is None else "delta, clusters", None)

    def _few(self, outcomes: tuple[str, ...]) -> str | None:
        """Why an interval of skill would not hold, or None."""
        if self.clusters is not None:
            return None
        rates = [self.moments.mean(name) for name in outcomes]
        seen = min(sum(min(rate, 1 - rate) for rate in rates), 1.0) * self.moments.effective_n
        if seen < MINIMUM_OF_EACH - 1e-9:
            return f"only {seen:.3g} rows have the rarer outcome; about {MINIMUM_OF_EACH} are needed"
        return few_rows_reason(self.moments)

    def bins(self, bins: Bins, cells: Cells) -> ClusteredBins | None:
        """What clusters do to the bins of the main view; None when rows are independent.

        Raises:
            OptionError: if the edges are no multiples of 1/60, which is all that cluster sums can tell apart.
        """
        if self.clusters is None:
            return None
        square = cells.bin_sums(bins).occupied().v.sum(axis=1)
        return clustered_bins(self.clusters, bins, square)

    @property
    def _degrees(self) -> float:
        return (self.clusters.count if self.clusters is not None else self.moments.effective_n) - 1

    def _covariance(self, names: tuple[str, ...]) -> NDArray[np.float64]:
        if self.clusters is None:
            return self.moments.covariance_of_means(names)
        return cluster_covariance_of_means(self.clusters, names)

    def _error(self, names: tuple[str, ...]) -> float:
        return math.sqrt(max(float(self._covariance(names)[0, 0]), 0.0))
