"""CORP: the score taken apart without bins, by the isotonic fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy.special import xlogy

from calibrant.arrays import cells_of, check_events, check_option
from calibrant.calibration.isotonic import pool
from calibrant.scores.brier import brier_of_cells

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from calibrant.tallies.cells import Cells

__all__ = ["CorpDecomposition", "corp_decomposition", "corp_of_cells", "log_loss_of_cells"]

CorpScore = Literal["brier", "log"]


class CorpDecomposition(NamedTuple):
    """score = miscalibration − discrimination + uncertainty.

    Attributes:
        score: the mean score of the probabilities.
        miscalibration: what the isotonic fit would save; from 0, lower is better.
        discrimination: what the isotonic fit saves against the base rate; from 0, higher is better.
        uncertainty: the score of saying the base rate every time.
        error_bound: by how much miscalibration and discrimination can be too small, because cells of a grid hide the
            order of the rows inside them; 0 when cells are exact.
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    error_bound: float


def _loss(w: NDArray[np.float64], value: NDArray[np.float64] | float, score: CorpScore) -> float:
    """Mean score of saying `value` in each row of w (Σw per outcome)."""
    if score == "brier":
        total = w[:, 0] * np.square(value) + w[:, 1] * np.square(1.0 - value)
    else:
        total = -(xlogy(w[:, 1], value) + xlogy(w[:, 0], 1.0 - value))
    return float(total.sum() / w.sum())


def _fitted_loss(w: NDArray[np.float64], score: CorpScore) -> float:
    sums = np.add.reduceat(w, pool(w), axis=0)
    return _loss(sums, sums[:, 1] / sums.sum(axis=1), score)


def log_loss_of_cells(cells: Cells) -> float:
    """Mean log loss of exact cells; of grid cells that of their mean probabilities, which is a little too small."""
    return _loss(cells.w, cells.prob, "log")


def corp_of_cells(cells: Cells, score: CorpScore = "brier", *, log_loss: float | None = None) -> CorpDecomposition:
    """The decomposition from cells.

    Args:
        cells: at least one.
        score: "brier" (from 0 to 1) or "log".
        log_loss: the log loss of the rows where it is known, for cells of a grid.
    """
    w = cells.pooled().w
    total = brier_of_cells(cells) if score == "brier" else log_loss_of_cells(cells) if log_loss is None else log_loss
    fitted = _fitted_loss(w, score)
    overall = w.sum(axis=0, keepdims=True)
    uncertainty = _loss(overall, float(overall[0, 1] / overall.sum()), score)
    bound = 0.0 if cells.is_exact else max(fitted - _fitted_loss(_best_order(w), score), 0.0)
    return CorpDecomposition(
        score=total,
        miscalibration=max(total - fitted, 0.0),
        discrimination=max(uncertainty - fitted, 0.0),
        uncertainty=uncertainty,
        error_bound=bound,
    )


def _best_order(w: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each cell split into its rows without the event and then those with it: no order inside fits better."""
    split = np.zeros((2 * len(w), 2))
    split[0::2, 0] = w[:, 0]
    split[1::2, 1] = w[:, 1]
    some: NDArray[np.float64] = split[split.sum(axis=1) > 0]
    return some


def corp_decomposition(
    prob: ArrayLike, outcome: ArrayLike, *, score: CorpScore = "brier", weights: ArrayLike | None = None
) -> CorpDecomposition:
    """Why the score is what it is, without bins: miscalibration (lower is better), discrimination (higher).

    x̂ is the isotonic fit of outcomes on probabilities, equal probabilities pooled first. Then miscalibration =
    S(p) − S(x̂), discrimination = S(ȳ) − S(x̂), uncertainty = S(ȳ). Both are above 0 by chance alone on few rows.

    Args:
        prob: probabilities of the event, shape (n,).
        outcome: 0 or 1, shape (n,).
        score: "brier" (from 0 to 1) or "log" (natural logarithm).
        weights: how much each row counts, shape (n,).

    Returns:
        The terms. With the log score and a row that was certain and wrong, score and miscalibration are inf.

    Raises:
        InputError: if shapes do not fit or a value is refused.
        OptionError: if an option means nothing.

    Example:
        >>> terms = corp_decomposition([0.2, 0.9], [1, 0])
        >>> round(terms.miscalibration, 12), terms.discrimination, terms.uncertainty
        (0.475, 0.0, 0.25)

    Source: Dimitriadis, Gneiting & Jordan (2021), PNAS 118, equations 3 and 4.
    """
    check_option("score", score, ("brier", "log"))
    p, y, w = check_events(prob, outcome, weights)
    return corp_of_cells(cells_of(p, y, w), score)
