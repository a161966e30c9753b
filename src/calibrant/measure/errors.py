"""Numbers of binned calibration error, each beside its noise floor and with its interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.calibration.binning import choose_bins
from calibrant.calibration.debiased import debiased_square, signed_root
from calibrant.calibration.ece import calibration_error, combine_top_label
from calibrant.calibration.noise import floor_of_cells
from calibrant.calibration.option_floors import classwise_floor, top_label_floor
from calibrant.intervals.inversion import INVERSION_DRAWS, bin_gaps, l1_interval, l2_interval
from calibrant.intervals.means import MeanInterval
from calibrant.intervals.null import null_residuals, plain_rows
from calibrant.measure.number import Number
from calibrant.measure.uncertainty import ONLY_ROWS
from calibrant.tallies.fold import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from calibrant.calibration.noise import Norm
    from calibrant.intervals.inversion import ErrorInterval
    from calibrant.measure.options import MeasureOptions
    from calibrant.measure.uncertainty import Uncertainty
    from calibrant.tallies.cells import Cells
    from calibrant.tallies.tally import Slice

__all__ = ["cut_error_numbers", "error_numbers", "option_error_numbers"]

ROW_DRAWS = "its 95% point needs draws of whole rows, which a tally does not keep"
OUTSIDE = "too few informative rows for the promised coverage"


def error_numbers(part: Slice, cells: Cells, options: MeasureOptions, uncertainty: Uncertainty) -> Iterator[Number]:
    """Calibration errors of the event and of the top answer, the debiased l2 and the largest gap."""
    main = _View(part, cells, options, uncertainty)
    formula = "mean |bin mean confidence - bin share right|"
    if part.kind == "yes_no":
        yield main.binned("event_ece", "mean |bin mean p - bin share|")
        yield _View(part, fold(cells), options, uncertainty, folded=True).binned("confidence_ece", formula)
    else:
        yield main.binned("confidence_ece", formula)
    yield main.debiased()
    yield main.binned("max_calibration_error", "largest |bin mean p - bin share|", norm="max")


def option_error_numbers(part: Slice, options: MeasureOptions, uncertainty: Uncertainty) -> Iterator[Number]:
    """Class-wise and top-label errors of choices whose questions share their options."""
    classes = [part.views[name] for name in part.views if name.startswith("class:") and len(part.views[name])]
    if not classes:
        return
    errors = [_plain(cells, options) for cells in classes]
    mean = sum(errors) / len(errors)
    bins = [choose_bins(cells, options.bins, options.binning, options.closed) for cells in classes]
    shape: dict[str, object] = {"bins": len(bins[0]), "binning": bins[0].scheme, "classes": len(errors)}
    extra = {**shape, "sum": sum(errors)}
    if uncertainty.clusters is None:
        extra |= {"floor": classwise_floor(classes, bins, seed=options.seed), "seed": options.seed}
    yield Number(
        "classwise_ece",
        mean,
        "mean over options of the one-vs-rest ECE",
        part.n,
        better="lower",
        why=ROW_DRAWS,
        extra=extra,
    )
    tops = [part.views[name] for name in part.views if name.startswith("top:") and len(part.views[name])]
    bins = [choose_bins(cells, options.bins, options.binning, options.closed) for cells in tops]
    formula = "ECE of the rows of each predicted option, weighted by their share"
    if uncertainty.clusters is not None:
        weights = [float(cells.w.sum()) for cells in tops]
        value = combine_top_label([_plain(cells, options) for cells in tops], weights)
        yield Number("top_label_ece", value, formula, part.n, better="lower", why=ONLY_ROWS, extra=shape)
        return
    error = top_label_floor(tops, bins, seed=options.seed)
    extra = {**shape, "floor": error.floor, "floor_95": error.floor_95, "p_value": error.p_value}
    extra |= {"draws": error.draws, "seed": error.seed}
    why = "no valid interval is known; compare it with its floor"
    yield Number("top_label_ece", error.value, formula, part.n, better="lower", why=why, extra=extra)


def cut_error_numbers(part: Slice, options: MeasureOptions) -> Iterator[Number]:
    """Calibration of P(level ≤ k) at every cut of an ordered score, and where the expected level lies."""
    cuts = []
    for place, level in enumerate(part.options[:-1]):
        cells = part.views.get(f"cut:{place}")
        if cells is None or not len(cells):
            continue
        sums = cells.sums()
        weight = float(sums.weight.sum())
        said, seen = float(sums.wp.sum()) / weight, float(sums.w[:, 1].sum()) / weight
        cuts.append({"level": level, "ece": _plain(cells, options), "said": said, "observed": seen})
    if not cuts:
        return
    mean = sum(float(str(cut["ece"])) for cut in cuts) / len(cuts)
    formula = "mean over cuts k of the ECE of P(level <= k)"
    yield Number("cut_ece", mean, formula, part.n, better="lower", why=ROW_DRAWS, extra={"cuts": cuts})


def _plain(cells: Cells, options: MeasureOptions) -> float:
    return calibration_error(cells.bin_sums(choose_bins(cells, options.bins, options.binning, options.closed)))


class _View:
    """One view in its bins, with one table of draws for every number of it."""

    def __init__(
        self, part: Slice, cells: Cells, options: MeasureOptions, uncertainty: Uncertainty, *, folded: bool = False
    ) -> None:
        self.part, self.options = part, options
        self.bins = choose_bins(cells, options.bins, options.binning, options.closed)
        self.cells = plain_rows(cells)
        # Cluster sums are kept for the main view; its fold would need the bins of both halves together.
        self.unknown = folded and uncertainty.clusters is not None
        self.clustered = None if folded else uncertainty.bins(self.bins, cells)
        self.null = (
            null_residuals(self.cells, self.bins, seed=options.seed)
            if uncertainty.clusters is None
            else np.zeros((0, 0))
        )
        self.gaps = bin_gaps(
            self.cells.bin_sums(self.bins), None if self.clustered is None else self.clustered.variance
        )

    def binned(self, name: str, formula: str, norm: Norm = "l1") -> Number:
        """A binned error beside its floor; of l1 with its interval."""
        extra: dict[str, object] = {
            "bins": len(self.bins),
            "binning": self.bins.scheme,
            "closed": self.bins.closed,
        }
        moved = self.cells.edges_moved(self.bins)
        if moved:
            extra["edges_moved"] = moved
        n = self.part.n
        if self.unknown:
            value = calibration_error(self.cells.bin_sums(self.bins), norm)
            return Number(name, value, formula, n, (0.0, 1.0), "lower", why=ONLY_ROWS, extra=extra)
        error, _ = floor_of_cells(self.cells, self.bins, norm=norm, seed=self.options.seed, **self._null())
        extra |= {
            "floor": error.floor,
            "floor_95": error.floor_95,
            "p_value": error.p_value,
            "draws": error.draws,
            "seed": error.seed,
        }
        if norm != "l1":
            return Number(name, error.value, formula, n, (0.0, 1.0), "lower", extra=extra)
        low, high, method, why = self._interval(l1_interval)
        level = self.options.level
        return Number(name, error.value, formula, n, (0.0, 1.0), "lower", low, high, level, method, why, extra)

    def debiased(self) -> Number:
        """The debiased l2 error, signed, with its interval."""
        formula = "root of the debiased mean (bin mean p - bin share)^2; below 0: less than chance gives"
        square = debiased_square(self.cells.bin_sums(self.bins))
        extra: dict[str, object] = {"bins": len(self.bins), "binning": self.bins.scheme}
        n, name = self.part.n, "debiased_l2"
        if math.isnan(square):
            return Number(name, None, formula, n, (-1.0, 1.0), "lower", why="no bin holds two rows", extra=extra)
        low, high, method, why = self._interval(l2_interval)
        extra["square"] = square
        value, level = signed_root(square), self.options.level
        return Number(name, value, formula, n, (-1.0, 1.0), "lower", low, high, level, method, why, extra)

    def _null(self) -> dict[str, Any]:
        if self.clustered is not None:
            return {"covariance": self.clustered.null_covariance}
        return {"null": self.null}

    def _interval(self, invert: Callable[..., ErrorInterval]) -> MeanInterval:
        null = self.null if self.clustered is None else None
        draws = INVERSION_DRAWS if null is None else len(null)
        found = invert(self.gaps, level=self.options.level, seed=self.options.seed, draws=draws, null=null)
        if not found.in_domain:
            return MeanInterval(None, None, None, OUTSIDE)
        return MeanInterval(found.low, found.high, "test inversion", None)
