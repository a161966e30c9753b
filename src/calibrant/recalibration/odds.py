"""Log odds and log probabilities of what was said, with a stated place for a said 0 and a said 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.recalibration.samples import Sample

__all__ = ["floor_of", "log_odds", "log_probs"]


def floor_of(sample: Sample) -> float:
    """How near to 0 or 1 a probability is taken to be at most.

    A said 0 or 1 stands for something smaller than the nearest other value: half as far from the end as that. For
    probabilities rounded to 0.01 this is 0.005, half the step; for float32 about 3e-8.

    Example:
        >>> from calibrant.recalibration.samples import sample_of_cells
        >>> from calibrant.tallies.cells import Cells
        >>> floor_of(sample_of_cells(Cells.exact(np.array([0.0, 0.01, 0.5]), np.array([0, 1, 1])), "yes_no"))
        0.005
    """
    prob = sample.prob[~np.isnan(sample.prob)]
    ends = np.concatenate([prob[prob > 0], 1.0 - prob[prob < 1]]) if sample.is_binary else prob[prob > 0]
    inside = ends[(ends < 1.0) & (ends > 0.0)]
    if not inside.size:
        return 1.0 / (sample.n + 2)
    return float(max(inside.min() / 2, 1e-300))


def log_odds(prob: NDArray[np.float64], floor: float) -> NDArray[np.float64]:
    """The log odds ln p − ln(1 − p), with p and 1 − p held at `floor`."""
    return np.asarray(np.log(np.maximum(prob, floor)) - np.log(np.maximum(1.0 - prob, floor)))


def log_probs(probs: NDArray[np.float64], floor: float) -> NDArray[np.float64]:
    """The log ln p, held at ln `floor`; −inf for options that a question does not have."""
    return np.asarray(np.where(np.isnan(probs), -np.inf, np.log(np.maximum(np.nan_to_num(probs), floor))))
