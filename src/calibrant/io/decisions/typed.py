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
from calibrant.io.decisions.exchange import TAG_FIELDS, item_of_state, state_key, tags_of, words_of
from calibrant.io.decisions.keys import count_keys
from calibrant.io.decisions.shapes.system_one import options_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FastLane"]

TYPES = {"noul": YES_NO, "choice": CHOICE, "score": SCORE}
ONCE = (b'"request"', b'"response"', b'"questions"', b'"label')
SUM_GAP = 0.03
TRIES, LEAST_SHARE = 200, 0.5
MAX_QUESTION_SETS = 1000
YES_NO_OPTIONS = ("no", "yes")


class _Request(msgspec.Struct, gc=False):
    questions: msgspec.Raw
    state: Any
    model: str | None = None
    input: msgspec.Raw | UnsetType = UNSET


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
    response: msgspec.Raw
    id: str | int | None = None
    labels: Any = None
    label: Any = None
    ts: str | float | None = None
    time: str | float | None = None
    timestamp: str | float | None = None
    tags: Any = None
    split: str | None = None
    dataset: str | None = None
    generator: str | None = None
    provider: str | None = None
    environment: str | None = None
    release: str | None = None
    latency_ms: Any = None


class _Asked(NamedTuple):
    """What a question's definition says, worked out once."""

    kind: str
    options: tuple[str, ...]
    legend: tuple[str, ...]
    words: str


class FastLane:
    """Reads lines of one shape quickly, and closes itself when a log has too few of them."""

    def __init__(self) -> None:
        self._line = msgspec.json.Decoder(_Line)
        self._response = msgspec.json.Decoder(_Response)
        self._asked: dict[bytes, Mapping[str, _Asked] | None] = {}
        self._tried = self._done = 0

    @property
    def open(self) -> bool:
        """False when most lines had to be handed back."""
        return self._tried < TRIES or self._done > LEAST_SHARE * self._tried

    def answers(self, line: bytes) -> list[Answer] | None:
        """The answers in a line, or None when the general reader has to look at it."""
        self._tried += 1
        if any(line.count(name) > 1 for name in ONCE) or b'" :' in line or b'"\t:' in line:
            return None
        try:
            whole = self._line.decode(line)
            response = self._response.decode(whole.response)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        request = whole.request
        asked = self._questions(bytes(request.questions))
        if asked is None or request.input is not UNSET or request.state is None:
            return None
        found = self._read(whole, response, asked)
        self._done += found is not None
        return found

    def _read(self, whole: _Line, response: _Response, asked: Mapping[str, _Asked]) -> list[Answer] | None:
        bodies = response.answers
        if len(bodies) != len(asked):
            return None
        keys, place = 1 + len(bodies), state_key(whole.request.state)
        common = _common(whole, response)
        labels = whole.labels if whole.labels is not None else whole.label
        by_name = labels if isinstance(labels, dict) else None
        if isinstance(labels, list):
            return None
        out = []
        for name, body in bodies.items():
            question = asked.get(name)
            if question is None or TYPES.get(body.type) != question.kind:
                return None
            shares = _shares(body, question)
            if shares is None:
                return None
            keys += _keys(body)
            label = by_name.get(name) if by_name is not None else labels if len(bodies) == 1 else None
            yes_no = question.kind == YES_NO
            out.append(
                Answer(
                    question=name,
                    kind=question.kind,
                    options=question.options,
                    probabilities=shares,
                    legend=question.legend,
                    asks=question.words,
                    chosen=("yes" if shares[1] >= 0.5 else "no") if yes_no else _chosen(body),
                    label=label,
                    reported_confidence=None if body.confidence is UNSET else body.confidence,
                    request_key=hash((place, name, question.words, question.options)),
                    **common,
                )
            )
        for name in ("model", "latency_ms", "id"):
            keys += getattr(response, name) is not UNSET
        if response.usage is not UNSET:
            keys += 1 + len(response.usage)
        return out if bytes(whole.response).count(b'":') == keys else None

    def _questions(self, raw: bytes) -> Mapping[str, _Asked] | None:
        if raw not in self._asked:
            if len(self._asked) >= MAX_QUESTION_SETS:
                self._asked.clear()
            self._asked[raw] = _understood(raw)
        return self._asked[raw]


def _understood(raw: bytes) -> Mapping[str, _Asked] | None:
    """The questions of a request; None when one of them is not plain."""
    questions = msgspec.json.decode(raw)
    if not isinstance(questions, dict) or raw.count(b'":') != count_keys(questions):
        return None
    out = {}
    for name, question in questions.items():
        named = question.get("type") if isinstance(question, dict) else None
        kind = TYPES.get(named) if isinstance(named, str) else None
        if kind is None:
            return None
        options, legend = options_of(kind, question)
        if not options:
            return None
        out[name] = _Asked(kind, options, legend, words_of(question.get("instructions")))
    return out


def _common(whole: _Line, response: _Response) -> dict[str, Any]:
    """The fields that all answers of a line share."""
    state, moment = whole.request.state, next((one for one in (whole.ts, whole.time, whole.timestamp) if one), None)
    tags = {name: value for name in TAG_FIELDS if (value := getattr(whole, name)) is not None}
    return {
        "item": item_of_state(state) if whole.id is None else option_name(whole.id),
        "model_asked": whole.request.model,
        "model_served": None if response.model is UNSET else response.model,
        "time": None if moment is None else str(moment),
        "tags": tags if whole.tags is None else tags_of({**tags, "tags": whole.tags}),
        "state": state,
    }


def _chosen(body: _Body) -> str | None:
    return None if body.choice is UNSET else body.choice


def _shares(body: _Body, question: _Asked) -> tuple[float, ...] | None:
    """The probabilities in the order of the options; None when they need a closer look."""
    if question.kind == YES_NO:
        yes = body.noul
        return None if yes is UNSET or body.probabilities is not UNSET else (1.0 - yes, yes)
    found = body.probabilities
    if found is UNSET or len(found) != len(question.options):
        return None
    try:
        shares = tuple([found[option] for option in question.options])
    except KeyError:
        return None
    return shares if abs(sum(shares) - 1) < SUM_GAP else None


def _keys(body: _Body) -> int:
    """Number of keys with which an answer was written."""
    keys = 1 + (body.noul is not UNSET) + (body.choice is not UNSET) + (body.score is not UNSET)
    if body.probabilities is not UNSET:
        keys += 1 + len(body.probabilities)
    if body.legend is not UNSET:
        keys += 1 + len(body.legend)
    return keys + (body.confidence is not UNSET)
