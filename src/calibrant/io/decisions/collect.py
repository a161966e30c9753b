"""Collecting answers into a tally: a slice for each served model and question, and the facts of the log."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import InputError, OptionError
from calibrant.io.decisions.answer import CHOICE, KNOWN_KINDS, SCORE, Missing
from calibrant.io.decisions.facts import LogFacts, TruthFacts
from calibrant.io.decisions.labels import LabelReader
from calibrant.io.decisions.likelihood import probabilities_of
from calibrant.io.decisions.quality import ModelQuality
from calibrant.io.decisions.repeats import Repeats
from calibrant.io.decisions.slots import COLUMNS, Slots
from calibrant.predictions import FIRST_RECORDS, LeftOut, add_left_out
from calibrant.tallies.collect import TallyBuilder
from calibrant.tallies.tally import Source

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from calibrant.io.decisions.answer import Answer
    from calibrant.io.decisions.facts import QuestionFacts
    from calibrant.io.decisions.log import LogReader
    from calibrant.io.decisions.truth import Truth
    from calibrant.tallies.tally import Tally

__all__ = ["BY", "Collector", "Reading"]

BY = ("model", "question")
BLOCK = 2**16
MAX_PAIRS = 1000
UNKNOWN_MODEL = "(model not stated)"


@dataclass(frozen=True, slots=True)
class Reading:
    """How answers are understood; every choice that changes a number is here and is named in the report.

    Attributes:
        by: what makes a slice: "model" (served), "model_asked", "question", "kind", or the name of a tag.
        words: label word to option name.
        yes: further words for yes.
        no: further words for no.
        loglikelihoods: None, "softmax", or "softmax_per_byte": how log-likelihoods become probabilities.
        renormalise: divide probabilities by their sum.
        cluster: keep sums by item, so that intervals allow for several rows of one item.
        strict: refuse the first record or row that cannot be used.
    """

    by: tuple[str, ...] = BY
    words: Mapping[str, str] | None = None
    yes: Collection[str] = ()
    no: Collection[str] = ()
    loglikelihoods: str | None = None
    renormalise: bool = False
    cluster: bool = False
    strict: bool = False


class Collector:
    """Takes answers one by one, works on them in blocks, and gives a tally and facts."""

    def __init__(self, reading: Reading, truth: Truth | None = None) -> None:
        if not {"question", "kind"} & set(reading.by):
            reading = replace(reading, by=(*reading.by, "kind"))
        if len(set(reading.by)) != len(reading.by):
            raise OptionError(f"--by names a column twice: {', '.join(reading.by)}.")
        self._reading, self._truth = reading, truth
        weighted = truth is not None and truth.weighted
        self._builder = TallyBuilder(reading.by, "sampling" if weighted else None)
        self._labels = LabelReader(reading.words, reading.yes, reading.no)
        self._slots = Slots(reading.by, weighted=weighted)
        self._models: dict[str, ModelQuality] = {}
        self._repeats = Repeats()
        self._answers = self._pending = self._renormalised = self._softmax = self._matched = 0
        self._missing: dict[str, LeftOut] = {}
        self._details: dict[str, Counter[str]] = {}
        self._unknown: Counter[str] = Counter()
        self._served: Counter[tuple[str, str]] = Counter()
        self._pair: tuple[str | None, str | None] = (None, None)
        self._run = 0

    def add(self, number: int, answer: Answer, log: str) -> None:
        """Add one answer.

        Raises:
            RowError: if its label is none of its options.
        """
        self._answers += 1
        asked, served = answer.model_asked, answer.model_served
        if (asked, served) == self._pair:
            self._run += 1
        else:
            self._count_pair((asked, served))
        if answer.kind not in KNOWN_KINDS and answer.missing is None:
            self._unknown[answer.kind.removeprefix("other:")] += 1
            return
        model = served or asked or UNKNOWN_MODEL
        probabilities = answer.probabilities
        if probabilities is None and answer.loglikelihoods is not None and answer.missing is None:
            probabilities = probabilities_of(answer, self._reading.loglikelihoods, f"record {number} of {log}")
            self._softmax += 1
        label, weight, source = answer.label, 1.0, (number, log)  # what the log labels itself was certain to be in
        if self._truth is not None:
            found = self._truth.find(answer.item or f"record {number}", answer.question, answer.state)
            if found is not None:
                label, source = found.label, (found.record, self._truth.name)
                weight = math.nan if found.weight is None else found.weight
                self._matched += 1
        if probabilities is None:
            self._add_missing(number, answer, self._slots.combination(answer, model), model)
            return
        place = -1 if label is None else self._labels.place(answer, label, source)
        group = self._slots.group(answer, model)
        group.add(number, answer, probabilities, place, weight)
        if self._reading.cluster:
            group.clusters.append(answer.item or f"record {number}")
        self._pending += 1
        if self._pending >= BLOCK:
            self._flush()

    def _count_pair(self, pair: tuple[str | None, str | None]) -> None:
        """Count a run of answers of one pair of models, and begin the next."""
        asked, served = self._pair
        known = (asked or "", served or "")
        if self._run and (len(self._served) < MAX_PAIRS or known in self._served):
            self._served[known] += self._run
        self._pair, self._run = pair, 1

    def finish(self, readers: list[LogReader]) -> tuple[Tally, LogFacts]:
        """The tally and the facts of everything added."""
        self._flush()
        self._count_pair((None, None))
        self._builder_missing()
        for name in self._slots.unknown_columns():
            raise OptionError(
                f"No answer has the column `{name}` that --by asks for.",
                hint=f"Slice by {', '.join(COLUMNS)}, or by a tag of the log such as split.",
            )
        records = sum(reader.records for reader in readers)
        names = tuple(reader.name for reader in readers)
        notes = self._notes(readers)
        tally = self._builder.tally(Source(names, records, notes))
        facts = LogFacts(
            names,
            records,
            self._answers,
            dict(sum((Counter(reader.shapes) for reader in readers), Counter[str]())),
            add_left_out([reader.unread for reader in readers]),
            self._missing,
            {code: dict(words.most_common(3)) for code, words in self._details.items()},
            dict(self._unknown.most_common()),
            self._questions(),
            tuple(self._models[name].facts() for name in sorted(self._models)),
            dict(self._served.most_common()),
            self._repeats.facts(),
            self._truth_facts(),
            self._slots.varying(),
            self._renormalised,
            self._softmax,
        )
        return tally, facts

    def _add_missing(self, number: int, answer: Answer, combination: tuple[str, ...], model: str) -> None:
        code = answer.missing or Missing.NO_PROBABILITIES
        found = self._missing.get(code, LeftOut(0))
        first = found.first if len(found.first) >= FIRST_RECORDS else (*found.first, number)
        self._missing[code] = LeftOut(found.rows + 1, first)
        words = self._details.setdefault(code, Counter())
        if answer.detail and (len(words) < MAX_PAIRS or answer.detail in words):
            words[answer.detail] += 1
        self._slots.miss(combination, model, answer, code, number)

    def _flush(self) -> None:
        for group in self._slots.groups():
            if not group.rows:
                continue
            block = group.block()
            probs = block.probs
            quality = self._models.setdefault(group.model, ModelQuality(group.model))
            quality.add(group.kind, probs, block.reported, block.mass)
            self._repeats.add(group.model, block.keys, probs)
            if self._reading.renormalise and group.kind in (CHOICE, SCORE):
                probs = self._renormalise(probs)
            self._builder.add(group.judge(block, probs, strict=self._reading.strict), group.combination)
            group.clear()
        self._pending = 0

    def _renormalise(self, probs: Any) -> Any:
        total = np.nansum(probs, axis=1)
        off = (np.abs(total - 1) > 1e-9) & (total > 0) & np.isfinite(total)
        self._renormalised += int(np.count_nonzero(off))
        return np.where(off[:, None], probs / np.where(off, total, 1.0)[:, None], probs)

    def _builder_missing(self) -> None:
        """Answers without probabilities are left-out rows of their slice, where the question has one."""
        for group, left_out in self._slots.missed():
            self._builder.add(replace(group.none(), left_out=left_out), group.combination)

    def _questions(self) -> tuple[QuestionFacts, ...]:
        return self._slots.facts()

    def _notes(self, readers: list[LogReader]) -> tuple[str, ...]:
        shapes = dict.fromkeys(name for reader in readers for name in reader.shapes)
        notes = [f"read as {', '.join(shapes)}"]
        if self._softmax:
            rule = "softmax of the log-likelihoods" + (
                " per byte" if self._reading.loglikelihoods == "softmax_per_byte" else ""
            )
            notes.append(f"probabilities are the {rule}, as asked")
        if self._renormalised:
            notes.append(f"{self._renormalised:,} answers were divided by the sum of their probabilities, as asked")
        if self._truth is not None:
            notes.append(f"labels from {self._truth.name}, joined by {', '.join(self._truth.join)}")
        return tuple(notes)

    def _truth_facts(self) -> TruthFacts | None:
        truth = self._truth
        if truth is None:
            return None
        if truth.rows and not self._matched and self._answers:
            raise InputError(
                f"No label of {truth.name} met an answer: the first labels are for {'; '.join(truth.unused())}, "
                f"the first answers are {'; '.join(self._slots.examples())}.",
                hint="Say what to join by: --join id, --join id,question or --join state.",
            )
        return TruthFacts(
            truth.name,
            truth.rows,
            truth.blank,
            len(truth.used),
            self._matched,
            tuple(truth.unused()),
            truth.weighted,
        )
