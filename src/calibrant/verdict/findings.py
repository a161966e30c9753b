"""Facts that can be read from the numbers, each by the interval limit that could refute it."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

from calibrant.report.results import Finding
from calibrant.words import sentence
from calibrant.words.format import count, decimal, p_value, points, points_range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant.measure.number import Number
    from calibrant.predictions import Kind
    from calibrant.verdict.thresholds import Thresholds

__all__ = ["Evidence", "find"]

ALPHA = 0.05
ROUNDING = 1e-9
"""A constant forecaster ties with the base rate exactly; rounding must not turn that into a defeat."""


class Evidence:
    """The numbers of one slice, asked by name; whatever is absent or not a number counts as unknown.

    Args:
        numbers: the numbers, by name.
    """

    def __init__(self, numbers: Mapping[str, Number]) -> None:
        self.numbers = numbers

    def value(self, name: str) -> float | None:
        """The value, or None."""
        number = self.numbers.get(name)
        return None if number is None else _finite(number.value)

    def low(self, name: str) -> float | None:
        """Lower limit of the interval, or None."""
        number = self.numbers.get(name)
        return None if number is None else _finite(number.low)

    def high(self, name: str) -> float | None:
        """Upper limit of the interval, or None."""
        number = self.numbers.get(name)
        return None if number is None else _finite(number.high)

    def above(self, name: str, bar: float) -> bool:
        """True if the whole interval lies above the bar."""
        low = self.low(name)
        return low is not None and low > bar

    def below(self, name: str, bar: float) -> bool:
        """True if the whole interval lies below the bar."""
        high = self.high(name)
        return high is not None and high < bar


def _finite(value: float | None) -> float | None:
    return value if value is not None and abs(value) < float("inf") else None


def find(numbers: Mapping[str, Number], kind: Kind, thresholds: Thresholds, *, lang: str = "en") -> dict[str, Finding]:
    """Every finding that the numbers support, by its code.

    Each rests on a limit of an interval, never on a bare value, and none on an ECE. A signed gap counts when its
    interval excludes 0 and its size exceeds the tolerance; events have two such gaps, whose intervals are widened so
    that the two together raise a false alarm as seldom as one. "within_tolerance" is equivalence: the upper limit of
    the root of the debiased square lies below the tolerance.

    Args:
        numbers: the numbers of the slice, by name.
        kind: kind of the questions.
        thresholds: where numbers start to count.
        lang: language.
    """
    seen = Evidence(numbers)
    # Only events are rare in this sense: for answers the "rate" is the accuracy, which should be close to 1.
    tolerance = thresholds.tolerance_for(seen.value("base_rate") if kind == "yes_no" else None)
    found = [
        *_gaps(seen, tolerance, lang),
        *_errors(seen, tolerance, lang),
        *_information(seen, thresholds, lang),
    ]
    test = seen.value("calibration_test")
    if test is not None and test < ALPHA:
        text = sentence("finding.test_rejects", lang, p=p_value(test, lang))
        found.append(Finding("test_rejects", text, ("calibration_test",)))
    log_loss = numbers.get("log_loss")
    certain = log_loss.extra.get("infinite_rows") if log_loss is not None else None
    if isinstance(certain, int) and certain > 0:
        text = sentence("finding.certain_and_wrong", lang, rows=count(certain, lang))
        found.append(Finding("certain_and_wrong", text, ("log_loss",)))
    return {finding.code: finding for finding in found}


_GAPS = (("confidence_gap", "overconfident", "underconfident"), ("bias", "says_too_high", "says_too_low"))


def _gaps(seen: Evidence, tolerance: float, lang: str) -> list[Finding]:
    found = []
    # Events have two signed gaps, either of which could raise a false alarm: the two share the error rate.
    family = sum(name in seen.numbers for name, _, _ in _GAPS)
    for name, over, under in _GAPS:
        gap, low, high = seen.value(name), seen.low(name), seen.high(name)
        if gap is None or low is None or high is None or abs(gap) <= tolerance:
            continue
        level = seen.numbers[name].level
        if not _excludes_zero(gap, low, high, widened=_widening(level, family)):
            continue
        code, limits = (over, (low, high)) if gap > 0 else (under, (-high, -low))
        text = sentence(
            f"finding.{code}",
            lang,
            gap=points(gap, lang),
            range=points_range(*limits, lang=lang),
        )
        found.append(Finding(code, text, (name,)))
    return found


def _excludes_zero(gap: float, low: float, high: float, *, widened: float) -> bool:
    return gap - widened * (gap - low) > 0 or gap + widened * (high - gap) < 0


def _widening(level: float, family: int) -> float:
    """How much wider a normal interval gets when its error rate is shared by a family (Bonferroni).

    Example:
        >>> round(_widening(0.95, 2), 3), _widening(0.95, 1)
        (1.144, 1.0)
    """
    normal = NormalDist()
    return normal.inv_cdf(1 - (1 - level) / (2 * max(family, 1))) / normal.inv_cdf((1 + level) / 2)


def _errors(seen: Evidence, tolerance: float, lang: str) -> list[Finding]:
    found = []
    low, high = seen.low("debiased_l2"), seen.high("debiased_l2")
    if low is not None and low > tolerance:
        text = sentence("finding.miscalibrated", lang, low=points(low, lang))
        found.append(Finding("miscalibrated", text, ("debiased_l2",)))
    elif high is not None and high < tolerance:
        text = sentence("finding.within_tolerance", lang, high=points(high, lang), tolerance=points(tolerance, lang))
        found.append(Finding("within_tolerance", text, ("debiased_l2",)))
    slope = seen.value("slope")
    if slope is not None:
        code = "too_extreme" if seen.below("slope", 1) else "too_flat" if seen.above("slope", 1) else None
        if code is not None:
            text = sentence(f"finding.{code}", lang, slope=decimal(slope, lang, digits=2))
            found.append(Finding(code, text, ("slope",)))
    return found


def _information(seen: Evidence, thresholds: Thresholds, lang: str) -> list[Finding]:
    found = []
    skill = seen.high("brier_skill")
    if skill is not None and skill < thresholds.least_skill:
        code = "below_base_rate" if skill < -ROUNDING else "no_skill"
        text = sentence(f"finding.{code}", lang, high=decimal(skill, lang, digits=3))
        found.append(Finding(code, text, ("brier_skill",)))
    brier, uniform = seen.low("brier"), seen.value("brier_uniform")
    if brier is not None and uniform is not None and brier > (1 - thresholds.uniform_share) * uniform:
        code = "above_uniform" if brier > uniform else "near_uniform"
        text = sentence(f"finding.{code}", lang, low=decimal(brier, lang), uniform=decimal(uniform, lang))
        found.append(Finding(code, text, ("brier", "brier_uniform")))
    auc = seen.low("auc")
    if auc is not None and auc > thresholds.order_auc:
        text = sentence("finding.order", lang, low=decimal(auc, lang, digits=2))
        found.append(Finding("order", text, ("auc",)))
    upside = seen.high("auc")
    if upside is not None and upside < 1 - thresholds.order_auc:
        text = sentence("finding.upside_down", lang, high=decimal(upside, lang, digits=2))
        found.append(Finding("upside_down", text, ("auc",)))
    return found
