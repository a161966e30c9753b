"""Numbers of binned calibration error, each beside its noise floor and with its interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from calibrant.calibration.binning import choose_bins
from calibrant.calibration.debiased import debiased_square, signed_root
from calibrant.calibration.ece import calibration_error, combine_top_label
from calibrant.calibration.noise import floor_of_cells
from calibrant.intervals.inversion import bin_gaps, l1_interval, l2_interval
from calibrant.measure.number import Number
from calibrant.tallies.fold import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.bins import Bins
    from calibrant.calibration.noise import Norm
    from calibrant.measure.options import MeasureOptions
    from calibrant.tallies.cells import Cells
    from calibrant.tallies.tally import Slice

__all__ = ["error_numbers", "option_error_numbers"]

OUTSIDE = "too few informative rows for the promised coverage"


def error_numbers(part: Slice, cells: Cells, options: MeasureOptions) -> Iterator[Number]:
    """Calibration errors of the event and of the top answer, the debiased l2 and the largest gap."""
    bins = choose_bins(cells, options.bins, options.binning, options.closed)
    if part.kind == "yes_no":
        yield _binned(part, "event_ece", "mean |bin mean p - bin share|", cells, bins, options)
        top = fold(cells)
        top_bins = choose_bins(top, options.bins, options.binning, options.closed)
    else:
        top, top_bins = cells, bins
    formula = "mean |bin mean confidence - bin share right|"
    yield _binned(part, "confidence_ece", formula, top, top_bins, options)
    yield _debiased(part, cells, bins, options)
    yield _binned(part, "max_calibration_error", "largest |bin mean p - bin share|", cells, bins, options, norm="max")


def option_error_numbers(part: Slice, options: MeasureOptions) -> Iterator[Number]:
    """Class-wise and top-label errors of choices whose questions share their options."""
    classes = [part.views[name] for name in part.views if name.startswith("class:")]
    if not classes:
        return
    errors = [_plain(cells, options) for cells in classes if len(cells)]
    mean = sum(errors) / len(errors)
    bins = choose_bins(classes[0], options.bins, options.binning, options.closed)
    why = "its floor needs draws of whole rows, which a tally does not keep"
    extra = {"bins": len(bins), "binning": bins.scheme, "sum": sum(errors), "classes": len(errors)}
    formula = "mean over options of the one-vs-rest ECE"
    yield Number("classwise_ece", mean, formula, part.n, better="lower", why=why, extra=extra)
    tops = [part.views[name] for name in part.views if name.startswith("top:")]
    tops = [cells for cells in tops if len(cells)]
    value = combine_top_label([_plain(cells, options) for cells in tops], [float(cells.w.sum()) for cells in tops])
    formula = "ECE of the rows of each predicted option, weighted by their share"
    yield Number("top_label_ece", value, formula, part.n, better="lower", extra={**extra, "sum": None})


def _plain(cells: Cells, options: MeasureOptions) -> float:
    return calibration_error(cells.bin_sums(choose_bins(cells, options.bins, options.binning, options.closed)))


def _binned(
    part: Slice,
    name: str,
    formula: str,
    cells: Cells,
    bins: Bins,
    options: MeasureOptions,
    *,
    norm: Norm = "l1",
) -> Number:
    error, _ = floor_of_cells(cells, bins, norm=norm, seed=options.seed)
    extra: dict[str, object] = {
        "bins": len(bins),
        "binning": bins.scheme,
        "closed": bins.closed,
        "floor": error.floor,
        "floor_95": error.floor_95,
        "p_value": error.p_value,
        "draws": error.draws,
        "seed": error.seed,
    }
    moved = cells.edges_moved(bins)
    if moved:
        extra["edges_moved"] = moved
    low = high = method = why = None
    if norm == "l1":
        interval = l1_interval(bin_gaps(cells.bin_sums(bins)), level=options.level, seed=options.seed)
        if interval.in_domain:
            low, high, method = interval.low, interval.high, "test inversion"
        else:
            why = OUTSIDE
    return Number(name, error.value, formula, part.n, (0.0, 1.0), "lower", low, high, options.level, method, why, extra)


def _debiased(part: Slice, cells: Cells, bins: Bins, options: MeasureOptions) -> Number:
    binned = cells.bin_sums(bins)
    square = debiased_square(binned)
    formula = "root of the debiased mean (bin mean p - bin share)^2; below 0: less than chance gives"
    extra: dict[str, object] = {"bins": len(bins), "binning": bins.scheme, "square": square}
    if math.isnan(square):
        why = "no bin holds two rows"
        return Number(
            "debiased_l2", None, formula, part.n, (-1.0, 1.0), "lower", why=why, extra={**extra, "square": None}
        )
    interval = l2_interval(bin_gaps(binned), level=options.level, seed=options.seed)
    value = signed_root(square)
    if not interval.in_domain:
        return Number("debiased_l2", value, formula, part.n, (-1.0, 1.0), "lower", why=OUTSIDE, extra=extra)
    return Number(
        "debiased_l2",
        value,
        formula,
        part.n,
        (-1.0, 1.0),
        "lower",
        interval.low,
        interval.high,
        options.level,
        "test inversion",
        None,
        extra,
    )
