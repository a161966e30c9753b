"""Habits: files written whole or not at all, harmless text, sizes capped."""

from __future__ import annotations

import os

import pytest

from calibrant.errors import FileError
from calibrant.safe import cell, plain, read_capped, write_atomic, write_with


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("old")
    path.chmod(0o640)
    write_atomic(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_a_failed_write_leaves_what_was_there(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("old")

    def fail(draft):
        draft.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(FileError, match="No space left"):
        write_with(path, fail)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="Cannot write") as caught:
        write_atomic(tmp_path / "no" / "a.json", "x")
    assert "-o" in caught.value.hint


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(FileError, match="it is a folder"):
        write_atomic(tmp_path, "x")


def test_devices_get_the_content():
    write_atomic(os.devnull, "x")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\u202eb", "a\\u202eb"),
        ("bell\x07", "bell\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("ü 漢 ✓", "ü 漢 ✓"),
    ],
)
def test_text_cannot_steer_a_terminal(text, shown):
    assert plain(text) == shown


def test_long_text_is_cut():
    assert plain("x" * 99, limit=5) == "xxxx…"


@pytest.mark.parametrize("risky", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1"])
def test_formulas_are_neutralised(risky):
    assert cell(risky) == "'" + risky


@pytest.mark.parametrize("harmless", ["-0.5", "+1e-3", "0", "a=b", "", "-inf"])
def test_numbers_and_plain_text_stay(harmless):
    assert cell(harmless) == harmless


def test_reading_is_capped(tmp_path):
    path = tmp_path / "big"
    path.write_bytes(b"x" * 11)
    assert read_capped(path, limit=11) == b"x" * 11
    with pytest.raises(FileError, match="larger than"):
        read_capped(path, limit=10)
    with pytest.raises(FileError, match="Cannot read"):
        read_capped(tmp_path / "none")
