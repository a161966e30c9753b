"""The methods by name: what each is fitted to, and how its numbers are applied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibrant.errors import OptionError
from calibrant.recalibration.levels import apply_levels, fit_levels
from calibrant.recalibration.lines import apply_beta, apply_platt, fit_beta, fit_platt
from calibrant.recalibration.matrix import MOST_OPTIONS, apply_matrix, fit_matrix, fit_vector
from calibrant.recalibration.steps import apply_isotonic, apply_steps, fit_histogram, fit_isotonic
from calibrant.recalibration.temperature import apply_temperature, fit_temperature
from calibrant.recalibration.venn_abers import apply_venn_abers, fit_venn_abers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from calibrant.predictions import Kind
    from calibrant.recalibration.samples import Sample

__all__ = ["METHODS", "FittedMap", "Method", "candidates", "fit_map", "usable"]

BINARY: tuple[Kind, ...] = ("yes_no", "answer")


@dataclass(frozen=True, slots=True)
class Method:
    """One way of repairing probabilities.

    Attributes:
        kinds: kinds of questions that it is for.
        fit: numbers from a sample.
        apply: probabilities from numbers and probabilities.
        least: rows from which `auto` tries it.
        keeps: what it never changes: "top" (the top choice), "order" (of yes/no probabilities), or neither.
    """

    kinds: tuple[Kind, ...]
    fit: Callable[[Sample], dict[str, Any]]
    apply: Callable[[Mapping[str, Any], NDArray[np.float64]], NDArray[np.float64]]
    least: int
    keeps: tuple[str, ...] = ()


METHODS: dict[str, Method] = {
    "temperature": Method((*BINARY, "choice", "score"), fit_temperature, apply_temperature, 20, ("top", "order")),
    "platt": Method(BINARY, fit_platt, apply_platt, 20, ("order",)),
    "beta": Method(BINARY, fit_beta, apply_beta, 100, ("order",)),
    "isotonic": Method((*BINARY, "choice", "score"), fit_isotonic, apply_isotonic, 1000, ("ties",)),
    "venn_abers": Method(BINARY, fit_venn_abers, apply_venn_abers, 1000, ()),
    "histogram": Method(BINARY, fit_histogram, apply_steps, 10**9, ()),
    "levels": Method(("score",), fit_levels, apply_levels, 50, ()),
    "vector": Method(("choice", "score"), fit_vector, apply_matrix, 200, ()),
    "matrix": Method(("choice", "score"), fit_matrix, apply_matrix, 2000, ()),
}
"""In the order in which `auto` prefers them: the simplest first."""


@dataclass(frozen=True, slots=True)
class FittedMap:
    """A method and its numbers.

    Attributes:
        method: its name, or "none" for "leave everything as it is".
        params: its numbers, as JSON knows them.
    """

    method: str
    params: Mapping[str, Any]

    def __call__(self, prob: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities after the map."""
        return prob if self.method == "none" else METHODS[self.method].apply(self.params, prob)


NOTHING = FittedMap("none", {})


def usable(method: str, sample: Sample) -> str | None:
    """Why a method cannot be fitted to a sample; None when it can.

    Raises:
        OptionError: if there is no such method.
    """
    if method not in METHODS:
        raise OptionError(
            f"There is no method {method!r} of recalibration.", hint=f"Methods are auto, {', '.join(METHODS)}."
        )
    if sample.kind not in METHODS[method].kinds:
        return f"{method} is for {' and '.join(METHODS[method].kinds)} questions, not for {sample.kind}"
    needs_options = not sample.is_binary and method != "temperature"
    if needs_options and not sample.option_count:
        return f"{method} needs the same options in every row"
    if method == "matrix" and sample.option_count > MOST_OPTIONS:
        return f"matrix scaling is for at most {MOST_OPTIONS} options"
    return None


def fit_map(method: str, sample: Sample) -> FittedMap:
    """Fit a method to a sample; "none" is fitted to everything."""
    return NOTHING if method == "none" else FittedMap(method, METHODS[method].fit(sample))


def candidates(sample: Sample) -> tuple[str, ...]:
    """What `auto` tries on a sample of this kind and size, simplest first."""
    rows = sample.effective_n / (1 if sample.is_binary else max(sample.prob.shape[1] / 2, 1))
    left_out = ("histogram", "venn_abers", *(() if sample.is_binary else ("isotonic",)))
    return tuple(
        name
        for name, method in METHODS.items()
        if name not in left_out and rows >= method.least and usable(name, sample) is None
    )
