"""Tables of slices and of bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.report.nodes import Table
from calibrant.report.results import CODES
from calibrant.words import sentence
from calibrant.words.format import count, decimal, percent, percent_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.report.results import CurvePoint, SliceResult

__all__ = ["bin_table", "slice_table", "worst_first"]


def worst_first(slices: Sequence[SliceResult]) -> list[SliceResult]:
    """Slices sorted by how bad they are: by verdict, then by calibration error, then by rows; names break ties."""

    def badness(part: SliceResult) -> tuple[int, float, int, str]:
        error = _value(part, "debiased_l2")
        return CODES.index(part.verdict.code), -(0.0 if error is None else error), -part.n, part.name

    return sorted(slices, key=badness)


def slice_table(ranked: Sequence[SliceResult], lang: str, *, most: int | None = None) -> Table:
    """One line for each slice, in the order given.

    Args:
        ranked: the slices.
        lang: language.
        most: lines at most; the table counts those it leaves away.
    """
    events = all(part.kind == "yes_no" for part in ranked)
    heads = ("slice", "rows", "says", "happens" if events else "right", "sure", "skill", "verdict")
    shown = ranked if most is None or len(ranked) <= most else ranked[:most]
    rows = []
    for part in shown:
        names = ("mean_probability", "base_rate") if events else ("mean_confidence", "accuracy")
        rows.append(
            (
                part.name,
                count(part.n, lang),
                _percent(part, names[0], lang),
                _percent(part, names[1], lang),
                _decimal(part, "confidence_gap", lang),
                _decimal(part, "brier_skill", lang),
                sentence(f"code.{part.verdict.code}", lang),
            )
        )
    return Table(
        title=sentence("section.slices", lang),
        columns=tuple(sentence(f"table.{head}", lang) for head in heads),
        rows=tuple(rows),
        align="<>>>>><",
        more=len(ranked) - len(shown),
    )


def bin_table(curve: Sequence[CurvePoint], lang: str, *, event: bool, level: float = 0.95) -> Table:
    """One line for each bin that has rows."""
    heads = ("bin", "rows", "says", "happens" if event else "right", "range", "gap")
    rows = []
    for point in curve:
        if not point.n or point.mean_probability is None or point.observed is None or point.gap is None:
            continue
        low, high = point.observed_low, point.observed_high
        rows.append(
            (
                percent_range(point.low, point.high, lang),
                count(point.n, lang),
                percent(point.mean_probability, lang),
                percent(point.observed, lang),
                "" if low is None or high is None else percent_range(low, high, lang),
                decimal(point.gap, lang, digits=3),
            )
        )
    return Table(
        title="",
        columns=tuple(sentence(f"table.{head}", lang, level=percent(level, lang)) for head in heads),
        rows=tuple(rows),
        align=">>>>>>",
    )


def _value(part: SliceResult, name: str) -> float | None:
    number = part.numbers.get(name)
    return None if number is None else number.value


def _percent(part: SliceResult, name: str, lang: str) -> str:
    value = _value(part, name)
    return "" if value is None else percent(value, lang)


def _decimal(part: SliceResult, name: str, lang: str) -> str:
    value = _value(part, name)
    return "" if value is None else decimal(round(value, 3), lang, digits=3)
