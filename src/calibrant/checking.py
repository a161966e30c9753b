"""Checking: from a tally to a report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from calibrant.calibration.binning import choose_bins
from calibrant.calibration.curve import curve_of_cells
from calibrant.errors import InputError
from calibrant.intervals.multiplicity import benjamini_yekutieli
from calibrant.likeness import like_peer
from calibrant.limits import check_limits
from calibrant.measure.measure import measure
from calibrant.measure.options import MeasureOptions
from calibrant.predictions import add_left_out
from calibrant.report.build import build_report, with_notices
from calibrant.report.nodes import Notice, Section, Sentence
from calibrant.report.results import SliceResult, SourceFacts
from calibrant.verdict import judge
from calibrant.words import sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.calibration.curve import CurveBin
    from calibrant.report.nodes import Report
    from calibrant.tallies.tally import Slice, Tally
    from calibrant.verdict import Thresholds

__all__ = ["check_tally", "slice_result"]


def check_tally(
    tally: Tally,
    options: MeasureOptions = MeasureOptions(),  # noqa: B008  (a frozen value)
    *,
    thresholds: Thresholds | None = None,
    fail_if: Sequence[str] = (),
    command: str = "calibrant check FILE",
    notices: Sequence[Notice] = (),
    like: str | None = None,
    lang: str = "en",
) -> Report:
    """Measure and judge every slice of a tally.

    Args:
        tally: the rows, added up.
        options: bins, level, seed, …
        thresholds: where a verdict starts to count; None takes the usual ones.
        fail_if: rules such as "event_ece > 0.08".
        command: the command that gave this report, for the next one to copy.
        notices: what must be known about how the rows were read, such as refusals in a log.
        like: a package whose number is to be explained, such as "sklearn".
        lang: language of the sentences.

    Raises:
        InputError: if no row is left to measure.
        OptionError: if a rule cannot be understood.
    """
    from calibrant import __version__

    tally = _with_strays(tally)
    usable = [part for part in tally.slices if part.n]
    if not usable:
        raise InputError(_nothing_left(tally), hint="See `calibrant check --help` for how columns and values are read.")
    results = as_family([slice_result(part, options, thresholds, lang) for part in usable])
    name = ", ".join(tally.source.names) or "data"
    plain_notes, warnings = _warnings(tally.source.notes)
    report = build_report(
        results,
        SourceFacts(name, tally.source.rows, plain_notes),
        version=__version__,
        seed=options.seed,
        command=command,
        limits=check_limits(fail_if, results, lang=lang),
        lang=lang,
    )
    told = (*notices, *warnings)
    whole = replace(report, tally=tally)
    if like is not None:
        whole = _explained(whole, usable, like, options)
    return with_notices(whole, told) if told else whole


def _explained(report: Report, parts: Sequence[Slice], peer: str, options: MeasureOptions) -> Report:
    """The report with a sentence for each slice: what the peer prints for these rows, and why."""
    asked = options.bins if isinstance(options.bins, int) and options.bins != MeasureOptions().bins else None
    told = []
    for part in parts:
        cells = part.view("event" if part.kind == "yes_no" else "top")
        name = ", ".join(part.by.values())
        bins = choose_bins(cells, options.bins, options.binning, options.closed)
        found = like_peer(cells, peer, bins, peer_bins=asked)
        told.append(Sentence(f"{name}: {found.sentence}" if name else found.sentence))
    section = Section(sentence("section.like", report.lang), tuple(told), first=True)
    return replace(report, sections=(*report.sections[:-1], section, report.sections[-1]))


def slice_result(
    part: Slice, options: MeasureOptions, thresholds: Thresholds | None = None, lang: str = "en"
) -> SliceResult:
    """Numbers, curve and verdict of one slice."""
    found = measure(part, options)
    tenths = found.tenths.points
    return SliceResult(
        part.by,
        part.kind,
        part.n,
        part.resolution,
        part.left_out,
        found.numbers,
        found.curve.points,
        judge(found.numbers, tenths, part.kind, part.n, thresholds, lang=lang),
        tenths,
        {"top": _confidence_curve(part, options)} if part.kind == "yes_no" else {},
        found.carriers,
        found.consistency,
        tuple(zip(*(part.tolist() for part in found.curve.isotonic[:3]), strict=True)),
    )


def as_family(results: Sequence[SliceResult]) -> list[SliceResult]:
    """Slices of one report are one family: p-values of their calibration tests adjusted for asking about all of them.

    Benjamini–Yekutieli, since slices of the same items depend on one another; `family_p_value` is printed beside.
    """
    if len(results) < 2:
        return list(results)
    tests = [part.numbers.get("calibration_test") for part in results]
    values = [float("nan") if test is None or test.value is None else test.value for test in tests]
    out = []
    for part, test, adjusted in zip(results, tests, benjamini_yekutieli(values).tolist(), strict=True):
        if test is None or test.value is None:
            out.append(part)
            continue
        told = replace(test, extra={**test.extra, "family_p_value": adjusted, "family": len(results)})
        out.append(replace(part, numbers={**part.numbers, "calibration_test": told}))
    return out


def _confidence_curve(part: Slice, options: MeasureOptions) -> tuple[CurveBin, ...]:
    """Confidence against right: what over- and underconfidence are about, also for yes/no questions."""
    cells = part.view("top")
    bins = choose_bins(cells, options.bins, options.binning, options.closed)
    return curve_of_cells(cells, bins, options.level).points


def _with_strays(tally: Tally) -> Tally:
    """Records that fit into no slice: counted with the only slice, or told in a note beside several."""
    if not tally.left_out:
        return tally
    if len(tally.slices) == 1:
        only = tally.slices[0]
        return replace(tally, slices=(replace(only, left_out=add_left_out((only.left_out, tally.left_out))),))
    notes = tuple(
        f"{found.rows:,} records in no slice: {reason} (first record {found.first[0]})"
        for reason, found in tally.left_out.items()
    )
    return replace(tally, source=replace(tally.source, notes=(*tally.source.notes, *notes)))


def _warnings(notes: Sequence[str]) -> tuple[tuple[str, ...], tuple[Notice, ...]]:
    """Notes of a source, those apart that are warnings and stand on the first screen."""
    sign = "warning: "
    found = tuple(Notice("warning", f"{note.removeprefix(sign)}.") for note in notes if note.startswith(sign))
    return tuple(note for note in notes if not note.startswith(sign)), found


def _nothing_left(tally: Tally) -> str:
    reasons = [
        f"{reason} ({found.rows:,}; first record {found.first[0]})" if found.first else f"{reason} ({found.rows:,})"
        for part in tally.slices
        for reason, found in part.left_out.items()
    ]
    rows = tally.source.rows
    if not reasons:
        return "There is no row to check."
    return f"None of {rows:,} rows can be used: {'; '.join(reasons[:4])}."
