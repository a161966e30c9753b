"""Rules: what is done at each probability, and what that costs and lets through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy.special import stdtrit

from calibrant.intervals.means import betting_interval
from calibrant.intervals.wilson import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from calibrant.routing.costs import Costs
    from calibrant.tallies.cells import Cells

__all__ = ["Acts", "Outcome", "Piece", "Rule", "Savings", "outcome_of", "savings_of"]

NO, YES, PERSON = 0, 1, 2
Acts = Literal["both", "top"]

LEAST_CARRYING = 20


@dataclass(frozen=True, slots=True)
class Rule:
    """Who decides at which probability.

    Attributes:
        name: what it is called in tables.
        low: below it the answer is "no"; with `acts` "top" there is no such side, and `low` is 0.
        high: from it on the answer is "yes" (or the top answer). Between both a person decides.
        acts: "both" for probabilities of an event, "top" for confidences in an answer.
        inclusive_low: whether `low` itself still belongs to "no".
    """

    name: str
    low: float
    high: float
    acts: Acts
    inclusive_low: bool = False

    def action(self, prob: NDArray[np.float64]) -> NDArray[np.intp]:
        """0 for no, 1 for yes (or the top answer), 2 for a person."""
        below = (prob <= self.low) if self.inclusive_low else (prob < self.low)
        out = np.where(prob >= self.high, YES, PERSON)
        return np.where(below & (prob < self.high), NO, out) if self.acts == "both" else out


class Outcome(NamedTuple):
    """What a rule does to rows.

    Attributes:
        rows: rows in all.
        automated: share that is acted on without a person.
        acted: rows acted on.
        expected: mistakes among those, as the probabilities themselves expect.
        seen: mistakes among those that happened.
        risk: seen mistakes as a share of the rows acted on; None when there are none.
        low: lower limit of that share (Wilson), or None.
        high: upper limit.
        cost: mean cost per 1,000 rows, or None without costs.
        cost_low: lower limit, or None.
        cost_high: upper limit, or None.
    """

    rows: int
    automated: float
    acted: int
    expected: float
    seen: float
    risk: float | None
    low: float | None
    high: float | None
    cost: float | None
    cost_low: float | None
    cost_high: float | None


class Savings(NamedTuple):
    """What one rule saves against another on the same rows, per 1,000.

    Attributes:
        value: mean saving; below 0 it costs more.
        low: lower limit, or None.
        high: upper limit, or None.
        method: "t" or "betting (conservative)", or None.
    """

    value: float
    low: float | None
    high: float | None
    method: str | None


class Piece(NamedTuple):
    """Rows of one view with the rule for them.

    Attributes:
        cells: the view.
        rule: the rule.
        yes: what acting "yes" (or with the top answer) is called in the costs.
        no: what acting "no" is called.
    """

    cells: Cells
    rule: Rule
    yes: str = "yes"
    no: str = "no"

    def under(self, rule: Rule) -> Piece:
        """The same rows under another rule."""
        return self._replace(rule=rule)


def outcome_of(
    pieces: Sequence[Piece], costs: Costs | None = None, *, level: float = 0.95, plain: bool = True
) -> Outcome:
    """The outcome of rules on the rows of one slice.

    Args:
        pieces: the rows, view by view, with their rules.
        costs: costs, or None to count mistakes only.
        level: confidence level.
        plain: False where rows come in clusters: then there are no intervals.
    """
    rows = acted_rows = 0
    total = acted = square = expected = seen = 0.0
    for piece in pieces:
        action, w = piece.rule.action(piece.cells.prob), piece.cells.w
        acts = action != PERSON
        rows, acted_rows = rows + piece.cells.n, acted_rows + int(piece.cells.rows[acts].sum())
        total, acted = total + float(w.sum()), acted + float(w[acts].sum())
        square += float(piece.cells.v[acts].sum())
        seen += float((w * _mistakes(action)).sum())
        chance = np.where(action == YES, 1 - piece.cells.prob, np.where(action == NO, piece.cells.prob, 0.0))
        expected += float((w.sum(axis=1) * chance).sum())
    risk = seen / acted if acted else None
    low = high = None
    if risk is not None and plain:
        low, high = (float(limit) for limit in wilson(risk, acted**2 / square, level))
    cost = None if costs is None else _mean_cost(pieces, None, costs, level, plain=plain)
    of_cost = (None, None, None) if cost is None else (cost.value, cost.low, cost.high)
    return Outcome(rows, acted / total, acted_rows, expected, seen, risk, low, high, *of_cost)


def savings_of(
    pieces: Sequence[Piece], others: Sequence[Piece], costs: Costs, *, level: float = 0.95, plain: bool = True
) -> Savings:
    """What one rule saves against another, row by row on the same rows, per 1,000 rows.

    The interval is a paired t interval where the variance rests on at least 20 rows, else a betting
    interval, which holds for any number; the reviewer's measured accuracy adds its own uncertainty.
    """
    return _mean_cost(others, pieces, costs, level, plain=plain)


def _mistakes(action: NDArray[np.intp]) -> NDArray[np.float64]:
    """1 where acting so is a mistake, by outcome; shape (m, 2)."""
    return np.stack([action == YES, action == NO], axis=1).astype(np.float64)


def _row_costs(piece: Piece, costs: Costs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cost of each cell and outcome, and its slope in the reviewer's error rate; shape (m, 2)."""
    action = piece.rule.action(piece.cells.prob)
    c_yes, c_no = costs.of(piece.yes), costs.of(piece.no)
    mistake = _mistakes(action) * np.array([c_yes, c_no])
    # A reviewer who is wrong does what should not have been done; of a top answer either outcome costs as much.
    blunder = np.array([c_yes, c_no]) if piece.rule.acts == "both" else np.array([c_yes, c_yes])
    asked = (action == PERSON)[:, None]
    return mistake + asked * (costs.review + costs.review_error * blunder), asked * blunder


def _mean_cost(
    pieces: Sequence[Piece], minus: Sequence[Piece] | None, costs: Costs, level: float, *, plain: bool
) -> Savings:
    parts = [_row_costs(piece, costs) for piece in pieces]
    if minus is not None:
        others = [_row_costs(piece, costs) for piece in minus]
        parts = [(a - b, s - t) for (a, s), (b, t) in zip(parts, others, strict=True)]
    cost, slope = (np.concatenate([part[k].reshape(-1) for part in parts]) for k in (0, 1))
    w = np.concatenate([piece.cells.w.reshape(-1) for piece in pieces])
    v = np.concatenate([piece.cells.v.reshape(-1) for piece in pieces])
    rows = np.concatenate([piece.cells.rows.reshape(-1) for piece in pieces]).astype(np.float64)
    total = float(w.sum())
    mean = float(w @ cost) / total
    if not plain:
        return Savings(1000 * mean, None, None, None)
    n = total**2 / float(v.sum())
    variance = float(v @ (cost - mean) ** 2) / total**2 * (n / (n - 1) if n > 1 else float("nan"))
    of_reviewer = (float(w @ slope) / total) ** 2 * costs.review_variance
    quantile = float(stdtrit(max(n - 1, 1.0), 0.5 + level / 2))
    # (Σd²)²/Σd⁴ is how many rows the variance really rests on: about m when m rare rows make it up.
    square = (cost - mean) ** 2
    carrying = float(rows @ square) ** 2 / max(float(rows @ square**2), 1e-300)
    some = rows > 0
    least, most = float(cost[some].min()), float(cost[some].max())
    if carrying >= LEAST_CARRYING or most - least <= 1e-12 * max(abs(most), 1.0):
        half = quantile * float(np.sqrt(variance + of_reviewer))
        return Savings(1000 * mean, 1000 * (mean - half), 1000 * (mean + half), "t")
    if any(piece.cells.is_weighted for piece in pieces):
        return Savings(1000 * mean, None, None, None)
    bounded = betting_interval(cost[some] - least, rows[some], most - least, level)
    assert bounded.low is not None
    assert bounded.high is not None
    extra = quantile * float(np.sqrt(of_reviewer))
    limits = 1000 * (bounded.low + least - extra), 1000 * (bounded.high + least + extra)
    return Savings(1000 * mean, *limits, "betting (conservative)")
