"""From a slice of a tally to a result that reports are built of: measured and judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.measure.measure import measure
from calibrant.measure.options import MeasureOptions
from calibrant.report.results import SliceResult, SourceFacts
from calibrant.verdict.judge import judge
from calibrant.words import sentence

if TYPE_CHECKING:
    from calibrant.tallies.tally import Slice, Source
    from calibrant.verdict.thresholds import Thresholds

__all__ = ["assess", "source_facts"]


def assess(
    part: Slice,
    options: MeasureOptions | None = None,
    thresholds: Thresholds | None = None,
    *,
    lang: str = "en",
) -> SliceResult:
    """Measure a slice and judge it.

    Args:
        part: the slice; one without rows is a result too, whose verdict says so.
        options: bins, level, seed, …
        thresholds: where numbers start to count.
        lang: language of the sentences.
    """
    if part.n == 0:
        verdict = judge({}, (), part.kind, 0, thresholds, lang=lang)
        return SliceResult(part.by, part.kind, 0, part.resolution, part.left_out, {}, (), verdict)
    found = measure(part, MeasureOptions() if options is None else options)
    tenths = found.tenths.points
    verdict = judge(found.numbers, tenths, part.kind, part.n, thresholds, lang=lang)
    return SliceResult(
        by=part.by,
        kind=part.kind,
        n=part.n,
        resolution=part.resolution,
        left_out=part.left_out,
        numbers=found.numbers,
        curve=found.curve.points,
        verdict=verdict,
        ten_bins=tenths,
    )


def source_facts(source: Source, *, lang: str = "en") -> SourceFacts:
    """What a tally knows of its source, as a report tells it."""
    return SourceFacts(", ".join(source.names) or sentence("source.unnamed", lang), source.rows, source.notes)
