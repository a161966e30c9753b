"""Labels of choices: words matched to options, exactly first, then by a stated mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LabelReader"]

MISSING = ("na", "n/a", "nan", "null", "none")


class LabelReader:
    """Turns label texts into indices of options.

    A label is an option's exact name, else its name in another spelling of upper and lower case, else its position
    counted from 0. What was needed beyond exact names is told in `notes`.

    Example:
        >>> reader = LabelReader(("Red", "Blue"))
        >>> reader.read(np.array(["Blue", "red", None, "green"], dtype=object))[0].tolist()
        [1, 0, -1, 2]
        >>> reader.notes
        ('labels matched to options without regard to case',)
    """

    def __init__(self, options: tuple[str, ...]) -> None:
        self._options = options
        self._exact = {name: place for place, name in enumerate(options)}
        folded = [name.casefold() for name in options]
        self._folded = {name: place for place, name in enumerate(folded) if folded.count(name) == 1}
        self._by_position = not any(name.lstrip("-").isdigit() for name in options)
        self._known: dict[str, int] = {}
        self._notes: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Mappings that were used, in words."""
        return tuple(self._notes)

    def read(self, labels: NDArray[Any]) -> tuple[NDArray[np.intp], dict[str, NDArray[np.bool_]]]:
        """Indices of the options (−1 where missing, the number of options where foreign), and states by reason."""
        texts = [None if text is None else str(text) for text in labels.tolist()]
        for text in dict.fromkeys(texts):
            if text is not None and text not in self._known:
                self._known[text] = self._place(text)
        place = np.array([-1 if text is None else self._known[text] for text in texts], dtype=np.intp)
        return place, {"label is not one of the options": place == len(self._options)}

    def _place(self, text: str) -> int:
        if text in self._exact:
            return self._exact[text]
        if text.casefold() in MISSING:
            return -1
        if text.casefold() in self._folded:
            self._notes["labels matched to options without regard to case"] = None
            return self._folded[text.casefold()]
        try:
            value = float(text)
        except ValueError:
            return len(self._options)
        for name, place in self._exact.items():
            if _number(name) == value:
                return place
        if self._by_position and value == int(value) and 0 <= value < len(self._options):
            self._notes["labels read as positions of options, counted from 0"] = None
            return int(value)
        return len(self._options)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
