"""The verdict: one word for what the findings add up to, and what to do about it.

Precedence, first match wins:

1. *worse than guessing*: the whole interval of the skill lies below 0, or that of the Brier score above the uniform
   guess, and the order is not shown to carry information.
2. *right order, unusable numbers*: the same, but the order (AUC) is shown to carry information.
3. *hedging*: the upper limit of the skill is below the least skill that counts, and the Brier score is that of a
   uniform guess; *base-rate echo*: the same skill with the Brier score of the base rate. Neither if the order is
   shown to carry information (rare events have a small skill even when they are forecast well).
4. *overconfident*, *underconfident*: the signed confidence gap, unless for events it is less than three quarters of
   a gap in one direction (says minus happens); then the slope, if miscalibration is shown.
5. *right order, unusable numbers*: miscalibration or a gap in one direction is shown, in neither of the two shapes,
   and the order carries information; without that, over- or underconfident by what the estimates look like.
6. *honest*: equivalence, the upper limit of the calibration error is below the tolerance.
7. *cannot tell yet*, with the rows needed.

An expected calibration error decides nothing: it is never 0, and it has no sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.report.headline import headline
from calibrant.report.results import Verdict
from calibrant.verdict.case import Case
from calibrant.verdict.findings import Evidence, find
from calibrant.verdict.meaning import meaning
from calibrant.verdict.power import rows_to_tell
from calibrant.verdict.thresholds import default_thresholds
from calibrant.words import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibrant.measure.number import Number
    from calibrant.predictions import Kind
    from calibrant.report.results import Code, CurvePoint
    from calibrant.verdict.thresholds import Thresholds

__all__ = ["judge"]

ONE_SIDED = 0.75
"""A confidence gap below this share of the gap in one direction is a side effect of it. (Where all probabilities lie
on one side of one half, the two are equal: there being too sure and saying too much or too little are one thing.)"""


def judge(
    numbers: Mapping[str, Number],
    curve: Sequence[CurvePoint],
    kind: Kind,
    n: int,
    thresholds: Thresholds | None = None,
    *,
    lang: str = "en",
) -> Verdict:
    """Judge one slice.

    Args:
        numbers: the numbers, by name; whatever is absent counts as unknown.
        curve: ten equal-width bins of the event view (yes/no) or of the top view: the headline speaks from them.
        kind: kind of the questions.
        n: rows.
        thresholds: where numbers start to count; default `default_thresholds()`.
        lang: language of the sentences.

    Returns:
        The verdict with its sentence, advice and findings.

    Example:
        >>> judge({}, (), "answer", 0).code
        'cannot_tell'
    """
    bars = default_thresholds() if thresholds is None else thresholds
    found = find(numbers, kind, bars, lang=lang)
    case = Case(Evidence(numbers), found, kind, n, bars, lang)
    code, shape = _decide(case) if n else ("cannot_tell", "")
    rows = rows_to_tell(case) if code == "cannot_tell" else None
    return Verdict(
        code=code,
        sentence=headline(curve, numbers, kind, code, lang=lang),
        meaning=meaning(case, code, shape, rows),
        advice=sentence(f"advice.{code}", lang),
        findings=tuple(found.values()),
        rows_needed=rows,
    )


def _decide(case: Case) -> tuple[Code, str]:
    """The code, and for over- and underconfidence what shows it: "gap", "slope" or "bias"."""
    ordered = case.has("order")
    if case.has("below_base_rate", "above_uniform"):
        return ("right_order_unusable_numbers", "") if ordered else ("worse_than_guessing", "")
    if not ordered:
        if case.has("near_uniform") and (case.has("no_skill") or case.seen.high("brier_skill") is None):
            return "hedging", ""
        if case.has("no_skill"):
            return "base_rate_echo", ""
    directed = _direction(case)
    if directed is not None:
        return directed
    return ("honest", "") if case.has("within_tolerance") else ("cannot_tell", "")


def _direction(case: Case) -> tuple[Code, str] | None:
    """Which way the probabilities are off; None if they are not shown to be."""
    gap, bias = case.seen.value("confidence_gap"), case.seen.value("bias")
    one_sided = case.events and gap is not None and bias is not None and abs(gap) < ONE_SIDED * abs(bias)
    if not one_sided and case.has("overconfident"):
        return "overconfident", "gap"
    if not one_sided and case.has("underconfident"):
        return "underconfident", "gap"
    biased = case.has("says_too_high", "says_too_low")
    if not biased and not case.has("miscalibrated"):
        return None
    if not biased and case.has("too_extreme"):
        return "overconfident", "slope"
    if not biased and case.has("too_flat"):
        return "underconfident", "slope"
    if case.has("order"):
        return "right_order_unusable_numbers", ""
    if biased:
        return ("overconfident" if case.has("says_too_high") else "underconfident"), "bias"
    # Neither direction, slope nor order is shown: the estimates say which of the two it is more like.
    flat = (case.seen.value("slope") or 0.0) > 1 or (gap or 0.0) < 0
    return ("underconfident" if flat else "overconfident"), "slope"
