"""`route`: from costs, or an error rate to be certified, to a policy; and policies judged on new rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from calibrant.errors import InputError, OptionError
from calibrant.intervals.wilson import check_level
from calibrant.routing.choosing import Chosen, Wish, as_json, choose_rule, nobody, pieces_of
from calibrant.routing.costs import Costs
from calibrant.routing.judging import Judged, judge_rule
from calibrant.routing.policy import Policy, SlicePolicy
from calibrant.routing.rules import Rule, outcome_of
from calibrant.tallies.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from calibrant.report.nodes import Report
    from calibrant.tallies.tally import Slice

__all__ = ["costs_of", "recheck_tally", "route", "route_tally"]


def route(
    data: Any,
    outcome: ArrayLike | None = None,
    *,
    cost_wrong: float | Mapping[str, float] | None = None,
    cost_review: float | None = None,
    review_accuracy: float | None = None,
    review_rows: int | None = None,
    capacity: float | None = None,
    max_error: float | None = None,
    confidence: float = 0.95,
    shared: bool = False,
    cut: str | None = None,
    today: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    lang: str = "en",
    **rows: Any,
) -> Policy:
    """Choose which answers to act on and which to hand to a person.

    Costs put the cut where acting costs more than asking, and rest on the probabilities being right; a certificate
    (`max_error`) holds whether they are or not. Given both, the policy is no wider than the certificate.

    Args:
        data: a tally, or what `tally` takes: arrays, a path, a data frame.
        outcome: 0 or 1 per row, or the index of the right option, when `data` is an array.
        cost_wrong: cost of acting on a wrong answer; by option where they differ. Of yes/no questions "yes" is the
            cost of a false alarm, "no" that of a miss; of a cut of levels, "low" and "high".
        cost_review: cost of a review by a person.
        review_accuracy: share of reviews that are right, measured on rows that were handed over; needed with costs.
        review_rows: rows that it was measured on; None takes it as exact.
        capacity: largest share of rows that can be reviewed.
        max_error: certify that at most this share of automated answers is wrong.
        confidence: confidence of the certificate.
        shared: share 1 − confidence among all slices instead of giving it to each.
        cut: for score questions: act on "at most this level" and on "above it".
        today: the rule in use now, "0.7" or "0.4-0.9", to compare with.
        level: confidence level of intervals.
        seed: seed of tests.
        lang: language of the report.
        **rows: further options of `tally`.

    Returns:
        A `Policy`: `print(it)`, `.decide(prob)`, `.to_json(path)`.

    Raises:
        InputError: if the data cannot be read.
        OptionError: if neither costs nor an error rate are given, or an option means nothing.

    Example:
        >>> import numpy as np
        >>> p = np.repeat([0.02, 0.2, 0.5, 0.8, 0.98], 200)
        >>> y = np.concatenate([np.repeat([1, 0], [k, 200 - k]) for k in (4, 40, 100, 160, 196)])
        >>> policy = route(p, y, cost_wrong=10, cost_review=1, review_accuracy=1.0)
        >>> policy.decide([0.02, 0.5, 0.98])
        ['no', 'person', 'yes']
    """
    # The package's own name for it: the room of the public functions stands above this one.
    from calibrant import tally as tally_of

    ready = data if isinstance(data, Tally) else tally_of(data, outcome, **rows)
    costs = costs_of(cost_wrong, cost_review, review_accuracy, review_rows, capacity)
    wish = Wish(costs, max_error, confidence, cut, seed)
    return route_tally(ready, wish, shared=shared, today=today, level=level, lang=lang)


def costs_of(
    wrong: float | Mapping[str, float] | None,
    review: float | None,
    accuracy: float | None,
    rows: int | None,
    capacity: float | None,
) -> Costs | None:
    """Costs from what was given; None when nothing was.

    Raises:
        OptionError: if a part is missing.
    """
    if wrong is None and review is None:
        if capacity is not None or accuracy is not None:
            raise OptionError(
                "Capacity and the reviewer's accuracy need costs.", hint="Add cost_wrong and cost_review."
            )
        return None
    if wrong is None or review is None:
        raise OptionError(
            "Costs need both cost_wrong and cost_review.", hint="For example --cost-wrong 10 --cost-review 1."
        )
    if accuracy is None:
        raise OptionError(
            "The reviewer's accuracy is missing; no reviewer is assumed to be perfect.",
            hint="Measure it on rows that were handed over: --review-accuracy 0.97 --review-rows 150.",
        )
    by_option = {} if isinstance(wrong, (int, float)) else {str(key): float(value) for key, value in wrong.items()}
    general = (
        float(wrong) if isinstance(wrong, (int, float)) else by_option.pop("", max(by_option.values(), default=0.0))
    )
    return Costs(general, by_option, review, accuracy, rows, capacity)


def route_tally(
    tally: Tally,
    wish: Wish,
    *,
    shared: bool = False,
    today: str | None = None,
    level: float = 0.95,
    lang: str = "en",
) -> Policy:
    """`route` for a tally and a wish that are ready."""
    from calibrant.routing.telling import policy_report

    level = check_level(level)
    if wish.costs is None and wish.max_error is None:
        raise OptionError(
            "Costs or an error rate decide where the cut goes; neither is given.",
            hint="Give --cost-wrong and --cost-review with --review-accuracy, or --max-error 0.05.",
        )
    usable = [part for part in tally.slices if part.n]
    if not usable:
        raise InputError("There is no row to choose a policy on.", hint="See why: calibrant check FILE")
    if shared:
        wish = replace(wish, confidence=1 - (1 - wish.confidence) / len(usable))
    judged = []
    for part in usable:
        chosen = choose_rule(part, wish)
        judged.append((part, chosen, judge_rule(part, chosen, wish.costs, today, level)))
    parts = tuple(_slice_policy(part, chosen, found) for part, chosen, found in judged)
    settings = _settings(wish, shared=shared, today=today, level=level)
    source = {"names": list(tally.source.names), "rows": tally.source.rows}
    report = policy_report(judged, tally.source, wish, seed=wish.seed, lang=lang)
    return Policy(parts, settings, source, report)


def _slice_policy(part: Slice, chosen: Chosen, found: Judged) -> SlicePolicy:
    evidence: dict[str, Any] = {
        "rows": part.n,
        "outcomes": {name: outcome._asdict() for name, outcome in found.outcomes.items()},
        "savings": {name: saved._asdict() for name, saved in found.savings.items()},
        "certificates": as_json(chosen.certificates),
        "aurc": found.coverage.aurc,
    }
    if chosen.doubt is not None:
        evidence["doubt"] = chosen.doubt.value
    refusal = None if chosen.doubt is None else chosen.doubt.code
    return SlicePolicy(dict(part.by), part.kind, part.options, chosen.rules, chosen.view, refusal, evidence)


def _settings(wish: Wish, *, shared: bool, today: str | None, level: float) -> dict[str, Any]:
    out: dict[str, Any] = {"max_error": wish.max_error, "confidence": wish.confidence, "shared": shared}
    out |= {"cut": wish.cut, "today": today, "level": level, "seed": wish.seed, "costs": None}
    if wish.costs is not None:
        costs = wish.costs
        out["costs"] = {
            "wrong": costs.wrong,
            "by_option": dict(costs.by_option),
            "review": costs.review,
            "review_accuracy": costs.review_accuracy,
            "review_rows": costs.review_rows,
            "capacity": costs.capacity,
        }
    return out


def recheck_tally(policy: Policy, tally: Tally, *, level: float = 0.95, lang: str = "en") -> Report:
    """A policy judged on rows that it was not made on.

    Raises:
        InputError: if a slice of the rows has no policy, or is of another kind.
    """
    from calibrant.routing.telling import recheck_report

    given = policy.settings.get("costs")
    costs = None if given is None else Costs(**given)
    found = []
    for part in tally.slices:
        if not part.n:
            continue
        own = policy.part(part.by)
        if own.kind != part.kind:
            raise InputError(f"The policy is for {own.kind} questions, the rows are {part.kind}.")
        rules: dict[str, Rule] = {"": nobody(own.view)} if own.refusal is not None else dict(own.rules)
        pieces = pieces_of(part, own.view, rules)
        outcome = outcome_of(pieces, costs, level=level, plain=part.clusters is None)
        found.append((part, own, outcome))
    if not found:
        raise InputError("There is no row to judge the policy on.")
    return recheck_report(found, tally.source, policy.settings, lang=lang)
