"""Sums over rows: what each bin, or each cell, knows about the rows in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BinSums", "ratio"]


class BinSums(NamedTuple):
    """Sums over the rows of each bin; arrays of shape (bins, 2), the second axis being the outcome.

    With y the outcome, w the weight and p the probability: `rows` counts rows, `w` is Σw, `wp` Σwp, `wpp` Σwp²;
    `v`, `vp`, `vpp` are the same sums with w² (equal to the former when rows are not weighted).
    """

    rows: NDArray[np.int64]
    w: NDArray[np.float64]
    wp: NDArray[np.float64]
    wpp: NDArray[np.float64]
    v: NDArray[np.float64]
    vp: NDArray[np.float64]
    vpp: NDArray[np.float64]

    def occupied(self) -> BinSums:
        """Only the bins that hold rows."""
        keep = self.rows.sum(axis=1) > 0
        return BinSums(*(part[keep] for part in self))

    @property
    def n(self) -> NDArray[np.int64]:
        """Rows per bin."""
        return np.asarray(self.rows.sum(axis=1))

    @property
    def weight(self) -> NDArray[np.float64]:
        """Σw per bin."""
        return np.asarray(self.w.sum(axis=1))

    @property
    def mean_prob(self) -> NDArray[np.float64]:
        """Weighted mean probability per bin; nan where the bin is empty."""
        return ratio(self.wp.sum(axis=1), self.weight)

    @property
    def observed(self) -> NDArray[np.float64]:
        """Weighted share of outcome 1 per bin; nan where the bin is empty."""
        return ratio(self.w[:, 1], self.weight)

    @property
    def residual(self) -> NDArray[np.float64]:
        """Σw(p − y) per bin."""
        return self.wp[:, 0] + (self.wp[:, 1] - self.w[:, 1])

    @property
    def residual_square(self) -> NDArray[np.float64]:
        """Σw²(p − y)² per bin."""
        return self.vpp[:, 0] + (self.vpp[:, 1] - 2 * self.vp[:, 1] + self.v[:, 1])

    @property
    def null_variance(self) -> NDArray[np.float64]:
        """Σw²p(1 − p) per bin: the variance of Σw(p − y) if the probabilities are right."""
        return np.asarray((self.vp - self.vpp).sum(axis=1))


def ratio(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> NDArray[np.float64]:
    """Elementwise quotient; nan where both are 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(top / bottom)
