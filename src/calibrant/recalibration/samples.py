"""Samples: rows, or counts of equal rows, ready to be fitted on, dealt into folds and judged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import InputError
from calibrant.tallies.split import split_counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from calibrant.predictions import Kind, Predictions
    from calibrant.tallies.cells import Cells

__all__ = [
    "MOST_DISTINCT",
    "Sample",
    "compressed",
    "deal",
    "named",
    "sample_of_cells",
    "sample_of_predictions",
    "stack",
]

MOST_DISTINCT = 2**15
"""More distinct probabilities than this are fitted as groups of neighbours, each at its mean."""

GROUPS = 4096
ODDS_WIDTH = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Entries of equal rows: what was said, what came, and how many rows (or how much weight) there are.

    Attributes:
        kind: "yes_no", "answer", "choice" or "score".
        options: names of the options; empty when questions have different ones.
        prob: float64, shape (m,), or (m, k) for choices; nan marks an option that a question does not have.
        label: intp, shape (m,): 0 or 1, or the index of the right option.
        weight: float64, shape (m,): Σw.
        square: float64, shape (m,): Σw².
        rows: int64, shape (m,): number of rows.
        fold: intp, shape (m,): the fold of the entry; all 0 before dealing.
        cluster: intp, shape (m,): number of the cluster, or None.
        grouped: True when neighbouring probabilities were put together.
    """

    kind: Kind
    options: tuple[str, ...]
    prob: NDArray[np.float64]
    label: NDArray[np.intp]
    weight: NDArray[np.float64]
    square: NDArray[np.float64]
    rows: NDArray[np.int64]
    fold: NDArray[np.intp]
    cluster: NDArray[np.intp] | None = None
    grouped: bool = False

    @property
    def is_binary(self) -> bool:
        """True for one probability a row."""
        return self.prob.ndim == 1

    @property
    def n(self) -> int:
        """Rows."""
        return int(self.rows.sum())

    @property
    def effective_n(self) -> float:
        """Kish's effective number of rows."""
        total = float(self.square.sum())
        return float(self.weight.sum()) ** 2 / total if total else 0.0

    @property
    def option_count(self) -> int:
        """The number of options of every row; 0 when rows differ."""
        if self.is_binary:
            return 2
        counts = np.unique((~np.isnan(self.prob)).sum(axis=1))
        return int(counts[0]) if counts.size == 1 else 0

    def part(self, keep: NDArray[np.bool_]) -> Sample:
        """The entries marked `keep`."""
        return replace(
            self,
            prob=self.prob[keep],
            label=self.label[keep],
            weight=self.weight[keep],
            square=self.square[keep],
            rows=self.rows[keep],
            fold=self.fold[keep],
            cluster=None if self.cluster is None else self.cluster[keep],
        )

    def right(self) -> NDArray[np.bool_]:
        """Whether the top option was right; for a stated confidence, whether the answer was."""
        if self.kind == "answer":
            return np.asarray(self.label == 1)
        if self.is_binary:
            return np.asarray((self.prob >= 0.5) == (self.label == 1))
        return np.asarray(np.nan_to_num(self.prob, nan=-1.0).argmax(axis=1) == self.label)


def sample_of_cells(cells: Cells, kind: Kind, options: tuple[str, ...] = ()) -> Sample:
    """The rows of one view of a tally; of grid cells the mean probability counts.

    Example:
        >>> from calibrant.tallies.cells import Cells
        >>> sample_of_cells(Cells.exact(np.array([0.2, 0.2, 0.9]), np.array([0, 0, 1])), "yes_no").rows.tolist()
        [2, 1]
    """
    cells, grouped = _fewer(cells)
    some = cells.rows.reshape(-1) > 0
    place = np.arange(2 * len(cells))[some]
    return Sample(
        kind,
        options,
        np.repeat(cells.prob, 2)[some],
        (place % 2).astype(np.intp),
        cells.w.reshape(-1)[some],
        cells.v.reshape(-1)[some],
        cells.rows.reshape(-1)[some],
        np.zeros(place.size, dtype=np.intp),
        None,
        grouped,
    )


def _fewer(cells: Cells) -> tuple[Cells, bool]:
    """Neighbouring cells put together where there are more than `MOST_DISTINCT`."""
    if len(cells) <= MOST_DISTINCT:
        return cells, False
    start = _starts(cells.prob, cells.rows.sum(axis=1))
    weight = cells.w.sum(axis=1)
    middle = np.add.reduceat(weight * cells.prob, start) / np.add.reduceat(weight, start)
    table = None if cells.weight is None else np.add.reduceat(cells.weight, start, axis=0)
    from calibrant.tallies.cells import Cells as Table

    return Table.from_exact(middle, np.add.reduceat(cells.rows, start, axis=0), table), True


def _starts(prob: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.intp]:
    """Where groups of sorted probabilities start: each has at most 1/4096 of the rows and spans 0.02 in log odds."""
    mass = (np.cumsum(rows) - 1) * GROUPS // rows.sum()
    with np.errstate(divide="ignore"):
        odds = np.floor(np.clip(np.log(prob) - np.log1p(-prob), -100, 100) / ODDS_WIDTH)
    return np.flatnonzero((np.diff(mass, prepend=-1) > 0) | (np.diff(odds, prepend=np.inf) != 0))


def compressed(sample: Sample) -> Sample:
    """A sample of one probability a row with neighbouring probabilities put together; for choosing, not for telling."""
    if not sample.is_binary or sample.cluster is not None or sample.label.size <= 2 * GROUPS:
        return sample
    key, place = np.unique(sample.prob, return_inverse=True)
    start = _starts(key, np.bincount(place, sample.rows).astype(np.int64))
    group = np.cumsum(np.bincount(start, minlength=key.size))[place] - 1
    slot, size = 2 * group + sample.label, 2 * start.size
    sums = {name: np.bincount(slot, getattr(sample, name), minlength=size) for name in ("weight", "square", "rows")}
    total = np.bincount(group, sample.weight)
    middle = np.repeat(np.bincount(group, sample.weight * sample.prob) / total, 2)
    some = sums["rows"] > 0
    return replace(
        sample,
        prob=middle[some],
        label=(np.arange(size)[some] % 2).astype(np.intp),
        weight=sums["weight"][some].astype(np.float64),
        square=sums["square"][some].astype(np.float64),
        rows=np.rint(sums["rows"][some]).astype(np.int64),
        fold=np.zeros(int(some.sum()), dtype=np.intp),
        grouped=True,
    )


def sample_of_predictions(block: Predictions, *, frequency: bool = False) -> Sample:
    """The rows of a judged block. Yes/no rows without clusters become counts of equal rows."""
    from calibrant.tallies.cells import Cells as Table

    if not len(block):
        raise InputError("There is no row to fit on.")
    weight = block.weight
    if block.probs is None:
        assert block.prob is not None
        assert block.outcome is not None
        if block.cluster is None:
            cells = Table.exact(block.prob, block.outcome.astype(np.intp), weight)
            return sample_of_cells(cells.as_frequency() if frequency else cells, block.kind, block.options)
        prob, label = block.prob, block.outcome.astype(np.intp)
    else:
        assert block.label is not None
        prob, label = block.probs, block.label
    w = np.ones(len(label)) if weight is None else weight
    codes = None if block.cluster is None else np.unique(block.cluster, return_inverse=True)[1].astype(np.intp)
    return Sample(
        block.kind,
        block.options,
        prob,
        label,
        w,
        w if frequency else w * w,
        np.rint(w).astype(np.int64) if frequency else np.ones(len(label), dtype=np.int64),
        np.zeros(len(label), dtype=np.intp),
        codes,
    )


def deal(sample: Sample, folds: int, seed: int, *, order: NDArray[Any] | None = None) -> Sample:
    """The sample with its rows dealt into folds of equal size.

    Rows of one cluster stay together. Counts of equal rows are split at random as if every row had been drawn without
    putting back (hypergeometric), so that cells do as well as rows. With `order` the folds are blocks of time.

    Args:
        sample: the rows.
        folds: number of folds.
        seed: seed of the dealing.
        order: something to sort rows by, shape (m,); only for samples of single rows.
    """
    rng = np.random.default_rng([seed, 0x5EED])
    if order is not None:
        _, rank = np.unique(order, return_inverse=True)
        share = np.cumsum(np.bincount(rank)) / rank.size
        block = np.minimum(np.ceil(share * folds - 1e-9).astype(np.intp) - 1, folds - 1)
        return replace(sample, fold=np.maximum(block, 0)[rank])
    if sample.cluster is not None:
        count = int(sample.cluster.max()) + 1
        return replace(sample, fold=(rng.permutation(count) % folds)[sample.cluster])
    if not sample.is_binary or sample.rows.max() <= 1:
        return replace(sample, fold=rng.permutation(sample.label.size) % folds)
    return _deal_counts(sample, folds, rng)


def _deal_counts(sample: Sample, folds: int, rng: np.random.Generator) -> Sample:
    fold, place, rows = split_counts(sample.rows, folds, rng)
    share = rows / sample.rows[place]
    return replace(
        sample,
        prob=sample.prob[place],
        label=sample.label[place],
        weight=sample.weight[place] * share,
        square=sample.square[place] * share,
        rows=rows,
        fold=fold,
    )


def stack(samples: Sequence[Sample]) -> Sample:
    """Several samples of one kind and one number of options as one; clusters of different samples stay apart."""
    first = samples[0]
    clusters = None
    if all(sample.cluster is not None for sample in samples):
        sizes = [0, *np.cumsum([int(s.cluster.max()) + 1 for s in samples if s.cluster is not None])]
        clusters = np.concatenate(
            [s.cluster + size for s, size in zip(samples, sizes, strict=False) if s.cluster is not None]
        )

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(sample, name) for sample in samples])

    return Sample(
        first.kind,
        first.options if all(sample.options == first.options for sample in samples) else (),
        joined("prob"),
        joined("label"),
        joined("weight"),
        joined("square"),
        joined("rows"),
        joined("fold"),
        clusters,
        any(sample.grouped for sample in samples),
    )


def named(by: Mapping[str, str]) -> str:
    """A combination in one text, such as "model=jev, question=q1"."""
    return ", ".join(f"{key}={value}" for key, value in by.items())
