"""Policy: decides in code, and travels as JSON of schema calibrant.policy/1 (schemas/policy-1.json)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import FileError, InputError
from calibrant.routing.rules import PERSON, YES, Rule
from calibrant.safe import read_capped, write_atomic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from calibrant.predictions import Kind
    from calibrant.report.nodes import Report

__all__ = ["SCHEMA", "Policy", "SlicePolicy"]

SCHEMA = "calibrant.policy/1"
ASK = "person"


@dataclass(frozen=True, slots=True)
class SlicePolicy:
    """The policy for one combination.

    Attributes:
        by: the combination.
        kind: kind of the questions.
        options: names of the options; empty when unknown or different.
        rules: the rule of the view, by option where options have their own; the key "" is every other option.
        view: "event", "top", or "cut:K" for "at most level K".
        refusal: why there is no cut: then everything goes to a person.
        evidence: what it rests on, as JSON knows it.
    """

    by: Mapping[str, str]
    kind: Kind
    options: tuple[str, ...]
    rules: Mapping[str, Rule]
    view: str
    refusal: str | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The combination in one text."""
        return ", ".join(f"{key}={value}" for key, value in self.by.items())

    @property
    def names(self) -> tuple[str, str]:
        """What "no" and "yes" are called."""
        if self.view.startswith("cut:") and self.options:
            level = int(self.view.removeprefix("cut:"))
            return f"above {self.options[level]}", f"at most {self.options[level]}"
        return ("no", "yes") if self.kind == "yes_no" else (ASK, "act")

    def rule_for(self, option: str) -> Rule:
        """The rule of an option, or that of every other one."""
        return self.rules.get(option, self.rules.get("", Rule("policy", 0.0, 2.0, "top")))

    def decide(self, prob: float | Sequence[float]) -> str:
        """What to do with one probability, or with those of all options: an answer, or "person"."""
        if self.refusal is not None:
            return ASK
        if self.kind in ("choice", "score"):
            return self._decide_options(np.asarray(prob, dtype=np.float64))
        value = float(np.asarray(prob, dtype=np.float64).reshape(-1)[0]) if np.size(prob) == 1 else float("nan")
        if not 0 <= value <= 1:
            raise InputError(f"A probability from 0 to 1 is needed, got {prob!r}.")
        action = int(self.rule_for("").action(np.array([value]))[0])
        return ASK if action == PERSON else self.names[action]

    def _decide_options(self, probs: Any) -> str:
        if probs.ndim != 1 or probs.size < 2 or (self.options and probs.size != len(self.options)):
            wanted = len(self.options) or "several"
            raise InputError(f"{wanted} probabilities are needed, one for each option; got shape {probs.shape}.")
        if not bool(np.all((probs >= 0) & (probs <= 1))):
            raise InputError("Probabilities must lie from 0 to 1.")
        if self.view.startswith("cut:"):
            below = float(np.clip(probs[: int(self.view.removeprefix("cut:")) + 1].sum(), 0.0, 1.0))
            action = int(self.rule_for("").action(np.array([below]))[0])
            return ASK if action == PERSON else self.names[action]
        top = int(probs.argmax())
        option = self.options[top] if self.options else str(top)
        return option if int(self.rule_for(option).action(probs[top : top + 1])[0]) == YES else ASK


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """Which answers to act on. `print(policy)` is the report, `policy.decide(prob)` the decision.

    Attributes:
        parts: one policy for each combination.
        settings: costs, error rates and the rest that was asked for.
        source: names and rows of the data.
        report: the report; None when read from a file.
    """

    parts: tuple[SlicePolicy, ...]
    settings: Mapping[str, Any]
    source: Mapping[str, Any]
    report: Report | None = None

    def decide(self, prob: ArrayLike, **by: str) -> str | list[str]:
        """What to do: an answer ("yes", "no", an option's name), or "person".

        Args:
            prob: one probability, or one per option; or an array of such rows, shape (n,) for yes/no and (n, k) else.
            **by: the combination, such as question="billing".

        Raises:
            InputError: if there is no policy for this combination, or `prob` holds no probabilities.

        Example:
            >>> rule = {"": Rule("policy", 0.1, 0.5, "both")}
            >>> policy = Policy((SlicePolicy({}, "yes_no", ("no", "yes"), rule, "event"),), {}, {})
            >>> policy.decide(0.3), policy.decide([0.05, 0.5])
            ('person', ['no', 'yes'])
        """
        part = self.part(by)
        values = np.asarray(prob, dtype=np.float64)
        single = 1 if part.kind in ("choice", "score") else 0
        if values.ndim == single:
            return part.decide(values)  # type: ignore[arg-type]
        return [part.decide(row) for row in values]

    def part(self, by: Mapping[str, str]) -> SlicePolicy:
        """The policy for a combination.

        Raises:
            InputError: if there is none.
        """
        for part in self.parts:
            if dict(part.by) == dict(by):
                return part
        known = "; ".join(part.name or "everything" for part in self.parts[:8])
        wanted = ", ".join(f"{key}={value}" for key, value in by.items()) or "rows without a named combination"
        raise InputError(f"There is no policy for {wanted}; it has {known}.", hint="Make one: calibrant route FILE")

    def to_json(self, path: str | Path | None = None) -> str:
        """The policy file; also written to `path` if given."""
        from calibrant import __version__

        document = {
            "schema": SCHEMA,
            "version": __version__,
            "source": dict(self.source),
            "settings": dict(self.settings),
            "policies": [_part(part) for part in self.parts],
        }
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
        if path is not None:
            write_atomic(path, text)
        return text

    @classmethod
    def from_json(cls, document: str | Path) -> Policy:
        """Read a policy file, from its path or its text.

        Raises:
            FileError: if it is no policy file, damaged, or too new.
        """
        text, name = str(document), "policy"
        if isinstance(document, Path) or not text.lstrip().startswith("{"):
            name = text
            text = read_capped(document).decode("utf-8", "replace")
        try:
            found = json.loads(text)
            schema = found["schema"]
        except (ValueError, KeyError, TypeError):
            raise FileError(
                f"{name} is no policy file.", hint="Make one: calibrant route FILE -o policy.json"
            ) from None
        if schema != SCHEMA:
            raise FileError(f"{name} has the schema {schema!r}; this version reads {SCHEMA!r}.")
        try:
            parts = tuple(_read(entry) for entry in found["policies"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FileError(f"{name} is damaged: {error}.") from None
        return cls(parts, found.get("settings", {}), found.get("source", {}))

    def __str__(self) -> str:
        return self.to_json() if self.report is None else str(self.report)


def _part(part: SlicePolicy) -> dict[str, Any]:
    return {
        "for": dict(part.by),
        "kind": part.kind,
        "options": list(part.options),
        "view": part.view,
        "refusal": part.refusal,
        "rules": {
            option: {"no_below": rule.low, "no_includes_edge": rule.inclusive_low, "yes_from": rule.high}
            if rule.acts == "both"
            else {"act_from": rule.high}
            for option, rule in part.rules.items()
        },
        "evidence": dict(part.evidence),
    }


def _read(entry: Mapping[str, Any]) -> SlicePolicy:
    rules = {}
    for option, rule in entry["rules"].items():
        if "act_from" in rule:
            rules[str(option)] = Rule("policy", 0.0, float(rule["act_from"]), "top")
        else:
            low, high = float(rule["no_below"]), float(rule["yes_from"])
            if low > high:
                raise ValueError("a band ends before it starts")
            rules[str(option)] = Rule("policy", low, high, "both", bool(rule["no_includes_edge"]))
    kind, view = entry["kind"], str(entry["view"])
    if kind not in ("yes_no", "answer", "choice", "score"):
        raise ValueError(f"there is no kind {kind!r}")
    options = tuple(str(option) for option in entry["options"])
    by = {str(key): str(value) for key, value in entry["for"].items()}
    return SlicePolicy(by, kind, options, rules, view, entry.get("refusal"), entry.get("evidence", {}))
