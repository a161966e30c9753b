"""The log loss, which is infinite when a forecast was certain and wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.arrays import check_choices, check_events, looks_like_choices, weighted_mean
from calibrant.errors import OptionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LogLoss", "log_loss", "log_loss_of_happened", "log_rows"]


class LogLoss(NamedTuple):
    """Mean log loss, the number of rows whose loss is infinite, and the mean over the other rows.

    Attributes:
        value: the mean over all rows; inf as soon as one row is infinite.
        infinite_rows: rows that gave what happened the probability 0.
        finite_mean: the mean over the rows with a finite loss; nan when there is none.
    """

    value: float
    infinite_rows: int
    finite_mean: float


def log_rows(happened: NDArray[np.float64]) -> NDArray[np.float64]:
    """−ln of the probability that was given to what happened; inf where that is 0."""
    with np.errstate(divide="ignore"):
        return -np.log(happened) + 0.0


def log_loss_of_happened(
    happened: NDArray[np.float64], weights: NDArray[np.float64] | None = None, floor: float | None = None
) -> LogLoss:
    """Mean log loss from the probability that each row gave to what happened."""
    if floor is not None:
        happened = np.maximum(happened, floor)
    loss = log_rows(happened)
    finite = np.isfinite(loss)
    rows = int(loss.size - np.count_nonzero(finite))
    some = finite.any()
    mean = weighted_mean(loss[finite], None if weights is None else weights[finite]) if some else float("nan")
    return LogLoss(mean if rows == 0 else float("inf"), rows, mean)


def log_loss(
    prob: ArrayLike, outcome: ArrayLike, *, floor: float | None = None, weights: ArrayLike | None = None
) -> float:
    """How surprised the forecaster is by what happened, in nats: lower is better, from 0 to infinity.

    (1/n) Σ −ln(probability given to what happened). It is infinite as soon as one row gave 0 to what happened: that
    is the honest value, and nothing is clipped unless `floor` says so.

    Args:
        prob: probabilities of the event, shape (n,); or of every option, shape (n, k).
        outcome: 0 or 1, shape (n,); or the index of the right option.
        floor: count a smaller probability of what happened as this one, such as 1e-6; None changes nothing.
        weights: how much each row counts, shape (n,).

    Returns:
        The mean loss, or inf.

    Raises:
        InputError: if shapes do not fit or a value is refused.
        OptionError: if `floor` is not above 0 and at most 0.5.

    Example:
        >>> round(log_loss([0.001, 0.7, 0.6, 0.2, 0.3], [1, 1, 1, 0, 0]), 6)
        1.671015
        >>> log_loss([0.0, 0.2], [1, 0])
        inf

    Source: Good (1952), Journal of the Royal Statistical Society B 14.
    """
    _check_floor(floor)
    if looks_like_choices(prob):
        probs, label, w = check_choices(prob, outcome, weights)
        return log_loss_of_happened(probs[np.arange(label.size), label], w, floor).value
    p, y, w = check_events(prob, outcome, weights)
    return log_loss_of_happened(np.where(y == 1, p, 1.0 - p), w, floor).value


def _check_floor(floor: object) -> None:
    if floor is None or (isinstance(floor, (int, float, np.floating)) and 0 < floor <= 0.5):
        return
    raise OptionError(f"`floor` must be above 0 and at most 0.5, got {floor!r}.", hint="For example floor=1e-6.")
