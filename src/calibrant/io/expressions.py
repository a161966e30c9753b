"""SQL of every value that a layout asks for, under names that the reader knows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from calibrant.io import sql
from calibrant.io.nested import stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.io.layout import Layout
    from calibrant.io.options import ReadOptions
    from calibrant.io.table import Table

__all__ = ["expressions"]


def expressions(table: Table, layout: Layout, options: ReadOptions, extra: Sequence[str] = ()) -> dict[str, str]:
    """SQL by name: prob0, prob_state0, …, outcome0 or label, by0, …, weight, cluster, and the extra columns as texts.

    Probabilities in one column of lists or maps are stored as they are, and taken apart afterwards.
    """
    out = {f"extra{place}": f"coalesce({sql.text(name)}, '')" for place, name in enumerate(extra)}
    if layout.nested:
        out |= stored(layout.prob[0], layout.nested, table.types.get(layout.prob[0], ""))
    else:
        for place, name in enumerate(layout.prob):
            out[f"prob{place}"], out[f"prob_state{place}"] = _number(table, name, options, percent=options.percent)
    if layout.single:
        out["single"], out["single_state"] = _number(table, layout.single, options, percent=options.percent)
        out["single_outcome"], out["single_outcome_state"] = _outcome(table, layout.single_outcome or "", options)
    out |= _truth(table, layout, options)
    if layout.picked:
        out["picked"] = sql.text(layout.picked)
    # Small columns: the engine holds them all until they are fetched.
    out |= {name: f"CAST({sql_} AS UTINYINT)" for name, sql_ in out.items() if "_state" in name}
    out |= {
        name: f"CAST({sql_} AS FLOAT)" for name, sql_ in out.items() if re.fullmatch(r"outcome\d+|single_outcome", name)
    }
    for place, name in enumerate(layout.by):
        out[f"by{place}"] = f"coalesce({sql.text(name)}, '')"
    if layout.weight:
        out["weight"], out["weight_state"] = _number(table, layout.weight, options)
    if layout.cluster:
        out["cluster"] = f"coalesce({sql.text(layout.cluster)}, '')"
    return out


def _truth(table: Table, layout: Layout, options: ReadOptions) -> dict[str, str]:
    if layout.predicted:
        said, true = sql.text(layout.predicted), sql.text(layout.outcome[0])
        same = f"({said} = {true} OR TRY_CAST({said} AS DOUBLE) = TRY_CAST({true} AS DOUBLE))"
        missing = f"{said} IS NULL OR {true} IS NULL"
        return {
            "outcome0": f"CASE WHEN {missing} THEN NULL WHEN {same} THEN 1.0 ELSE 0.0 END",
            "outcome_state0": f"CASE WHEN {missing} THEN {sql.MISSING} ELSE {sql.OK} END",
        }
    if layout.kind in ("choice", "score") and len(layout.outcome) == 1:
        return {"label": sql.text(layout.outcome[0])}
    out = {}
    for place, name in enumerate(layout.outcome):
        out[f"outcome{place}"], out[f"outcome_state{place}"] = _outcome(table, name, options)
    return out


def _number(table: Table, name: str, options: ReadOptions, *, percent: bool = False) -> tuple[str, str]:
    return sql.number(name, options, table.decimal, typed=table.is_number(name), percent=percent)


def _outcome(table: Table, name: str, options: ReadOptions) -> tuple[str, str]:
    return sql.outcome(name, options, table.decimal, typed=table.is_number(name))
