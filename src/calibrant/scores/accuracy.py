"""Accuracy: how often the answer with the largest probability is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.arrays import check_choices, check_events, looks_like_choices, top_answers, weighted_mean

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["accuracy", "tied_rows"]


def accuracy(prob: ArrayLike, outcome: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """The share of rows whose top answer is right: higher is better, from 0 to 1.

    Ties have a fixed rule: of equally probable options the one with the lowest index is the answer; a yes/no question
    at p = 0.5 is answered yes. `tied_rows` counts them.

    Args:
        prob: probabilities of the event, shape (n,); or of every option, shape (n, k).
        outcome: 0 or 1, shape (n,); or the index of the right option.
        weights: how much each row counts, shape (n,).

    Returns:
        The share.

    Raises:
        InputError: if shapes do not fit or a value is refused.

    Example:
        >>> accuracy([0.2, 0.5, 0.9, 0.7], [0, 1, 1, 0])
        0.75
    """
    if looks_like_choices(prob):
        probs, label, w = check_choices(prob, outcome, weights)
        right = top_answers(probs).predicted == label
    else:
        p, y, w = check_events(prob, outcome, weights)
        right = (p >= 0.5) == (y == 1)
    return weighted_mean(right.astype(np.float64), w)


def tied_rows(prob: ArrayLike, outcome: ArrayLike) -> int:
    """How many rows have no single top answer: the largest probability is shared, or p = 0.5.

    Args:
        prob: shape (n,) or (n, k).
        outcome: shape (n,).

    Raises:
        InputError: if shapes do not fit or a value is refused.

    Example:
        >>> tied_rows([[0.5, 0.5, 0.0]], [1])
        1
    """
    if looks_like_choices(prob):
        return int(top_answers(check_choices(prob, outcome).probs).tied.sum())
    return int(np.count_nonzero(check_events(prob, outcome).prob == 0.5))
