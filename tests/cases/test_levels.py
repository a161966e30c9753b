"""Numbers of ordered scores on two rows that can be worked out by hand."""

from __future__ import annotations

import pytest

import calibrant as cb
from calibrant.measure.measure import measure
from calibrant.measure.options import MeasureOptions

# Expected levels 0.3 and 1.2; the right levels are 0 and 2.
ROWS = ([[0.8, 0.1, 0.1], [0.2, 0.4, 0.4]], [0, 2])


@pytest.fixture(scope="module")
def numbers():
    tally = cb.tally(*ROWS, kind="score", options=("low", "medium", "high"))
    return measure(tally.slices[0], MeasureOptions(thorough=False)).numbers


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("expected_level", 0.75),
        ("label_level", 1.0),
        ("level_bias", -0.25),
        # Cut 0: 0.8 and it is so, 0.2 and it is not; cut 1: 0.9 and it is so, 0.6 and it is not.
        ("rps", ((0.2**2 + 0.1**2) + (0.2**2 + 0.6**2)) / 2),
        ("cut_ece", ((0.2 + 0.2) / 2 + (0.1 + 0.6) / 2) / 2),
        ("brier", ((0.04 + 0.01 + 0.01) + (0.04 + 0.16 + 0.36)) / 2),
        ("brier_uniform", 2 / 3),
        ("brier_base_rate", 0.5),
        ("mean_confidence", 0.6),
    ],
)
def test_levels_by_hand(numbers, name, value):
    assert numbers[name].value == pytest.approx(value, abs=1e-12)


def test_the_cuts_say_where_the_levels_lie(numbers):
    found = [(cut["level"], cut["said"], cut["observed"]) for cut in numbers["cut_ece"].extra["cuts"]]
    assert [level for level, _, _ in found] == ["low", "medium"]
    assert [said for _, said, _ in found] == pytest.approx([0.5, 0.75], abs=1e-12)
    assert [seen for _, _, seen in found] == [0.5, 0.5]
