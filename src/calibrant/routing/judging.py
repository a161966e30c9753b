"""A slice's policy beside its alternatives: route all, route none, today's rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.errors import OptionError
from calibrant.routing.choosing import nobody
from calibrant.routing.coverage import risk_coverage
from calibrant.routing.rules import Rule, outcome_of, savings_of

if TYPE_CHECKING:
    from calibrant.routing.choosing import Chosen
    from calibrant.routing.costs import Costs
    from calibrant.routing.coverage import Coverage
    from calibrant.routing.rules import Acts, Outcome, Savings
    from calibrant.tallies.tally import Slice

__all__ = ["Judged", "judge_rule", "rule_of_today"]


@dataclass(frozen=True, slots=True)
class Judged:
    """What the policy and its alternatives do to the rows.

    Attributes:
        outcomes: by rule: "policy", "person" (all to a person), "act" (all acted on), "today".
        savings: what the policy saves against each alternative; empty without costs.
        coverage: risk and coverage of the top answers.
    """

    outcomes: dict[str, Outcome]
    savings: dict[str, Savings]
    coverage: Coverage


def judge_rule(part: Slice, chosen: Chosen, costs: Costs | None, today: str | None, level: float) -> Judged:
    """Judge the chosen rule and its alternatives on the rows of a slice.

    A policy of costs was not fitted to these outcomes (only costs and probabilities put its cut where it is), so these
    very rows judge it fairly. A certified threshold did look at them, and has its certificate instead.
    """
    plain = part.clusters is None
    pieces = chosen.pieces
    acts: Acts = "top" if chosen.view == "top" else "both"
    middle = 0.0 if acts == "top" else _cut_of_acting(costs, chosen.view)
    rules = {"person": nobody(chosen.view), "act": Rule("act", middle, middle, acts)}
    if today is not None:
        rules["today"] = rule_of_today(today, chosen.view)
    outcomes = {"policy": outcome_of(pieces, costs, level=level, plain=plain)}
    savings = {}
    for name, rule in rules.items():
        others = [piece.under(rule) for piece in pieces]
        outcomes[name] = outcome_of(others, costs, level=level, plain=plain)
        if costs is not None:
            savings[name] = savings_of(pieces, others, costs, level=level, plain=plain)
    return Judged(outcomes, savings, risk_coverage(part.view("top"), level=level))


def _cut_of_acting(costs: Costs | None, view: str) -> float:
    """Where "yes" becomes the better act when nobody can be asked."""
    if costs is None:
        return 0.5
    yes, no = ("yes", "no") if view == "event" else ("low", "high")
    return costs.of(yes) / (costs.of(yes) + costs.of(no))


def rule_of_today(text: str, view: str) -> Rule:
    """A rule as it is written: "0.7" acts from there on, "0.4-0.9" asks a person between.

    Raises:
        OptionError: if it is no rule.

    Example:
        >>> rule_of_today("0.4-0.9", "event").low
        0.4
    """
    first, dash, second = text.partition("-")
    try:
        low = float(first)
        high = float(second) if dash else low
    except ValueError:
        low = high = -1.0
    if not 0 <= low <= high <= 1:
        raise OptionError(f"{text!r} is no rule.", hint="Write 0.7 (act from there on) or 0.4-0.9 (a person between).")
    if view == "top":
        return Rule("today", 0.0, high, "top")
    return Rule("today", low, high, "both")
