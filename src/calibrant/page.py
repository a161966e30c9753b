"""The browser page: the workbench, and the same page as an HTML report with a tally and its numbers inside.

The page is one file (built from `web/`) with a policy that lets it send nothing. A report is put into it as JSON in
a script element that browsers do not run, with every sign that could end the element written as an escape.
"""

from __future__ import annotations

import json
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any

from calibrant.errors import OptionError
from calibrant.report.json import report_as_dict
from calibrant.tallies.store import to_document

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.server import ThreadingHTTPServer

    from calibrant.report.nodes import Report
    from calibrant.tallies.tally import Tally

__all__ = ["make_server", "open_page", "page_html", "report_html", "serve_page"]

_MARK = '<script type="application/json" id="calibrant-data"></script>'
_POLICY_START = '<meta http-equiv="Content-Security-Policy" content="'


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


def open_page() -> str:
    """Open the workbench in the browser, straight from disk.

    Returns:
        The address that was opened.
    """
    import webbrowser

    with as_file(files("calibrant.web").joinpath("page.html")) as path:
        address = path.resolve().as_uri()
        webbrowser.open(address)
    return address


def make_server(port: int = 0, html: str | None = None) -> ThreadingHTTPServer:
    """A server of the page on 127.0.0.1 only.

    It answers GET and HEAD of / and nothing else, and only when the request names this machine as its host, so that
    no foreign name can be pointed at it.

    Args:
        port: 0 takes a free one.
        html: the page; the workbench by default.

    Raises:
        OptionError: if the port cannot be used.
    """
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    text = page_html() if html is None else html
    body = text.encode("utf-8")
    policy = text.partition(_POLICY_START)[2].partition('"')[0] + "; frame-ancestors 'none'"

    class Handler(BaseHTTPRequestHandler):
        server_version, sys_version = "calibrant", ""

        def do_GET(self) -> None:
            self._answer(body)

        def do_HEAD(self) -> None:
            self._answer(b"")

        def _answer(self, content: bytes) -> None:
            here = self.server.server_address[1]
            known = {f"127.0.0.1:{here}", f"localhost:{here}"}
            if self.headers.get("Host", "").lower() not in known:
                self.send_error(421, "Misdirected Request")
            elif self.path.partition("?")[0] != "/":
                self.send_error(404, "Not Found")
            else:
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Content-Security-Policy", policy)
                self.send_header("X-Content-Type-Options", "nosniff")
                self.send_header("Referrer-Policy", "no-referrer")
                self.send_header("Cross-Origin-Resource-Policy", "same-origin")
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is logged: there is nothing to learn from requests of one's own browser."""

    try:
        return ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except (OSError, OverflowError) as error:
        raise OptionError(
            f"Port {port} cannot be used: {error}.", hint="Leave --port away to take a free one."
        ) from None


def serve_page(port: int = 0, *, html: str | None = None, ready: Callable[[str], None] | None = None) -> None:
    """Serve the page on 127.0.0.1 until it is interrupted (Ctrl-C).

    Args:
        port: 0 takes a free one.
        html: the page; the workbench by default.
        ready: is called with the address once the server listens, for example to print or to open it.

    Raises:
        OptionError: if the port cannot be used.
    """
    with make_server(port, html) as server:
        if ready is not None:
            ready(f"http://127.0.0.1:{server.server_address[1]}/")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass
