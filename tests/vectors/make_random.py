"""Write tests/vectors/random.json: what the page's generator, quantile and noise floor must reproduce.

Run it only when the definition changes: `PYTHONPATH=src python tests/vectors/make_random.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from calibrant.bins import Bins
from calibrant.calibration.noise import floor_of_cells
from calibrant.random import STREAMS, FlipSums, normal_quantile, normals, philox, uniforms
from calibrant.tallies.cells import Cells

D12 = (0.05, 0.12, 0.18, 0.25, 0.33, 0.41, 0.47, 0.58, 0.62, 0.77, 0.83, 0.96)
D12_OUTCOMES = (0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1)


def hexes(counter: list[int], key: tuple[int, int]) -> list[str]:
    words = philox(np.array(counter, np.uint64)[:, None], key)[:, 0]
    return [f"{word:08x}" for word in words.tolist()]


def flips(rows: list[int], prob: list[float], seed: int) -> dict[str, object]:
    law = FlipSums.of(np.array(rows), np.array(prob), np.zeros(len(rows), np.intp), 1)
    u = uniforms(seed, 1, (12, 1))
    return {
        "rows": rows, "prob": prob, "seed": seed, "start": float(law.start[0]),
        "cdf": law.table[0][:64].tolist() if 0 in law.table else None,
        "mean": float(law.mean[0]), "deviation": float(law.deviation[0]), "skewness": float(law.skewness[0]),
        "draws": law.quantile(u)[:, 0].tolist(),
    }  # fmt: skip


def floor(name: str, prob: list[float], outcome: list[int], weight: list[float] | None, bins: int) -> dict[str, object]:
    cells = Cells.exact(np.array(prob), np.array(outcome), None if weight is None else np.array(weight))
    found = {norm: floor_of_cells(cells, Bins.width(bins), norm=norm)[0]._asdict() for norm in ("l1", "l2", "max")}
    return {"name": name, "prob": prob, "outcome": outcome, "weight": weight, "bins": bins, "norms": found}


def vectors() -> dict[str, object]:
    points = [1e-300, 1e-20, 1e-9, 0.001, 0.025, 0.074, 0.076, 0.3, 0.5, 0.6, 0.92, 0.93, 0.975, 0.999999]
    spread = uniforms(11, 99, (200,)).round(3)
    many = uniforms(13, 99, (900,)).round(4)
    happened = (uniforms(12, 99, (200,)) < spread).astype(int)
    return {
        "generator": "Philox4x32-10; see calibrant/random.py",
        "streams": STREAMS,
        "philox": [
            {"counter": [0, 0, 0, 0], "key": [0, 0], "words": hexes([0, 0, 0, 0], (0, 0))},
            {"counter": [0xFFFFFFFF] * 4, "key": [0xFFFFFFFF] * 2, "words": hexes([0xFFFFFFFF] * 4, (0xFFFFFFFF,) * 2)},
            {
                "counter": [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
                "key": [0xA4093822, 0x299F31D0],
                "words": hexes([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], (0xA4093822, 0x299F31D0)),
            },
        ],
        "uniforms": [
            {"seed": seed, "stream": stream, "values": uniforms(seed, stream, (7,)).tolist()}
            for seed, stream in ((0, 0), (0, 1), (7, 3), (2**40 + 5, 1))
        ],
        "normal_quantile": {"p": points, "z": normal_quantile(points).tolist()},
        "normals": {"seed": 7, "stream": 3, "values": normals(7, 3, (7,)).tolist()},
        "flip_sums": [
            flips([60], [0.95], 1),
            flips([1], [0.3], 1),
            flips([1] * 12, list(D12), 2),
            flips([1000, 5, 40], [0.01, 0.5, 0.9], 3),
            flips([1_000_000], [1e-4], 4),
            flips([10_000_000, 3], [0.37, 0.5], 5),
        ],
        "floors": [
            floor("D12, 5 bins", list(D12), list(D12_OUTCOMES), None, 5),
            floor("constant 0.95, n = 60", [0.95] * 60, [0] * 10 + [1] * 50, None, 10),
            floor("200 rows of three decimals", spread.tolist(), happened.tolist(), None, 10),
            floor("900 rows of four decimals", many.tolist(), (many > 0.4).astype(int).tolist(), None, 10),
            floor("D12 weighted", list(D12), list(D12_OUTCOMES), [1.0, 2.0, 0.5] * 4, 5),
        ],
    }


if __name__ == "__main__":
    Path(__file__).with_name("random.json").write_text(json.dumps(vectors(), indent=1) + "\n", encoding="utf-8")
