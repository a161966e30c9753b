"""Why is my number different? Other packages' binned calibration errors, from the same cells, and what sets them apart.

A package's number follows from a few habits: how many bins, which side belongs to a bin, how the edges are computed,
and where a probability of exactly 1 goes. `PEERS` holds them as data; `like_peer` changes ours into theirs one habit
at a time, so that the difference falls into parts that add up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from calibrant.bins import Bins
from calibrant.calibration.ece import calibration_error
from calibrant.errors import OptionError
from calibrant.tallies.sums import BinSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.bins import Closed
    from calibrant.tallies.cells import Cells

__all__ = ["PEERS", "Likeness", "Peer", "like_peer", "peer_edges", "peer_names"]

EdgeMaking = Literal["linspace", "both ends"]


@dataclass(frozen=True, slots=True)
class Peer:
    """A package's habits when it computes a binned calibration error (l1, mean probability of a bin, no debiasing).

    Attributes:
        name: the package, as in `--like`.
        version: the version whose values the tests hold.
        call: what a user of it calls.
        bins: bins unless its user asks otherwise.
        closed: the side that belongs to a bin.
        edges: "linspace": accumulated float steps of numpy; "both ends": float steps from 0 up to the middle and from
            1 down to it, as torch computes them.
        one_apart: a probability of exactly 1 is put into a bin of its own.
    """

    name: str
    version: str
    call: str
    bins: int
    closed: Closed
    edges: EdgeMaking
    one_apart: bool


PEERS: tuple[Peer, ...] = (
    Peer("sklearn", "1.9.1", "calibration_curve, gaps weighted by rows", 5, "right", "linspace", one_apart=False),
    Peer("torchmetrics", "1.9.0", "binary_calibration_error", 15, "left", "both ends", one_apart=True),
    Peer("netcal", "1.4.0", "ECE", 10, "left", "linspace", one_apart=False),
    Peer("relplot", "1.0.3", "metrics.binnedECE", 10, "left", "linspace", one_apart=True),
)


class Likeness(NamedTuple):
    """A peer's number beside ours.

    Attributes:
        value: what the peer gives on these rows.
        ours: our calibration error in our bins.
        parts: what each habit adds on the way from ours to the peer's; they add up to value − ours.
        sentence: the same in one sentence.
        exact: False when cells are on a grid and edges computed in floating point cannot be followed exactly.
    """

    value: float
    ours: float
    parts: dict[str, float]
    sentence: str
    exact: bool


def peer_names() -> tuple[str, ...]:
    """The names that `like_peer` knows."""
    return tuple(peer.name for peer in PEERS)


def like_peer(cells: Cells, name: str, bins: Bins | None = None, *, peer_bins: int | None = None) -> Likeness:
    """The calibration error that another package gives on the same rows, and why it differs from ours.

    Args:
        cells: the event view, or the top view (then the package is given confidence and right or wrong).
        name: one of `peer_names()`.
        bins: our bins; ten of equal width when left away.
        peer_bins: bins asked of the package, instead of its own default.

    Raises:
        OptionError: if the name is unknown.

    Example:
        >>> import numpy as np
        >>> from calibrant.tallies.cells import Cells
        >>> cells = Cells.exact(np.arange(11) / 10, np.array([0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1]))
        >>> found = like_peer(cells, "netcal", Bins.width(5), peer_bins=5)
        >>> round(found.value, 6), round(found.ours, 6)
        (0.154545, 0.118182)
    """
    peer = next((peer for peer in PEERS if peer.name == name), None)
    if peer is None:
        raise OptionError(f"No package {name!r} is known.", hint=f"Known are {', '.join(peer_names())}.")
    mine = Bins.width(10) if bins is None else bins
    count = peer.bins if peer_bins is None else peer_bins
    ours = calibration_error(cells.bin_sums(mine))
    exact_edges = Bins.width(count, closed=mine.closed)
    other_side = Bins.width(count, closed=peer.closed)
    steps = {
        f"{other_side.describe().split(',')[0]} for {mine.describe().split(',')[0]}": calibration_error(
            cells.bin_sums(exact_edges)
        ),
        f"bins closed on the {peer.closed}": calibration_error(cells.bin_sums(other_side)),
        "edges moved by floating point" + (", 1 in a bin of its own" if peer.one_apart else ""): _with_habits(
            cells, peer, count
        ),
    }
    parts: dict[str, float] = {}
    before = ours
    for reason, value in steps.items():
        parts[reason] = value - before
        before = value
    return Likeness(before, ours, parts, _sentence(peer, before, ours, parts), cells.is_exact)


def peer_edges(peer: Peer, bins: int) -> NDArray[np.float64]:
    """The edges as the package computes them, float errors included."""
    if peer.edges == "linspace":
        return np.linspace(0.0, 1.0, bins + 1)
    step = 1.0 / bins
    place = np.arange(bins + 1)
    return np.where(place < (bins + 1) // 2, place * step, 1.0 - step * (bins - place))


def _with_habits(cells: Cells, peer: Peer, count: int) -> float:
    edges = peer_edges(peer, count)
    prob = cells.prob
    side: Literal["left", "right"] = "right" if peer.closed == "left" else "left"
    place = np.clip(np.searchsorted(edges, prob, side=side) - 1, 0, count - 1)
    if peer.one_apart:
        place = np.where(prob == 1.0, count, place)
    sums = cells.sums()
    binned = []
    for part in sums:
        table = np.zeros((count + 1, *part.shape[1:]), dtype=part.dtype)
        np.add.at(table, place, part)
        binned.append(table)
    return calibration_error(BinSums(*binned))


def _sentence(peer: Peer, value: float, ours: float, parts: dict[str, float]) -> str:
    said = f"{peer.name} {peer.version} ({peer.call}) gives {value:.4f} on these rows"
    told = [f"{part:+.4f} by {reason}" for reason, part in parts.items() if abs(part) >= 0.5e-4]
    if not told:
        return f"{said}, as we do."
    gap = value - ours
    return f"{said}, ours is {ours:.4f}: {abs(gap):.4f} {'more' if gap > 0 else 'less'} ({'; '.join(told)})."
