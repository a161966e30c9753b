"""Agreement with betacal and venn-abers on committed values (scripts/reference/make_repair_peers.py)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from calibrant.recalibration.methods import fit_map
from calibrant.recalibration.samples import sample_of_cells
from calibrant.recalibration.venn_abers import fit_venn_abers, venn_abers_interval
from calibrant.tallies.cells import Cells

FILE = json.loads((Path(__file__).parents[1] / "vectors" / "repair.json").read_text("utf-8"))
AT = np.array(FILE["at"])


@pytest.fixture(params=FILE["sets"])
def peer(request):
    found = FILE["sets"][request.param]
    cells = Cells.exact(np.array(found["prob"]), np.array(found["outcome"]))
    return found, sample_of_cells(cells, "yes_no")


def test_beta_calibration(peer):
    found, sample = peer
    assert fit_map("beta", sample)(AT) == pytest.approx(found["beta"], abs=2e-4)


def test_venn_abers(peer):
    found, sample = peer
    low, high = venn_abers_interval(fit_venn_abers(sample), AT)
    assert low == pytest.approx(found["p0"], abs=1e-9)
    assert high == pytest.approx(found["p1"], abs=1e-9)
    assert fit_map("venn_abers", sample)(AT) == pytest.approx(found["venn_abers"], abs=1e-9)
