"""The browser page: opened from disk, or served on this machine only.

The page is one file (built from `web/`) with a policy that lets it send nothing.
"""

from __future__ import annotations

import contextlib
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from calibrant.errors import OptionError
from calibrant.report.html import page_html

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.server import ThreadingHTTPServer

__all__ = ["make_server", "open_page", "serve_page"]

_POLICY_START = '<meta http-equiv="Content-Security-Policy" content="'


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
            here = int(self.server.server_port)  # type: ignore[attr-defined]
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

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class names it)
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
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
