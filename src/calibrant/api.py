"""The two verbs of the Python API: `tally` turns rows into a tally, `check` judges them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.checking import check_tally
from calibrant.checks import as_numbers
from calibrant.errors import InputError
from calibrant.loading import Loaded, load_data
from calibrant.measure.options import MeasureOptions
from calibrant.predictions import as_events, judge_choices, judge_events
from calibrant.tallies.clusters import hash_clusters
from calibrant.tallies.collect import CHUNK, tally_rows
from calibrant.tallies.tally import Source, Tally

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from numpy.typing import ArrayLike, NDArray

    from calibrant.bins import Closed
    from calibrant.calibration.binning import Binning, BinsLike
    from calibrant.predictions import Predictions
    from calibrant.report.nodes import Report
    from calibrant.tallies.tally import WeightKind

__all__ = ["check", "tally"]


def tally(
    data: Any,
    outcome: ArrayLike | None = None,
    *,
    kind: Literal["yes_no", "answer", "choice", "score"] | None = None,
    options: Sequence[str] = (),
    weight: ArrayLike | str | None = None,
    weights: WeightKind = "sampling",
    cluster: ArrayLike | str | None = None,
    by: str | Sequence[str] = (),
    strict: bool = False,
    **columns: Any,
) -> Tally:
    """Add up rows into a tally: small, exact, mergeable, and free of ids, texts and features.

    Args:
        data: probabilities, shape (n,), or one per option, shape (n, k); or a path, a data frame, a dict of columns.
        outcome: 0 or 1 per row, or the index of the right option; where `data` holds the columns, the name of the
            outcome's, or nothing if it is to be found.
        kind: what arrays mean: "yes_no" (default for one column), "answer" (confidence and right or wrong), "choice"
            (default for several columns) or "score" (ordered levels).
        options: names of the options of arrays.
        weight: weights, or the name of their column.
        weights: what they are: "sampling", or "frequency" for numbers of repetitions.
        cluster: cluster of each row, or the name of its column.
        by: columns whose combinations make slices (files and data frames).
        strict: refuse the first unusable row instead of leaving it out.
        **columns: how the columns are found and read in files and data frames, as on the command line: prob,
            confidence, predicted, levels, yes, no, percent, na, truth, …

    Returns:
        A tally; `a + b` are the rows of both.

    Raises:
        InputError: if the data cannot be read as predictions and outcomes.

    Example:
        >>> tally([0.2, 0.9, 0.4], [0, 1, 1]).n
        3
    """
    if _names_columns(outcome):
        asked = {"outcome": outcome, "weight": weight, "cluster": cluster, "by": by, **columns}
        return load_data(data, weights=weights, strict=strict, **asked).tally
    if columns or by:
        given = ", ".join([*columns, *(["by"] if by else [])])
        raise InputError(f"{given}: such options name columns of files and data frames, but arrays were given.")
    prob, right, w = (
        _array(values, name) for values, name in ((data, "data"), (outcome, "outcome"), (weight, "weight"))
    )
    groups = None if cluster is None else hash_clusters(np.asarray(cluster))
    for name, column in (("outcome", right), ("weight", w), ("cluster", groups)):
        if column is not None and column.shape != prob.shape[:1]:
            raise InputError(f"`{name}` has the shape {column.shape} where `data` has {len(prob):,} rows.")
    names, note = _meaning(prob, kind, options)
    pair = prob.ndim == 2 and not names

    def judged(rows: slice) -> Predictions:
        common: dict[str, Any] = {
            "weight": None if w is None else as_numbers(w[rows], "weight"),
            "cluster": None if groups is None else groups[rows],
            "records": np.arange(rows.start + 1, rows.stop + 1),
            "strict": strict,
        }
        said, seen = as_numbers(prob[rows], "data"), as_numbers(right[rows], "outcome")
        if prob.ndim == 1:
            return judge_events(said, seen, kind="answer" if kind == "answer" else "yes_no", **common)
        block = judge_choices(said, seen, options=names, kind="score" if kind == "score" else "choice", **common)
        return as_events(block) if pair else block

    return tally_rows(
        len(right),
        judged,
        weights=None if w is None else weights,
        source=Source(("arrays",), len(right), (note,)),
        chunk=max(len(right), 1) if strict else CHUNK,
    )


def _array(values: Any, name: str) -> Any:
    """Arrays as they are, since they are turned into numbers part by part; anything else as numbers at once."""
    return values if values is None or isinstance(values, np.ndarray) else as_numbers(values, name)


def _meaning(prob: NDArray[Any], kind: str | None, options: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Names of the options, empty for yes/no and answers, and a note of how arrays are understood."""
    if prob.ndim == 1:
        if kind in ("choice", "score"):
            raise InputError(f"A {kind} needs one probability per option, shape (n, k); got shape {prob.shape}.")
        return (), "one array as probability, one as outcome"
    if prob.ndim != 2:
        raise InputError(f"Probabilities must have the shape (n,) or (n, k), got {prob.shape}.")
    if prob.shape[1] == 2 and kind in (None, "yes_no") and not options:
        return (), "two columns read as yes/no by the second, as scikit-learn writes them"
    if kind in ("yes_no", "answer"):
        raise InputError(f"A question of kind {kind} needs one probability a row; got shape {prob.shape}.")
    names = tuple(options) or tuple(str(k) for k in range(prob.shape[1]))
    if len(names) != prob.shape[1]:
        raise InputError(f"{len(names)} options are named, but there are {prob.shape[1]} columns of probabilities.")
    return names, f"{prob.shape[1]} columns as probabilities, one as label"


def check(
    data: Any,
    outcome: ArrayLike | None = None,
    *,
    bins: BinsLike = 10,
    binning: Binning = "width",
    closed: Closed = "left",
    level: float = 0.95,
    floor: float | None = None,
    seed: int = 0,
    fail_if: str | Sequence[str] = (),
    lang: str = "en",
    **rows: Any,
) -> Report:
    """Tell whether probabilities can be trusted, how sure that is, and what to do.

    Args:
        data: a tally, or what `tally` takes: arrays, a path, a data frame.
        outcome: 0 or 1 per row when `data` is an array.
        bins: number of bins, or their edges.
        binning: "width" or "mass".
        closed: the side that belongs to a bin.
        level: confidence level of the intervals.
        floor: smallest probability that the log loss takes.
        seed: seed of everything simulated.
        fail_if: rules such as "event_ece > 0.08"; `report.failed` tells.
        lang: language of the sentences.
        **rows: further options of `tally`.

    Returns:
        A report: `print(report)`, `.to_json()`, `.to_markdown()`.

    Raises:
        InputError: if the data cannot be read as predictions and outcomes.

    Example:
        >>> report = check([0.9] * 100, [1] * 60 + [0] * 40, kind="answer")
        >>> report.slices[0].verdict.code
        'overconfident'
    """
    rules = (fail_if,) if isinstance(fail_if, str) else tuple(fail_if)
    options = MeasureOptions(bins, binning, closed, level, floor, seed)
    if isinstance(data, Tally):
        loaded = Loaded(data)
    elif _names_columns(outcome):
        loaded = load_data(data, outcome=outcome, **rows)
    else:
        loaded = Loaded(tally(data, outcome, **rows))
    return check_tally(loaded.tally, options, fail_if=rules, notices=loaded.notices, lang=lang)


def _names_columns(outcome: object) -> bool:
    """True when outcomes are not given as values, but are to be found in the data."""
    if outcome is None or isinstance(outcome, str):
        return True
    return isinstance(outcome, (list, tuple)) and bool(outcome) and all(isinstance(name, str) for name in outcome)
