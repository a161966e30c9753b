"""Tests of calibration: could these outcomes have come from these probabilities?

The main test looks in two directions at once: along a straight line in log odds (Cox's score test, strong against
a tilt or a shift) and at every resolution of dyadic bins (T-Cal, strong against bumps). Both are judged by the same
draws y* ~ Bernoulli(p), and the smaller of their two p-values is itself judged by those draws (Westfall & Young
1993), so that looking twice costs as little as it can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.arrays import cells_of, check_events
from calibrant.calibration.rounding import allow_rounding, rounding_step
from calibrant.intervals.null import null_groups, plain_rows
from calibrant.random import STREAMS, FlipSums, normals, uniforms

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from calibrant.arrays import Weighting
    from calibrant.tallies.cells import Cells
    from calibrant.tallies.sums import BinSums

__all__ = [
    "TEST_DRAWS",
    "CalibrationTest",
    "calibration_test",
    "calibration_test_of_cells",
    "dyadic_levels",
    "shares_above",
    "tcal_statistic",
]

TEST_DRAWS = 999
MAX_LEVEL = 10
FINEST = 2**MAX_LEVEL
"""The finest dyadic bins have width 2⁻¹⁰."""


class CalibrationTest(NamedTuple):
    """A test of "these probabilities are right".

    Attributes:
        p_value: of both tests together; small means miscalibrated. nan when nothing can be tested.
        score: Cox's score statistic for intercept and slope, about χ² with 2 degrees of freedom.
        score_p: its p-value from the draws.
        bumps: the T-Cal statistic, the largest standardised one over the levels.
        bumps_p: its p-value from the draws.
        levels: numbers of dyadic bins looked at.
        rounding: the step to which probabilities are rounded, allowed for by half of it; 0 when they are not.
        draws: Monte Carlo draws.
        seed: seed of the draws.
        why: why there is no p-value; None when there is one.
    """

    p_value: float
    score: float
    score_p: float
    bumps: float
    bumps_p: float
    levels: tuple[int, ...]
    rounding: float
    draws: int
    seed: int
    why: str | None


def calibration_test(
    prob: ArrayLike,
    outcome: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    weighting: Weighting = "sampling",
    seed: int = 0,
) -> CalibrationTest:
    """Test whether outcomes could have come from these probabilities. A small p-value says no.

    A large p-value is no proof of calibration: few rows cannot show much. For answers give the confidence and
    whether the answer was right. Where probabilities are rounded (to 0.01, say), calibration within half a rounding
    step counts as calibration.

    Args:
        prob: probabilities of the event, shape (n,).
        outcome: 0 or 1, shape (n,).
        weights: how much each row counts, shape (n,); sampling weights make the draws normal.
        weighting: "sampling" weights, or "frequency" when a row stands for that many equal rows.
        seed: seed of the 999 draws.

    Returns:
        p-value (1 + k) / (1 + 999) and its two parts.

    Raises:
        InputError: if shapes do not fit or a value is refused.

    Example:
        >>> said = np.repeat([0.1, 0.3, 0.7, 0.9], 100)
        >>> happened = np.tile(np.repeat([0, 1], [7, 3]), 40)  # three in ten, whatever was said
        >>> calibration_test(said, happened).p_value
        0.001

    Source: Cox (1958), Biometrika 45, 562–565; Lee, Huang, Hassani & Dobriban (2023), JMLR 24(335), sections 3–4;
    Westfall & Young (1993), *Resampling-based multiple testing*.
    """
    p, y, w = check_events(prob, outcome, weights)
    return calibration_test_of_cells(cells_of(p, y, w, weighting), seed=seed)


def calibration_test_of_cells(cells: Cells, *, seed: int = 0, draws: int = TEST_DRAWS) -> CalibrationTest:
    """The same test from cells; grids are merged into about 1,200 groups, so that its cost does not grow with n."""
    nan = float("nan")
    cells = plain_rows(cells)
    step = rounding_step(cells)
    groups = _Groups.of(cells, step)
    if not groups.variance.any():
        why = "every probability is 0 or 1, so that chance plays no part"
        return CalibrationTest(nan, nan, nan, nan, nan, (), step, 0, seed, why)
    null = groups.null(seed, draws)
    every = np.vstack([groups.residual, null])  # the observed one first
    score = _score(groups, every)
    levels = dyadic_levels(cells.n)
    bumps = _bumps(groups, every, levels)
    p_score, p_bumps = shares_above(score), shares_above(bumps)
    both = shares_above(-np.minimum(p_score, p_bumps))
    return CalibrationTest(
        float(both[0]),
        float(score[0]),
        float(p_score[0]),
        float(bumps[0]),
        float(p_bumps[0]),
        levels,
        step,
        draws,
        seed,
        None,
    )


class _Groups(NamedTuple):
    """Groups of one probability each: Σw, Σw², the residual Σw(y − p), its null variance, and what rounding allows."""

    rows: NDArray[np.int64]
    prob: NDArray[np.float64]
    weight: NDArray[np.float64]
    square: NDArray[np.float64]
    residual: NDArray[np.float64]
    variance: NDArray[np.float64]
    slack: NDArray[np.float64]
    weighted: bool

    @classmethod
    def of(cls, cells: Cells, step: float) -> _Groups:
        groups = null_groups(cells, np.minimum((cells.prob * FINEST).astype(np.intp), FINEST - 1))
        sums = cells.sums()

        def total(part: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.bincount(groups.cell, part, minlength=groups.rows.size).astype(np.float64)

        weight, square = total(sums.weight), total(sums.v.sum(axis=1))
        prob, slack = allow_rounding(groups.prob, step)
        residual = -total(sums.residual) - weight * (prob - groups.prob)
        variance = np.where(prob == groups.prob, total(sums.null_variance), square * prob * (1.0 - prob))
        return cls(
            groups.rows, prob, weight, square, residual, np.maximum(variance, 0.0), weight * slack, cells.is_weighted
        )

    def null(self, seed: int, draws: int) -> NDArray[np.float64]:
        shape = (draws, self.rows.size)
        if self.weighted:
            return normals(seed, STREAMS["test"], shape) * np.sqrt(self.variance)
        law = FlipSums.of(self.rows, self.prob)
        return law.quantile(uniforms(seed, STREAMS["test"], shape)) - law.mean


def _score(groups: _Groups, residual: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cox's score statistic u' V⁻¹ u of logit P(y) = a + b·logit p at (0, 1), u = Σ residual·(1, logit p).

    The first row of `residual` is the observed one; rounding may explain part of it.
    """
    inside = (groups.prob > 0) & (groups.prob < 1)
    x = np.zeros_like(groups.prob)
    x[inside] = np.log(groups.prob[inside] / (1.0 - groups.prob[inside]))
    total = float(groups.variance.sum())
    x = np.where(inside, x - float(groups.variance @ x) / total, 0.0)
    along = float(groups.variance @ x**2)
    with np.errstate(over="ignore"):  # an outcome that was all but ruled out: infinite
        level = residual @ inside.astype(np.float64)
        level[0] = _without(level[0], float(groups.slack[inside].sum()))
        out = level**2 / total
        if along > 1e-12 * total:
            tilt = residual @ x
            tilt[0] = _without(tilt[0], float(groups.slack @ np.abs(x)))
            out += tilt**2 / along
    impossible = np.abs(residual[:, ~inside]).sum(axis=1) > 1e-9
    return np.where(impossible, np.inf, out)


def _without(value: NDArray[np.float64], slack: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """What is left of a residual when rounding has explained all that it can."""
    return np.asarray(np.sign(value) * np.maximum(np.abs(value) - slack, 0.0))


def dyadic_levels(rows: int) -> tuple[int, ...]:
    """Numbers of bins 2, 4, 8, …: up to about one bin per two rows, not more than 1,024."""
    finest = int(np.clip(np.floor(np.log2(max(rows / 2, 2))), 1, MAX_LEVEL))
    return tuple(2**level for level in range(1, finest + 1))


def tcal_statistic(sums: BinSums) -> float:
    """The debiased plug-in statistic of T-Cal for one set of bins: (1/W) Σ_k [(Σwu)² − Σw²u²] / Σw, u = y − p.

    Its mean is 0 for a calibrated forecaster.

    Source: Lee, Huang, Hassani & Dobriban (2023), JMLR 24(335), equation 5, as in their code (divided by |I|).
    """
    some = sums.occupied()
    return float(((some.residual**2 - some.residual_square) / some.weight).sum() / some.weight.sum())


def _bumps(groups: _Groups, residual: NDArray[np.float64], levels: tuple[int, ...]) -> NDArray[np.float64]:
    """The largest standardised T-Cal statistic over dyadic bins.

    At each level T = Σ_k [(Σwu)² − Σw²u²] / Σw, divided by its null deviation √(2 Σ (V_k/Σw)²). Given the
    probabilities, Σw²u² is V + Σ w·residual·(1 − 2p), exactly so where all rows of a group weigh the same.
    """
    place = np.minimum((groups.prob * levels[-1]).astype(np.intp), levels[-1] - 1)
    best = np.full(residual.shape[0], -np.inf)
    size = levels[-1]
    own = groups.variance + residual * ((1.0 - 2.0 * groups.prob) * groups.square / groups.weight)
    sums, mass, variance, slack = residual, groups.weight, groups.variance, groups.slack
    for m in reversed(levels):
        place = place * m // size
        start = np.flatnonzero(np.append(True, np.diff(place) > 0))
        sums, own, mass, variance, slack = (
            np.add.reduceat(part, start, axis=-1) for part in (sums, own, mass, variance, slack)
        )
        place, size = place[start], m
        scale = float(np.sqrt(2.0 * np.sum((variance / mass) ** 2)))
        if scale > 0:
            square = sums**2
            square[0] = _without(sums[0], slack) ** 2
            with np.errstate(over="ignore"):
                best = np.maximum(best, ((square - own) / mass).sum(axis=-1) / scale)
    return best


def shares_above(statistic: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each entry the share of entries at least as large, up to rounding; the first is the Monte Carlo p-value."""
    finite = np.where(np.isfinite(statistic), statistic, np.sign(statistic) * 1e300)
    rounded = finite - 1e-10 * np.maximum(np.abs(finite), 1.0)
    order = np.sort(finite)
    return (finite.size - np.searchsorted(order, rounded, side="left")) / finite.size
