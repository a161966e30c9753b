"""Numbers that test or describe calibration without bins: the calibration test, smooth ECE, sweep, classic tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from calibrant.calibration.classic_tests import hosmer_lemeshow_of_cells, spiegelhalter_of_cells
from calibrant.calibration.significance import calibration_test_of_cells
from calibrant.calibration.significance_in_clusters import calibration_test_of_clusters
from calibrant.calibration.smooth import smooth_floor
from calibrant.calibration.sweep import sweep_floor, sweep_of_cells
from calibrant.measure.number import Number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.calibration.noise import NoiseFloor
    from calibrant.measure.options import MeasureOptions
    from calibrant.measure.uncertainty import Uncertainty
    from calibrant.tallies.cells import Cells
    from calibrant.tallies.tally import Slice

__all__ = ["evidence_numbers"]


def evidence_numbers(part: Slice, cells: Cells, options: MeasureOptions, uncertainty: Uncertainty) -> Iterator[Number]:
    """Tests and binning-free errors; with clusters only the test that can draw them."""
    formula = "p-value of 'these probabilities are right': Cox score and adaptive T-Cal, min-p"
    sealed = uncertainty.clusters
    test = (
        calibration_test_of_cells(cells, seed=options.seed)
        if sealed is None
        else calibration_test_of_clusters(sealed, seed=options.seed)
    )
    yield Number(
        "calibration_test",
        None if math.isnan(test.p_value) else test.p_value,
        formula,
        part.n,
        why=test.why,
        extra={
            "score": _number(test.score),
            "score_p": _number(test.score_p),
            "bumps": _number(test.bumps),
            "bumps_p": _number(test.bumps_p),
            "rounding": test.rounding,
            "draws": test.draws,
            "seed": test.seed,
        },
    )
    if sealed is not None:
        return
    if options.thorough:
        yield from _binless(part, cells, options)
    yield from _classic(part, cells)


def _binless(part: Slice, cells: Cells, options: MeasureOptions) -> Iterator[Number]:
    formula = "kernel calibration error at its own width"
    yield _floored("smooth_ece", smooth_floor(cells, seed=options.seed), formula, part)
    sweep = sweep_of_cells(cells)
    formula = "ECE in the most equal-mass bins whose shares still rise"
    yield _floored("ece_sweep", sweep_floor(cells, seed=options.seed), formula, part, bins=sweep.bins)


def _classic(part: Slice, cells: Cells) -> Iterator[Number]:
    z = spiegelhalter_of_cells(cells)
    formula = "(Brier - its expectation) / its standard deviation, if the probabilities are right; descriptive"
    yield Number(
        "spiegelhalter", _number(z.z), formula, part.n, (None, None), why=z.why, extra={"p_value": _number(z.p_value)}
    )
    groups = hosmer_lemeshow_of_cells(cells)
    formula = "sum over groups of (observed - expected)^2 / (expected (1 - expected / n)); descriptive"
    yield Number(
        "hosmer_lemeshow",
        _number(groups.chi2),
        formula,
        part.n,
        (0.0, None),
        why=groups.why,
        extra={"p_value": _number(groups.p_value), "degrees": groups.degrees, "groups": groups.groups},
    )


def _floored(name: str, error: NoiseFloor, formula: str, part: Slice, **extra: object) -> Number:
    facts = {
        "floor": error.floor,
        "floor_95": error.floor_95,
        "p_value": error.p_value,
        "draws": error.draws,
        "seed": error.seed,
        **extra,
    }
    why = "no valid interval is known; compare it with its floor"
    return Number(name, error.value, formula, part.n, (0.0, 1.0), "lower", why=why, extra=facts)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
