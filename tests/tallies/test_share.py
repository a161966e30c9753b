"""A shared tally holds no cell of few rows, and still adds up."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibrant as cb
from calibrant.errors import OptionError
from calibrant.tallies.share import for_sharing
from calibrant.tallies.store import from_json, to_json


@given(
    rows=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), min_size=5, max_size=80),
    least=st.integers(2, 5),
)
def test_no_cell_is_small_and_totals_stay(rows: list[tuple[float, int]], least: int) -> None:
    prob, outcome = (np.array(column) for column in zip(*rows, strict=True))
    whole = cb.tally(prob, outcome).slices[0]
    part = for_sharing(cb.tally(prob, outcome), least).slices[0]
    cells = part.views["event"]
    assert cells.rows.sum(axis=1).min() >= least
    assert np.array_equal(cells.rows.sum(axis=0), whole.views["event"].rows.sum(axis=0))
    assert np.all(np.diff(cells.key) > 0)
    for mine, theirs in zip(cells.sums(), whole.views["event"].sums(), strict=True):
        np.testing.assert_allclose(mine.sum(axis=0), theirs.sum(axis=0), rtol=1e-9, atol=1e-9)
    assert part.moments.mean("brier") == whole.moments.mean("brier")


def test_record_numbers_and_clusters_are_gone_and_the_file_is_read_back() -> None:
    tally = cb.tally([0.2, 0.4, 7.0, *[0.6] * 10], [0, 1, 1, *[1] * 10], cluster=np.arange(13))
    text = to_json(for_sharing(tally))
    document = json.loads(text)["slices"][0]
    assert document["left_out"] == [{"reason": "probability is outside 0 to 1", "rows": 1, "first": []}]
    assert "clusters" not in document
    assert to_json(from_json(text)) == text


def test_too_few_rows_are_not_shared() -> None:
    with pytest.raises(OptionError, match="No slice has 5 rows or more"):
        for_sharing(cb.tally([0.2, 0.4], [0, 1]))
    with pytest.raises(OptionError, match="at least 2 rows, got 1"):
        for_sharing(cb.tally([0.2] * 9, [0] * 9), 1)
