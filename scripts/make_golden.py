"""Write the golden files of the formats: tallies and reports that every later version must read and agree with.

    python scripts/make_golden.py tests/golden

Run it once for each version of a format, never again: a golden file that changes proves nothing. A format that moves
to version 2 gets files of its own beside the old ones.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import calibrant as cb
from calibrant.tallies.parquet import write_parquet

if TYPE_CHECKING:
    from calibrant.tallies.tally import Tally

__all__ = ["golden_tallies", "write_golden"]

_GRIDDED_ROWS = 70_000
_GRIDDED_PLACES = 300


def golden_tallies() -> dict[str, Tally]:
    """One tally of each make, from rows with fixed seeds."""
    rng = np.random.default_rng(20261201)
    tenths = np.round(rng.random(400), 2)
    happened = (rng.random(400) < 0.1 + 0.8 * tenths).astype(int)
    # More distinct values than a tally keeps exactly, yet close together: few cells of the grid, a small file.
    row = np.arange(_GRIDDED_ROWS)
    fine = (row % (_GRIDDED_PLACES - 1) + 1) / _GRIDDED_PLACES + row * 1e-10
    seen = (rng.random(_GRIDDED_ROWS) < fine**1.2).astype(int)
    chances = rng.dirichlet(np.ones(3), 200).round(2)
    chances[:, 2] = np.round(1 - chances[:, 0] - chances[:, 1], 2)
    label = (np.cumsum(chances, axis=1) < rng.random((200, 1)) * 0.999).sum(axis=1)
    return {
        "exact": cb.tally(tenths, happened),
        "gridded": cb.tally(fine, seen),
        "weighted": cb.tally(tenths, happened, weight=np.round(rng.gamma(2, 1, 400), 3)),
        "clustered": cb.tally(tenths, happened, cluster=np.arange(400) // 8),
        "choice": cb.tally(chances, label, options=("refunds", "shipping", "other")),
        "score": cb.tally(chances, label, kind="score", options=("low", "medium", "high")),
        "answer": cb.tally(0.5 + tenths / 2, happened, kind="answer"),
    }


def write_golden(folder: Path) -> None:
    """Write tallies as JSON, the weighted one as Parquet too, and the report on each."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, tally in golden_tallies().items():
        tally.to_json(folder / f"tally-1-{name}.json")
        cb.check(tally).to_json(folder / f"report-1-{name}.json")
        if name in ("weighted", "gridded"):
            write_parquet(tally, folder / f"tally-1-{name}.parquet")


if __name__ == "__main__":
    write_golden(Path(sys.argv[1]))
