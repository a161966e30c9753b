"""The report of a comparison, as nodes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from calibrant.report.nodes import Command, Node, Notice, Report, Section, Sentence, Table
from calibrant.report.results import SourceFacts
from calibrant.words.format import count, decimal, p_value, percent
from calibrant.words.rooms import room_sentence

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibrant.comparison.comparison import Comparison
    from calibrant.comparison.results import Compared, PairResult
    from calibrant.measure.number import Number
    from calibrant.report.nodes import Tone

__all__ = ["comparison_report"]

SHOWN_MODELS = 8
SHOWN_PAIRS = 10
ORDER = (
    "brier",
    "log_loss",
    "rps",
    "brier_skill",
    "accuracy",
    "debiased_l2_square",
    "miscalibration",
    "discrimination",
)
TONES: dict[str, Tone] = {"first": "good", "second": "good", "equivalent": "good", "no_worse": "good"}


def comparison_report(found: Comparison) -> Report:
    """The report: who is better, the models, the differences, what decides."""
    from calibrant import __version__

    say = partial(_say, found.lang)
    first = found.slices[0]
    one = len(found.slices) == 1
    sections: list[Section] = []
    for part in found.slices:
        sections += _slice(part, found, say, first=one)
    if not one:
        sections.insert(0, Section("", (_overview(found, say),), first=True))
    if found.notes:
        sections.append(Section("", tuple(Notice("note", note) for note in found.notes), first=True))
    following = say("next.all", command=found.command)
    sections.append(Section("", (Command(following),), first=True))
    headline = (
        _headline(first, found, say)
        if one
        else say("headline.slices", slices=len(found.slices), first=_headline(first, found, say), name=first.name)
    )
    rows = sum(part.all_items for part in found.slices)
    return Report(
        Sentence(headline, "strong"),
        tuple(sections),
        SourceFacts(found.source, rows, found.notes),
        (),
        following,
        __version__,
        found.settings.seed,
        lang=found.lang,
    )


def _say(lang: str, key: str, **values: object) -> str:
    return room_sentence("compare", key, lang, **values)


def _headline(part: Compared, found: Comparison, say: Callable[..., str]) -> str:
    if len(part.pairs) == 1:
        return _pair_sentence(part.pairs[0], part, found, say)
    if not part.pairs[0].paired:
        return say("headline.unpaired.many", models=len(part.models))
    best = part.models[0].name
    mine = [pair for pair in part.pairs if best in (pair.first, pair.second)]
    beaten = sum(pair.code == ("first" if pair.first == best else "second") for pair in mine)
    return say(
        "headline.many",
        best=best,
        score=say(f"score.{found.settings.score}"),
        value=_value(part.models[0].scores.get(found.settings.score)),
        beaten=beaten,
        others=len(mine),
        items=count(part.items),
    )


def _pair_sentence(pair: PairResult, part: Compared, found: Comparison, say: Callable[..., str]) -> str:
    number = pair.numbers[found.settings.score] if found.settings.score in pair.numbers else pair.numbers["brier"]
    low, high = number.extra.get("all_pairs_low", number.low), number.extra.get("all_pairs_high", number.high)
    some = isinstance(low, float) and isinstance(high, float)
    better, other = (pair.first, pair.second) if pair.code != "second" else (pair.second, pair.first)
    return say(
        f"pair.{pair.code}",
        first=pair.first,
        second=pair.second,
        better=better,
        other=other,
        score=say(f"score.{found.settings.score}"),
        better_score=_side(number, first=better == pair.first),
        other_score=_side(number, first=better != pair.first),
        difference=_signed(number.value),
        range=say("range", low=_signed(low), high=_signed(high)) if some else say("no_range"),
        items=count(part.items or part.all_items),
        margin="" if found.settings.margin is None else f"{found.settings.margin:g}",
        why=number.why or "",
    )


def _overview(found: Comparison, say: Callable[..., str]) -> Table:
    rows = []
    for part in found.slices:
        best = part.models[0]
        rows.append((part.name, count(part.items), best.name, _value(best.scores.get(found.settings.score))))
    heads = tuple(say(f"table.{name}") for name in ("slice", "items", "best", "score"))
    return Table("", heads, tuple(rows), "<><>")


def _slice(part: Compared, found: Comparison, say: Callable[..., str], *, first: bool) -> list[Section]:
    title = "" if first else f"{part.name}: "
    out = []
    read: list[Node] = [Sentence(_read(part, say), "quiet"), *(Notice("warning", note) for note in part.notes)]
    if part.different_outcomes:
        read.append(Notice("warning", say("different_outcomes", items=count(part.different_outcomes))))
    out.append(Section("", tuple(read), first=first))
    out.append(Section(title + say("section.models"), (_models(part, found, say),), first=first))
    if len(part.pairs) > 1:
        out.append(Section(title + say("section.pairs"), (_pairs(part, found, say),), first=first))
    for pair in part.pairs:
        heading = say("section.differences", first=pair.first, second=pair.second)
        nodes: list[Node] = [_numbers(pair, found, say)]
        nodes += _decides(pair, part, found, say)
        out.append(Section(title + heading, tuple(nodes), first=first and len(part.pairs) == 1))
    return out


def _read(part: Compared, say: Callable[..., str]) -> str:
    if not part.pairs[0].paired:
        return say("read.unpaired", rows=count(part.all_items))
    unit = say("unit.clusters", units=count(part.units)) if part.clustered else say("unit.rows")
    return say(
        "read.paired",
        items=count(part.items),
        rest=count(part.all_items - part.items - part.different_outcomes),
        unit=unit,
    )


def _models(part: Compared, found: Comparison, say: Callable[..., str]) -> Table:
    score = found.settings.score
    paired = part.pairs[0].paired
    rows = []
    for model in part.models[:SHOWN_MODELS]:
        common = _value(model.scores.get(score))
        own = (_value(model.own), _value(model.filled)) if paired else ()
        rows.append((model.name, count(model.items), count(model.left_out), common, *own))
    if part.uniform is not None and score == "brier":
        rows.append((say("uniform"), "", "", _value(part.uniform), *((_value(part.uniform), "") if paired else ())))
    heads = [
        say("table.model"),
        say("table.items"),
        say("table.left_out"),
        say("table.common", score=say(f"score.{score}")),
    ]
    if paired:
        heads += [say("table.own"), say("table.filled")]
    more = max(0, len(part.models) - SHOWN_MODELS)
    return Table("", tuple(heads), tuple(rows), "<" + ">" * (len(heads) - 1), more)


def _pairs(part: Compared, found: Comparison, say: Callable[..., str]) -> Table:
    ranked = sorted(part.pairs, key=lambda pair: 2.0 if pair.p_value is None else pair.p_value)
    rows = []
    for pair in ranked[:SHOWN_PAIRS]:
        number = pair.numbers.get(found.settings.score)
        low = number.extra.get("all_pairs_low", number.low) if number else None
        high = number.extra.get("all_pairs_high", number.high) if number else None
        some = isinstance(low, float) and isinstance(high, float)
        text = say("range", low=_signed(low), high=_signed(high)) if some else ""
        rows.append(
            (
                f"{pair.first} - {pair.second}",
                _signed(number.value if number else None),
                text,
                "" if pair.p_value is None else _short(pair.p_value),
                say(f"code.{pair.code}", first=pair.first, second=pair.second),
            )
        )
    heads = (
        say("table.pair"),
        say("table.difference"),
        say("table.together", level=percent(found.settings.level)),
        say("table.p_adjusted"),
        say("table.verdict"),
    )
    return Table("", heads, tuple(rows), "<>>><", max(0, len(ranked) - SHOWN_PAIRS))


def _numbers(pair: PairResult, found: Comparison, say: Callable[..., str]) -> Table:
    rows = []
    for name in ORDER:
        number = pair.numbers.get(name)
        if number is None:
            continue
        some = number.low is not None and number.high is not None
        text = say("range", low=_signed(number.low), high=_signed(number.high)) if some else (number.why or "")
        p = number.extra.get("p_value")
        rows.append(
            (
                say(f"number.{name}"),
                _side(number, first=True),
                _side(number, first=False),
                _signed(number.value),
                text,
                _short(p) if isinstance(p, float) else "",
            )
        )
    heads = (say("table.number"), pair.first, pair.second, say("table.difference"), percent(found.settings.level), "p")
    return Table("", heads, tuple(rows), "<>>>><")


def _decides(pair: PairResult, part: Compared, found: Comparison, say: Callable[..., str]) -> list[Node]:
    out: list[Node] = []
    number = pair.numbers.get(found.settings.score)
    flips = number.extra.get("flip_p_value") if number else None
    if isinstance(flips, float):
        out.append(Sentence(say("flips", p=p_value(flips)), "plain"))
    if pair.table is not None:
        both, one, two, none = pair.table
        known = pair.numbers["accuracy"].extra.get("mcnemar_p_value")
        tail = say("mcnemar", p=p_value(known)) if isinstance(known, float) else ""
        text = say(
            "right",
            both=count(both),
            one=count(one),
            two=count(two),
            none=count(none),
            first=pair.first,
            second=pair.second,
        )
        out.append(Sentence(f"{text} {tail}".strip(), "plain"))
    if number is not None and isinstance(number.extra.get("detectable"), float):
        needed = number.extra.get("units_needed")
        key = "detectable.clusters" if part.clustered else "detectable"
        value = decimal(float(str(number.extra["detectable"])))
        text = say(key, difference=value)
        if isinstance(needed, int) and pair.code == "not_shown":
            text += " " + say("needed.clusters" if part.clustered else "needed", units=count(needed))
        out.append(Sentence(text, "plain"))
    if pair.deciding is not None and pair.deciding.half:
        text = say("half", half=count(pair.deciding.half), items=count(part.items))
        if pair.deciding.reverse is not None:
            text += " " + say("reverse", reverse=count(pair.deciding.reverse))
        out.append(Sentence(text, "plain"))
        rows = tuple((item, decimal(a), decimal(b)) for item, a, b in pair.deciding.top)
        out.append(Table("", (say("table.item"), pair.first, pair.second), rows, "<>>"))
    return out


def _side(number: Number, *, first: bool) -> str:
    value = number.extra.get("first" if first else "second")
    return decimal(value) if isinstance(value, float) else ""


def _value(value: float | None) -> str:
    return "" if value is None else decimal(value)


def _short(p: float) -> str:
    """A p-value below a heading that says p."""
    return p_value(p).removeprefix("p = ").removeprefix("p ")


def _signed(value: object) -> str:
    return f"{value:+.4f}" if isinstance(value, float) else ""
