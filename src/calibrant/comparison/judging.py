"""From joined rows, or from sums, to a judged comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.comparison.differences import differences
from calibrant.comparison.family import all_pairs
from calibrant.comparison.flips import FLIP_UNITS, flip_signs, mcnemar
from calibrant.comparison.results import Compared, Deciding, ModelFigures, PairResult
from calibrant.errors import OptionError
from calibrant.intervals.clusters import FEW_CLUSTERS, few_clusters_reason
from calibrant.tallies.pair import pair_block
from calibrant.tallies.rows import score_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from calibrant.comparison.family import Family
    from calibrant.comparison.join import Joined
    from calibrant.comparison.results import PairCode
    from calibrant.measure.number import Number
    from calibrant.tallies.pair import PairBlock
    from calibrant.tallies.rows import RowScores

__all__ = ["SCORES", "Settings", "judge_joined", "judge_pair_block"]

SCORES: dict[str, str] = {"brier": "brier", "log_loss": "log", "rps": "rps", "accuracy": "right"}
"""Scores that can decide, and their names among row scores."""
FLIP_PAIRS = 10
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Settings:
    """How to compare.

    Attributes:
        score: the score that decides: "brier", "log_loss", "rps" or "accuracy".
        margin: differences below it do not matter; None asks for a difference only.
        level: confidence level.
        bins: bins of the debiased calibration error.
        seed: seed of everything simulated.
    """

    score: str = "brier"
    margin: float | None = None
    level: float = 0.95
    bins: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        if self.score not in SCORES:
            raise OptionError(f"`score` must be one of {', '.join(SCORES)}, got {self.score!r}.")
        if self.margin is not None and not self.margin > 0:
            raise OptionError(f"`margin` must be above 0, got {self.margin!r}.", hint="For example --margin 0.01.")
        if not 1 <= self.bins <= 200:
            raise OptionError(f"`bins` must be a whole number from 1 to 200, got {self.bins!r}.")


def judge_joined(
    joined: Joined, own: Mapping[str, Mapping[str, Any]], by: Mapping[str, str], settings: Settings
) -> Compared:
    """Compare every pair of models on the rows answered by all."""
    scored = [score_rows(block) for block in joined.blocks]
    key = SCORES[settings.score]
    if key not in scored[0].by_name:
        raise OptionError(f"{joined.blocks[0].kind} questions have no {settings.score}.", hint="Use --score brier.")
    group, units = None, len(joined.items)
    if joined.cluster is not None:
        members, group = np.unique(joined.cluster, return_inverse=True)
        units = int(members.size)
    pairs = [(i, j) for i in range(len(scored)) for j in range(i + 1, len(scored))]
    family = _family(scored, key, joined.weight, group, units, settings) if len(pairs) > 1 else None
    results = []
    for place, (i, j) in enumerate(pairs):
        block = pair_block(
            (joined.names[i], joined.names[j]),
            (joined.blocks[i], joined.blocks[j]),
            (scored[i], scored[j]),
            weight=joined.weight,
            cluster=group,
            bins=settings.bins,
        )
        found = differences(block, level=settings.level, bins=settings.bins)
        found = _with_flips(
            found, (scored[i], scored[j]), joined.weight, group, units, pairs=len(pairs), settings=settings
        )
        p = _adjusted(found[settings.score], family, place, scored[i], scored[j], key)
        if family is not None:
            found[settings.score] = _simultaneous(found[settings.score], family.critical)
        deciding = _deciding(scored[i].by_name[key], scored[j].by_name[key], joined.weight, joined.items)
        code = _code(found[settings.score], p, settings)
        table = None if joined.weight is not None else _two_by_two(scored[i], scored[j])
        results.append(PairResult(*block.models, code, True, found, p, table, deciding))
    notes = [note for note in (few_clusters_reason(units) if group is not None else None,) if note]
    models = [_figures(name, found, own[name], joined.weight) for name, found in zip(joined.names, scored, strict=True)]
    side = -1.0 if settings.score == "accuracy" else 1.0
    models.sort(key=lambda one: side * _sortable(one.scores.get(settings.score)))
    return Compared(
        dict(by),
        joined.blocks[0].kind,
        len(joined.items),
        joined.all_items,
        joined.different_outcomes,
        units,
        group is not None,
        tuple(models),
        tuple(results),
        None if family is None or not np.isfinite(family.critical) else family.critical,
        _uniform(joined),
        tuple(notes),
    )


def judge_pair_block(pair: PairBlock, settings: Settings) -> Compared:
    """Compare two models from their pair block alone; tests that flip signs row by row are not among the numbers."""
    found = differences(pair, level=settings.level, bins=settings.bins)
    if settings.score not in found:
        raise OptionError(f"This pair block has no {settings.score}.", hint="Use --score brier.")
    number = found[settings.score]
    table = None
    both, a, b = (float(pair.scores.total[pair.scores.at(name)]) for name in ("both_right", "right_a", "right_b"))
    if all(value == round(value) for value in (both, a, b)) and pair.scores.total[0] == pair.rows:
        table = (int(both), int(a - both), int(b - both), int(pair.rows - a - b + both))
    if table is not None and not pair.clustered:
        found["accuracy"] = _with_extra(found["accuracy"], mcnemar_p_value=mcnemar(table[1], table[2]))
    p = number.extra.get("p_value")
    known = float(p) if isinstance(p, float) else None
    models = []
    for side, name in zip("ab", pair.models, strict=True):
        scores: dict[str, float | None] = {
            score: float(pair.scores.total[pair.scores.at(f"{key}_{side}")] / pair.scores.total[0])
            for score, key in SCORES.items()
            if pair.scores.has(f"{key}_{side}")
        }
        if pair.infinite["ab".index(side)]:
            scores["log_loss"] = None
        models.append(ModelFigures(name, pair.rows, 0, scores["brier"], scores["brier"], None, scores))
    result = PairResult(*pair.models, _code(number, known, settings), True, found, known, table)
    notes = [note for note in (few_clusters_reason(pair.units) if pair.clustered else None,) if note]
    return Compared(
        {}, pair.kind, pair.rows, pair.rows, 0, pair.units, pair.clustered, tuple(models), (result,), notes=tuple(notes)
    )


def _family(
    scored: Sequence[RowScores],
    key: str,
    weight: NDArray[np.float64] | None,
    group: NDArray[np.intp] | None,
    units: int,
    settings: Settings,
) -> Family:
    table = np.stack([found.by_name[key] for found in scored], axis=1)
    w = np.ones(len(table)) if weight is None else weight
    mass = float(w.sum())
    mean = w @ table / mass
    centred = (table - mean) * w[:, None]
    if group is not None:
        centred = np.stack([np.bincount(group, column, minlength=units) for column in centred.T], axis=1)
    covariance = centred.T @ centred / mass**2 * units / max(units - 1, 1)
    return all_pairs(mean, covariance, units - 1, level=settings.level, seed=settings.seed)


def _with_flips(
    found: dict[str, Number],
    scored: tuple[RowScores, RowScores],
    weight: NDArray[np.float64] | None,
    group: NDArray[np.intp] | None,
    units: int,
    *,
    pairs: int,
    settings: Settings,
) -> dict[str, Number]:
    """Sign-flip tests beside the t tests; where a t interval does not hold they take its place."""
    out = dict(found)
    few = group is not None and units < FEW_CLUSTERS
    for name, key in SCORES.items():
        number = out.get(name)
        if number is None or number.value is None or number.extra.get("standard_error") == 0 or units > FLIP_UNITS:
            continue
        plain = number.low is not None and not few
        if plain and (pairs > FLIP_PAIRS or name != settings.score):
            continue
        d = scored[0].by_name[key] - scored[1].by_name[key]
        masses = np.ones(d.size) if weight is None else weight
        sums = masses * d
        if group is not None:
            sums = np.bincount(group, sums, minlength=units).astype(np.float64)
            masses = np.bincount(group, masses, minlength=units).astype(np.float64)
        flips = flip_signs(sums, masses, level=settings.level, seed=settings.seed, interval=few)
        extra = {"flip_p_value": flips.p_value, "flips": "all" if flips.exact else "random"}
        if not plain:
            extra["p_value"] = flips.p_value
        number = _with_extra(number, **extra)
        if few:
            known = bool(np.isfinite(flips.low))
            why = None if known else f"{units} clusters are too few for an interval at this level"
            limits = (flips.low, flips.high) if known else (None, None)
            method = "wild cluster bootstrap (sign flips)" if known else None
            number = replace(number, low=limits[0], high=limits[1], method=method, why=why)
        out[name] = number
    if group is None and weight is None:
        _, one, two, _ = _two_by_two(*scored)
        out["accuracy"] = _with_extra(out["accuracy"], mcnemar_p_value=mcnemar(one, two))
    return out


def _with_extra(number: Number, **more: object) -> Number:
    return replace(number, extra={**number.extra, **more})


def _simultaneous(number: Number, critical: float) -> Number:
    """The limits that all pairs keep together, beside the pair's own."""
    error = number.extra.get("standard_error")
    if number.value is None or number.low is None or not isinstance(error, float) or not np.isfinite(critical):
        return number
    half = critical * error
    return _with_extra(number, all_pairs_low=number.value - half, all_pairs_high=number.value + half)


def _adjusted(
    number: Number, family: Family | None, place: int, first: RowScores, second: RowScores, key: str
) -> float | None:
    p = number.extra.get("p_value")
    own = float(p) if isinstance(p, float) else None
    if key == "log" and bool(first.infinite.any() or second.infinite.any()):
        return None
    if family is None:
        return own
    value = float(family.p_value[place])
    if number.low is None and own is not None:
        # Where t does not hold, the pair's own p-value times the number of pairs.
        return min(1.0, own * len(family.pairs))
    return value if np.isfinite(value) else None


def _code(number: Number, p: float | None, settings: Settings) -> PairCode:
    if number.value is None:
        return "cannot_tell"
    alpha = 1 - settings.level
    error = number.extra.get("standard_error")
    if error == 0 and abs(number.value) <= 1e-15:
        return "identical"
    low = number.extra.get("all_pairs_low", number.low)
    high = number.extra.get("all_pairs_high", number.high)
    worse = -number.value if settings.score == "accuracy" else number.value
    if settings.margin is not None and isinstance(low, float) and isinstance(high, float):
        if max(abs(low), abs(high)) < settings.margin:
            return "equivalent"
        if p is not None and p < alpha:
            return "first" if worse < 0 else "second"
        upper = -low if settings.score == "accuracy" else high
        return "no_worse" if upper < settings.margin else "not_shown"
    if p is None:
        return "cannot_tell"
    if p < alpha:
        return "first" if worse < 0 else "second"
    return "not_shown"


def _two_by_two(first: RowScores, second: RowScores) -> tuple[int, int, int, int]:
    a, b = first.right.astype(bool), second.right.astype(bool)
    both, one, two = int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum())
    return both, one, two, a.size - both - one - two


def _deciding(
    first: NDArray[np.float64], second: NDArray[np.float64], weight: NDArray[np.float64] | None, items: NDArray[Any]
) -> Deciding:
    d = first - second if weight is None else (first - second) * weight
    size = np.abs(d)
    order = np.argsort(-size, kind="stable")
    total = float(size.sum())
    half = int(np.searchsorted(np.cumsum(size[order]), total / 2 * (1 - 1e-12)) + 1) if total > 0 else 0
    gap = float(d.sum())
    reverse = None
    if abs(gap) > 1e-12 * max(total, 1e-300):
        carried = np.sort(np.maximum(d * np.sign(gap), 0.0))[::-1]
        reverse = int(np.searchsorted(np.cumsum(carried), abs(gap) * (1 - 1e-12)) + 1)
    top = tuple(
        (str(items[k]).replace("\x1f", ", "), float(first[k]), float(second[k])) for k in order[:SHOWN] if size[k] > 0
    )
    return Deciding(top, half, reverse)


def _figures(name: str, found: RowScores, own: Mapping[str, Any], weight: NDArray[np.float64] | None) -> ModelFigures:
    scores: dict[str, float | None] = {
        score: float(np.average(found.by_name[key], weights=weight)) if found.by_name[key].size else None
        for score, key in SCORES.items()
        if key in found.by_name
    }
    if bool(found.infinite.any()):
        scores["log_loss"] = None
    return ModelFigures(
        name,
        int(own["items"]),
        int(own["left_out"]),
        own["brier"],
        scores["brier"],
        own["brier_failures_as_uniform"],
        scores,
    )


def _sortable(value: float | None) -> float:
    return float("inf") if value is None else value


def _uniform(joined: Joined) -> float | None:
    block = joined.blocks[0]
    if block.kind == "answer":
        return None
    if block.kind == "yes_no":
        return 0.25
    options = len(block.options)
    return 1 - 1 / options if options else None
