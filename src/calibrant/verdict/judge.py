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
5. *right order, unusable numbers*: miscalibration or a gap in one direction is shown, in neither of the two shapes.
6. *honest*: equivalence, the upper limit of the calibration error is below the tolerance.
7. *cannot tell yet*, with the rows needed.

An expected calibration error decides nothing: it is never 0, and it has no sign.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from calibrant.report.headline import headline
from calibrant.report.nodes import Verdict
from calibrant.verdict.findings import Evidence, find, overall_stated
from calibrant.verdict.thresholds import default_thresholds
from calibrant.words import sentence
from calibrant.words.format import count, percent, points

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibrant.measure.number import Number
    from calibrant.predictions import Kind
    from calibrant.report.nodes import Code, CurvePoint, Finding
    from calibrant.verdict.thresholds import Thresholds

__all__ = ["judge", "rows_needed"]

ONE_SIDED = 0.75
"""A confidence gap below this share of the gap in one direction is a side effect of it. (Where all probabilities lie
on one side of one half, the two are equal: there being too sure and saying too much or too little are one thing.)"""


def rows_needed(p: float, gap: float, *, factor: float = 7.85) -> int:
    """Rows that tell a gap from none in 80% of trials, at the 5% level: factor · p(1−p) / gap².

    Args:
        p: share that is right (or that happens).
        gap: gap to tell from none.
        factor: (1.96 + 0.842)² for a power of 80%.

    Example:
        >>> rows_needed(0.84, 0.05)
        422
    """
    return max(1, round(factor * p * (1 - p) / gap**2))


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
    seen = Evidence(numbers)
    found = find(numbers, kind, bars, lang=lang)
    code, shape = _decide(seen, found, kind)
    rows = _rows_needed(seen, kind, n, bars) if code == "cannot_tell" else None
    return Verdict(
        code=code,
        sentence=headline(curve, numbers, kind, code, lang=lang) if n else sentence("headline.empty", lang),
        meaning=_meaning(code, shape, seen, found, kind, n, rows, bars, lang),
        advice=sentence(f"advice.{code}", lang),
        findings=tuple(found.values()),
        rows_needed=rows,
    )


def _decide(seen: Evidence, found: Mapping[str, Finding], kind: Kind) -> tuple[Code, str]:
    """The code, and for over- and underconfidence what shows it: "gap", "slope" or "bias"."""
    ordered = "order" in found
    if "below_base_rate" in found or "above_uniform" in found:
        return ("right_order_unusable_numbers", "") if ordered else ("worse_than_guessing", "")
    if not ordered:
        uninformed = "no_skill" in found
        if "near_uniform" in found and (uninformed or seen.high("brier_skill") is None):
            return "hedging", ""
        if uninformed:
            return "base_rate_echo", ""
    gap, bias = seen.value("confidence_gap"), seen.value("bias")
    one_sided = kind == "yes_no" and gap is not None and bias is not None and abs(gap) < ONE_SIDED * abs(bias)
    if not one_sided:
        if "overconfident" in found:
            return "overconfident", "gap"
        if "underconfident" in found:
            return "underconfident", "gap"
    miscalibrated = "miscalibrated" in found
    biased = "says_too_high" in found or "says_too_low" in found
    if miscalibrated and not biased:
        if "too_extreme" in found:
            return "overconfident", "slope"
        if "too_flat" in found:
            return "underconfident", "slope"
    if (miscalibrated or biased) and ordered:
        return "right_order_unusable_numbers", ""
    if biased:
        return ("overconfident" if "says_too_high" in found else "underconfident"), "bias"
    return ("honest", "") if "within_tolerance" in found else ("cannot_tell", "")


def _rows_needed(seen: Evidence, kind: Kind, n: int, bars: Thresholds) -> int | None:
    """About how many rows would tell; None where even that is unknown."""
    rows = _gap_shows_by(seen, kind, bars)
    if n == 0 or rows == float("inf"):
        return None
    high = seen.high("debiased_l2")
    if rows <= n and high is not None:
        # The gap would show by now, so what is open is honesty: that limit shrinks with the root of the rows.
        tolerance = bars.tolerance_for(seen.value("base_rate") if kind == "yes_no" else None)
        rows = _two_digits(n * max(high / tolerance, 1.0) ** 2)
    return max(int(rows), n + 1)


def _two_digits(rows: float) -> int:
    """A rough count as such: two digits that count, rounded up."""
    step = 10.0 ** max(0, math.floor(math.log10(rows)) - 1)
    return math.ceil(rows / step) * int(step)


def _gap_shows_by(seen: Evidence, kind: Kind, bars: Thresholds) -> float:
    """Rows by which a gap of the size in question shows; infinite where no share is known."""
    names = ("accuracy", "base_rate") if kind == "yes_no" else ("accuracy", "mean_confidence")
    p = next((value for value in map(seen.value, names) if value is not None), None)
    if p is None:
        return float("inf")
    tolerance = bars.tolerance_for(seen.value("base_rate") if kind == "yes_no" else None)
    # With one class seen so far the share is no guide to its spread: suppose that one in a hundred differs.
    return rows_needed(min(max(p, 0.01), 0.99), _gap_in_question(seen, tolerance), factor=bars.power_factor)


def _gap_in_question(seen: Evidence, tolerance: float) -> float:
    gap = seen.value("confidence_gap")
    return tolerance if gap is None else max(abs(gap), tolerance)


def _meaning(
    code: Code,
    shape: str,
    seen: Evidence,
    found: Mapping[str, Finding],
    kind: Kind,
    n: int,
    rows: int | None,
    bars: Thresholds,
    lang: str,
) -> str:
    tolerance = bars.tolerance_for(seen.value("base_rate") if kind == "yes_no" else None)
    base_rate = seen.value("base_rate" if kind == "yes_no" else "accuracy")
    if code in ("overconfident", "underconfident"):
        if shape == "gap":
            return sentence(f"verdict.{code}", lang, gap=points(seen.value("confidence_gap") or 0.0, lang))
        stated = overall_stated(seen, kind, lang)
        if shape == "bias" and stated:
            return sentence(f"verdict.{code}.bias", lang, **stated)
        return sentence(f"verdict.{code}.slope", lang)
    if code == "honest":
        return sentence("verdict.honest", lang, tolerance=points(tolerance, lang))
    if code == "base_rate_echo":
        shown = sentence("format.none", lang) if base_rate is None else percent(base_rate, lang)
        return sentence("verdict.base_rate_echo", lang, base_rate=shown)
    if code == "worse_than_guessing":
        return sentence("verdict.worse_than_guessing", lang, reference=_reference(found, base_rate, lang))
    if code == "cannot_tell":
        if n == 0:
            return sentence("verdict.cannot_tell.empty", lang)
        if rows is None:
            return sentence("verdict.cannot_tell", lang, n=count(n, lang))
        error = seen.high("debiased_l2")
        if error is not None and _gap_shows_by(seen, kind, bars) <= n:
            return sentence(
                "verdict.cannot_tell.close",
                lang,
                n=count(n, lang),
                error=points(error, lang),
                rows=count(rows, lang),
                tolerance=points(tolerance, lang),
            )
        gap = points(_gap_in_question(seen, tolerance), lang)
        return sentence("verdict.cannot_tell.rows", lang, n=count(n, lang), gap=gap, rows=count(rows, lang))
    biased = "says_too_high" in found or "says_too_low" in found
    stated = overall_stated(seen, kind, lang) if biased else {}
    if code == "right_order_unusable_numbers" and stated:
        return sentence("verdict.right_order_unusable_numbers.bias", lang, **stated)
    return sentence(f"verdict.{code}", lang)


def _reference(found: Mapping[str, Finding], base_rate: float | None, lang: str) -> str:
    if "above_uniform" in found:
        return sentence("reference.uniform", lang)
    if base_rate is None:
        return sentence("reference.base_rate_plain", lang)
    return sentence("reference.base_rate", lang, base_rate=percent(base_rate, lang))
