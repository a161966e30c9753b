"""`recalibrate`: fit a repair, judge it on rows it was not fitted on, and say whether to use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant.errors import InputError, OptionError
from calibrant.intervals.wilson import check_level
from calibrant.recalibration.crossfit import cross_fit, fit, judged_apart
from calibrant.recalibration.data import Part, parts_of_arrays, parts_of_files, parts_of_tally, split_columns
from calibrant.recalibration.effect import Effect, effect_of
from calibrant.recalibration.losses import log_loss_rows, main_loss, main_name
from calibrant.recalibration.methods import METHODS, usable
from calibrant.recalibration.recalibrator import Recalibrator
from calibrant.recalibration.repair import Repair
from calibrant.recalibration.samples import deal
from calibrant.tallies.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from calibrant.io.options import ColumnChoice, ReadOptions
    from calibrant.predictions import Kind
    from calibrant.recalibration.crossfit import Judged
    from calibrant.recalibration.methods import FittedMap
    from calibrant.recalibration.samples import Sample
    from calibrant.tallies.tally import Source

__all__ = ["fit_files", "recalibrate", "recalibrate_parts"]

FOLDS = 5


def recalibrate(
    data: Any,
    outcome: ArrayLike | None = None,
    *,
    method: str = "auto",
    folds: int = FOLDS,
    pool: bool = True,
    judge_on: Any = None,
    fit_on: str | None = None,
    time: ArrayLike | str | None = None,
    cluster: ArrayLike | str | None = None,
    weight: ArrayLike | str | None = None,
    weights: Literal["sampling", "frequency"] = "sampling",
    kind: Kind | None = None,
    options: Sequence[str] = (),
    logits: bool = False,
    by: str | Sequence[str] = (),
    model: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    lang: str = "en",
    **columns: Any,
) -> Recalibrator:
    """Fit a map from what was said to what happens, and judge it on rows it was not fitted on.

    Args:
        data: probabilities, shape (n,), or one per option, shape (n, k); a tally; or a path, paths, a data frame, a
            dict of columns.
        outcome: 0 or 1 per row, or the index of the right option, when `data` is an array.
        method: "temperature", "platt", "beta", "isotonic", "venn_abers", "histogram" (one probability a row),
            "vector", "matrix" (choices), "levels" (ordered levels), or "auto", which may also decline.
        folds: number of parts for cross-fitting.
        pool: with several slices, questions of one kind and number of options lend each other strength.
        judge_on: other rows to judge on instead of cross-fitting: (prob, outcome), a path, a frame, a tally; or
            "column=value" together with `fit_on`.
        fit_on: "column=value": fit on these rows of a file.
        time: column, or an array, to sort rows by: then maps are fitted on the past and judged on what followed.
        cluster: column, or an array: rows that belong together are never split.
        weight: column, or an array, of weights.
        weights: what weights are, "sampling" or "frequency".
        kind: what arrays mean: "yes_no", "answer", "choice" or "score".
        options: names of the options of arrays.
        logits: arrays or columns hold log odds, or scores for a softmax.
        by: columns whose combinations get maps of their own, such as model and question.
        model: name of the served model version, kept in the file and asked for when it is applied.
        level: confidence level.
        seed: seed of the dealing into folds.
        lang: language of the report.
        **columns: how columns are found and read, as in `check`.

    Returns:
        A `Recalibrator`: `print(it)`, `.transform(prob)`, `.to_json(path)`, `.to_python()`.

    Raises:
        InputError: if the data cannot be read, or a method is not for such questions.
        OptionError: if an option means nothing.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> z = rng.normal(0, 1.5, 4000)
        >>> happened = rng.random(4000) < 1 / (1 + np.exp(-z))
        >>> found = recalibrate(1 / (1 + np.exp(-2 * z)), happened, method="temperature")
        >>> found.verdict, round(found.repairs[0].fitted.params["T"], 1)
        ('helps', 2.0)
    """
    from calibrant.io.given import choice_of

    level = check_level(level)
    names = (by,) if isinstance(by, str) else tuple(by)
    if outcome is not None:
        if columns or names:
            raise InputError(f"{', '.join([*columns, *names])}: such options name columns of files and data frames.")
        parts, source = parts_of_arrays(
            data, outcome, kind=kind, options=options, weight=weight, frequency=weights == "frequency",
            cluster=cluster, order=time, logits=logits,
        )  # fmt: skip
    elif isinstance(data, Tally):
        parts, source = parts_of_tally(data)
    else:
        choice, read = choice_of(by=names, cluster=cluster, weight=weight, weights=weights, logits=logits, **columns)
        return fit_files(
            data, choice, read, method=method, folds=folds, pool=pool, judge_on=judge_on, fit_on=fit_on,
            time=None if time is None else str(time), model=model, level=level, seed=seed, lang=lang,
        )  # fmt: skip
    others = None
    if judge_on is not None:
        if isinstance(judge_on, Tally):
            others = parts_of_tally(judge_on)[0]
        else:
            others = parts_of_arrays(*judge_on, kind=parts[0].sample.kind, options=options, logits=logits)[0]
    return recalibrate_parts(
        parts, source, method=method, folds=folds, pool=pool, others=others,
        forward=time is not None, model=model, level=level, seed=seed, lang=lang,
    )  # fmt: skip


def fit_files(
    data: Any,
    choice: ColumnChoice,
    read: ReadOptions,
    *,
    judge_on: Any,
    fit_on: str | None,
    time: str | None,
    **settings: Any,
) -> Recalibrator:
    """`recalibrate` for paths, data frames and dicts of columns, with columns and reading options ready.

    Args:
        data: a path, paths, a data frame or a dict of columns.
        choice: columns named by the user.
        read: how values are written.
        judge_on: other rows to judge on: "column=value" together with `fit_on`, or other data.
        fit_on: "column=value".
        time: column to sort rows by.
        **settings: further arguments of `recalibrate_parts`.
    """
    here = split_columns(fit_on)
    there = split_columns(judge_on) if here is not None else None
    extra = [] if time is None else [time]
    if here is not None:
        extra += [column for column, _ in (here, there or here) if column not in extra]
    parts, source = parts_of_files(data, choice, read, extra=extra)
    others = None
    if here is not None:
        others = tuple(_where(part, there, but=here) for part in parts)
        parts = tuple(_where(part, here) for part in parts)
        if any(not part.sample.n for part in (*parts, *others)):
            raise InputError(f"No row is left to fit or to judge on by {fit_on} and {judge_on or 'the rest'}.")
    elif judge_on is not None:
        others = parts_of_files(judge_on, choice, read)[0]
    if time is not None:
        parts = tuple(_ordered(part, time) for part in parts)
    return recalibrate_parts(parts, source, others=others, forward=time is not None, **settings)


def _where(part: Part, condition: tuple[str, str] | None, but: tuple[str, str] | None = None) -> Part:
    if condition is None:
        assert but is not None
        keep = part.extra[but[0]] != but[1]
    else:
        keep = part.extra[condition[0]] == condition[1]
    mask = np.asarray(keep, dtype=bool)
    return Part(part.by, part.sample.part(mask), part.left_out, {name: col[mask] for name, col in part.extra.items()})


def _ordered(part: Part, time: str) -> Part:
    """The part with its time column as numbers where all are numbers, so that 10 comes after 9."""
    column = part.extra[time]
    try:
        values: NDArray[Any] = column.astype(np.float64)
    except ValueError:
        values = column.astype(str)
    return Part(part.by, part.sample, part.left_out, {**part.extra, "time": values})


def recalibrate_parts(
    parts: Sequence[Part],
    source: Source,
    *,
    method: str = "auto",
    folds: int = FOLDS,
    pool: bool = True,
    others: Sequence[Part] | None = None,
    forward: bool = False,
    model: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    lang: str = "en",
) -> Recalibrator:
    """Fit and judge parts; what `recalibrate` does once data are read."""
    if folds < 2:
        raise OptionError(f"`folds` must be at least 2, got {folds!r}.")
    samples = [part.sample for part in parts]
    _check_method(method, samples)
    pool = pool and len(parts) > 1
    maps = fit(samples, method, pool=pool, seed=seed)
    if others is not None:
        effects, how = _judged_on_others(parts, others, maps, level=level, seed=seed), "other rows"
    else:
        dealt = [deal(part.sample, folds, seed, order=part.extra["time"] if forward else None) for part in parts]
        judged = cross_fit(
            dealt, lambda trains: fit(trains, method, pool=pool, seed=seed), folds=folds, forward=forward
        )
        how = f"{folds} blocks of time, fitted on the past" if forward else f"cross-fitting, {folds} folds"
        if any(sample.cluster is not None for sample in samples):
            how += ", clusters kept together"
        effects = [effect_of(found, level=level, seed=seed) for found in judged]
    named_model = {} if model is None else {"model": model}
    repairs = tuple(
        Repair(
            {**named_model, **part.by},
            part.sample.kind,
            part.sample.options,
            part.sample.option_count,
            fitted,
            part.sample.n,
            effect.verdict if fitted.method != "none" else "not_shown",
            effect,
            how,
            _in_sample(part.sample, fitted),
        )
        for part, fitted, effect in zip(parts, maps, effects, strict=True)
    )
    left_out = sum(found.rows for part in parts for found in part.left_out.values())
    return Recalibrator(repairs, method, source, left_out, level, seed, lang)


def _judged_on_others(
    parts: Sequence[Part], others: Sequence[Part], maps: Sequence[FittedMap], *, level: float, seed: int
) -> list[Effect]:
    known = {tuple(part.by.items()): part for part in others}
    out = []
    for part, fitted in zip(parts, maps, strict=True):
        other = known.get(tuple(part.by.items()))
        if other is None:
            raise InputError(f"There are no rows to judge on for {', '.join(part.by.values()) or 'these rows'}.")
        judged: list[Judged] = judged_apart([other.sample], [fitted])
        out.append(effect_of(judged[0], level=level, seed=seed))
    return out


def _check_method(method: str, samples: Sequence[Sample]) -> None:
    if method == "auto":
        return
    for sample in samples:
        why = usable(method, sample)
        if why is not None:
            fits = [name for name, entry in METHODS.items() if sample.kind in entry.kinds]
            raise InputError(f"This method does not fit: {why}.", hint=f"Use one of: auto, {', '.join(fits)}.")


def _in_sample(sample: Sample, fitted: FittedMap) -> dict[str, tuple[float, float]]:
    total = float(sample.weight.sum())
    after = fitted(sample.prob)
    pairs = {
        main_name(sample): (main_loss(sample, sample.prob), main_loss(sample, after)),
        "log_loss": (log_loss_rows(sample, sample.prob), log_loss_rows(sample, after)),
    }
    with np.errstate(invalid="ignore"):
        return {
            name: (float(sample.weight @ before) / total, float(sample.weight @ behind) / total)
            for name, (before, behind) in pairs.items()
        }
