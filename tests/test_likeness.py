"""Peers' numbers are reproduced from our cells, and the reasons for a difference add up to it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import calibrant as cb
from calibrant.bins import Bins
from calibrant.likeness import PEERS, like_peer, peer_names
from calibrant.tallies.cells import Cells

VECTORS = json.loads((Path(__file__).parent / "vectors" / "peers.json").read_text(encoding="utf-8"))
CALLS = {
    "torchmetrics": r"binary_calibration_error\(p, y, n_bins=(\d+)(?:, norm='l1')?\)",
    "netcal": r"ECE\((\d+)\)\.measure\(p, y\)",
    "relplot": r"metrics\.binnedECE\(p, y, (\d+)\)",
}


def cells_of(name):
    rows = VECTORS["data"][name]
    return Cells.exact(np.array(rows["prob"]), np.array(rows["outcome"]))


def binned_values():
    for entry in VECTORS["entries"]:
        found = re.fullmatch(CALLS.get(entry["peer"], "$^"), entry["call"])
        if found:
            yield pytest.param(entry, int(found[1]), id=f"{entry['peer']}-{found[1]}-{entry['data']}")


@pytest.mark.parametrize(("entry", "bins"), list(binned_values()))
def test_a_peers_value_is_reproduced_even_where_ours_differs(entry, bins):
    found = like_peer(cells_of(entry["data"]), entry["peer"], peer_bins=bins)
    assert found.value == pytest.approx(entry["value"], abs=1e-7)
    assert found.exact


@pytest.mark.parametrize("bins", [5, 10])
@pytest.mark.parametrize("data", ["tenths11", "tenths200", "calibrated200", "rare200"])
def test_the_curve_of_scikit_learn_gives_our_value_of_its_ece(data, bins):
    curve = {
        entry["ours"].split(".")[1]: np.array(entry["value"])
        for entry in VECTORS["entries"]
        if (entry["call"], entry["data"]) == (f"calibration_curve(y, p, n_bins={bins})", data)
    }
    cells = cells_of(data)
    edges = np.linspace(0, 1, bins + 1)
    rows = np.bincount(np.searchsorted(edges[1:-1], cells.prob), weights=cells.w.sum(axis=1), minlength=bins)
    rows = rows[rows > 0]
    expected = float(np.sum(rows * np.abs(curve["observed"] - curve["mean_probability"])) / rows.sum())
    assert like_peer(cells, "sklearn", peer_bins=bins).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", peer_names())
@pytest.mark.parametrize("data", ["tenths11", "overconfident200"])
def test_the_parts_add_up_to_the_difference(name, data):
    cells = cells_of(data)
    found = like_peer(cells, name, Bins.width(10))
    rows = VECTORS["data"][data]
    assert found.ours == pytest.approx(cb.event_ece(rows["prob"], rows["outcome"]), abs=1e-15)
    assert sum(found.parts.values()) == pytest.approx(found.value - found.ours, abs=1e-12)
    assert found.sentence.startswith(f"{name} ")
    assert f"{found.value:.4f}" in found.sentence


def test_the_sentence_says_by_how_much_and_why():
    found = like_peer(cells_of("tenths11"), "netcal", Bins.width(5), peer_bins=5)
    assert found.sentence == (
        "netcal 1.4.0 (ECE) gives 0.1545 on these rows, ours is 0.1182: 0.0364 more "
        "(+0.0364 by edges moved by floating point)."
    )
    same = like_peer(cells_of("calibrated200"), "netcal", Bins.width(10))
    assert same.sentence.endswith("as we do.")


def test_versions_are_those_of_the_committed_values():
    names = {"sklearn": "scikit-learn"}
    assert {peer.version for peer in PEERS} == {VECTORS["versions"][names.get(p.name, p.name)] for p in PEERS}


def test_an_unknown_package_is_refused_with_the_known_ones():
    with pytest.raises(cb.CalibrantError, match=r"No package 'weka' is known(.|\n)*torchmetrics"):
        like_peer(cells_of("d12"), "weka")
