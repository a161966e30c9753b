"""Doubts: reasons to refuse a threshold, each a sentence instead of a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from calibrant.bins import Bins
from calibrant.calibration.gain import cross_fit
from calibrant.intervals.inversion import bin_gaps, l2_interval
from calibrant.intervals.ranking import auc_test
from calibrant.verdict.thresholds import default_thresholds

if TYPE_CHECKING:
    from calibrant.tallies.cells import Cells

__all__ = ["Doubt", "doubt_of"]

LEAST_ROWS = 100
LEAST_OF_EACH = 10


class Doubt(NamedTuple):
    """Why no threshold can be given.

    Attributes:
        code: "few_rows", "one_kind" (nothing but right, or wrong, answers), "no_order" (no cut separates right from
            wrong), "order_not_shown", "uncalibrated", or for certificates "clusters" and "weights".
        value: the number that says so: rows, an AUC, or the calibration error's lower limit.
    """

    code: Literal["few_rows", "one_kind", "no_order", "order_not_shown", "uncalibrated", "clusters", "weights"]
    value: float


def doubt_of(cells: Cells, *, calibrated: bool, seed: int = 0) -> Doubt | None:
    """The first reason not to put a cut on these probabilities; None when there is none.

    A cut needs an order: the AUC must differ from chance, with likelier rows coming out more often. With `calibrated`,
    as costs need it, the probabilities must not be shown to be off by more than the tolerance either.

    Args:
        cells: the view that the cut would act on.
        calibrated: whether the cut rests on the probabilities being right.
        seed: seed of the tests.
    """
    n = cells.n
    if n < LEAST_ROWS:
        return Doubt("few_rows", float(n))
    rarer = float(cells.rows.sum(axis=0).min())
    if rarer == 0:
        return Doubt("one_kind", float(n)) if calibrated else None
    if rarer < LEAST_OF_EACH and calibrated:
        return Doubt("few_rows", rarer)
    test = auc_test(cells, seed=seed)
    limits = default_thresholds()
    if not test.p_value < 0.05 or test.value <= 0.5:
        skill = cross_fit(cells, seed=seed)
        hopeless = test.value <= 0.5 or (skill.why is None and skill.skill_high < limits.least_skill)
        return Doubt("no_order" if hopeless else "order_not_shown", test.value)
    if calibrated:
        share = float(cells.w[:, 1].sum() / cells.w.sum())
        found = l2_interval(bin_gaps(cells.bin_sums(Bins.width(10))), seed=seed)
        if found.in_domain and found.low > limits.tolerance_for(share):
            return Doubt("uncalibrated", float(found.low))
    return None
