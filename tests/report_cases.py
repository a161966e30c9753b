"""Curves, numbers and slices built by hand or from drawn rows, for the tests of reports and verdicts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibrant.calibration.curve import CurveBin
from calibrant.checking import slice_result
from calibrant.intervals.wilson import wilson
from calibrant.measure.number import Number
from calibrant.measure.options import MeasureOptions
from calibrant.predictions import LeftOut, judge_events
from calibrant.report import SliceResult, SourceFacts, build_report
from calibrant.tallies.collect import tally_block
from calibrant.verdict import judge

SOURCE = SourceFacts("games.csv", 2007, ("`p` as probability", "`won` as outcome"))


def number(name, value, low=None, high=None, n=1000, **other):
    """A number with its interval."""
    return Number(
        name, value, f"formula of {name}", n, low=low, high=high, method="t" if low is not None else None, **other
    )


def numbers(**values):
    """Numbers by name from values, or from (value, low, high)."""
    return {
        name: number(name, *value) if isinstance(value, tuple) else number(name, value)
        for name, value in values.items()
    }


def bin_at(low, n, stated, right):
    """A bin a tenth wide from `low`, in which `right` of `n` happened."""
    if n == 0:
        return CurveBin(low, round(low + 0.1, 1), 0, 0.0, None, None, None, None, None)
    bottom, top = (float(limit) for limit in wilson(np.array(right / n), np.array(float(n)), 0.95))
    return CurveBin(low, round(low + 0.1, 1), n, float(n), stated, right / n, bottom, top, right / n - stated)


def curve(*bins):
    """Ten bins: those given as (low, n, stated, right), the others empty."""
    given = {round(entry[0], 1): entry for entry in bins}
    return tuple(bin_at(*given.get(round(k / 10, 1), (k / 10, 0, None, 0))) for k in range(10))


def logistic(x):
    return 1 / (1 + np.exp(-x))


def drawn(shape, n=4000, seed=1):
    """Probabilities of a made-up forecaster and what happened; `shape` maps the true logit to the stated one."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(0, 1.5, n)
    happened = (rng.random(n) < logistic(logit)).astype(np.uint8)
    return logistic(shape(logit)), happened


def result(prob, outcome, kind="yes_no", by=None, left_out=None):
    """The result of drawn rows."""
    part = tally_block(judge_events(prob, outcome, kind=kind)).slices[0]
    return replace(slice_result(part, MeasureOptions(thorough=False)), by=by or {}, left_out=left_out or {})


def hand_made(kind="answer", by=None, left_out=None, lang="en", **changes):
    """A slice whose numbers are written by hand: says 84%, right 71% of the time."""
    bins = curve((0.6, 100, 0.65, 58), (0.7, 200, 0.75, 128), (0.8, 512, 0.84, 364), (0.9, 188, 0.95, 160))
    values = numbers(
        brier=(0.2, 0.19, 0.21),
        brier_skill=(0.1, 0.06, 0.14),
        accuracy=(0.71, 0.68, 0.74),
        mean_confidence=0.824,
        confidence_gap=(0.114, 0.087, 0.141),
        debiased_l2=(0.12, 0.09, 0.15),
        auc=(0.66, 0.62, 0.7),
        **changes,
    )
    extra = {"bins": 10, "binning": "width", "floor": 0.021, "floor_95": 0.031, "p_value": 0.001}
    values["confidence_ece"] = number("confidence_ece", 0.114, 0.09, 0.14, better="lower", extra=extra)
    verdict = judge(values, bins, kind, 1000, lang=lang)
    return SliceResult(by or {}, kind, 1000, "exact", left_out or {}, values, bins, verdict)


def report(*slices, **options):
    """A report on slices, or on the one made by hand."""
    parts = slices or (hand_made(left_out={"outcome is not 0 or 1": LeftOut(7, (212, 590))}),)
    settings = {"version": "0.1.0", "seed": 0, "command": "calibrant check games.csv"} | options
    return build_report(parts, settings.pop("source", SOURCE), **settings)
