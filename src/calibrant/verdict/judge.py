"""The verdict: one word for what the findings add up to, and what to do about it.

Precedence, first match wins:

1. *worse than guessing*: the whole interval of the Brier score lies above the uniform guess; or that of the skill lies
   below 0 and no signed gap explains it, or the order is shown to be upside down. If instead the order (AUC) is shown
   to carry information: *right order, unusable numbers*.
2. *hedging*: the upper limit of the skill is below the least skill that counts, the Brier score is that of a uniform
   guess, and the confidence stays near that guess too. (Rare events have a small skill even when they are forecast
   well: neither this nor 4 if the order is shown to carry information.)
3. *overconfident*, *underconfident*: the signed confidence gap, unless for events it is less than three quarters of
   a gap in one direction (says minus happens).
4. *base-rate echo*: the upper limit of the skill is below the least skill that counts.
5. *overconfident*, *underconfident* by the slope, where miscalibration is shown.
6. *right order, unusable numbers*: miscalibration or a gap in one direction is shown, in neither of the two shapes,
   and the order carries information; without that, over- or underconfident by what the estimates look like.
7. *honest*: equivalence, the upper limit of the calibration error is below the tolerance.
8. *cannot tell yet*, with the rows needed.

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
    gap = case.has("overconfident", "underconfident", "says_too_high", "says_too_low")
    below = case.has("below_base_rate")
    if case.has("above_uniform") or (below and (ordered or not gap or case.has("upside_down"))):
        return ("right_order_unusable_numbers", "") if ordered else ("worse_than_guessing", "")
    if not ordered and _hedges(case):
        return "hedging", ""
    one_sided = _one_sided(case)
    if not one_sided and case.has("overconfident"):
        return "overconfident", "gap"
    if not one_sided and case.has("underconfident"):
        return "underconfident", "gap"
    if not ordered and case.has("no_skill"):
        return "base_rate_echo", ""
    if gap or case.has("miscalibrated"):
        return _otherwise_off(case)
    return ("honest", "") if case.has("within_tolerance") else ("cannot_tell", "")


def _hedges(case: Case) -> bool:
    if not case.has("near_uniform") or not (case.has("no_skill", "below_base_rate") or not case.knows_skill):
        return False
    # Much confidence with the score of a guess is no hedging: that is being too sure.
    confidence, guess = case.seen.value("mean_confidence"), case.uniform_confidence
    bold = confidence is not None and guess is not None and confidence > guess + case.bars.hedge_confidence
    return not (bold and case.has("overconfident"))


def _one_sided(case: Case) -> bool:
    gap, bias = case.seen.value("confidence_gap"), case.seen.value("bias")
    return case.events and gap is not None and bias is not None and abs(gap) < ONE_SIDED * abs(bias)


def _otherwise_off(case: Case) -> tuple[Code, str]:
    """Miscalibrated, but not by a plain confidence gap."""
    biased = case.has("says_too_high", "says_too_low")
    if not biased and case.has("too_extreme"):
        return "overconfident", "slope"
    if not biased and case.has("too_flat"):
        return "underconfident", "slope"
    if case.has("order"):
        return "right_order_unusable_numbers", ""
    if biased:
        return ("overconfident" if case.has("says_too_high") else "underconfident"), "bias"
    # Neither direction, slope nor order is shown: the estimates say which of the two it is more like.
    flat = (case.seen.value("slope") or 0.0) > 1 or (case.seen.value("confidence_gap") or 0.0) < 0
    return ("underconfident" if flat else "overconfident"), "slope"
