"""What a user installs holds everything that the code reads, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import calibrant

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "calibrant"

pytest.importorskip("hatchling")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


def names(folder, pattern):
    (found,) = folder.glob(pattern)
    if pattern.endswith(".whl"):
        return set(zipfile.ZipFile(found).namelist())
    with tarfile.open(found) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def shipped():
    return {
        str(path.relative_to(SOURCE.parent))
        for path in SOURCE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_the_package_whole(built):
    inside = {name for name in names(built, "*.whl") if not name.startswith("calibrant-")}
    assert inside == shipped()
    assert "calibrant/py.typed" in inside


def test_the_wheel_starts_the_command(built):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (entry,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        assert "calibrant = calibrant.cli:main" in archive.read(entry).decode()
    assert wheel.name.startswith(f"calibrant-{calibrant.__version__}-")


def test_the_sdist_can_run_its_own_tests(built):
    inside = names(built, "*.tar.gz")
    assert {f"src/{name}" for name in shipped()} <= inside
    for needed in (
        "Makefile",
        "README.md",
        "LICENSE",
        "tests/vectors/peers.json",
        "scripts/run_docs.py",
        "pyproject.toml",
    ):
        assert needed in inside


def test_every_changelog_fragment_has_a_known_type():
    known = re.compile(r"(\d+|\+[\w-]+)\.(breaking|number|feature|fix)(\.\d+)?\.md")
    fragments = [path.name for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md"]
    assert fragments
    assert [name for name in fragments if not known.fullmatch(name)] == []
