"""The bundled files are what the committed script makes."""

from __future__ import annotations

import csv
import runpy
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

SCRIPT = Path(__file__).parents[1] / "scripts" / "make_demo_data.py"
NAMES = ["breast-cancer.csv", "digits-answers.csv", "digits-choices.csv"]


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(SCRIPT))


@pytest.fixture(scope="module")
def made(script):
    return script["demo_files"]()


def committed(name):
    return (resources.files("calibrant") / "data" / name).read_bytes().decode()


def test_no_file_is_forgotten(made):
    bundled = {path.name for path in (resources.files("calibrant") / "data").iterdir() if path.name.endswith(".csv")}
    assert bundled == set(made) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_script_makes_the_committed_file(script, made, name):
    if sklearn.__version__ == script["MADE_WITH"]:
        assert made[name] == committed(name)
        return
    # Another scikit-learn may cut the folds or round differently: the rows stay, few probabilities move far.
    ours, theirs = (list(csv.reader(text.splitlines())) for text in (made[name], committed(name)))
    assert ours[0] == theirs[0]
    assert len(ours) == len(theirs)
    moved = np.abs(np.array(ours[1:], dtype=float) - np.array(theirs[1:], dtype=float)).max(axis=1)
    assert np.mean(moved > 0.02) < 0.1


def test_rounded_rows_sum_to_one_exactly_in_decimals(script):
    probs = np.random.default_rng(0).dirichlet(np.ones(10), 500)
    shares = script["rounded_shares"](probs)
    assert (np.rint(shares * 10_000).sum(axis=1) == 10_000).all()
    assert np.abs(shares - probs).max() < 1e-4


def test_the_demo_models_are_clearly_too_sure():
    prob, malignant = np.loadtxt(committed("breast-cancer.csv").splitlines(), delimiter=",", skiprows=1).T
    assert np.maximum(prob, 1 - prob).mean() - ((prob >= 0.5) == malignant).mean() > 0.1
    confidence, correct = np.loadtxt(committed("digits-answers.csv").splitlines(), delimiter=",", skiprows=1).T
    assert confidence.mean() - correct.mean() > 0.1
