"""One statistics, two languages: thousands of random tallies through Python and through the page's TypeScript."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import calibrant as cb
from calibrant.bins import Bins
from calibrant.calibration.bands import consistency_band
from calibrant.calibration.binning import choose_bins
from calibrant.calibration.curve import curve_of_cells
from calibrant.measure.calibration import decomposition_numbers, slope_numbers
from calibrant.measure.errors import error_numbers, option_error_numbers
from calibrant.measure.options import MeasureOptions
from calibrant.measure.scores import score_numbers
from calibrant.measure.uncertainty import Uncertainty
from calibrant.report.json import number_as_json
from calibrant.tallies.grid import COARSE, FINE
from calibrant.tallies.store import from_document, to_document
from calibrant.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from calibrant.measure.number import Number
    from calibrant.tallies.tally import Slice, Tally

WEB = Path(__file__).parents[2] / "web"
CASES = int(os.environ.get("CALIBRANT_TWINS", "100"))
"""More of them, such as 4,000: CALIBRANT_TWINS=4000 python -m pytest tests/web/test_twins.py"""

# A number computed from logarithms or from a simulated threshold may differ in more than the last bits.
LOGARITHMIC = {"log_loss", "auc", "slope", "intercept"}
OF_OPTIONS = ("classwise_ece", "top_label_ece")  # their floors are drawn when the slider rests, like intervals
PARTS = {"value": "value", "low": "low", "high": "high", "floor": "floor", "floor95": "floor_95", "pValue": "p_value"}


def random_probs(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Probabilities of a random sort: ties, edges k/m, 0 and 1, rare events, full precision, one value."""
    sort = rng.integers(7)
    if sort == 0:
        return np.asarray(rng.integers(0, 101, n) / 100)
    if sort == 1:
        m = int(rng.integers(1, 51))
        return np.asarray(rng.integers(0, m + 1, n) / m)
    if sort == 2:
        return np.asarray(10.0 ** rng.uniform(-8, -0.5, n))
    if sort == 3:
        return np.asarray(rng.choice([0.0, 1.0, 0.5, 1e-12, 1 - 1e-12], n))
    if sort == 4:
        return np.full(n, rng.uniform())
    return np.asarray(rng.beta(*rng.uniform(0.2, 4, 2), n))


def random_tally(rng: np.random.Generator) -> Tally:
    n = int(rng.choice([1, 2, 5, 30, 200, 1500]))
    kind = str(rng.choice(["yes_no", "yes_no", "answer", "choice", "score"]))
    if kind in ("yes_no", "answer"):
        p = random_probs(rng, n)
        y = (rng.uniform(size=n) < p ** rng.uniform(0.5, 2)).astype(int)
        if rng.uniform() < 0.08:
            y[:] = rng.integers(2)
        chance = rng.uniform()
        if chance < 0.7:
            return cb.tally(p, y, kind=kind)  # type: ignore[arg-type]
        if chance < 0.9:
            return cb.tally(p, y, kind=kind, weight=rng.uniform(0.1, 3, n))  # type: ignore[arg-type]
        weight = rng.integers(1, 4, n).astype(float)
        return cb.tally(p, y, kind=kind, weight=weight, weights="frequency")  # type: ignore[arg-type]
    k = int(rng.integers(2, 6))
    probs = rng.dirichlet(np.full(k, rng.uniform(0.2, 3)), n).round(int(rng.choice([2, 4, 12])))
    probs[:, -1] = np.clip(1 - probs[:, :-1].sum(axis=1), 0, 1)
    label = np.array([rng.choice(k, p=row / row.sum()) for row in probs])
    return cb.tally(probs, label, kind=kind)  # type: ignore[arg-type]


def on_a_grid(tally: Tally, rng: np.random.Generator) -> Tally:
    document = to_document(tally)
    grid = FINE if rng.uniform() < 0.7 else COARSE
    for raw, part in zip(document["slices"], tally.slices, strict=True):
        from calibrant.tallies.store import _cells_document

        for name in raw["views"]:
            cells = part.views[name]
            raw["views"][name] = _cells_document(cells.coarsen(grid)) if len(cells) else raw["views"][name]
    return from_document(document)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[tuple[dict[str, Any], Tally, dict[str, Any]]]]:
    if not (WEB / "node_modules/vite").is_dir():
        pytest.skip("the page's packages are not installed: npm ci in web/")
    rng = np.random.default_rng(20260711)
    cases = []
    for number in range(CASES):
        tally = random_tally(rng)
        if rng.uniform() < 0.25:
            tally = on_a_grid(tally, rng)
        binning = "mass" if rng.uniform() < 0.3 else "width"
        cases.append(
            {
                "tally": to_document(tally),
                "bins": int(rng.choice([1, 2, 5, 10, 15, 20, 37, 100])),
                "binning": binning,
                "closed": "right" if binning == "width" and rng.uniform() < 0.2 else "left",
                "intervals": number % 4 == 0,
                "lang": "pt" if number % 3 == 0 else "en",
                "python": tally,
            }
        )
    place = tmp_path_factory.mktemp("twins")
    told = [{key: value for key, value in case.items() if key != "python"} for case in cases]
    (place / "cases.json").write_text(json.dumps(told))
    subprocess.run(
        ["node", "twin.mjs", str(place / "cases.json"), str(place / "results.json")], cwd=WEB, check=True, timeout=600
    )
    results = json.loads((place / "results.json").read_text())
    return [(case, case["python"], result) for case, result in zip(cases, results, strict=True)]


def _options(case: dict[str, Any]) -> MeasureOptions:
    return MeasureOptions(bins=case["bins"], binning=case["binning"], closed=case["closed"])


def measured(part: Slice, options: MeasureOptions) -> dict[str, Number]:
    """The numbers that the page computes too; the tests and kernels of `calibrant check` are left to it."""
    cells = part.view("event" if part.kind == "yes_no" else "top")
    uncertainty = Uncertainty(part, options.level)
    found = [
        *score_numbers(part, cells, options, uncertainty),
        *error_numbers(part, cells, options, uncertainty),
        *(option_error_numbers(part, options, uncertainty) if part.kind in ("choice", "score") else ()),
        *decomposition_numbers(part, cells, choose_bins(cells, options.bins, options.binning, options.closed)),
        *slope_numbers(part, cells, options, uncertainty),
    ]
    return {number.name: number for number in found}


def test_every_number_is_the_same(pairs: list[tuple[dict[str, Any], Tally, dict[str, Any]]]) -> None:
    compared, problems = 0, []
    for place, (case, tally, result) in enumerate(pairs):
        for part, theirs in zip(tally.slices, result["slices"], strict=True):
            mine = measured(part, _options(case))
            for name, one in theirs["numbers"].items():
                if name == "edges_moved":
                    continue
                given = number_as_json(mine[name])
                for ours, its in PARTS.items():
                    if one.get(ours) is None and (its not in given or given[its] is None):
                        continue
                    if ours in ("low", "high") and not case["intervals"] and name.endswith(("_ece", "_l2")):
                        continue
                    if ours in ("floor", "floor95", "pValue") and name in OF_OPTIONS and not case["intervals"]:
                        continue
                    if name in ("slope", "intercept") and part.weights == "sampling" and ours in ("low", "high"):
                        continue
                    if ours == "pValue" and "pValue" not in one:
                        continue
                    tolerance = 1e-9 if name in LOGARITHMIC or ours in ("low", "high") else 1e-12
                    a, b = one.get(ours), given.get(its)
                    compared += 1
                    if ours in ("low", "high") and (given.get("high") or 0) - (given.get("low") or 0) < 1e-6:
                        tolerance = 1e-6  # the variance of a constant is rounding alone, in both languages
                    if a is None or b is None or not abs(a - b) <= tolerance * max(1.0, abs(b)):
                        problems.append(
                            f"case {place} {part.kind} n={part.n} {part.resolution} {name}.{ours}: {a} for {b}"
                        )
    assert compared > 20 * CASES
    assert not problems, "\n".join([f"{len(problems)} of {compared}", *problems[:40]])


def test_the_curve_and_its_band_are_the_same(pairs: list[tuple[dict[str, Any], Tally, dict[str, Any]]]) -> None:
    names = ("low", "high", "n", "mean", "observed", "observedLow", "observedHigh", "gap")
    for case, tally, result in pairs:
        for part, theirs in zip(tally.slices, result["slices"], strict=True):
            cells = part.view("event" if part.kind == "yes_no" else "top")
            bins = choose_bins(cells, case["bins"], case["binning"], case["closed"])
            mine = curve_of_cells(cells, bins).points
            told = [
                (b.low, b.high, b.n, b.mean_probability, b.observed, b.observed_low, b.observed_high, b.gap)
                for b in mine
            ]
            for bin_, theirs_bin in zip(told, theirs["curve"], strict=True):
                assert [theirs_bin[name] for name in names] == pytest.approx(list(bin_), abs=1e-12)
            band = consistency_band(cells, bins)
            assert theirs["band"]["low"] == pytest.approx(band.low.tolist(), abs=1e-12)
            assert theirs["band"]["high"] == pytest.approx(band.high.tolist(), abs=1e-12)


def test_the_verdict_has_the_same_words(pairs: list[tuple[dict[str, Any], Tally, dict[str, Any]]]) -> None:
    compared = 0
    for case, tally, result in pairs:
        if not case["intervals"]:
            continue
        for part, theirs in zip(tally.slices, result["slices"], strict=True):
            if part.weights == "sampling":
                continue
            cells = part.view("event" if part.kind == "yes_no" else "top")
            tenths = curve_of_cells(cells, Bins.width(10)).points
            mine = judge(measured(part, _options(case)), tenths, part.kind, part.n, lang=case["lang"])
            verdict = theirs["verdict"]
            assert (verdict["code"], verdict["sentence"], verdict["meaning"], verdict["advice"]) == (
                mine.code,
                mine.sentence,
                mine.meaning,
                mine.advice,
            )
            assert verdict["findings"] == [found.text for found in mine.findings]
            compared += 1
    assert compared > CASES / 8


def test_a_tally_survives_the_page(pairs: list[tuple[dict[str, Any], Tally, dict[str, Any]]]) -> None:
    for _, tally, result in pairs:
        assert to_document(from_document(result["again"])) == to_document(tally)
