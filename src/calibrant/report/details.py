"""What a full report shows of one slice beyond the first screen: findings, all numbers, bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.report.nodes import Figure, Node, Notice, NumberTable, Section, Sentence
from calibrant.report.slices import bin_table, carrier_table
from calibrant.words import sentence
from calibrant.words.format import count

if TYPE_CHECKING:
    from calibrant.report.nodes import Tone
    from calibrant.report.results import Code, CurvePoint, SliceResult

__all__ = ["ROOMS", "TONES", "details", "figure"]

TONES: dict[Code, Tone] = {"honest": "good", "cannot_tell": "unsure"}
"""How a verdict is coloured; every other one is bad."""

ROOMS: dict[str, frozenset[str]] = {
    "scores": frozenset(
        [
            "brier",
            "brier_skill",
            "brier_uniform",
            "brier_base_rate",
            "log_loss",
            "rps",
            "accuracy",
            "auc",
            "base_rate",
            "mean_probability",
            "mean_confidence",
            "expected_level",
            "label_level",
            "level_bias",
        ]
    ),
    "errors": frozenset(
        [
            "confidence_gap",
            "bias",
            "event_ece",
            "confidence_ece",
            "classwise_ece",
            "top_label_ece",
            "cut_ece",
            "debiased_l2",
            "smooth_ece",
            "ece_sweep",
            "max_calibration_error",
        ]
    ),
    "tests": frozenset(["calibration_test", "spiegelhalter", "hosmer_lemeshow"]),
    "parts": frozenset(
        [
            "reliability",
            "resolution",
            "uncertainty",
            "within_bin_variance",
            "within_bin_covariance",
            "miscalibration",
            "discrimination",
            "miscalibration_linear",
            "discrimination_linear",
        ]
    ),
    "fit": frozenset(["slope", "intercept", "calibration_in_the_large"]),
}
"""What the numbers are about; in full reports each has a section of its own."""


def figure(part: SliceResult, curve: tuple[CurvePoint, ...]) -> Figure:
    """The reliability diagram of a slice, of the bins given."""
    return Figure("reliability", "event" if part.kind == "yes_no" else "top", curve, part.level)


def details(part: SliceResult, lang: str, *, named: bool) -> list[Section]:
    """Everything about one slice; not on the first screen."""
    title = f"{part.name}: " if named else ""
    nodes: list[Node] = []
    if named:
        nodes += [
            Sentence(part.verdict.sentence, "strong"),
            Sentence(part.verdict.meaning, TONES.get(part.verdict.code, "bad")),
            Sentence(part.verdict.advice),
        ]
    nodes += [Notice("note", _capital(finding.text) + ".") for finding in part.verdict.findings]
    for reason, found in part.left_out.items():
        first = ", ".join(count(record, lang) for record in found.first)
        text = sentence("source.left_out.reason", lang, rows=count(found.rows, lang), reason=reason, first=first)
        nodes.append(Notice("warning", text))
    if part.resolution != "exact":
        nodes.append(Notice("note", sentence("source.resolution", lang, resolution=part.resolution)))
    out = [Section(title + sentence("section.findings", lang), tuple(nodes))] if nodes else []
    if named or (part.ten_bins and part.ten_bins != part.curve):
        out.append(Section(title + sentence("section.diagram", lang), (figure(part, part.curve),)))
    for room, names in _rooms(part).items():
        table = NumberTable("", tuple(part.numbers[name] for name in names), context=part.numbers, full=True)
        out.append(Section(title + sentence(f"section.{room}", lang), (table,)))
    bins = bin_table(part.curve, lang, event=part.kind == "yes_no", level=part.level)
    out.append(Section(title + sentence("section.curve", lang), (bins,)))
    if part.carriers:
        out.append(Section(title + sentence("section.carriers", lang), (carrier_table(part, lang),)))
    for view, curve in part.curves.items():
        nodes = [Figure("reliability", view, curve, part.level), bin_table(curve, lang, event=False, level=part.level)]
        out.append(Section(title + sentence(f"section.curve.{view}", lang), tuple(nodes)))
    return out


def _rooms(part: SliceResult) -> dict[str, list[str]]:
    """Names of the numbers by what they are about, in the order in which they were measured."""
    rooms: dict[str, list[str]] = {}
    for name in part.numbers:
        rooms.setdefault(next((room for room, names in ROOMS.items() if name in names), "other"), []).append(name)
    return {room: rooms[room] for room in (*ROOMS, "other") if room in rooms}


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
