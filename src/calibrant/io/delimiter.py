"""The character between columns, found from the first lines."""

from __future__ import annotations

import csv
import re
from collections import Counter

__all__ = ["DELIMITERS", "SPACES", "cells", "find_delimiter", "usual_width"]

DELIMITERS = ("\t", ";", "|", ",")
"""In order of preference: where two of them fit equally well, a comma is a decimal sign or part of a text."""

SPACES = " "
"""Stands for runs of spaces."""

SAMPLE = 50


def cells(lines: list[str], delimiter: str) -> list[list[str]]:
    """The cells of lines, without surrounding space; quoted cells may span lines.

    Example:
        >>> cells(['a, "b, c"', "1,2"], ",")
        [['a', 'b, c'], ['1', '2']]
    """
    if delimiter == SPACES:
        lines = [re.sub(r"[ \t]+", " ", line.strip()) for line in lines]
    rows = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, skipinitialspace=True)
    try:
        return [[value.strip() for value in row] for row in rows if row]
    except csv.Error:
        return [[value.strip() for value in line.split(delimiter)] for line in lines]


def usual_width(rows: list[list[str]]) -> int:
    """The number of cells that most rows have; the larger one of two equally common."""
    counts = Counter(map(len, rows))
    return max(counts, key=lambda width: (counts[width], width)) if counts else 0


def find_delimiter(lines: list[str]) -> str:
    """The delimiter that splits the first line and most others into the same number of cells.

    Example:
        >>> find_delimiter(["p;y", "0,9;1", "0,25;0"])
        ';'
    """
    found: list[tuple[bool, float, int, str]] = []
    for delimiter in (*DELIMITERS, SPACES):
        rows = cells(lines[:SAMPLE], delimiter)
        width = usual_width(rows)
        if width < 2:
            continue
        share = sum(len(row) == width for row in rows) / len(rows)
        if delimiter == SPACES and (found or share < 0.5):
            continue
        found.append((len(rows[0]) == width, round(share, 1), width, delimiter))
    if not found:
        return ","
    best = max(found, key=lambda entry: entry[:2])
    tied = [entry for entry in found if entry[:2] == best[:2]]
    # Equally regular: a comma beside another sign is a decimal sign, as in 0,84;1. Otherwise more columns say more.
    others = [entry for entry in tied if entry[3] != ","]
    return max(others or tied, key=lambda entry: entry[2])[3]
