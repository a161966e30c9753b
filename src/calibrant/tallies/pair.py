"""Pair block: what comparing two models on the same rows needs, added up, so that no second pass is needed.

A difference of scores of the same rows has a standard error that two separate tallies do not hold: it needs products
of both models' scores. A pair block holds them, the 2×2 of correctness, and the joint residual products of 60 bins of
either model (from which 10, 12, 15 and 20 bins follow). It holds no id, text or feature.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import TallyError
from calibrant.tallies.rows import class_score

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from calibrant.predictions import Predictions
    from calibrant.tallies.rows import RowScores

__all__ = ["PAIR_BINS", "PAIR_SCHEMA", "PairBlock", "Sums", "pair_block", "pair_from_json", "pair_to_json"]

PAIR_SCHEMA = "calibrant.pair/1"
PAIR_BINS = 60
MOST_BINS = 240
CHUNK = 1 << 17
SHARED = ("brier", "log", "right", "rps")


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums of columns over rows, and of their products over independent units.

    Attributes:
        names: the columns.
        total: float64, shape (d,): Σ w·s over rows.
        outer: float64, shape (d, d): Σ over units (rows, or clusters) of (Σ w·s)(Σ w·s)ᵀ.
    """

    names: tuple[str, ...]
    total: NDArray[np.float64]
    outer: NDArray[np.float64]

    def __add__(self, other: Sums) -> Sums:
        if self.names != other.names:
            raise TallyError("These pair blocks hold different sums.", hint="Make them with the same options.")
        return Sums(self.names, self.total + other.total, self.outer + other.outer)

    def at(self, name: str) -> int:
        """Place of a column."""
        return self.names.index(name)

    def has(self, name: str) -> bool:
        """Whether there is such a column."""
        return name in self.names


@dataclass(frozen=True, slots=True, eq=False)
class PairBlock:
    """Two models on the same rows, added up.

    Attributes:
        models: names of the two.
        kind: kind of the questions.
        rows: rows.
        units: independent units: rows, or clusters.
        clustered: whether units are clusters.
        infinite: rows whose log loss is infinite, by model.
        scores: row scores of both.
        bins: rows and residuals (x − y) in bins of the probability of either.
        width: number of those bins.
    """

    models: tuple[str, str]
    kind: str
    rows: int
    units: int
    clustered: bool
    infinite: tuple[int, int]
    scores: Sums
    bins: Sums
    width: int

    def __add__(self, other: PairBlock) -> PairBlock:
        """Rows of both. Of clustered blocks the clusters must be different ones.

        Raises:
            TallyError: if the blocks do not fit together.
        """
        mine, theirs = ((*part.models, part.kind, part.clustered, part.width) for part in (self, other))
        if mine != theirs:
            raise TallyError(f"These pair blocks do not fit together: {self.models} and {other.models}.")
        infinite = (self.infinite[0] + other.infinite[0], self.infinite[1] + other.infinite[1])
        return PairBlock(
            self.models,
            self.kind,
            self.rows + other.rows,
            self.units + other.units,
            self.clustered,
            infinite,
            self.scores + other.scores,
            self.bins + other.bins,
            self.width,
        )

    def in_bins(self, bins: int) -> PairBlock:
        """The same block with wider bins.

        Raises:
            TallyError: if the bins held do not make up so many.
        """
        if bins == self.width:
            return self
        if bins < 1 or self.width % bins:
            raise TallyError(
                f"A pair block of {self.width} bins does not make {bins} bins.", hint="Use 10, 12, 15 or 20 bins."
            )
        step = self.width // bins
        total = self.bins.total.reshape(4, bins, step).sum(axis=2).ravel()
        outer = self.bins.outer.reshape(4, bins, step, 4, bins, step).sum(axis=(2, 5)).reshape(4 * bins, 4 * bins)
        sums = Sums(_bin_names(bins), total, outer)
        return PairBlock(
            self.models, self.kind, self.rows, self.units, self.clustered, self.infinite, self.scores, sums, bins
        )


def pair_block(
    models: tuple[str, str],
    blocks: tuple[Predictions, Predictions],
    scored: tuple[RowScores, RowScores],
    *,
    weight: NDArray[np.float64] | None = None,
    cluster: NDArray[Any] | None = None,
    bins: int = PAIR_BINS,
) -> PairBlock:
    """Add up two models' predictions of the same rows, in the same order.

    Args:
        models: names of the two.
        blocks: their predictions.
        scored: `score_rows` of each.
        weight: weight of each row.
        cluster: cluster of each row.
        bins: number of equal-width bins of the joint residual products.
    """
    rows = len(blocks[0])
    columns = _columns(blocks, scored)
    group, units = None, rows
    if cluster is not None:
        names, group = np.unique(cluster, return_inverse=True)
        units = int(names.size)
    scores = _sums(columns, weight, group, units)
    binned = _bins(blocks, scored, weight, group, units, bins)
    infinite = (int(scored[0].infinite.sum()), int(scored[1].infinite.sum()))
    return PairBlock(models, blocks[0].kind, rows, units, group is not None, infinite, scores, binned, bins)


def calibration_view(block: Predictions, scored: RowScores) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What is said and what happened: the event of yes/no questions, else confidence and right."""
    if block.kind == "yes_no":
        assert block.prob is not None
        assert block.outcome is not None
        return block.prob, block.outcome.astype(np.float64)
    return scored.confidence, scored.right.astype(np.float64)


def _columns(
    blocks: tuple[Predictions, Predictions], scored: tuple[RowScores, RowScores]
) -> dict[str, NDArray[np.float64]]:
    out: dict[str, NDArray[np.float64]] = {"one": np.ones(len(blocks[0]))}
    for side, block, found in zip("ab", blocks, scored, strict=True):
        for name in SHARED:
            if name in found.by_name:
                out[f"{name}_{side}"] = found.by_name[name]
        x, y = calibration_view(block, found)
        out |= {f"x_{side}": x, f"x2_{side}": x * x, f"xy_{side}": x * y, f"y_{side}": y}
    out["both_right"] = out["right_a"] * out["right_b"]
    for name in SHARED:
        if f"{name}_a" in out and f"{name}_b" in out:
            out[f"{name}_d2"] = np.square(out[f"{name}_a"] - out[f"{name}_b"])
    for option in blocks[0].options if blocks[0].kind in ("choice", "score") else ():
        name = class_score(option)
        if name in scored[0].by_name:
            out[name] = scored[0].by_name[name]
    return out


def _sums(
    columns: Mapping[str, NDArray[np.float64]],
    weight: NDArray[np.float64] | None,
    group: NDArray[np.intp] | None,
    units: int,
) -> Sums:
    names, size = tuple(columns), len(columns)
    total, outer = np.zeros(size), np.zeros((size, size))
    if group is not None:
        by_unit = np.stack([_grouped(column, weight, group, units) for column in columns.values()])
        return Sums(names, by_unit.sum(axis=1), by_unit @ by_unit.T)
    rows = len(columns["one"])
    for begin in range(0, rows, CHUNK):
        part = np.stack([column[begin : begin + CHUNK] for column in columns.values()])
        if weight is not None:
            part *= weight[begin : begin + CHUNK]
        total += part.sum(axis=1)
        outer += part @ part.T
    return Sums(names, total, outer)


def _grouped(
    column: NDArray[np.float64], weight: NDArray[np.float64] | None, group: NDArray[np.intp], units: int
) -> NDArray[np.float64]:
    return np.bincount(group, column if weight is None else column * weight, minlength=units).astype(np.float64)


def _bin_names(bins: int) -> tuple[str, ...]:
    return tuple(f"{what}{k}" for what in ("rows_a:", "gap_a:", "rows_b:", "gap_b:") for k in range(bins))


def _bins(
    blocks: tuple[Predictions, Predictions],
    scored: tuple[RowScores, RowScores],
    weight: NDArray[np.float64] | None,
    group: NDArray[np.intp] | None,
    units: int,
    bins: int,
) -> Sums:
    edges = np.arange(bins + 1) / bins
    place, gap = [], []
    for block, found in zip(blocks, scored, strict=True):
        x, y = calibration_view(block, found)
        place.append(np.clip(np.searchsorted(edges, x, side="right") - 1, 0, bins - 1))
        gap.append(x - y)
    w = np.ones(len(blocks[0])) if weight is None else weight
    if group is not None:
        parts = []
        for k, u in zip(place, gap, strict=True):
            key = group * bins + k
            parts += [
                np.bincount(key, w * v, minlength=units * bins).reshape(units, bins) for v in (np.ones(k.size), u)
            ]
        by_unit = np.concatenate(parts, axis=1).astype(np.float64)
        return Sums(_bin_names(bins), by_unit.sum(axis=0).astype(np.float64), by_unit.T @ by_unit)
    total = np.zeros((4, bins))
    outer = np.zeros((4, bins, 4, bins))
    values = ((np.ones(w.size), gap[0]), (np.ones(w.size), gap[1]))
    for side in (0, 1):
        for what in (0, 1):
            total[2 * side + what] = np.bincount(place[side], w * values[side][what], minlength=bins)
    for i in range(4):
        for j in range(4):
            key = place[i // 2] * bins + place[j // 2]
            product = w * w * values[i // 2][i % 2] * values[j // 2][j % 2]
            outer[i, :, j, :] = np.bincount(key, product, minlength=bins * bins).reshape(bins, bins)
    return Sums(_bin_names(bins), total.ravel(), outer.reshape(4 * bins, 4 * bins))


def pair_to_json(pair: PairBlock) -> str:
    """A pair block as JSON of schema calibrant.pair/1; of the products only the upper triangle, zeros left out."""
    out: dict[str, Any] = {
        "schema": PAIR_SCHEMA,
        "models": list(pair.models),
        "kind": pair.kind,
        "rows": pair.rows,
        "units": pair.units,
        "clustered": pair.clustered,
        "infinite": list(pair.infinite),
        "bins": pair.width,
        "scores": {"names": list(pair.scores.names), **_sums_as_dict(pair.scores)},
        "residuals": _sums_as_dict(pair.bins),
    }
    return json.dumps(out, ensure_ascii=False, allow_nan=False) + "\n"


def _sums_as_dict(sums: Sums) -> dict[str, Any]:
    row, column = np.nonzero(np.triu(sums.outer))
    return {
        "total": sums.total.tolist(),
        "outer": {"row": row.tolist(), "column": column.tolist(), "value": sums.outer[row, column].tolist()},
    }


def pair_from_json(text: str | bytes) -> PairBlock:
    """Read a pair block.

    Raises:
        TallyError: if the text is no pair block, or a damaged one.
    """
    try:
        data = json.loads(text)
        schema, bins = data["schema"], min(int(data["bins"]), MOST_BINS)
        pair = PairBlock(
            (str(data["models"][0]), str(data["models"][1])),
            str(data["kind"]),
            int(data["rows"]),
            int(data["units"]),
            bool(data["clustered"]),
            (int(data["infinite"][0]), int(data["infinite"][1])),
            _sums_of(data["scores"], tuple(map(str, data["scores"]["names"]))),
            _sums_of(data["residuals"], _bin_names(bins)),
            bins,
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise TallyError(
            "This pair block is damaged.", hint="Make it again: calibrant compare A B --pair FILE"
        ) from error
    if schema != PAIR_SCHEMA:
        raise TallyError(f"This is not a pair block of schema {PAIR_SCHEMA}: found {schema!r}.")
    return pair


def _sums_of(data: Mapping[str, Any], names: tuple[str, ...]) -> Sums:
    size = len(names)
    total = np.array(data["total"], dtype=np.float64)
    row, column = (np.array(data["outer"][name], dtype=np.intp) for name in ("row", "column"))
    value = np.array(data["outer"]["value"], dtype=np.float64)
    outside = row.size and (
        min(int(row.min()), int(column.min())) < 0 or max(int(row.max()), int(column.max())) >= size
    )
    if total.shape != (size,) or outside or not np.isfinite(total).all() or not np.isfinite(value).all():
        raise ValueError("sums")
    outer = np.zeros((size, size))
    outer[row, column] = value
    outer[column, row] = value
    return Sums(names, total, outer)
