"""Cross-fitting: every row is judged by a map that was fitted without it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.recalibration.losses import main_loss, paired
from calibrant.recalibration.methods import NOTHING, FittedMap, candidates
from calibrant.recalibration.pooling import fit_all
from calibrant.recalibration.samples import compressed, deal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from calibrant.recalibration.samples import Sample

__all__ = ["Judged", "choose", "cross_fit", "fit", "judged_apart"]

INNER_FOLDS = 5
SURE = 1.645
"""`auto` takes a map only if its cross-fitted gain exceeds this many standard errors."""


class Judged:
    """Rows with the probabilities that maps fitted without them gave.

    Attributes:
        sample: the rows that were judged.
        after: their probabilities after the map, the shape of `sample.prob`.
        maps: the map of each fold.
    """

    def __init__(self, sample: Sample, after: NDArray[np.float64], maps: tuple[FittedMap, ...]) -> None:
        self.sample = sample
        self.after = after
        self.maps = maps


def cross_fit(
    samples: Sequence[Sample],
    fitter: Callable[[Sequence[Sample]], list[FittedMap]],
    *,
    folds: int,
    forward: bool = False,
) -> list[Judged]:
    """Fit without each fold in turn and judge that fold. All samples are fitted together, so that they can be pooled.

    Args:
        samples: dealt samples.
        fitter: maps from samples.
        folds: number of folds.
        forward: folds are blocks of time; a map is fitted on earlier blocks only, and the first block is not judged.
    """
    after = [np.full_like(sample.prob, np.nan) for sample in samples]
    found: list[list[FittedMap]] = [[] for _ in samples]
    for fold in range(1 if forward else 0, folds):
        trains = [sample.part(sample.fold < fold if forward else sample.fold != fold) for sample in samples]
        for place, fitted in enumerate(fitter(trains)):
            here = samples[place].fold == fold
            after[place][here] = fitted(samples[place].prob[here])
            found[place].append(fitted)
    out = []
    for sample, mapped, maps in zip(samples, after, found, strict=True):
        keep = sample.fold > 0 if forward else np.ones(sample.label.size, dtype=bool)
        out.append(Judged(sample.part(keep), mapped[keep], tuple(maps)))
    return out


def judged_apart(samples: Sequence[Sample], maps: Sequence[FittedMap]) -> list[Judged]:
    """Rows judged by maps that were fitted on other rows altogether."""
    pairs = zip(samples, maps, strict=True)
    return [Judged(sample, fitted(sample.prob), (fitted,)) for sample, fitted in pairs]


def fit(samples: Sequence[Sample], method: str, *, pool: bool, seed: int) -> list[FittedMap]:
    """One map for each sample by a method, or by the one that `choose` finds best for it."""
    if method != "auto":
        return fit_all(samples, method, pool=pool)
    chosen = choose(samples, pool=pool, seed=seed)
    by_method = {name: fit_all(samples, name, pool=pool) for name in dict.fromkeys(chosen) if name != "none"}
    return [NOTHING if name == "none" else by_method[name][place] for place, name in enumerate(chosen)]


def choose(samples: Sequence[Sample], *, pool: bool, seed: int) -> list[str]:
    """The method that `auto` takes for each sample, or "none".

    By cross-fitting inside these rows: of the methods whose mean gain lies within one standard error of the best one,
    the simplest; and "none" unless that gain is more than 1.645 standard errors above 0.
    """
    samples = [compressed(sample) for sample in samples]
    names = [candidates(sample) for sample in samples]
    best: list[list[tuple[str, float, NDArray[np.float64]]]] = [[] for _ in samples]
    dealt = [deal(sample, INNER_FOLDS, seed + 1) if sample.effective_n >= INNER_FOLDS else sample for sample in samples]
    for method in dict.fromkeys(name for row in names for name in row):
        judged = cross_fit(dealt, lambda parts, m=method: fit_all(parts, m, pool=pool), folds=INNER_FOLDS)  # type: ignore[misc]
        for place, (sample, row) in enumerate(zip(dealt, judged, strict=True)):
            if method in names[place]:
                gain = main_loss(sample, sample.prob) - main_loss(sample, row.after)
                best[place].append((method, float(sample.weight @ gain / sample.weight.sum()), gain))
    return [_simplest(sample, tried) for sample, tried in zip(dealt, best, strict=True)]


def _simplest(sample: Sample, tried: Sequence[tuple[str, float, NDArray[np.float64]]]) -> str:
    if not tried:
        return "none"
    _, most, of_best = max(tried, key=lambda entry: entry[1])
    for method, _, gain in tried:
        behind = paired(sample, of_best - gain)
        if behind.mean <= behind.error or most <= 0:
            found = paired(sample, gain)
            return method if found.mean > SURE * found.error else "none"
    return "none"


def without_folds(sample: Sample) -> Sample:
    """The sample with all rows in fold 0."""
    return replace(sample, fold=np.zeros_like(sample.fold))
