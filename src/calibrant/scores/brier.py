"""The Brier score, its uniform bar and its skill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from calibrant.arrays import check_choices, check_events, check_option, looks_like_choices, undefined, weighted_mean
from calibrant.errors import OptionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from calibrant.tallies.cells import Cells

__all__ = [
    "brier_of_cells",
    "brier_rows",
    "brier_score",
    "brier_skill_score",
    "choice_brier_rows",
    "skill",
    "uniform_brier",
]

Scale = Literal["half", "sum"]


def brier_rows(prob: NDArray[np.float64], outcome: NDArray[np.integer]) -> NDArray[np.float64]:
    """(p − y)² of each row; shape (n,)."""
    out: NDArray[np.float64] = np.square(prob - outcome)
    return out


def choice_brier_rows(probs: NDArray[np.float64], label: NDArray[np.intp]) -> NDArray[np.float64]:
    """Σ_k (p_k − y_k)² of each row, from 0 to 2; shape (n,)."""
    gap = probs.copy()
    gap[np.arange(label.size), label] -= 1.0
    out: NDArray[np.float64] = np.einsum("ij,ij->i", gap, gap)
    return out


def brier_of_cells(cells: Cells) -> float:
    """Mean (p − y)² of the rows in cells; exact at every resolution."""
    sums = cells.sums()
    square = sums.wpp[:, 0] + (sums.wpp[:, 1] - 2 * sums.wp[:, 1] + sums.w[:, 1])
    return float(square.sum() / sums.w.sum())


def uniform_brier(options: int, *, scale: Scale = "sum") -> float:
    """Brier score of giving every one of `options` options the same probability: 1 − 1/K, or half of it.

    Example:
        >>> uniform_brier(10)
        0.9
    """
    bar = (options - 1) / options
    return bar if scale == "sum" else bar / 2


def skill(score: float, reference: float) -> float:
    """1 − score / reference: above 0 is better than the reference; nan when the reference makes no error."""
    return 1.0 - score / reference if reference > 0 else float("nan")


def brier_score(
    prob: ArrayLike, outcome: ArrayLike, *, scale: Scale | None = None, weights: ArrayLike | None = None
) -> float:
    """How far the probabilities are from what happened, squared and averaged: lower is better.

    Yes/no questions: (1/n) Σ (p − y)², from 0 to 1 (`scale="half"`, the default). Choices: (1/n) Σ Σ_k (p_k − y_k)²,
    from 0 to 2 (`scale="sum"`, the default). Of a yes/no question the sum is exactly twice the half.

    Args:
        prob: probabilities of the event, shape (n,); or of every option, shape (n, k).
        outcome: 0 or 1, shape (n,); or the index of the right option.
        scale: "half" or "sum"; None takes "half" for shape (n,) and "sum" for (n, k).
        weights: how much each row counts, shape (n,); default equally.

    Returns:
        The mean score.

    Raises:
        InputError: if shapes do not fit or a value is refused.

    Example:
        >>> round(brier_score([0.1, 0.9, 0.8, 0.3], [0, 1, 1, 0]), 12)
        0.0375
        >>> round(brier_score([[0.1, 0.7, 0.2]], [1]), 12)
        0.14

    Source: Brier (1950), Monthly Weather Review 78, equation 2 (the sum form).
    """
    check_option("scale", scale or "half", ("half", "sum"))
    if looks_like_choices(prob):
        probs, label, w = check_choices(prob, outcome, weights)
        mean = weighted_mean(choice_brier_rows(probs, label), w)
        return mean / 2 if scale == "half" else mean
    p, y, w = check_events(prob, outcome, weights)
    mean = weighted_mean(brier_rows(p, y), w)
    return 2 * mean if scale == "sum" else mean


def brier_skill_score(
    prob: ArrayLike,
    outcome: ArrayLike,
    *,
    reference: float | Literal["base_rate", "uniform"] = "base_rate",
    weights: ArrayLike | None = None,
) -> float:
    """The share of a reference forecast's Brier score that these probabilities save: higher is better, 1 is perfect.

    1 − BS / BS_ref. Above 0 beats the reference, below 0 is worse than it. The base rate of the same rows is a
    slightly hard reference, since it is known only afterwards.

    Args:
        prob: probabilities of the event, shape (n,); or of every option, shape (n, k).
        outcome: 0 or 1, shape (n,); or the index of the right option.
        reference: "base_rate" (how often each outcome happened in these rows), "uniform" (1/k for every option), or
            for yes/no questions one probability that is said every time.
        weights: how much each row counts, shape (n,).

    Returns:
        The skill; nan, with a warning, when the reference makes no error (only one outcome happened).

    Raises:
        InputError: if shapes do not fit or a value is refused.
        OptionError: if the reference means nothing.

    Example:
        >>> round(brier_skill_score([0.1, 0.9, 0.8, 0.3], [0, 1, 1, 0]), 12)
        0.85

    Source: Murphy (1973), Journal of Applied Meteorology 12.
    """
    if looks_like_choices(prob):
        probs, label, w = check_choices(prob, outcome, weights)
        options = probs.shape[1]
        if not isinstance(reference, str):
            raise OptionError(
                f'`reference` must be "base_rate" or "uniform" for choices, got {reference!r}.',
                hint="A single probability is a reference for yes/no questions only.",
            )
        score = weighted_mean(choice_brier_rows(probs, label), w)
        share = np.bincount(label, w, minlength=options) / (label.size if w is None else w.sum())
        bar = float(1.0 - np.square(share).sum()) if share.max() < 1 else 0.0
    else:
        p, y, w = check_events(prob, outcome, weights)
        options = 2
        score = weighted_mean(brier_rows(p, y), w)
        rate = weighted_mean(y.astype(np.float64), w)
        bar = rate * (1 - rate)
        if not isinstance(reference, str):
            bar = _constant_brier(reference, rate)
    if isinstance(reference, str):
        check_option("reference", reference, ("base_rate", "uniform"))
        if reference == "uniform":
            bar = uniform_brier(options, scale="sum" if looks_like_choices(prob) else "half")
    if bar <= 0:
        return undefined("Brier skill is undefined: the reference forecast makes no error on these rows.")
    return skill(score, bar)


def _constant_brier(constant: object, rate: float) -> float:
    """Brier score of saying `constant` every time, when the event happens at `rate`."""
    if isinstance(constant, bool) or not isinstance(constant, (int, float, np.floating)) or not 0 <= constant <= 1:
        raise OptionError(f"`reference` must be a probability from 0 to 1, got {constant!r}.")
    said = float(constant)
    return rate * (1 - said) ** 2 + (1 - rate) * said**2
