"""Measure alternatives side by side: interleaved rounds in rotating order, the median of each, ratios between them."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Timing", "measure", "peak_memory", "table"]


class Timing(NamedTuple):
    """Seconds of one alternative: the median of its rounds, the least and the most."""

    median: float
    least: float
    most: float


def measure(alternatives: Mapping[str, Callable[[], Any]], *, rounds: int = 5) -> dict[str, Timing]:
    """Time each alternative once a round, in an order that rotates, so that no one always runs on a warm cache.

    A first round, which loads modules and builds tables, is not counted.
    """
    names = list(alternatives)
    for call in alternatives.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            gc.collect()
            start = time.perf_counter()
            alternatives[name]()
            seconds[name].append(time.perf_counter() - start)
    return {name: Timing(statistics.median(taken), min(taken), max(taken)) for name, taken in seconds.items()}


def peak_memory(call: Callable[[], Any]) -> float:
    """Megabytes that numpy and Python hold at most during a call, beyond what they held before."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        call()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (peak - before) / 1e6


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; every column after the first is set to the right."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)
