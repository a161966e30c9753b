"""The reader printed in docs/adding-a-format.md works, and the page lists what is read."""

from __future__ import annotations

import json
import re
import types
from pathlib import Path

import pytest

from calibrant.io.decisions import looks_like_log, read_log, registry

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding-a-format.md").read_text("utf-8")


@pytest.fixture
def acme(monkeypatch):
    (source,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    module = types.ModuleType("acme")
    exec(compile(source, "docs/adding-a-format.md", "exec"), module.__dict__)
    monkeypatch.setattr(registry, "SHAPES", (("Acme verdicts", module), *registry.SHAPES))
    return module


def test_a_new_shape_is_one_file_and_one_line(acme, tmp_path):
    (example,) = re.findall(r'`(\{"ticket".*?\})`:', PAGE)
    path = tmp_path / "acme.jsonl"
    lines = [example, '{"ticket": "T2", "engine": "acme-2", "verdict": {"spam": 0.25}, "was": "ham"}']
    path.write_text("\n".join([*lines, '{"ticket": "T3", "verdict": {"spam": "high"}}']), "utf-8")
    assert looks_like_log(path) == "Acme verdicts"
    tally, facts = read_log(path)
    (part,) = tally.slices
    assert (dict(part.by), part.kind, part.n) == ({"model": "acme-2", "question": "spam"}, "yes_no", 2)
    # (0.83 − 1)² + 0.25²
    assert part.moments.total("brier") == pytest.approx(0.0289 + 0.0625, abs=1e-12)
    assert facts.shapes == {"Acme verdicts": 3}
    assert facts.details["malformed"] == {"`spam` should be a number, found the text 'high'": 1}


@pytest.mark.parametrize("value", [None, [], {}, "x", True, float("nan"), -1, 2])
def test_the_printed_reader_keeps_its_own_first_rule(acme, value):
    for answer in acme.answers({"ticket": 1, "verdict": {"spam": value}}):
        assert answer.probabilities is not None or answer.missing == "malformed"


def test_the_page_names_every_shape_and_every_file():
    rooms = ROOT / "src" / "calibrant" / "io"
    files = [path.name for path in (rooms / "decisions" / "shapes").glob("*.py") if path.name != "__init__.py"]
    files += ["lm_eval.py", "inspect_log.py", "helm.py", "wide.py", "stated.py"]
    assert len(registry.SHAPES) == len(files)
    for name in files:
        assert name in PAGE, name
    for name, _ in registry.SHAPES:
        assert name.removesuffix(" log").removesuffix(" run") in PAGE, name


def test_an_ordinary_table_of_predictions_is_no_log(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    for row in (
        {"prob": 0.3, "outcome": 1},
        {"error": 0.1, "detail": "x", "prob": 0.3, "outcome": 1},
        {"status": 500, "prob": 0.3, "outcome": 0},
        {"id": 1, "request": "GET /", "prob": 0.3, "outcome": 0},
        {"confidence": 0.3, "correct": 0},
        {"answer": "yes", "question": "q", "p": 0.3, "y": 1},
        {"p_A": 0.3, "p_B": 0.7, "label": "A"},
    ):
        assert looks_like_log(json.dumps(row).encode()) is None, row
        pq.write_table(pa.Table.from_pylist([row]), tmp_path / "table.parquet")
        assert looks_like_log(tmp_path / "table.parquet") is None, row
