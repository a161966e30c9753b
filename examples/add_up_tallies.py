"""Rows in pieces (days, machines, chunks of a large file): tallies add up to the tally of all rows."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import calibrant as cb
from calibrant.tallies.store import to_json

rng = np.random.default_rng(2)


def one_day(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Two-decimal probabilities of a calibrated model, and what happened."""
    prob = np.round(rng.random(rows), 2)
    return prob, (rng.random(rows) < prob).astype(int)


days = [one_day(500) for _ in range(7)]
week = cb.tally(*days[0])
for day in days[1:]:
    week += cb.tally(*day)

# A tally is a small file without ids, texts or features; it gives the same report as the rows.
path = Path(tempfile.mkdtemp()) / "week.json"
path.write_text(to_json(week), encoding="utf-8")
again = cb.tally(path)

prob = np.concatenate([day[0] for day in days])
outcome = np.concatenate([day[1] for day in days])
for name, source in (("the week's tally", cb.check(again)), ("all rows at once", cb.check(prob, outcome))):
    numbers = source.slices[0].numbers
    print(f"{name}: event ECE {numbers['event_ece'].value:.12f}, Brier {numbers['brier'].value:.12f}")
print(f"{again.n:,} rows in {path.stat().st_size / 1000:.0f} kB")
