"""Blocks of values as read become judged predictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import RowError
from calibrant.io import sql
from calibrant.io.labels import LabelReader
from calibrant.io.rounding import RoundingWatch
from calibrant.predictions import as_events, judge_choices, judge_events, normalise_floats
from calibrant.safe import plain
from calibrant.tallies.clusters import hash_clusters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.io.layout import Layout
    from calibrant.io.options import ReadOptions
    from calibrant.io.shapes import Shape
    from calibrant.predictions import Predictions

__all__ = ["BlockJudge"]

_SHOWN = 8


@dataclass(eq=False)
class BlockJudge:
    """Judges the blocks of one table.

    Attributes:
        layout: its columns by meaning.
        options: how values are written.
        refuse_foreign: name of the truth, where a label that is no option is an error instead of a row left out.
        rounding: what was seen of rounding.
        zero_weights: whether a weight was 0, and none above it.
    """

    layout: Layout
    options: ReadOptions
    refuse_foreign: str = ""
    rounding: RoundingWatch = field(default_factory=RoundingWatch)
    zero_weights: bool | None = None
    _labels: dict[tuple[str, ...], LabelReader] = field(default_factory=dict)
    _odd_picks: int = 0
    _picks: int = 0

    def notes(self) -> tuple[str, ...]:
        """What the reader of the report must know about the values."""
        mapped = dict.fromkeys(note for labels in self._labels.values() for note in labels.notes)
        picked = ""
        if self._odd_picks:
            rows = f"{self._odd_picks:,} of {self._picks:,} rows"
            name = plain(self.layout.picked or "", limit=40)
            picked = (
                f"warning: {rows}: `{name}` is not the option with the largest probability; the probabilities count"
            )
        own = self.options.logits or self.options.renormalise
        return tuple(note for note in (*mapped, picked, *(() if own else self.rounding.notes())) if note)

    def judge(self, block: dict[str, NDArray[Any]], records: NDArray[np.int64], shape: Shape | None) -> Predictions:
        """Judge a block whose rows all answer questions of one shape; None stands for one probability a row.

        Raises:
            RowError: if a row is refused.
        """
        self._see_weights(block)
        common: dict[str, Any] = {
            "weight": block["weight"].astype(np.float64) if "weight" in block else None,
            "cluster": hash_clusters(block["cluster"]) if self.layout.cluster else None,
            "records": records,
            "strict": self.options.strict,
        }
        if shape is None:
            judged = self._events(block, "prob0", "prob_state0", "outcome0", "outcome_state0", common)
        elif not shape.places:
            judged = self._events(block, "single", "single_state", "single_outcome", "single_outcome_state", common)
        else:
            judged = self._choices(block, shape, common)
        values = judged.prob if judged.probs is None else judged.probs
        assert values is not None
        self.rounding.see(values)
        return as_events(judged) if shape and shape.kind == "yes_no" and judged.probs is not None else judged

    def _see_weights(self, block: dict[str, NDArray[Any]]) -> None:
        weight = block.get("weight")
        if weight is not None and weight.size and self.zero_weights is not False:
            positive = bool((weight > 0).any())
            self.zero_weights = False if positive else self.zero_weights or bool((weight == 0).any()) or None

    def _events(
        self, block: dict[str, NDArray[Any]], prob: str, state: str, outcome: str, outcome_state: str, common: Any
    ) -> Predictions:
        answer = self.layout.kind == "answer"
        unread = "not a word of --yes or --no" if self.options.yes else "not 0 or 1"
        return judge_events(
            _scaled(block[prob], self.options),
            block[outcome],
            kind="answer" if answer else "yes_no",
            prob_state=_states(block[state], "confidence" if answer else "probability", "not a number"),
            outcome_state=_states(block[outcome_state], "outcome", unread),
            **common,
        )

    def _choices(self, block: dict[str, NDArray[Any]], shape: Shape, common: Any) -> Predictions:
        options = self.options
        percent = 100.0 if options.percent and self.layout.nested else 1.0
        columns = [_scaled(block[f"prob{k}"], options, softmax=True) / percent for k in shape.places]
        probs = np.column_stack(columns)
        if self.layout.nested:
            unreadable = np.asarray(block["unreadable"], dtype=bool)
        else:
            states = [block[f"prob_state{k}"] == sql.UNREADABLE for k in shape.places]
            unreadable = np.logical_or.reduce(states)
        label, label_state = self._read_labels(block, shape, common["records"])
        judged = judge_choices(
            _softmax(probs) if options.logits else _renormalised(probs) if options.renormalise else probs,
            label,
            options=shape.options,
            kind="score" if shape.kind == "score" else "choice",
            ragged=shape.ragged,
            prob_state={"a probability is not a number": unreadable},
            label_state=label_state,
            **common,
        )
        if "picked" in block:
            self._compare_picks(judged, block["picked"], shape)
        return judged

    def _read_labels(
        self, block: dict[str, NDArray[Any]], shape: Shape, records: NDArray[np.int64]
    ) -> tuple[NDArray[np.intp], dict[str, NDArray[np.bool_]]]:
        if "label" not in block:
            marks = np.column_stack([block[f"outcome{k}"] for k in shape.places])
            one = (marks == 1).sum(axis=1) == 1
            rest = ((marks == 0) | (marks == 1)).all(axis=1)
            return np.nanargmax(np.nan_to_num(marks), axis=1), {
                "outcomes do not mark exactly one option": ~(one & rest)
            }
        label, states = self._reader(shape).read(block["label"])
        foreign = np.flatnonzero(label == len(shape.label_names))
        if self.refuse_foreign and foreign.size:
            names = [plain(name, limit=40) for name in shape.label_names[:_SHOWN]]
            more = len(shape.label_names) - len(names)
            raise RowError(
                f"{self.refuse_foreign} gives record {records[foreign[0]]} the label "
                f"{plain(str(block['label'][foreign[0]]), limit=40)!r}, which is not one of the options "
                f"{', '.join(names)}{f' and {more} more' if more else ''}.",
                hint="Correct the label, or take its row out of the truth: rows without a truth are left out.",
            )
        return label, states

    def _reader(self, shape: Shape) -> LabelReader:
        return self._labels.setdefault(shape.label_names, LabelReader(shape.label_names))

    def _compare_picks(self, judged: Predictions, picked: NDArray[Any], shape: Shape) -> None:
        assert judged.probs is not None
        place, _ = LabelReader(shape.label_names).read(picked[judged.kept])
        said = np.flatnonzero((place >= 0) & (place < judged.probs.shape[1]))
        p = np.nan_to_num(judged.probs[said])
        self._picks += said.size
        self._odd_picks += int(np.count_nonzero(p[np.arange(said.size), place[said]] < p.max(axis=1, initial=0.0)))


def _states(state: NDArray[Any], what: str, unreadable: str) -> dict[str, NDArray[np.bool_]]:
    return {
        f"{what} is missing": np.asarray(state == sql.MISSING),
        f"{what} is {unreadable}": np.asarray(state == sql.UNREADABLE),
    }


def _scaled(values: NDArray[Any], options: ReadOptions, *, softmax: bool = False) -> NDArray[Any]:
    values = normalise_floats(values)
    if options.odds:
        odds = values
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(np.isinf(odds), np.sign(odds), odds / (1 + odds))
    if options.logits and not softmax:
        from scipy.special import expit

        return np.asarray(expit(values))
    return values


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import softmax

    with np.errstate(invalid="ignore"):
        return np.asarray(softmax(scores, axis=1))


def _renormalised(probs: NDArray[np.float64]) -> NDArray[np.float64]:
    total = np.nansum(probs, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0, probs / total, probs)
