"""Joining models on their items: the rows answered by all, and the count of those that were not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.comparison.rows import check_items
from calibrant.errors import InputError
from calibrant.scores.brier import uniform_brier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from calibrant.comparison.rows import Answers
    from calibrant.predictions import Predictions

__all__ = ["Joined", "join", "own_figures"]


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Rows answered by all models, in one order.

    Attributes:
        names: the models.
        blocks: their predictions of these rows.
        items: the item of each row.
        weight: weight of each row, or None.
        cluster: cluster of each row, or None.
        answered: items that each model answered.
        all_items: items that any model answered.
        different_outcomes: items left out because the models' files give different outcomes.
    """

    names: tuple[str, ...]
    blocks: tuple[Predictions, ...]
    items: NDArray[Any]
    weight: NDArray[np.float64] | None
    cluster: NDArray[Any] | None
    answered: tuple[int, ...]
    all_items: int
    different_outcomes: int


def join(answers: Sequence[Answers]) -> Joined:
    """Join models on their items.

    Raises:
        InputError: if the models answered different kinds of questions.
        ColumnError: if a model has an item twice.
    """
    first = answers[0]
    for other in answers[1:]:
        mine, theirs = (part.block for part in (first, other))
        if mine.kind != theirs.kind or mine.options != theirs.options:
            raise InputError(
                f"{first.name} and {other.name} answer different questions: {_told(mine)} and {_told(theirs)}.",
                hint="Compare models on the same kind of questions with the same options.",
            )
    same = all(np.array_equal(first.items, other.items) for other in answers[1:])
    for one in answers[:1] if same else answers:
        check_items(one)
    if same:
        rows = [np.arange(len(first))] * len(answers)
        union = len(first)
    else:
        places = [dict(zip(one.items.tolist(), range(len(one)), strict=True)) for one in answers]
        common = [item for item in first.items.tolist() if all(item in place for place in places[1:])]
        rows = [np.array([place[item] for item in common], dtype=np.intp) for place in places]
        union = len(set().union(*places))
    blocks = [one.block.take(part) for one, part in zip(answers, rows, strict=True)]
    agreed = _agree(blocks)
    kept = np.flatnonzero(agreed)
    base = rows[0][kept]
    return Joined(
        tuple(one.name for one in answers),
        tuple(block.take(kept) for block in blocks),
        first.items[base],
        None if first.block.weight is None else first.block.weight[base],
        None if first.cluster is None else first.cluster[base],
        tuple(len(one) for one in answers),
        union,
        int(agreed.size - kept.size),
    )


def _told(block: Predictions) -> str:
    return f"{block.kind} ({', '.join(block.options[:6])})" if block.options else block.kind


def _agree(blocks: Sequence[Predictions]) -> NDArray[np.bool_]:
    """Rows where all files give one outcome; right and wrong of stated answers may differ, as answers do."""
    first = blocks[0]
    out = np.ones(len(first), dtype=bool)
    for other in blocks[1:]:
        if first.kind == "yes_no" and first.outcome is not None and other.outcome is not None:
            out &= first.outcome == other.outcome
        elif first.label is not None and other.label is not None:
            out &= first.label == other.label
    return out


def own_figures(answers: Answers, all_items: int) -> dict[str, float | int | None]:
    """Brier score on the model's own items, and with the items that it did not answer scored as uniform guesses."""
    from calibrant.tallies.rows import score_rows

    block = answers.block
    brier = score_rows(block).by_name["brier"]
    weight = np.ones(len(block)) if block.weight is None else block.weight
    own = float(np.average(brier, weights=weight)) if len(block) else None
    filled: float | None = None
    if block.kind != "answer" and block.weight is None:
        options = len(block.options) or (block.probs.shape[1] if block.probs is not None else 2)
        ragged = block.probs is not None and bool(np.isnan(block.probs).any())
        if not ragged:
            guess = 0.25 if block.kind == "yes_no" else float(uniform_brier(options))
            filled = (float(brier.sum()) + (all_items - len(block)) * guess) / all_items
    return {"items": len(block), "left_out": answers.left_out, "brier": own, "brier_failures_as_uniform": filled}
