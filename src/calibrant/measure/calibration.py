"""Numbers of calibration: binned errors, decompositions, slope."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from calibrant.calibration.corp import corp_of_cells
from calibrant.calibration.decomposition import decompose
from calibrant.calibration.linear import linear_recalibration
from calibrant.calibration.slope import slope_of_cells
from calibrant.intervals.wilson import normal_quantile
from calibrant.measure.number import Better, Number
from calibrant.measure.uncertainty import ONLY_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.bins import Bins
    from calibrant.measure.options import MeasureOptions
    from calibrant.measure.uncertainty import Uncertainty
    from calibrant.tallies.cells import Cells
    from calibrant.tallies.tally import Slice

__all__ = ["decomposition_numbers", "linear_numbers", "slope_numbers"]


def decomposition_numbers(part: Slice, cells: Cells, bins: Bins) -> Iterator[Number]:
    """Murphy's terms with the two within-bin ones, which add up to the Brier score, and the isotonic ones."""
    terms = decompose(cells.bin_sums(bins))
    corrected = terms.corrected
    rows: tuple[tuple[str, float, str, Better | None, float | None], ...] = (
        ("reliability", terms.reliability, "mean (bin mean p - bin share)^2", "lower", corrected.reliability),
        ("resolution", terms.resolution, "mean (bin share - base rate)^2", "higher", corrected.resolution),
        ("uncertainty", terms.uncertainty, "base rate x (1 - base rate)", None, corrected.uncertainty),
        ("within_bin_variance", terms.within_bin_variance, "mean (p - bin mean p)^2", None, None),
        ("within_bin_covariance", terms.within_bin_covariance, "2 x mean (p - bin mean p)(y - bin share)", None, None),
    )
    for name, value, formula, better, unbiased in rows:
        extra: dict[str, object] = {"bins": len(bins), "binning": bins.scheme}
        if unbiased is not None:
            extra["bias_corrected"] = unbiased
        low = -1.0 if name == "within_bin_covariance" else 0.0
        yield Number(name, value, formula, part.n, (low, 1.0), better, extra=extra)
    corp = corp_of_cells(cells)
    bound = {"error_bound": corp.error_bound} if corp.error_bound else {}
    formulas = ("Brier - Brier of the isotonic fit", "uncertainty - Brier of the isotonic fit")
    why = "no valid interval is known for the isotonic fit; see the linear one"
    yield Number("miscalibration", corp.miscalibration, formulas[0], part.n, better="lower", why=why, extra=bound)
    yield Number("discrimination", corp.discrimination, formulas[1], part.n, better="higher", why=why, extra=bound)


def linear_numbers(part: Slice, cells: Cells, options: MeasureOptions, uncertainty: Uncertainty) -> Iterator[Number]:
    """Miscalibration and discrimination by linear recalibration, which have intervals."""
    line = linear_recalibration(cells, level=options.level, seed=options.seed)
    why = ONLY_ROWS if uncertainty.clusters is not None else line.why
    rows = (
        ("miscalibration_linear", "Brier that the best line a + bp saves", "lower", line.miscalibration),
        ("discrimination_linear", "Brier that the best line gains over the base rate", "higher", line.discrimination),
    )
    limits = (
        (line.miscalibration_low, line.miscalibration_high),
        (line.discrimination_low, line.discrimination_high),
    )
    for (name, formula, better, value), (low, high) in zip(rows, limits, strict=True):
        way: Better = "lower" if better == "lower" else "higher"
        if why is not None:
            yield Number(name, value, formula, part.n, better=way, why=why)
        else:
            level = options.level
            yield Number(name, value, formula, part.n, (0.0, 1.0), way, low, high, level, "test inversion")


def slope_numbers(part: Slice, cells: Cells, options: MeasureOptions, uncertainty: Uncertainty) -> Iterator[Number]:
    """Slope and intercept of logit(observed) on logit(p), and the intercept when the slope is held at 1."""
    fit = slope_of_cells(cells)
    z = normal_quantile(options.level)
    rows = (
        ("slope", fit.slope, fit.slope_se, "b in logit P(y) = a + b logit(p); 1 when calibrated", fit.why),
        ("intercept", fit.intercept, fit.intercept_se, "a in logit P(y) = a + b logit(p)", fit.why),
        (
            "calibration_in_the_large",
            fit.in_the_large,
            fit.in_the_large_se,
            "a in logit P(y) = a + logit(p); 0 when calibrated",
            fit.why_in_the_large,
        ),
    )
    for name, value, error, formula, why in rows:
        if why is not None or math.isnan(value):
            yield Number(name, None, formula, part.n, (None, None), why=why or "the fit did not settle")
            continue
        if uncertainty.clusters is not None:
            yield Number(name, value, formula, part.n, (None, None), why=ONLY_ROWS)
            continue
        yield Number(
            name,
            value,
            formula,
            part.n,
            (None, None),
            None,
            value - z * error,
            value + z * error,
            options.level,
            "Wald",
        )
