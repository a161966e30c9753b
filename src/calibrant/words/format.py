"""Numbers as people read them: percent, points, counts, ranges and decimals, in the marks of a language."""

from __future__ import annotations

import math

from calibrant.words.load import sentence, vocabulary

__all__ = ["count", "decimal", "p_value", "percent", "percent_range", "points", "points_range", "value_range"]

MOST_PERCENT_DIGITS = 12


def _marks(text: str, lang: str) -> str:
    words = vocabulary(lang)
    swap = {",": words["format.thousands"], ".": words["format.decimal"]}
    return "".join(swap.get(char, char) for char in text)


def count(number: float, lang: str = "en") -> str:
    """A count with thousands separated.

    Example:
        >>> count(1736)
        '1,736'
    """
    return _marks(f"{number:,.0f}", lang)


def _percent_digits(*shares: float) -> int:
    """Decimals that leave one digit that counts to every share within 1% of 0 or 1, and none to others."""
    digits = 0
    for share in shares:
        # The distance to the nearer end decides: 0.9996 needs as many decimals as 0.0004.
        edge = min(abs(share), abs(1 - share))
        if edge > 0:
            digits = max(digits, min(MOST_PERCENT_DIGITS, math.ceil(round(-math.log10(edge * 100), 9))))
    return digits


def _bare_percent(share: float, digits: int, lang: str) -> str:
    # repr first: 0.285 * 100 is 28.499999999999996, and a person expects what the decimals say.
    shown = round(float(f"{share * 100:.10g}"), digits)
    return _marks(f"{shown + 0.0:.{digits}f}", lang)


def percent(share: float, lang: str = "en") -> str:
    """A share between 0 and 1 in percent: no decimals, unless they are needed to tell it from 0% and 100%.

    Example:
        >>> percent(0.84), percent(0.0023), percent(0.9996), percent(1.0)
        ('84%', '0.2%', '99.96%', '100%')
    """
    return sentence("format.percent", lang, number=_bare_percent(share, _percent_digits(share), lang))


def percent_range(low: float, high: float, lang: str = "en") -> str:
    """Two shares as one range in percent.

    Example:
        >>> percent_range(0.66, 0.76)
        '66–76%'
    """
    digits = _percent_digits(low, high)
    low_text, high_text = _bare_percent(low, digits, lang), _bare_percent(high, digits, lang)
    return sentence("format.percent", lang, number=sentence("format.range", lang, low=low_text, high=high_text))


def points(gap: float, lang: str = "en") -> str:
    """The size of a gap between two shares in percentage points.

    Example:
        >>> points(-0.131), points(0.0123), points(0.01)
        ('13 points', '1.2 points', '1 point')
    """
    text = _bare_points(abs(gap), lang)
    return sentence("gap.point" if text == "1" else "gap.points", lang, points=text)


def p_value(p: float, lang: str = "en") -> str:
    """A p-value with its sign, never finer than a thousandth.

    Example:
        >>> p_value(0.0416), p_value(0.0002)
        ('p = 0.042', 'p < 0.001')
    """
    if p < 0.001:
        return sentence("format.p_below", lang, p=_marks("0.001", lang))
    return sentence("format.p", lang, p=_marks(f"{p:.3f}", lang))


def points_range(low: float, high: float, lang: str = "en") -> str:
    """Two gaps of the same sign as one range of percentage points.

    Example:
        >>> points_range(0.076, 0.113)
        '7.6–11 points'
    """
    text = sentence("format.range", lang, low=_bare_points(low, lang), high=_bare_points(high, lang))
    return sentence("gap.points", lang, points=text)


def _bare_points(gap: float, lang: str) -> str:
    size = gap * 100
    digits = 0 if size >= 9.95 or size == 0 else 1 if size >= 0.095 else 2
    text = f"{size:.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return _marks(text, lang)


def decimal(value: float, lang: str = "en", *, digits: int = 4) -> str:
    """A value with four decimals; values that those would round to 0 get two digits that count.

    Example:
        >>> decimal(0.22081), decimal(0.0000123), decimal(float("inf")), decimal(-0.5, digits=2)
        ('0.2208', '1.2e-05', 'infinite', '-0.50')
    """
    if math.isinf(value):
        return sentence("format.infinite" if value > 0 else "format.minus_infinite", lang)
    if value and abs(value) < 0.5 * 10**-digits:
        return _marks(f"{value:.1e}", lang)
    return _marks(f"{value + 0.0:,.{digits}f}", lang)


def value_range(low: float, high: float, lang: str = "en", *, digits: int = 4) -> str:
    """Two values as one range; negative ones are kept apart by "to", so that no minus meets the dash.

    Example:
        >>> value_range(0.21, 0.23), value_range(-0.01, 0.02)
        ('0.2100–0.2300', '-0.0100 to 0.0200')
    """
    low_text, high_text = decimal(low, lang, digits=digits), decimal(high, lang, digits=digits)
    dashed = low >= 0 and math.isfinite(high)
    return sentence("format.range" if dashed else "format.range_to", lang, low=low_text, high=high_text)
