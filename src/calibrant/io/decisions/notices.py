"""Notices: what a reader has to know about a log, as keys and values; the sentences are in words/decisions/en.json."""

from __future__ import annotations

import json
from collections import defaultdict
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

from calibrant.io.decisions.answer import Missing
from calibrant.io.decisions.quality import MATCH_LEAST
from calibrant.safe import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from calibrant.io.decisions.facts import LogFacts, ModelFacts
    from calibrant.predictions import LeftOut

__all__ = ["Notice", "facts_notices", "sentences"]

FEW_DECIMALS = 3
LOW_MASS = 0.95
MAX_WORDS = 200


class Notice(NamedTuple):
    """One thing to say.

    Attributes:
        key: its sentence in words/decisions/en.json.
        values: what the sentence leaves open, ready to be printed.
        level: "warning" where a conclusion may be wrong because of it, else "note".
    """

    key: str
    values: Mapping[str, str]
    level: str = "note"


def facts_notices(facts: LogFacts) -> list[Notice]:
    """Everything worth saying about a log, the gravest first."""
    found = [
        *_labels(facts),
        *_reading(facts),
        *_missing(facts),
        *_served(facts),
        *_repeats(facts),
        *(notice for model in facts.models for notice in _model(model)),
    ]
    return sorted(found, key=lambda notice: notice.level != "warning")


def sentences(notices: list[Notice], lang: str = "en") -> list[str]:
    """The notices as sentences."""
    text = resources.files("calibrant.words").joinpath("decisions", f"{lang}.json").read_text("utf-8")
    words = json.loads(text)
    filled = []
    for notice in notices:
        values = dict(notice.values)
        if "formula" in values:
            values["formula"] = words[f"formula.{values['formula']}"]
        filled.append(words[notice.key].format_map(values))
    return filled


def _notice(key: str, level: str = "note", **values: Any) -> Notice:
    return Notice(key, {name: _text(value) for name, value in values.items()}, level)


def _text(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    return plain(str(value), limit=MAX_WORDS)


def _first(found: LeftOut) -> str:
    return ("record " if len(found.first) == 1 else "records ") + ", ".join(str(number) for number in found.first)


def _labels(facts: LogFacts) -> Iterator[Notice]:
    for one in facts.questions:
        where = {"question": one.question, "model": one.model}
        if one.labels_of_low_confidence:
            yield _notice("only_doubtful", "warning", all=one.confidence, labelled=one.confidence_labelled, **where)
        if one.constant is not None:
            yield _notice("constant", "warning", value=one.constant, **where)
    bare = [one for one in facts.questions if one.unlabelled]
    if bare:
        most = max(bare, key=lambda one: one.unlabelled)
        rows = sum(one.unlabelled for one in bare)
        total = sum(one.labelled + one.unlabelled for one in facts.questions)
        yield _notice("unlabelled", rows=rows, answers=total, question=most.question, model=most.model)
    truth = facts.truth
    if truth is not None:
        if truth.unmatched:
            rows, first = truth.rows - truth.matched, truth.unmatched[0]
            yield _notice("truth_unmatched", "warning", rows=rows, labels=truth.rows, name=truth.name, first=first)
        if truth.blank:
            yield _notice("truth_blank", rows=truth.blank, name=truth.name)
    for question, sets in facts.varying_options.items():
        yield _notice("options_vary", question=question, sets=sets)


def _reading(facts: LogFacts) -> Iterator[Notice]:
    for reason, found in facts.unread.items():
        yield _notice(
            "unread",
            "warning",
            rows=found.rows,
            records=facts.records + _lost(facts),
            reason=reason,
            first=_first(found),
        )
    for name, rows in facts.unknown_types.items():
        yield _notice("unknown_type", rows=rows, type=name)
    if facts.softmax:
        yield _notice("softmax", rows=facts.softmax)
    if facts.renormalised:
        yield _notice("renormalised", rows=facts.renormalised)


def _lost(facts: LogFacts) -> int:
    """Records that never became one; those of an unknown shape were records already."""
    return sum(found.rows for reason, found in facts.unread.items() if "known shape" not in reason)


def _missing(facts: LogFacts) -> Iterator[Notice]:
    for code in Missing.ALL:
        if code in facts.missing:
            detail = next(iter(facts.details.get(code, ())), "no reason given")
            found = facts.missing[code]
            yield _notice(
                f"missing.{code}", "warning", rows=found.rows, answers=facts.answers, first=_first(found), detail=detail
            )


def _served(facts: LogFacts) -> Iterator[Notice]:
    versions: dict[str, list[str]] = defaultdict(list)
    for (asked, served), rows in facts.served.items():
        if not served:
            if rows and asked:
                yield _notice("no_served", rows=rows)
            continue
        versions[asked].append(served)
        if asked and asked != served:
            yield _notice("served", rows=rows, asked=asked, served=served)
    for asked, names in versions.items():
        if asked and len(names) > 1:
            yield _notice(
                "several_versions", "warning", asked=asked, count=len(names), versions=", ".join(sorted(names))
            )


def _repeats(facts: LogFacts) -> Iterator[Notice]:
    repeats = facts.repeats
    if repeats.differ:
        yield _notice(
            "repeats_differ", "warning", differ=repeats.differ, repeated=repeats.repeated, largest=repeats.largest
        )
    elif repeats.repeated:
        yield _notice("repeats_same", repeated=repeats.repeated)


def _model(model: ModelFacts) -> Iterator[Notice]:
    if model.sums_off:
        yield _notice("sums_off", rows=model.sums_off, answers=model.answers, model=model.model, gap=model.largest_gap)
    if model.decimals is not None and model.decimals <= FEW_DECIMALS:
        yield _notice("rounded", model=model.model, decimals=model.decimals, half=0.5 * 10**-model.decimals)
    if model.zeros_and_ones:
        yield _notice("certain", model=model.model, rows=model.zeros_and_ones)
    if model.clipped:
        yield _notice("clipped", model=model.model, rows=model.clipped)
    if model.label_mass is not None and model.label_mass[1] < LOW_MASS:
        rows, mean, least, below = model.label_mass
        yield _notice("label_mass", model=model.model, rows=rows, mean=mean, least=least, below=below)
    for one in model.formulas:
        if one.reported < MATCH_LEAST:
            continue
        where = {"model": model.model, "kind": one.kind.replace("_", "/")}
        if "p_max" in one.matches:
            yield _notice("confidence.p_max", **where)
            continue
        counts = {"reported": one.accepted["reported"], "p_max": one.accepted["p_max"]}
        if one.matches:
            yield _notice("confidence.formula", "warning", formula=one.matches[0], **counts, **where)
        else:
            yield _notice("confidence.unknown", "warning", **counts, **where)
