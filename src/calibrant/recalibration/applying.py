"""Applying a calibration to the rows of a file: every column is kept, repaired probabilities are added."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant.errors import ColumnError, InputError
from calibrant.io import sql
from calibrant.recalibration.repair import matching
from calibrant.safe import cell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from calibrant.io.options import ReadOptions
    from calibrant.io.table import Table
    from calibrant.recalibration.recalibrator import Recalibrator
    from calibrant.recalibration.repair import Repair

__all__ = ["Applied", "apply_to_file"]

NAMES = ("probability", "p", "prob", "confidence")


class Applied(NamedTuple):
    """The repaired file as CSV text, and what must be known about it."""

    text: str
    notes: tuple[str, ...]


def apply_to_file(
    found: Recalibrator,
    path: str | Path,
    options: ReadOptions,
    *,
    prob: Sequence[str] = (),
    model: str | None = None,
    force: bool = False,
) -> Applied:
    """Read a file, repair its probabilities, and give it back as CSV.

    Args:
        found: the calibration.
        path: the file; outcomes are not needed.
        options: how values are written.
        prob: columns of probabilities; found by name when empty.
        model: the served model version, where no column says it.
        force: apply maps that are not shown to help, or are for another combination.

    Raises:
        InputError: if a row's combination has no map, or the number of options is another.
        ColumnError: if columns are missing.
    """
    from calibrant.io.files import open_file

    with open_file(path, options) as table:
        return _applied(found, table, options, prob=prob, model=model, force=force)


def _applied(
    found: Recalibrator,
    table: Table,
    options: ReadOptions,
    *,
    prob: Sequence[str],
    model: str | None,
    force: bool,
) -> Applied:
    columns = _probability_columns(table, found.repairs[0], prob)
    by = [name for name in dict.fromkeys(key for repair in found.repairs for key in repair.by) if name in table.names]
    wanted = {f"text{place}": sql.text(name) for place, name in enumerate(table.names)}
    for place, name in enumerate(columns):
        typed = table.is_number(name)
        wanted[f"prob{place}"] = sql.number(name, options, table.decimal, typed=typed, percent=options.percent)[0]
    binary = found.repairs[0].kind in ("yes_no", "answer")
    names = ["calibrated"] if binary else [f"calibrated_{name}" for name in found.repairs[0].options or columns]
    intervals = binary and found.repairs[0].fitted.method == "venn_abers"
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([cell(name) for name in (*table.names, *names, *(("low", "high") if intervals else ()))])
    seen: dict[str, Repair] = {}
    bad = 0
    for block in table.blocks(wanted):
        texts = [block[f"text{place}"] for place in range(len(table.names))]
        p = np.stack([np.asarray(block[f"prob{k}"], dtype=np.float64) for k in range(len(columns))], axis=1)
        new = np.full((len(p), len(names) + 2 * intervals), np.nan)
        at = {name: table.names.index(name) for name in by}
        keys = [
            tuple("" if texts[at[name]][row] is None else str(texts[at[name]][row]) for name in by)
            for row in range(len(p))
        ]
        good = np.all((p >= 0) & (p <= 1), axis=1)
        bad += int((~good).sum())
        for key in dict.fromkeys(keys):
            combination = dict(zip(by, key, strict=True))
            if model is not None and "model" not in combination:
                combination = {"model": model, **combination}
            repair = matching(found.repairs, combination, force=force)
            seen[repair.name] = repair
            rows = np.array([entry == key for entry in keys]) & good
            new[rows, : len(names)] = _repaired(repair, p[rows], force=force)
            if intervals:
                new[rows, -2:] = np.stack(repair.interval(p[rows, 0]), axis=1)
        for row in range(len(p)):
            old = ["" if column[row] is None else cell(str(column[row])) for column in texts]
            writer.writerow([*old, *("" if np.isnan(value) else repr(float(value)) for value in new[row])])
    return Applied(out.getvalue(), _notes(seen, bad, force=force))


def _repaired(repair: Repair, p: NDArray[np.float64], *, force: bool) -> NDArray[Any]:
    binary = repair.kind in ("yes_no", "answer")
    why = repair.refusal(None, None, 2 if binary else p.shape[1])
    if why is not None:
        raise InputError(f"This calibration does not fit: {why}.", hint="Fit one on such questions.")
    return repair.apply(p[:, 0], force=force)[:, None] if binary else repair.apply(p, force=force)


def _notes(seen: dict[str, Repair], bad: int, *, force: bool) -> tuple[str, ...]:
    out = []
    as_is = [name or "these rows" for name, repair in seen.items() if repair.use == "as_is"]
    if as_is and not force:
        out.append(
            f"Left as they are, since no map is shown to help: {', '.join(as_is[:8])}. --force applies it anyway."
        )
    elif as_is:
        out.append(f"Applied by force, although not shown to help: {', '.join(as_is[:8])}.")
    if bad:
        out.append(f"{bad:,} rows without a usable probability got none.")
    return tuple(out)


def _probability_columns(table: Table, repair: Repair, prob: Sequence[str]) -> tuple[str, ...]:
    count = 1 if repair.kind in ("yes_no", "answer") else repair.option_count
    if prob:
        missing = [name for name in prob if name not in table.names]
        if missing:
            raise ColumnError(f"{table.name} has no column {missing[0]!r}.")
        if count and len(prob) != count:
            raise InputError(
                f"The calibration is for {count} probabilities a row, and {len(prob)} columns are named.",
                hint="Name one --prob for each option, in the order of the fit.",
            )
        return tuple(prob)
    lowered = {name.strip().casefold(): name for name in table.names}
    if count == 1:
        for name in NAMES:
            if name in lowered:
                return (lowered[name],)
        raise ColumnError(f"{table.name} has no column of probabilities.", hint="Name it: --prob COLUMN")
    wanted = [lowered.get(f"p_{option}".casefold(), lowered.get(option.casefold())) for option in repair.options]
    if not wanted or any(name is None for name in wanted):
        raise ColumnError(
            f"{table.name} has no column for each of the options {', '.join(repair.options) or 'of the fit'}.",
            hint="Name one --prob for each option, in the order of the fit.",
        )
    return tuple(name for name in wanted if name is not None)
