"""The checks that every public function on arrays makes before it computes anything.

Numbers are judged as they are: nothing is clipped, renormalised, guessed or dropped. The one exception are rows of
weight 0, which count as absent. A refused value is named with its index, counted from 0 as in Python.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from calibrant.checks import (
    as_column,
    as_numbers,
    check_length,
    check_outcomes,
    check_range,
    check_sums,
    check_weights,
    only_binary,
    refuse,
)
from calibrant.errors import InputError, OptionError
from calibrant.tallies.cells import Cells

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "CalibrantWarning",
    "Choices",
    "Events",
    "TopAnswers",
    "Weighting",
    "cells_of",
    "check_choices",
    "check_events",
    "check_option",
    "looks_like_choices",
    "top_answers",
    "undefined",
    "weighted_mean",
]

Weighting = Literal["sampling", "frequency"]


class CalibrantWarning(UserWarning):
    """A number that was asked for has no value, and the function returns nan; the message says why."""


class Events(NamedTuple):
    """Checked yes/no forecasts: float64 `prob`, 0/1 `outcome` and positive `weights` or None, all of shape (n,)."""

    prob: NDArray[np.float64]
    outcome: NDArray[np.intp]
    weights: NDArray[np.float64] | None


class Choices(NamedTuple):
    """Checked choices: float64 `probs` of shape (n, k), `label` of shape (n,), positive `weights` or None."""

    probs: NDArray[np.float64]
    label: NDArray[np.intp]
    weights: NDArray[np.float64] | None


class TopAnswers(NamedTuple):
    """The top answer of each row: its probability, its index, and whether another option has the same probability."""

    confidence: NDArray[np.float64]
    predicted: NDArray[np.intp]
    tied: NDArray[np.bool_]


def check_option(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Say which values an option has when it is given another one.

    Raises:
        OptionError: if `value` is not among `allowed`.
    """
    if value not in allowed:
        raise OptionError(f"`{name}` must be one of {', '.join(map(repr, allowed))}; got {value!r}.")


def undefined(message: str) -> float:
    """Warn that a number has no value, and return nan."""
    warnings.warn(message, CalibrantWarning, stacklevel=3)
    return float("nan")


def looks_like_choices(prob: ArrayLike) -> bool:
    """True when probabilities have the shape (n, k) with two or more columns."""
    shape = np.shape(prob)
    return len(shape) == 2 and shape[1] > 1


def check_events(
    prob: ArrayLike, outcome: ArrayLike, weights: ArrayLike | None = None, *, name: str = "prob"
) -> Events:
    """Check probabilities of a yes/no event and what happened.

    Args:
        prob: shape (n,), (n, 1), or (n, 2) as scikit-learn writes them: then column 1 is the event.
        outcome: shape (n,) or (n, 1); 0 or 1, or booleans.
        weights: shape (n,), not negative and not all zero; rows of weight 0 are left away.
        name: the name of the first argument, for messages.

    Raises:
        InputError: if the shapes do not fit, the arrays are empty or swapped, or hold no numbers.
        RowError: if a value is missing, not finite or out of range.
    """
    pair = looks_like_choices(prob)
    p = as_numbers(prob, name)
    if pair:
        if p.shape[1] != 2:
            raise InputError(
                f"`{name}` must have the shape (n,) for yes/no questions, got {p.shape}.",
                hint="For more than two options use confidence_ece, classwise_ece or top_label_ece.",
            )
    else:
        p = as_column(p, name)
    y = as_column(as_numbers(outcome, "outcome"), "outcome")
    w, keep = check_weights(weights, check_length(p, y, name, "outcome"))
    if only_binary(p[keep]) and not only_binary(y[keep]) and bool(np.all((y[keep] >= 0) & (y[keep] <= 1))):
        raise InputError(
            f"`{name}` holds only 0 and 1 and `outcome` does not: swapped?",
            hint="The order is (probabilities, outcomes).",
        )
    check_range(p, name, keep)
    if pair:
        check_sums(p, name, keep)
        p = p[:, 1]
    check_outcomes(y, keep)
    return Events(p[keep], y[keep].astype(np.intp), None if w is None else w[keep])


def check_choices(probs: ArrayLike, label: ArrayLike, weights: ArrayLike | None = None) -> Choices:
    """Check probabilities of several options and the index of the right one.

    Args:
        probs: shape (n, k), k at least 2; every row adds up to 1 within rounding.
        label: shape (n,) or (n, 1), whole numbers from 0 to k - 1.
        weights: shape (n,), not negative and not all zero; rows of weight 0 are left away.

    Raises:
        InputError: if the shapes do not fit, the arrays are empty, or hold no numbers.
        RowError: if a value is missing, out of range, or a row does not add up to 1.
    """
    if not looks_like_choices(probs):
        raise InputError(
            f"`probs` must have the shape (n, k) with a column per option, got {np.shape(probs)}.",
            hint="For yes/no probabilities of shape (n,) use the function for events, such as event_ece.",
        )
    p = as_numbers(probs, "probs")
    y = as_column(as_numbers(label, "label"), "label")
    w, keep = check_weights(weights, check_length(p, y, "probs", "label"))
    check_range(p, "probs", keep)
    check_sums(p, "probs", keep)
    top = p.shape[1] - 1
    with np.errstate(invalid="ignore"):
        bad = ~((y >= 0) & (y <= top) & (y == np.floor(y)))
    refuse(bad, y, "label", f"not the index of an option, 0 to {top}", keep, hint="Options are counted from 0.")
    return Choices(p[keep], y[keep].astype(np.intp), None if w is None else w[keep])


def cells_of(
    prob: NDArray[np.float64],
    outcome: NDArray[np.integer] | NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
    weighting: Weighting = "sampling",
) -> Cells:
    """Exact cells of checked arrays.

    Weights that are frequencies make every row stand for that many equal ones, so Σw takes the place of Σw².
    """
    check_option("weighting", weighting, ("sampling", "frequency"))
    cells = Cells.exact(prob, outcome.astype(np.intp), weights)
    if weighting == "sampling" or cells.weight is None:
        return cells
    return Cells.from_exact(cells.prob, cells.rows, np.repeat(cells.weight[:, :, :1], 2, axis=2))


def top_answers(probs: NDArray[np.float64]) -> TopAnswers:
    """The option with the largest probability of each row; of equal ones the first counts, and the row is marked.

    Example:
        >>> top = top_answers(np.array([[0.5, 0.5, 0.0], [0.1, 0.2, 0.7]]))
        >>> top.predicted.tolist(), top.tied.tolist()
        ([0, 2], [True, False])
    """
    predicted = probs.argmax(axis=1)
    confidence = probs[np.arange(predicted.size), predicted]
    return TopAnswers(confidence, predicted, (probs == confidence[:, None]).sum(axis=1) > 1)


def weighted_mean(values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
    """Σw·s / Σw."""
    return float(values.mean()) if weights is None else float(np.dot(values, weights) / weights.sum())
