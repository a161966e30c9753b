"""Collecting blocks of predictions into a tally, slice by slice, in one pass."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.errors import OptionError, RowError, TallyError
from calibrant.predictions import add_left_out
from calibrant.safe import plain
from calibrant.tallies.build import BLOCK, CellBuilder
from calibrant.tallies.clusters import CLUSTER_BINS, ClusterSums
from calibrant.tallies.grid import COARSE
from calibrant.tallies.rows import MAX_OPTION_VIEWS, score_rows
from calibrant.tallies.tally import InfiniteLog, Slice, Source, Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from calibrant.predictions import LeftOut, Predictions
    from calibrant.tallies.moments import Moments
    from calibrant.tallies.rows import RowScores
    from calibrant.tallies.tally import WeightKind

__all__ = ["SliceBuilder", "TallyBuilder", "tally_block", "tally_rows"]

THREADS_FROM = 1_000_000
CHUNK = 2**20


class SliceBuilder:
    """Collects the predictions of one slice."""

    def __init__(self, by: Mapping[str, str], weights: WeightKind | None = None) -> None:
        self._by = dict(by)
        self._weights = weights
        self._first: Predictions | None = None
        self._views: dict[str, CellBuilder] = {}
        self._moments: Moments | None = None
        self._infinite = InfiniteLog()
        self._option_counts: dict[int, int] = {}
        self._classes: dict[str, float] = {}
        self._ties = 0
        self._left_out: list[Mapping[str, LeftOut]] = []
        self._clusters: ClusterSums | None = None

    def add(self, block: Predictions) -> None:
        """Add one block of rows.

        Raises:
            TallyError: if it is of another kind, or has other options, than the blocks before it.
        """
        if self._first is None:
            self._first = block
        self._check_kind(self._first, block)
        self._left_out.append(block.left_out)
        self._check_weights(block)
        for start in range(0, len(block), BLOCK):
            self._add_part(block.take(slice(start, start + BLOCK)))
        if self._moments is None:
            self._moments = score_rows(block.take(slice(0, 0))).moments

    def _check_kind(self, first: Predictions, block: Predictions) -> None:
        if (first.kind, first.options) == (block.kind, block.options):
            return
        said = [f"{one.kind} with {', '.join(map(plain, one.options)) or 'changing options'}" for one in (first, block)]
        raise TallyError(
            f"Questions with different options cannot be added up: {said[0]}, and {said[1]}.",
            hint="Add a column to --by that keeps them apart, or check the files one by one.",
        )

    def _check_weights(self, block: Predictions) -> None:
        if self._weights == "frequency" and block.weight is not None:
            odd = np.flatnonzero(block.weight != np.rint(block.weight))
            if odd.size:
                raise RowError(
                    f"Frequency weights must be whole numbers; found {block.weight[odd[0]]:g}.",
                    hint='Use weights="sampling" (--weights sampling) for weights that are not numbers of repetitions.',
                )

    def _add_part(self, block: Predictions) -> None:
        scores = score_rows(block)
        self._moments = scores.moments if self._moments is None else self._moments + scores.moments
        weight = np.ones(len(block)) if block.weight is None else block.weight
        infinite = scores.infinite
        self._infinite += InfiniteLog(int(infinite.sum()), float(weight[infinite].sum()))
        self._ties += int(scores.tied.sum())
        if block.probs is None:
            assert block.prob is not None
            assert block.outcome is not None
            self._cells("event" if block.kind == "yes_no" else "top", block.prob, block.outcome, block.weight)
            self._add_clusters(block, scores, block.prob, block.outcome, weight)
        else:
            self._cells("top", scores.confidence, scores.right, block.weight)
            self._add_options(block, scores, weight)
            self._add_clusters(block, scores, scores.confidence, scores.right, weight)

    def _add_options(self, block: Predictions, scores: RowScores, weight: NDArray[np.float64]) -> None:
        assert block.probs is not None
        assert block.label is not None
        present = ~np.isnan(block.probs)
        for options, rows in zip(*np.unique(present.sum(axis=1), return_counts=True), strict=True):
            self._option_counts[int(options)] = self._option_counts.get(int(options), 0) + int(rows)
        if not block.options or len(block.options) > MAX_OPTION_VIEWS:
            return
        for place, option in enumerate(block.options):
            right = block.label == place
            self._classes[option] = self._classes.get(option, 0.0) + float(weight[right].sum())
            here, on_top = present[:, place], scores.top == place
            self._cells(f"class:{option}", *_masked(here, block.probs[:, place], right.astype(np.uint8), block.weight))
            self._cells(f"top:{option}", *_masked(on_top, scores.confidence, scores.right, block.weight))
        if block.kind == "score":
            below = np.clip(np.cumsum(np.nan_to_num(block.probs), axis=1), 0.0, 1.0)
            for level in range(len(block.options) - 1):
                self._cells(f"cut:{level}", below[:, level], (block.label <= level).astype(np.uint8), block.weight)

    def _cells(
        self,
        name: str,
        prob: NDArray[np.float64],
        outcome: NDArray[np.uint8],
        weight: NDArray[np.float64] | None,
    ) -> None:
        if name not in self._views:
            weighted = self._weights is not None
            main = name in ("event", "top")
            self._views[name] = CellBuilder(weighted=weighted) if main else CellBuilder(COARSE, weighted=weighted)
        self._views[name].add(prob, outcome, weight)

    def _add_clusters(
        self,
        block: Predictions,
        scores: RowScores,
        prob: NDArray[np.float64],
        outcome: NDArray[np.uint8],
        weight: NDArray[np.float64],
    ) -> None:
        if block.cluster is None:
            return
        place = np.clip(
            np.searchsorted(np.arange(CLUSTER_BINS + 1) / CLUSTER_BINS, prob, side="right") - 1, 0, CLUSTER_BINS - 1
        )
        sums = ClusterSums.of(block.cluster, scores.by_name, prob, outcome, weight, place)
        self._clusters = sums if self._clusters is None else self._clusters + sums

    def slice(self) -> Slice:
        """The tally of everything added."""
        assert self._first is not None
        assert self._moments is not None
        first, frequency = self._first, self._weights == "frequency"
        views = {name: builder.cells() for name, builder in self._views.items()}
        main = "event" if first.kind == "yes_no" else "top"
        views.setdefault(main, CellBuilder(weighted=self._weights is not None).cells())
        return Slice(
            self._by,
            first.kind,
            first.options,
            {name: cells.as_frequency() for name, cells in views.items()} if frequency else views,
            self._moments.as_frequency() if frequency else self._moments,
            self._infinite,
            self._option_counts,
            self._classes,
            self._ties,
            add_left_out(self._left_out),
            self._weights,
            self._clusters,
        )


class TallyBuilder:
    """Collects blocks into slices; `by` names the columns, each block says which combination each row has."""

    def __init__(self, by: tuple[str, ...] = (), weights: WeightKind | None = None) -> None:
        if weights not in (None, "sampling", "frequency"):
            raise OptionError(f'`weights` must be "sampling" or "frequency", got {weights!r}.')
        self._by = by
        self._weights = weights
        self._slices: dict[tuple[str, ...], SliceBuilder] = {}

    def add(self, block: Predictions, combination: tuple[str, ...] = ()) -> None:
        """Add one block whose rows all have one combination of the `by` columns."""
        if combination not in self._slices:
            by = dict(zip(self._by, combination, strict=True))
            self._slices[combination] = SliceBuilder(by, self._weights)
        self._slices[combination].add(block)

    def tally(self, source: Source = Source()) -> Tally:  # noqa: B008  (a frozen value)
        """The tally of everything added, slices in order of their values."""
        slices = tuple(self._slices[key].slice() for key in sorted(self._slices))
        return Tally(self._by, slices, source)


def tally_block(block: Predictions, *, weights: WeightKind | None = None, source: Source | None = None) -> Tally:
    """The tally of one judged block in memory."""
    whole = tally_rows(len(block), block.take, weights=weights, source=source)
    return replace(whole, slices=(replace(whole.slices[0], left_out=dict(block.left_out)),))


def tally_rows(
    rows: int,
    judged: Callable[[slice], Predictions],
    *,
    weights: WeightKind | None = None,
    source: Source | None = None,
    chunk: int = CHUNK,
) -> Tally:
    """The tally of rows in memory, judged part by part; from a million rows on, two threads share the work.

    Args:
        rows: how many there are.
        judged: gives the predictions of a part.
        weights: what weights mean.
        source: where the rows came from.
        chunk: rows judged at once.
    """

    def part(start: int, stop: int) -> Tally:
        builder = TallyBuilder(weights=weights)
        for first in range(start, max(stop, start + 1), chunk):
            builder.add(judged(slice(first, min(first + chunk, stop))))
        return builder.tally()

    if rows < THREADS_FROM:
        whole = part(0, rows)
    else:
        with ThreadPoolExecutor(2) as pool:
            first, second = pool.map(part, (0, rows // 2), (rows // 2, rows))
        whole = first + second
    return replace(whole, source=source or Source())


def _masked(
    keep: NDArray[np.bool_],
    prob: NDArray[np.float64],
    outcome: NDArray[np.uint8],
    weight: NDArray[np.float64] | None,
) -> tuple[NDArray[np.float64], NDArray[np.uint8], NDArray[np.float64] | None]:
    return prob[keep], outcome[keep], None if weight is None else weight[keep]
