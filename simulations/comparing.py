"""`python -m simulations.comparing [--repeats N]`: coverage of paired differences, rows and clusters; prints Markdown.

Worlds: *alike*, two models with equal noise, so that every difference is 0; *sharp*, a model that exaggerates against
a noisy one; *base*, a calibrated model against nearly the base rate. Clusters: 60 of unequal size, with shared effects.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.comparison.differences import differences
from calibrant.predictions import judge_events
from calibrant.tallies.pair import pair_block
from calibrant.tallies.rows import score_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.measure.number import Number

SIZES = (60, 300, 1000, 10_000)
WORLDS = ("alike", "sharp", "base")
NAMES = ("brier", "brier_skill", "accuracy", "log_loss", "debiased_l2_square", "miscalibration", "discrimination")


def expit(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logistic function."""
    return np.asarray(1 / (1 + np.exp(-z)))


def draw(
    kind: str, rows: int, rng: np.random.Generator, clusters: int | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[Any], NDArray[Any] | None]:
    """One sample: two columns of probabilities, outcomes, clusters."""
    group = None if clusters is None else rng.integers(0, clusters, rows)
    if group is None or clusters is None:
        z, one, two = rng.normal(-0.3, 1.2, rows), rng.normal(0, 0.4, rows), rng.normal(0, 0.4, rows)
    else:
        z = rng.normal(0, 0.8, clusters)[group] + rng.normal(-0.3, 0.8, rows)
        one, two = (rng.normal(0, 0.4, clusters)[group] + rng.normal(0, 0.2, rows) for _ in "ab")
    y = (rng.random(rows) < expit(z)).astype(int)
    if kind == "alike":
        return expit(z + one), expit(z + two), y, group
    if kind == "sharp":
        return expit(1.8 * z), expit(z + two), y, group
    return expit(z), 0.44 + rng.normal(0, 0.01, rows), y, group


def compared(sample: tuple[Any, Any, Any, Any]) -> dict[str, Number]:
    """Differences of one sample."""
    first, second, y, group = sample
    judged = (judge_events(first, y), judge_events(second, y))
    scored = (score_rows(judged[0]), score_rows(judged[1]))
    return differences(pair_block(("a", "b"), judged, scored, cluster=group, bins=10))


def study(repeats: int) -> None:
    """Print one row per world, unit and size."""
    sys.stdout.write(f"| world | unit | n | {' | '.join(NAMES)} |\n|{' --- |' * (len(NAMES) + 3)}\n")
    for kind in WORLDS:
        for clusters in (None, 60):
            truth: dict[str, list[float]] = {}
            rng = np.random.default_rng(99)
            for _ in range(5):
                for name, number in compared(draw(kind, 200_000, rng, None if clusters is None else 20_000)).items():
                    truth.setdefault(name, []).append(0.0 if kind == "alike" else number.value or 0.0)
            for rows in SIZES:
                hit: dict[str, list[bool]] = {name: [] for name in NAMES}
                for repeat in range(repeats):
                    sample = draw(kind, rows, np.random.default_rng([repeat, rows, WORLDS.index(kind)]), clusters)
                    for name, number in compared(sample).items():
                        if number.low is not None and number.high is not None:
                            hit[name].append(number.low <= float(np.mean(truth[name])) <= number.high)
                cells = [f"{100 * np.mean(hit[name]):.1f}" if len(hit[name]) > repeats / 2 else "" for name in NAMES]
                unit = "rows" if clusters is None else "60 clusters"
                sys.stdout.write(f"| {kind} | {unit} | {rows} | {' | '.join(cells)} |\n")
                sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=400)
    study(parser.parse_args().repeats)
