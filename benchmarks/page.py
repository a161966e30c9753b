"""Time of the browser page for a million rows: from choosing the file to the verdict, and the longest frame meanwhile.

Needs Debian's chromium and the package playwright: `python benchmarks/page.py`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

PAGE = Path(__file__).parents[1] / "src/calibrant/web/page.html"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
WATCH = """() => {
    window.gaps = [];
    window.marks = {};
    let last = performance.now();
    const tick = () => {
        const now = performance.now();
        window.gaps.push(now - last);
        last = now;
        requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    new MutationObserver(() => {
        if (document.querySelector(".sentence")) window.marks.done ??= performance.now();
        if (document.querySelector("progress")) window.marks.start ??= performance.now();
    }).observe(document.body, { subtree: true, childList: true });
}"""


def main(rows: int = 1_000_000) -> None:
    """Measure both kinds of files: two decimals (exact cells), and full precision (the grid)."""
    rng = np.random.default_rng(1)
    prob = rng.uniform(size=rows)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        for name, values in (("two decimals", prob.round(2)), ("full precision", prob)):
            outcome = (rng.uniform(size=rows) < values).astype(int)
            path = Path(place) / "rows.csv"
            lines = (f"{p!r},{y}" for p, y in zip(values.tolist(), outcome.tolist(), strict=True))
            path.write_text("probability,outcome\n" + "\n".join(lines) + "\n")
            page = browser.new_page()
            page.goto(PAGE.as_uri())
            page.evaluate(WATCH)
            page.set_input_files("#file", str(path))
            page.wait_for_selector(".sentence", timeout=120_000)
            page.wait_for_timeout(300)
            taken = page.evaluate("window.marks.done - window.marks.start") / 1000
            longest = page.evaluate("Math.max(...window.gaps)")
            print(f"{name}: {rows:,} rows in {taken:.2f} s; longest frame {longest:.0f} ms")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
