"""The studies: each yields rows of a table, one per world and number of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from calibrant.bins import Bins
from calibrant.calibration.bands import bad_bins, consistency_band, isotonic_band
from calibrant.calibration.classic_tests import hosmer_lemeshow_of_cells, spiegelhalter_of_cells
from calibrant.calibration.gain import cross_fit
from calibrant.calibration.linear import linear_recalibration
from calibrant.calibration.noise import floor_of_cells
from calibrant.calibration.significance import calibration_test_of_cells
from calibrant.calibration.smooth import smooth_floor
from calibrant.intervals.inversion import error_intervals
from calibrant.intervals.means import brier_betting_interval, mean_interval
from calibrant.intervals.ranking import auc_interval_of_cells, auc_test
from calibrant.measure.uncertainty import Uncertainty
from calibrant.tallies.cells import Cells
from calibrant.tallies.moments import Moments
from calibrant.tallies.tally import Slice
from simulations.worlds import SHAPES, TRUTHS, World, draw, stated, truths_of

__all__ = ["STUDIES"]

Row = dict[str, object]
Study = Callable[[int, tuple[int, ...], tuple[World, ...] | None], Iterator[Row]]
BINS = Bins.width(10)
DRAWS = 499

EVERY = tuple(World(shape, truth) for shape in SHAPES for truth in TRUTHS)
HONEST = tuple(World(shape, "calibrated") for shape in SHAPES)
WEIGHTED = tuple(World(shape, truth, weighted=True) for shape in ("uniform", "near 0") for truth in TRUTHS)
ROUNDED = tuple(World(shape, "calibrated", rounded=True) for shape in SHAPES if shape != "tenths")


def _samples(at: World, rows: int, repeats: int) -> Iterator[tuple[int, Cells]]:
    # Each (world, size) has a stream of its own, from its words.
    stream = np.random.default_rng([rows, *str(at).encode()])
    for seed in range(repeats):
        yield seed, draw(stream, at, rows)


def _share(hits: list[bool]) -> float | None:
    return round(float(np.mean(hits)), 4) if hits else None


def inversion(repeats: int, sizes: tuple[int, ...], worlds: tuple[World, ...] | None = None) -> Iterator[Row]:
    """Coverage of the 95% intervals of binned l1 and debiased l2, ten fixed bins."""
    for at in worlds or EVERY + WEIGHTED:
        p, q = truths_of(at)
        place = BINS.index(p)
        mass, gap = np.bincount(place, minlength=10), np.bincount(place, p - q, 10)
        some = mass > 0
        l1 = float(np.abs(gap).sum() / p.size)
        l2 = float((gap[some] ** 2 / mass[some]).sum() / p.size)
        if at.truth == "calibrated":
            l1 = l2 = 0.0
        for rows in sizes:
            inside: list[list[bool]] = [[], [], [], []]
            domain, width = 0, 0.0
            for seed, cells in _samples(at, rows, repeats):
                first, second = error_intervals(cells, BINS, seed=seed, draws=DRAWS)
                domain += first.in_domain
                width += first.high - first.low
                inside[0].append(first.low <= l1 <= first.high)
                inside[1].append(first.low > l1)
                inside[2].append(second.square_low <= l2 <= second.square_high)
                inside[3].append(second.square_low > l2)
            yield {
                "world": str(at), "rows": rows, "in domain": round(domain / repeats, 2), "true l1": round(l1, 4),
                "l1 coverage": _share(inside[0]), "l1 too high": _share(inside[1]),
                "width": round(width / repeats, 4), "true l2": round(l2**0.5, 4),
                "l2 coverage": _share(inside[2]), "l2 too high": _share(inside[3]),
            }  # fmt: skip


def floors(repeats: int, sizes: tuple[int, ...], worlds: tuple[World, ...] | None = None) -> Iterator[Row]:
    """How often the p-value beside a noise floor is at most 5% for calibrated forecasters."""
    for at in worlds or HONEST + tuple(part for part in WEIGHTED if part.truth == "calibrated"):
        for rows in sizes:
            found: dict[str, list[bool]] = {"l1": [], "l2": [], "max": [], "smooth": []}
            for seed, cells in _samples(at, rows, repeats):
                for norm in ("l1", "l2", "max"):
                    error, _ = floor_of_cells(cells, BINS, norm=norm, seed=seed, draws=999)
                    found[norm].append(error.p_value <= 0.05)
                if rows <= 200:
                    found["smooth"].append(smooth_floor(cells, seed=seed, draws=99).p_value <= 0.05)
            yield {"world": str(at), "rows": rows, **{f"{norm} level": _share(hits) for norm, hits in found.items()}}


def significance(repeats: int, sizes: tuple[int, ...], worlds: tuple[World, ...] | None = None) -> Iterator[Row]:
    """How often tests at 5% reject: the level where the world is calibrated, else the power."""
    for at in worlds or EVERY + WEIGHTED + ROUNDED:
        for rows in sizes:
            both, score, bumps, brier, groups = [], [], [], [], []
            for seed, cells in _samples(at, rows, repeats):
                found = calibration_test_of_cells(cells, seed=seed, draws=DRAWS)
                both.append(found.p_value <= 0.05)
                score.append(found.score_p <= 0.05)
                bumps.append(found.bumps_p <= 0.05)
                brier.append(spiegelhalter_of_cells(cells).p_value <= 0.05)
                groups.append(hosmer_lemeshow_of_cells(cells).p_value <= 0.05)
            yield {
                "world": str(at), "rows": rows, "rejects": _share(both), "score alone": _share(score),
                "bumps alone": _share(bumps), "Spiegelhalter": _share(brier), "Hosmer–Lemeshow": _share(groups),
            }  # fmt: skip


def means(repeats: int, sizes: tuple[int, ...], worlds: tuple[World, ...] | None = None) -> Iterator[Row]:
    """Coverage of intervals of the Brier score (t, or betting outside its domain) and of the Brier skill."""
    for at in worlds or EVERY:
        p, q = truths_of(at)
        brier = float((q * (1 - p) ** 2 + (1 - q) * p**2).mean())
        skill = 1 - brier / float(q.mean() * (1 - q.mean()))
        for rows in sizes:
            t, betting, skilled = [], [], []
            for _, cells in _samples(at, rows, repeats):
                moments = moments_of(cells)
                low, high, _, _ = mean_interval(moments, "brier", bounds=(0.0, 1.0))
                if low is not None and high is not None:
                    t.append(low <= brier <= high)
                else:
                    low, high, _, _ = brier_betting_interval(cells)
                    if low is not None and high is not None:
                        betting.append(low <= brier <= high)
                part = Slice({}, "yes_no", ("no", "yes"), {"event": cells}, moments)
                low, high, _, _ = Uncertainty(part, 0.95).skill(("outcome",))
                if low is not None and high is not None:
                    skilled.append(low <= skill <= high)
            yield {
                "world": str(at), "rows": rows, "t used": round(len(t) / repeats, 2), "t coverage": _share(t),
                "betting coverage": _share(betting), "skill given": round(len(skilled) / repeats, 2),
                "skill coverage": _share(skilled),
            }  # fmt: skip


def moments_of(cells: Cells) -> Moments:
    """Moments of unweighted exact cells."""
    p = np.repeat(cells.prob, cells.rows.sum(axis=1))
    y = np.concatenate([np.repeat([0.0, 1.0], pair) for pair in cells.rows])
    return Moments.of({"prob": p, "outcome": y, "right": ((p >= 0.5) == (y == 1)) * 1.0, "brier": (p - y) ** 2})


def ranking(repeats: int, sizes: tuple[int, ...], worlds: tuple[World, ...] | None = None) -> Iterator[Row]:
    """Coverage of the AUC's interval, and the level of the test of no ranking when labels are noise."""
    for at in worlds or EVERY:
        p, q = truths_of(at)
        order = np.argsort(p, kind="stable")
        values, start = np.unique(p[order], return_index=True)
        yes, no = (np.add.reduceat(part[order], start) for part in (q, 1 - q))
        area = float(yes @ (np.cumsum(no) - no / 2) / (yes.sum() * no.sum())) if values.size else 0.5
        for rows in sizes:
            inside, noise = [], []
            for seed, cells in _samples(at, rows, repeats):
                low, high, _, _ = auc_interval_of_cells(cells)
                if low is not None and high is not None:
                    inside.append(low <= area <= high)
                if at.truth == "calibrated":
                    rng = np.random.default_rng([seed, rows])
                    shape = stated(rng, at, rows)
                    shuffled = Cells.exact(shape, (rng.random(rows) < 0.3).astype(np.intp))
                    noise.append(auc_test(shuffled, seed=seed).p_value <= 0.05)
            yield {
                "world": str(at), "rows": rows, "given": round(len(inside) / repeats, 2), "coverage": _share(inside),
                "level of no ranking": _share(noise),
            }  # fmt: skip


def linear(repeats: int, sizes: tuple[int, ...], worlds: tuple[World, ...] | None = None) -> Iterator[Row]:
    """Coverage of miscalibration and discrimination by linear recalibration; claims of no skill (below 0.02)."""
    for at in worlds or EVERY + WEIGHTED:
        p, q = truths_of(at)
        spread, slope = float(p.var()), float(np.mean((p - p.mean()) * (q - q.mean())) / p.var())
        worse = float((p.mean() - q.mean()) ** 2 + (1 - slope) ** 2 * spread) if at.truth != "calibrated" else 0.0
        gain = slope**2 * spread
        for rows in sizes:
            first, second, no_skill = [], [], []
            for seed, cells in _samples(at, rows, repeats):
                found = linear_recalibration(cells, seed=seed, draws=DRAWS)
                if found.why is None:
                    first.append(found.miscalibration_low <= worse <= found.miscalibration_high)
                    second.append(found.discrimination_low <= gain <= found.discrimination_high)
                if rows <= 1_000 and not at.weighted:
                    no_skill.append(cross_fit(cells, seed=seed).skill_high < 0.02)
            yield {
                "world": str(at), "rows": rows, "given": round(len(first) / repeats, 2),
                "miscalibration": round(worse, 5), "coverage": _share(first), "discrimination": round(gain, 5),
                "its coverage": _share(second), "true skill": round(gain / float(q.mean() * (1 - q.mean())), 3),
                "says no skill": _share(no_skill),
            }  # fmt: skip


def bands(repeats: int, sizes: tuple[int, ...], worlds: tuple[World, ...] | None = None) -> Iterator[Row]:
    """Calibrated forecasters inside the consistency band; bad bins listed in error; curves inside the isotonic band."""
    for at in worlds or EVERY:
        truth = TRUTHS[at.truth]
        for rows in sizes:
            whole, listed, held = [], [], []
            for seed, cells in _samples(at, rows, repeats):
                sums = cells.bin_sums(BINS).occupied()
                if at.truth == "calibrated":
                    band = consistency_band(cells, BINS, seed=seed, draws=999)
                    fits = (sums.observed >= band.all_low - 1e-9) & (sums.observed <= band.all_high + 1e-9)
                    whole.append(bool(fits.all()))
                    listed.append(bool(bad_bins(sums).any()))
                if at.truth != "one bad bin":
                    iso = isotonic_band(cells)
                    at_knots = truth(iso.prob)
                    held.append(bool(np.all((at_knots >= iso.low - 1e-9) & (at_knots <= iso.high + 1e-9))))
            yield {
                "world": str(at), "rows": rows, "all bins in consistency band": _share(whole),
                "a bin listed as bad": _share(listed), "curve in isotonic band": _share(held),
            }  # fmt: skip


STUDIES: dict[str, Study] = {
    "inversion": inversion,
    "floors": floors,
    "significance": significance,
    "means": means,
    "ranking": ranking,
    "linear": linear,
    "bands": bands,
}
