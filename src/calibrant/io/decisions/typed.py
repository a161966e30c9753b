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
LEAST_SUM, MOST_SUM = 0.97, 1.03
TRIES, LEAST_SHARE = 200, 0.5
MAX_QUESTION_SETS = 1000


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

    type: str
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
        count = line.count
        if count(b'"request"') > 1 or count(b'"response"') > 1 or count(b'"questions"') > 1 or count(b'"label') > 1:
            return None
        if b'" :' in line or b'"\t:' in line:
            return None
        try:
            whole = self._line.decode(line)
            response = self._response.decode(whole.response)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        request = whole.request
        raw = bytes(request.questions)
        asked = self._asked.get(raw) or self._questions(raw)
        if asked is None or request.input is not UNSET or request.state is None:
            return None
        if len(response.answers) != len(asked) or isinstance(whole.labels, list) or isinstance(whole.label, list):
            return None
        try:
            found = self._read(whole, response, asked)
        except RecursionError:
            return None
        self._done += found is not None
        return found

    def _read(self, whole: _Line, response: _Response, asked: Mapping[str, _Asked]) -> list[Answer] | None:
        state, bodies = whole.request.state, response.answers
        place = state_key(state)
        item = item_of_state(state) if whole.id is None else option_name(whole.id)
        model = None if response.model is UNSET else response.model
        wanted, moment, tags = whole.request.model, _moment(whole), _tags(whole)
        labels = whole.label if whole.labels is None else whole.labels
        named = labels if isinstance(labels, dict) else dict.fromkeys(bodies, labels if len(bodies) == 1 else None)
        keys = _keys_of_response(response)
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
                keys += 2
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
                keys += 2 + len(shares) + (chosen is not None)
            keys += (body.score is not UNSET) + (reported is not UNSET)
            if body.legend is not UNSET:
                keys += 1 + len(body.legend)
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
        if kind is None or not isinstance(named, str):
            return None
        options, legend = options_of(kind, question)
        if not options:
            return None
        out[name] = _Asked(named, kind, options, legend, words_of(question.get("instructions")))
    return out


def _moment(whole: _Line) -> str | None:
    for value in (whole.ts, whole.time, whole.timestamp):
        if value is not None:
            return str(value)
    return None


def _tags(whole: _Line) -> dict[str, str]:
    tags = {name: value for name in TAG_FIELDS if (value := getattr(whole, name)) is not None}
    return tags if whole.tags is None else tags_of({**tags, "tags": whole.tags})


def _keys_of_response(response: _Response) -> int:
    """Number of keys with which a response was written, but for those within its answers."""
    keys = 1 + len(response.answers)
    keys += (response.model is not UNSET) + (response.latency_ms is not UNSET) + (response.id is not UNSET)
    return keys if response.usage is UNSET else keys + 1 + len(response.usage)
