"""Sheet: the table that people fill in, blind, with the weight of every row and the plan of every question."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from calibrant.io.decisions.answer import ANSWER, SCORE, YES_NO
from calibrant.io.decisions.notices import Notice
from calibrant.safe import cell, plain

if TYPE_CHECKING:
    from calibrant.io.decisions.answer import Answer

__all__ = ["COLUMNS", "QuestionPlan", "Sheet", "SheetRow", "sheet_notices", "sheet_row"]

MAX_TEXT = 4000
COLUMNS = ("id", "question", "asks", "options", "text", "label", "weight")


class SheetRow(NamedTuple):
    """One answer to label. `weight` is how many answers of the log it stands for."""

    item: str
    question: str
    asks: str
    options: str
    text: str
    label: str
    weight: float


class QuestionPlan(NamedTuple):
    """What a sheet can tell about one question.

    Attributes:
        question: its name.
        population: answers without a label in the log, repeated ones counted once.
        drawn: rows of the sheet.
        half: half the width of the 95% interval of the share of right answers that the sheet gives at worst.
        needed: rows for the width that was asked for.
    """

    question: str
    population: int
    drawn: int
    half: float
    needed: int


class Sheet(NamedTuple):
    """A label sheet: its rows in random order, items together, and the plan of every question."""

    rows: tuple[SheetRow, ...]
    plans: tuple[QuestionPlan, ...]
    seed: int

    def to_csv(self) -> str:
        """The sheet as CSV; cells that a spreadsheet would run as a formula start with an apostrophe."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in self.rows:
            writer.writerow([*map(cell, row[:-1]), repr(row.weight)])
        return out.getvalue()


def sheet_notices(sheet: Sheet, width: float, log: str, path: str) -> list[Notice]:
    """What to say about a sheet: what it can tell of each question, and what to do with it."""
    plans = [
        Notice(
            "sample.plan",
            {
                "question": plain(plan.question, limit=80),
                "drawn": f"{plan.drawn:,}",
                "population": f"{plan.population:,}",
                "half": f"{100 * plan.half:.1f}",
                "wanted": f"{50 * width:.3g}",
                "needed": f"{plan.needed:,}",
            },
        )
        for plan in sheet.plans
    ]
    return [*plans, Notice("sample.blind", {"log": log, "sheet": path})]


def sheet_row(item: str, answer: Answer, weight: float, label: str) -> SheetRow:
    """The row of an answer; nothing of what the model said is in it."""
    if answer.kind in (YES_NO, ANSWER):
        options = "yes | no"
    elif answer.kind == SCORE and answer.legend:
        options = " | ".join(f"{level} {text}" for level, text in enumerate(answer.legend))
    else:
        options = " | ".join(answer.options)
    return SheetRow(item, answer.question, answer.asks, options, _text(answer.state), label, weight)


def _text(state: Any) -> str:
    if state is None:
        return ""
    text = state if isinstance(state, str) else msgspec.json.encode(state).decode()
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + " …"
