"""Smooth calibration error: the residuals smeared by a kernel whose width is the answer itself.

smECE_σ = ∫₀¹ |Σ w(y − p)·K_σ(t, p) / Σw| dt with a Gaussian kernel reflected at 0 and 1, and smECE is the σ with
smECE_σ = σ. The reflected kernel is a cosine series, 1 + 2 Σ_k e^(−π²k²σ²/2) cos(πkt) cos(πkp), so that all that is
needed of the rows are their cosine sums Σ w(y − p) cos(πkp).

Source: Błasiok & Nakkiran (2023), arXiv 2309.12236, definitions 2–3 (their code relplot stops at ten bisections).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.arrays import cells_of, check_events
from calibrant.calibration.noise import NoiseFloor
from calibrant.intervals.null import group_residuals, p_value, plain_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from calibrant.arrays import Weighting
    from calibrant.tallies.cells import Cells

__all__ = ["SMOOTH_DRAWS", "smooth_ece", "smooth_ece_of_cells", "smooth_floor"]

SMOOTH_DRAWS = 199
_NARROWEST = 5e-4
_EXACT_CELLS = 4_096
_GROUPS = 400


def smooth_ece(
    prob: ArrayLike, outcome: ArrayLike, *, weights: ArrayLike | None = None, weighting: Weighting = "sampling"
) -> float:
    """Smooth calibration error: a calibration error without bins. Range 0 to 1, lower is better.

    Like every calibration error it is above 0 by chance: compare it with its floor (`calibrant check` prints it).

    Args:
        prob: probabilities of the event, shape (n,).
        outcome: 0 or 1, shape (n,).
        weights: how much each row counts, shape (n,).
        weighting: "sampling" weights, or "frequency" when a row stands for that many equal rows.

    Returns:
        The fixed point, to about 1e-6; values below 0.0005 are given as the error at the width 0.0005.

    Raises:
        InputError: if shapes do not fit or a value is refused.

    Example:
        >>> round(smooth_ece([0.2], [1]), 6)
        0.8
    """
    p, y, w = check_events(prob, outcome, weights)
    return smooth_ece_of_cells(cells_of(p, y, w, weighting))


def smooth_ece_of_cells(cells: Cells) -> float:
    """The same from cells; above 4,096 cells neighbours are merged, which moves it by less than 1e-4 of itself."""
    prob, residual = cells.prob, -cells.sums().residual
    if len(cells) > _EXACT_CELLS:
        place = np.minimum((prob * _EXACT_CELLS * 2).astype(np.intp), _EXACT_CELLS * 2 - 1)
        # both the sum of the residuals and their centre are kept, by sharing them between neighbouring points
        at = prob * _EXACT_CELLS * 2 - place
        size = _EXACT_CELLS * 2 + 1
        shares = np.bincount(place, residual * (1 - at), size), np.bincount(place + 1, residual * at, size)
        residual = (shares[0] + shares[1]).astype(np.float64)
        prob = np.arange(size) / (size - 1)
    return float(_fixed_points(residual[None, :] / cells.w.sum(), prob, fine=True)[0])


def smooth_floor(cells: Cells, *, seed: int = 0, draws: int = SMOOTH_DRAWS) -> NoiseFloor:
    """The smooth calibration error beside its noise floor, p-value from the same draws y* ~ Bernoulli(p)."""
    cells = plain_rows(cells)
    groups, _, null = group_residuals(cells, _GROUPS, stream="smooth", seed=seed, draws=draws)
    errors = _fixed_points(null / cells.w.sum(), groups.prob, fine=False)
    value = smooth_ece_of_cells(cells)
    return NoiseFloor(
        value, float(errors.mean()), float(np.quantile(errors, 0.95)), p_value(value, errors), draws, seed
    )


def _fixed_points(residual: NDArray[np.float64], prob: NDArray[np.float64], *, fine: bool) -> NDArray[np.float64]:
    """The fixed point of each row of residuals, shape (draws, cells), by bisection: the error falls with σ."""
    size = np.abs(residual).sum(axis=1)  # no error can be larger
    narrowest = _NARROWEST if fine else 2e-3
    low = np.full(size.size, 0.0)
    high = np.minimum(size, 1.0) + 1e-12
    # A first pass finds how narrow the kernel gets, and so how many terms are needed.
    terms = 32
    while True:
        terms *= 2
        sums = residual @ _cosines(prob, terms)
        smeared = _Smeared(sums, max(4 * terms, 8192) if fine else 2 * terms)
        enough = 2.7 / terms  # at this width the first term left out is 1e-16
        at = np.minimum(high, enough)
        unsure = smeared.error(at) < at  # the fixed point lies below: more terms are needed
        if not unsure.any() or enough <= narrowest or terms >= 8192:
            break
    low = np.where(unsure, min(narrowest, enough), at)
    for _ in range(40 if fine else 12):
        middle = (low + high) / 2
        above = smeared.error(middle) > middle
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    middle = (low + high) / 2
    floor = middle <= narrowest * 1.001
    return np.where(size == 0, 0.0, np.where(floor, smeared.error(np.full_like(middle, narrowest)), middle))


def _cosines(prob: NDArray[np.float64], terms: int) -> NDArray[np.float64]:
    """cos(πkp), shape (cells, terms)."""
    return np.cos(np.pi * prob[:, None] * np.arange(terms))


class _Smeared:
    """Smeared residuals as cosine series, one row each; their absolute mean over [0, 1] by the midpoint rule.

    f(t) = c₀ + 2 Σ c_k e^(−π²k²σ²/2) cos(πkt) at t = (j + ½)/points: for many rows by a table of cosines, for one row
    by a Fourier transform of twice the length.
    """

    def __init__(self, sums: NDArray[np.float64], points: int) -> None:
        terms = sums.shape[1]
        self.sums, self.points = sums, points
        self.decay = -0.5 * (np.pi * np.arange(terms)) ** 2
        self.table = None
        if sums.shape[0] > 1 and terms * points <= 2**19:
            self.table = 2.0 * _cosines((np.arange(points) + 0.5) / points, terms).T
            self.table[0] = 1.0

    def error(self, width: NDArray[np.float64]) -> NDArray[np.float64]:
        """∫ |f| dt of each row at its own width."""
        series = self.sums * np.exp(self.decay * width[:, None] ** 2)
        values = self._transform(series) if self.table is None else series @ self.table
        return np.asarray(np.abs(values).mean(axis=1))

    def _transform(self, series: NDArray[np.float64]) -> NDArray[np.float64]:
        terms = series.shape[1]
        padded = np.zeros((series.shape[0], 2 * self.points), complex)
        padded[:, :terms] = series * np.exp(0.5j * np.pi * np.arange(terms) / self.points)
        values = np.fft.ifft(padded, axis=1)[:, : self.points].real * (2 * self.points)
        return 2.0 * values - series[:, :1]
