"""`compare`: joining, faces, many models, margins, unpaired tallies, ranking scores, the command."""

from __future__ import annotations

import json

import numpy as np
import pytest

import calibrant as cb
from calibrant.cli import main
from calibrant.comparison.family import all_pairs
from calibrant.errors import ColumnError, InputError, OptionError
from calibrant.ranking import expected_level, final_score, final_score_gap


def table(path, columns):
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    good, poor = y * 0.4 + rng.uniform(0, 0.6, 300), rng.uniform(0, 1, 300)
    names = [f"q{k}" for k in range(300)]
    a = table(tmp_path / "good.csv", {"item": names, "p": good, "y": y})
    order = rng.permutation(300)[:280]
    b = table(tmp_path / "poor.csv", {"item": [names[k] for k in order], "p": poor[order], "y": y[order]})
    return a, b, (good, poor, y, order)


def test_files_are_joined_by_item_whatever_their_order(files):
    a, b, (good, poor, y, order) = files
    found = cb.compare(a, b, id="item")
    part = found.slices[0]
    kept = np.sort(order)
    expected = ((good - y) ** 2)[kept].mean() - ((poor - y) ** 2)[kept].mean()
    assert (part.items, part.all_items) == (280, 300)
    assert part.pairs[0].numbers["brier"].value == pytest.approx(expected, abs=1e-12)
    assert part.pairs[0].code == "first"
    filled = {model.name: model.filled for model in part.models}
    assert filled["poor"] == pytest.approx((((poor - y) ** 2)[order].sum() + 20 * 0.25) / 300)


def test_files_without_items_are_not_joined_by_chance(files):
    with pytest.raises(OptionError, match="item column"):
        cb.compare(files[0], files[1])


def test_an_item_twice_is_refused(tmp_path):
    a = table(tmp_path / "a.csv", {"item": ["x", "x", "z"], "p": [0.1, 0.2, 0.3], "y": [0, 1, 0]})
    b = table(tmp_path / "b.csv", {"item": ["x", "y", "z"], "p": [0.1, 0.2, 0.3], "y": [0, 1, 0]})
    with pytest.raises(ColumnError, match="2 rows of item 'x'"):
        cb.compare(a, b, id="item")


def test_contradicting_outcomes_are_counted_and_left_out(tmp_path):
    names = [f"q{k}" for k in range(30)]
    y = np.arange(30) % 2
    a = table(tmp_path / "a.csv", {"item": names, "p": np.linspace(0.1, 0.9, 30), "y": y})
    b = table(tmp_path / "b.csv", {"item": names, "p": np.linspace(0.9, 0.1, 30), "y": [1 - y[0], *y[1:]]})
    part = cb.compare(a, b, id="item").slices[0]
    assert (part.items, part.different_outcomes) == (29, 1)


def test_a_model_column_and_probability_columns_agree(tmp_path):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 80)
    p, q = rng.uniform(0, 1, 80), rng.uniform(0, 1, 80)
    wide = table(tmp_path / "wide.csv", {"one": p, "two": q, "won": y})
    long = table(
        tmp_path / "long.csv",
        {"model": ["one"] * 80 + ["two"] * 80, "item": [*range(80)] * 2, "p": [*p, *q], "y": [*y, *y]},
    )
    first = cb.compare(wide, compare_columns=("one", "two"), outcome_column="won").slices[0].pairs[0]
    second = cb.compare(long, model="model", id="item").slices[0].pairs[0]
    third = cb.compare({"one": p, "two": q}, outcome=y).slices[0].pairs[0]
    for other in (second, third):
        assert {name: n.value for name, n in other.numbers.items()} == pytest.approx(
            {name: n.value for name, n in first.numbers.items()}
        )


def test_different_items_give_an_unpaired_comparison(tmp_path):
    y = np.arange(60) % 2
    p = np.linspace(0.1, 0.9, 60)
    a = table(tmp_path / "a.csv", {"item": [f"a{k}" for k in range(60)], "p": p, "y": y})
    b = table(tmp_path / "b.csv", {"item": [f"b{k}" for k in range(60)], "p": p, "y": y})
    part = cb.compare(a, b, id="item").slices[0]
    assert part.pairs[0].code == "not_comparable"
    assert not part.pairs[0].paired
    assert "not comparable across datasets" in part.notes[0]
    assert part.pairs[0].numbers["brier_skill"].value == 0


def test_tallies_are_compared_as_unpaired(files, tmp_path):
    pair = cb.compare(cb.tally(files[0]), cb.tally(files[1])).slices[0].pairs[0]
    assert pair.numbers["brier"].method == "unpaired t (Welch)"


def test_a_margin_shows_that_models_are_alike():
    rng = np.random.default_rng(4)
    p = rng.uniform(0.1, 0.9, 2000)
    y = (rng.random(2000) < p).astype(int)
    near = np.clip(p + rng.normal(0, 0.02, 2000), 0, 1)
    assert cb.compare(p, near, outcome=y, margin=0.01).slices[0].pairs[0].code == "equivalent"
    assert cb.compare(p, p, outcome=y).slices[0].pairs[0].code == "identical"


def test_all_pairs_reject_no_more_than_they_promise():
    rejected = 0
    for seed in range(80):
        x = np.random.default_rng([seed, 5]).normal(size=(100, 5))
        rejected += np.nanmin(all_pairs(x.mean(axis=0), np.cov(x.T) / 100, 99, seed=seed).p_value) < 0.05
    assert rejected <= 10


def test_what_decides_is_told():
    y = np.zeros(100, dtype=int)
    p, q = np.full(100, 0.1), np.full(100, 0.1)
    p[7], q[:5] = 0.9, 0.2
    deciding = cb.compare(p, q, outcome=y).slices[0].pairs[0].deciding
    assert deciding.top[0][0] == "8"
    assert (deciding.half, deciding.reverse) == (1, 1)


def test_three_models_are_adjusted_together_and_ranked():
    rng = np.random.default_rng(6)
    p = rng.uniform(0, 1, 400)
    y = (rng.random(400) < p).astype(int)
    part = cb.compare({"true": p, "half": (p + 0.5) / 2, "none": np.full(400, 0.5)}, outcome=y).slices[0]
    assert part.models[0].name == "true"
    number = part.pairs[0].numbers["brier"]
    assert number.extra["all_pairs_low"] < number.low


def test_every_face_shows_it(files):
    found = cb.compare(files[0], files[1], id="item")
    data = json.loads(found.to_json())
    assert data["schema"] == "calibrant.comparison/1"
    assert data["slices"][0]["pairs"][0]["verdict"] == "first"
    assert "good is better than poor" in str(found)
    assert "| Brier |" in found.to_markdown()


def test_the_command_writes_a_pair_block_that_gives_the_same(files, tmp_path, capsys):
    out = tmp_path / "pair.json"
    with pytest.raises(SystemExit) as stop:
        main(["compare", str(files[0]), str(files[1]), "--id", "item", "--format", "json", "--pair", str(out)])
    assert stop.value.code == 0
    rows = json.loads(capsys.readouterr().out)["slices"][0]["pairs"][0]["differences"]
    sums = json.loads(cb.compare(out).to_json())["slices"][0]["pairs"][0]["differences"]
    for name, number in sums.items():
        assert number["low"] == pytest.approx(rows[name]["low"], abs=1e-12)


def test_one_file_needs_to_be_told_how():
    with pytest.raises(OptionError, match="One file"):
        cb.compare("x.csv")


def test_swapped_lengths_are_refused():
    with pytest.raises(InputError):
        cb.compare([0.1, 0.2], [0.1], outcome=[0, 1])


def test_final_scores_follow_the_published_rows():
    for rank, line, final in ((0.707, 0.714, 0.710), (0.696, 0.702, 0.698), (0.405, 0.515, 0.449)):
        assert 0.6 * rank + 0.4 * line == pytest.approx(final, abs=6e-4)
    x, y = np.array([1.0, 2, 2, 4, 5]), np.array([1.0, 3, 2, 5, 4])
    from scipy import stats

    found = final_score(x, y)
    assert found.srocc == pytest.approx(stats.spearmanr(x, y).statistic)
    assert found.plcc == pytest.approx(stats.pearsonr(x, y).statistic)
    assert expected_level([[0.1] * 10]).tolist() == pytest.approx([4.5])


def test_the_gap_of_final_scores_is_paired():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 10, 200)
    common = rng.normal(0, 3, 200)
    gap = final_score_gap(y + common, y + common + rng.normal(0, 0.1, 200), y, draws=300)
    assert gap.high - gap.low < 0.03
    assert gap.low <= gap.value <= gap.high
