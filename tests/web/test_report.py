"""The page as a report, its server, and the proof that the built page is the one of the sources."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import calibrant as cb
from calibrant import page
from calibrant.errors import OptionError
from calibrant.report.html import page_html, report_html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.web.conftest import Tab

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
DATA = ROOT / "src/calibrant/data"
HOSTILE = "</script><script>window.hit=1</script><!--<img src=x onerror=window.hit=1>&lt&amp"


def _report(path: Path | str, **options: object) -> str:
    tally = cb.tally(str(path), **options)
    return report_html(cb.check(tally), tally)


def test_the_committed_page_is_the_build_of_the_sources() -> None:
    if not (WEB / "node_modules/vite").is_dir():
        pytest.skip("the page's packages are not installed: npm ci in web/")
    found = subprocess.run(["node", "build.mjs", "--check"], cwd=WEB, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert int(re.findall(r"(\d+) gzipped", found.stdout)[0]) <= 250 * 1024


def test_the_lock_file_names_no_machine() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text())
    places = [entry["resolved"] for entry in lock["packages"].values() if "resolved" in entry]
    assert [place for place in places if not place.startswith("https://registry.npmjs.org/")] == []
    assert all("integrity" in entry for name, entry in lock["packages"].items() if name)


def test_the_page_has_no_name_that_can_send() -> None:
    text = page_html()
    for name in ("XMLHttpRequest", "fetch(", "WebSocket", "EventSource", "sendBeacon", "RTCPeerConnection"):
        assert name not in text
    for name in ("window.open", "location.href", "new Function", "eval(", "importScripts", "WebTransport"):
        assert name not in text
    policy = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)[0]
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    assert "unsafe" not in policy
    # Only the addresses of XML name spaces and of licences or documentation in code remain; none is asked for.
    assert set(re.findall(r"""(?:src|href)=["'](\w+:)""", text)) <= {"data:"}


def test_a_report_opens_with_its_verdict(open_tab: Callable[..., Tab], tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    place.write_text(_report(DATA / "breast-cancer.csv"))
    tab = open_tab(place.as_uri())
    tab.page.wait_for_selector(".sentence")
    verdict = json.loads(cb.check(str(DATA / "breast-cancer.csv")).to_json())["slices"][0]["verdict"]
    assert tab.page.inner_text(".sentence") == verdict["sentence"]
    assert "This report was made by `calibrant check`" in tab.page.inner_text(".source")
    tab.page.focus("#slider")
    tab.page.keyboard.press("ArrowLeft")
    tab.page.wait_for_selector("#bins caption:has-text('9 bins')")
    assert tab.said == []


def test_a_report_holds_no_row_and_no_text_of_the_data(tmp_path: Path) -> None:
    place = tmp_path / "rows.csv"
    place.write_text("id,p,y,said\n" + "".join(f"secret-{i},0.{i % 9 + 1},{i % 2},whisper\n" for i in range(50)))
    text = _report(place)
    assert "secret-" not in text
    assert "whisper" not in text


def test_no_name_label_or_cell_becomes_markup(open_tab: Callable[..., Tab], tmp_path: Path) -> None:
    quoted = '"' + HOSTILE + '"'
    place = tmp_path / "rows.csv"
    place.write_text(f"p,y,{quoted}\n" + "".join(f"0.{i % 9 + 1},{i % 2},{quoted}\n" for i in range(50)))
    text = _report(place, by=HOSTILE)
    assert text.count("<script") == page_html().count("<script")
    (tmp_path / "report.html").write_text(text)
    tab = open_tab((tmp_path / "report.html").as_uri())
    tab.page.wait_for_selector(".sentence")
    assert "onerror=window.hit=1" in tab.page.inner_text(".headline .kicker")
    assert tab.page.evaluate("window.hit") is None
    assert tab.said == []


@pytest.fixture
def port() -> Iterator[int]:
    server = page.make_server()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield int(server.server_address[1])
    server.shutdown()
    server.server_close()


def _asked(port: int, path: str, host: str, method: str = "GET") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    return connection.getresponse()


def test_the_server_answers_its_own_name_only(port: int) -> None:
    answer = _asked(port, "/", f"127.0.0.1:{port}")
    assert answer.status == 200
    assert "connect-src 'none'" in (answer.getheader("Content-Security-Policy") or "")
    assert answer.read().decode() == page_html()
    assert _asked(port, "/", f"localhost:{port}").status == 200
    assert _asked(port, "/", "evil.example").status == 421
    assert _asked(port, "/", f"127.0.0.1:{port + 1}").status == 421
    assert _asked(port, "/../pyproject.toml", f"127.0.0.1:{port}").status == 404
    assert _asked(port, "/", f"127.0.0.1:{port}", "POST").status == 501


def test_the_served_page_works(open_tab: Callable[..., Tab], port: int) -> None:
    tab = open_tab(f"http://127.0.0.1:{port}/").load(DATA / "breast-cancer.csv")
    assert "When it says 2%" in tab.page.inner_text(".sentence")
    assert tab.said == []


def test_a_taken_port_is_a_sentence(port: int) -> None:
    with pytest.raises(OptionError, match="cannot be used"):
        page.make_server(port)
    with pytest.raises(OptionError, match="cannot be used"):
        page.make_server(70_000)
