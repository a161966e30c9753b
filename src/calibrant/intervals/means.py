"""Intervals of mean scores, each on the domain where it holds.

A t interval covers as promised only when both kinds of rows, right and wrong, are seen about ten times: at p = 0.99
and 60 rows it covers 46%. Outside that domain a score that is bounded gets a betting interval, which always holds and
is wide; a score without a bound gets none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, logit, logsumexp, stdtrit

from calibrant.intervals.wilson import check_level, normal_quantile, wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.tallies.cells import Cells
    from calibrant.tallies.moments import Moments

__all__ = [
    "MINIMUM_OF_EACH",
    "MeanInterval",
    "auc_interval",
    "betting_interval",
    "brier_betting_interval",
    "few_rows_reason",
    "mean_interval",
    "share_interval",
    "t_interval",
]

MINIMUM_OF_EACH = 10
"""A t interval is given from this many effective rows right and as many wrong."""

BETS = 96


class MeanInterval(NamedTuple):
    """An interval, or the reason why there is none.

    Attributes:
        low: lower limit, or None.
        high: upper limit, or None.
        method: "t", "wilson", "delta" or "betting (conservative)"; None without an interval.
        why: the reason when there is none; None otherwise.
    """

    low: float | None
    high: float | None
    method: str | None
    why: str | None


def t_interval(mean: float, standard_error: float, degrees: float, level: float = 0.95) -> tuple[float, float]:
    """Limits mean ± t · standard error.

    Example:
        >>> low, high = t_interval(0.5, 0.1, 9)
        >>> round(low, 4), round(high, 4)
        (0.2738, 0.7262)
    """
    half = float(stdtrit(degrees, 0.5 + check_level(level) / 2)) * standard_error
    return mean - half, mean + half


def few_rows_reason(moments: Moments) -> str | None:
    """Why a t interval of a score would not hold here, or None when it does."""
    n = moments.effective_n
    right = moments.mean("right") * n if moments.has("right") else n / 2
    if min(right, n - right) >= MINIMUM_OF_EACH - 1e-9:
        return None
    kind = "wrong" if n - right < right else "right"
    seen = min(right, n - right)
    return f"only {seen:.3g} rows are {kind}; an interval of the mean needs about {MINIMUM_OF_EACH}"


def mean_interval(
    moments: Moments, name: str, level: float = 0.95, *, bounds: tuple[float, float] | None = None
) -> MeanInterval:
    """The t interval of a mean score, or the reason why it would not hold.

    Args:
        moments: sums of the row scores.
        name: the score.
        level: confidence level.
        bounds: the limits are cut to this range, such as (0, 1) for a Brier score.
    """
    why = few_rows_reason(moments)
    if why is not None:
        return MeanInterval(None, None, None, why)
    low, high = t_interval(moments.mean(name), moments.standard_error(name), moments.effective_n - 1, level)
    if bounds is not None:
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return MeanInterval(low, high, "t", None)


def share_interval(moments: Moments, name: str, level: float = 0.95, *, design_effect: float = 1.0) -> MeanInterval:
    """Wilson's interval of a share such as accuracy ("right") or base rate ("outcome")."""
    low, high = wilson(moments.mean(name), moments.effective_n / design_effect, level)
    return MeanInterval(float(low), float(high), "wilson", None)


def auc_interval(area: float, standard_error: float, no: float, yes: float, level: float = 0.95) -> MeanInterval:
    """Interval of an AUC from DeLong's standard error, on the scale of its log odds so that it stays inside 0 to 1.

    Args:
        area: the AUC.
        standard_error: its standard error, `Auc.standard_error`.
        no: effective rows where the event did not happen.
        yes: effective rows where it did.
        level: confidence level.

    Source: DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44; log odds after Pepe (2003), section 5.2.
    """
    if min(no, yes) < MINIMUM_OF_EACH - 1e-9:
        return MeanInterval(
            None, None, None, f"only {min(no, yes):.3g} rows have the rarer outcome; about 10 are needed"
        )
    if not 0 < area < 1:
        return MeanInterval(None, None, None, "the probabilities separate the outcomes perfectly")
    half = normal_quantile(level) * standard_error / (area * (1 - area))
    centre = float(logit(area))
    return MeanInterval(float(expit(centre - half)), float(expit(centre + half)), "DeLong", None)


def betting_interval(
    values: NDArray[np.float64], rows: NDArray[np.float64], upper: float = 1.0, level: float = 0.95
) -> MeanInterval:
    """An interval of the mean of a bounded score that holds for every distribution and number of rows.

    A mean m is refused when one of two gamblers, who bet that the mean is higher (or lower) than m, would have
    multiplied their money by 2/α. Each spreads the money over fixed bets λ, so the result is Π(1 + λ(x − m)) averaged
    over λ: it does not depend on the order of the rows, and Markov's inequality is all that it needs.

    Args:
        values: distinct values of the score, from 0 to `upper`.
        rows: how many rows have each value; rows must be independent and not weighted.
        upper: the largest possible value.
        level: confidence level.

    Source: after Waudby-Smith & Ramdas (2024), Journal of the Royal Statistical Society B 86, section 4; with a
    mixture of fixed bets in place of predictable ones.
    """
    level = check_level(level)
    low = _betting_limit(values / upper, rows, level)
    high = 1 - _betting_limit(1 - values / upper, rows, level)
    return MeanInterval(low * upper, high * upper, "betting (conservative)", None)


def brier_betting_interval(cells: Cells, level: float = 0.95) -> MeanInterval:
    """Betting interval of the Brier score (from 0 to 1) of exact, unweighted yes/no cells."""
    if not cells.is_exact or cells.is_weighted:
        return MeanInterval(None, None, None, "rows have weights, or too many distinct probabilities")
    p = cells.prob
    values = np.concatenate([np.square(p), np.square(1 - p)])
    rows = np.concatenate([cells.rows[:, 0], cells.rows[:, 1]]).astype(np.float64)
    seen = rows > 0
    return betting_interval(values[seen], rows[seen], 1.0, level)


def _betting_limit(x: NDArray[np.float64], rows: NDArray[np.float64], level: float) -> float:
    """The largest mean that a gambler who bets on a higher one refuses, for x in [0, 1]; 0 when there is none."""
    x, rows = _fewer_values(x, rows)
    target = float(np.log(2 / (1 - level)) + np.log(BETS))
    fraction = ((np.arange(BETS) + 0.5) / BETS)[:, None]
    low, high = 0.0, float(np.dot(x, rows) / rows.sum())
    for _ in range(40 if high > 0 else 0):
        middle = (low + high) / 2
        if float(logsumexp(np.log1p(fraction * (x / middle - 1)) @ rows)) >= target:
            low = middle
        else:
            high = middle
    return low


def _fewer_values(x: NDArray[np.float64], rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """At most 2,048 values: groups of neighbours, each taken at its smallest, which can only lower the limit."""
    order = np.argsort(x, kind="stable")
    x, rows = x[order], rows[order]
    start = np.unique(np.linspace(0, x.size, 2048, endpoint=False).astype(np.intp)) if x.size > 2048 else None
    return (x, rows) if start is None else (x[start], np.add.reduceat(rows, start))
