"""Maps as a few lines of Python or JavaScript without any dependency, and as the keys that llama.cpp reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.recalibration.repair import Repair

__all__ = ["llama_keys", "to_javascript", "to_python"]

PYTHON_CLIP = "def _log_odds(p, floor):\n    return log(max(p, floor)) - log(max(1 - p, floor))\n"
PYTHON_STEP = "def _logistic(z):\n    return 1 / (1 + exp(-z)) if z >= 0 else exp(z) / (1 + exp(z))\n"
PYTHON_SOFTMAX = """\
def _softmax(z):
    top = max(z)
    e = [exp(v - top) for v in z]
    total = sum(e)
    return [v / total for v in e]
"""

PYTHON = {
    "none": "def calibrate(p):\n    return p\n",
    "temperature": PYTHON_CLIP + "\n\n" + PYTHON_STEP
    + "\n\ndef calibrate(p):\n    return _logistic(_log_odds(p, {floor}) / {T})\n",
    "temperature_k": PYTHON_SOFTMAX
    + "\n\ndef calibrate(p):\n    return _softmax([log(max(v, {floor})) / {T} for v in p])\n",
    "platt": PYTHON_CLIP + "\n\n" + PYTHON_STEP
    + "\n\ndef calibrate(p):\n    return _logistic({slope} * _log_odds(p, {floor}) + {intercept})\n",
    "beta": PYTHON_STEP
    + "\n\ndef calibrate(p):\n"
    "    return _logistic({a} * log(max(p, {floor})) - {b} * log(max(1 - p, {floor})) + {c})\n",
    "steps": "LOW = {low}\nVALUE = {value}\n\n\ndef calibrate(p):\n"
    "    return VALUE[max(bisect_right(LOW, p) - 1, 0)]\n",
    "venn_abers": "AT = {at}\nP0 = {p0}\nP1 = {p1}\n\n\ndef interval(p):\n"
    "    left = bisect_left(AT, p)\n    i = 2 * left + (bisect_right(AT, p) > left)\n    return P0[i], P1[i]\n\n\n"
    "def calibrate(p):\n    low, high = interval(p)\n    return high / (1 - low + high)\n",
    "levels": PYTHON_STEP + "\n\ndef calibrate(p):\n    cuts = [0.0]\n    for k in range(1, len(p)):\n"
    "        below, above = sum(p[:k]), sum(p[k:])\n"
    "        z = log(max(below, {floor})) - log(max(above, {floor}))\n"
    "        cuts.append(_logistic({slope} * z + {shift}))\n    cuts.append(1.0)\n"
    "    return [max(b - a, 0.0) for a, b in zip(cuts, cuts[1:])]\n",
    "vector": PYTHON_SOFTMAX + "\n\nWEIGHTS = {weights}\nSHIFT = {shift}\n\n\ndef calibrate(p):\n"
    "    return _softmax([w * log(max(v, {floor})) + c for v, w, c in zip(p, WEIGHTS, SHIFT)])\n",
    "matrix": PYTHON_SOFTMAX + "\n\nWEIGHTS = {weights}\nSHIFT = {shift}\n\n\ndef calibrate(p):\n"
    "    z = [log(max(v, {floor})) for v in p]\n"
    "    return _softmax([sum(w * v for w, v in zip(row, z)) + c for row, c in zip(WEIGHTS, SHIFT)])\n",
    "isotonic_k": "OPTIONS = {options}\n\n\ndef calibrate(p):\n"
    "    q = [o['value'][max(bisect_right(o['low'], v) - 1, 0)] for v, o in zip(p, OPTIONS)]\n"
    "    total = sum(q)\n    return [v / total for v in q] if total > 0 else [1 / len(q)] * len(q)\n",
}  # fmt: skip

JS_ODDS = "const logOdds = (p, floor) => Math.log(Math.max(p, floor)) - Math.log(Math.max(1 - p, floor));\n"
JS_STEP = "const logistic = (z) => (z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z)));\n"
JS_SOFTMAX = """\
const softmax = (z) => {
  const top = Math.max(...z);
  const e = z.map((v) => Math.exp(v - top));
  const total = e.reduce((a, b) => a + b, 0);
  return e.map((v) => v / total);
};
"""
JS_FIND = """\
const countUpTo = (list, p) => {
  let a = 0;
  let b = list.length;
  while (a < b) { const m = (a + b) >> 1; if (list[m] <= p) a = m + 1; else b = m; }
  return a;
};
"""

JAVASCRIPT = {
    "none": "export const calibrate = (p) => p;\n",
    "temperature": JS_ODDS + JS_STEP + "export const calibrate = (p) => logistic(logOdds(p, {floor}) / {T});\n",
    "temperature_k": JS_SOFTMAX
    + "export const calibrate = (p) => softmax(p.map((v) => Math.log(Math.max(v, {floor})) / {T}));\n",
    "platt": JS_ODDS + JS_STEP
    + "export const calibrate = (p) => logistic({slope} * logOdds(p, {floor}) + {intercept});\n",
    "beta": JS_STEP + "export const calibrate = (p) => logistic({a} * Math.log(Math.max(p, {floor})) "
    "- {b} * Math.log(Math.max(1 - p, {floor})) + {c});\n",
    "steps": JS_FIND + "const LOW = {low};\nconst VALUE = {value};\n"
    "export const calibrate = (p) => VALUE[Math.max(countUpTo(LOW, p) - 1, 0)];\n",
    "venn_abers": JS_FIND + "const AT = {at};\nconst P0 = {p0};\nconst P1 = {p1};\n"
    "export const interval = (p) => {{\n  const right = countUpTo(AT, p);\n"
    "  const tied = right > 0 && AT[right - 1] === p ? 1 : 0;\n  const i = 2 * (right - tied) + tied;\n"
    "  return [P0[i], P1[i]];\n}};\n"
    "export const calibrate = (p) => {{ const [low, high] = interval(p); return high / (1 - low + high); }};\n",
    "levels": JS_STEP + "const sum = (a) => a.reduce((x, y) => x + y, 0);\nexport const calibrate = (p) => {{\n"
    "  const cuts = [0];\n  for (let k = 1; k < p.length; k += 1) {{\n"
    "    const z = Math.log(Math.max(sum(p.slice(0, k)), {floor})) - Math.log(Math.max(sum(p.slice(k)), {floor}));\n"
    "    cuts.push(logistic({slope} * z + {shift}));\n  }}\n  cuts.push(1);\n"
    "  return p.map((_, k) => Math.max(cuts[k + 1] - cuts[k], 0));\n}};\n",
    "vector": JS_SOFTMAX + "const WEIGHTS = {weights};\nconst SHIFT = {shift};\n"
    "export const calibrate = (p) =>\n"
    "  softmax(p.map((v, k) => WEIGHTS[k] * Math.log(Math.max(v, {floor})) + SHIFT[k]));\n",
    "matrix": JS_SOFTMAX + "const WEIGHTS = {weights};\nconst SHIFT = {shift};\nexport const calibrate = (p) => {{\n"
    "  const z = p.map((v) => Math.log(Math.max(v, {floor})));\n"
    "  return softmax(WEIGHTS.map((row, k) => row.reduce((a, w, j) => a + w * z[j], SHIFT[k])));\n}};\n",
    "isotonic_k": JS_FIND + "const OPTIONS = {options};\nexport const calibrate = (p) => {{\n"
    "  const q = p.map((v, k) => OPTIONS[k].value[Math.max(countUpTo(OPTIONS[k].low, v) - 1, 0)]);\n"
    "  const total = q.reduce((a, b) => a + b, 0);\n"
    "  return q.map((v) => (total > 0 ? v / total : 1 / q.length));\n}};\n",
}  # fmt: skip


def to_python(repair: Repair) -> str:
    """A Python function `calibrate` (of one probability, or of the list of options' probabilities)."""
    body = _filled(PYTHON, repair, braces=False)
    needs = [
        line
        for line, marks in (
            ("from bisect import bisect_left, bisect_right", ("bisect_",)),
            ("from math import exp, log", ("log(", "exp(")),
        )
        if any(mark in body for mark in marks)
    ]
    head = "\n".join([f'"""{_about(repair)}"""', "", *needs])
    return f"{head}\n\n\n{body}" if needs else f"{head}\n{body}"


def to_javascript(repair: Repair) -> str:
    """A JavaScript module that exports `calibrate`."""
    return f"// {_about(repair)}\n{_filled(JAVASCRIPT, repair, braces=True)}"


def _about(repair: Repair) -> str:
    name = repair.name.replace('"', "'").replace("\\", "/").replace("\n", " ")
    return f"Made by Calibrant: {repair.fitted.method}{' for ' + name if name else ''}, fitted on {repair.rows} rows."


def _filled(templates: dict[str, str], repair: Repair, *, braces: bool) -> str:
    fitted = repair.fitted
    key = {"isotonic": "steps", "histogram": "steps"}.get(fitted.method, fitted.method)
    if repair.kind in ("choice", "score"):
        key = {"temperature": "temperature_k", "isotonic": "isotonic_k"}.get(fitted.method, fitted.method)
    values = {name: _number(value) for name, value in fitted.params.items()}
    text = templates[key].replace("{{", "{").replace("}}", "}") if braces else templates[key]
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


def _number(value: Any) -> str:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return json.dumps(value)


BUCKETS = ((2, "2"), (5, "3_5"), (10, "6_10"))
TYPES = {"yes_no": "noul", "choice": "choice", "score": "score"}


def llama_keys(repairs: Sequence[Repair]) -> dict[str, float]:
    """Temperatures by question type and number of options, such as {"choice.3_5": 1.7}.

    llama.cpp's server for decision models keeps one temperature for each type and bucket of options (2, 3 to 5, 6 to
    10, 11 and more). Where several questions fall into one bucket their common temperature is taken, else the mean of
    log T weighted by rows. Maps that are not shown to help count as T = 1.

    Raises:
        InputError: if a map is not a temperature.
    """
    found: dict[str, list[tuple[float, int]]] = {}
    for repair in repairs:
        if repair.kind not in TYPES or repair.fitted.method not in ("temperature", "none"):
            raise InputError(
                f"llama.cpp reads temperatures only; {repair.name or 'the map'} is {repair.fitted.method}.",
                hint='Fit with method="temperature".',
            )
        count = repair.option_count or 2
        bucket = next((name for most, name in BUCKETS if count <= most), "11")
        helps = repair.use == "map" and repair.fitted.method == "temperature"
        value = float(np.log(repair.fitted.params["T"])) if helps else 0.0
        found.setdefault(f"{TYPES[repair.kind]}.{bucket}", []).append((value, repair.rows))
    return {
        key: float(np.exp(sum(value * rows for value, rows in pairs) / sum(rows for _, rows in pairs)))
        for key, pairs in sorted(found.items())
    }
