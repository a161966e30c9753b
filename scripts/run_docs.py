"""Run the examples of a documentation page, and compare what they print with what the page says.

    python scripts/run_docs.py README.md docs/*.md            # tells what differs, exit code 1 if anything does
    python scripts/run_docs.py --renew README.md              # writes the real output into the page (`make docs-renew`)

A page is one session: its blocks run from top to bottom in one fresh folder, so a file saved above is there below.

- ```console: a line `$ command` (continued after a final backslash) and the output as a terminal shows it, 80 columns
  wide. A line `...` stands for any lines, `...` inside a line for any characters. A command must succeed; to show one
  that fails, end it with `; echo "exit code $?"`.
- ```python: with `>>>` a doctest, without it code that must run.
- ```json must be JSON. Other blocks are text; a `$ ` prompt in them is an error, since nothing would run it.
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Block", "Step", "blocks", "check_page", "matches", "renew_page", "steps"]

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<language>[\w-]*)[^\n]*$")
DOCTEST_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
TIMEOUT = 120


class Block(NamedTuple):
    """A fenced block: its language, its lines, and the number of its first line in the page."""

    language: str
    lines: list[str]
    first: int


class Step(NamedTuple):
    """A command and the lines expected from it; `start` and `stop` are the expected lines' places in the page."""

    command: str
    expected: list[str]
    start: int
    stop: int


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page; an unclosed fence is an error, as it hides the rest of the page."""
    found: list[Block] = []
    opening: re.Match[str] | None = None
    first = 0
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        fence = FENCE.match(line)
        if opening is None:
            if fence:
                opening, first, lines = fence, number + 1, []
        elif fence and not fence["language"] and len(fence["ticks"]) >= len(opening["ticks"]):
            found.append(Block(opening["language"], lines, first))
            opening = None
        else:
            lines.append(line.removeprefix(opening["indent"]))
    if opening is not None:
        raise ValueError(f"The block opened before line {first} is never closed.")
    return found


def steps(block: Block) -> list[Step]:
    """The commands of a console block, each with its expected output."""
    found: list[Step] = []
    number = 0
    while number < len(block.lines):
        if not block.lines[number].startswith("$ "):
            raise ValueError(f"Line {block.first + number}: a console block starts with a `$ ` command.")
        command = block.lines[number][2:]
        while command.endswith("\\"):
            number += 1
            command = command[:-1] + block.lines[number].removeprefix("> ")
        number += 1
        start = number
        while number < len(block.lines) and not block.lines[number].startswith("$ "):
            number += 1
        found.append(Step(command, block.lines[start:number], block.first + start, block.first + number))
    return found


def matches(expected: list[str], printed: list[str]) -> bool:
    """Whether what was printed is what the page says, `...` standing for anything."""
    wanted, said = (trimmed(lines) for lines in (expected, printed))
    pattern = ""
    for line in wanted:
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("...")) + "\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in said)) is not None


def trimmed(lines: list[str]) -> list[str]:
    """Lines without spaces at their ends and without empty lines at the end."""
    return "\n".join(line.rstrip() for line in lines).rstrip("\n").splitlines()


def terminal(folder: Path) -> dict[str, str]:
    """An environment in which `calibrant` is ours, output is plain and a terminal is 80 columns wide."""
    binaries = Path(sys.executable).parent
    if shutil.which("calibrant", path=str(binaries)) is None:
        binaries = folder / ".bin"
        binaries.mkdir(exist_ok=True)
        shim = binaries / "calibrant"
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m calibrant "$@"\n', encoding="utf-8")
        shim.chmod(0o755)
    paths = [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **{
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("COLUMNS", "LINES", "FORCE_COLOR"))
        },
        "PATH": os.pathsep.join([str(binaries), str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join(paths),
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
    }


def run_command(command: str, folder: Path) -> tuple[int, list[str]]:
    """The exit code and the lines, errors among them, that a command prints in the page's folder."""
    done = subprocess.run(  # noqa: S602 — the page's own commands, as a reader would type them
        command,
        shell=True,
        executable="/bin/bash",
        cwd=folder,
        env=terminal(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()


def run_python(block: Block, page: str, names: dict[str, Any], folder: Path) -> str | None:
    """What is wrong with a python block, or None."""
    source = "\n".join(block.lines) + "\n"
    with contextlib.chdir(folder):
        if ">>> " not in source:
            exec(compile("\n" * (block.first - 1) + source, page, "exec"), names)  # noqa: S102
            return None
        test = doctest.DocTestParser().get_doctest(source, names, page, page, block.first - 1)
        report = io.StringIO()
        runner = doctest.DocTestRunner(optionflags=DOCTEST_FLAGS)
        runner.run(test, out=report.write, clear_globs=False)
        names.update(test.globs)
        return report.getvalue() or None


def run_page(text: str, page: str) -> tuple[list[str], list[tuple[Step, list[str]]]]:
    """What is wrong on a page, and the commands whose output differs, with what they printed."""
    wrong: list[str] = []
    differing: list[tuple[Step, list[str]]] = []
    names: dict[str, Any] = {"__name__": "__page__"}
    with tempfile.TemporaryDirectory(prefix="calibrant-docs-") as made:
        folder = Path(made)
        for block in blocks(text):
            if block.language == "console":
                for step in steps(block):
                    code, printed = run_command(step.command, folder)
                    if code != 0 or not matches(step.expected, printed):
                        differing.append((step, printed))
                        said = "\n".join(printed)
                        wrong.append(f"{page}:{step.start}: `{step.command}` ended with {code} and printed:\n{said}")
            elif block.language == "python":
                if problem := run_python(block, page, names, folder):
                    wrong.append(f"{page}:{block.first}: {problem}")
            elif block.language == "json":
                json.loads("\n".join(block.lines))
            elif any(line.startswith("$ ") for line in block.lines):
                wrong.append(f"{page}:{block.first}: a `$ ` prompt outside a console block is never run")
    return wrong, differing


def check_page(path: Path) -> list[str]:
    """What is wrong on a page; an empty list when every example does what the page says."""
    return run_page(path.read_text(encoding="utf-8"), path.name)[0]


def renew_page(path: Path) -> int:
    """Write the real output of every differing command into the page; returns how many changed."""
    text = path.read_text(encoding="utf-8")
    differing = run_page(text, path.name)[1]
    lines = text.splitlines()
    for step, printed in reversed(differing):
        lines[step.start - 1 : step.stop - 1] = printed
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return len(differing)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--renew", action="store_true", help="write the real output into the pages")
    parser.add_argument("pages", nargs="+", type=Path)
    chosen = parser.parse_args()
    wrong = 0
    for page in chosen.pages:
        if chosen.renew:
            print(f"{page}: {renew_page(page)} outputs renewed")
        else:
            for problem in check_page(page):
                wrong += 1
                print(problem)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
