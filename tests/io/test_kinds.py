"""Questions of several kinds in one file, and what is checked about weights, picks, rounding and truth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from calibrant.checking import check_tally
from calibrant.errors import CalibrantError, ColumnError, InputError, RowError
from calibrant.loading import load_data

MIXED = """question,p,p_low,p_mid,p_high,p_cat,p_dog,label,outcome
level,,0.5,0.25,0.25,,,mid,
level,,0.25,0.5,0.25,,,high,
animal,,,,,0.75,0.25,cat,
animal,,,,,0.5,,dog,
spam,0.75,,,,,,,1
spam,0.125,,,,,,,0
"""


def test_questions_with_options_of_their_own(tmp_path):
    (tmp_path / "mixed.csv").write_text(MIXED)
    found = load_data(tmp_path / "mixed.csv", by="question", levels=["low", "mid", "high"]).tally
    parts = {part.by["question"]: part for part in found.slices}
    assert {name: (part.kind, part.options, part.n) for name, part in parts.items()} == {
        "animal": ("choice", ("cat", "dog"), 1),
        "level": ("score", ("low", "mid", "high"), 2),
        "spam": ("yes_no", ("no", "yes"), 2),
    }
    assert parts["animal"].left_out["a probability is missing"].first == (4,)
    assert parts["level"].moments.mean("label") == 1.5
    assert parts["spam"].views["event"].prob.tolist() == [0.125, 0.75]


def test_without_by_the_kinds_cannot_be_told_apart(tmp_path):
    (tmp_path / "mixed.csv").write_text(MIXED)
    with pytest.raises(ColumnError, match="a probability column and columns for options"):
        load_data(tmp_path / "mixed.csv")


def test_maps_and_lists_by_question():
    data = {"q": ["a", "b", "b"], "probs": [{"x": 0.5, "y": 0.5}, {"z": 0.25, "w": 0.75}, {"w": 1.0}]}
    found = load_data(data | {"label": ["x", "w", "w"]}, by="q").tally
    assert [(part.options, part.n) for part in found.slices] == [(("x", "y"), 1), (("z", "w"), 2)]
    lists = {"q": ["a", "b"], "probs": [[0.5, 0.5], [0.25, 0.5, 0.25]], "label": [1, 2]}
    found = load_data(lists, by="q").tally
    assert [part.kind for part in found.slices] == ["yes_no", "choice"]


def test_files_whose_options_differ(tmp_path):
    (tmp_path / "a.csv").write_text("p_a,p_b,label\n0.5,0.5,a\n")
    (tmp_path / "b.csv").write_text("p_a,p_c,label\n0.5,0.5,a\n")
    with pytest.raises(CalibrantError, match=r"options cannot be added up: choice with a, b, and choice with a, c"):
        load_data([tmp_path / "a.csv", tmp_path / "b.csv"])


def test_labels_of_the_truth_must_be_options(tmp_path):
    (tmp_path / "rows.csv").write_text("id,p_a,p_b\n1,0.5,0.5\n2,0.25,0.75\n")
    (tmp_path / "truth.csv").write_text("id,label\n1,a\n2,zebra\n")
    with pytest.raises(RowError, match=r"truth\.csv gives record 2 the label 'zebra', which is not one of .* a, b"):
        load_data(tmp_path / "rows.csv", truth=tmp_path / "truth.csv")


@pytest.mark.parametrize("weights", ["sampling", "frequency"])
def test_weights_that_are_all_zero(weights):
    data = {"p": [0.25, 0.75], "y": [0, 1], "w": [0, 0]}
    with pytest.raises(InputError, match=r"The weights sum to zero\."):
        load_data(data, weight="w", weights=weights)
    assert load_data(data | {"w": [0, 2]}, weight="w", weights=weights).tally.n == (1 if weights == "sampling" else 2)


def test_an_answer_that_is_not_the_likeliest_option():
    data = pd.DataFrame({"p_a": [0.75, 0.25, 0.5], "p_b": [0.25, 0.75, 0.5], "pred": ["a", "a", "b"]})
    found = load_data(data.assign(label=["a", "b", "b"])).tally
    (warning,) = [note for note in found.source.notes if "pred" in note]
    assert warning.startswith("warning: 1 of 3 rows: `pred` is not the option with the largest probability")
    text = check_tally(found).to_text()
    assert "1 of 3 rows: `pred` is not the option" in text
    agreed = load_data(data.assign(label=["a", "b", "b"], pred=["a", "b", "a"])).tally
    assert not [note for note in agreed.source.notes if "pred" in note]


def notes(data):
    return "; ".join(load_data(data).tally.source.notes)


def test_rounding_is_told():
    p = np.random.default_rng(1).random(200)
    for decimals in (2, 3, 4):
        said = notes({"p": p.round(decimals), "y": (p > 0.5) * 1})
        assert f"probabilities rounded to {decimals} decimals" in said
    for other in (p, p.round(1), np.repeat([0.25, 0.75], 100)):
        assert "rounded" not in notes({"p": other, "y": (p > 0.5) * 1})


def test_rows_that_add_up_only_within_rounding():
    probs = np.random.default_rng(2).dirichlet([1, 1, 1], 300).round(2)
    off = int((np.abs(probs.sum(axis=1) - 1) > 1e-6).sum())
    said = notes({"p_a": probs[:, 0], "p_b": probs[:, 1], "p_c": probs[:, 2], "label": ["a"] * 300})
    assert 0 < off < 300
    assert f"{off} of 300 rows add up to 1 only within rounding" in said
