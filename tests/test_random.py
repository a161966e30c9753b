"""The shared generator: published vectors, portability, distributions."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats

from calibrant.random import FlipSums, normal_quantile, normals, philox, uniforms

VECTORS = json.loads((Path(__file__).parent / "vectors" / "random.json").read_text())


# The known answers of the authors' Random123 library, kat_vectors, philox4x32 10.
@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ([0] * 4, (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ([0xFFFFFFFF] * 4, (0xFFFFFFFF, 0xFFFFFFFF), "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            (0xA4093822, 0x299F31D0),
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_philox_gives_the_published_words(counter: list[int], key: tuple[int, int], words: str) -> None:
    found = philox(np.array(counter, np.uint64)[:, None], key)[:, 0]
    assert " ".join(f"{word:08x}" for word in found.tolist()) == words


def test_vectors_are_what_the_code_gives() -> None:
    for case in VECTORS["uniforms"]:
        assert uniforms(case["seed"], case["stream"], (7,)).tolist() == case["values"]
    quantile = VECTORS["normal_quantile"]
    np.testing.assert_allclose(normal_quantile(quantile["p"]), quantile["z"], rtol=1e-14)
    np.testing.assert_allclose(normals(7, 3, (7,)), VECTORS["normals"]["values"], rtol=1e-14)
    for case in VECTORS["flip_sums"]:
        law = FlipSums.of(np.array(case["rows"]), np.array(case["prob"]), np.zeros(len(case["rows"]), np.intp), 1)
        assert law.quantile(uniforms(case["seed"], 1, (12, 1)))[:, 0].tolist() == case["draws"]
        if case["cdf"] is not None:
            np.testing.assert_allclose(law.table[0][:64], case["cdf"], atol=1e-13)


def test_entries_do_not_depend_on_how_many_are_drawn() -> None:
    many = uniforms(5, 2, (70_001,))
    assert uniforms(5, 2, (40_000,)).tolist() == many[:40_000].tolist()
    assert np.all((many > 0) & (many < 1))


def test_streams_and_seeds_are_unrelated_and_uniform() -> None:
    draws = np.stack([uniforms(seed, stream, (50_000,)) for seed, stream in ((0, 1), (0, 2), (1, 1), (2**32, 1))])
    assert np.abs(np.corrcoef(draws) - np.eye(4)).max() < 0.02
    for row in draws:
        assert stats.kstest(row, "uniform").pvalue > 1e-3


def test_normal_quantile_agrees_with_scipy() -> None:
    p = np.concatenate([10.0 ** -np.arange(1, 300, 7), np.arange(1, 500) / 1000, 1 - 10.0 ** -np.arange(1, 16)])
    np.testing.assert_allclose(normal_quantile(p), special.ndtri(p), rtol=2e-14)


@pytest.mark.parametrize(("rows", "prob"), [(1, 0.3), (5, 0.2), (60, 0.95), (1000, 0.3), (10**6, 1e-4), (200, 0.0)])
def test_one_sum_is_binomial(rows: int, prob: float) -> None:
    u = uniforms(3, 1, (20_000, 1))
    drawn = FlipSums.of(np.array([rows]), np.array([prob])).quantile(u)[:, 0]
    np.testing.assert_array_equal(drawn, np.maximum(stats.binom.ppf(u[:, 0], rows, prob), 0))


@pytest.mark.parametrize(("rows", "prob"), [(1_700, 0.4), (10**6, 4.1e-4), (10**6, 1 - 5e-4)])
def test_large_sums_are_within_a_thousandth_of_binomial(rows: int, prob: float) -> None:
    law = FlipSums.of(np.array([rows]), np.array([prob]))
    assert not law.table
    u = (np.arange(200_000) + 0.5)[:, None] / 200_000
    drawn = law.quantile(u)[:, 0]
    values = np.arange(drawn.min(), drawn.max() + 1)
    found = np.searchsorted(drawn, values, side="right") / drawn.size
    assert np.abs(found - stats.binom.cdf(values, rows, prob)).max() < 1e-3


def test_sum_of_unequal_flips_is_exact() -> None:
    prob = np.array([0.1, 0.5, 0.93, 0.2])
    law = FlipSums.of(np.ones(4, int), prob, np.zeros(4, np.intp), 1)
    mass = np.array([1.0])
    for p in prob:
        mass = np.convolve(mass, [1 - p, p])
    np.testing.assert_allclose(law.table[0][:5], np.cumsum(mass), atol=1e-14)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_plain_javascript_reproduces_every_vector() -> None:
    script = Path(__file__).parent / "vectors" / "random.mjs"
    answer = subprocess.run(["node", str(script)], capture_output=True, text=True, check=False)
    assert answer.stdout.strip() == "all vectors reproduced", answer.stdout + answer.stderr
