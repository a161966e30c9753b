"""Every example in README and docs runs and prints what the page says; every link leads somewhere."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    if path.name != "CHANGELOG.md"
)
LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)")


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


docs = load(ROOT / "scripts" / "run_docs.py")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_do_what_it_says(page):
    problems = docs.check_page(page)
    assert not problems, "\n\n".join(problems)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_files_lead_somewhere(page):
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


def test_every_dependency_has_its_reason():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    for packages in project["project"]["optional-dependencies"].values():
        needed += packages
    names = {re.split(r"[\[<>=~ ]", need)[0] for need in needed} - {"calibrant"}
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| `([\w-]+)` \|", page, flags=re.MULTILINE))
    assert explained == names


def test_every_room_has_its_line_in_the_architecture():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    source = ROOT / "src" / "calibrant"
    rooms = {path.stem for path in source.glob("*.py")} | {path.parent.name for path in source.glob("*/__init__.py")}
    unexplained = [room for room in sorted(rooms - {"__init__", "__main__"}) if f"`{room}`" not in page]
    assert unexplained == []


# ----------------------------------------------------------------------------------------- the runner can fail, and how
def page(tmp_path, text):
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("```console\n$ echo 1\n2\n```\n", "page.md:3: `echo 1` ended with 0 and printed:\n1"),
        ("```console\n$ calibrant-not-there\n...\n```\n", "ended with 127"),
        ("```console\n$ false\n```\n", "ended with 1"),
        ("```sh\n$ echo 1\n```\n", "a `$ ` prompt outside a console block is never run"),
        ("```python\n>>> 1 + 1\n3\n```\n", "Expected:\n    3\nGot:\n    2"),
    ],
)
def test_the_runner_tells_what_is_wrong(tmp_path, text, problem):
    (found,) = docs.check_page(page(tmp_path, text))
    assert problem in found


def test_a_page_is_one_session(tmp_path):
    text = (
        "```console\n$ echo '{}' \\\n>  > a.json; ls\na.json\n```\n"
        '```python\nfrom pathlib import Path\nread = Path("a.json").read_text().strip()\n```\n'
        "```python\n>>> read\n'{}'\n```\n"
        '```console\n$ false; echo "exit code $?"\nexit code 1\n$ echo again\nagain\n```\n'
    )
    assert docs.check_page(page(tmp_path, text)) == []


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        (["a", "..."], ["a"], True),
        (["a", "..."], ["a", "b", "c"], True),
        (["...", "c"], ["a", "b", "c"], True),
        (["a", "...", "c"], ["a", "b"], False),
        (["n = ... rows"], ["n = 12 rows"], True),
        (["n = ... rows"], ["n = 12", " rows"], False),
        (["a "], ["a"], True),
        (["a", ""], ["a"], True),
        ([], ["a"], False),
        (["a.c"], ["abc"], False),
    ],
)
def test_three_dots_stand_for_anything(expected, printed, same):
    assert docs.matches(expected, printed) is same


def test_renewing_writes_the_real_output(tmp_path):
    path = page(tmp_path, "before\n```console\n$ echo 1; echo 2\nold\n$ echo 3\n3\n```\nafter\n")
    assert docs.renew_page(path) == 1
    assert path.read_text(encoding="utf-8") == "before\n```console\n$ echo 1; echo 2\n1\n2\n$ echo 3\n3\n```\nafter\n"
    assert docs.check_page(path) == []


def test_an_unclosed_block_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="never closed"):
        docs.check_page(page(tmp_path, "```console\n$ echo 1\n1\n"))
