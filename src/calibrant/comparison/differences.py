"""Differences of two models on the same rows: each number first minus second, with the interval that is valid.

Every number is a smooth function of means of row scores. Its influence on one row is a fixed combination of the
columns of a pair block, so its standard error follows from the block's products, by rows or by clusters.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.calibration.debiased import signed_root
from calibrant.intervals.clusters import FEW_CLUSTERS
from calibrant.measure.number import Number
from calibrant.random import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from calibrant.measure.number import Better
    from calibrant.tallies.pair import PairBlock, Sums

__all__ = ["MINIMUM_CARRYING", "Influence", "differences", "mean_difference"]

MINIMUM_CARRYING = 10.0
"""A t interval is given when at least about so many rows carry the difference: (Σd²)²/Σd⁴."""

POWER = 0.8
DERIVED = ("brier_skill", "debiased_l2_square", "miscalibration", "discrimination")
FORMULAS = {
    "brier": "mean Brier score",
    "log_loss": "mean -ln p of what happened",
    "rps": "mean ranked probability score (sum)",
    "accuracy": "share of rows where the top option is right",
    "brier_skill": "1 - Brier / Brier of the base rate on these rows",
    "debiased_l2_square": "sum over bins of share x squared gap, chance taken off",
    "miscalibration": "Brier score that recalibration by a line would save",
    "discrimination": "Brier score that the recalibrated forecast gains over the base rate",
}
DEGENERATE = "conservative when both are calibrated"


class Influence(NamedTuple):
    """An estimate of both models, and the weights of columns whose mean is its difference to first order.

    Attributes:
        first: value of the first model.
        second: value of the second.
        weights: shape (d,): influence of one row is weights · columns; its mean is 0.
    """

    first: float
    second: float
    weights: NDArray[np.float64]


def standard_error(sums: Sums, weights: NDArray[np.float64], units: int) -> float:
    """Standard error of a mean with these weights; from units, with the factor units/(units − 1)."""
    mass = float(sums.total[0]) if sums.names[0] == "one" else 1.0
    square = float(weights @ sums.outer @ weights)
    # The products of large sums cancel; what is left below their rounding is 0.
    size = float(np.abs(weights) @ np.abs(sums.outer) @ np.abs(weights))
    if units < 2 or square <= 1e-14 * size:
        return 0.0
    return float(np.sqrt(square * units / (units - 1))) / mass


def mean_difference(sums: Sums, name: str) -> Influence:
    """Difference of two mean scores."""
    mean = sums.total / sums.total[0]
    a, b = sums.at(f"{name}_a"), sums.at(f"{name}_b")
    weights = np.zeros(mean.size)
    weights[a], weights[b] = 1.0, -1.0
    weights[0] = mean[b] - mean[a]
    return Influence(float(mean[a]), float(mean[b]), weights)


def differences(pair: PairBlock, *, level: float = 0.95, bins: int = 10) -> dict[str, Number]:
    """All numbers of a pair of models, by name; `value` is first minus second, `extra` holds both.

    Args:
        pair: the pair block.
        level: confidence level.
        bins: bins of the debiased calibration error.
    """
    sums = pair.scores
    out: dict[str, Number] = {}
    for key, name, better in (
        ("brier", "brier", "lower"),
        ("log", "log_loss", "lower"),
        ("rps", "rps", "lower"),
        ("right", "accuracy", "higher"),
    ):
        if sums.has(f"{key}_a") and sums.has(f"{key}_b"):
            number = _of_mean(pair, key, name, "lower" if better == "lower" else "higher", level)
            if name == "log_loss" and number.low is not None:
                number = replace(number, why="no coverage is promised: the log loss has no bound")
            out[name] = _infinite(number, pair) if name == "log_loss" and any(pair.infinite) else number
    skill = _skill(pair)
    if skill is not None:
        out["brier_skill"] = _number("brier_skill", skill, pair, level, "higher")
    out["debiased_l2_square"] = _l2(pair.in_bins(bins), level)
    for name, found, better in (
        ("miscalibration", _linear(sums, discrimination=False), "lower"),
        ("discrimination", _linear(sums, discrimination=True), "higher"),
    ):
        side: Better = "lower" if better == "lower" else "higher"
        out[name] = _number(name, found, pair, level, side, note=DEGENERATE if side == "lower" else None)
    if pair.clustered and pair.units < FEW_CLUSTERS:
        out |= {name: _without_limits(out[name], pair.units) for name in DERIVED if name in out}
        out = {name: replace(number, extra=_shortened(number.extra)) for name, number in out.items()}
    return out


def _without_limits(number: Number, units: int) -> Number:
    """Of few clusters the error of a curved statistic is not known well enough."""
    if number.low is None:
        return number
    why = f"{units} clusters are too few for an interval of this number"
    return replace(number, low=None, high=None, method=None, why=why, extra={**number.extra, "p_value": None})


def _shortened(extra: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in extra.items() if name not in ("detectable", "units_needed", "t")}


def _of_mean(pair: PairBlock, key: str, name: str, better: Better, level: float) -> Number:
    number = _number(name, mean_difference(pair.scores, key), pair, level, better)
    square = pair.scores.at(f"{key}_d2")
    total, fourth = float(pair.scores.total[square]), float(pair.scores.outer[square, square])
    carrying = total * total / fourth if fourth > 0 else 0.0
    if pair.clustered or carrying >= MINIMUM_CARRYING or number.extra.get("standard_error") == 0:
        return number
    extra = {**number.extra, "p_value": None}
    why = f"about {carrying:.2g} rows carry the difference; an interval needs about {MINIMUM_CARRYING:.0f}"
    return Number(
        name, number.value, number.convention, number.n, number.range, better, level=level, why=why, extra=extra
    )


def _number(
    name: str, found: Influence, pair: PairBlock, level: float, better: Better, *, note: str | None = None
) -> Number:
    error = standard_error(pair.scores, found.weights, pair.units)
    return _told(name, found, error, pair, level, better=better, note=note)


def _degenerate_variance(pair: PairBlock) -> float:
    """What is left of the variance when both are calibrated and the first order vanishes: 2·tr((W·S)²).

    S is the covariance of the gaps of all bins of both models, W the share of rows, negative for the second.
    """
    width, total = pair.width, pair.bins.total
    n = np.concatenate([total[:width], total[2 * width : 3 * width]])
    places = np.concatenate([np.arange(width, 2 * width), np.arange(3 * width, 4 * width)])
    inverse = np.where(n > 0, 1.0 / np.where(n > 0, n, 1.0), 0.0)
    spread = pair.bins.outer[np.ix_(places, places)] * np.outer(inverse, inverse)
    share = n / pair.scores.total[0] * np.repeat([1.0, -1.0], width)
    weighted = share[:, None] * spread
    return 2.0 * max(float(np.einsum("ij,ji->", weighted, weighted)), 0.0)


def _told(
    name: str,
    found: Influence,
    error: float,
    pair: PairBlock,
    level: float,
    *,
    better: Better,
    note: str | None,
) -> Number:
    from scipy.special import stdtr, stdtrit

    value = found.first - found.second
    extra: dict[str, object] = {"first": found.first, "second": found.second, "standard_error": error}
    common = (name, value, FORMULAS[name], pair.rows, (None, None), better)
    degrees = pair.units - 1
    if not np.isfinite(value):
        return Number(name, None, FORMULAS[name], pair.rows, (None, None), better, why="undefined here", extra=extra)
    if error == 0 or degrees < 1:
        extra["p_value"] = 1.0 if abs(value) <= 1e-15 else None
        why = "identical on every row" if abs(value) <= 1e-15 else "no variation in the difference"
        if degrees < 1:
            extra["p_value"], why = None, "all rows are in one cluster" if pair.clustered else "only one row"
        return Number(*common, level=level, why=why, extra=extra)
    half = float(stdtrit(degrees, 0.5 + level / 2)) * error
    t = value / error
    wanted = (float(normal_quantile(0.5 + level / 2)) + float(normal_quantile(POWER))) * error
    extra |= {
        "t": t,
        "degrees_of_freedom": degrees,
        "p_value": 2.0 * float(stdtr(degrees, -abs(t))),
        "detectable": wanted,
        "units_needed": None if value == 0 else int(np.ceil(pair.units * (wanted / value) ** 2)),
    }
    method = "paired t, clusters" if pair.clustered else "paired t"
    return Number(*common, value - half, value + half, level, method, note, extra)


def _infinite(number: Number, pair: PairBlock) -> Number:
    a, b = pair.infinite
    why = f"infinite on {a} rows of {pair.models[0]} and {b} of {pair.models[1]}"
    extra = {"first": None if a else number.extra["first"], "second": None if b else number.extra["second"]}
    return Number("log_loss", None, number.convention, number.n, (None, None), "lower", why=why, extra=extra)


def _skill(pair: PairBlock) -> Influence | None:
    sums = pair.scores
    mean = sums.total / sums.total[0]
    if pair.kind == "yes_no":
        rates, factor = [sums.at("y_a")], 1.0
    else:
        rates, factor = [k for k, name in enumerate(sums.names) if name.startswith("class:")], 1.0
    if not rates:
        return None
    pi = mean[rates]
    reference = factor * float((pi * (1 - pi)).sum())
    if reference <= 1e-15:
        return None
    a, b = sums.at("brier_a"), sums.at("brier_b")
    weights = np.zeros(mean.size)
    weights[a], weights[b] = -1 / reference, 1 / reference
    weights[rates] += (mean[a] - mean[b]) * (1 - 2 * pi) / reference**2
    weights[0] = -float(weights @ mean)
    return Influence(1 - float(mean[a]) / reference, 1 - float(mean[b]) / reference, weights)


def _linear(sums: Sums, *, discrimination: bool) -> Influence:
    """Miscalibration or discrimination by linear recalibration; what a fitted line does to first order is nothing."""
    mean = sums.total / sums.total[0]
    weights = np.zeros(mean.size)
    values = []
    for side, sign in (("a", 1.0), ("b", -1.0)):
        x, x2, xy, y = (sums.at(f"{name}_{side}") for name in ("x", "x2", "xy", "y"))
        spread, both = mean[x2] - mean[x] ** 2, mean[xy] - mean[x] * mean[y]
        slope = both / spread if spread > 1e-14 else 0.0
        start = mean[y] - slope * mean[x]
        # Loss of the line: (y − s − b·x)², with y² = y.
        line = np.zeros(mean.size)
        line[[y, x2, xy, x]] += (1 - 2 * start, slope**2, -2 * slope, 2 * start * slope)
        line[0] += start**2
        if discrimination:
            line[y] -= 1 - 2 * mean[y]
            line[0] -= mean[y] ** 2
            line = -line
        else:
            line = -line
            line[[x2, xy, y]] += (1.0, -2.0, 1.0)
        value = float(line @ mean)
        values.append(max(value, 0.0))
        weights += sign * line
        weights[0] -= sign * value
    return Influence(values[0], values[1], weights)


def _l2(pair: PairBlock, level: float) -> Number:
    """Debiased squared calibration error, with influence (2·D·u − D²) of the first minus that of the second."""
    width, sums, mass = pair.width, pair.bins, float(pair.scores.total[0])
    weights = np.zeros(4 * width)
    values = []
    for side, sign in ((0, 1.0), (2, -1.0)):
        n = slice(side * width, (side + 1) * width)
        u = slice((side + 1) * width, (side + 2) * width)
        rows, gaps = sums.total[n], sums.total[u]
        square_rows, square_gaps = np.diag(sums.outer)[n], np.diag(sums.outer)[u]
        seen = rows > 0
        gap = np.where(seen, gaps / np.where(seen, rows, 1.0), 0.0)
        pairs = rows**2 - square_rows
        usable = pairs > 1e-12 * rows**2
        part = rows / mass * (gaps**2 - square_gaps) / np.where(usable, pairs, 1.0)
        values.append(float(part[usable].sum()) if usable.any() else float("nan"))
        plain = float((rows / mass * gap**2).sum())
        weights[u] += sign * 2 * gap
        # Every row is in one bin, so the constant can be taken off the rows of the bins.
        weights[n] -= sign * (gap**2 + plain)
    found = Influence(values[0], values[1], weights)
    first_order = standard_error(sums, weights, pair.units) / mass
    error = float(np.sqrt(first_order**2 + _degenerate_variance(pair))) if first_order > 0 else 0.0
    number = _told("debiased_l2_square", found, error, pair, level, better="lower", note=DEGENERATE)
    roots = {"bins": width, "first_root": signed_root(values[0]), "second_root": signed_root(values[1])}
    extra = {**number.extra, **roots}
    return Number(
        number.name, number.value, number.convention, number.n, number.range, "lower", number.low, number.high,
        level, number.method, number.why, extra,
    )  # fmt: skip
