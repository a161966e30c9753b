"""Many questions at once: a question with few rows borrows from those of its kind with as many options."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.recalibration.methods import METHODS, NOTHING, FittedMap, fit_map, usable
from calibrant.recalibration.samples import stack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.recalibration.samples import Sample

__all__ = ["fit_all", "shrunken"]

LEAST_ROWS = 10
LEAST_QUESTIONS = 3
VAGUE = 2.0
"""The standard error of log T that is assumed where none could be computed: a factor of 7 either way."""


def fit_all(samples: Sequence[Sample], method: str, *, pool: bool) -> list[FittedMap]:
    """One map for each sample.

    With `pool`, temperatures are drawn towards that of all questions of the same kind and number of options, the more
    the less a question knows about its own; for other methods a question with too few rows takes the map of them all.
    """
    own = [_own(sample, method) for sample in samples]
    if not pool or method == "none":
        return own
    out = list(own)
    buckets: dict[tuple[str, int], list[int]] = {}
    for place, sample in enumerate(samples):
        if sample.option_count and usable(method, sample) is None:
            buckets.setdefault((sample.kind, sample.option_count), []).append(place)
    for places in buckets.values():
        if len(places) < LEAST_QUESTIONS:
            continue
        together = [samples[place] for place in places]
        if method == "temperature":
            for place, fitted in zip(places, shrunken([own[place] for place in places]), strict=True):
                out[place] = fitted
            continue
        small = [place for place in places if samples[place].effective_n < max(METHODS[method].least, 200)]
        if small and method not in ("vector", "matrix"):
            common = _own(stack(together), method)
            for place in small:
                out[place] = FittedMap(common.method, {**common.params, "pooled_questions": len(places)})
    return out


def _own(sample: Sample, method: str) -> FittedMap:
    """The sample's own map; nothing where it has too few rows, or all of them came out alike."""
    if method == "none" or sample.effective_n < LEAST_ROWS or usable(method, sample) is not None:
        return NOTHING
    right = sample.right()
    alike = bool(right.all()) or not right.any()
    return NOTHING if alike and sample.effective_n < 3 * LEAST_ROWS else fit_map(method, sample)


def shrunken(maps: Sequence[FittedMap]) -> list[FittedMap]:
    """Temperatures drawn towards their common middle, as far as their own uncertainty asks for.

    log Tᵢ is seen with variance sᵢ² around its own truth, and those truths lie around a middle with variance τ²
    (DerSimonian & Laird's estimate). Each is replaced by the mean of its own value and the middle, weighted by 1/sᵢ²
    and 1/τ². A question without a fit of its own takes the middle.

    Source: DerSimonian & Laird (1986), Controlled Clinical Trials 7; Efron & Morris (1973).
    """
    known = [place for place, fitted in enumerate(maps) if fitted.method == "temperature"]
    if len(known) < LEAST_QUESTIONS:
        return list(maps)
    t = np.log([float(maps[place].params["T"]) for place in known])
    error = np.array([float(maps[place].params["log_T_se"]) for place in known])
    s2 = np.square(np.where(np.isfinite(error) & (error > 0), error, VAGUE))
    w = 1.0 / s2
    middle = float(w @ t / w.sum())
    excess = float(w @ (t - middle) ** 2) - (len(known) - 1)
    tau2 = max(0.0, excess / (float(w.sum()) - float((w * w).sum() / w.sum())))
    centre = float((t / (s2 + tau2)).sum() / (1.0 / (s2 + tau2)).sum())
    floor = min(float(maps[place].params["floor"]) for place in known)
    own = {place: (t[k], s2[k]) for k, place in enumerate(known)}
    return [_drawn(fitted, own.get(place), centre, tau2, floor, len(known)) for place, fitted in enumerate(maps)]


def _drawn(
    fitted: FittedMap, own: tuple[float, float] | None, centre: float, tau2: float, floor: float, questions: int
) -> FittedMap:
    pooled = {"pooled_T": float(np.exp(centre)), "pooled_questions": questions}
    if own is None:
        params = {"T": float(np.exp(centre)), "floor": floor, "log_T_se": float("nan"), "bound": None, **pooled}
        return FittedMap("temperature", params)
    value, s2 = own
    share = tau2 / (tau2 + s2)
    spread = s2 * share
    moved = {
        "T": float(np.exp(share * value + (1 - share) * centre)),
        "log_T_se": float(np.sqrt(spread)) if spread > 0 else float("nan"),
        "own_T": float(np.exp(value)),
    }
    return FittedMap("temperature", {**fitted.params, **moved, **pooled})
