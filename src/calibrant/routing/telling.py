"""The report of a policy, and of a policy on new rows, as nodes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from calibrant.report.nodes import Command, Node, Notice, Report, Section, Sentence, Table
from calibrant.report.results import SourceFacts
from calibrant.routing.choosing import NEVER
from calibrant.words.format import count, decimal, percent, percent_range
from calibrant.words.names import short_names
from calibrant.words.rooms import room_sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from calibrant.report.nodes import Tone
    from calibrant.routing.certify import Certificate
    from calibrant.routing.choosing import Chosen, Wish
    from calibrant.routing.judging import Judged
    from calibrant.routing.policy import SlicePolicy
    from calibrant.routing.rules import Outcome, Rule
    from calibrant.tallies.tally import Slice, Source

    Say = Callable[..., str]

__all__ = ["policy_report", "recheck_report"]

SHOWN = 20


def policy_report(
    judged: Sequence[tuple[Slice, Chosen, Judged]],
    source: Source,
    wish: Wish,
    *,
    seed: int,
    lang: str = "en",
) -> Report:
    """The report of a policy: what it does, what that lets through and costs, against the alternatives."""
    say = partial(_say, lang)
    one = len(judged) == 1
    name = ", ".join(source.names) or "data"
    sections = [Section("", (Sentence(say("source", name=name, rows=count(source.rows)), "quiet"),), first=True)]
    if not one:
        sections.append(Section(say("section.slices"), (_slice_table(judged, say),), first=True))
        if wish.max_error is not None:
            text = say("slices.confidence", confidence=_share(wish.confidence))
            sections.append(Section("", (Notice("note", text),), first=True))
    for part, chosen, found in judged:
        sections += _details(part, chosen, found, wish, say, first=one)
    doubts = {chosen.doubt.code for _, chosen, _ in judged if chosen.doubt is not None}
    cuts = sum(_acts(chosen) for _, chosen, _ in judged)
    key = "next.apply" if cuts else "next.recalibrate" if "uncalibrated" in doubts else "next.check"
    following = say(key, name=name)
    sections.append(Section("", (Command(following),), first=True))
    headline = (
        _headline(judged[0][1], judged[0][2], say) if one else say("headline.several", cuts=cuts, all=len(judged))
    )
    return _report(headline, sections, source, following, seed, lang)


def _say(lang: str, key: str, **values: object) -> str:
    return room_sentence("route", key, lang, **values)


def _report(headline: str, sections: list[Section], source: Source, following: str, seed: int, lang: str) -> Report:
    from calibrant import __version__

    facts = SourceFacts(", ".join(source.names) or "data", source.rows, source.notes)
    return Report(Sentence(headline, "strong"), tuple(sections), facts, (), following, __version__, seed, lang=lang)


def _acts(chosen: Chosen) -> bool:
    return chosen.doubt is None and any(not _never(rule) for rule in chosen.rules.values())


def _never(rule: Rule) -> bool:
    return rule.high >= NEVER and (rule.acts == "top" or (rule.low <= 0 and not rule.inclusive_low))


def _headline(chosen: Chosen, found: Judged, say: Say) -> str:
    if chosen.doubt is not None:
        return say("headline.nothing", why=_doubt(chosen, say))
    outcome = found.outcomes["policy"]
    if not outcome.acted:
        certificate = next(iter(chosen.certificates.values()), None)
        why = "" if certificate is None else _not_certified(certificate, say)
        return say("headline.nothing", why=why or say("rule.never"))
    return say(
        "headline.policy",
        automated=_share(outcome.automated),
        asked=_share(1 - outcome.automated),
        mistakes=decimal(1000 * (outcome.risk or 0.0), digits=0),
        range=_thousand(outcome),
        n=count(outcome.acted),
    )


def _doubt(chosen: Chosen, say: Say) -> str:
    assert chosen.doubt is not None
    whole = chosen.doubt.code in ("few_rows", "one_kind", "clusters", "weights")
    value = count(chosen.doubt.value) if whole else decimal(chosen.doubt.value, digits=3)
    return say(f"doubt.{chosen.doubt.code}", value=value)


def _details(part: Slice, chosen: Chosen, found: Judged, wish: Wish, say: Say, *, first: bool) -> list[Section]:
    name = ", ".join(f"{key}={value}" for key, value in part.by.items())
    title = "" if first else f"{name}: "
    nodes: list[Node] = []
    if chosen.doubt is None:
        nodes += [Sentence(text, "strong") for text in _rules(part, chosen, say)]
    elif not first:
        nodes.append(Sentence(_doubt(chosen, say), "unsure"))
    if chosen.tightened and wish.costs is not None and wish.costs.capacity is not None:
        nodes.append(Notice("note", say("rule.capacity", capacity=_share(wish.costs.capacity))))
    nodes += [_certificate(side, given, say) for side, given in chosen.certificates.items()]
    out = [Section(title.rstrip(), tuple(nodes), first=first)] if nodes else []
    out.append(Section(title + say("section.rules"), (_rule_table(found, say),), first=first))
    saved: list[Node] = [_saved(other, found, say) for other in found.savings] if chosen.doubt is None else []
    if wish.costs is not None and saved:
        costs = wish.costs
        key = "reviewer.exact" if costs.review_rows is None else "reviewer.measured"
        text = say(key, accuracy=_share(costs.review_accuracy), rows=costs.review_rows)
        saved.append(Notice("warning" if costs.review_rows is None else "note", text))
    if saved:
        out.append(Section("", tuple(saved), first=first))
    curve = found.coverage
    area = say("aurc", aurc=decimal(curve.aurc), best=decimal(curve.best), random=decimal(curve.random))
    out.append(Section(title + say("section.coverage"), (_curve(found, say), Sentence(area))))
    return out


def _rules(part: Slice, chosen: Chosen, say: Say) -> list[str]:
    out = []
    for option, rule in chosen.rules.items():
        if rule.acts == "top":
            end = ".option" if option else ""
            key = f"rule.never{end}" if _never(rule) else f"rule.top{end}"
            out.append(say(key, option=option, high=_cut(rule.high)))
            continue
        no, yes = _names(part, chosen.view)
        if _never(rule):
            out.append(say("rule.never"))
        else:
            key = "rule.both.no_person" if rule.low >= rule.high else "rule.both"
            high = say("rule.never") if rule.high >= NEVER else _cut(rule.high)
            out.append(say(key, no=no, yes=yes, low=_cut(rule.low), high=high))
    return out


def _names(part: Slice, view: str) -> tuple[str, str]:
    if view == "event":
        return "no", "yes"
    level = part.options[int(view.removeprefix("cut:"))]
    return f"above {level}", f"at most {level}"


def _certificate(side: str, found: Certificate, say: Say) -> Node:
    where = say(f"side.{side}")
    if found.threshold is None:
        text = say("certified.not", side=where, why=_not_certified(found, say))
        return Sentence(_tidy(text), "unsure")
    text = say(
        "certified",
        confidence=_share(found.confidence),
        max_error=_share(found.max_error),
        side=where,
        mistakes=count(found.mistakes),
        accepted=count(found.accepted),
        bound=_share(found.bound or 0.0),
    )
    return Sentence(_tidy(text), "good")


def _tidy(text: str) -> str:
    """A sentence without the gaps that empty parts leave."""
    return " ".join(text.split()).replace(" :", ":")


def _not_certified(found: Certificate, say: Say) -> str:
    if found.why is None:
        return ""
    key = "certified.errors.never" if found.why == "errors" and found.labels is None else f"certified.{found.why}"
    return say(key, labels=count(found.labels or 0), max_error=_share(found.max_error))


def _rule_table(found: Judged, say: Say) -> Table:
    with_cost = any(outcome.cost is not None for outcome in found.outcomes.values())
    heads = ["rule", "automated", "expected", "seen", "risk"]
    columns = [*(say(f"table.{head}") for head in heads), *([say("table.cost")] if with_cost else [])]
    rows = []
    for name, outcome in found.outcomes.items():
        row = (
            say(f"name.{name}"),
            _share(outcome.automated),
            count(outcome.expected),
            count(outcome.seen),
            _range(outcome),
        )
        rows.append((*row, "" if outcome.cost is None else count(outcome.cost)) if with_cost else row)
    return Table("", tuple(columns), tuple(rows), "<>>>>" + ">" * with_cost)


def _saved(other: str, found: Judged, say: Say) -> Node:
    saved = found.savings[other]
    if saved.low is None or saved.high is None:
        return Sentence(say(f"saved.plain.{other}", value=_money(saved.value)))
    tone: Tone = "good" if saved.low > 0 else "bad" if saved.high < 0 else "unsure"
    limits = f"{_money(saved.low)} to {_money(saved.high)}"
    return Sentence(say(f"saved.{other}", value=_money(saved.value), range=limits), tone)


def _curve(found: Judged, say: Say) -> Table:
    rows = tuple(
        (
            _share(point.coverage),
            _cut(point.confidence),
            _share(point.risk),
            percent_range(point.low, point.high),
            count(point.rows),
        )
        for point in found.coverage.points
    )
    heads = [say(f"table.{head}") for head in ("coverage", "confidence", "risk")]
    return Table("", (*heads, say("table.interval", level="95%"), say("table.rows")), rows, ">>>>>")


def _slice_table(judged: Sequence[tuple[Slice, Chosen, Judged]], say: Say) -> Table:
    rows = []
    names = short_names([part.by for part, _, _ in judged])
    for (part, chosen, found), name in zip(judged, names, strict=True):
        outcome = found.outcomes["policy"]
        lacking = [_not_certified(given, say) for given in chosen.certificates.values() if given.threshold is None]
        result = (
            _doubt(chosen, say)
            if chosen.doubt is not None
            else " ".join(_rules(part, chosen, say) if _acts(chosen) else lacking[:1] or [say("rule.never")])
        )
        rows.append((name, count(part.n), _share(outcome.automated), _range(outcome), result))
    heads = tuple(say(f"table.{head}") for head in ("slice", "rows", "automated", "risk", "result"))
    return Table("", heads, tuple(rows[:SHOWN]), "<>>><", max(0, len(rows) - SHOWN))


def recheck_report(
    found: Sequence[tuple[Slice, SlicePolicy, Outcome]],
    source: Source,
    settings: Mapping[str, Any],
    *,
    lang: str = "en",
) -> Report:
    """A policy on new rows: does it do what it promised?"""
    say = partial(_say, lang)
    bar = settings.get("max_error")
    nodes: list[Node] = []
    rows = []
    for part, own, outcome in found:
        expected, seen = count(outcome.expected), count(outcome.seen)
        rows.append(
            (own.name or say("name.policy"), count(part.n), _share(outcome.automated), expected, seen, _range(outcome))
        )
        if bar is not None and outcome.low is not None and outcome.high is not None:
            key = "holds" if outcome.high <= bar else "broken" if outcome.low > bar else "open"
            text = say(f"recheck.{key}", max_error=_share(bar), low=_share(outcome.low), high=_share(outcome.high))
            tone: Tone = "good" if key == "holds" else "bad" if key == "broken" else "unsure"
            nodes.append(Sentence(f"{own.name}: {text}" if own.name else text, tone))
        elif outcome.acted:
            text = say("recheck.expected", expected=expected, seen=seen)
            nodes.append(Sentence(f"{own.name}: {text}" if own.name else text))
    heads = tuple(say(f"table.{head}") for head in ("rule", "rows", "automated", "expected", "seen", "risk"))
    name = ", ".join(source.names) or "data"
    following = say("next.check", name=name)
    first = found[0][2]
    if len(found) > 1 or not first.acted:
        headline = say("headline.recheck.nothing") if not any(o.acted for _, _, o in found) else _worst(found, say)
    else:
        headline = _recheck_headline(first, say)
    sections = [
        Section("", (Sentence(say("source", name=name, rows=count(source.rows)), "quiet"),), first=True),
        Section("", tuple(nodes) or (Sentence(headline),), first=True),
        Section("", (Table("", heads, tuple(rows[:SHOWN]), "<>>>>>", max(0, len(rows) - SHOWN)),), first=True),
        Section("", (Command(following),), first=True),
    ]
    return _report(headline, sections, source, following, 0, lang)


def _worst(found: Sequence[tuple[Slice, SlicePolicy, Outcome]], say: Say) -> str:
    own, outcome = max(((own, o) for _, own, o in found if o.acted), key=lambda pair: pair[1].risk or 0.0)
    return f"{own.name}: {_recheck_headline(outcome, say)}"


def _recheck_headline(outcome: Outcome, say: Say) -> str:
    return say(
        "headline.recheck",
        automated=_share(outcome.automated),
        mistakes=decimal(1000 * (outcome.risk or 0.0), digits=0),
        range=_thousand(outcome),
        n=count(outcome.acted),
    )


def _thousand(outcome: Outcome) -> str:
    if outcome.low is None or outcome.high is None:
        return "no interval for rows that belong together"
    return f"{1000 * outcome.low:.0f}–{1000 * outcome.high:.0f}"


def _range(outcome: Outcome) -> str:
    if outcome.risk is None:
        return ""
    if outcome.low is None or outcome.high is None:
        return _share(outcome.risk)
    return f"{_share(outcome.risk)} ({percent_range(outcome.low, outcome.high)})"


def _share(value: float) -> str:
    digits = 0 if abs(value * 100 - round(value * 100)) < 1e-9 else 1
    return percent(value) if digits == 0 or not 0.01 < value < 0.99 else f"{100 * value:.1f}%"


def _cut(value: float) -> str:
    return f"{value:.4g}"


def _money(value: float) -> str:
    return count(value) if abs(value) >= 10 else decimal(value, digits=2)
