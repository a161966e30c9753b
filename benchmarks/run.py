"""Measure and write docs/performance.md: `make benchmark`.

python benchmarks/run.py --only arrays --rows 100000,1000000 --rounds 3 --output -
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

TARGET = Path(__file__).parents[1] / "docs" / "performance.md"
PACKAGES = "calibrant numpy scipy duckdb scikit-learn torchmetrics netcal model-diagnostics pandas".split()  # noqa: SIM905
HEAD = """# Performance

Written by `make benchmark`; figures are from one run on one machine, all alternatives interleaved in it. Read the
ratios, not the seconds.

{machine}
"""


def machine() -> str:
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    system = f"{cores} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{system}; {', '.join(found)}."


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure Calibrant beside other packages.")
    parser.add_argument("--only", choices=["arrays", "files", "start"], help="one section instead of all")
    parser.add_argument("--rows", default="100000,1000000,10000000", help="sizes for arrays; the last one for files")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of which the median is taken")
    parser.add_argument("--output", default=str(TARGET), help="the page to write, or - for the terminal")
    chosen = parser.parse_args()
    sizes = [int(size) for size in chosen.rows.split(",")]
    sections = []
    for name in ("arrays", "files", "start"):
        if chosen.only in (None, name):
            print(f"measuring {name} …", file=sys.stderr)
            sections.append(importlib.import_module(name).run(sizes, chosen.rounds))
    text = HEAD.format(machine=machine()) + "\n" + "\n\n".join(sections) + "\n"
    if chosen.output == "-":
        sys.stdout.write(text)
    else:
        Path(chosen.output).write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
