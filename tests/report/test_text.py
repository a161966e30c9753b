"""The first screen and the full text: size, order, colour, ASCII, and names that mean harm."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.predictions import LeftOut
from calibrant.report import build_report
from calibrant.report.ink import Ink, ascii_text, clean, draws_lines, wants_colour
from calibrant.report.results import CODES, SourceFacts
from calibrant.report.tables import columns_of, fitted, table_lines
from report_cases import SOURCE, drawn, hand_made, report, result

FIRST_SCREEN = """\
When it says 84%, it is right 71% of the time (67–75%, n = 512).
Overconfident: it is surer than it is right, by 11 points.

games.csv: 2,007 rows; `p` as probability, `won` as outcome; 7 rows left out

  says  0%           25%           50%          75%         100%  is right  rows
   65%  ┊             ┊            ├────●───○┤   ┊             ┊       58%   100
   75%  ┊             ┊             ┊  ├───●───┤ ○             ┊       64%   200
   84%  ┊             ┊             ┊        ├─●─┤    ○        ┊       71%   512
   95%  ┊             ┊             ┊            ┊  ├──●─┤  ○  ┊       85%   188
  ○ says   ● is right, 95% interval   ↓ lower is better   ↑ higher is better

  Brier score                0.2000  0.1900–0.2100
  Brier skill                0.1000  0.0600–0.1400  base rate alone is 0
  Confidence ECE, 10 bins ↓  0.1140  0.0900–0.1400  noise alone up to 0.0310
  Debiased l2 error          0.1200  0.0900–0.1500
  AUC                        0.6600  0.6200–0.7000  no order is 0.5
  Accuracy                   0.7100  0.6800–0.7400

Do not set thresholds on these numbers yet. Fit a correction on one part of the
rows and judge it on the rest.
Next: calibrant check games.csv --all
"""


def test_the_first_screen_in_full():
    assert report().to_text() == FIRST_SCREEN


SHAPES = [lambda z: z, lambda z: 2 * z, lambda z: 0.3 * z, lambda z: -z, lambda z: z - 1.5, lambda z: 0 * z]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [1, 12, 3000])
def test_the_first_screen_fits_a_small_terminal(shape, n):
    notes = ("`probability_of_the_event_as_stated` as probability", "`did_it_happen_in_the_end` as outcome")
    source = SourceFacts("a-file-with-a-name-of-some-length-2026-12-01.csv", n + 7, notes)
    found = result(*drawn(shape, n), left_out={"outcome is not 0 or 1": LeftOut(7, (1, 2, 3))})
    lines = report(found, source=source).to_text().splitlines()
    assert len(lines) <= 30
    assert max(map(columns_of, lines)) <= 80
    assert lines[-1].startswith("Next: calibrant check")


@pytest.mark.parametrize("count", [2, 15, 40])
def test_many_slices_fit_too_and_the_worst_comes_first(count):
    parts = [result(*drawn(SHAPES[k % 6], 200, seed=k), by={"model": f"m{k}"}) for k in range(count)]
    lines = report(*parts).to_text().splitlines()
    assert len(lines) <= 30
    assert max(map(columns_of, lines)) <= 80
    names = [f"model={line.split()[0]}" for line in lines if re.match(r"  m\d+ ", line)]
    assert len(names) == min(count, 15)
    codes = {f"model={part.by['model']}": part.verdict.code for part in parts}
    ranks = [CODES.index(codes[name]) for name in names]
    assert ranks == sorted(ranks)
    assert names[0] in lines[0] + lines[1]
    assert any("more with --all" in line for line in lines) == (count > 15)


def test_the_full_text_has_every_number_and_bin():
    found = result(*drawn(lambda z: 2 * z))
    text = report(found).to_text(full=True)
    for name, number in found.numbers.items():
        assert f"    {name}; " in text
        assert number.convention.split()[0] in text
    # Ten bins of the event, and the five of its confidence that can have rows.
    assert len(re.findall(r"^ +\d+–\d+%", text, re.MULTILINE)) == 15
    assert text.count("○ says") == 2
    assert "What the verdict rests on" in text


def test_left_out_rows_are_told_by_reason_with_their_records():
    found = hand_made(
        left_out={"outcome is not 0 or 1": LeftOut(1, (212,)), "probability is missing": LeftOut(3, (5, 6, 9))}
    )
    text = report(found).to_text(full=True)
    assert "4 rows left out" in text
    assert "1 left out: outcome is not 0 or 1 (record 212)" in text
    assert "3 left out: probability is missing (record 5, 6, 9)" in text


@given(st.integers(-5, 300))
def test_every_width_is_kept(width):
    text = report().to_text(width=width)
    lines = [line for line in text.splitlines() if not line.startswith("Next: ")]
    # Below 60 columns the numbers and the explanation of the diagram cannot give way any more.
    assert max(map(columns_of, lines)) <= max(60, min(100, width))


def test_ascii_only():
    for full in (False, True):
        text = report().to_text(ascii_only=True, full=full)
        assert text.isascii()
        assert "?" not in text
    assert "[-#-]" in report().to_text(ascii_only=True)


def test_colour_changes_nothing_but_colour():
    for full in (False, True):
        painted = report().to_text(colour=True, full=full)
        assert "\x1b[31m" in painted
        assert re.sub(r"\x1b\[\d*m", "", painted) == report().to_text(full=full)


def test_only_colours_that_read_on_light_and_dark():
    codes = set(re.findall(r"\x1b\[(\d+)m", report().to_text(colour=True, full=True)))
    assert codes <= {"0", "1", "2", "31", "32", "35"}


class _Stream:
    def __init__(self, encoding="utf-8", *, terminal=True):
        self.encoding = encoding
        self._terminal = terminal

    def isatty(self):
        return self._terminal


def test_colour_is_for_terminals_and_no_color_is_honoured(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(_Stream())
    assert not wants_colour(_Stream(terminal=False))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(_Stream())
    monkeypatch.setenv("NO_COLOR", "")
    assert wants_colour(_Stream())
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_colour(_Stream())


@pytest.mark.parametrize(
    ("encoding", "draws"), [("utf-8", True), ("ascii", False), ("latin-1", False), (None, False), ("nonsense", False)]
)
def test_lines_are_drawn_where_the_encoding_has_them(encoding, draws):
    assert draws_lines(_Stream(encoding)) == draws


HARM = "a\x1b[2J\x1b]0;owned\x07\r\n\u202eevil\x9b31m"


def test_names_from_the_data_cannot_command_the_terminal():
    part = hand_made(by={"model": HARM}, left_out={HARM: LeftOut(1, (1,))})
    both = report(
        part, hand_made(by={"model": "b"}), source=SourceFacts(HARM, 9, (HARM,)), command=f"calibrant check {HARM}"
    )
    for full in (False, True):
        text = both.to_text(full=full)
        assert set(text) & {"\x1b", "\x07", "\r", "\u202e", "\x9b"} == set()


@given(st.text())
def test_cleaned_text_is_one_printable_line(text):
    assert len(clean(text).splitlines()) <= 1
    assert clean(clean(text)) == clean(text)


@given(st.text(max_size=30), st.integers(4, 12))
def test_texts_are_cut_to_their_columns(text, width):
    assert columns_of(fitted(text, width)) <= max(width, 0)


def test_the_widest_column_of_a_table_gives_way():
    from calibrant.report.ink import marks

    chars = marks(ascii_only=False)
    lines = table_lines(
        ("name", "n"), [("模型" * 30, "5"), ("b", "12")], "<>", width=40, ink=Ink(colour=False), chars=chars
    )
    assert max(map(columns_of, lines)) <= 40
    assert lines[1].endswith("…    5")
    assert lines[2].endswith(" 12")


def test_characters_without_a_twin_become_question_marks():
    assert ascii_text("模–型") == "?-?"


def test_an_empty_report_says_so():
    assert build_report((), SOURCE, version="0", seed=0).to_text().startswith("There are no rows to judge.")


def test_an_infinite_log_loss_is_told():
    prob, happened = drawn(lambda z: z, 500)
    prob[:3], happened[:3] = 0.0, 1
    text = report(result(prob, happened)).to_text()
    assert re.search(r"Log loss ↓ +infinite", text)


def test_a_constant_forecaster_has_one_line_in_the_diagram():
    found = result(np.full(100, 0.7), (np.arange(100) % 10 < 7).astype(np.uint8))
    assert sum("◉" in line for line in report(found).to_text().splitlines()) == 1
