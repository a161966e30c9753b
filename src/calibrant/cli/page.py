"""`calibrant page`: the browser workbench."""

from __future__ import annotations

import click

from calibrant.cli.options import SectionedCommand

__all__ = ["command"]

EPILOG = """\
Examples:
  calibrant page
  calibrant page -o calibrant.html
  calibrant page --serve --port 8080

Exit codes: 0 done, 2 bad use."""


@click.command(cls=SectionedCommand, name="page", epilog=EPILOG)
@click.option("-o", "--output", metavar="FILE", help="Write the page to a file; any static host can serve it.")
@click.option("--serve", is_flag=True, help="Serve it on 127.0.0.1 until Ctrl-C, instead of opening it from disk.")
@click.option("--port", type=int, default=0, metavar="N", help="Port for --serve (default: a free one).")
def command(output: str | None, *, serve: bool, port: int) -> None:
    """Open the browser workbench: paste or drop a CSV and see the same numbers.

    The page is one file and sends nothing: data that is given to it never leaves the browser.
    """
    from calibrant.page import open_page, serve_page
    from calibrant.report.html import page_html
    from calibrant.safe import write_atomic

    if output is not None:
        write_atomic(output, page_html())
        click.echo(f"Wrote {output}", err=True)
    elif serve:
        serve_page(port, ready=lambda address: click.echo(f"Serving {address} until Ctrl-C", err=True))
    else:
        click.echo(f"Opened {open_page()}", err=True)
