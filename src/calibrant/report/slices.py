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

__all__ = ["bin_table", "carrier_table", "scores_table", "short_names", "slice_table", "worst_first"]


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
    called = short_names(ranked)
    rows = []
    for part in shown:
        names = ("mean_probability", "base_rate") if events else ("mean_confidence", "accuracy")
        rows.append(
            (
                called[id(part)],
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


def short_names(slices: Sequence[SliceResult]) -> dict[int, str]:
    """What to call each slice among these, by `id`: only the columns in which they differ."""
    columns = list(dict.fromkeys(column for part in slices for column in part.by))
    telling = [column for column in columns if len({part.by.get(column) for part in slices}) > 1] or columns
    only = len(telling) == 1
    return {
        id(part): ", ".join(part.by.get(c, "") if only else f"{c}={part.by.get(c, '')}" for c in telling)
        for part in slices
    }


def scores_table(ranked: Sequence[SliceResult], lang: str) -> Table:
    """What was asked and how good the answers are: each score beside the value that means nothing was known."""
    called = short_names(ranked)
    rows = []
    for part in ranked:
        ece = part.numbers.get("event_ece" if part.kind == "yes_no" else "confidence_ece")
        floor = None if ece is None else ece.extra.get("floor_95")
        rows.append(
            (
                called[id(part)],
                sentence(f"kind.{part.kind}", lang),
                count(part.n, lang),
                _percent(part, "accuracy", lang),
                _percent(part, "mean_confidence", lang),
                _decimal(part, "brier", lang),
                _decimal(part, "brier_uniform", lang),
                "" if ece is None or ece.value is None else decimal(round(ece.value, 3), lang, digits=3),
                decimal(round(floor, 3), lang, digits=3) if isinstance(floor, float) else "",
            )
        )
    heads = ("slice", "kind", "rows", "accuracy", "confidence", "brier", "uniform", "ece", "noise")
    return Table(
        title="",
        columns=tuple(sentence(f"table.{head}", lang) for head in heads),
        rows=tuple(rows),
        align="<<>>>>>>>",
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


def carrier_table(part: SliceResult, lang: str) -> Table:
    """The rows that carry most of the score."""
    event = part.kind == "yes_no"
    rows = tuple(
        (
            percent(row.said, lang),
            sentence(f"outcome.{'event' if event else 'answer'}.{row.outcome}", lang),
            count(row.rows, lang),
            percent(row.brier_share, lang),
            "" if row.log_share is None else percent(row.log_share, lang),
        )
        for row in part.carriers
    )
    heads = ("says", "outcome", "rows", "brier_share", "log_share")
    return Table("", tuple(sentence(f"table.{head}", lang) for head in heads), rows, "><>>>")


def _value(part: SliceResult, name: str) -> float | None:
    number = part.numbers.get(name)
    return None if number is None else number.value


def _percent(part: SliceResult, name: str, lang: str) -> str:
    value = _value(part, name)
    return "" if value is None else percent(value, lang)


def _decimal(part: SliceResult, name: str, lang: str) -> str:
    value = _value(part, name)
    return "" if value is None else decimal(round(value, 3), lang, digits=3)
