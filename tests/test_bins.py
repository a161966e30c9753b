"""The one edge rule."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.bins import Bins
from calibrant.errors import OptionError


@pytest.mark.parametrize("m", range(1, 101))
def test_every_k_over_m_starts_its_own_bin(m: int) -> None:
    values = np.arange(m + 1) / m
    assert Bins.width(m).index(values).tolist() == [*range(m), m - 1]
    assert Bins.width(m, closed="right").index(values).tolist() == [0, *range(m)]


def test_typed_tenths_are_edges() -> None:
    typed = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    assert Bins.width(10).index(typed).tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]


def test_arena_bands_take_lower_values_into_the_first() -> None:
    values = np.array([0.2, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    assert Bins.bands().index(values).tolist() == [0, 0, 1, 2, 3, 4, 4]


@pytest.mark.parametrize("bins", [0, -1, 2.5, True, "10", 10_001, None])
def test_nonsense_numbers_of_bins_are_refused(bins: object) -> None:
    with pytest.raises(OptionError, match="`bins` must be a whole number from 1 to 10,000"):
        Bins.width(bins)  # type: ignore[arg-type]


@pytest.mark.parametrize("edges", [[0.5], [0.2, 0.2], [0.3, 0.1], [-0.1, 1], [0, 1.1], [0, float("nan"), 1], []])
def test_nonsense_edges_are_refused(edges: list[float]) -> None:
    with pytest.raises(OptionError, match="Bin edges must rise"):
        Bins.own(edges)


def test_own_edges_of_a_rare_event() -> None:
    bins = Bins.own([0, 0.005, 0.05, 1])
    assert np.bincount(bins.index(np.array([0.001, 0.004, 0.02, 0.2]))).tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("bins", "text"),
    [
        (Bins.width(10), "10 equal-width bins"),
        (Bins.width(10, closed="right"), "10 equal-width bins, closed on the right"),
        (Bins.bands(), "5 confidence bands"),
        (Bins(np.array([0, 0.5, 1]), "left", "mass", 10), "2 equal-mass bins (10 asked for)"),
    ],
)
def test_bins_describe_themselves(bins: Bins, text: str) -> None:
    assert bins.describe() == text


def test_a_wrong_side_is_refused() -> None:
    with pytest.raises(OptionError, match='`closed` must be "left" or "right"'):
        Bins.width(10, closed="both")  # type: ignore[arg-type]
