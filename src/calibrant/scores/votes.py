"""The Brier score of a vote, without what the small number of voters adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.arrays import check_events
from calibrant.errors import OptionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["fair_brier_score"]


def fair_brier_score(yes: ArrayLike, members: ArrayLike, outcome: ArrayLike) -> float:
    """Brier score of i yes votes out of m, as it would be with endlessly many votes: lower is better.

    Asking a model m times and counting gives i/m, a noisy probability. (i/m − y)² − i(m − i) / (m²(m − 1)) has the
    mean that the true share of yes votes would score; it can be below 0 for single rows.

    Args:
        yes: yes votes of each row, shape (n,).
        members: votes of each row, at least 2, shape (n,) or one number.
        outcome: 0 or 1, shape (n,).

    Returns:
        The mean score, from about 0 to 1.

    Raises:
        InputError: if shapes do not fit or a value is refused.
        OptionError: if a row has fewer than two votes, or votes that are no whole numbers.

    Example:
        >>> round(fair_brier_score([2], 3, [1]), 12)
        0.0

    Source: Ferro (2014), Quarterly Journal of the Royal Meteorological Society 140, equation 4.
    """
    i = np.atleast_1d(np.asarray(yes, dtype=np.float64))
    m = np.broadcast_to(np.asarray(members, dtype=np.float64), i.shape)
    if not (np.all(m >= 2) and np.all((i >= 0) & (i <= m)) and np.all(i == np.floor(i)) and np.all(m == np.floor(m))):
        raise OptionError("Votes must be whole numbers with 0 <= yes <= members, and at least two members.")
    prob, happened, _ = check_events(i / m, outcome, name="yes / members")
    return float(np.mean(np.square(prob - happened) - i * (m - i) / (m * m * (m - 1))))
