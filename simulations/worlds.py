"""Worlds: how probabilities are spread, and how the truth differs from them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.tallies.cells import Cells

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SHAPES", "SIZES", "TRUTHS", "World", "draw", "stated", "truths_of", "world"]

Array = NDArray[np.float64]
SIZES = (50, 200, 1_000, 10_000, 100_000)

SHAPES: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "uniform": lambda rng, n: rng.random(n),
    "near 0": lambda rng, n: rng.beta(0.5, 10, n),
    "near 1": lambda rng, n: 1 - rng.beta(0.5, 10, n),
    "tenths": lambda rng, n: rng.integers(0, 11, n) / 10,
    "narrow": lambda rng, n: np.clip(rng.normal(0.5, 0.05, n), 0.01, 0.99),
}


def _tilted(slope: float, shift: float = 0.0) -> Callable[[Array], Array]:
    def truth(p: Array) -> Array:
        p = np.clip(p, 1e-9, 1 - 1e-9)
        return 1 / (1 + np.exp(-(slope * np.log(p / (1 - p)) + shift)))

    return truth


TRUTHS: dict[str, Callable[[Array], Array]] = {
    "calibrated": lambda p: p,
    "a little too extreme": _tilted(0.85),
    "too extreme": _tilted(0.5),
    "shifted": _tilted(1.0, 0.4),
    "one bad bin": lambda p: np.where((p >= 0.3) & (p < 0.4), p + 0.3, p),
}


class World(NamedTuple):
    """A shape, a truth, and whether rows have weights or printed probabilities are rounded to 0.01."""

    shape: str
    truth: str
    weighted: bool = False
    rounded: bool = False

    def __str__(self) -> str:
        return f"{self.shape}, {self.truth}{', weighted' * self.weighted}{', rounded' * self.rounded}"


def world(shape: str, truth: str) -> World:
    """A world by its two names."""
    return World(shape, truth)


def stated(rng: np.random.Generator, at: World, rows: int) -> Array:
    """Stated probabilities, multiples of a power of two so that large samples have a few thousand distinct ones."""
    p = SHAPES[at.shape](rng, rows)
    if at.shape == "tenths":
        return p
    steps = 2.0**14 if at.shape.startswith("near") else 2.0**11
    return np.rint(p * steps) / steps


def draw(rng: np.random.Generator, at: World, rows: int) -> Cells:
    """A sample from a world, as cells."""
    p = stated(rng, at, rows)
    y = (rng.random(rows) < TRUTHS[at.truth](p)).astype(np.intp)
    weight = rng.gamma(3.0, 1 / 3, rows) if at.weighted else None
    return Cells.exact(p.round(2) if at.rounded else p, y, weight)


@cache
def truths_of(at: World) -> tuple[Array, Array]:
    """A million probabilities of a world and their true chances, from which true values are computed."""
    p = stated(np.random.default_rng(99), at, 1_000_000)
    return p, TRUTHS[at.truth](p)
