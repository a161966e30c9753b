"""Numbers of the scores: Brier with its references, skill, log loss, accuracy, base rate, AUC, ranked probability."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from calibrant.intervals.ranking import auc_interval_of_cells, auc_test
from calibrant.measure.number import Number
from calibrant.measure.uncertainty import ONLY_ROWS
from calibrant.scores.auc import auc_of_cells
from calibrant.tallies.rows import class_score

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.measure.options import MeasureOptions
    from calibrant.measure.uncertainty import Uncertainty
    from calibrant.tallies.cells import Cells
    from calibrant.tallies.tally import Slice

__all__ = ["brier_base_rate", "brier_uniform", "score_numbers"]

FORMULAS = {
    "yes_no": "mean (p - y)^2",
    "answer": "mean (confidence - right)^2",
    "choice": "mean over questions of sum over options (p - y)^2",
    "score": "mean over questions of sum over levels (p - y)^2",
}


def score_numbers(part: Slice, cells: Cells, options: MeasureOptions, uncertainty: Uncertainty) -> Iterator[Number]:
    """Every score of a slice; `cells` is its main view."""
    yield _brier(part, cells, uncertainty)
    yield from _references(part, uncertainty)
    yield _log_loss(part, cells, options, uncertainty)
    yield _share(part, "accuracy", "right", "share of rows whose top answer is right", uncertainty, better="higher")
    yield _mean(part, "mean_confidence", "confidence", "mean probability of the top answer", uncertainty)
    yield _gap(part, "confidence_gap", ("confidence", "right"), "mean confidence - share right", uncertainty)
    if part.kind == "yes_no":
        yield _share(part, "base_rate", "outcome", "share of rows where it happened", uncertainty)
        yield _mean(part, "mean_probability", "prob", "mean p", uncertainty)
        yield _gap(part, "bias", ("prob", "outcome"), "mean p - share that happened", uncertainty)
    yield _auc(part, cells, options, uncertainty)
    if part.kind == "score":
        yield from _ranked(part, uncertainty)


def brier_uniform(part: Slice) -> float | None:
    """The Brier score of giving every option the same probability, in the scale of the slice; None for answers."""
    if part.kind == "yes_no":
        return 0.25
    rows = sum(part.option_counts.values())
    return sum(n * (1 - 1 / k) for k, n in part.option_counts.items()) / rows if rows else None


def brier_base_rate(part: Slice) -> float | None:
    """The Brier score of saying how often each outcome happens, every time; None when options differ by question."""
    if part.kind in ("yes_no", "answer"):
        rate = part.moments.mean("outcome" if part.kind == "yes_no" else "right")
        return rate * (1 - rate)
    total = sum(part.classes.values())
    return sum(w / total * (1 - w / total) for w in part.classes.values()) if total else None


def _brier(part: Slice, cells: Cells, uncertainty: Uncertainty) -> Number:
    top = 1.0 if part.kind in ("yes_no", "answer") else 2.0
    value = part.moments.mean("brier")
    interval = uncertainty.mean("brier", (0.0, top), cells if top == 1.0 else None)
    extra: dict[str, object] = {"scale": "0-1", "sum_scale": 2 * value} if top == 1.0 else {"scale": "0-2"}
    return Number(
        "brier",
        value,
        FORMULAS[part.kind],
        part.n,
        (0.0, top),
        "lower",
        interval.low,
        interval.high,
        uncertainty.level,
        interval.method,
        interval.why,
        extra,
    )


def _references(part: Slice, uncertainty: Uncertainty) -> Iterator[Number]:
    top = 1.0 if part.kind in ("yes_no", "answer") else 2.0
    uniform = brier_uniform(part)
    if uniform is not None:
        said = "Brier score of p = 0.5 every time" if part.kind == "yes_no" else "1 - 1/K, mean over questions"
        yield Number("brier_uniform", uniform, said, part.n, (0.0, top))
    base = brier_base_rate(part)
    if base is None:
        return
    yield Number("brier_base_rate", base, "Brier score of saying the base rate every time", part.n, (0.0, top))
    formula = "1 - Brier / Brier of the base rate of the same rows"
    if base == 0:
        why = "only one outcome happened, so the base rate alone is perfect"
        yield Number("brier_skill", None, formula, part.n, (None, 1.0), "higher", why=why)
        return
    value = 1 - part.moments.mean("brier") / base
    low, high, method, why_none = uncertainty.skill(_outcomes(part))
    yield Number(
        "brier_skill", value, formula, part.n, (None, 1.0), "higher", low, high, uncertainty.level, method, why_none
    )


def _outcomes(part: Slice) -> tuple[str, ...]:
    """The scores that are 1 where an outcome is the right one."""
    if part.kind == "yes_no":
        return ("outcome",)
    return ("right",) if part.kind == "answer" else tuple(class_score(option) for option in part.options)


def _log_loss(part: Slice, cells: Cells, options: MeasureOptions, uncertainty: Uncertainty) -> Number:
    formula = "mean -ln(probability of what happened)"
    infinite = part.infinite_log
    extra: dict[str, object] = {"infinite_rows": infinite.rows}
    if options.floor is not None and part.kind in ("yes_no", "answer"):
        value = _floored_log_loss(cells, options.floor)
        extra["floor"] = options.floor
        return Number(
            "log_loss", value, f"{formula}, p not below {options.floor:g}", part.n, (0.0, None), "lower", extra=extra
        )
    if infinite.rows:
        why = f"infinite: {infinite.rows:,} rows said 0% of what happened"
        return Number("log_loss", None, formula, part.n, (0.0, None), "lower", why=why, extra=extra)
    interval = uncertainty.mean("log", (0.0, math.inf))
    return Number(
        "log_loss",
        part.moments.mean("log"),
        formula,
        part.n,
        (0.0, None),
        "lower",
        interval.low,
        interval.high,
        options.level,
        interval.method,
        interval.why,
        extra,
    )


def _floored_log_loss(cells: Cells, floor: float) -> float:
    chance = np.stack([1.0 - cells.prob, cells.prob], axis=1)
    total = float((cells.w * -np.log(np.maximum(chance, floor))).sum())
    return total / float(cells.w.sum())


def _share(
    part: Slice, name: str, score: str, formula: str, uncertainty: Uncertainty, *, better: str | None = None
) -> Number:
    interval = uncertainty.share(score)
    return Number(
        name,
        part.moments.mean(score),
        formula,
        part.n,
        (0.0, 1.0),
        "higher" if better else None,
        interval.low,
        interval.high,
        uncertainty.level,
        interval.method,
        extra={"tied_rows": part.ties} if name == "accuracy" and part.ties else {},
    )


def _mean(part: Slice, name: str, score: str, formula: str, uncertainty: Uncertainty) -> Number:
    low, high, method, why = uncertainty.plain_mean(score)
    value = part.moments.mean(score)
    top = float(max(len(part.options) - 1, 1)) if score in ("level", "label") else 1.0
    return Number(name, value, formula, part.n, (0.0, top), None, low, high, uncertainty.level, method, why)


def _gap(part: Slice, name: str, pair: tuple[str, str], formula: str, uncertainty: Uncertainty) -> Number:
    value = part.moments.mean(pair[0]) - part.moments.mean(pair[1])
    low, high, method, why = uncertainty.difference(*pair)
    top = float(max(len(part.options) - 1, 1)) if name == "level_bias" else 1.0
    return Number(name, value, formula, part.n, (-top, top), None, low, high, uncertainty.level, method, why)


def _auc(part: Slice, cells: Cells, options: MeasureOptions, uncertainty: Uncertainty) -> Number:
    formula = "chance that a yes has a higher p than a no"
    if part.kind != "yes_no":
        formula = "chance that a right answer has a higher confidence than a wrong one"
    found = auc_of_cells(cells)
    if math.isnan(found.value):
        return Number("auc", None, formula, part.n, better="higher", why="only one outcome happened")
    extra: dict[str, object] = {"error_bound": found.error_bound} if found.error_bound else {}
    if uncertainty.clusters is not None:
        return Number("auc", found.value, formula, part.n, (0.0, 1.0), "higher", why=ONLY_ROWS, extra=extra)
    low, high, method, why = auc_interval_of_cells(cells, options.level)
    test = auc_test(cells, seed=options.seed)
    extra = {**extra, "p_value": None if math.isnan(test.p_value) else test.p_value, "seed": options.seed}
    return Number(
        "auc", found.value, formula, part.n, (0.0, 1.0), "higher", low, high, options.level, method, why, extra
    )


def _ranked(part: Slice, uncertainty: Uncertainty) -> Iterator[Number]:
    yield _mean(
        part, "expected_level", "level", "mean over questions of sum over levels k p_k, levels from 0", uncertainty
    )
    yield _mean(part, "label_level", "label", "mean level of the right answer, levels from 0", uncertainty)
    yield _gap(part, "level_bias", ("level", "label"), "mean expected level - mean right level", uncertainty)
    steps = max(len(part.options) - 1, 1)
    interval = uncertainty.mean("rps", (0.0, float(steps)))
    yield Number(
        "rps",
        part.moments.mean("rps"),
        "mean over questions of sum over cuts (P(level <= k) - [label <= k])^2",
        part.n,
        (0.0, float(steps)),
        "lower",
        interval.low,
        interval.high,
        uncertainty.level,
        interval.method,
        interval.why,
        {"scale": f"0-{steps}", "unit_scale": part.moments.mean("rps") / steps},
    )
