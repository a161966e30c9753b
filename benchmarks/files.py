"""Files: a tally from CSV, Parquet and JSONL beside a bare scan of the same two columns, and beside pandas."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import sklearn.metrics

import calibrant as cb
from timing import measure, table

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["run"]

# Columns as a log has them: an id, the probability, the outcome, a segment.
ROWS = """
    SELECT i AS id,
           1 / (1 + pow((1 - u) / u, 1.5)) AS probability,
           CAST(v < u AS INTEGER) AS outcome,
           'segment ' || (i % 7) AS segment
    FROM (SELECT i, hash(i) / 18446744073709551616.0 AS u, hash(i + 1000000007) / 18446744073709551616.0 AS v
          FROM range({rows}) AS t(i))
    WHERE u > 0
"""
FORMATS = {
    "csv": "(HEADER, DELIMITER ',')",
    "parquet": "(FORMAT parquet)",
    "jsonl": "(FORMAT json)",
}
SCANS = {
    "csv": "read_csv('{path}', columns={{'id': 'VARCHAR', 'probability': 'DOUBLE', 'outcome': 'VARCHAR', "
    "'segment': 'VARCHAR'}}, header=true, delim=',', auto_detect=false)",
    "parquet": "read_parquet('{path}')",
    "jsonl": "read_json('{path}', columns={{'probability': 'DOUBLE', 'outcome': 'VARCHAR'}}, "
    "format='newline_delimited')",
}


def bare_scan(source: str) -> tuple[Any, ...] | None:
    """Read the two columns and add them up: what no reader can do without."""
    with duckdb.connect() as connection:
        query = f"SELECT count(*), sum(probability), sum(CAST(outcome AS DOUBLE)) FROM {source}"
        return connection.execute(query).fetchone()


def pandas_brier(path: Path) -> float:
    """What people write today: read with pandas, one score with scikit-learn."""
    import pandas as pd

    if path.suffix == ".parquet":
        frame = pd.read_parquet(path, columns=["probability", "outcome"])
    elif path.suffix == ".csv":
        frame = pd.read_csv(path, usecols=["probability", "outcome"])
    else:
        frame = pd.read_json(path, lines=True)[["probability", "outcome"]]
    return float(sklearn.metrics.brier_score_loss(frame["outcome"], frame["probability"]))


def alternatives(path: Path, kind: str) -> dict[str, Callable[[], Any]]:
    source = SCANS[kind].format(path=path)
    found: dict[str, Callable[[], Any]] = {
        "bare DuckDB scan, two sums": lambda: bare_scan(source),
        "calibrant: `cb.tally(path)`": lambda: cb.tally(str(path)),
    }
    if importlib.util.find_spec("pandas"):
        found["pandas, then scikit-learn's Brier score"] = lambda: pandas_brier(path)
    return found


def run(sizes: list[int], rounds: int) -> str:
    """The section of docs/performance.md, for the largest of the sizes."""
    rows = sizes[-1]
    lines: dict[str, list[str]] = {}
    kinds: list[str] = []
    with tempfile.TemporaryDirectory(prefix="calibrant-benchmark-") as folder:
        for kind, options in FORMATS.items():
            path = Path(folder) / f"rows.{kind}"
            duckdb.sql(f"COPY ({ROWS.format(rows=rows)}) TO '{path}' {options}")
            kinds.append(f"{kind}, {path.stat().st_size / 1e6:,.0f} MB")
            taken = measure(alternatives(path, kind), rounds=rounds)
            scan = next(iter(taken.values())).median
            for name, timing in taken.items():
                first = timing.median == scan
                lines.setdefault(name, []).append(f"{scan:.2f} s" if first else f"{timing.median / scan:.2f}")
            path.unlink()
    body = [[name, *found] for name, found in lines.items()]
    return (
        f"## Files of {rows:,} rows\n\n"
        "The first line is seconds, the others multiples of it. A bare scan reads the two columns and adds them up;\n"
        "the tally also judges every value and holds what all numbers of a report need.\n\n"
        + table(["one call", *kinds], body)
    )
