"""The calibration file: JSON of schema calibrant.calibration/1 (schemas/calibration-1.json), in and out."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from calibrant.errors import FileError
from calibrant.recalibration.methods import METHODS, FittedMap
from calibrant.recalibration.repair import Repair

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibrant.recalibration.change import Change
    from calibrant.recalibration.effect import Effect

__all__ = ["SCHEMA", "as_document", "repairs_of", "to_text"]

SCHEMA = "calibrant.calibration/1"


def as_document(
    repairs: Sequence[Repair], *, version: str, settings: Mapping[str, Any], source: Mapping[str, Any]
) -> dict[str, Any]:
    """Everything about fitted maps as plain dicts, lists, strings and numbers."""
    out: dict[str, Any] = _plain(
        {
            "schema": SCHEMA,
            "version": version,
            "source": dict(source),
            "settings": dict(settings),
            "calibrations": [_repair(repair) for repair in repairs],
        }
    )
    return out


def to_text(document: Mapping[str, Any]) -> str:
    """The document as JSON text without NaN or Infinity."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _repair(repair: Repair) -> dict[str, Any]:
    out: dict[str, Any] = {
        "for": dict(repair.by),
        "kind": repair.kind,
        "options": list(repair.options),
        "option_count": repair.option_count,
        "method": repair.fitted.method,
        "parameters": dict(repair.fitted.params),
        "use": repair.use,
        "verdict": repair.verdict,
        "fitted_on": {"rows": repair.rows},
    }
    if repair.effect is not None:
        out["judged_on"] = _effect(repair.effect, repair.judged_by)
    if repair.in_sample:
        out["fitted_on"]["scores_on_the_same_rows"] = {name: list(pair) for name, pair in repair.in_sample.items()}
    return out


def _effect(effect: Effect, how: str) -> dict[str, Any]:
    out: dict[str, Any] = {"how": how, "rows": effect.n, "decided_by": effect.decided_by, "reason": effect.why}
    if effect.clusters is not None:
        out["clusters"] = effect.clusters
    out["kept_top_choice"] = effect.same_top
    out["numbers"] = {name: _change(change) for name, change in effect.changes.items()}
    return out


def _change(change: Change) -> dict[str, Any]:
    out: dict[str, Any] = {
        "before": change.before,
        "after": change.after,
        "difference": change.difference,
        "better": change.better,
    }
    if change.low is not None:
        out |= {"low": change.low, "high": change.high}
    if change.why:
        out["why"] = change.why
    return {**out, **(change.extra or {})}


def repairs_of(text: str, name: str = "calibration") -> tuple[tuple[Repair, ...], dict[str, Any]]:
    """The maps of a calibration file, and the whole document.

    Raises:
        FileError: if it is no calibration file, damaged, or of a newer schema.
    """
    try:
        document = json.loads(text)
        schema = document["schema"]
    except (ValueError, KeyError, TypeError):
        raise FileError(
            f"{name} is no calibration file.", hint="Make one with: calibrant recalibrate fit FILE -o calibration.json"
        ) from None
    if schema != SCHEMA:
        raise FileError(f"{name} has the schema {schema!r}; this version reads {SCHEMA!r}.")
    try:
        return tuple(_repair_of(entry) for entry in document["calibrations"]), document
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileError(f"{name} is damaged: {error}.") from None


def _repair_of(entry: Mapping[str, Any]) -> Repair:
    method = str(entry["method"])
    if method != "none" and method not in METHODS:
        raise ValueError(f"there is no method {method!r}")
    params = {
        key: math.nan if value is None and key != "bound" else value for key, value in entry["parameters"].items()
    }
    fitted = FittedMap(method, params)
    options = tuple(str(option) for option in entry["options"])
    count = int(entry["option_count"])
    by = {str(key): str(value) for key, value in entry["for"].items()}
    repair = Repair(by, entry["kind"], options, count, fitted, int(entry["fitted_on"]["rows"]), entry["verdict"])
    repair.check_numbers()
    return repair


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.item() if hasattr(value, "item") else value
