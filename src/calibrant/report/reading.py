"""A number in words: its name, value, interval, and what to hold it against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.words import sentence, vocabulary
from calibrant.words.format import count, decimal, p_value, percent, value_range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant.measure.number import Number

__all__ = ["comparison", "facts", "interval_text", "name_text", "range_text", "value_text"]


def name_text(number: Number, lang: str = "en") -> str:
    """The name of a number; binned ones carry their number of bins.

    Example:
        >>> from calibrant.measure.number import Number
        >>> name_text(Number("event_ece", 0.03, "", 9, extra={"bins": 10, "binning": "width"}))
        'Event ECE, 10 bins'
    """
    key = f"number.{number.name}"
    if key not in vocabulary(lang):
        return number.name
    asked = number.extra.get("bins")
    bins = count(asked, lang) if isinstance(asked, int) else "?"
    if number.extra.get("binning") == "mass":
        bins = sentence("bins.mass", lang, bins=bins)
    return sentence(key, lang, bins=bins)


def value_text(number: Number, lang: str = "en") -> str:
    """The value; an infinite or missing one is said.

    Example:
        >>> from calibrant.measure.number import Number
        >>> value_text(Number("brier", 0.22081, "", 9)), value_text(Number("slope", None, "", 9))
        ('0.2208', 'none')
    """
    if number.value is None or number.value != number.value:
        key = "format.infinite" if number.extra.get("infinite_rows") else "format.none"
        return sentence(key, lang)
    return decimal(number.value, lang)


def interval_text(number: Number, lang: str = "en") -> str:
    """The interval; empty where there is none."""
    if number.low is None or number.high is None:
        return ""
    return value_range(number.low, number.high, lang)


def range_text(number: Number, lang: str = "en") -> str:
    """Smallest and largest possible value, such as "0 to 1"; an open end is said."""
    low, high = number.range
    bottom = sentence("format.minus_infinite", lang) if low is None else _short(low, lang)
    top = sentence("format.infinite", lang) if high is None else _short(high, lang)
    return sentence("format.range_to", lang, low=bottom, high=top)


def _short(value: float, lang: str) -> str:
    return decimal(value, lang, digits=0 if value == round(value) else 4)


def comparison(number: Number, others: Mapping[str, Number], lang: str = "en") -> str:
    """What the value is to be held against: a guess, noise, or chance; empty where nothing is known.

    Args:
        number: the number.
        others: all numbers of the slice; the references of the Brier score are among them.
        lang: language.
    """
    extra = number.extra
    noise = extra.get("floor_95")
    if isinstance(noise, float):
        return sentence("bar.floor", lang, floor_95=decimal(noise, lang))
    rows = extra.get("infinite_rows")
    if isinstance(rows, int) and rows > 0:
        return sentence("bar.infinite", lang, rows=count(rows, lang))
    if number.name == "brier":
        return _brier_bar(others, lang)
    if number.value is None:
        return ""
    key = f"bar.{number.name}"
    return sentence(key, lang) if key in vocabulary(lang) else ""


def facts(number: Number, others: Mapping[str, Number], lang: str = "en") -> tuple[str, ...]:
    """Everything to know about a number beside its value: key, range, rows, formula, interval, bars and reasons.

    Args:
        number: the number.
        others: all numbers of the slice.
        lang: language.
    """
    said = [number.name, range_text(number, lang), f"n = {count(number.n, lang)}", number.convention]
    if number.method is not None:
        said.append(sentence("note.method", lang, level=percent(number.level, lang), method=number.method))
    for key in ("sum_scale", "bias_corrected"):
        value = number.extra.get(key)
        if isinstance(value, float):
            said.append(sentence(f"note.{key}", lang, value=decimal(value, lang)))
    said.append(comparison(number, others, lang))
    p = number.extra.get("p_value")
    if isinstance(p, float):
        # The AUC is tested against no order; every other p-value supposes that the probabilities are right.
        key = "note.p_value.auc" if number.name == "auc" else "note.p_value"
        said.append(sentence(key, lang, p=p_value(p, lang)))
    said.append(number.why or "")
    return tuple(fact for fact in said if fact)


def _brier_bar(others: Mapping[str, Number], lang: str) -> str:
    for reference in ("uniform", "base_rate"):
        bar = others.get(f"brier_{reference}")
        if bar is not None and bar.value is not None:
            return sentence(f"bar.brier.{reference}", lang, value=decimal(bar.value, lang))
    return ""
