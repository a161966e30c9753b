"""Intervals for binned calibration errors, by inverting a test at every candidate value.

A calibration error is a sum of absolute or squared gaps, so its estimate is biased upwards near 0 and a bootstrap
never covers 0. Here a candidate value θ is kept when the observed error is no surprise under θ: the gaps that carry
θ are made from the observed ones along a path (hybrid resampling, Chuang & Lai 2000, Statistica Sinica 10, 1–50),
normal noise of each bin's own size is added, and the resulting errors are compared with the observed one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.intervals.null import null_residuals, plain_rows
from calibrant.random import STREAMS, normals

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from calibrant.bins import Bins
    from calibrant.tallies.cells import Cells
    from calibrant.tallies.sums import BinSums

__all__ = [
    "INVERSION_DRAWS",
    "BinGaps",
    "ErrorInterval",
    "bin_gaps",
    "error_intervals",
    "invert",
    "l1_interval",
    "l2_interval",
]

INVERSION_DRAWS = 1_999
LEAST_INFORMATION = 5.0
"""No interval is promised below this Σp(1 − p), the expected number of outcomes that could have gone either way."""

_STEPS = 26


class ErrorInterval(NamedTuple):
    """An interval for a binned calibration error.

    Attributes:
        value: the estimate: plug-in l1, or the signed root of the debiased square.
        low: lower limit, at least 0.
        high: upper limit, at most 1.
        square: the debiased mean square, signed; nan for l1.
        square_low: lower limit of the mean square; nan for l1.
        square_high: upper limit of the mean square; nan for l1.
        level: confidence level.
        draws: Monte Carlo draws.
        seed: seed of the draws.
        in_domain: False when there is too little to promise the coverage; see `l1_interval`.
    """

    value: float
    low: float
    high: float
    square: float
    square_low: float
    square_high: float
    level: float
    draws: int
    seed: int
    in_domain: bool


@dataclass(frozen=True, slots=True, eq=False)
class BinGaps:
    """The occupied bins as a normal model: gap ~ N(true gap, error²).

    Attributes:
        share: share of the weight, shape (k,); sums to 1.
        gap: mean of p − y, shape (k,).
        error: standard error of the gap, shape (k,).
        rows: Kish's effective rows of each bin, shape (k,).
        spread: variance of one row's p − y inside the bin, shape (k,).
        prob: mean probability, shape (k,).
        fixed: True when the errors were given from outside and do not follow the candidate gap.
        square_noise: the unbiased estimate of share·Var(gap), shape (k,); nan where a bin holds a single row.
        weight: Σw.
        total: Kish's effective number of rows in all.
        information: Σp(1 − p) over effective rows, the expected number of informative outcomes.
    """

    share: NDArray[np.float64]
    gap: NDArray[np.float64]
    error: NDArray[np.float64]
    rows: NDArray[np.float64]
    spread: NDArray[np.float64]
    prob: NDArray[np.float64]
    fixed: bool
    square_noise: NDArray[np.float64]
    weight: float
    total: float
    information: float

    def error_at(self, gap: NDArray[np.float64]) -> NDArray[np.float64]:
        """Standard errors if these were the true gaps.

        A bin's variance moves with its true rate as a Bernoulli variance does: from g to h by
        (g − h)(1 − 2p̄) + g² − h²; one pseudo-row has the variance p̄(1 − p̄).
        """
        if self.fixed:
            return self.error
        moved = (self.gap - gap) * (1.0 - 2.0 * self.prob) + self.gap**2 - gap**2
        return _with_pseudo_row(np.maximum(self.spread + moved, 0.0), self.rows, self.prob)


def bin_gaps(sums: BinSums, variance: NDArray[np.float64] | None = None) -> BinGaps:
    """Gaps and their standard errors, each variance with one pseudo-row from the null.

    With n a bin's effective rows, s² = (Σ(u − ū)² + p̄(1 − p̄)) / n, u = p − y: a bin whose outcomes are all alike
    still has a variance.

    Args:
        sums: sums per bin; empty bins are ignored.
        variance: variance of each occupied bin's residual sum, for rows that come in clusters.
    """
    sums = sums.occupied()
    weight, square = sums.weight, sums.v.sum(axis=1)
    rows = weight**2 / square
    gap = sums.residual / weight
    first = (sums.vp.sum(axis=1) - sums.v[:, 1]) / square
    spread = np.maximum(sums.residual_square / square - 2 * gap * first + gap**2, 0.0)
    prob = np.clip(sums.mean_prob, 0.0, 1.0)
    error = _with_pseudo_row(spread, rows, prob) if variance is None else np.sqrt(variance) / weight
    total = float(weight.sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        # U-statistic over pairs of different rows of a bin: [(Σwu)² − Σw²u²] / (w² − Σw²)
        pairs = (sums.residual**2 - sums.residual_square) / (weight**2 - square)
        noise = np.where(rows > 1 + 1e-9, gap**2 - pairs, np.nan)
    return BinGaps(
        weight / total,
        gap,
        error,
        rows,
        spread,
        prob,
        variance is not None,
        noise * weight / total,
        total,
        total**2 / float(square.sum()),
        float((rows * prob * (1.0 - prob)).sum()),
    )


def _with_pseudo_row(
    spread: NDArray[np.float64], rows: NDArray[np.float64], prob: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.sqrt((spread * rows + prob * (1.0 - prob)) / (rows + 1.0) / rows)


def error_intervals(
    cells: Cells,
    bins: Bins,
    *,
    level: float = 0.95,
    seed: int = 0,
    draws: int = INVERSION_DRAWS,
    null: NDArray[np.float64] | None = None,
) -> tuple[ErrorInterval, ErrorInterval]:
    """Both intervals of a binned calibration error: l1, and the debiased l2.

    Args:
        cells: one view.
        bins: the bins, fixed without looking at outcomes.
        level: confidence level.
        seed: seed of the draws.
        draws: number of draws.
        null: the bins' residual sums under the null, from `null_residuals`, if they are at hand.

    Example:
        >>> from calibrant.bins import Bins
        >>> from calibrant.tallies.cells import Cells
        >>> cells = Cells.exact(np.repeat([0.2, 0.9], 500), np.tile(np.repeat([0, 1], [2, 3]), 200))
        >>> l1, l2 = error_intervals(cells, Bins.width(10))
        >>> round(l1.value, 2), 0.31 < l1.low < l1.value < l1.high < 0.38
        (0.35, True)
    """
    cells = plain_rows(cells)
    gaps = bin_gaps(cells.bin_sums(bins))
    null = null_residuals(cells, bins, seed=seed, draws=draws) if null is None else null
    options = {"level": level, "seed": seed, "draws": draws, "null": null}
    return l1_interval(gaps, **options), l2_interval(gaps, **options)  # type: ignore[arg-type]


def l2_interval(
    gaps: BinGaps,
    *,
    level: float = 0.95,
    seed: int = 0,
    draws: int = INVERSION_DRAWS,
    null: NDArray[np.float64] | None = None,
) -> ErrorInterval:
    """Debiased mean square of the gaps, Σ share·gap², with its root and their intervals.

    The estimate is the U-statistic over pairs of rows of a bin, free of bias whatever the spread of p inside a bin,
    and signed: below 0 means less error than chance gives. Path: the observed gaps, all scaled alike.

    Domain and coverage as in `l1_interval`. Bins with a single row have no pair and add 0 to the
    estimate.

    Source: Kumar, Liang & Ma 2019 (debiasing); Chuang & Lai 2000 (hybrid resampling); compare Sun et al. 2024.
    """
    share, gap, error = gaps.share, gaps.gap, gaps.error
    noise = gaps.square_noise
    known = np.isfinite(noise)
    square = float((share * gap**2 - noise)[known].sum()) if known.any() else float("nan")
    observed = float((share * gap**2).sum())
    direction = gap if observed > 1e-18 else error
    length = float((share * direction**2).sum()) ** 0.5
    unit = np.asarray(direction / length if length > 0 else direction)

    def at(theta: float) -> NDArray[np.float64]:
        return np.asarray(unit * theta**0.5)

    simulate = _simulator(gaps, seed, draws, power=2)
    chance = simulate(np.zeros_like(gap)) if null is None else (null**2 / share).sum(axis=1) / gaps.weight**2
    low, high = invert(at, simulate, observed, level, chance)
    return ErrorInterval(
        float(np.copysign(np.sqrt(abs(square)), square)), float(np.sqrt(low)), float(np.sqrt(high)),
        square, low, high, level, draws, seed, _in_domain(gaps),
    )  # fmt: skip


def l1_interval(
    gaps: BinGaps,
    *,
    level: float = 0.95,
    seed: int = 0,
    draws: int = INVERSION_DRAWS,
    null: NDArray[np.float64] | None = None,
) -> ErrorInterval:
    """Expected calibration error in the l1 norm, Σ share·|gap|, with its interval for the value without noise.

    The interval can lie below the printed value: the printed value is inflated by chance, the interval is not.
    Path: gaps shrunk towards 0, or grown, by the same multiple of their standard error (soft thresholding); for the
    upper limit from gaps drawn together as far as noise explains their differences.

    Domain: bins fixed beforehand and Σp(1 − p) ≥ 5; there coverage is 92–98% away from 0 and at least 95% at 0 for
    a 95% interval (`python -m simulations inversion`).
    """
    share, gap, error = gaps.share, gaps.gap, gaps.error
    observed = float((share * np.abs(gap)).sum())
    sign = np.where(gap < 0, -1.0, 1.0)
    scale = np.where(error > 0, error, 1e-12)

    even = _evened(np.abs(gap), error, share)

    def at(theta: float) -> NDArray[np.float64]:
        return sign * _soft(np.abs(gap), scale, share, theta)

    def at_even(theta: float) -> NDArray[np.float64]:
        return sign * _soft(even, scale, share, theta)

    simulate = _simulator(gaps, seed, draws, power=1)
    chance = simulate(np.zeros_like(gap)) if null is None else np.abs(null).sum(axis=1) / gaps.weight
    low, high = invert(at, simulate, observed, level, chance, at_high=at_even)
    nan = float("nan")
    return ErrorInterval(observed, low, high, nan, nan, nan, level, draws, seed, _in_domain(gaps))


def _evened(size: NDArray[np.float64], error: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sizes of gaps drawn together as far as noise explains their differences.

    Noise adds most to an error that many bins carry evenly, so a candidate whose gaps differ only by the noise of the
    observed ones would look too large, and the upper limit come out too low.
    """
    mean = float(share @ size)
    spread = float(share @ (size - mean) ** 2)
    kept = max(0.0, 1.0 - float(share @ error**2) / spread) ** 0.5 if spread > 0 else 0.0
    return np.asarray(mean + kept * (size - mean))


def _soft(
    size: NDArray[np.float64], scale: NDArray[np.float64], share: NDArray[np.float64], theta: float
) -> NDArray[np.float64]:
    """(size − λ·scale)₊ with the λ for which the shares' mean is theta; exact, by sorting the breakpoints."""
    if theta <= 0:
        return np.zeros_like(size)
    breaks = size / scale
    order = np.argsort(-breaks)
    height = np.cumsum((share * size)[order])
    slope = np.cumsum((share * scale)[order])
    cut = (height - theta) / slope  # λ if exactly the first j bins stay above 0
    following = np.append(breaks[order][1:], -np.inf)
    place = int(np.argmax(cut >= following))
    return np.asarray(np.maximum(size - cut[place] * scale, 0.0))


def _simulator(
    gaps: BinGaps, seed: int, draws: int, *, power: int
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Errors drawn around given true gaps: each bin's own noise, and the chance in how many rows a bin gets."""
    shape = (draws, gaps.gap.size + 1)
    chance = normals(seed, STREAMS["inversion"], shape)
    noise, mix = chance[:, 1:], chance[:, 0]
    share = gaps.share

    def simulate(gap: NDArray[np.float64]) -> NDArray[np.float64]:
        size = np.abs(gap) ** power
        mean = float(share @ size)
        spread = float(np.sqrt(max(float(share @ size**2) - mean**2, 0.0) / gaps.total))
        drawn = noise * gaps.error_at(gap) + gap
        drawn = np.abs(drawn) if power == 1 else drawn * drawn
        return np.asarray(drawn @ share + spread * mix)

    return simulate


def invert(
    at: Callable[[float], NDArray[np.float64]],
    simulate: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    observed: float,
    level: float,
    chance: NDArray[np.float64],
    *,
    at_high: Callable[[float], NDArray[np.float64]] | None = None,
) -> tuple[float, float]:
    """The candidate values under which the observed one is in neither tail of (1 − level)/2.

    Whether 0 belongs to them is decided by the null itself (`chance`), which needs no normal model. An observation
    below the null's median counts as the median when the upper limit is sought, so that luck cannot give an
    interval narrower than chance allows to know (a power-constrained limit, Cowan et al. 2011, arXiv 1105.3166).

    Args:
        at: the parameters that carry a candidate error, along the path through the observed ones.
        simulate: errors drawn around given parameters, always from the same chance numbers.
        observed: the observed error.
        level: confidence level.
        chance: errors drawn under the null, where the true error is 0.
        at_high: another path for the upper limit, if one is needed.

    Returns:
        Lower and upper limit, inside 0 to 1.
    """
    tail = (1.0 - level) / 2.0
    upper = at if at_high is None else at_high
    slack = 1e-12 * max(observed, 1e-300)
    high_from = max(observed, float(np.median(chance)))

    def above(theta: float) -> float:
        return float(np.mean(simulate(at(theta)) >= observed - slack))

    def below(theta: float) -> float:
        return float(np.mean(simulate(upper(theta)) <= high_from + slack))

    surprised = (1 + np.count_nonzero(chance >= observed - slack)) / (1 + chance.size) < tail
    low = _edge(lambda theta: above(theta) < tail, 0.0, observed) if surprised and above(0.0) < tail else 0.0
    reach = max(high_from, 1e-9)
    while reach < 1.0 and below(reach) >= tail:
        reach = min(2.0 * reach, 1.0)
    high = 1.0 if below(1.0) >= tail else _edge(lambda theta: below(theta) >= tail, 0.0, reach)
    return low, max(high, low)


def _edge(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """Bisection for the border between `inside`, where `holds`, and `outside`, where it does not."""
    for _ in range(_STEPS):
        middle = (inside + outside) / 2.0
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return (inside + outside) / 2.0


def _in_domain(gaps: BinGaps) -> bool:
    return gaps.information >= LEAST_INFORMATION
