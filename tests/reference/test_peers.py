"""Other packages' values: equal where definitions agree, and different for the stated reason where they do not.

The values are committed (`make reference` renews them), so no peer is needed here.
"""

from __future__ import annotations

import json
import math
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import calibrant as cb

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "peers.json").read_text(encoding="utf-8"))
ENTRIES = VECTORS["entries"]


def ours(entry):
    name, _, field = entry["ours"].partition(".")
    columns = VECTORS["data"][entry["data"]]
    prob, outcome = (columns[key] for key in (("probs", "label") if "probs" in columns else ("prob", "outcome")))
    options = dict(entry["options"])
    if "weights" in columns:
        options["weights"] = columns["weights"]
    answer = getattr(cb, name)(prob, outcome, **options)
    if name == "reliability_curve":
        return [getattr(point, field) for point in answer.points if point.n]
    return getattr(answer, field) if field else answer


def name_of(entry):
    return f"{entry['peer']}-{entry['call']}-{entry['data']}-{entry['ours']}"


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e["relation"] == "equal"], ids=name_of)
def test_where_definitions_agree_values_agree(entry):
    tolerance = {"rtol" if entry.get("relative") else "atol": entry["tolerance"]}
    np.testing.assert_allclose(ours(entry), entry["value"], **{"rtol": 0, "atol": 0, **tolerance})


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e["relation"] == "differs"], ids=name_of)
def test_where_they_differ_a_reason_is_stated(entry):
    assert entry["why"].endswith(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = ours(entry)
    assert not math.isclose(value, entry["value"], rel_tol=1e-6), "the difference is gone: say so in make_peers.py"


def test_every_peer_and_every_public_question_is_covered():
    assert {entry["peer"] for entry in VECTORS["entries"]} <= set(VECTORS["versions"])
    assert len({entry["peer"] for entry in VECTORS["entries"]}) == 8


# ------------------------------------------------------------- the eleven tenths: one question, six answers, each named
TENTHS = VECTORS["data"]["tenths11"]


def exact_ece(bins, closed):
    """The calibration error of the eleven tenths in whole numbers."""
    gaps = {}
    for tenth, happened in zip(range(11), TENTHS["outcome"], strict=True):
        scaled = Fraction(tenth * bins, 10)
        index = math.floor(scaled) if closed == "left" else math.ceil(scaled) - 1
        index = min(max(index, 0), bins - 1)
        gaps[index] = gaps.get(index, 0) + Fraction(tenth, 10) - happened
    return sum(abs(gap) for gap in gaps.values()) / 11


def peer_value(peer, call):
    (found,) = (e["value"] for e in VECTORS["entries"] if (e["peer"], e["call"], e["data"]) == (peer, call, "tenths11"))
    return found


@pytest.mark.parametrize(("closed", "exact"), [("left", Fraction(13, 110)), ("right", Fraction(21, 110))])
def test_the_tenths_are_exact_under_both_edge_rules(closed, exact):
    assert exact_ece(5, closed) == exact
    assert cb.event_ece(TENTHS["prob"], TENTHS["outcome"], bins=5, closed=closed) == pytest.approx(
        float(exact), abs=1e-15
    )


@pytest.mark.parametrize("closed", ["left", "right"])
def test_ten_bins_give_three_tenths_under_both_rules(closed):
    assert exact_ece(10, closed) == Fraction(3, 10)
    assert cb.event_ece(TENTHS["prob"], TENTHS["outcome"], closed=closed) == pytest.approx(0.3, abs=1e-15)


@pytest.mark.parametrize(
    ("peer", "call", "value"),
    [
        # Left-closed; a probability of 1 sits in an extra bin, which changes nothing with five bins here.
        ("torchmetrics", "binary_calibration_error(p, y, n_bins=5)", Fraction(13, 110)),
        # Right-closed by definition.
        ("uncertainty-calibration", "get_ece(p, y, num_bins=5)", Fraction(21, 110)),
        # Left-closed, but 0.6 falls below an edge that floating point put at 0.6000000000000001.
        ("netcal", "ECE(5).measure(p, y)", Fraction(17, 110)),
        ("relplot", "metrics.binnedECE(p, y, 5)", Fraction(17, 110)),
        # Five edges, so four bins.
        ("mapie", "expected_calibration_error(y, p, num_bins=5)", Fraction(15, 110)),
    ],
)
def test_what_the_peers_say_about_the_tenths_and_why(peer, call, value):
    assert peer_value(peer, call) == pytest.approx(float(value), abs=1e-9)


def test_mapies_five_are_our_four():
    options = {"bins": 4, "closed": "right"}
    four = cb.event_ece(TENTHS["prob"], TENTHS["outcome"], **options)
    assert peer_value("mapie", "expected_calibration_error(y, p, num_bins=5)") == pytest.approx(four, abs=1e-12)


def test_netcals_slip_is_our_value_with_its_edges():
    edges = np.linspace(0, 1, 6)
    assert edges[3] > 0.6
    slipped = cb.event_ece(TENTHS["prob"], TENTHS["outcome"], bins=edges)
    assert peer_value("netcal", "ECE(5).measure(p, y)") == pytest.approx(slipped, abs=1e-12)
