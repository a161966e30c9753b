"""Bad rows are counted with a reason and a place, or refused; nothing is repaired."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.errors import RowError
from calibrant.predictions import LeftOut, add_left_out, judge_choices, judge_events, normalise_floats

NAN = float("nan")


def reasons(left_out: dict[str, LeftOut]) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {reason: (found.rows, found.first) for reason, found in left_out.items()}


def test_every_bad_event_row_is_counted_once_with_its_record() -> None:
    prob = [0.2, NAN, 1.5, -0.1, 0.3, 0.4, 0.5, 0.6]
    outcome = [0, 1, 1, 0, NAN, 0.5, 2, 1]
    judged = judge_events(prob, outcome, records=np.arange(10, 18))
    assert len(judged) == 2
    assert judged.kept.tolist() == [0, 7]
    assert reasons(judged.left_out) == {
        "probability is missing": (1, (11,)),
        "probability is outside 0 to 1": (2, (12, 13)),
        "outcome is missing": (1, (14,)),
        "outcome is not 0 or 1": (2, (15, 16)),
    }


def test_strict_names_the_first_bad_record_and_what_was_found() -> None:
    with pytest.raises(
        RowError, match=r"1 of 3 rows cannot be used: probability is outside 0 to 1 \(record 2: found 84\.0\)"
    ):
        judge_events([0.2, 84.0, 0.9], [0, 1, 1], strict=True)


@pytest.mark.parametrize("weight", [[1, -0.5], [-1, 1]])
def test_a_negative_weight_is_always_an_error(weight: list[float]) -> None:
    with pytest.raises(RowError, match="must not be negative"):
        judge_events([0.3, 0.2], [1, 0], weight=weight)


def test_a_zero_weight_row_is_as_if_it_were_not_there() -> None:
    judged = judge_events([0.3, 0.2, 0.99], [1, 0, 0], weight=[1, 1, 0])
    assert len(judged) == 2
    assert judged.left_out == {}


def test_float32_is_read_as_the_number_it_was_rounded_from() -> None:
    typed = np.arange(101) / 100
    assert normalise_floats(typed.astype(np.float32)).tolist() == typed.tolist()
    assert (
        normalise_floats(np.arange(50_401, dtype=np.float64) / 50_400).tolist() == (np.arange(50_401) / 50_400).tolist()
    )
    fifths = np.arange(15) / 15
    assert normalise_floats(fifths.astype(np.float32)).tolist() == fifths.tolist()
    assert str(normalise_floats(np.array([-0.0]))[0]) == "0.0"


def test_sums_may_miss_one_by_their_own_rounding_only() -> None:
    rows = [[0.33, 0.33, 0.33], [0.333, 0.333, 0.333], [0.5, 0.4, 0.0], [0.3331, 0.3331, 0.3331], [0.2, 0.3, 0.5]]
    judged = judge_choices(rows, [0, 1, 2, 0, 1])
    assert judged.kept.tolist() == [0, 1, 4]
    assert reasons(judged.left_out) == {"probabilities do not add up to 1": (2, (3, 4))}


def test_labels_must_be_among_the_options_of_the_row() -> None:
    rows = [[0.5, 0.5, NAN], [0.2, 0.3, 0.5], [0.2, 0.3, 0.5], [1.0, NAN, NAN]]
    judged = judge_choices(rows, [2, 3, -1, 0], ragged=True)
    assert judged.kept.tolist() == [3]
    assert reasons(judged.left_out) == {
        "label is missing": (1, (3,)),
        "label is not one of the options": (2, (1, 2)),
    }


def test_a_missing_probability_in_a_full_row_is_counted() -> None:
    judged = judge_choices([[0.5, NAN], [0.5, 0.5]], [0, 1])
    assert reasons(judged.left_out) == {"a probability is missing": (1, (1,))}


def test_left_out_rows_of_parts_add_up() -> None:
    total = add_left_out([{"a": LeftOut(2, (1, 9))}, {"a": LeftOut(3, (2, 4, 5)), "b": LeftOut(1, (7,))}])
    assert total == {"a": LeftOut(5, (1, 2, 4)), "b": LeftOut(1, (7,))}
