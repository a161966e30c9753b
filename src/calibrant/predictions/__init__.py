"""Predictions: validated columns of one kind of question. The only place that judges input.

A judge looks at raw numbers and either leaves a row out with a reason, which is counted with its first record
numbers, or (`strict`) refuses the first bad row with an error that names it. It repairs nothing.
"""

from __future__ import annotations

from calibrant.predictions.judge import judge_choices, judge_events
from calibrant.predictions.numbers import SUM_TOLERANCE, normalise_floats, sums_to_one
from calibrant.predictions.rows import FIRST_RECORDS, KINDS, Kind, LeftOut, Predictions, add_left_out, as_events

__all__ = [
    "FIRST_RECORDS",
    "KINDS",
    "SUM_TOLERANCE",
    "Kind",
    "LeftOut",
    "Predictions",
    "add_left_out",
    "as_events",
    "judge_choices",
    "judge_events",
    "normalise_floats",
    "sums_to_one",
]
