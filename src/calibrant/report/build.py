"""Chooses what a report says first: headline, what was read, diagram, six numbers, what to do, one command."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from calibrant.report.details import TONES, details, figure
from calibrant.report.nodes import Command, Node, NumberTable, Report, Section, Sentence
from calibrant.report.slices import scores_table, slice_table, worst_first
from calibrant.words import sentence
from calibrant.words.format import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.predictions import Kind
    from calibrant.report.nodes import Notice
    from calibrant.report.results import LimitResult, SliceResult, SourceFacts

__all__ = ["FIRST_NUMBERS", "build_report", "with_notices"]

FIRST_NUMBERS: dict[Kind, tuple[str, ...]] = {
    "yes_no": ("brier", "brier_skill", "event_ece", "debiased_l2", "auc", "log_loss", "accuracy", "base_rate"),
    "answer": ("brier", "brier_skill", "confidence_ece", "debiased_l2", "auc", "accuracy", "log_loss"),
    "choice": ("brier", "brier_skill", "confidence_ece", "debiased_l2", "accuracy", "log_loss", "auc"),
    "score": ("rps", "brier", "brier_skill", "confidence_ece", "debiased_l2", "accuracy", "log_loss"),
}
"""Numbers of the first screen by kind; the first six that the slice has are shown."""

SHOWN = 6
SLICES_SHOWN = 15
CROWDED = 0.9
CONSTANT = 1e-9


def build_report(
    slices: Sequence[SliceResult],
    source: SourceFacts,
    *,
    version: str,
    seed: int,
    command: str = "calibrant check FILE",
    next_command: str | None = None,
    limits: Sequence[LimitResult] = (),
    lang: str = "en",
) -> Report:
    """Make the report of one or several slices.

    Args:
        slices: the results, in the order of the data.
        source: what was read.
        version: version of Calibrant.
        seed: seed of everything simulated.
        command: the command that gave this report; the next one is built on it.
        next_command: a better next command than the one built on `command`.
        limits: rules of `--fail-if` and what became of them.
        lang: language of the sentences.
    """
    ranked = worst_first(slices)
    following = next_command or _next_command(ranked, command)
    first = _several(ranked, source, lang) if len(ranked) > 1 else _one(ranked, source, lang)
    rest = [section for part in ranked for section in details(part, lang, named=len(ranked) > 1)]
    limit_nodes: tuple[Node, ...] = tuple(
        Sentence(limit.sentence, "bad" if limit.failed else "good") for limit in limits
    )
    closing: list[Node] = [Command(following)]
    if len(ranked) == 1:
        closing.insert(0, Sentence(ranked[0].verdict.advice))
    sections = [*first, *rest]
    if limit_nodes:
        sections.append(Section(sentence("section.limits", lang), limit_nodes, first=True))
    sections.append(Section("", tuple(closing), first=True))
    return Report(
        headline=Sentence(_headline(ranked, lang), "strong"),
        sections=tuple(sections),
        source=source,
        slices=tuple(slices),
        next_command=following,
        version=version,
        seed=seed,
        limits=tuple(limits),
        lang=lang,
    )


def with_notices(report: Report, notices: Sequence[Notice]) -> Report:
    """The report with notices about how its rows were read: warnings on the first screen, notes in the full one."""
    warnings = tuple(notice for notice in notices if notice.level == "warning")
    notes = tuple(notice for notice in notices if notice.level != "warning")
    title = sentence("section.reading", report.lang)
    added = [Section(title, part, first=first) for part, first in ((warnings, True), (notes, False)) if part]
    return replace(report, sections=(*report.sections[:-1], *added, report.sections[-1]))


def _headline(ranked: Sequence[SliceResult], lang: str) -> str:
    if not ranked:
        return sentence("headline.empty", lang)
    worst = ranked[0]
    if len(ranked) == 1:
        return worst.verdict.sentence
    trusted = sum(part.verdict.code == "honest" for part in ranked)
    key = (
        "headline.slices.none"
        if trusted == 0
        else "headline.slices.all"
        if trusted == len(ranked)
        else "headline.slices"
    )
    return sentence(
        key,
        lang,
        trusted=count(trusted, lang),
        all=count(len(ranked), lang),
        worst=worst.name,
        sentence=worst.verdict.sentence,
    )


def _read(slices: Sequence[SliceResult], source: SourceFacts, lang: str) -> Sentence:
    """Such as "nfl.csv: 1,889 rows; `p` as probability, `won` as outcome; 7 rows left out"."""
    rows = "source.row" if source.rows == 1 else "source.rows"
    left_out = sum(part.rows_left_out for part in slices)
    key = {0: "source.left_out.none", 1: "source.left_out.one"}.get(left_out, "source.left_out")
    parts = [
        sentence(rows, lang, name=source.name, rows=count(source.rows, lang)),
        *([", ".join(source.notes)] if source.notes else []),
        sentence(key, lang, rows=count(left_out, lang)),
    ]
    coarse = sorted({part.resolution for part in slices if part.resolution != "exact"})
    if coarse:
        parts.append(sentence("source.kept", lang, resolution=", ".join(coarse)))
    return Sentence("; ".join(parts), "quiet" if left_out == 0 else "plain")


def _one(slices: Sequence[SliceResult], source: SourceFacts, lang: str) -> list[Section]:
    if not slices:
        return [Section("", (_read(slices, source, lang),), first=True)]
    part = slices[0]
    present = [part.numbers[name] for name in FIRST_NUMBERS[part.kind] if name in part.numbers]
    top: list[Node] = [Sentence(part.verdict.meaning, TONES.get(part.verdict.code, "bad"))]
    return [
        Section("", tuple(top), first=True),
        Section("", (_read(slices, source, lang),), first=True),
        Section("", (figure(part, part.ten_bins or part.curve),), first=True),
        Section("", (NumberTable("", tuple(present[:SHOWN]), context=part.numbers),), first=True),
    ]


def _several(ranked: Sequence[SliceResult], source: SourceFacts, lang: str) -> list[Section]:
    return [
        Section("", (_read(ranked, source, lang),), first=True),
        Section("", (slice_table(ranked, lang, most=SLICES_SHOWN),), first=True),
        Section("", (scores_table(ranked, lang),)),
    ]


def _next_command(ranked: Sequence[SliceResult], command: str) -> str:
    """The command that gave this report, with what shows more, guards what is fine, or keeps what was found."""
    seen = command.split()
    if len(ranked) == 1 and ranked[0].verdict.code == "honest" and "--fail-if" not in seen:
        # What is honest today is worth guarding: the same command as a gate.
        return f'{command} --fail-if "debiased_l2.high > 0.03"'
    if len(ranked) == 1 and _crowded(ranked[0]) and "--binning" not in seen:
        command += " --binning mass"
    if "--all" not in seen:
        return f"{command} --all"
    return command if "--format" in seen else f"{command} --format markdown -o report.md"


def _crowded(part: SliceResult) -> bool:
    """True where nearly all rows share one bin, so that bins of equal width show nothing of how they differ."""
    inside = part.numbers.get("within_bin_variance")
    fullest = max((point.n for point in part.ten_bins), default=0)
    return fullest >= CROWDED * part.n > 0 and inside is not None and (inside.value or 0.0) > CONSTANT
