"""Choosing the rule of one slice: from costs, from a certified error rate, or from both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from calibrant.errors import InputError
from calibrant.routing.certify import Certificate, certify
from calibrant.routing.costs import band, confidence_threshold
from calibrant.routing.doubts import Doubt, doubt_of
from calibrant.routing.rules import Piece, Rule

if TYPE_CHECKING:
    from calibrant.routing.costs import Costs
    from calibrant.tallies.cells import Cells
    from calibrant.tallies.tally import Slice

__all__ = ["Chosen", "Wish", "as_json", "choose_rule", "nobody", "pieces_of", "view_of_slice"]

NEVER = 2.0
"""A threshold that no probability reaches."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for.

    Attributes:
        costs: costs, or None.
        max_error: largest error rate to be certified, or None.
        confidence: confidence of the certificate; for several slices each has it, unless `shared`.
        cut: for score questions the level that is cut below or above, or None for the top level's confidence.
        seed: seed of tests.
    """

    costs: Costs | None = None
    max_error: float | None = None
    confidence: float = 0.95
    cut: str | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Chosen:
    """The rule of one slice.

    Attributes:
        view: the view that the rule acts on.
        rules: by option, "" for every other one.
        pieces: the rows under the rule.
        doubt: why there is no rule, or None.
        certificates: certificates by what they certify: "above", "below" or an option's name.
        tightened: True where capacity made acting more frequent than costs alone would.
    """

    view: str
    rules: dict[str, Rule]
    pieces: tuple[Piece, ...]
    doubt: Doubt | None
    certificates: dict[str, Certificate]
    tightened: bool = False


def view_of_slice(part: Slice, cut: str | None) -> str:
    """The view that a rule acts on.

    Raises:
        InputError: if there is no such cut.
    """
    if part.kind == "yes_no":
        return "event"
    if cut is None or part.kind != "score":
        return "top"
    if cut not in part.options[:-1]:
        levels = ", ".join(part.options[:-1])
        raise InputError(f"There is no cut above level {cut!r}.", hint=f"Levels to cut above: {levels}.")
    return f"cut:{part.options.index(cut)}"


def pieces_of(part: Slice, view: str, rules: dict[str, Rule]) -> tuple[Piece, ...]:
    """The rows of a slice under rules: one piece, or one for each option that has a rule of its own."""
    rest = rules.get("", Rule("policy", 0.0, NEVER, "top"))
    if view != "top":
        names = ("yes", "no") if view == "event" else ("low", "high")
        return (Piece(part.view(view), rest, *names),)
    apart = [option for option in rules if option]
    if not apart:
        return (Piece(part.view(view), rest, ""),)
    return tuple(
        Piece(part.view(f"top:{option}"), rules.get(option, rest), option)
        for option in part.options
        if f"top:{option}" in part.views and len(part.view(f"top:{option}"))
    )


def nobody(view: str) -> Rule:
    """The rule that hands everything to a person."""
    return Rule("policy", 0.0, NEVER, "top" if view == "top" else "both")


def choose_rule(part: Slice, wish: Wish) -> Chosen:
    """The rule for one slice, or the doubt that forbids one."""
    view = view_of_slice(part, wish.cut)
    cells = part.view(view)
    doubt = doubt_of(cells, calibrated=wish.costs is not None, seed=wish.seed)
    if wish.max_error is not None and doubt is None:
        doubt = _not_certifiable(part, cells)
    certificates: dict[str, Certificate] = {}
    if wish.max_error is not None and (doubt is None or (wish.costs is None and doubt.code in ORDERLESS)):
        certificates = _certificates(part, view, wish)
        everything = _covers_everything(certificates, part)
        if doubt is not None and everything:
            doubt = None  # without any order all answers together may still be certified
    if doubt is not None:
        rules = {"": nobody(view)}
        return Chosen(view, rules, pieces_of(part, view, rules), doubt, certificates)
    rules, tightened = _by_costs(part, view, wish.costs) if wish.costs is not None else ({"": _everyone(view)}, False)
    if wish.max_error is not None:
        rules = _within(rules, certificates, part, view)
    return Chosen(view, rules, pieces_of(part, view, rules), None, certificates, tightened)


ORDERLESS = ("no_order", "order_not_shown", "one_kind")


def _not_certifiable(part: Slice, cells: Cells) -> Doubt | None:
    if part.clusters is not None:
        return Doubt("clusters", float(cells.n))
    return Doubt("weights", float(cells.n)) if cells.is_weighted else None


def _everyone(view: str) -> Rule:
    return Rule("policy", 0.0, 0.0, "top") if view == "top" else Rule("policy", 0.5, 0.5, "both")


def _certificates(part: Slice, view: str, wish: Wish) -> dict[str, Certificate]:
    assert wish.max_error is not None
    delta = 1 - wish.confidence
    cells = part.view(view)
    if view == "top":
        return {"": certify(cells, max_error=wish.max_error, confidence=wish.confidence)}
    shared = 1 - delta / 2  # both sides together are wrong at most as often as stated
    return {
        "above": certify(cells, max_error=wish.max_error, confidence=shared, side="above"),
        "below": certify(cells, max_error=wish.max_error, confidence=shared, side="below"),
    }


def _covers_everything(certificates: dict[str, Certificate], part: Slice) -> bool:
    return any(found.accepted == part.n for found in certificates.values())


def _within(rules: dict[str, Rule], certificates: dict[str, Certificate], part: Slice, view: str) -> dict[str, Rule]:
    """The rules, no wider than what is certified."""
    if view == "top":
        found = certificates[""].threshold
        least = NEVER if found is None else found
        return {option: replace(rule, high=max(rule.high, least)) for option, rule in rules.items()}
    above, below = certificates["above"].threshold, certificates["below"].threshold
    rule = rules[""]
    high = NEVER if above is None else max(above, rule.high)
    low, inclusive = (0.0, False) if below is None else (below, part.view(view).is_exact)
    if rule.low < low or (rule.low == low and not rule.inclusive_low):
        low, inclusive = rule.low, rule.inclusive_low
    return {"": replace(rule, low=min(low, high), high=high, inclusive_low=inclusive)}


def _by_costs(part: Slice, view: str, costs: Costs) -> tuple[dict[str, Rule], bool]:
    """Where acting costs more than asking; with a capacity, asking costs as much more as keeps within it."""
    found = _rules(part, view, costs)
    if costs.capacity is None or _asked(part, view, found) <= costs.capacity:
        return found, False
    low, high = costs.review, max([costs.wrong, *costs.by_option.values()]) + costs.review
    for _ in range(60):
        middle = (low + high) / 2
        if _asked(part, view, _rules(part, view, replace(costs, review=middle))) <= costs.capacity:
            high = middle
        else:
            low = middle
    return _rules(part, view, replace(costs, review=high)), True


def _rules(part: Slice, view: str, costs: Costs) -> dict[str, Rule]:
    if view != "top":
        yes, no = ("yes", "no") if view == "event" else ("low", "high")
        cut = band(costs, yes=yes, no=no)
        return {"": Rule("policy", cut.low, cut.high, "both")}
    out = {"": Rule("policy", 0.0, confidence_threshold(costs, ""), "top")}
    for option in costs.by_option:
        if option not in part.options:
            raise InputError(
                f"A cost is given for {option!r}, which is no option here.",
                hint=f"Options: {', '.join(part.options[:20]) or 'not known'}.",
            )
        out[option] = Rule("policy", 0.0, confidence_threshold(costs, option), "top")
    return out


def _asked(part: Slice, view: str, rules: dict[str, Rule]) -> float:
    """Share of rows that go to a person."""
    asked = total = 0.0
    for piece in pieces_of(part, view, rules):
        weight = piece.cells.w.sum(axis=1)
        asked += float(weight[piece.rule.action(piece.cells.prob) == 2].sum())
        total += float(weight.sum())
    return asked / total if total else 0.0


def as_json(certificates: dict[str, Certificate]) -> dict[str, Any]:
    """Certificates as JSON knows them."""
    return {side or "act": found._asdict() for side, found in certificates.items()}
