"""Labels against confidence: whether the labelled answers look like all answers, or only like the doubtful ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.io.decisions.answer import ANSWER
from calibrant.io.decisions.confidence import largest
from calibrant.io.decisions.facts import QuestionFacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LabelSpread"]

BINS = 20
LEAST = 20
ROUTED_GAP = 0.3
CONSTANT_SHARE, CONSTANT_LEAST, CONSTANT_VALUES = 0.5, 5, 50


class LabelSpread:
    """Counts of answers by confidence, labelled and not."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._counts = np.zeros((2, BINS), dtype=np.int64)
        self._sums = np.zeros(2)
        self._values: dict[float, int] = {}

    def add(self, probs: NDArray[np.float64], label: NDArray[np.intp]) -> None:
        """Add a block of shape (n, k), with −1 for answers without a label."""
        confidence = probs[:, 0] if self._kind == ANSWER else largest(probs)
        fine = (confidence >= 0) & (confidence <= 1)
        place = np.minimum((confidence[fine] * BINS).astype(np.intp), BINS - 1)
        for labelled in (0, 1):
            rows = (label[fine] >= 0) == bool(labelled)
            self._counts[labelled] += np.bincount(place[rows], minlength=BINS)
            self._sums[labelled] += float(confidence[fine][rows].sum())
        if self._kind == ANSWER and len(self._values) < CONSTANT_VALUES:
            for value, count in zip(*np.unique(confidence[fine], return_counts=True), strict=True):
                self._values[float(value)] = self._values.get(float(value), 0) + int(count)

    def facts(
        self, model: str, question: str, kind: str, options: int, missing: dict[str, int], weighted: bool
    ) -> QuestionFacts:
        """The counts, and what they suggest."""
        unlabelled, labelled = (int(count) for count in self._counts.sum(axis=1))
        total = unlabelled + labelled + sum(missing.values())
        routed = not weighted and self._only_doubtful(labelled, unlabelled)
        mean = float(self._sums.sum()) / (labelled + unlabelled) if labelled + unlabelled else None
        of_labelled = float(self._sums[1]) / labelled if labelled else None
        return QuestionFacts(
            model,
            question,
            kind,
            options,
            total,
            labelled,
            unlabelled,
            missing,
            routed,
            mean,
            of_labelled,
            self._constant(),
        )

    def _only_doubtful(self, labelled: int, unlabelled: int) -> bool:
        """The labelled answers lie below the others: somewhere the share below differs by more than 0.3."""
        if min(labelled, unlabelled) < LEAST:
            return False
        below = np.cumsum(self._counts, axis=1) / self._counts.sum(axis=1, keepdims=True)
        return bool((below[1] - below[0]).max() > ROUTED_GAP)

    def _constant(self) -> float | None:
        """A confidence that at least half of the rows share: no model says that, a default does."""
        if not self._values:
            return None
        value, count = max(self._values.items(), key=lambda one: one[1])
        total = int(self._counts.sum())
        return value if total >= CONSTANT_LEAST and count >= CONSTANT_SHARE * total else None
