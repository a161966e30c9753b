"""What services call `confidence`: known formulas of the probabilities, none of them the chance of being right but one.

Only the largest probability is a chance of being right. The others are rescaled or measure something else, so a cut
at 0.9 accepts different answers under each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.io.decisions.answer import SCORE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["FORMULAS", "formula_slack", "formula_values", "largest"]

FORMULAS: Mapping[str, str] = {
    "p_max": "the largest probability",
    "above_uniform": "(p_max − 1/n)/(1 − 1/n)",
    "margin": "p_max minus the second largest",
    "one_minus_entropy": "1 − entropy/ln n",
    "level_distance": "1 − Σ p_i·|i − k|/D with D = mean |i − (n−1)/2|",
    "level_spread": "1 − 2·sd/(n − 1)",
    "level_spread_full": "1 − sd/(n − 1)",
    "p_max_times_label_mass": "p_max × label mass",
}
"""Every known formula. `above_uniform` is TypeSafe's for choices (|2p − 1| for two options), `level_distance`
TypeSafe's for scores, `level_spread` sparrow's for scores, `margin` von's, `one_minus_entropy` Laya's, the product
vLLM's."""


def largest(probs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest probability of each row of shape (n, k); absent options are nan."""
    top: NDArray[np.float64] = np.max(np.nan_to_num(probs, nan=-np.inf), axis=1)
    return top


def formula_values(
    probs: NDArray[np.float64], kind: str, mass: NDArray[np.float64] | None = None
) -> dict[str, NDArray[np.float64]]:
    """Every formula that applies, for each row.

    Args:
        probs: shape (n, k); nan where a question has fewer options.
        kind: "yes_no", "choice" or "score".
        mass: label mass of each row, nan where unknown.

    Returns:
        Name of the formula to values of shape (n,).

    Example:
        >>> found = formula_values(np.array([[0.84, 0.16]]), "choice")
        >>> {name: round(float(values[0]), 3) for name, values in found.items()}
        {'p_max': 0.84, 'above_uniform': 0.68, 'margin': 0.68, 'one_minus_entropy': 0.366}
    """
    p = np.nan_to_num(probs)
    options = np.maximum(np.count_nonzero(~np.isnan(probs), axis=1), 2)
    order = np.sort(p, axis=1)
    top = order[:, -1]
    second = order[:, -2] if p.shape[1] > 1 else np.zeros_like(top)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.sum(np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0), axis=1)
    out = {
        "p_max": top,
        "above_uniform": (top - 1 / options) / (1 - 1 / options),
        "margin": top - second,
        "one_minus_entropy": 1 - entropy / np.log(options),
    }
    if kind == SCORE:
        out |= _of_levels(p, options)
    if mass is not None and not np.isnan(mass).all():
        out["p_max_times_label_mass"] = top * mass
    return out


def formula_slack(
    name: str, values: NDArray[np.float64], options: NDArray[np.intp] | int, step: float
) -> NDArray[np.float64]:
    """How far a formula may be off when the probabilities are rounded to steps of `step`, for each row.

    Most formulas are off by about a step. An entropy and a spread are steep where nearly all probability is on one
    option: a p·ln p by step·|ln step|, a root of a variance by the root of its error.
    """
    base = np.full(values.shape, 1.5 * step)
    n = np.maximum(np.asarray(options, dtype=np.float64), 2.0)
    if name == "one_minus_entropy":
        return np.asarray(base + n * step / 2 * abs(np.log(step)) / np.log(n))
    if name in ("level_spread", "level_spread_full"):
        scale = (n - 1) / 2 if name == "level_spread" else n - 1
        spread = np.maximum(1 - values, 0.0) * scale
        error = n * step / 2 * (n - 1) ** 2 / 2
        lower = np.sqrt(np.maximum(spread**2 - error, 0.0))
        return np.asarray(base + np.maximum(np.sqrt(spread**2 + error) - spread, spread - lower) / scale)
    return base


def _of_levels(p: NDArray[np.float64], options: NDArray[np.intp]) -> dict[str, NDArray[np.float64]]:
    levels = np.arange(p.shape[1], dtype=np.float64)
    chosen = p.argmax(axis=1)
    distance = np.einsum("ij,ij->i", p, np.abs(levels[None, :] - chosen[:, None]))
    n = options.astype(np.float64)
    typical = np.where(options % 2 == 1, (n * n - 1) / (4 * n), n / 4)
    mean = p @ levels
    spread = np.sqrt(np.maximum(p @ levels**2 - mean**2, 0.0))
    return {
        "level_distance": np.maximum(1 - distance / typical, 0.0),
        "level_spread": 1 - 2 * spread / (n - 1),
        "level_spread_full": 1 - spread / (n - 1),
    }
