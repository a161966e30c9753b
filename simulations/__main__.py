"""`python -m simulations [STUDY …] [--repeats N] [--rows N …] [--out FOLDER]`: run studies, write JSON and Markdown."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from simulations.studies import STUDIES
from simulations.worlds import SIZES


def table(rows: list[dict[str, object]]) -> str:
    """A Markdown table."""
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    lines += ["| " + " | ".join("" if row[name] is None else str(row[name]) for name in names) + " |" for row in rows]
    return "\n".join(lines)


def say(*words: object) -> None:
    """Progress, on standard error."""
    sys.stderr.write(" ".join(map(str, words)) + "\n")
    sys.stderr.flush()


def main() -> None:
    """Run the studies named on the command line, or all."""
    parser = argparse.ArgumentParser(prog="python -m simulations", description=__doc__)
    parser.add_argument("studies", nargs="*", metavar="STUDY", help=f"of {', '.join(STUDIES)}; default all")
    parser.add_argument("--repeats", type=int, default=400, help="samples per world and size (default 400)")
    parser.add_argument("--rows", type=int, nargs="+", default=list(SIZES), help="sample sizes")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="folder of the tables")
    options = parser.parse_args()
    unknown = set(options.studies) - set(STUDIES)
    if unknown:
        parser.error(f"no study {', '.join(sorted(unknown))}; there are {', '.join(STUDIES)}")
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.studies or STUDIES:
        begin = time.perf_counter()
        rows = []
        for row in STUDIES[name](options.repeats, tuple(options.rows), None):
            rows.append(row)
            say(name, *row.values())
        head = f"# {name}\n\n{STUDIES[name].__doc__}\n\n{options.repeats} samples each, fixed seeds.\n\n"
        (options.out / f"{name}.md").write_text(head + table(rows) + "\n", encoding="utf-8")
        data = {"study": name, "repeats": options.repeats, "rows": rows}
        (options.out / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        say(f"{name}: {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
