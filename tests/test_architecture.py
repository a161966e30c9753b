"""The house keeps its order: rooms import one way, and a bare import stays light."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[1]
HEAVY = {
    "click",
    "duckdb",
    "matplotlib",
    "msgspec",
    "narwhals",
    "pandas",
    "polars",
    "pyarrow",
    "rich",
    "scipy",
    "torch",
}


@pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="needs the source tree")
def test_rooms_import_one_way(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert lint_imports(config_filename="pyproject.toml", no_cache=True) == 0


def test_a_bare_import_loads_numpy_only():
    code = f"import sys, calibrant; print(*sorted({HEAVY!r} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment)
    assert answer.stdout.split() == []


def test_help_loads_no_engine():
    code = f"""
import sys
from calibrant.cli import main
try:
    main(["--help"])
except SystemExit:
    pass
print("LOADED", *sorted({HEAVY - {"click"}!r} & set(sys.modules)))
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment)
    assert "check" in answer.stdout
    assert answer.stdout.splitlines()[-1].strip() == "LOADED"


def test_every_public_name_is_there_and_sorted():
    import calibrant

    assert calibrant.__all__ == sorted(calibrant.__all__)
    for name in calibrant.__all__:
        assert getattr(calibrant, name) is not None, name
