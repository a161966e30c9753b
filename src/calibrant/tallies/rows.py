"""Row scores: what every row adds to the moments of its slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.tallies.moments import Moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.predictions import Kind, Predictions

__all__ = ["MAX_OPTION_VIEWS", "SCORES", "RowScores", "class_score", "score_rows"]

MAX_OPTION_VIEWS = 20
"""Views and moments per option are kept up to this many options."""

SCORES: dict[Kind, tuple[str, ...]] = {
    "yes_no": ("prob", "outcome", "confidence", "right", "brier", "log"),
    "answer": ("confidence", "right", "brier", "log"),
    "choice": ("confidence", "right", "brier", "log"),
    "score": ("confidence", "right", "brier", "log", "rps", "level", "label"),
}
"""The scores whose sums and products are kept, by kind. Brier is (p − y)² for yes/no and answers and the sum over
options otherwise; `log` counts 0 where the log loss is infinite. Choices add `class:<option>` for each option."""


def class_score(option: str) -> str:
    """Name of the score that is 1 where the option is the right one; needed for standard errors of skill."""
    return f"class:{option}"


class RowScores(NamedTuple):
    """Scores of one block of rows.

    Attributes:
        by_name: each score, shape (n,).
        moments: their sums and products.
        infinite: bool, shape (n,): certain and wrong.
        confidence: shape (n,): the largest probability of the row.
        right: uint8, shape (n,): 1 where the top option was right.
        top: intp, shape (n,): index of the top option.
        tied: bool, shape (n,): several options share the largest probability.
    """

    by_name: dict[str, NDArray[np.float64]]
    moments: Moments
    infinite: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    right: NDArray[np.uint8]
    top: NDArray[np.intp]
    tied: NDArray[np.bool_]


def score_rows(block: Predictions) -> RowScores:
    """Score every row of a block.

    The top option of a yes/no question is "yes" from p = 0.5 on; of a choice it is the first of the options with the
    largest probability. Rows where several share it are marked.
    """
    if block.probs is not None and block.label is not None:
        return _score_choices(block, block.probs, block.label)
    assert block.prob is not None
    assert block.outcome is not None
    return _score_events(block, block.prob, block.outcome)


def _score_events(block: Predictions, p: NDArray[np.float64], y: NDArray[np.uint8]) -> RowScores:
    happened = y.astype(np.float64)
    log, infinite = _log_loss(np.where(y == 1, p, 1.0 - p))
    brier = np.square(p - happened)
    if block.kind == "answer":
        scores = {"confidence": p, "right": happened, "brier": brier, "log": log}
        nobody = np.zeros(p.size, dtype=bool)
        return RowScores(
            scores, Moments.of(scores, block.weight), infinite, p, y, np.zeros(p.size, dtype=np.intp), nobody
        )
    top = p >= 0.5
    confidence = np.where(top, p, 1.0 - p)
    right = (top == (y == 1)).astype(np.uint8)
    scores = {
        "prob": p,
        "outcome": happened,
        "confidence": confidence,
        "right": right.astype(np.float64),
        "brier": brier,
        "log": log,
    }
    moments = Moments.of(scores, block.weight)
    return RowScores(scores, moments, infinite, confidence, right, top.astype(np.intp), p == 0.5)


def _score_choices(block: Predictions, probs: NDArray[np.float64], label: NDArray[np.intp]) -> RowScores:
    rows = np.arange(label.size)
    p = np.nan_to_num(probs)
    top = p.argmax(axis=1)
    confidence = p[rows, top]
    right = (top == label).astype(np.uint8)
    of_label = p[rows, label]
    log, infinite = _log_loss(of_label)
    brier = np.einsum("ij,ij->i", p, p) - 2 * of_label + 1
    scores = {"confidence": confidence, "right": right.astype(np.float64), "brier": np.maximum(brier, 0.0), "log": log}
    if block.kind == "score":
        levels = np.arange(p.shape[1])
        below = np.cumsum(p, axis=1)[:, :-1] - (levels[:-1] >= label[:, None])
        scores |= {
            "rps": np.einsum("ij,ij->i", below, below),
            "level": p @ levels.astype(np.float64),
            "label": label.astype(np.float64),
        }
    if 0 < len(block.options) <= MAX_OPTION_VIEWS:
        scores |= {class_score(option): (label == place) * 1.0 for place, option in enumerate(block.options)}
    tied = np.count_nonzero(p == confidence[:, None], axis=1) > 1
    return RowScores(scores, Moments.of(scores, block.weight), infinite, confidence, right, top, tied)


def _log_loss(chance: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    infinite = chance <= 0
    return -np.log(np.where(infinite, 1.0, chance)), infinite
