"""A real headless Chromium for the page; without one the tests say so and are skipped."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "src/calibrant/web/page.html"
DATA = ROOT / "src/calibrant/data"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (pip install playwright)")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no {CHROMIUM} (apt-get install chromium)")
    with api.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


class Tab:
    """An open page with everything that it said and asked for."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.context.on("request", lambda request: self.asked.append(request.url))

    def load(self, *paths: Path, text: str = "", name: str = "rows.csv") -> Tab:
        """Choose a file, as a person does, and wait for the verdict."""
        if text:
            self.page.set_input_files("#file", {"name": name, "mimeType": "text/csv", "buffer": text.encode()})
        else:
            self.page.set_input_files("#file", [str(path) for path in paths])
        self.page.wait_for_selector(".sentence")
        return self

    def number(self, name: str) -> str:
        """The value that the table of numbers shows for a number."""
        row = self.page.locator("#numbers tr", has_text=name).first
        return str(row.locator("td").first.inner_text())


@pytest.fixture
def open_tab(browser: Any) -> Iterator[Callable[..., Tab]]:
    contexts = []

    def opened(address: str = PAGE.as_uri(), **options: Any) -> Tab:
        options.setdefault("locale", "en-GB")
        options.setdefault("viewport", {"width": 1200, "height": 900})
        context = browser.new_context(**options)
        contexts.append(context)
        tab = Tab(context.new_page())
        tab.page.set_default_timeout(20_000)
        tab.page.goto(address)
        return tab

    yield opened
    for context in contexts:
        context.close()
