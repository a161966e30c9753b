"""The report of a recalibration, as nodes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from calibrant.recalibration.samples import MOST_DISTINCT
from calibrant.recalibration.temperature import BOUNDS
from calibrant.report.nodes import Command, Node, Notice, Report, Section, Sentence, Table
from calibrant.report.results import SourceFacts
from calibrant.words.format import count, decimal, percent, value_range
from calibrant.words.names import short_names
from calibrant.words.rooms import room_sentence

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibrant.recalibration.change import Change
    from calibrant.recalibration.effect import Effect
    from calibrant.recalibration.recalibrator import Recalibrator
    from calibrant.recalibration.repair import Repair
    from calibrant.report.nodes import Tone

__all__ = ["recalibration_report"]

TONES: dict[str, Tone] = {"helps": "good", "harms": "bad", "not_shown": "unsure"}
FIRST = ("brier", "rps", "log_loss", "event_ece", "confidence_ece", "auc", "accuracy")
SHOWN = 20
ROUGH_CLUSTERS = 40


def recalibration_report(found: Recalibrator) -> Report:
    """The report of all maps: the verdict first, then before and after, then what must be known."""
    from calibrant import __version__

    say = partial(_say, found.lang)
    one = len(found.repairs) == 1
    helps = any(repair.use == "map" for repair in found.repairs)
    name = ", ".join(found.source.names) or "data"
    following = say("next.apply") if helps else say("next.check", name=name)
    how = next((repair.judged_by for repair in found.repairs if repair.judged_by), "")
    read = say("source", name=name, rows=count(found.source.rows), left_out=count(found.left_out), how=how)
    sections = [Section("", (Sentence(read, "quiet"),), first=True)]
    if not one:
        sections.append(Section(say("section.slices"), (_slices(found, say),), first=True))
    for repair in found.repairs:
        sections += _details(repair, found, say, first=one)
    sections.append(Section("", (Command(following),), first=True))
    headline = _headline(found.repairs[0], say) if one else _several(found, say)
    facts = SourceFacts(name, found.source.rows, found.source.notes)
    return Report(
        Sentence(headline, "strong"), tuple(sections), facts, (), following, __version__, found.seed, lang=found.lang
    )


def _say(lang: str, key: str, **values: object) -> str:
    return room_sentence("repair", key, lang, **values)


def _headline(repair: Repair, say: Callable[..., str]) -> str:
    effect = repair.effect
    if effect is None or effect.why == "declined":
        return say("headline.declined")
    main = effect.changes[effect.decided_by]
    return say(
        f"headline.{repair.verdict}",
        score=say(f"number.{effect.decided_by}"),
        before=_value(main.before),
        after=_value(main.after),
        method=repair.fitted.method,
    )


def _several(found: Recalibrator, say: Callable[..., str]) -> str:
    codes = [repair.verdict for repair in found.repairs]
    return say(
        "headline.several",
        helps=codes.count("helps"),
        harms=codes.count("harms"),
        rest=codes.count("not_shown"),
        all=len(codes),
    )


def _reason(effect: Effect, verdict: str, say: Callable[..., str]) -> str:
    change = effect.changes["log_loss" if effect.why == "log" else effect.decided_by]
    known = change.low is not None and change.high is not None
    return say(
        f"reason.{effect.why}.{verdict}",
        score=say(f"number.{change.name}"),
        difference=_signed(change.difference),
        range=value_range(change.low, change.high) if known else "",  # type: ignore[arg-type]
        why=change.why or "",
    )


def _slices(found: Recalibrator, say: Callable[..., str]) -> Table:
    rows = []
    order = {"harms": 0, "helps": 1, "not_shown": 2}
    ranked = sorted(found.repairs, key=lambda repair: (order[repair.verdict], repair.name))
    for repair, name in zip(ranked, short_names([repair.by for repair in ranked]), strict=True):
        main = repair.effect.changes[repair.effect.decided_by] if repair.effect else None
        rows.append(
            (
                name,
                count(repair.rows),
                repair.fitted.method if repair.fitted.method != "none" else say("method.none"),
                _value(main.before if main else None),
                _value(main.after if main else None),
                _interval(main, digits=3),
                say(f"verdict.{repair.verdict}"),
            )
        )
    heads = ("slice", "rows", "method", "before", "after")
    columns = (*(say(f"table.{head}") for head in heads), say("table.interval", level=percent(found.level)))
    return Table("", (*columns, say("table.verdict")), tuple(rows[:SHOWN]), "<><>>><", max(0, len(rows) - SHOWN))


def _details(repair: Repair, found: Recalibrator, say: Callable[..., str], *, first: bool) -> list[Section]:
    effect = repair.effect
    if effect is None:
        return []
    title = "" if first else f"{repair.name}: "
    reason = Sentence(_reason(effect, repair.verdict, say), TONES[repair.verdict])
    nodes: list[Node] = [reason, Sentence(say(f"use.{repair.use}"), "plain")]
    names = [name for name in FIRST if name in effect.changes]
    table = _numbers(effect, names, found.level, say)
    rest = [name for name in effect.changes if name not in names]
    out = [Section("", tuple(nodes), first=first), Section(title + say("section.numbers"), (table,), first=first)]
    notes = _notes(repair, effect, say)
    if notes:
        out.append(Section("", tuple(notes[:3]), first=first))
    more: list[Node] = [*notes[3:]]
    if rest:
        more.append(_numbers(effect, rest, found.level, say))
    if repair.in_sample:
        before, after = repair.in_sample[effect.decided_by]
        score = say(f"number.{effect.decided_by}")
        more.append(Notice("note", say("in_sample", score=score, before=_value(before), after=_value(after))))
    out.append(Section("", tuple(more)))
    return out


def _numbers(effect: Effect, names: list[str], level: float, say: Callable[..., str]) -> Table:
    rows = []
    for name in names:
        change = effect.changes[name]
        extra = change.extra or {}
        label = say(f"number.{name}")
        if "floor_after" in extra:
            label = say("number.floor", number=label, floor=_value(extra["floor_after"]))
        values = (_value(change.before), _value(change.after), _signed(change.difference))
        rows.append((label, *values, _interval(change)))
    heads = [say(f"table.{head}") for head in ("number", "before", "after", "change")]
    heads.append(say("table.interval", level=percent(level)))
    return Table("", tuple(heads), tuple(rows), "<>>>>")


def _notes(repair: Repair, effect: Effect, say: Callable[..., str]) -> list[Node]:
    params, method = repair.fitted.params, repair.fitted.method
    out: list[Node] = []
    if method == "temperature":
        key = "kept.temperature.yes_no" if repair.kind == "yes_no" else "kept.temperature"
        out.append(Notice("note", say(key, T=decimal(float(params["T"]), digits=3))))
    elif method == "platt" and float(params["slope"]) > 0:
        out.append(Notice("note", say("kept.order", slope=decimal(float(params["slope"]), digits=3))))
    if method not in ("temperature", "none") and repair.kind != "answer":
        out.append(Notice("note", say("kept.top", share=percent(effect.same_top))))
    bound = params.get("bound")
    if bound is not None:
        value = BOUNDS[0] if bound == "lower" else BOUNDS[1]
        out.append(Notice("warning", say(f"bound.{bound}", bound=f"{value:g}")))
    if effect.clusters is not None and effect.clusters < ROUGH_CLUSTERS:
        out.append(Notice("warning", say("few_clusters", clusters=effect.clusters)))
    if "own_T" in params:
        own, common = (decimal(float(params[name]), digits=2) for name in ("own_T", "pooled_T"))
        out.append(Notice("note", say("pooled", questions=params["pooled_questions"], own=own, pooled=common)))
    if "floor" in params:
        out.append(Notice("note", say("floor", floor=f"{float(params['floor']):.2g}")))
    if repair.rows > MOST_DISTINCT and repair.kind in ("yes_no", "answer"):
        out.append(Notice("note", say("grouped", most=count(MOST_DISTINCT))))
    return out


def _interval(change: Change | None, digits: int = 4) -> str:
    if change is None or change.low is None or change.high is None:
        return ""
    return f"{change.low:+.{digits}f} to {change.high:+.{digits}f}"


def _value(value: float | None) -> str:
    return "infinite" if value is None else decimal(value)


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.4f}"
