"""Measuring a slice: all its numbers and its curve, from the tally alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.bins import Bins
from calibrant.calibration.bands import consistency_band
from calibrant.calibration.binning import choose_bins
from calibrant.calibration.curve import curve_of_cells
from calibrant.measure.calibration import decomposition_numbers, linear_numbers, slope_numbers
from calibrant.measure.carriers import Carrier, carriers
from calibrant.measure.errors import cut_error_numbers, error_numbers, option_error_numbers
from calibrant.measure.evidence import evidence_numbers
from calibrant.measure.options import MeasureOptions
from calibrant.measure.scores import score_numbers
from calibrant.measure.uncertainty import Uncertainty

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant.calibration.curve import ReliabilityCurve
    from calibrant.measure.number import Number
    from calibrant.tallies.cells import Cells
    from calibrant.tallies.tally import Slice

__all__ = ["Measures", "measure"]


@dataclass(frozen=True, slots=True)
class Measures:
    """Everything measured on one slice.

    Attributes:
        numbers: by name, in the order in which they are shown.
        curve: the reliability curve in the chosen bins.
        tenths: the curve in ten fixed bins of equal width, from which the headline is chosen.
        carriers: the rows that carry most of the Brier score.
        consistency: for each bin of `curve`, where its point lies if the probabilities are right; None if empty.
        warning: what must be known about the clusters, or None.
    """

    numbers: Mapping[str, Number]
    curve: ReliabilityCurve
    tenths: ReliabilityCurve
    carriers: tuple[Carrier, ...] = ()
    consistency: tuple[tuple[float, float] | None, ...] = ()
    warning: str | None = None


def measure(part: Slice, options: MeasureOptions = MeasureOptions()) -> Measures:  # noqa: B008  (a frozen value)
    """Measure one slice.

    Yes/no questions are measured on the event, other kinds on the confidence of the top answer.

    Args:
        part: a slice with at least one row.
        options: bins, level, seed, …
    """
    cells = part.view("event" if part.kind == "yes_no" else "top")
    bins = choose_bins(cells, options.bins, options.binning, options.closed)
    uncertainty = Uncertainty(part, options.level)
    found = [
        *score_numbers(part, cells, options, uncertainty),
        *error_numbers(part, cells, options, uncertainty),
        *(option_error_numbers(part, options, uncertainty) if part.kind in ("choice", "score") else ()),
        *(cut_error_numbers(part, options) if part.kind == "score" else ()),
        *evidence_numbers(part, cells, options, uncertainty),
        *decomposition_numbers(part, cells, bins),
        *linear_numbers(part, cells, options, uncertainty),
        *slope_numbers(part, cells, options, uncertainty),
    ]
    return Measures(
        {number.name: number for number in found},
        _curve(cells, bins, options, uncertainty),
        _curve(cells, Bins.width(10), options, uncertainty),
        carriers(cells),
        _consistency(cells, bins, options, uncertainty),
        uncertainty.warning,
    )


def _consistency(
    cells: Cells, bins: Bins, options: MeasureOptions, uncertainty: Uncertainty
) -> tuple[tuple[float, float] | None, ...]:
    if uncertainty.clusters is not None:
        return ()
    band = consistency_band(cells, bins, level=options.level, seed=options.seed)
    limits = iter(zip(band.low.tolist(), band.high.tolist(), strict=True))
    return tuple(next(limits) if n else None for n in cells.bin_sums(bins).n.tolist())


def _curve(cells: Cells, bins: Bins, options: MeasureOptions, uncertainty: Uncertainty) -> ReliabilityCurve:
    clustered = uncertainty.bins(bins, cells)
    if clustered is None:
        return curve_of_cells(cells, bins, options.level)
    effect = np.ones(len(bins))
    effect[cells.bin_sums(bins).n > 0] = clustered.design_effect
    return curve_of_cells(cells, bins, options.level, effect)
