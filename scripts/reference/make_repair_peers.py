"""Write tests/vectors/repair.json: repaired probabilities of betacal and venn-abers on small data.

Run in an environment of its own: pip install betacal venn-abers; python scripts/reference/make_repair_peers.py
"""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path
from typing import Any

import numpy as np

TARGET = Path(__file__).parents[2] / "tests" / "vectors" / "repair.json"
AT = [0.02, 0.1, 0.25, 0.4, 0.5, 0.63, 0.8, 0.9, 0.97]


def data() -> dict[str, tuple[Any, Any]]:
    rng = np.random.default_rng(20_241)
    true = rng.uniform(0.02, 0.98, 300)
    z = np.log(true / (1 - true))
    happened = (rng.random(300) < true).astype(int)
    return {
        "overconfident": ((1 / (1 + np.exp(-1.7 * z))).round(6), happened),
        "shifted": ((1 / (1 + np.exp(-z + 0.8))).round(6), happened),
        "hundredths": (true.round(2), happened),
    }


def main() -> None:
    from betacal import BetaCalibration
    from venn_abers import VennAbers

    sets = data()
    out: dict[str, Any] = {
        "made_by": "scripts/reference/make_repair_peers.py",
        "versions": {name: importlib.metadata.version(name) for name in ("betacal", "venn-abers")},
        "at": AT,
        "sets": {},
    }
    for name, (prob, happened) in sets.items():
        beta = BetaCalibration(parameters="abm").fit(prob, happened)
        venn = VennAbers()
        venn.fit(np.stack([1 - prob, prob], axis=1), happened)
        p, p01 = venn.predict_proba(np.stack([1 - np.array(AT), np.array(AT)], axis=1))
        out["sets"][name] = {
            "prob": prob.tolist(),
            "outcome": happened.tolist(),
            "beta": np.asarray(beta.predict(np.array(AT))).tolist(),
            "venn_abers": np.asarray(p)[:, 1].tolist(),
            "p0": np.asarray(p01)[:, 0].tolist(),
            "p1": np.asarray(p01)[:, 1].tolist(),
        }
    TARGET.write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
