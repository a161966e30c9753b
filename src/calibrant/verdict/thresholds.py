"""Thresholds of the verdicts: data with reasons, read by Python and by the page from one file."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from calibrant.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Thresholds", "default_thresholds", "reasons"]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where a number starts to count. `reasons()` says why each default is what it is.

    Attributes:
        tolerance: gap between stated and observed that still counts as none.
        rare_share: for rare events, the tolerance is at most this share of the rarer outcome's rate.
        least_skill: skill over the base rate below which probabilities carry no information.
        uniform_share: how near to the uniform guess, as a share of its Brier score, a hedger scores.
        hedge_confidence: how far above 1/K the mean confidence of a hedger may lie.
        order_auc: AUC above which the order carries information.
        power_factor: factor of the rows needed to tell a gap from none.

    Raises:
        OptionError: if a threshold is not a number above 0.

    Example:
        >>> default_thresholds(tolerance=0.05).tolerance
        0.05
    """

    tolerance: float
    rare_share: float
    least_skill: float
    uniform_share: float
    hedge_confidence: float
    order_auc: float
    power_factor: float

    def __post_init__(self) -> None:
        for name in _names():
            value = getattr(self, name)
            # `not >` instead of `<=`, so that nan is refused too.
            if not isinstance(value, int | float) or not 0 < value < float("inf"):
                raise OptionError(
                    f"Threshold `{name}` must be a number above 0, got {value!r}.",
                    hint=f"Its default is {_file()[name]['value']}.",
                )

    def tolerance_for(self, base_rate: float | None) -> float:
        """The tolerance where an event happens this often; without a base rate, the plain tolerance.

        Example:
            >>> t = default_thresholds()
            >>> t.tolerance_for(0.5), t.tolerance_for(0.02), t.tolerance_for(None)
            (0.03, 0.01, 0.03)
        """
        if base_rate is None:
            return self.tolerance
        rarer = min(base_rate, 1 - base_rate)
        return min(self.tolerance, self.rare_share * rarer) if rarer > 0 else self.tolerance


def default_thresholds(**changed: float) -> Thresholds:
    """The thresholds of thresholds.json, with those given by name changed.

    Raises:
        OptionError: if there is no such threshold.

    Example:
        >>> default_thresholds().tolerance
        0.03
    """
    unknown = sorted(set(changed) - set(_names()))
    if unknown:
        raise OptionError(f"There is no threshold {unknown[0]!r}.", hint=f"The thresholds are: {', '.join(_names())}.")
    values = {name: float(str(_file()[name]["value"])) for name in _names()}
    return Thresholds(**{**values, **changed})


def reasons() -> dict[str, str]:
    """Why each threshold has its default.

    Example:
        >>> reasons()["tolerance"].split(":")[0]
        'Three points of probability'
    """
    return {name: str(entry["reason"]) for name, entry in _file().items()}


def _names() -> tuple[str, ...]:
    return tuple(entry.name for entry in fields(Thresholds))


@cache
def _file() -> Mapping[str, Mapping[str, object]]:
    found: dict[str, dict[str, object]] = json.loads(
        files("calibrant.verdict").joinpath("thresholds.json").read_text("utf-8")
    )
    return found
