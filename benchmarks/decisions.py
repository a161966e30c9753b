"""Decision logs: reading, labelling and tallying answers beside the JSON reader alone, and the memory it takes."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Any

from calibrant.io.decisions import read_log
from calibrant.io.decisions.typed import FastLane
from timing import measure, peak_memory, table

__all__ = ["run"]

ANSWERS_PER_LINE = 3
MOST_LINES = 400_000
QUESTIONS: dict[str, dict[str, Any]] = {
    "billing": {"type": "noul", "instructions": "Is this about billing?"},
    "team": {
        "type": "choice",
        "instructions": "Which team?",
        "criteria": ["refunds", "shipping", "technical", "sales"],
    },
    "urgency": {"type": "score", "instructions": "How urgent?", "criteria": ["can wait", "this week", "today"]},
}
STATE = "Customer {n}: I was charged twice for order {n} last week and nobody answers. I want my money back today."


def shares(rng: random.Random, names: list[str]) -> dict[str, float]:
    raw = [rng.random() for _ in names]
    return {name: round(one / sum(raw), 4) for name, one in zip(names, raw, strict=True)}


def line(rng: random.Random, number: int) -> str:
    """One request with three labelled answers, about 1 kB, as System One writes it."""
    team, urgency = shares(rng, QUESTIONS["team"]["criteria"]), shares(rng, ["0", "1", "2"])
    answers = {
        "billing": {"type": "noul", "noul": round(rng.random(), 4)},
        "team": {"type": "choice", "choice": max(team, key=team.__getitem__), "probabilities": team, "confidence": 0.5},
        "urgency": {"type": "score", "score": 1.0, "probabilities": urgency, "confidence": 0.4},
    }
    labels = {"billing": rng.random() < 0.5, "team": rng.choice(list(team)), "urgency": rng.randrange(3)}
    request = {"model": "m-latest", "state": STATE.format(n=number), "questions": QUESTIONS}
    return json.dumps(
        {"id": f"t{number}", "request": request, "response": {"model": "m-1.1", "answers": answers}, "labels": labels}
    )


def json_alone(path: Path) -> int:
    """What no reader written in Python can do without, with the standard library."""
    with path.open("rb") as stream:
        return sum(len(json.loads(one)) for one in stream)


def general_reader(path: Path) -> Any:
    """The same log without the fast lane, as a log of any other shape is read."""
    usual, FastLane.open = FastLane.open, property(lambda _: False)  # type: ignore[assignment]
    try:
        return read_log(path)
    finally:
        FastLane.open = usual  # type: ignore[method-assign]


def run(sizes: list[int], rounds: int) -> str:
    """The section of docs/performance.md, for the largest of the sizes (answers, not lines)."""
    lines = min(sizes[-1] // ANSWERS_PER_LINE, MOST_LINES)
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        with path.open("w", encoding="utf-8") as stream:
            for number in range(lines):
                stream.write(line(rng, number) + "\n")
        timings = measure(
            {
                "`json.loads` of every line, nothing else": lambda: json_alone(path),
                "calibrant: plain System One lines": lambda: read_log(path),
                "calibrant: any other shape": lambda: general_reader(path),
            },
            rounds=rounds,
        )
        memory = peak_memory(lambda: read_log(path))
    base = next(iter(timings.values())).median
    rows = [
        [name, f"{found.median / base:.1f}", f"{lines * ANSWERS_PER_LINE / found.median:,.0f}"]
        for name, found in timings.items()
    ]
    return (
        f"## Decision logs\n\n{lines * ANSWERS_PER_LINE:,} labelled answers in {lines:,} lines of about 1 kB: read, "
        f"labelled, tallied by question, with the facts of the log; {memory:,.0f} MB at most.\n\n"
        + table(["", "time, in units of the first line", "answers a second"], rows)
    )
