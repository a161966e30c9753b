"""Ask other packages for their values and write tests/vectors/peers.json: `make reference`.

Each entry says which peer was called how on which rows, what it answered, and which of our functions answers the same
question with which options. `relation` is "equal" where definitions agree, and "differs" with a `why` where they do
not: the tests hold us to both.
"""

from __future__ import annotations

import json
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import relplot
import scoringrules
import sklearn.metrics
import torch
from mapie.metrics.calibration import expected_calibration_error, spiegelhalter_statistic
from model_diagnostics.scoring import LogLoss, SquaredError, decompose
from netcal.metrics import ECE, MCE
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from torchmetrics.functional.classification import binary_calibration_error, multiclass_calibration_error

import calibration as uncertainty_calibration
from peer_rows import datasets

if TYPE_CHECKING:
    from collections.abc import Iterator

TARGET = Path(__file__).parents[2] / "tests" / "vectors" / "peers.json"
ROWS = {name: {column: np.array(values) for column, values in columns.items()} for name, columns in datasets().items()}
EVENTS = [name for name, columns in ROWS.items() if "prob" in columns and "weights" not in columns]
# Distinct values that no bin edge touches: every package must agree on these.
SMOOTH = ["d12", "calibrated200", "overconfident200", "rare200"]

Entry = dict[str, Any]


def entry(peer: str, call: str, data: str, value: Any, ours: str, **more: Any) -> Entry:
    """One question put to one peer; `ours` is our function, with `.field` where it answers with several numbers."""
    kept = value if isinstance(value, list) else float(value)
    return {
        "peer": peer,
        "call": call,
        "data": data,
        "value": kept,
        "ours": ours,
        "options": more.pop("options", {}),
        "relation": "differs" if "why" in more else "equal",
        "tolerance": more.pop("tolerance", 1e-12),
        **more,
    }


def scikit_learn() -> Iterator[Entry]:
    peer = "scikit-learn"
    for name in EVENTS:
        p, y = ROWS[name]["prob"], ROWS[name]["outcome"]
        half = sklearn.metrics.brier_score_loss(y, p)
        yield entry(peer, "brier_score_loss(y, p)", name, half, "brier_score", options={"scale": "half"})
        total = sklearn.metrics.brier_score_loss(y, np.column_stack([1 - p, p]), scale_by_half=False)
        call = "brier_score_loss(y, [1 - p, p], scale_by_half=False)"
        yield entry(peer, call, name, total, "brier_score", options={"scale": "sum"})
        skill = sklearn.metrics.d2_brier_score(y, p)
        yield entry(peer, "d2_brier_score(y, p)", name, skill, "brier_skill_score", options={"reference": "base_rate"})
        yield entry(peer, "roc_auc_score(y, p)", name, sklearn.metrics.roc_auc_score(y, p), "auc")
        if name == "tenths200":
            why = (
                "A certain and wrong row costs infinity; the peer replaces 0 by the smallest step of the number format."
            )
            yield entry(peer, "log_loss(y, p)", name, sklearn.metrics.log_loss(y, p), "log_loss", why=why)
        else:
            yield entry(peer, "log_loss(y, p)", name, sklearn.metrics.log_loss(y, p), "log_loss")
        for bins in (5, 10):
            observed, stated = calibration_curve(y, p, n_bins=bins)
            options = {"bins": bins, "closed": "right"}
            for field, values in (("observed", observed), ("mean_probability", stated)):
                call = f"calibration_curve(y, p, n_bins={bins})"
                yield entry(peer, call, name, values.tolist(), f"reliability_curve.{field}", options=options)
    columns = ROWS["weighted200"]
    p, y, w = columns["prob"], columns["outcome"], columns["weights"]
    for call, function, ours in (
        ("brier_score_loss(y, p, sample_weight=w)", sklearn.metrics.brier_score_loss, "brier_score"),
        ("log_loss(y, p, sample_weight=w)", sklearn.metrics.log_loss, "log_loss"),
        ("roc_auc_score(y, p, sample_weight=w)", sklearn.metrics.roc_auc_score, "auc"),
        ("d2_brier_score(y, p, sample_weight=w)", sklearn.metrics.d2_brier_score, "brier_skill_score"),
    ):
        yield entry(peer, call, "weighted200", function(y, p, sample_weight=w), ours)
    for name in ("d12", "calibrated200", "overconfident200"):
        p, y = ROWS[name]["prob"], ROWS[name]["outcome"]
        fit = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(np.log(p / (1 - p))[:, None], y)
        call = "LogisticRegression(C=inf).fit(logit(p), y)"
        yield entry(peer, call, name, fit.coef_[0, 0], "calibration_slope.slope", tolerance=1e-5)
        yield entry(peer, call, name, fit.intercept_[0], "calibration_slope.intercept", tolerance=1e-5)
    for name in ("choice200", "score200"):
        probs, label = ROWS[name]["probs"], ROWS[name]["label"]
        brier = sklearn.metrics.brier_score_loss(label, probs)
        yield entry(peer, "brier_score_loss(label, probs)", name, brier, "brier_score", options={"scale": "sum"})
        half = sklearn.metrics.brier_score_loss(label, probs, scale_by_half=True)
        call = "brier_score_loss(label, probs, scale_by_half=True)"
        yield entry(peer, call, name, half, "brier_score", options={"scale": "half"})
        yield entry(peer, "log_loss(label, probs)", name, sklearn.metrics.log_loss(label, probs), "log_loss")


def scoringrules_values() -> Iterator[Entry]:
    peer = "scoringrules"
    for name in EVENTS:
        p, y = ROWS[name]["prob"], ROWS[name]["outcome"]
        yield entry(peer, "mean(brier_score(y, p))", name, np.mean(scoringrules.brier_score(y, p)), "brier_score")
        if name != "tenths200":
            yield entry(peer, "mean(log_score(y, p))", name, np.mean(scoringrules.log_score(y, p)), "log_loss")
    for name in ("choice200", "score200"):
        probs, label = ROWS[name]["probs"], ROWS[name]["label"]
        rps = np.mean(scoringrules.rps_score(label + 1, probs))
        yield entry(peer, "mean(rps_score(label + 1, probs))", name, rps, "ranked_probability_score")


def model_diagnostics_values() -> Iterator[Entry]:
    peer = "model-diagnostics"
    scores = {"brier": SquaredError(), "log": LogLoss()}
    for name in [*EVENTS, "weighted200"]:
        columns = ROWS[name]
        for score, rule in scores.items():
            if score == "log" and name.startswith("tenths"):
                continue
            parts = decompose(columns["outcome"], columns["prob"], columns.get("weights"), scoring_function=rule)
            for part in ("miscalibration", "discrimination", "uncertainty", "score"):
                call = (
                    f"decompose(y, p{', w' if 'weights' in columns else ''}, scoring_function={type(rule).__name__}())"
                )
                ours = f"corp_decomposition.{part}"
                yield entry(peer, call, name, parts[part][0], ours, options={"score": score}, tolerance=1e-11)


def torchmetrics_values() -> Iterator[Entry]:
    peer = "torchmetrics"
    for name in SMOOTH:
        p, y = torch.tensor(ROWS[name]["prob"]), torch.tensor(ROWS[name]["outcome"])
        for bins in (10, 15):
            for norm in ("l1", "l2", "max"):
                value = binary_calibration_error(p, y, n_bins=bins, norm=norm)
                call = f"binary_calibration_error(p, y, n_bins={bins}, norm={norm!r})"
                yield entry(peer, call, name, value, "event_ece", options={"bins": bins, "norm": norm})
    p, y = torch.tensor(ROWS["tenths11"]["prob"]), torch.tensor(ROWS["tenths11"]["outcome"])
    last = "A probability of 1 has a hidden bin of its own, and a float step decides about values on an edge."
    five = binary_calibration_error(p, y, n_bins=5)
    yield entry(peer, "binary_calibration_error(p, y, n_bins=5)", "tenths11", five, "event_ece", options={"bins": 5})
    ten = binary_calibration_error(p, y, n_bins=10)
    call = "binary_calibration_error(p, y, n_bins=10)"
    yield entry(peer, call, "tenths11", ten, "event_ece", options={"bins": 10}, why=last)
    probs, label = torch.tensor(ROWS["choice200"]["probs"]), torch.tensor(ROWS["choice200"]["label"])
    for bins in (10, 15):
        value = multiclass_calibration_error(probs, label, num_classes=4, n_bins=bins)
        call = f"multiclass_calibration_error(probs, label, num_classes=4, n_bins={bins})"
        yield entry(peer, call, "choice200", value, "confidence_ece", options={"bins": bins}, tolerance=2e-7)


def netcal_values() -> Iterator[Entry]:
    peer = "netcal"
    for name in SMOOTH:
        p, y = ROWS[name]["prob"], ROWS[name]["outcome"]
        for bins in (10, 15):
            yield entry(
                peer, f"ECE({bins}).measure(p, y)", name, ECE(bins).measure(p, y), "event_ece", options={"bins": bins}
            )
            worst = MCE(bins).measure(p, y)
            options = {"bins": bins, "norm": "max"}
            yield entry(peer, f"MCE({bins}).measure(p, y)", name, worst, "event_ece", options=options)
    p, y = ROWS["tenths11"]["prob"], ROWS["tenths11"]["outcome"]
    why = "Edges are accumulated float steps, so 0.6 falls below the edge 0.6000000000000001."
    yield entry(
        peer, "ECE(5).measure(p, y)", "tenths11", ECE(5).measure(p, y), "event_ece", options={"bins": 5}, why=why
    )


def relplot_values() -> Iterator[Entry]:
    peer = "relplot"
    for name in EVENTS:
        value = relplot.smECE(ROWS[name]["prob"], ROWS[name]["outcome"].astype(float))
        # Ten bisections on a grid: two parts in a hundred is what the peer's own grid allows.
        if name.startswith("tenths"):
            why = (
                "The peer spreads each row over the points of its own grid, which tenths do not fall on; "
                "the exact integral is ours (test_smooth_and_sweep)."
            )
            yield entry(peer, "smECE(p, y)", name, value, "smooth_ece", why=why)
        else:
            yield entry(peer, "smECE(p, y)", name, value, "smooth_ece", tolerance=0.02, relative=True)
    for name in SMOOTH:
        value = relplot.metrics.binnedECE(ROWS[name]["prob"], ROWS[name]["outcome"], 10)
        yield entry(peer, "metrics.binnedECE(p, y, 10)", name, value, "event_ece", options={"bins": 10})
    p, y = ROWS["tenths11"]["prob"], ROWS["tenths11"]["outcome"]
    why = "Edges are accumulated float steps, so 0.6 falls below the edge 0.6000000000000001."
    five = relplot.metrics.binnedECE(p, y, 5)
    yield entry(peer, "metrics.binnedECE(p, y, 5)", "tenths11", five, "event_ece", options={"bins": 5}, why=why)


def uncertainty_calibration_values() -> Iterator[Entry]:
    peer = "uncertainty-calibration"
    for name in EVENTS:
        p, y = ROWS[name]["prob"], ROWS[name]["outcome"]
        for bins in (5, 10, 15):
            value = uncertainty_calibration.get_ece(p, y, num_bins=bins)
            options = {"bins": bins, "closed": "right"}
            yield entry(peer, f"get_ece(p, y, num_bins={bins})", name, value, "event_ece", options=options)
    for name in SMOOTH:
        p, y = ROWS[name]["prob"], ROWS[name]["outcome"]
        value = uncertainty_calibration.get_ece_em(p, y, num_bins=4)
        options = {"bins": 4, "binning": "mass"}
        yield entry(peer, "get_ece_em(p, y, num_bins=4)", name, value, "event_ece", options=options)
    for name, bins in (("g12", 10), ("h40", 10), ("calibrated200", 10), ("overconfident200", 10)):
        p, y = ROWS[name]["prob"], ROWS[name]["outcome"]
        scheme = uncertainty_calibration.utils.get_equal_prob_bins
        root = uncertainty_calibration.lower_bound_scaling_ce(p, y, num_bins=bins, binning_scheme=scheme)
        call = f"lower_bound_scaling_ce(p, y, num_bins={bins}, binning_scheme=get_equal_prob_bins)"
        options = {"bins": bins, "closed": "right"}
        if name == "h40":
            yield entry(peer, call, name, root, "debiased_calibration_error.root", options=options)
            continue
        if name == "g12":
            why = "The debiased square is negative; the peer cuts it to 0, we print it with its sign."
        else:
            why = "The peer corrects by the spread of outcomes, we by that of p - y; they part where a bin mixes p."
        yield entry(peer, call, name, root, "debiased_calibration_error.root", options=options, why=why)
    probs, label = ROWS["choice200"]["probs"], ROWS["choice200"]["label"]
    options = {"bins": 15, "closed": "right"}
    marginal = uncertainty_calibration.get_ece(probs, label, num_bins=15, mode="marginal")
    call = "get_ece(probs, label, num_bins=15, mode='marginal')"
    yield entry(peer, call, "choice200", marginal, "classwise_ece", options=options)
    top = uncertainty_calibration.get_ece(probs, label, num_bins=15)
    yield entry(peer, "get_ece(probs, label, num_bins=15)", "choice200", top, "confidence_ece", options=options)


def mapie_values() -> Iterator[Entry]:
    peer = "mapie"
    one_fewer = "num_bins counts edges: five make four bins."
    p, y = ROWS["tenths11"]["prob"], ROWS["tenths11"]["outcome"]
    five = expected_calibration_error(y, p, num_bins=5)
    options = {"bins": 5, "closed": "right"}
    call = "expected_calibration_error(y, p, num_bins=5)"
    yield entry(peer, call, "tenths11", five, "event_ece", options=options, why=one_fewer)
    for name in SMOOTH:
        p, y = ROWS[name]["prob"], ROWS[name]["outcome"]
        value = expected_calibration_error(y, p, num_bins=11)
        options = {"bins": 10, "closed": "right"}
        yield entry(peer, "expected_calibration_error(y, p, num_bins=11)", name, value, "event_ece", options=options)
        z = spiegelhalter_statistic(y, p)
        yield entry(peer, "spiegelhalter_statistic(y, p)", name, z, "spiegelhalter_test.z", tolerance=1e-9)


PEERS = {
    "scikit-learn": scikit_learn,
    "scoringrules": scoringrules_values,
    "model-diagnostics": model_diagnostics_values,
    "torchmetrics": torchmetrics_values,
    "netcal": netcal_values,
    "relplot": relplot_values,
    "uncertainty-calibration": uncertainty_calibration_values,
    "mapie": mapie_values,
}


def main() -> None:
    warnings.simplefilter("ignore")
    entries = [found for values in PEERS.values() for found in values()]
    vectors = {
        "made_by": "scripts/reference/make_peers.py",
        "versions": {name: version(name) for name in [*PEERS, "numpy", "scipy", "torch"]},
        "data": datasets(),
        "entries": entries,
    }
    head = {name: value for name, value in vectors.items() if name not in {"data", "entries"}}
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(columns)}" for name, columns in datasets().items())
    lines = ",\n".join(f"  {json.dumps(found)}" for found in entries)
    text = f'{json.dumps(head, indent=1)[:-2]},\n "data": {{\n{rows}\n }},\n "entries": [\n{lines}\n ]\n}}\n'
    json.loads(text)
    TARGET.write_text(text, encoding="utf-8", newline="\n")
    print(f"{TARGET}: {len(entries)} values of {len(PEERS)} packages")


if __name__ == "__main__":
    main()
