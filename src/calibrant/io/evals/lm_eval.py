"""lm-evaluation-harness `samples_*.jsonl`: a log-likelihood for each choice, and the index or text of the right one.

Log-likelihoods are no probabilities; a rule has to be asked for. Choices belong to the item and differ in number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.errors import RowError
from calibrant.io.decisions.answer import ANSWER, CHOICE, Answer, Missing, option_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["answers", "gold_place", "recognises"]


def recognises(record: dict[str, Any]) -> bool:
    """A document's id with the responses to its requests."""
    return "doc_id" in record and ("filtered_resps" in record or "resps" in record)


def answers(record: dict[str, Any]) -> Iterator[Answer]:
    """One answer. The question is the task, which the harness writes into the file's name.

    Raises:
        RowError: if the gold index is none of the choices, such as −1.
    """
    item = option_name(record["doc_id"])
    found = _loglikelihoods(record.get("filtered_resps")) or _loglikelihoods(record.get("resps"))
    if found is None or len(found) < 2:
        right = next((record[name] for name in ("acc", "exact_match", "acc_norm") if name in record), None)
        detail = "a generated text has no log-likelihoods of choices"
        yield Answer(item=item, question="", kind=ANSWER, label=right, missing=Missing.NO_PROBABILITIES, detail=detail)
        return
    texts = _continuations(record.get("arguments"), len(found))
    place = gold_place(record.get("target"), len(found), texts, _choices(record.get("doc")), f"document {item}")
    yield Answer(
        item=item,
        question="",
        kind=CHOICE,
        options=tuple(str(option) for option in range(len(found))),
        legend=texts,
        loglikelihoods=found,
        label=place,
        own_options=True,
    )


def gold_place(target: Any, options: int, texts: tuple[str, ...], choices: tuple[str, ...], where: str) -> int | None:
    """Index of the right choice; None without a target.

    Raises:
        RowError: if the target is none of the choices.

    Example:
        >>> gold_place("1", 4, (), (), "document 7"), gold_place(" yes", 2, (" no", " yes"), (), "document 7")
        (1, 1)
    """
    if target is None:
        return None
    word = target if isinstance(target, str) else option_name(target)
    for names in (texts, choices):
        stripped = [name.strip() for name in names]
        if stripped.count(word.strip()) == 1:
            return stripped.index(word.strip())
    number = word.strip()
    if number.lstrip("-").isdigit() and 0 <= int(number) < options:
        return int(number)
    if len(number) == 1 and 0 <= ord(number) - ord("A") < options:
        return ord(number) - ord("A")
    raise RowError(
        f"The gold answer of {where} is {shown(target)}, which is none of its {options} choices.",
        hint="Remove items whose answer is not public (gold −1) before scoring.",
    )


def _loglikelihoods(found: Any) -> tuple[float, ...] | None:
    """The numbers in [[−1.2, false], …]; newer versions write them as text and nest them once more."""
    if not isinstance(found, list) or not found:
        return None
    out = []
    for response in found:
        number = response
        while isinstance(number, list) and number:
            number = number[0]
        if isinstance(number, bool) or not isinstance(number, int | float | str):
            return None
        try:
            out.append(float(number))
        except ValueError:
            return None
    return tuple(out)


def _continuations(found: Any, options: int) -> tuple[str, ...]:
    """The text of each choice, from [[context, continuation], …] or {"gen_args_0": {"arg_0": …, "arg_1": …}}."""
    if isinstance(found, dict):
        found = [list(one.values()) if isinstance(one, dict) else one for one in found.values()]
    if not isinstance(found, list) or len(found) != options:
        return ()
    texts = [one[1] for one in found if isinstance(one, list) and len(one) > 1 and isinstance(one[1], str)]
    return tuple(texts) if len(texts) == options else ()


def _choices(doc: Any) -> tuple[str, ...]:
    found = doc.get("choices") if isinstance(doc, dict) else None
    if isinstance(found, dict):
        found = found.get("text")
    return tuple(found) if isinstance(found, list) and all(isinstance(one, str) for one in found) else ()
