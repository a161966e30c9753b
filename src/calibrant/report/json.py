"""The report as JSON, schema calibrant.report/1 (schemas/report-1.json)."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calibrant.measure.number import Number
    from calibrant.report.nodes import Report
    from calibrant.report.results import CurvePoint, LimitResult, SliceResult, Verdict

__all__ = ["SCHEMA", "number_as_json", "report_as_dict", "report_json"]

SCHEMA = "calibrant.report/1"


def report_json(report: Report) -> str:
    """The report as one JSON document: UTF-8 text, two spaces deep, without NaN or Infinity."""
    return json.dumps(report_as_dict(report), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def report_as_dict(report: Report) -> dict[str, object]:
    """The report as plain dicts, lists, strings and numbers."""
    out: dict[str, object] = {
        "schema": SCHEMA,
        "version": report.version,
        "seed": report.seed,
        "source": {
            "name": report.source.name,
            "rows": report.source.rows,
            "notes": list(report.source.notes),
        },
        "headline": report.headline.text,
        "slices": [_slice(part) for part in report.slices],
        "next_command": report.next_command,
    }
    if report.limits:
        out["limits"] = [_limit(limit) for limit in report.limits]
    return out


def _slice(part: SliceResult) -> dict[str, object]:
    out: dict[str, object] = {
        "by": dict(part.by),
        "kind": part.kind,
        "n": part.n,
        "resolution": part.resolution,
        "left_out": [
            {"reason": reason, "rows": found.rows, "first": list(found.first)}
            for reason, found in part.left_out.items()
        ],
        "numbers": {name: number_as_json(number) for name, number in part.numbers.items()},
        "curve": [_point(point) for point in part.curve],
    }
    if part.curves:
        out["curves"] = {view: [_point(point) for point in curve] for view, curve in part.curves.items()}
    out["verdict"] = _verdict(part.verdict)
    return out


def number_as_json(number: Number) -> dict[str, object]:
    """One number with everything that belongs to it.

    A value that cannot be computed, or is infinite, is null, and `why` says why; limits that do not exist are absent.

    Example:
        >>> from calibrant.measure.number import Number
        >>> number_as_json(Number("log_loss", float("inf"), "mean -ln p", 2, (0.0, None), "lower"))["value"] is None
        True
    """
    out: dict[str, object] = {"value": _finite(number.value)}
    if number.low is not None and number.high is not None:
        out |= {"low": _finite(number.low), "high": _finite(number.high), "level": number.level}
    if number.method is not None:
        out["method"] = number.method
    out |= {
        "range": [_finite(end) for end in number.range],
        "better": number.better,
        "n": number.n,
        "convention": number.convention,
    }
    out |= {key: _plain(value) for key, value in number.extra.items()}
    if number.why is not None:
        out["why"] = number.why
    elif out["value"] is None:
        infinite = number.value is not None and math.isinf(number.value)
        out["why"] = "the value is infinite" if infinite else "the value is undefined"
    return out


def _point(point: CurvePoint) -> dict[str, object]:
    return {
        "low": point.low,
        "high": point.high,
        "n": point.n,
        "mean_probability": _finite(point.mean_probability),
        "observed": _finite(point.observed),
        "observed_low": _finite(point.observed_low),
        "observed_high": _finite(point.observed_high),
        "gap": _finite(point.gap),
    }


def _verdict(verdict: Verdict) -> dict[str, object]:
    out: dict[str, object] = {
        "code": verdict.code,
        "sentence": verdict.sentence,
        "meaning": verdict.meaning,
        "advice": verdict.advice,
        "findings": [
            {"code": found.code, "text": found.text, "numbers": list(found.numbers)} for found in verdict.findings
        ],
    }
    if verdict.rows_needed is not None:
        out["rows_needed"] = verdict.rows_needed
    return out


def _limit(limit: LimitResult) -> dict[str, object]:
    return {"rule": limit.rule, "failed": limit.failed, "sentence": limit.sentence}


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _plain(value: object) -> object:
    """A value of `extra` as JSON knows it; numpy's numbers and arrays become Python's."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return _finite(value)
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(entry) for entry in value]
    listed = getattr(value, "tolist", None)
    return str(value) if listed is None else _plain(listed())
