"""The ranked probability score: a Brier score for ordered levels, where one level off costs less than five."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from calibrant.arrays import check_choices, check_option, weighted_mean

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ranked_probability_score", "ranked_rows"]


def ranked_rows(probs: NDArray[np.float64], label: NDArray[np.intp]) -> NDArray[np.float64]:
    """Σ over the k − 1 cut points of (P(level ≤ cut) − [level ≤ cut])², for each row; from 0 to k − 1."""
    below = np.cumsum(probs[:, :-1], axis=1)
    below -= np.arange(probs.shape[1] - 1) >= label[:, None]
    out: NDArray[np.float64] = np.einsum("ij,ij->i", below, below)
    return out


def ranked_probability_score(
    probs: ArrayLike,
    label: ArrayLike,
    *,
    scale: Literal["sum", "unit"] = "sum",
    weights: ArrayLike | None = None,
) -> float:
    """How far the probabilities of ordered levels are from the level that came: lower is better.

    (1/n) Σ_rows Σ_{cut=1..k−1} (F_cut − O_cut)² with F and O the summed probabilities and outcomes up to the cut.
    With two levels it is the Brier score of one of them (from 0 to 1).

    Args:
        probs: probability of every level, in their order, shape (n, k).
        label: index of the level that came, shape (n,).
        scale: "sum" (from 0 to k − 1) or "unit" (divided by k − 1, from 0 to 1).
        weights: how much each row counts, shape (n,).

    Returns:
        The mean score.

    Raises:
        InputError: if shapes do not fit or a value is refused.

    Example:
        >>> round(ranked_probability_score([[0.2, 0.3, 0.5]], [2]), 12)
        0.29

    Source: Epstein (1969), Journal of Applied Meteorology 8; Murphy (1971), the same journal, 10.
    """
    check_option("scale", scale, ("sum", "unit"))
    p, y, w = check_choices(probs, label, weights)
    mean = weighted_mean(ranked_rows(p, y), w)
    return mean / (p.shape[1] - 1) if scale == "unit" else mean
