"""LogFacts: what a log says about its own quality. Counts only; sentences are made in notices.py."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant.predictions import LeftOut

__all__ = ["FormulaFacts", "LogFacts", "ModelFacts", "QuestionFacts", "RepeatFacts", "TruthFacts"]


@dataclass(frozen=True, slots=True)
class QuestionFacts:
    """One question to one model: how many answers, labels and gaps.

    Attributes:
        model: served model, or the one asked for where the response names none.
        question: its name in the tally.
        kind: "yes_no", "choice", "score" or "answer".
        options: number of options; 0 when it differs between items.
        answers: answers of every sort.
        labelled: answers with probabilities and a label.
        unlabelled: answers with probabilities and no label.
        missing: answers without probabilities, by code.
        labels_of_low_confidence: labels were given mostly to answers of low confidence, as when only routed items
            come back with one.
        confidence: mean confidence of all answers with probabilities, labelled or not; None without any.
        confidence_labelled: the same of the labelled ones.
        constant: a stated confidence that so many rows share that it looks like a fallback, or None.
    """

    model: str
    question: str
    kind: str
    options: int
    answers: int
    labelled: int
    unlabelled: int
    missing: Mapping[str, int] = field(default_factory=dict)
    labels_of_low_confidence: bool = False
    confidence: float | None = None
    confidence_labelled: float | None = None
    constant: float | None = None


@dataclass(frozen=True, slots=True)
class FormulaFacts:
    """The service's own `confidence` for one kind of question.

    Attributes:
        kind: kind of question.
        reported: answers that have one, beside probabilities.
        matches: formulas that give it within rounding for 99% of the answers, most plausible first; none is named from
            fewer than 20 answers.
        accepted: answers that a cut at 0.9 accepts: under "reported" and under each known formula.
    """

    kind: str
    reported: int
    matches: tuple[str, ...]
    accepted: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """One served model.

    Attributes:
        model: its name.
        answers: answers with probabilities.
        decimals: fewest decimals that write every probability (1 to 6), or None when they are not rounded.
        zeros_and_ones: probabilities of exactly 0 or 1.
        sums_off: answers whose probabilities miss 1 by more than 1e-6.
        largest_gap: the largest such miss.
        clipped: yes/no answers at exactly 0.01 or 0.99, when none lies outside; else 0.
        label_mass: (answers that state it, their mean, the smallest, how many are below 0.9), or None.
        formulas: what its `confidence` is, by kind.
    """

    model: str
    answers: int
    decimals: int | None
    zeros_and_ones: int
    sums_off: int
    largest_gap: float
    clipped: int
    label_mass: tuple[int, float, float, int] | None
    formulas: tuple[FormulaFacts, ...]


@dataclass(frozen=True, slots=True)
class RepeatFacts:
    """Identical requests to the same model.

    Attributes:
        looked_at: answers that could be compared (the log has the state).
        repeated: answers beyond the first to the same request.
        differ: of these, how many differ from the first.
        largest: largest difference of a probability.
        complete: False when the log was too long to compare all.
    """

    looked_at: int = 0
    repeated: int = 0
    differ: int = 0
    largest: float = 0.0
    complete: bool = True


@dataclass(frozen=True, slots=True)
class TruthFacts:
    """A file of labels.

    Attributes:
        name: file name.
        rows: labels in it.
        blank: rows without a label.
        matched: labels that met an answer.
        answers: answers that met a label.
        unmatched: the first that met none.
        weighted: it has sampling weights.
    """

    name: str
    rows: int
    blank: int
    matched: int
    answers: int
    unmatched: tuple[str, ...]
    weighted: bool


@dataclass(frozen=True, slots=True)
class LogFacts:
    """Everything that is known about a log beside its tally.

    Attributes:
        names: file names.
        records: records read.
        answers: answers read, missing ones included.
        shapes: records by wire shape.
        unread: records that could not be read, by reason, with their first lines.
        missing: answers without probabilities, by code of `Missing`, with their first lines.
        details: the services' own words about missing answers, by code, the most frequent first.
        unknown_types: answers of types that are not known, by type.
        questions: one entry for each model and question.
        models: one entry for each served model.
        served: answers by (model asked for, model served); "" where it is not stated.
        repeats: identical requests.
        truth: the file of labels, or None.
        varying_options: questions whose options changed within the log, with the number of sets.
        renormalised: answers whose probabilities were divided by their sum, as asked.
        softmax: answers whose probabilities were made from log-likelihoods, as asked.
    """

    names: tuple[str, ...]
    records: int
    answers: int
    shapes: Mapping[str, int]
    unread: Mapping[str, LeftOut]
    missing: Mapping[str, LeftOut]
    details: Mapping[str, Mapping[str, int]]
    unknown_types: Mapping[str, int]
    questions: tuple[QuestionFacts, ...]
    models: tuple[ModelFacts, ...]
    served: Mapping[tuple[str, str], int]
    repeats: RepeatFacts
    truth: TruthFacts | None
    varying_options: Mapping[str, int]
    renormalised: int = 0
    softmax: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; pairs of models become {"asked", "served", "answers"}."""
        plain = asdict(self)
        plain["served"] = [
            {"asked": asked, "served": served, "answers": count} for (asked, served), count in self.served.items()
        ]
        return plain
