"""What a person waits for: importing, `--help`, checking a small file; and the memory of a large pass."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from timing import measure, table

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["run"]

MEMORY = """
import resource, sys
import numpy as np
import calibrant as cb
rng = np.random.default_rng(1)
cb.tally(rng.random(1000), rng.integers(0, 2, 1000))
p, y = rng.random({rows}), rng.integers(0, 2, {rows})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
cb.tally(p, y)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000)
"""


def python(*words: str) -> Callable[[], str]:
    """A call of this Python in a new process, which returns what it prints."""
    command = [sys.executable, *words]
    return lambda: subprocess.run(command, check=True, capture_output=True, text=True).stdout


def run(sizes: list[int], rounds: int) -> str:
    """The section of docs/performance.md; memory is that of the largest size."""
    rows = sizes[-1]
    with tempfile.TemporaryDirectory(prefix="calibrant-benchmark-") as folder:
        path = Path(folder) / "thousand.csv"
        rng = np.random.default_rng(5)
        prob = rng.random(1000)
        outcome = (rng.random(1000) < prob).astype(int)
        text = "\n".join(["p,y", *(f"{p:.6f},{o}" for p, o in zip(prob, outcome, strict=True)), ""])
        path.write_text(text, encoding="utf-8")
        taken = measure(
            {
                "`python -c pass`": python("-c", "pass"),
                "`import numpy`": python("-c", "import numpy"),
                "`import calibrant`": python("-c", "import calibrant"),
                "`calibrant --help`": python("-m", "calibrant", "--help"),
                "`calibrant check` of 1,000 rows": python("-m", "calibrant", "check", str(path)),
                "`import sklearn.metrics`": python("-c", "import sklearn.metrics"),
            },
            rounds=rounds,
        )
    bare = taken["`python -c pass`"].median
    body = [[name, f"{timing.median:.2f}", f"{timing.median / bare:.1f}"] for name, timing in taken.items()]
    megabytes = float(python("-c", MEMORY.format(rows=rows))())
    return (
        "## Starting\n\n"
        + table(["a new process", "seconds", "times an empty Python"], body)
        + f"\n\nMemory of a tally of {rows:,} rows beyond the rows themselves: {megabytes:,.0f} MB."
    )
