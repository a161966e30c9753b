"""Moments: sums of every row score and of every product of two, from which means and standard errors are exact.

With x = (1, s1, s2, …) the scores of one row, a table of moments holds Σw·x·xᵀ and Σw²·x·xᵀ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.errors import TallyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["Moments"]


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Weighted sums of row scores and their products.

    Attributes:
        names: the scores; the first is always "one".
        first: float64, shape (s, s): Σw·x·xᵀ.
        second: float64, shape (s, s): Σw²·x·xᵀ.

    Example:
        >>> moments = Moments.of({"brier": np.array([0.01, 0.64])})
        >>> moments.mean("brier")
        0.325
    """

    names: tuple[str, ...]
    first: NDArray[np.float64]
    second: NDArray[np.float64]

    @classmethod
    def of(cls, scores: Mapping[str, NDArray[np.float64]], weights: NDArray[np.float64] | None = None) -> Moments:
        """Moments of scores given row by row, arrays of one length."""
        names = ("one", *scores)
        rows = len(next(iter(scores.values())))
        table = np.empty((len(names), rows))
        table[0] = 1.0
        for place, values in enumerate(scores.values(), start=1):
            table[place] = values
        if weights is None:
            first = table @ table.T
            return cls(names, first, first)
        weighted = table * weights
        return cls(names, weighted @ table.T, weighted @ weighted.T)

    @classmethod
    def zero(cls, names: tuple[str, ...]) -> Moments:
        """Moments of no row."""
        empty = np.zeros((len(names), len(names)))
        return cls(names, empty, empty)

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        if self.names != other.names:
            raise TallyError(
                "Tallies with different row scores cannot be added: "
                f"{', '.join(self.names)} and {', '.join(other.names)}."
            )
        return Moments(self.names, self.first + other.first, self.second + other.second)

    def as_frequency(self) -> Moments:
        """Weights that are numbers of repetitions: Σw² is then Σw, as if every row had been written that often."""
        return Moments(self.names, self.first, self.first)

    def has(self, name: str) -> bool:
        """True when the score is among the sums."""
        return name in self.names

    def total(self, name: str, by: str = "one") -> float:
        """Σw·s, or Σw·s·t with a second score t."""
        return float(self.first[self.names.index(name), self.names.index(by)])

    @property
    def weight(self) -> float:
        """Σw."""
        return float(self.first[0, 0])

    @property
    def effective_n(self) -> float:
        """Kish's effective number of rows, (Σw)² / Σw²; the number of rows when they have no weights."""
        square = float(self.second[0, 0])
        return self.weight**2 / square if square else 0.0

    def mean(self, name: str) -> float:
        """Weighted mean of a score."""
        return self.total(name) / self.weight

    def covariance_of_means(self, names: tuple[str, ...]) -> NDArray[np.float64]:
        """Covariance matrix of the weighted means of several scores (sandwich form, rows independent).

        Σw²(s − s̄)(t − t̄) / (Σw)², times n/(n − 1) with Kish's n; without weights it is the usual s²/n.
        """
        places = [self.names.index(name) for name in names]
        mean = self.first[0, places] / self.weight
        cross = self.second[np.ix_(places, places)]
        sums = self.second[0, places]
        square = float(self.second[0, 0])
        centred = cross - np.outer(mean, sums) - np.outer(sums, mean) + square * np.outer(mean, mean)
        n = self.effective_n
        return centred / self.weight**2 * (n / (n - 1) if n > 1 else np.nan)

    def standard_error(self, name: str) -> float:
        """Standard error of the weighted mean of a score."""
        return float(np.sqrt(max(float(self.covariance_of_means((name,))[0, 0]), 0.0)))
