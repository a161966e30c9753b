"""The Brier score taken apart: reliability, resolution, uncertainty, and what binning hides."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.arrays import cells_of, check_events
from calibrant.calibration.binning import choose_bins

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from calibrant.arrays import Weighting
    from calibrant.bins import Closed
    from calibrant.calibration.binning import Binning, BinsLike
    from calibrant.tallies.cells import BinSums

__all__ = ["CorrectedTerms", "MurphyDecomposition", "corrected_terms", "decompose", "murphy_decomposition"]


class CorrectedTerms(NamedTuple):
    """Reliability, resolution and uncertainty without the part that chance adds; signed, never cut at 0.

    Attributes:
        reliability: can be below 0.
        resolution: can be below 0.
        uncertainty: a little above ȳ(1 − ȳ).
        rows_in_bins_of_one: rows that could not be corrected, since nothing can be learnt from a single one.
    """

    reliability: float
    resolution: float
    uncertainty: float
    rows_in_bins_of_one: int


class MurphyDecomposition(NamedTuple):
    """brier = reliability − resolution + uncertainty + within_bin_variance − within_bin_covariance, to rounding.

    Attributes:
        brier: mean (p − y)², from 0 to 1.
        reliability: Σ (W_k/W)(p̄_k − ȳ_k)²; lower is better.
        resolution: Σ (W_k/W)(ȳ_k − ȳ)²; higher is better.
        uncertainty: ȳ(1 − ȳ); belongs to the data, not to the forecaster.
        within_bin_variance: (1/W) Σ w(p − p̄_k)²; 0 when every bin holds one value.
        within_bin_covariance: (2/W) Σ w(p − p̄_k)(y − ȳ_k); 0 when every bin holds one value.
        bins: occupied bins.
        corrected: the first three terms without bias.
    """

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within_bin_variance: float
    within_bin_covariance: float
    bins: int
    corrected: CorrectedTerms

    @property
    def generalised_resolution(self) -> float:
        """Resolution − within-bin variance + within-bin covariance: hardly depends on the number of bins."""
        return self.resolution - self.within_bin_variance + self.within_bin_covariance


def decompose(binned: BinSums) -> MurphyDecomposition:
    """The five terms over bins; over cells (`cells.sums()`) they are Murphy's three exact ones when cells are exact."""
    some = binned.occupied()
    weight = some.weight
    total = float(weight.sum())
    mean_p, mean_y = some.mean_prob, some.observed
    rate = float(some.w[:, 1].sum()) / total
    centre = mean_p[:, None]
    square = some.wpp - centre * (2 * some.wp - centre * some.w)
    with_outcome = some.wp[:, 1] - mean_p * some.w[:, 1]
    brier = some.wpp[:, 0] + (some.wpp[:, 1] - 2 * some.wp[:, 1] + some.w[:, 1])
    return MurphyDecomposition(
        brier=float(brier.sum()) / total,
        reliability=float(weight @ np.square(some.residual / weight)) / total,
        resolution=float(weight @ np.square(mean_y - rate)) / total,
        uncertainty=rate * (1 - rate),
        within_bin_variance=max(float(square.sum()), 0.0) / total,
        within_bin_covariance=2 * float(with_outcome.sum()) / total,
        bins=weight.size,
        corrected=corrected_terms(some),
    )


def corrected_terms(binned: BinSums) -> CorrectedTerms:
    """The three terms with their bias taken off.

    s = Σ_k (W_k/W) ȳ_k(1 − ȳ_k) r_k/(1 − r_k) with r_k = Σw²/(Σw)² (1/n_k without weights), t the same for all
    rows together: reliability − s, resolution − s + t, uncertainty + t.
    """
    some = binned.occupied()
    weight, y = some.weight, some.observed
    total = float(weight.sum())
    rate = float(some.w[:, 1].sum()) / total
    ratio = some.v.sum(axis=1) / np.square(weight)
    single = ratio > 1 - 1e-12
    noise = np.where(single, 0.0, y * (1 - y) * ratio / np.where(single, 1.0, 1 - ratio))
    s = float(weight @ noise) / total
    whole = float(some.v.sum()) / total**2
    t = rate * (1 - rate) * whole / (1 - whole) if whole < 1 - 1e-12 else 0.0
    return CorrectedTerms(
        reliability=float(weight @ np.square(some.residual / weight)) / total - s,
        resolution=float(weight @ np.square(y - rate)) / total - s + t,
        uncertainty=rate * (1 - rate) + t,
        rows_in_bins_of_one=int(some.n[single].sum()),
    )


def murphy_decomposition(
    prob: ArrayLike,
    outcome: ArrayLike,
    *,
    bins: BinsLike | None = None,
    binning: Binning = "width",
    closed: Closed = "left",
    weights: ArrayLike | None = None,
    weighting: Weighting = "sampling",
) -> MurphyDecomposition:
    """Why the Brier score is what it is: reliability (lower is better), resolution (higher), uncertainty (given).

    Rows are grouped by the distinct values of `prob`, and brier = reliability − resolution + uncertainty exactly. With
    bins, values of one bin differ, and two more terms make it add up. With many distinct values and no bins,
    resolution comes near uncertainty whatever the forecaster is worth: then use bins or `corp_decomposition`.

    Args:
        prob: probabilities of the event, shape (n,).
        outcome: 0 or 1, shape (n,).
        bins: None for distinct values; else see `event_ece`.
        binning: see `event_ece`; edges given here count as bins.
        closed: see `event_ece`.
        weights: how much each row counts, shape (n,).
        weighting: "sampling" weights, or "frequency" when a row stands for that many equal rows.

    Returns:
        The terms, with bias-corrected ones beside them.

    Raises:
        InputError: if shapes do not fit or a value is refused.
        OptionError: if an option means nothing.

    Example:
        >>> terms = murphy_decomposition([0.9] * 7 + [0.1] * 3, [1] * 7 + [0] * 3)
        >>> [round(term, 12) for term in (terms.brier, terms.reliability, terms.resolution, terms.uncertainty)]
        [0.01, 0.01, 0.21, 0.21]

    Source: Murphy (1973), Journal of Applied Meteorology 12, equation 8; Stephenson, Coelho & Jolliffe (2008), Weather
        and Forecasting 23, equation 10; Ferro & Fricker (2012), Quarterly Journal of the Royal Meteorological
        Society 138, for the corrected terms.
    """
    p, y, w = check_events(prob, outcome, weights)
    cells = cells_of(p, y, w, weighting)
    if bins is None and isinstance(binning, str) and binning == "width":
        return decompose(cells.pooled().sums())
    return decompose(cells.bin_sums(choose_bins(cells, 10 if bins is None else bins, binning, closed)))
