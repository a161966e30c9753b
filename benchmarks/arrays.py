"""Arrays in memory: one pass for every number, beside the single metrics of other packages on the same rows."""

from __future__ import annotations

import importlib.util
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn.metrics
from sklearn.calibration import calibration_curve

import calibrant as cb
from calibrant.bins import Bins
from calibrant.calibration.corp import corp_of_cells
from calibrant.calibration.decomposition import decompose
from calibrant.calibration.ece import calibration_error
from timing import measure, peak_memory, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["run"]

BIN_COUNTS = (10, 15, 20, 100)
OURS = "calibrant: Brier, log loss, AUC, accuracy, CORP, and ECE, curve and decomposition at 10, 15, 20 and 100 bins"


def rows(count: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Probabilities of an overconfident model and its outcomes."""
    rng = np.random.default_rng(7)
    true = rng.random(count)
    stated = 1 / (1 + ((1 - true) / true) ** 1.5)
    return stated, (rng.random(count) < true).astype(np.int64)


def everything(p: NDArray[np.float64], y: NDArray[np.int64]) -> list[float]:
    """Every closed-form number of a report, from one pass over the rows."""
    part = cb.tally(p, y).slices[0]
    cells = part.views["event"]
    found = [part.moments.mean("brier"), part.moments.mean("log"), part.moments.mean("right")]
    found.append(corp_of_cells(cells).miscalibration)
    for count in BIN_COUNTS:
        sums = cells.bin_sums(Bins.width(count))
        found += [calibration_error(sums), decompose(sums).reliability]
    return found


def alternatives(p: NDArray[np.float64], y: NDArray[np.int64]) -> dict[str, Callable[[], Any]]:
    """Ours first, then one call each of the packages that are installed."""
    found: dict[str, Callable[[], Any]] = {
        OURS: lambda: everything(p, y),
        "numpy: `mean((p - y)**2)`": lambda: np.mean((p - y) ** 2),
        "scikit-learn: `brier_score_loss`": lambda: sklearn.metrics.brier_score_loss(y, p),
        "scikit-learn: `log_loss`": lambda: sklearn.metrics.log_loss(y, p),
        "scikit-learn: `roc_auc_score`": lambda: sklearn.metrics.roc_auc_score(y, p),
        "scikit-learn: `calibration_curve`, 15 bins": lambda: calibration_curve(y, p, n_bins=15),
    }
    if importlib.util.find_spec("torchmetrics"):
        import torch
        from torchmetrics.functional.classification import binary_calibration_error

        tp, ty = torch.from_numpy(p), torch.from_numpy(y)
        found["torchmetrics: ECE, 15 bins"] = lambda: binary_calibration_error(tp, ty, n_bins=15)
    if importlib.util.find_spec("netcal"):
        from netcal.metrics import ECE

        found["netcal: ECE, 15 bins"] = lambda: ECE(15).measure(p, y)
    if importlib.util.find_spec("model_diagnostics"):
        from model_diagnostics.scoring import SquaredError
        from model_diagnostics.scoring import decompose as corp

        found["model-diagnostics: CORP"] = lambda: corp(y, p, scoring_function=SquaredError())
    return found


def run(sizes: list[int], rounds: int) -> str:
    """The section of docs/performance.md."""
    warnings.simplefilter("ignore")
    ratios: dict[str, list[str]] = {}
    memory: dict[str, str] = {}
    for size in sizes:
        p, y = rows(size)
        calls = alternatives(p, y)
        taken = measure(calls, rounds=rounds)
        for name, timing in taken.items():
            seconds = f"{timing.median:.3g} s" if name == OURS else f"{timing.median / taken[OURS].median:.2f}"
            ratios.setdefault(name, []).append(seconds)
        if size == sizes[-1]:
            memory = {name: f"{peak_memory(call):,.0f}" for name, call in calls.items()}
    head = ["one call", *(f"{size:,} rows" for size in sizes), f"MB at {sizes[-1]:,}"]
    body = [[name, *found, memory[name]] for name, found in ratios.items()]
    return (
        "## Arrays in memory\n\n"
        "Our line is the time for all its numbers together; every other line is one number of another package, as a\n"
        "multiple of our time (above 1: slower than all of ours). Memory is what numpy and Python hold beyond the\n"
        "input (torch allocates outside, so its memory is not seen).\n\n" + table(head, body)
    )
