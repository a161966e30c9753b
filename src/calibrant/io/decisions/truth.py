"""Truth: labels in a file of their own, joined to the answers of a log by item, or by item and question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from calibrant.errors import RowError
from calibrant.io.decisions.exchange import item_of_state

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Truth", "TruthRow"]


class TruthRow(NamedTuple):
    """A label, its sampling weight if the file has one, and the record it stands in."""

    label: Any
    weight: float | None
    record: int


class Truth:
    """Labels by item, or by item and question.

    Attributes:
        name: the file's name.
        blank: rows without a label, as in a sheet that is half filled in.
        weighted: the file has weights.
        used: keys that found an answer.
    """

    def __init__(self, name: str, join: tuple[str, ...]) -> None:
        self.name = name
        self.join = join
        self.blank = 0
        self.weighted = False
        self.used: set[tuple[str, str]] = set()
        self._rows: dict[tuple[str, str], TruthRow] = {}
        self._questions: dict[str, str] = {}

    @property
    def rows(self) -> int:
        """Labels in the file."""
        return len(self._rows)

    def add(self, item: str, question: str, row: TruthRow) -> None:
        """Add a label.

        Raises:
            RowError: if the file labels the same thing twice.
        """
        key = (item, question)
        if key in self._rows:
            about = f"{item!r}" + (f", question {question!r}" if question else "")
            raise RowError(
                f"{self.name} labels {about} twice: records {self._rows[key].record} and {row.record}.",
                hint="Keep one of them" + ("." if question else ", or join by question too: --join id,question."),
            )
        self._rows[key] = row

    def find(self, item: str, question: str, state: Any) -> TruthRow | None:
        """The label of an answer, or None.

        Raises:
            RowError: if a label without a question meets answers to several questions.
        """
        if "state" in self.join:
            item = item_of_state(state) if state is not None else item
        row = self._rows.get((item, question))
        if row is not None:
            self.used.add((item, question))
            return row
        row = self._rows.get((item, ""))
        if row is None:
            return None
        other = self._questions.setdefault(item, question)
        if other != question:
            raise RowError(
                f"{self.name} has one label for {item!r} (record {row.record}), but the log asks it `{other}` and "
                f"`{question}`.",
                hint="Add a column `question` to the labels and use --join id,question.",
            )
        self.used.add((item, ""))
        return row

    def items(self) -> Iterator[tuple[tuple[str, str], TruthRow]]:
        """Every label with its item and question."""
        return iter(self._rows.items())

    def unused(self, limit: int = 3) -> list[str]:
        """The first labels that met no answer, in words."""
        found = []
        for item, question in self._rows:
            if (item, question) not in self.used:
                found.append(f"{item}, {question}" if question else item)
                if len(found) == limit:
                    break
        return found
