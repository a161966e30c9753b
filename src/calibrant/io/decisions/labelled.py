"""Files of labels: CSV, TSV, JSON lines or a JSON array become a `Truth`."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from calibrant.errors import ColumnError, FileError, OptionError, RowError
from calibrant.io.decisions.answer import option_name
from calibrant.io.decisions.exchange import ITEM_FIELDS, item_of_state
from calibrant.io.decisions.truth import Truth, TruthRow

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["JOIN_FIELDS", "read_truth"]

JOIN_FIELDS = ("id", "question", "state")
QUESTION_FIELDS = ("question", "question_id")
LABEL_FIELDS = ("label", "labels", "outcome", "gold", "truth", "expected", "answer")
WEIGHT_FIELDS = ("weight",)
MAX_BYTES = 2**30


def read_truth(path: str | Path, join: tuple[str, ...] = ("id",)) -> Truth:
    """Read labels from CSV, TSV, JSON lines or a JSON array.

    Columns: `id` (or item_id, item, …), `question` when joined by it, `label` (or outcome, gold, …), `weight`. JSON
    records may hold {"labels": {question: label}} instead. `state` joins by the text itself.

    Raises:
        FileError: if the file cannot be read.
        ColumnError: if a column is missing.
        RowError: if something is labelled twice.
        OptionError: if `join` names something else than id, question or state.
    """
    for field in join:
        if field not in JOIN_FIELDS:
            raise OptionError(f"--join takes {', '.join(JOIN_FIELDS)}; found {field!r}.")
    if "id" not in join and "state" not in join:
        raise OptionError("--join needs `id` or `state`.", hint="Use --join id, or --join id,question.")
    path = Path(path)
    truth = Truth(path.name, join)
    for record, row in _records(path):
        _add(truth, record, row)
    if not truth.rows:
        blank = f"; {truth.blank:,} rows have a blank label" if truth.blank else ""
        raise ColumnError(f"{path.name} holds no labels{blank}.", hint="Fill in the column `label`.")
    return truth


def _add(truth: Truth, record: int, row: dict[str, Any]) -> None:
    if row.get("idx") == -1 or "_header" in row:
        return
    if "state" in truth.join:
        if row.get("state") is None:
            raise ColumnError(f"{truth.name}, record {record} has no `state` to join by.", hint="Use --join id.")
        item = item_of_state(row["state"])
    else:
        found = _value(row, ITEM_FIELDS)
        if found is None:
            raise ColumnError(
                f"{truth.name}, record {record} has no id; looked for {', '.join(ITEM_FIELDS)}; "
                f"found {', '.join(list(row)[:8])}.",
                hint="Name the column `id`, or join by the text itself: --join state.",
            )
        item = option_name(found)
    label = _value(row, LABEL_FIELDS)
    weight = _weight(truth, record, _value(row, WEIGHT_FIELDS))
    if isinstance(label, dict):
        for question, one in label.items():
            if one is not None:
                truth.add(item, question, TruthRow(one, weight, record))
        return
    if label is None or label == "":
        if not any(name in row for name in LABEL_FIELDS):
            raise ColumnError(
                f"{truth.name}, record {record} has no label; looked for {', '.join(LABEL_FIELDS)}; "
                f"found {', '.join(list(row)[:8])}.",
                hint="Name the column `label`.",
            )
        truth.blank += 1
        return
    question = _value(row, QUESTION_FIELDS) if "question" in truth.join else None
    if "question" in truth.join and question is None:
        raise ColumnError(f"{truth.name}, record {record} has no `question` to join by.", hint="Use --join id.")
    truth.add(item, "" if question is None else option_name(question), TruthRow(label, weight, record))


def _weight(truth: Truth, record: int, value: Any) -> float | None:
    if value is None or value == "":
        return None
    try:
        weight = float(value)
    except (TypeError, ValueError):
        raise RowError(f"{truth.name}, record {record}: the weight {str(value)[:40]!r} is not a number.") from None
    truth.weighted = True
    return weight


def _value(row: dict[str, Any], names: tuple[str, ...]) -> Any:
    for name in names:
        value = row.get(name)
        if value is not None:
            return value
    return None


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FileError(f"{path.name} is larger than 1 GB; labels are read into memory.")
        data = path.read_bytes()
    except OSError as wrong:
        raise FileError(f"{path} cannot be read: {wrong.strerror or wrong}.") from wrong
    data = data.removeprefix(b"\xef\xbb\xbf")
    start = data.lstrip()[:1]
    if start == b"[":
        rows = _decode(data, path.name, 1)
        yield from ((place, row) for place, row in enumerate(rows, 1) if isinstance(row, dict))
    elif start == b"{":
        for place, line in enumerate(data.splitlines(), 1):
            if line.strip():
                row = _decode(line, path.name, place)
                if isinstance(row, dict):
                    yield place, row
    else:
        yield from _table(data, path.name)


def _decode(data: bytes, name: str, place: int) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as wrong:
        raise FileError(f"{name}, line {place} is not JSON: {wrong}.") from wrong


def _table(data: bytes, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        raise FileError(f"{name} is not UTF-8 text (byte {wrong.start:,}).", hint="Save it as CSV UTF-8.") from wrong
    first = text.partition("\n")[0]
    delimiter = max(",;\t|", key=first.count)
    try:
        for place, row in enumerate(csv.DictReader(io.StringIO(text), delimiter=delimiter, strict=True), 1):
            yield place, {_header(key): _plain(value) for key, value in row.items() if isinstance(value, str)}
    except csv.Error as wrong:
        hint = "Keep the columns id, question, label and weight."
        raise FileError(f"{name} is not a table of labels: {wrong}.", hint=hint) from wrong


def _plain(cell: str) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from running it."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in ("=", "+", "-", "@", "\t", "\r") else cell


def _header(key: Any) -> str:
    return str(key).strip().lower()
