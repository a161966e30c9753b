"""Answer: one question about one item as a model answered it, whatever the wire shape it came in."""

from __future__ import annotations

from typing import Any, Final

import msgspec

__all__ = [
    "ANSWER",
    "CHOICE",
    "KNOWN_KINDS",
    "SCORE",
    "YES_NO",
    "Answer",
    "MalformedError",
    "Missing",
    "chance",
    "chances",
    "option_name",
    "shown",
]

YES_NO: Final = "yes_no"
CHOICE: Final = "choice"
SCORE: Final = "score"
ANSWER: Final = "answer"
KNOWN_KINDS: Final = (YES_NO, CHOICE, SCORE, ANSWER)


class Missing:
    """Why an answer has no probabilities; every code is counted apart."""

    REFUSED: Final = "refused"
    OMITTED: Final = "omitted"
    BLOCKED: Final = "blocked"
    FAILED: Final = "failed"
    UNCERTAIN: Final = "uncertain"
    NO_PROBABILITIES: Final = "no_probabilities"
    MALFORMED: Final = "malformed"
    FALLBACK: Final = "fallback"

    ALL: Final = (REFUSED, OMITTED, BLOCKED, FAILED, UNCERTAIN, NO_PROBABILITIES, MALFORMED, FALLBACK)


class Answer(msgspec.Struct, frozen=True, gc=False):
    """One answer.

    Attributes:
        item: what the question was about: the record's id, or a digest of its state when it has none.
        question: name of the question.
        kind: "yes_no", "choice", "score" (ordered levels), "answer" (a stated confidence and right or wrong), or
            "other:<type>" for a type of question that Calibrant does not know.
        options: names of the options in the order in which they were asked; ("no", "yes") for yes/no.
        probabilities: one per option, in that order, unchanged; None when there are none.
        legend: texts of the levels of a score, in order, where known.
        asks: the question in words, where the log has them.
        chosen: the option that the service itself named, or None.
        label: the right option as the log has it (a word, a number, true or false), or None.
        model_asked: name in the request, or None.
        model_served: name in the response, or None.
        reported_confidence: the service's own `confidence`; never read as a probability.
        label_mass: share of the next-token probability that fell on the options, or None.
        missing: a code of `Missing` when there are no probabilities, or None.
        detail: the service's words about `missing`.
        time: when it was answered, as written.
        tags: further columns to slice by, such as split or provider.
        state: what was asked about, as decoded.
        request_key: equal for identical requests (state, question and options) within one run of the program.
        own_options: the options belong to the item and not to the question, as in a multiple-choice exam.
        loglikelihoods: one per option and not normalised; they become probabilities only when that is asked for.
    """

    item: str
    question: str
    kind: str
    options: tuple[str, ...] = ()
    probabilities: tuple[float, ...] | None = None
    legend: tuple[str, ...] = ()
    asks: str = ""
    chosen: str | None = None
    label: Any = None
    model_asked: str | None = None
    model_served: str | None = None
    reported_confidence: float | None = None
    label_mass: float | None = None
    missing: str | None = None
    detail: str = ""
    time: str | None = None
    tags: dict[str, str] = {}
    state: Any = None
    request_key: int | None = None
    own_options: bool = False
    loglikelihoods: tuple[float, ...] | None = None


class MalformedError(ValueError):
    """Part of an answer has the wrong type; the message says which part, and what was found."""


def option_name(value: Any) -> str:
    """An option as a word: true and "true" look alike, 1 and 1.0 are one.

    Example:
        >>> option_name(True), option_name("refunds"), option_name(2.0)
        ('true', 'refunds', '2')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def chance(value: Any, what: str) -> float:
    """A number as it is; anything else is `MalformedError`. Range and sum are judged later, with all other rows.

    Example:
        >>> chance(1, "noul")
        1.0
    """
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    raise MalformedError(f"`{what}` should be a number, found {shown(value)}")


def chances(value: Any, options: tuple[str, ...], what: str = "probabilities") -> tuple[float, ...]:
    """The probabilities of a {option: probability} object, in the order of the options.

    Raises:
        MalformedError: if it is no object, lacks an option, has one that was not asked for, or holds something else
            than numbers.

    Example:
        >>> chances({"b": 0.25, "a": 0.75}, ("a", "b"))
        (0.75, 0.25)
    """
    if not isinstance(value, dict):
        raise MalformedError(f"`{what}` should be an object of options, found {shown(value)}")
    if not value:
        raise MalformedError(f"`{what}` is empty")
    if len(value) != len(options):
        extra = [name for name in value if name not in options]
        absent = [name for name in options if name not in value]
        if extra:
            raise MalformedError(f"`{what}` has {shown(extra[0])}, which is not one of the options asked for")
        raise MalformedError(f"`{what}` lacks the option {shown(absent[0])}")
    try:
        found = tuple([value[name] for name in options])
    except KeyError as gone:
        raise MalformedError(f"`{what}` lacks the option {shown(gone.args[0])}") from None
    for one in found:
        if type(one) is not float:
            return tuple([chance(number, f"{what}.{name}") for name, number in zip(options, found, strict=True)])
    return found


def shown(value: Any) -> str:
    """A value for an error message: its type, and its text up to 40 characters without control characters."""
    text = value if isinstance(value, str) else str(value)[:200]
    text = "".join(character if character.isprintable() else "?" for character in text[:40])
    kinds = {dict: "an object", list: "a list", str: f"the text {text!r}", type(None): "nothing", bool: text.lower()}
    return kinds.get(type(value), text)
