"""Markdown and HTML say the same as the terminal, and show texts from the data as they are."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.predictions import LeftOut
from calibrant.report.markdown import _escaped, _fence
from calibrant.report.results import SourceFacts
from report_cases import drawn, hand_made, report, result

HARM = "<script>alert(1)</script>|`x`*b*[l](http://e)\n# head\x1b[2J"


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text, self.open = set(), "", []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.tags |= {name for name, _ in attrs}
        if tag not in ("line", "circle", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read_html(html):
    reader = _Tags()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def harmful():
    parts = [hand_made(by={"model": HARM}, left_out={HARM: LeftOut(1, (1,))}), hand_made(by={"model": "b"})]
    return report(*parts, source=SourceFacts(HARM, 9, (HARM,)), command=f"calibrant check {HARM}")


def test_html_shows_texts_from_the_data_and_runs_nothing():
    reader = read_html(harmful()._repr_html_())
    assert "script" not in reader.tags
    assert not any(tag.startswith("on") for tag in reader.tags)
    assert "<script>alert(1)</script>" in reader.text


def test_html_has_headline_diagram_and_numbers():
    reader = read_html(report()._repr_html_())
    assert reader.text.startswith("When it says 84%, it is right 71% of the time (67–75%, n = 512).")
    assert "svg" in reader.tags
    assert "Debiased l2 error" in reader.text
    assert "calibrant check games.csv --all" in reader.text


@given(st.text())
def test_no_name_breaks_html(name):
    read_html(report(hand_made(by={name: name}), hand_made(by={"a": "b"}), source=SourceFacts(name, 1))._repr_html_())


def test_markdown_has_tables_of_numbers_and_bins():
    text = report(result(*drawn(lambda z: 2 * z))).to_markdown()
    assert text.startswith("# When it says")
    assert re.search(r"^\| Brier score \| 0\.\d{4} \|", text, re.MULTILINE)
    assert re.search(r"^\| 0–10% \|", text, re.MULTILINE)
    assert "```sh\ncalibrant check games.csv --all\n```" in text
    assert "calibrant 0.1.0, seed 0" in text.lower()


def test_the_first_screen_in_markdown_is_shorter():
    assert len(report().to_markdown(full=False)) < len(report().to_markdown()) / 1.5


def test_markdown_tables_keep_their_columns():
    for line in harmful().to_markdown().splitlines():
        if line.startswith("| model="):
            assert len(re.findall(r"(?<!\\)\|", line)) == 8


def test_markdown_shows_texts_from_the_data_as_they_are():
    text = harmful().to_markdown()
    assert "<script>" not in re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    assert "\n# head" not in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a*b", "a\\*b"),
        ("nfl_games.csv _a_", "nfl_games.csv \\_a\\_"),
        ("`p` as probability", "`p` as probability"),
        ("one ` alone", "one ' alone"),
        ("`a|b`", "`a\\|b`"),
        ("<b>&amp;", "\\<b\\>\\&amp;"),
    ],
)
def test_escaping(text, shown):
    assert _escaped(text) == shown


def test_a_fence_is_longer_than_what_it_holds():
    assert _fence("a ``` b", "sh").startswith("````sh\n")


@pytest.mark.parametrize("face", ["to_json", "to_markdown"])
def test_faces_are_written_to_files(face, tmp_path):
    place = tmp_path / "report"
    pytest.importorskip("calibrant.safe")
    text = getattr(report(), face)(place)
    assert place.read_text("utf-8") == text
