"""The fast lane: {"request", "response", "labels"} lines of System One, decoded straight into types.

Most logs hold a million lines of one shape with the same questions. Here such a line costs one typed decode, and its
questions are understood once. Anything unusual (a missing answer, a wrong type, a key more or twice) is handed back,
and the general reader, which is slower and explains itself, reads the line instead. Both give the same answers; a
test holds them side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from calibrant.io.decisions.answer import CHOICE, SCORE, YES_NO, Answer, option_name
from calibrant.io.decisions.exchange import item_of_state, state_key, tags_of, words_of
from calibrant.io.decisions.keys import count_keys
from calibrant.io.decisions.shapes.system_one import options_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FastLane"]

TYPES = {"noul": YES_NO, "choice": CHOICE, "score": SCORE}
LEAST_SUM, MOST_SUM = 0.97, 1.03
TRIES, LEAST_SHARE = 200, 0.5
MAX_QUESTION_SETS = 1000


class _Request(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    questions: msgspec.Raw
    state: Any
    model: str | UnsetType = UNSET


class _Body(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    type: str
    noul: float | UnsetType = UNSET
    choice: str | UnsetType = UNSET
    score: float | UnsetType = UNSET
    probabilities: dict[str, float] | UnsetType = UNSET
    confidence: float | UnsetType = UNSET
    legend: dict[str, str] | UnsetType = UNSET


class _Response(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    answers: dict[str, _Body]
    model: str | UnsetType = UNSET
    usage: dict[str, float] | UnsetType = UNSET
    latency_ms: float | UnsetType = UNSET
    id: str | UnsetType = UNSET


class _Line(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    request: _Request
    response: _Response
    id: str | int | UnsetType = UNSET
    labels: Any = UNSET
    label: Any = UNSET
    ts: str | float | UnsetType = UNSET
    time: str | float | UnsetType = UNSET
    timestamp: str | float | UnsetType = UNSET
    tags: Any = UNSET
    split: str | UnsetType = UNSET
    dataset: str | UnsetType = UNSET
    generator: str | UnsetType = UNSET
    latency_ms: float | UnsetType = UNSET


class _Asked(NamedTuple):
    """What a question's definition says, worked out once."""

    type: str
    kind: str
    options: tuple[str, ...]
    legend: tuple[str, ...]
    words: str


class FastLane:
    """Reads lines of one shape quickly, and closes itself when a log has too few of them."""

    def __init__(self) -> None:
        self._line = msgspec.json.Decoder(_Line)
        self._asked: dict[bytes, tuple[Mapping[str, _Asked], int] | None] = {}
        self._tried = self._done = 0

    @property
    def open(self) -> bool:
        """False when most lines had to be handed back."""
        return self._tried < TRIES or self._done > LEAST_SHARE * self._tried

    def answers(self, line: bytes) -> list[Answer] | None:
        """The answers in a line, or None when the general reader has to look at it."""
        self._tried += 1
        if b'" :' in line or b'"\t:' in line:
            return None  # keys could not be counted
        try:
            whole = self._line.decode(line)
            raw = bytes(whole.request.questions)
            known = self._asked[raw] if raw in self._asked else self._questions(raw)
            if known is None or len(whole.response.answers) != len(known[0]) or whole.request.state is None:
                return None
            found = self._read(whole, known[0], line.count(b'":') - known[1] - _keys(whole))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        self._done += found is not None
        return found

    def _read(self, whole: _Line, asked: Mapping[str, _Asked], keys: int) -> list[Answer] | None:
        """The answers, if they are plain and have exactly as many keys as the line has left for them."""
        state, bodies = whole.request.state, whole.response.answers
        place = state_key(state)
        item = item_of_state(state) if whole.id is UNSET else option_name(whole.id)
        model = None if whole.response.model is UNSET else whole.response.model
        wanted = None if whole.request.model is UNSET else whole.request.model
        moment, tags = _moment(whole), _tags(whole)
        labels = whole.label if whole.labels is UNSET or whole.labels is None else whole.labels
        if isinstance(labels, list):
            return None
        labels = None if labels is UNSET else labels
        named = labels if isinstance(labels, dict) else dict.fromkeys(bodies, labels if len(bodies) == 1 else None)
        out = []
        for name, body in bodies.items():
            question = asked.get(name)
            if question is None or question.type != body.type:
                return None
            kind, options, words = question.kind, question.options, question.words
            found, reported = body.probabilities, body.confidence
            if kind == YES_NO:
                yes = body.noul
                if yes is UNSET or found is not UNSET:
                    return None
                shares: tuple[float, ...] = (1.0 - yes, yes)
                chosen: Any = "yes" if yes >= 0.5 else "no"
                keys -= 2
            else:
                if found is UNSET or len(found) != len(options) or body.noul is not UNSET:
                    return None
                try:
                    shares = tuple([found[option] for option in options])
                except KeyError:
                    return None
                if not LEAST_SUM < sum(shares) < MOST_SUM:
                    return None
                chosen = None if body.choice is UNSET else body.choice
                keys -= 2 + len(shares) + (chosen is not None)
            keys -= (body.score is not UNSET) + (reported is not UNSET)
            if body.legend is not UNSET:
                keys -= 1 + len(body.legend)
            out.append(
                Answer(  # by place: keywords cost six times as much, and this line runs for every answer
                    item,
                    name,
                    kind,
                    options,
                    shares,
                    question.legend,
                    words,
                    None if kind == SCORE else chosen,
                    named.get(name),
                    wanted,
                    model,
                    None if reported is UNSET else reported,
                    None,
                    None,
                    "",
                    moment,
                    tags,
                    state,
                    hash((place, name, words, options)),
                )
            )
        return None if keys else out

    def _questions(self, raw: bytes) -> tuple[Mapping[str, _Asked], int] | None:
        if len(self._asked) >= MAX_QUESTION_SETS:
            self._asked.clear()
        self._asked[raw] = _understood(raw)
        return self._asked[raw]


def _understood(raw: bytes) -> tuple[Mapping[str, _Asked], int] | None:
    """The questions of a request and the number of their keys; None when one of them is not plain."""
    questions = msgspec.json.decode(raw)
    keys = count_keys(questions)
    if not isinstance(questions, dict) or raw.count(b'":') != keys:
        return None
    out = {}
    for name, question in questions.items():
        named = question.get("type") if isinstance(question, dict) else None
        kind = TYPES.get(named) if isinstance(named, str) else None
        if kind is None or not isinstance(named, str):
            return None
        options, legend = options_of(kind, question)
        if not options:
            return None
        out[name] = _Asked(named, kind, options, legend, words_of(question.get("instructions")))
    return (out, keys) if out else None


def _moment(whole: _Line) -> str | None:
    for value in (whole.ts, whole.time, whole.timestamp):
        if value is not UNSET:
            return str(value)
    return None


def _tags(whole: _Line) -> dict[str, str]:
    if whole.split is whole.dataset is whole.generator is whole.tags is UNSET:
        return {}
    named = {"split": whole.split, "dataset": whole.dataset, "generator": whole.generator}
    return tags_of({"tags": None if whole.tags is UNSET else whole.tags, **named})


def _keys(whole: _Line) -> int:
    """Number of `":` with which a line was written, but for those of its questions and within its answers."""
    request, response = whole.request, whole.response
    state, labels = request.state, whole.labels
    keys = 2 + 2 + (request.model is not UNSET)
    keys += state.count('":') if isinstance(state, str) else count_keys(state)
    keys += 1 + len(response.answers) + (response.model is not UNSET) + (response.latency_ms is not UNSET)
    keys += (response.id is not UNSET) + (0 if response.usage is UNSET else 1 + len(response.usage))
    keys += (whole.id is not UNSET) + (whole.ts is not UNSET) + (whole.time is not UNSET)
    keys += (whole.timestamp is not UNSET) + (whole.latency_ms is not UNSET)
    keys += (whole.split is not UNSET) + (whole.dataset is not UNSET) + (whole.generator is not UNSET)
    keys += 0 if labels is UNSET else 1 + count_keys(labels)
    keys += 0 if whole.label is UNSET else 1 + count_keys(whole.label)
    return keys + (0 if whole.tags is UNSET else 1 + count_keys(whole.tags))
