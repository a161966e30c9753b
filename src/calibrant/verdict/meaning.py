"""The sentence that says what a verdict means in this case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.verdict.power import gap_in_question, gap_shows_by
from calibrant.words import sentence
from calibrant.words.format import count, percent, points

if TYPE_CHECKING:
    from calibrant.report.results import Code
    from calibrant.verdict.case import Case

__all__ = ["meaning"]


def meaning(case: Case, code: Code, shape: str, rows: int | None) -> str:
    """The verdict in one sentence.

    Args:
        case: what it was reached from.
        code: the verdict.
        shape: what shows over- or underconfidence: "gap", "slope" or "bias"; empty for other codes.
        rows: with "cannot_tell": rows that would tell.
    """
    if code == "cannot_tell":
        return _open(case, rows)
    if code == "worse_than_guessing":
        return _worse(case)
    key = f"verdict.{code}"
    values: dict[str, str] = {}
    if code in ("overconfident", "underconfident"):
        key, values = _direction(case, code, shape)
    elif code == "honest":
        values = {"tolerance": points(case.tolerance, case.lang)}
    elif code == "base_rate_echo":
        values = {"base_rate": _rate(case)}
    elif code == "right_order_unusable_numbers" and case.has("says_too_high", "says_too_low"):
        key, values = f"{key}.bias", _overall(case)
    return sentence(key, case.lang, **values)


def _direction(case: Case, code: Code, shape: str) -> tuple[str, dict[str, str]]:
    if shape == "bias":
        return f"verdict.{code}.bias", _overall(case)
    if shape == "slope":
        return f"verdict.{code}.slope", {}
    return f"verdict.{code}", {"gap": points(case.seen.value("confidence_gap") or 0.0, case.lang)}


def _worse(case: Case) -> str:
    if case.has("upside_down"):
        return sentence("verdict.worse_than_guessing.upside_down", case.lang)
    if case.has("above_uniform"):
        reference = sentence("reference.uniform", case.lang)
    else:
        reference = sentence("reference.base_rate", case.lang, base_rate=_rate(case))
    return sentence("verdict.worse_than_guessing", case.lang, reference=reference)


def _open(case: Case, rows: int | None) -> str:
    lang = case.lang
    if case.n == 0:
        return sentence("verdict.cannot_tell.empty", lang)
    if rows is None:
        return sentence("verdict.cannot_tell", lang, n=count(case.n, lang))
    said = {"n": count(case.n, lang), "rows": count(rows, lang)}
    error = case.seen.high("debiased_l2")
    if error is None or gap_shows_by(case) > case.n:
        return sentence("verdict.cannot_tell.rows", lang, gap=points(gap_in_question(case), lang), **said)
    limits = {"error": points(error, lang), "tolerance": points(case.tolerance, lang)}
    return sentence("verdict.cannot_tell.close", lang, **limits, **said)


def _rate(case: Case) -> str:
    """How often it happens, or is right, in percent."""
    rate = case.seen.value("base_rate" if case.events else "accuracy")
    return sentence("reference.base_rate.unknown", case.lang) if rate is None else percent(rate, case.lang)


def _overall(case: Case) -> dict[str, str]:
    """Mean stated and share observed. A bias is a difference of these two, so both are there."""
    stated, observed = case.seen.value("mean_probability"), case.seen.value("base_rate")
    unknown = sentence("reference.base_rate.unknown", case.lang)
    return {
        "stated": unknown if stated is None else percent(stated, case.lang),
        "observed": unknown if observed is None else percent(observed, case.lang),
    }
