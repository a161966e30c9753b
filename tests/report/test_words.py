"""The sentences: complete, all used, and formatted as people read numbers."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibrant
from calibrant.errors import OptionError
from calibrant.report.results import CODES, Code
from calibrant.words import languages, missing_keys, sentence, vocabulary
from calibrant.words.format import count, decimal, percent, percent_range, points, points_range, value_range
from calibrant.words.load import placeholders
from report_cases import drawn, hand_made, report, result

SOURCE = Path(calibrant.__file__).parent


def patterns():
    """Every text in the source that can name a sentence; the parts filled in at run time match anything."""
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield re.escape(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = [re.escape(part.value) if isinstance(part, ast.Constant) else r"[\w.]+" for part in node.values]
                # A pattern without a room of its own, such as f"{a}.{b}", would call every key used.
                if isinstance(node.values[0], ast.Constant) and "." in str(node.values[0].value):
                    yield "".join(parts)


def test_every_sentence_is_used():
    used = re.compile("|".join(sorted(set(patterns()))))
    assert [key for key in vocabulary("en") if not used.fullmatch(key)] == []


@pytest.mark.parametrize("lang", languages())
def test_every_language_is_complete(lang):
    assert missing_keys(lang) == ()
    assert set(vocabulary(lang)) == set(vocabulary("en"))


def test_every_verdict_has_its_sentences():
    assert set(CODES) == set(get_args(Code))
    for code in CODES:
        for room in ("verdict", "advice", "code"):
            assert f"{room}.{code}" in vocabulary("en")


@pytest.mark.parametrize("kind", ["yes_no", "answer"])
def test_every_measured_number_has_a_name(kind):
    measured = result(*drawn(lambda z: z, 300), kind=kind).numbers
    assert [name for name in measured if f"number.{name}" not in vocabulary("en")] == []


def test_sentences_end_like_sentences():
    for key, text in vocabulary("en").items():
        if key.split(".")[0] in ("verdict", "advice") or (
            key.startswith("headline.") and not text.endswith("{sentence}")
        ):
            assert text.endswith("."), key
        assert text == text.strip(), key
        assert placeholders(text) == {name for name in placeholders(text) if re.fullmatch(r"[a-z_0-9]+", name)}


def test_an_unknown_language_is_refused():
    with pytest.raises(OptionError, match="no sentences in language 'xx'"):
        sentence("gap.points", "xx", points=3)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.84, "84%"), (0.005, "0.5%"), (0.0051, "0.5%"), (0.285, "28%"), (0.0, "0%"), (1.0, "100%"), (0.995, "99.5%"),
     (0.99999, "99.999%"), (1e-9, "0.0000001%"), (0.0099, "1.0%"), (0.5, "50%")],
)  # fmt: skip
def test_percent(share, text):
    assert percent(share) == text


@given(st.floats(1e-7, 1 - 1e-7))
def test_no_share_inside_is_printed_as_none_or_all(share):
    assert percent(share) not in ("0%", "100%")


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_ends_of_a_range_are_printed_alike(a, b):
    low, high = sorted((a, b))
    left, right = percent_range(low, high).removesuffix("%").split("–")
    assert float(left) <= float(right)
    assert len(left.partition(".")[2]) == len(right.partition(".")[2])


def test_numbers_as_people_read_them():
    assert count(1234567.0) == "1,234,567"
    assert (points(0.05), points(-0.0949), points(0.095), points(0.0), points(0.0004)) == (
        "5 points", "9.5 points", "9.5 points", "0 points", "0.04 points",
    )  # fmt: skip
    assert points_range(0.01, 0.25) == "1–25 points"
    assert (decimal(0.0), decimal(-0.0), decimal(float("-inf")), decimal(0.00004)) == (
        "0.0000", "0.0000", "minus infinite", "4.0e-05",
    )  # fmt: skip
    assert value_range(0.5, float("inf")) == "0.5000 to infinite"


def test_portuguese_marks_and_sentences():
    assert (percent(0.0023, "pt"), count(1736, "pt"), decimal(0.22081, "pt")) == ("0,2%", "1.736", "0,2208")
    spoken = report(hand_made(lang="pt"), lang="pt")
    assert spoken.headline.text == "Quando diz 84%, acerta 71% das vezes (67–75%, n = 512)."
    lines = spoken.to_text().splitlines()
    assert lines[1] == "Excesso de confiança: tem mais certeza do que acerta, por 11 pontos."
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
