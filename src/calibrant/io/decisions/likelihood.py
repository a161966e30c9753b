"""Log-likelihoods of options become probabilities only when somebody says how."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from calibrant.errors import InputError, OptionError

if TYPE_CHECKING:
    from calibrant.io.decisions.answer import Answer

__all__ = ["RULES", "probabilities_of", "softmax"]

RULES = ("softmax", "softmax_per_byte")


def probabilities_of(answer: Answer, rule: str | None, where: str) -> tuple[float, ...]:
    """The probabilities that a rule makes of an answer's log-likelihoods.

    Raises:
        InputError: if no rule is given, or a value is above 0 and so no log of a probability.
        OptionError: if the rule is not known.
    """
    found = answer.loglikelihoods or ()
    if rule is None:
        raise InputError(
            f"`{answer.question}` has log-likelihoods of its options, not probabilities ({where}).",
            hint="Say how to turn them into probabilities: --loglikelihoods softmax, or softmax_per_byte.",
        )
    if rule not in RULES:
        raise OptionError(f"--loglikelihoods takes {' or '.join(RULES)}; found {rule!r}.")
    if max(found, default=0.0) > 0:
        raise InputError(
            f"`{answer.question}` has a log-likelihood above 0 ({where}): {max(found):g}.",
            hint="The log of a probability is at most 0; these look like logits, which a table takes with --logits.",
        )
    if rule == "softmax_per_byte":
        lengths = [max(len(option.encode()), 1) for option in answer.legend or answer.options]
        found = tuple(value / length for value, length in zip(found, lengths, strict=True))
    return softmax(found)


def softmax(values: tuple[float, ...]) -> tuple[float, ...]:
    """exp(v_i) / Σ exp(v_j), stable for very negative values.

    Example:
        >>> [round(p, 4) for p in softmax((-1.0, -2.0))]
        [0.7311, 0.2689]
    """
    top = max(values)
    if not math.isfinite(top):
        return tuple(math.nan for _ in values)
    shares = [math.exp(value - top) for value in values]
    total = sum(shares)
    return tuple(share / total for share in shares)
