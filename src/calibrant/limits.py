"""Limits: rules such as "event_ece > 0.08" that fail a run when they hold.

A rule is `name[.part] operator number`. The name is that of a number in the report (or `n`, the rows); the part is
one of its limits or facts, such as `.low`, `.high`, `.floor_95` or `.p_value`; the operator is one of > >= < <=.
A rule that cannot be judged fails: a gate that passes because a number went missing guards nothing.
"""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.errors import OptionError
from calibrant.report.results import LimitResult
from calibrant.words import sentence
from calibrant.words.format import count, decimal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from calibrant.measure.number import Number
    from calibrant.report.results import SliceResult

__all__ = ["Rule", "check_limits", "parse_rule"]

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_RULE = re.compile(
    r"\s*(?P<name>[a-z][a-z0-9_]*)(?:\.(?P<part>[a-z][a-z0-9_]*))?\s*(?P<operator>>=|<=|>|<)\s*(?P<bar>\S+)\s*"
)
_HINT = 'Write a rule as in "event_ece > 0.08" or "brier.high > 0.25": name, one of > >= < <=, number.'


@dataclass(frozen=True, slots=True)
class Rule:
    """One parsed rule.

    Attributes:
        text: the rule as it was written.
        name: name of the number, or "n".
        part: which part of it: "" for its value, else "low", "high" or a fact such as "floor_95".
        operator: one of > >= < <=.
        bar: the number it is compared with.
    """

    text: str
    name: str
    part: str
    operator: str
    bar: float

    def holds(self, value: float) -> bool:
        """True if the rule's condition holds for a value, so that the run fails.

        Example:
            >>> parse_rule("event_ece > 0.08").holds(0.1)
            True
        """
        return _OPERATORS[self.operator](value, self.bar)

    @property
    def subject(self) -> str:
        """What is compared, such as "event_ece.high"."""
        return f"{self.name}.{self.part}" if self.part else self.name


def parse_rule(text: str) -> Rule:
    """Read a rule.

    Raises:
        OptionError: if the text is no rule, or its number is not a finite one.

    Example:
        >>> rule = parse_rule("event_ece.high>0.08")
        >>> rule.subject, rule.operator, rule.bar
        ('event_ece.high', '>', 0.08)
    """
    found = _RULE.fullmatch(text)
    if found is None:
        raise OptionError(f"{text!r} is not a rule that --fail-if understands.", hint=_HINT)
    try:
        bar = float(found["bar"].removesuffix("%")) / (100 if found["bar"].endswith("%") else 1)
    except ValueError:
        bar = math.nan
    if not math.isfinite(bar):
        raise OptionError(f"{found['bar']!r} in the rule {text!r} is not a number.", hint=_HINT)
    return Rule(text.strip(), found["name"], found["part"] or "", found["operator"], bar)


def check_limits(
    rules: Iterable[Rule | str], slices: Sequence[SliceResult], *, lang: str = "en"
) -> tuple[LimitResult, ...]:
    """Judge rules on every slice; a rule fails if it holds, or cannot be judged, for any of them.

    Args:
        rules: the rules, parsed or as texts.
        slices: the results.
        lang: language of the sentences.

    Returns:
        One result for each rule, which names the slices where it failed.

    Raises:
        OptionError: if a text is no rule.
    """
    parsed = [rule if isinstance(rule, Rule) else parse_rule(rule) for rule in rules]
    return tuple(_result(rule, slices, lang) for rule in parsed)


def _result(rule: Rule, slices: Sequence[SliceResult], lang: str) -> LimitResult:
    judged = [_judged(rule, part, lang) for part in slices]
    if not judged:
        judged = [(True, sentence("limit.missing", lang, name=rule.subject))]
    failed = [found for bad, found in judged if bad]
    shown = failed or [found for _, found in judged]
    told = "; ".join(shown[:_MOST_TOLD])
    if len(shown) > _MOST_TOLD:
        told += "; " + sentence("limit.more", lang, more=count(len(shown) - _MOST_TOLD, lang))
    key = "limit.failed" if failed else "limit.passed"
    return LimitResult(rule.text, bool(failed), sentence(key, lang, rule=rule.text, found=told))


_MOST_TOLD = 3


def _judged(rule: Rule, part: SliceResult, lang: str) -> tuple[bool, str]:
    """Whether the rule fails on a slice, and what was found there."""
    key, words = (".slice", {"slice": part.name}) if part.by else ("", {})
    number = part.numbers.get(rule.name)
    if rule.name == "n" and not rule.part:
        value: float | None = part.n
    elif number is None:
        return True, sentence(f"limit.missing{key}", lang, name=rule.name, **words)
    else:
        value = _part(number, rule.part)
    if value is None:
        why = (number.why if number is not None and not rule.part else None) or sentence(
            "limit.no_part", lang, part=rule.part or "value"
        )
        return True, sentence(f"limit.none{key}", lang, name=rule.subject, why=why, **words)
    shown = count(value, lang) if rule.name == "n" else decimal(value, lang)
    return rule.holds(value), sentence(f"limit.found{key}", lang, name=rule.subject, value=shown, **words)


def _part(number: Number, part: str) -> float | None:
    """A part of a number as a float; None where there is none."""
    if part:
        value = {"low": number.low, "high": number.high, "n": number.n}.get(part, number.extra.get(part))
    elif number.value is None and number.extra.get("infinite_rows"):
        # JSON has no infinity, so such a value travels as none; for a limit it is above every number.
        value = math.inf
    else:
        value = number.value
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return float(value)
