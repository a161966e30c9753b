"""Tally: everything Calibrant keeps of the rows, one slice for each combination of the columns in `by`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeVar

from calibrant.errors import TallyError
from calibrant.predictions import add_left_out
from calibrant.tallies.fold import fold

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from calibrant.predictions import Kind, LeftOut
    from calibrant.tallies.cells import Cells
    from calibrant.tallies.clusters import ClusterSums, SealedClusters
    from calibrant.tallies.moments import Moments

__all__ = ["InfiniteLog", "Slice", "Source", "Tally", "WeightKind"]

WeightKind = Literal["sampling", "frequency"]

_K = TypeVar("_K", int, str)
_V = TypeVar("_V", int, float)


@dataclass(frozen=True, slots=True)
class InfiniteLog:
    """Rows whose log loss is infinite, certain and wrong: how many, and Σw."""

    rows: int = 0
    weight: float = 0.0

    def __add__(self, other: InfiniteLog) -> InfiniteLog:
        return InfiniteLog(self.rows + other.rows, self.weight + other.weight)


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows came from, in words for the reader; no row and no value.

    Attributes:
        names: file names or a description of the data.
        rows: records read, left-out ones included.
        notes: how columns were understood, such as "`p` as probability, `won` as outcome".
    """

    names: tuple[str, ...] = ()
    rows: int = 0
    notes: tuple[str, ...] = ()

    def __add__(self, other: Source) -> Source:
        return Source(
            tuple(dict.fromkeys((*self.names, *other.names))),
            self.rows + other.rows,
            tuple(dict.fromkeys((*self.notes, *other.notes))),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """The tally of one combination of model, question or other columns.

    Attributes:
        by: the combination, column to value; empty when nothing was asked for.
        kind: "yes_no", "choice", "score" or "answer".
        options: names of the options; empty when questions have different ones.
        views: tables of cells: "event" (yes/no), "top" (other kinds), "top:<option>", "class:<option>", "cut:<k>".
        moments: sums of the row scores and their products.
        infinite_log: rows whose log loss is infinite.
        option_counts: rows by number of options K.
        classes: Σw by right option (empty when questions have different options).
        ties: rows where several options share the largest probability.
        left_out: rows left out, by reason.
        weights: what a weight means: "sampling", "frequency", or None without weights.
        clusters: open or sealed cluster sums, or None.
    """

    by: Mapping[str, str]
    kind: Kind
    options: tuple[str, ...]
    views: Mapping[str, Cells]
    moments: Moments
    infinite_log: InfiniteLog = InfiniteLog()
    option_counts: Mapping[int, int] = field(default_factory=dict)
    classes: Mapping[str, float] = field(default_factory=dict)
    ties: int = 0
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)
    weights: WeightKind | None = None
    clusters: ClusterSums | SealedClusters | None = None

    @property
    def n(self) -> int:
        """Rows in the slice."""
        return self._main.n

    @property
    def resolution(self) -> str:
        """Either "exact" or the name of the grid that the main view has fallen to."""
        return self._main.resolution

    @property
    def _main(self) -> Cells:
        return self.views["event" if self.kind == "yes_no" else "top"]

    def view(self, name: str) -> Cells:
        """A view by name. The top view of yes/no questions is folded from the event view."""
        if name == "top" and self.kind == "yes_no":
            return fold(self.views["event"])
        try:
            return self.views[name]
        except KeyError:
            raise TallyError(
                f"This tally has no view {name!r}; it has {', '.join(self.views)}.",
                hint="Make the tally anew from the rows.",
            ) from None

    def __add__(self, other: Slice) -> Slice:
        if not isinstance(other, Slice):
            return NotImplemented
        for what in ("kind", "options", "weights"):
            mine, theirs = getattr(self, what), getattr(other, what)
            if mine != theirs:
                where = ", ".join(f"{key}={value}" for key, value in self.by.items()) or "these rows"
                raise TallyError(
                    f"Tallies of different {what} cannot be added ({where}): {mine!r} and {theirs!r}.",
                    hint="Add a column to --by that keeps them apart.",
                )
        return replace(
            self,
            views={name: _both(self.views.get(name), other.views.get(name)) for name in {**self.views, **other.views}},
            moments=self.moments + other.moments,
            infinite_log=self.infinite_log + other.infinite_log,
            option_counts=_added(self.option_counts, other.option_counts),
            classes=_added(self.classes, other.classes),
            ties=self.ties + other.ties,
            left_out=add_left_out((self.left_out, other.left_out)),
            clusters=_added_clusters(self.clusters, other.clusters),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Slices that add up with those of other files, days and machines: `a + b`.

    Attributes:
        by: names of the columns that make the slices.
        slices: one per combination, in order of their values.
        source: where the rows came from, in words.
        left_out: records that fit into no slice, such as lines with too few columns, by reason.

    Example:
        >>> import calibrant as cb
        >>> a = cb.tally([0.2, 0.9], [0, 1])
        >>> b = cb.tally([0.9], [0])
        >>> (a + b).n
        3
    """

    by: tuple[str, ...]
    slices: tuple[Slice, ...]
    source: Source = Source()
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)

    def __repr__(self) -> str:
        by = f", by {', '.join(self.by)}" if self.by else ""
        return f"<Tally of {self.n:,} rows in {len(self.slices):,} slice{'s' * (len(self.slices) != 1)}{by}>"

    def to_json(self, path: str | Path | None = None) -> str:
        """The tally as JSON text (schema calibrant.tally/1); also written to `path` if given."""
        from calibrant.safe import write_atomic
        from calibrant.tallies.store import to_json

        text = to_json(self)
        if path is not None:
            write_atomic(path, text)
        return text

    @classmethod
    def from_json(cls, text: str | bytes) -> Tally:
        """The tally that `to_json` wrote, bit for bit.

        Raises:
            TallyError: if it is no tally, of a newer version, or damaged.
        """
        from calibrant.tallies.store import from_json

        return from_json(text)

    @property
    def n(self) -> int:
        """Rows in all slices."""
        return sum(part.n for part in self.slices)

    def __add__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        if self.by != other.by:
            raise TallyError(
                "Tallies with different --by columns cannot be added: "
                f"{', '.join(self.by) or 'none'} and {', '.join(other.by) or 'none'}.",
                hint="Make both with the same --by.",
            )
        together = {tuple(part.by.values()): part for part in self.slices}
        for part in other.slices:
            key = tuple(part.by.values())
            together[key] = together[key] + part if key in together else part
        return Tally(
            self.by,
            tuple(together[key] for key in sorted(together)),
            self.source + other.source,
            add_left_out((self.left_out, other.left_out)),
        )


def _both(mine: Cells | None, theirs: Cells | None) -> Cells:
    if mine is None or theirs is None:
        raise TallyError(
            "Tallies with different views cannot be added.",
            hint="Make both with the same version and the same options.",
        )
    return mine + theirs


def _added(mine: Mapping[_K, _V], theirs: Mapping[_K, _V]) -> dict[_K, _V]:
    return {key: mine.get(key, 0) + theirs.get(key, 0) for key in sorted({**mine, **theirs})}


def _added_clusters(
    mine: ClusterSums | SealedClusters | None, theirs: ClusterSums | SealedClusters | None
) -> ClusterSums | SealedClusters | None:
    if mine is None and theirs is None:
        return None
    from calibrant.tallies.clusters import ClusterSums

    if isinstance(mine, ClusterSums) and isinstance(theirs, ClusterSums):
        return mine + theirs
    raise TallyError(
        "Sealed cluster sums cannot be added: a cluster might be in both tallies.",
        hint="Tally all rows in one run: calibrant tally FILE FILE … --cluster COLUMN.",
    )
