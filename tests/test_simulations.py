"""The promises of docs/statistics.md, simulated: a quick version always, the wide one with `make simulate`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from simulations.studies import STUDIES  # noqa: E402
from simulations.worlds import SHAPES, TRUTHS, World  # noqa: E402

QUICK = (World("uniform", "calibrated"), World("near 0", "shifted"), World("narrow", "one bad bin"))
HONEST = tuple(World(shape, "calibrated") for shape in SHAPES)
EVERY = tuple(World(shape, truth) for shape in SHAPES for truth in TRUTHS)


def allowed(rate: float, repeats: float) -> float:
    """Three and a half standard errors of a simulated share."""
    return 3.5 * float(np.sqrt(rate * (1 - rate) / repeats))


def check_coverage(study: str, columns: tuple[str, ...], repeats: int, sizes: tuple[int, ...], worlds: tuple) -> None:
    for row in STUDIES[study](repeats, sizes, worlds):
        usable = row.get("given", 1.0) if study != "inversion" else 1.0
        for column in columns:
            share = row[column]
            if share is not None and usable * repeats >= 40:
                assert share >= 0.92 - allowed(0.92, usable * repeats), (column, row)


def check_level(study: str, column: str, repeats: int, sizes: tuple[int, ...], worlds: tuple) -> None:
    for row in STUDIES[study](repeats, sizes, worlds):
        if row[column] is not None:
            assert row[column] <= 0.05 + 0.02 + allowed(0.05, repeats), (column, row)


COVERAGE = {
    "inversion": ("l1 coverage", "l2 coverage"),
    "ranking": ("coverage",),
    "linear": ("coverage", "its coverage"),
}
LEVELS = {
    "significance": "rejects",
    "floors": "l1 level",
    "bands": "a bin listed as bad",
    "ranking": "level of no ranking",
}


@pytest.mark.parametrize("study", COVERAGE)
def test_intervals_cover(study: str) -> None:
    check_coverage(study, COVERAGE[study], 50, (300,), QUICK)


@pytest.mark.parametrize("study", LEVELS)
def test_tests_keep_their_level(study: str) -> None:
    check_level(study, LEVELS[study], 50, (150,), HONEST[:2])


def test_isotonic_bands_hold() -> None:
    for row in STUDIES["bands"](40, (300,), QUICK[:2]):
        assert row["curve in isotonic band"] >= 0.95 - allowed(0.95, 40)


@pytest.mark.slow
@pytest.mark.parametrize("study", COVERAGE)
def test_intervals_cover_in_every_world(study: str) -> None:
    check_coverage(study, COVERAGE[study], 150, (200, 2_000), EVERY)


@pytest.mark.slow
@pytest.mark.parametrize("study", LEVELS)
def test_tests_keep_their_level_in_every_world(study: str) -> None:
    check_level(study, LEVELS[study], 300, (100, 1_000), HONEST)


@pytest.mark.slow
def test_calibration_test_has_power() -> None:
    found = list(STUDIES["significance"](100, (2_000,), (World("uniform", "too extreme"), World("near 1", "shifted"))))
    assert min(row["rejects"] for row in found) > 0.9
