"""What a map did to rows that it was not fitted on: before, after, their difference, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from calibrant.recalibration.change import Change, changed
from calibrant.recalibration.losses import brier_loss, log_loss_rows, main_loss, main_name, paired
from calibrant.recalibration.views import changes_of_views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.recalibration.crossfit import Judged
    from calibrant.recalibration.samples import Sample

__all__ = ["Effect", "VerdictCode", "effect_of"]

VerdictCode = Literal["helps", "harms", "not_shown"]

LEAST_OF_EACH = 10
FEW_CLUSTERS = 10


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a map on untouched rows.

    Attributes:
        verdict: "helps", "harms" or "not_shown".
        why: what decided, as a key of the sentences.
        decided_by: the score that decides.
        changes: numbers by name.
        n: rows judged.
        clusters: clusters, or None.
        same_top: share of rows that kept their top choice.
    """

    verdict: VerdictCode
    why: str
    decided_by: str
    changes: dict[str, Change]
    n: int
    clusters: int | None
    same_top: float


class _Limits(NamedTuple):
    """How intervals are made: at which level, or why not, and over how many folds."""

    level: float
    few: str | None
    folds: int


def effect_of(judged: Judged, *, level: float = 0.95, seed: int = 0) -> Effect:
    """Judge rows before and after maps that were fitted without them.

    The verdict rests on the paired difference of the deciding score (Brier; ranked probability score for levels), and
    on the log loss as a guard: "helps" when the score's interval lies below 0 and the log loss is not shown to be
    worse; "harms" when either is shown to be worse; else "not shown". With fewer than 10 rows right, or wrong, there
    is no interval and nothing is shown.
    """
    sample, after = judged.sample, judged.after
    few = _too_few(sample)
    limits = _Limits(level, few, len(judged.maps))
    changes: dict[str, Change] = {}
    main = main_name(sample)
    changes[main] = _mean(sample, main, main_loss(sample, sample.prob), main_loss(sample, after), limits)
    if main != "brier":
        changes["brier"] = _mean(sample, "brier", brier_loss(sample, sample.prob), brier_loss(sample, after), limits)
    logs = log_loss_rows(sample, sample.prob), log_loss_rows(sample, after)
    changes["log_loss"] = _mean(sample, "log_loss", *logs, limits)
    if sample.n:
        changes.update(changes_of_views(judged, level=level, seed=seed, few=few))
    verdict, why = _verdict(changes[main], changes["log_loss"], few, judged)
    clusters = None if sample.cluster is None else int(np.unique(sample.cluster).size)
    return Effect(verdict, why, main, changes, sample.n, clusters, _same_top(sample, after))


def _verdict(main: Change, log: Change, few: str | None, judged: Judged) -> tuple[VerdictCode, str]:
    if all(fitted.method == "none" for fitted in judged.maps):
        return "not_shown", "declined"
    if few is not None or main.low is None or main.high is None:
        return "not_shown", "few"
    if main.low > 0:
        return "harms", "score"
    newly = (log.extra or {}).get("infinite_after", 0) > (log.extra or {}).get("infinite_before", 0)
    if newly or (log.low is not None and log.low > 0):
        return "harms", "infinite" if newly else "log"
    return ("helps", "score") if main.high < 0 else ("not_shown", "score")


def _too_few(sample: Sample) -> str | None:
    right = float(sample.weight @ sample.right())
    n = sample.effective_n
    share = right / float(sample.weight.sum()) if n else 0.0
    least = min(share, 1 - share) * n
    if least < LEAST_OF_EACH - 1e-9:
        return f"only {least:.3g} rows have the rarer of right and wrong; about {LEAST_OF_EACH} are needed"
    if sample.cluster is not None and np.unique(sample.cluster).size < FEW_CLUSTERS:
        return f"only {np.unique(sample.cluster).size} clusters; about {FEW_CLUSTERS} are needed"
    return None


def _mean(
    sample: Sample,
    name: str,
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    limits: _Limits,
) -> Change:
    infinite = [int(sample.rows[~np.isfinite(loss)].sum()) for loss in (before, after)]
    total = float(sample.weight.sum())
    means = [
        float(sample.weight @ loss) / total if not rows else None
        for loss, rows in zip((before, after), infinite, strict=True)
    ]
    extra = {"infinite_before": infinite[0], "infinite_after": infinite[1]} if name == "log_loss" else None
    if any(infinite):
        return Change(name, means[0], means[1], None, None, None, "lower", "rows were certain and wrong", extra)
    found = paired(sample, after - before)
    ends = found.limits(limits.level, limits.folds) if limits.few is None else (None, None)
    return changed(name, means[0], means[1], "lower", difference=found.mean, limits=ends, why=limits.few, extra=extra)


def _same_top(sample: Sample, after: NDArray[np.float64]) -> float:
    if sample.kind == "answer":
        return 1.0
    if sample.is_binary:
        same = (sample.prob >= 0.5) == (after >= 0.5)
    else:
        same = np.nan_to_num(sample.prob, nan=-1).argmax(axis=1) == np.nan_to_num(after, nan=-1).argmax(axis=1)
    return float(sample.weight @ same) / float(sample.weight.sum())
