"""The HTML face: the browser page with a tally and the report's numbers inside.

A report is put into the page as JSON in a script element that browsers do not run, with every sign that could end the
element written as an escape.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from calibrant.report.json import report_as_dict
from calibrant.tallies.store import to_document

if TYPE_CHECKING:
    from calibrant.report.nodes import Report
    from calibrant.tallies.tally import Tally

__all__ = ["page_html", "report_html"]

_MARK = '<script type="application/json" id="calibrant-data"></script>'


def page_html() -> str:
    """The workbench as one HTML text, without data.

    Example:
        >>> page_html().startswith("<!doctype html>")
        True
    """
    return files("calibrant.web").joinpath("page.html").read_text("utf-8")


def report_html(report: Report, tally: Tally, *, lang: str = "en") -> str:
    """The page as a report: it opens with the verdict, and stays interactive without the rows.

    Args:
        report: what `check` found.
        tally: the tally that it was found in; the page computes other bins from it.
        lang: language of the report's sentences, in which the page opens.

    Returns:
        One HTML text that needs nothing else. Whatever names, labels and cells hold, none of it is markup.

    Example:
        >>> import calibrant as cb
        >>> rows = cb.tally([0.2, 0.8, 0.9], [0, 1, 1])
        >>> text = report_html(cb.check(rows), rows)
        >>> '"schema":"calibrant.tally/1"' in text
        True
    """
    data = {"lang": lang, "report": report_as_dict(report), "tally": to_document(tally)}
    before, mark, after = page_html().partition(_MARK)
    if not mark:
        raise AssertionError("the built page has no place for a report: build it anew (npm run build in web/)")
    return f"{before}{mark.replace('></', '>' + _harmless(data) + '</')}{after}"


def _harmless(data: Any) -> str:
    """JSON in ASCII in which nothing can end a script element, open a comment or be taken for an entity."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
