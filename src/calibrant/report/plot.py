"""A report as a figure for papers and slides: reliability diagram with intervals, band, isotonic fit and histogram."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from calibrant.errors import OptionError
from calibrant.words import sentence

if TYPE_CHECKING:
    from calibrant.report.nodes import Report
    from calibrant.report.results import SliceResult

__all__ = ["plot_report"]

BLUE, ORANGE, GREY, BAND = "#1f5fa8", "#c8551b", "#6b7280", "#cdd9ea"


def plot_report(report: Report, ax: Any = None, *, slice_name: str | None = None) -> Any:
    """Draw the reliability diagram of one slice.

    Points are the bins, their area the rows in them; bars are Wilson intervals; the shaded band is where the points
    of a calibrated forecaster lie; the line is the isotonic fit, which needs no bins.

    Args:
        report: the report.
        ax: matplotlib axes to draw on; None makes a figure, with the rows of each bin below the diagram.
        slice_name: the slice to draw, such as "model=jev"; None draws the first.

    Returns:
        The axes; `ax.figure.savefig("diagram.pdf")` writes SVG, PNG or PDF.

    Raises:
        OptionError: if there is no such slice, or matplotlib is not installed.
    """
    try:
        from matplotlib import pyplot as plt
    except ModuleNotFoundError:
        raise OptionError("Figures need matplotlib.", hint="pip install 'calibrant[plot]'") from None
    part = _slice(report, slice_name)
    below = None
    if ax is None:
        _, (ax, below) = plt.subplots(2, 1, figsize=(4.6, 5.8), height_ratios=(6, 1), sharex=True, layout="constrained")
    _diagram(ax, part, report.lang)
    ax.set_title("\n".join(textwrap.wrap(part.verdict.sentence, 56)), fontsize=9, loc="left")
    says = sentence("plot.says.event" if part.kind == "yes_no" else "plot.says.answer", report.lang)
    (ax if below is None else below).set_xlabel(says)
    if below is not None:
        _histogram(below, part, report.lang)
    return ax


def _slice(report: Report, name: str | None) -> SliceResult:
    if name is None:
        return report.slices[0]
    for part in report.slices:
        if part.name == name:
            return part
    names = ", ".join(part.name for part in report.slices[:5])
    raise OptionError(f"There is no slice {name!r}.", hint=f"There are {names}.")


def _diagram(ax: Any, part: SliceResult, lang: str) -> None:
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    points = [point for point in part.curve if point.n and point.mean_probability is not None]
    banded = [
        (point.mean_probability, *band)
        for point, band in zip(part.curve, part.consistency, strict=False)
        if band is not None and point.mean_probability is not None
    ]
    if banded:
        said, band_low, band_high = zip(*banded, strict=True)
        ax.fill_between(said, band_low, band_high, color=BAND, linewidth=0, zorder=0)
    steps = [(prob, value) for low, high, value in part.isotonic for prob in (low, high)]
    if steps:
        ax.plot(*zip(*steps, strict=True), color=ORANGE, linewidth=1.3, solid_capstyle="round", zorder=2)
    most = max((point.n for point in points), default=1)
    for point in points:
        ax.plot(
            [point.mean_probability] * 2, [point.observed_low, point.observed_high], color=BLUE, linewidth=1, zorder=3
        )
        size = 12 + 110 * point.n / most
        ax.scatter([point.mean_probability], [point.observed], s=size, color=BLUE, edgecolor="white", zorder=4)
    event = part.kind == "yes_no"
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.set_ylabel(sentence("plot.observed.event" if event else "plot.observed.answer", lang))
    ax.spines[["top", "right"]].set_visible(False)


def _histogram(below: Any, part: SliceResult, lang: str) -> None:
    for point in part.curve:
        below.bar(point.low, point.n, width=point.high - point.low, align="edge", color=BLUE, edgecolor="white")
    below.set_ylabel(sentence("table.rows", lang), fontsize=8)
    below.tick_params(labelsize=8)
    below.spines[["top", "right"]].set_visible(False)
