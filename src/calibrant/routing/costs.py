"""Costs, and where they put the cut."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from calibrant.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Band", "Costs", "band", "confidence_threshold"]


@dataclass(frozen=True, slots=True)
class Costs:
    """What mistakes and reviews cost, in any unit.

    Attributes:
        wrong: cost of acting on a wrong answer.
        by_option: cost of wrongly acting with this option, where it differs; of yes/no questions "yes" (a false
            alarm) and "no" (a miss).
        review: cost of a review by a person.
        review_accuracy: share of reviews that come out right, measured on rows that were handed over.
        review_rows: rows that this share was measured on; None when it is known exactly.
        capacity: the largest share of rows that can be reviewed, or None.

    Raises:
        OptionError: if a cost is negative, or a share is none.
    """

    wrong: float = 1.0
    by_option: Mapping[str, float] = field(default_factory=dict)
    review: float = 0.1
    review_accuracy: float = 1.0
    review_rows: int | None = None
    capacity: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("wrong", self.wrong), ("review", self.review), *self.by_option.items()):
            # `not >=` instead of `<`, so that nan is refused too.
            if not value >= 0 or value == float("inf"):
                raise OptionError(f"A cost must be a number of at least 0; {name} is {value!r}.")
        if not self.wrong > 0 and not any(value > 0 for value in self.by_option.values()):
            raise OptionError(
                "A wrong answer must cost something.", hint="For example --cost-wrong 10 --cost-review 1."
            )
        if not 0 <= self.review_accuracy <= 1:
            raise OptionError(f"The reviewer's accuracy must lie from 0 to 1, got {self.review_accuracy!r}.")
        if self.review_rows is not None and self.review_rows < 1:
            raise OptionError(
                f"The reviewer's accuracy must be measured on at least one row, got {self.review_rows!r}."
            )
        if self.capacity is not None and not 0 <= self.capacity <= 1:
            raise OptionError(f"Review capacity is a share of rows from 0 to 1, got {self.capacity!r}.")

    def of(self, option: str) -> float:
        """The cost of wrongly acting with an option."""
        return float(self.by_option.get(option, self.wrong))

    @property
    def review_error(self) -> float:
        """Share of reviews that come out wrong."""
        return 1.0 - self.review_accuracy

    @property
    def review_variance(self) -> float:
        """Variance of the reviewer's measured accuracy; with one pseudo-row each way, so that 50 of 50 has one."""
        if self.review_rows is None:
            return 0.0
        share = (self.review_accuracy * self.review_rows + 1) / (self.review_rows + 2)
        return share * (1 - share) / self.review_rows


class Band(NamedTuple):
    """A two-sided band of a probability: act "no" below `low`, act "yes" from `high` on, a person between.

    Attributes:
        low: from here on a person decides, or "yes" if the band is empty.
        high: from here on "yes".
        act: from here on "yes" is the better of the two acts: c_fp / (c_fp + c_fn).
    """

    low: float
    high: float
    act: float


def band(costs: Costs, *, yes: str = "yes", no: str = "no") -> Band:
    """Where acting costs more than asking.

    Acting "yes" costs (1 − p)·c_yes on average, acting "no" p·c_no, and asking c_r + e·(p·c_no + (1 − p)·c_yes) with e
    the reviewer's error rate. A person is asked where that is the least: between (c_r + e·c_yes) / ((1 − e)·c_no +
    e·c_yes) and 1 − (c_r + e·c_no) / ((1 − e)·c_yes + e·c_no). With e = 0 this is (c_r / c_no, 1 − c_r / c_yes).

    Source: Chow (1970), IEEE Transactions on Information Theory 16; Elkan (2001), IJCAI.

    Example:
        >>> band(Costs(by_option={"yes": 1.0, "no": 5.0}, review=0.5))
        Band(low=0.1, high=0.5, act=0.16666666666666666)
    """
    c_yes, c_no = costs.of(yes), costs.of(no)
    act = c_yes / (c_yes + c_no)
    e = costs.review_error
    below, above = (1 - e) * c_no + e * c_yes, (1 - e) * c_yes + e * c_no
    low = (costs.review + e * c_yes) / below if below > 0 else 1.0
    high = 1.0 - (costs.review + e * c_no) / above if above > 0 else 0.0
    return Band(low, high, act) if low < high else Band(act, act, act)


def confidence_threshold(costs: Costs, option: str) -> float:
    """The confidence from which acting on the top option costs no more than asking: accuracy − c_r / c_wrong.

    Acting costs (1 − q)·c on average, asking c_r + e·c.

    Example:
        >>> confidence_threshold(Costs(wrong=10.0, review=1.0, review_accuracy=0.98), "refunds")
        0.88
    """
    wrong = costs.of(option)
    if wrong == 0:
        return 0.0
    return round(min(max(costs.review_accuracy - costs.review / wrong, 0.0), 1.0), 15)
