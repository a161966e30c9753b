"""A gate: the report says which limits failed, and the program ends with 1 if any did."""

from __future__ import annotations

import sys

import numpy as np

import calibrant as cb

rng = np.random.default_rng(3)
prob = rng.random(3_000)
outcome = (rng.random(3_000) < prob).astype(int)

report = cb.check(prob, outcome, fail_if=["event_ece > 0.08", "brier.high > 0.25"])
print(report.slices[0].verdict.sentence)
sys.exit(1 if report.failed else 0)
