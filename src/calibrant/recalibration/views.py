"""Calibration error, resolution and ranking before and after a repair."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtrit

from calibrant.bins import Bins
from calibrant.calibration.debiased import debiased_square, signed_root
from calibrant.calibration.decomposition import decompose
from calibrant.calibration.noise import floor_of_cells
from calibrant.recalibration.change import changed
from calibrant.recalibration.losses import paired
from calibrant.scores.auc import auc_of_cells
from calibrant.tallies.cells import Cells

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from calibrant.recalibration.change import Change
    from calibrant.recalibration.crossfit import Judged
    from calibrant.recalibration.samples import Sample

__all__ = ["cells_of_sample", "changes_of_views", "view_of"]

GROUPS = 20
MOST_KEYS = 4096
BINS = Bins.width(10)
NO_INTERVAL = "no valid interval exists for the difference of two such errors"


def changes_of_views(judged: Judged, *, level: float, seed: int, few: str | None) -> dict[str, Change]:
    """Numbers of the event view (yes/no) or of the top answer (else), before and after.

    Errors have no interval for their difference; AUC and resolution have one from leaving out a twentieth of the rows
    (or clusters) at a time.
    """
    sample = judged.sample
    views = [view_of(sample, prob) for prob in (sample.prob, judged.after)]
    first, second = (cells_of_sample(sample, prob, outcome, sample.rows) for prob, outcome in views)
    name = "event_ece" if sample.kind == "yes_no" else "confidence_ece"
    before, after = (floor_of_cells(cells, BINS, seed=seed)[0] for cells in (first, second))
    extra = {
        "floor_before": before.floor,
        "floor_after": after.floor,
        "floor_95_before": before.floor_95,
        "floor_95_after": after.floor_95,
    }
    out = {name: changed(name, before.value, after.value, "lower", why=NO_INTERVAL, extra=extra)}
    roots = [_known(signed_root(debiased_square(cells.bin_sums(BINS)))) for cells in (first, second)]
    out["debiased_l2"] = changed("debiased_l2", roots[0], roots[1], "lower", why=NO_INTERVAL)
    for statistic, of in (("auc", _auc), ("resolution", _resolution)):
        limits = _jackknife(sample, views, of, level, seed) if few is None else (None, None)
        out[statistic] = changed(statistic, _known(of(first)), _known(of(second)), "higher", limits=limits, why=few)
    right, right_after = sample.right(), replace(sample, prob=judged.after).right()
    shares = [float(sample.weight @ part) / float(sample.weight.sum()) for part in (right, right_after)]
    found = paired(sample, right_after.astype(np.float64) - right)
    limits = found.limits(level) if few is None else (None, None)
    out["accuracy"] = changed("accuracy", shares[0], shares[1], "higher", limits=limits, why=few)
    return out


def view_of(sample: Sample, prob: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """What errors are measured on: the event, or the confidence in the top option and whether it was right."""
    if sample.is_binary:
        return prob, sample.label
    filled = np.nan_to_num(prob, nan=-1.0)
    top = filled.argmax(axis=1)
    return filled[np.arange(top.size), top], (top == sample.label).astype(np.intp)


def cells_of_sample(
    sample: Sample, prob: NDArray[np.float64], outcome: NDArray[np.intp], rows: NDArray[np.int64]
) -> Cells:
    """Cells of a view; `rows` says how many rows of each entry count."""
    share = rows / sample.rows
    key, place = np.unique(prob, return_inverse=True)
    slot, size = 2 * place + outcome, 2 * key.size

    def total(values: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(slot, values, minlength=size).reshape(-1, 2), dtype=np.float64)

    count = np.rint(total(rows.astype(np.float64))).astype(np.int64)
    plain = bool(np.array_equal(sample.weight, sample.rows))
    weight = None if plain else np.stack([total(sample.weight * share), total(sample.square * share)], axis=2)
    return Cells.from_exact(key, count, weight)


def _auc(cells: Cells) -> float:
    return auc_of_cells(cells).value


def _resolution(cells: Cells) -> float:
    return float(decompose(cells.bin_sums(BINS)).resolution)


def _jackknife(
    sample: Sample,
    views: list[tuple[NDArray[np.float64], NDArray[np.intp]]],
    of: Callable[[Cells], float],
    level: float,
    seed: int,
) -> tuple[float | None, float | None]:
    """Interval of after − before, from leaving out one of twenty random groups of rows (or clusters) at a time."""
    rng = np.random.default_rng([seed, 0xCAFE])
    if sample.cluster is not None:
        groups = min(GROUPS, int(np.unique(sample.cluster).size))
        group = (rng.permutation(int(sample.cluster.max()) + 1) % groups)[sample.cluster]
        pieces = group, np.arange(group.size), sample.rows
    else:
        groups = GROUPS
        dealt = rng.multinomial(sample.rows, np.full(groups, 1.0 / groups))
        at, group = np.nonzero(dealt)
        pieces = group, at, dealt[at, group]
    tables = [_by_group(sample, prob, outcome, pieces, groups) for prob, outcome in views]

    def gap(keep: NDArray[np.bool_]) -> float:
        values = [of(_cells_of_groups(middle, table[keep].sum(axis=0))) for middle, table in tables]
        return float(values[1] - values[0])

    whole = gap(np.ones(groups, dtype=bool))
    left = np.array([gap(np.arange(groups) != one) for one in range(groups)])
    if not np.all(np.isfinite(left)):
        return None, None
    error = float(np.sqrt((groups - 1) / groups * np.square(left - left.mean()).sum()))
    half = float(stdtrit(groups - 1, 0.5 + level / 2)) * error
    return whole - half, whole + half


def _by_group(
    sample: Sample,
    prob: NDArray[np.float64],
    outcome: NDArray[np.intp],
    pieces: tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]],
    groups: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Probabilities (at most 4,096 of them) and Σw, Σw² of each group of rows, shape (groups, m, 2, 2)."""
    key, place = np.unique(prob, return_inverse=True)
    if key.size > MOST_KEYS:
        place = place * MOST_KEYS // key.size
        total = np.bincount(place, sample.weight)
        key = np.bincount(place, sample.weight * prob) / total
    group, at, rows = pieces
    share = rows / sample.rows[at]
    slot = (group * key.size + place[at]) * 2 + outcome[at]
    sums = [
        np.bincount(slot, share * part[at], minlength=2 * groups * key.size) for part in (sample.weight, sample.square)
    ]
    table = np.stack(sums, axis=1).reshape(groups, key.size, 2, 2).astype(np.float64)
    return key, table


def _cells_of_groups(middle: NDArray[np.float64], table: NDArray[np.float64]) -> Cells:
    some = table[:, :, 0].sum(axis=1) > 0
    return Cells.from_exact(middle[some], np.ceil(table[some][:, :, 0]).astype(np.int64), table[some])


def _known(value: float) -> float | None:
    return value if np.isfinite(value) else None
