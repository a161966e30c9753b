"""Losses of rows, and paired differences of their means with an interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import stdtrit

from calibrant.scores.brier import choice_brier_rows
from calibrant.scores.log import log_rows
from calibrant.scores.ranked import ranked_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.recalibration.samples import Sample

__all__ = ["Paired", "brier_loss", "log_loss_rows", "main_loss", "main_name", "paired"]


class Paired(NamedTuple):
    """The mean of a difference over rows.

    Attributes:
        mean: weighted mean.
        error: its standard error, over rows or over clusters; nan with fewer than two.
        degrees: degrees of freedom.
    """

    mean: float
    error: float
    degrees: float

    def limits(self, level: float, folds: int = 1) -> tuple[float, float]:
        """The t interval of a loss's change; with folds its lower side is wider.

        Maps of different folds share rows. Where a map changes next to nothing, that alone makes t about −√folds, so
        evidence of harm (a lower limit above 0) is measured with Nadeau & Bengio's corrected variance, which is
        1 + folds/(folds − 1) times the plain one. Evidence of help needs no such correction: it would have to
        overcome that bias.

        Source: Nadeau & Bengio (2003), Machine Learning 52, section 3.
        """
        half = float(stdtrit(max(self.degrees, 1.0), 0.5 + level / 2)) * self.error
        shared = (1.0 + folds / (folds - 1)) ** 0.5 if folds > 1 else 1.0
        return self.mean - shared * half, self.mean + half


def brier_loss(sample: Sample, prob: NDArray[np.float64]) -> NDArray[np.float64]:
    """(p − y)² for one probability a row; the sum over options otherwise."""
    if prob.ndim == 1:
        return np.asarray(np.square(prob - sample.label))
    return choice_brier_rows(np.nan_to_num(prob), sample.label)


def main_loss(sample: Sample, prob: NDArray[np.float64]) -> NDArray[np.float64]:
    """The loss that decides: the ranked probability score for ordered levels, else Brier."""
    return ranked_rows(prob, sample.label) if sample.kind == "score" else brier_loss(sample, prob)


def main_name(sample: Sample) -> str:
    """The name of the loss that decides."""
    return "rps" if sample.kind == "score" else "brier"


def log_loss_rows(sample: Sample, prob: NDArray[np.float64]) -> NDArray[np.float64]:
    """−ln of the probability of what came; inf where that was 0."""
    if prob.ndim == 1:
        return log_rows(np.where(sample.label == 1, prob, 1.0 - prob))
    return log_rows(np.nan_to_num(prob)[np.arange(sample.label.size), sample.label])


def paired(sample: Sample, difference: NDArray[np.float64]) -> Paired:
    """Mean and standard error of a difference of losses of the same rows.

    Rows: √(Σw²(d − d̄)²)/Σw · √(n/(n − 1)) with Kish's n. Clusters: √(Σ_c (Σ w(d − d̄))²)/Σw · √(G/(G − 1)).
    """
    total = float(sample.weight.sum())
    mean = float(sample.weight @ difference) / total
    gap = difference - mean
    if sample.cluster is not None:
        sums = np.bincount(sample.cluster, sample.weight * gap)
        groups = np.unique(sample.cluster).size
        if groups < 2:
            return Paired(mean, float("nan"), 0.0)
        return Paired(mean, float(np.sqrt(np.square(sums).sum() * groups / (groups - 1))) / total, groups - 1.0)
    n = sample.effective_n
    if n <= 1:
        return Paired(mean, float("nan"), 0.0)
    return Paired(mean, float(np.sqrt(float(sample.square @ (gap * gap)) * n / (n - 1))) / total, n - 1.0)
