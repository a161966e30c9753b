"""Certified thresholds: learn then test, so that a threshold is wrong at most as often as it says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy.special import bdtr, betaincinv, ndtri

from calibrant.errors import OptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.tallies.cells import Cells

__all__ = ["FIRST_ACCEPTED", "Certificate", "certify", "labels_needed", "least_rows"]

FIRST_ACCEPTED = 100
"""The sequence starts where at least this many rows are accepted."""

GROWTH = 1.1
"""Each step accepts at least a tenth more rows than the one before."""

POWER = 0.8
MOST_LABELS = 10**7


class Certificate(NamedTuple):
    """What learn-then-test found for one side.

    Attributes:
        threshold: rows beyond it may be acted on; None when nothing could be certified.
        side: "above" (accepts probabilities from the threshold on) or "below" (up to the threshold).
        max_error: the error rate that is certified.
        confidence: how sure it is.
        accepted: rows accepted; 0 without a threshold.
        mistakes: mistakes among them.
        bound: upper Clopper–Pearson limit of their error rate at this confidence; at most `max_error`.
        tried: steps of the sequence that were tested.
        labels: with no threshold, about how many labelled rows would be needed; None when more rows alone would not do.
        why: why there is no threshold: "rows", "errors", or None.
    """

    threshold: float | None
    side: Literal["above", "below"]
    max_error: float
    confidence: float
    accepted: int
    mistakes: int
    bound: float | None
    tried: int
    labels: int | None
    why: str | None


def certify(
    cells: Cells,
    *,
    max_error: float = 0.05,
    confidence: float = 0.95,
    side: Literal["above", "below"] = "above",
) -> Certificate:
    """The widest acceptance whose error rate is at most `max_error`, with a stated confidence.

    Thresholds are tried in an order that does not look at outcomes: first the strictest that accepts at least 100
    rows, then ever wider ones. Each is tested exactly: could so few mistakes among so many rows come from an error
    rate above `max_error`? The sequence stops at the first that fails, so the chance that the last one that passed is
    wrong is at most 1 − confidence, however many were tried. Rows must be independent and of the same kind as those
    to come.

    Args:
        cells: one view; outcome 1 is right for "above", and for "below" outcome 0 is.
        max_error: largest error rate among accepted rows.
        confidence: 1 − δ.
        side: accept high probabilities, or low ones.

    Raises:
        OptionError: if a share is none.

    Source: Angelopoulos, Bates, Candès, Jordan & Lei (2021), arXiv 2110.01052, sections 2 and 3 (fixed sequence).

    Example:
        >>> from calibrant.tallies.cells import Cells
        >>> found = certify(Cells.exact(np.repeat([0.7, 0.99], 200), np.repeat([0, 1, 0, 1], [60, 140, 1, 199])))
        >>> found.threshold, found.accepted, found.mistakes, round(found.bound, 3)
        (0.99, 200, 1, 0.023)
    """
    for name, value in (("max_error", max_error), ("confidence", confidence)):
        if not 0 < value < 1:
            raise OptionError(f"`{name}` must lie between 0 and 1, got {value!r}.")
    prob, accepted, wrong = _sequence(cells, side)
    delta = 1.0 - confidence
    best, tried = -1, 0
    place = int(np.searchsorted(accepted, FIRST_ACCEPTED))
    while place < accepted.size:
        tried += 1
        if float(bdtr(wrong[place], accepted[place], max_error)) > delta:
            break
        best = place
        if place == accepted.size - 1:
            break
        wider = int(np.searchsorted(accepted, math.ceil(accepted[place] * GROWTH)))
        place = min(max(wider, place + 1), accepted.size - 1)
    if best < 0:
        return _none(accepted, wrong, max_error, confidence, side, tried)
    rows, mistakes = int(accepted[best]), int(wrong[best])
    bound = float(betaincinv(mistakes + 1, rows - mistakes, confidence)) if mistakes < rows else 1.0
    threshold = float(prob[best])
    return Certificate(threshold, side, max_error, confidence, rows, mistakes, bound, tried, None, None)


def _sequence(cells: Cells, side: str) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Thresholds from the strictest on, rows accepted at each, and mistakes among them."""
    order = slice(None, None, -1) if side == "above" else slice(None)
    rows = cells.rows[order]
    wrong = rows[:, 0] if side == "above" else rows[:, 1]
    edge = cells.key[order] if cells.is_exact else _edges(cells, side)[order]
    return edge, np.cumsum(rows.sum(axis=1)), np.cumsum(wrong)


def _edges(cells: Cells, side: str) -> NDArray[np.float64]:
    """The end of each grid cell that lets the whole cell in."""
    return np.asarray(cells.grid.low[cells.key] if side == "above" else cells.grid.high[cells.key])


def _none(
    accepted: NDArray[np.int64],
    wrong: NDArray[np.int64],
    max_error: float,
    confidence: float,
    side: Literal["above", "below"],
    tried: int,
) -> Certificate:
    total = int(accepted[-1]) if accepted.size else 0
    if total < FIRST_ACCEPTED:
        return Certificate(None, side, max_error, confidence, 0, 0, None, 0, FIRST_ACCEPTED, "rows")
    place = int(np.searchsorted(accepted, FIRST_ACCEPTED))
    rows, mistakes = int(accepted[place]), int(wrong[place])
    needed = labels_needed((mistakes + 0.5) / (rows + 1), max_error, confidence)
    # Only the share that is accepted at the first step speaks for it.
    labels = None if needed is None else math.ceil(max(needed, FIRST_ACCEPTED) * total / rows)
    return Certificate(None, side, max_error, confidence, 0, 0, None, tried, labels, "errors")


def least_rows(max_error: float, confidence: float) -> int:
    """The fewest rows without a single mistake that certify an error rate.

    Example:
        >>> least_rows(0.05, 0.95)
        59
    """
    return math.ceil(math.log(1 - confidence) / math.log(1 - max_error))


def labels_needed(error: float, max_error: float, confidence: float) -> int | None:
    """About how many accepted rows certify `max_error` in 80% of trials when the true rate is `error`; None if none do.

    Example:
        >>> labels_needed(0.02, 0.05, 0.95), labels_needed(0.06, 0.05, 0.95)
        (253, None)
    """
    if error >= max_error:
        return None
    z, power = float(ndtri(confidence)), float(ndtri(POWER))
    root = z * math.sqrt(max_error * (1 - max_error)) + power * math.sqrt(error * (1 - error))
    needed = max(math.ceil((root / (max_error - error)) ** 2), least_rows(max_error, confidence))
    return needed if needed <= MOST_LABELS else None
