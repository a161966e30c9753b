"""Figures show what the report holds."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import OptionError

mpl.use("Agg")
from matplotlib import pyplot as plt


@pytest.fixture
def report():
    rng = np.random.default_rng(3)
    prob = rng.beta(1, 2, 600)
    yield cb.check(prob, rng.random(600) < prob)
    plt.close("all")


def test_a_figure_has_a_point_per_bin_and_the_rows_below(report):
    ax = report.plot()
    occupied = [point for point in report.slices[0].curve if point.n]
    assert len(ax.collections) == len(occupied) + 1  # the points, and the band
    below = ax.figure.axes[1]
    assert sum(bar.get_height() for bar in below.patches) == 600
    assert ax.get_title(loc="left").replace("\n", " ") == report.headline.text


def test_it_draws_on_given_axes_and_writes_every_kind_of_file(report, tmp_path: Path):
    figure, ax = plt.subplots()
    assert report.plot(ax) is ax
    assert figure.axes == [ax]
    for kind in ("svg", "png", "pdf"):
        figure.savefig(tmp_path / f"diagram.{kind}")
        assert (tmp_path / f"diagram.{kind}").stat().st_size > 1000


def test_an_unknown_slice_is_named(report):
    with pytest.raises(OptionError, match="There is no slice 'model=x'"):
        report.plot(slice_name="model=x")
