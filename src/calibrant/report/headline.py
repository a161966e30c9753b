"""The headline: what it says and what happens, in the bin that was chosen without looking at outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.words import sentence
from calibrant.words.format import count, percent, percent_range

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibrant.measure.number import Number
    from calibrant.predictions import Kind
    from calibrant.report.results import Code, CurvePoint

__all__ = ["fullest_bin", "headline"]


def fullest_bin(curve: Sequence[CurvePoint]) -> CurvePoint | None:
    """The bin with most rows; of equally full ones the one that says most. None when all are empty.

    Outcomes play no part in the choice, so the bin's own 95% interval stays a 95% interval. (That of the worst
    bin covers the truth in about two thirds of cases only.)
    """
    filled = [point for point in curve if point.n > 0 and point.mean_probability is not None]
    return max(filled, key=lambda point: (point.n, point.low), default=None)


def headline(
    curve: Sequence[CurvePoint], numbers: Mapping[str, Number], kind: Kind, code: Code, *, lang: str = "en"
) -> str:
    """The headline of one slice.

    The fullest of ten fixed bins speaks: "When it says 84%, it is right 71% of the time (66–76%, n = 512)."
    When that bin contradicts the verdict, the overall figures speak instead: it must not open a report on an
    overconfident model with a bin that happens to be fine, nor the other way round.

    Args:
        curve: ten equal-width bins of the event view (yes/no) or of the top view.
        numbers: the numbers of the slice, by name.
        kind: kind of the questions.
        code: the verdict.
        lang: language.
    """
    what = "event" if kind == "yes_no" else "answer"
    point = fullest_bin(curve)
    if point is None:
        return sentence("headline.empty", lang)
    overall = _overall(numbers, what, code, lang)
    if overall is not None and _contradicts(point, code, events=kind == "yes_no"):
        return overall
    stated, observed, low, high = _values(point)
    return sentence(
        f"headline.{what}",
        lang,
        stated=percent(stated, lang),
        observed=percent(observed, lang),
        range=percent_range(low, high, lang),
        n=count(point.n, lang),
    )


def _values(point: CurvePoint) -> tuple[float, float, float, float]:
    """Stated, observed and its limits, of a bin that has rows."""
    values = (point.mean_probability, point.observed, point.observed_low, point.observed_high)
    stated, observed, low, high = (0.0 if value is None else value for value in values)
    return stated, observed, low, high


def _contradicts(point: CurvePoint, code: Code, *, events: bool) -> bool:
    """True where a reader of the bin alone would conclude the opposite of the verdict."""
    stated, _, low, high = _values(point)
    within = low <= stated <= high
    if code == "honest":
        return not within
    if code == "right_order_unusable_numbers":
        return within
    if code not in ("overconfident", "underconfident"):
        return False
    # Below one half an event's confidence is that of "no": too sure then means that it happens more than said.
    sure_of_no = events and stated < 0.5
    too_sure = stated < low if sure_of_no else stated > high
    return within or too_sure != (code == "overconfident")


def _overall(numbers: Mapping[str, Number], what: str, code: Code, lang: str) -> str | None:
    """Stated against observed over all rows; None where those were not computed."""
    if what == "event" and code in ("overconfident", "underconfident") and not _one_way(numbers):
        # Too sure both of yes and of no cancels out in the mean probability: how sure it was has to be told.
        what = "answer"
    names = ("mean_probability", "base_rate") if what == "event" else ("mean_confidence", "accuracy")
    stated, observed = (numbers.get(name) for name in names)
    if stated is None or observed is None or stated.value is None or observed.value is None:
        return None
    said = {"stated": percent(stated.value, lang), "observed": percent(observed.value, lang)}
    if observed.low is None or observed.high is None:
        return sentence(f"headline.{what}.overall_plain", lang, n=count(observed.n, lang), **said)
    limits = percent_range(observed.low, observed.high, lang)
    return sentence(f"headline.{what}.overall", lang, range=limits, n=count(observed.n, lang), **said)


def _one_way(numbers: Mapping[str, Number]) -> bool:
    """True where says minus happens is the larger of the two signed gaps."""
    bias, gap = (None if (number := numbers.get(name)) is None else number.value for name in ("bias", "confidence_gap"))
    return bias is not None and (gap is None or abs(bias) > abs(gap))
