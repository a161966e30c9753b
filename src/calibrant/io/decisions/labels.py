"""Labels: which option a word, a number, true or false stands for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from calibrant.errors import RowError
from calibrant.io.decisions.answer import ANSWER, SCORE, YES_NO, option_name, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from calibrant.io.decisions.answer import Answer

__all__ = ["LabelReader"]

UNLABELLED = -1
YES_WORDS, NO_WORDS = ("true", "yes", "1"), ("false", "no", "0")


class LabelReader:
    """Finds the place of a label among an answer's options.

    A word has to be an option exactly; then the stated mapping is tried; then, for scores, the level's number or text.
    Nothing is guessed: a label that is none of the options is an error that names the record.

    Args:
        words: word in the labels to name of the option.
        yes: further words for yes.
        no: further words for no.

    Example:
        >>> from calibrant.io.decisions.answer import Answer
        >>> asked = Answer(item="1", question="team", kind="choice", options=("refunds", "sales"), label="sales")
        >>> LabelReader().place(asked, "sales", (1, "log.jsonl"))
        1
    """

    def __init__(
        self, words: Mapping[str, str] | None = None, yes: Collection[str] = (), no: Collection[str] = ()
    ) -> None:
        self._words = dict(words or {})
        self._yes, self._no = {*YES_WORDS, *yes}, {*NO_WORDS, *no}
        self._known: dict[tuple[Any, ...], int] = {}

    def place(self, answer: Answer, label: Any, source: tuple[int, str]) -> int:
        """Place of the label, or −1 when there is none; `source` is the record and the file it stands in.

        Raises:
            RowError: if the label is none of the options.
        """
        if label is None:
            return UNLABELLED
        if isinstance(label, dict | list):
            raise RowError(
                f"The label of `{answer.question}` should be one value, found {shown(label)}; "
                f"record {source[0]} of {source[1]}.",
                hint='Give one label per question: {"labels": {"question": "option"}}.',
            )
        key = (answer.kind, answer.options, answer.legend, type(label), label)
        place = self._known.get(key)
        if place is None:
            place = self._known[key] = self._find(answer, label)
            if len(self._known) > 100_000:
                self._known.clear()
        if place < UNLABELLED:
            options = ", ".join(answer.options[:12]) + (", …" if len(answer.options) > 12 else "")
            raise RowError(
                f"The label of `{answer.question}` is {shown(label)}, which is none of its options "
                f"({options}); record {source[0]} of {source[1]}.",
                hint=f'Correct the label, or say what it means: --word "{option_name(label)}={answer.options[0]}".'
                if answer.options
                else "Correct the label.",
            )
        return place

    def _find(self, answer: Answer, label: Any) -> int:
        word = option_name(label)
        if isinstance(label, float) and math.isnan(label):
            return UNLABELLED
        if answer.kind in (YES_NO, ANSWER):
            return self._yes_or_no(word)
        if word in answer.options:
            return answer.options.index(word)
        mapped = self._words.get(word)
        if mapped is not None and mapped in answer.options:
            return answer.options.index(mapped)
        if answer.kind == SCORE:
            for text in (mapped, word):
                if text is not None and answer.legend.count(text) == 1:
                    return answer.legend.index(text)
            level, _, text = word.partition(" ")
            if level in answer.options and answer.legend[int(level) : int(level) + 1] == (text,):
                return int(level)
            if word.removesuffix(".0") in answer.options:
                return answer.options.index(word.removesuffix(".0"))
        return UNLABELLED - 1

    def _yes_or_no(self, word: str) -> int:
        word = self._words.get(word, word)
        if word in ("True", "False"):
            word = word.lower()
        if word in ("1.0", "0.0"):
            word = word[0]
        if word in self._yes:
            return 1
        return 0 if word in self._no else UNLABELLED - 1
