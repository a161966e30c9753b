"""Two models on different items, or known by separate tallies: an unpaired comparison, labelled so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.comparison.results import Compared, ModelFigures, PairResult
from calibrant.errors import InputError
from calibrant.intervals.means import few_rows_reason
from calibrant.measure.number import Number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.comparison.judging import Settings
    from calibrant.measure.number import Better
    from calibrant.tallies.moments import Moments
    from calibrant.tallies.tally import Slice

__all__ = ["judge_unpaired"]

SCORES = {"brier": "brier", "log_loss": "log", "rps": "rps", "accuracy": "right"}
FORMULA = "difference of means over different rows"


def judge_unpaired(names: Sequence[str], slices: Sequence[Slice], settings: Settings, note: str) -> Compared:
    """Compare slices as if their rows were independent of one another.

    Raises:
        InputError: if the slices hold different kinds of questions.
    """
    kinds = {part.kind for part in slices}
    if len(kinds) > 1:
        raise InputError(f"{' and '.join(names)} answer different kinds of questions: {', '.join(sorted(kinds))}.")
    pairs = []
    for i in range(len(slices)):
        for j in range(i + 1, len(slices)):
            a, b = slices[i], slices[j]
            numbers = {
                score: _difference(score, key, a, b, settings)
                for score, key in SCORES.items()
                if a.moments.has(key) and b.moments.has(key)
            }
            skill = _skill(a, b, settings)
            if skill is not None:
                numbers["brier_skill"] = skill
            pairs.append(PairResult(names[i], names[j], "not_comparable", False, numbers, None))
    models = []
    for name, part in zip(names, slices, strict=True):
        scores: dict[str, float | None] = {
            score: part.moments.mean(key) for score, key in SCORES.items() if part.moments.has(key)
        }
        if part.infinite_log.rows:
            scores["log_loss"] = None
        models.append(ModelFigures(name, part.n, 0, scores["brier"], None, None, scores))
    return Compared(
        {}, slices[0].kind, 0, sum(part.n for part in slices), 0, 0, False, tuple(models), tuple(pairs), notes=(note,)
    )


def _difference(score: str, key: str, a: Slice, b: Slice, settings: Settings) -> Number:
    value = a.moments.mean(key) - b.moments.mean(key)
    extra: dict[str, object] = {"first": a.moments.mean(key), "second": b.moments.mean(key)}
    n = a.n + b.n
    if score == "log_loss" and (a.infinite_log.rows or b.infinite_log.rows):
        return Number(score, None, FORMULA, n, (None, None), "lower", why="infinite on some rows", extra={})
    side: Better = "higher" if score == "accuracy" else "lower"
    why = _unfit(a) or _unfit(b)
    if why is not None:
        return Number(score, value, FORMULA, n, (None, None), side, level=settings.level, why=why, extra=extra)
    errors = [part.moments.standard_error(key) for part in (a, b)]
    return _welch(score, value, errors, [part.moments.effective_n for part in (a, b)], n, extra, settings=settings)


def _skill(a: Slice, b: Slice, settings: Settings) -> Number | None:
    if a.kind != "yes_no":
        return None
    values, errors = [], []
    for part in (a, b):
        value, error = _skill_of(part.moments)
        values.append(value)
        errors.append(error)
    if not np.isfinite(values).all():
        return None
    extra: dict[str, object] = {"first": values[0], "second": values[1]}
    n = a.n + b.n
    why = _unfit(a) or _unfit(b)
    value = values[0] - values[1]
    if why is not None:
        return Number("brier_skill", value, FORMULA, n, (None, None), "higher", why=why, extra=extra)
    sizes = [part.moments.effective_n for part in (a, b)]
    return _welch("brier_skill", value, errors, sizes, n, extra, settings=settings)


def _skill_of(moments: Moments) -> tuple[float, float]:
    rate, brier = moments.mean("outcome"), moments.mean("brier")
    u = rate * (1 - rate)
    if u <= 0:
        return float("nan"), float("nan")
    slope = np.array([-1 / u, brier * (1 - 2 * rate) / u**2])
    variance = float(slope @ moments.covariance_of_means(("brier", "outcome")) @ slope)
    return 1 - brier / u, max(variance, 0.0) ** 0.5


def _unfit(part: Slice) -> str | None:
    if part.clusters is not None:
        return "rows come in clusters; compare the rows with --id and --cluster"
    return few_rows_reason(part.moments)


def _welch(
    score: str,
    value: float,
    errors: Sequence[float],
    sizes: Sequence[float],
    n: int,
    extra: dict[str, object],
    *,
    settings: Settings,
) -> Number:
    from scipy.special import stdtr, stdtrit

    side: Better = "higher" if score in ("accuracy", "brier_skill") else "lower"
    squares = np.square(errors)
    error = float(np.sqrt(squares.sum()))
    if error == 0:
        return Number(
            score,
            value,
            FORMULA,
            n,
            (None, None),
            side,
            why="no variation",
            extra=extra,
        )
    degrees = float(squares.sum() ** 2 / (squares**2 / (np.array(sizes) - 1)).sum())
    half = float(stdtrit(degrees, 0.5 + settings.level / 2)) * error
    extra |= {"standard_error": error, "p_value": 2 * float(stdtr(degrees, -abs(value / error)))}
    return Number(
        score, value, FORMULA, n, (None, None), side, value - half, value + half,
        settings.level, "unpaired t (Welch)", None, extra,
    )  # fmt: skip
