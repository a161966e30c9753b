"""What can be chosen about the numbers of a slice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calibrant.bins import Closed
    from calibrant.calibration.binning import Binning, BinsLike

__all__ = ["MeasureOptions"]


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """Choices that change printed numbers; each is named beside the numbers that it changes.

    Attributes:
        bins: number of bins, or their edges.
        binning: "width" or "mass".
        closed: the side that belongs to a bin.
        level: confidence level of every interval.
        floor: smallest probability that the log loss takes; None leaves it infinite.
        seed: seed of every simulation.
        thorough: measure smooth ECE and ECE-sweep too, whose floors take longer than everything else.
    """

    bins: BinsLike = 10
    binning: Binning = "width"
    closed: Closed = "left"
    level: float = 0.95
    floor: float | None = None
    seed: int = 0
    thorough: bool = True
