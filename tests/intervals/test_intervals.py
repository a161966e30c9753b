"""Wilson intervals, and intervals of mean scores with their domain."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.errors import OptionError
from calibrant.intervals.means import (
    MeanInterval,
    auc_interval,
    betting_interval,
    brier_betting_interval,
    mean_interval,
    share_interval,
    t_interval,
)
from calibrant.intervals.wilson import effective_rows, normal_quantile, wilson, wilson_interval
from calibrant.measure.uncertainty import Uncertainty
from calibrant.predictions import judge_events
from calibrant.scores.auc import auc_of_cells
from calibrant.tallies.cells import Cells
from calibrant.tallies.collect import tally_block
from calibrant.tallies.moments import Moments


@pytest.mark.parametrize(
    ("successes", "n", "level", "expected"),
    [
        (84, 100, 0.95, (0.7558, 0.8990)),
        (5, 5, 0.95, (0.565517535217, 1.0)),
        (0, 5, 0.95, (0.0, 1 - 0.565517535217)),
        (7, 10, 0.8, (0.49737170524, 0.846200821924)),
        (7, 10, 0.99, (0.320024679201, 0.920433683477)),
    ],
)
def test_wilson(successes: int, n: int, level: float, expected: tuple[float, float]) -> None:
    tolerance = 5e-5 if n == 100 else 1e-11
    assert wilson_interval(successes, n, level) == pytest.approx(expected, abs=tolerance)


def test_wilson_of_nothing() -> None:
    low, high = wilson([0.5, np.nan], [10, 0])
    assert np.isnan(low[1])
    assert np.isnan(high[1])
    with pytest.raises(OptionError):
        wilson_interval(0, 0)
    with pytest.raises(OptionError):
        wilson_interval(3, 2)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, float("nan"), True, "0.95"])
def test_levels_that_mean_nothing(level: object) -> None:
    with pytest.raises(OptionError, match="level"):
        normal_quantile(level)  # type: ignore[arg-type]


def test_level_is_two_sided() -> None:
    assert normal_quantile(0.95) == pytest.approx(1.959963984540054, abs=1e-14)


def test_effective_rows() -> None:
    assert effective_rows([4.0], [10.0])[0] == pytest.approx(1.6)
    assert effective_rows([100.0], [100.0], 2.0)[0] == 50
    assert effective_rows([0.0], [0.0])[0] == 0


def moments_of(prob: np.ndarray, outcome: np.ndarray) -> Moments:
    confidence = np.maximum(prob, 1 - prob)
    right = ((prob >= 0.5) == (outcome == 1)).astype(float)
    return Moments.of(
        {
            "prob": prob,
            "outcome": outcome.astype(float),
            "confidence": confidence,
            "right": right,
            "brier": (prob - outcome) ** 2,
        }
    )


def test_standard_error_of_the_brier_score() -> None:
    prob = np.array([0.05, 0.12, 0.18, 0.25, 0.33, 0.41, 0.47, 0.58, 0.62, 0.77, 0.83, 0.96])
    outcome = np.array([0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1])
    moments = moments_of(prob, outcome)
    assert moments.standard_error("brier") == pytest.approx(0.0591714, abs=1e-7)
    found = mean_interval(moments, "brier")
    assert found.low is None
    assert found.why == "only 3 rows are wrong; an interval of the mean needs about 10"


def test_t_interval_inside_its_domain() -> None:
    rng = np.random.default_rng(1)
    prob = rng.random(400)
    outcome = (rng.random(400) < prob).astype(int)
    moments = moments_of(prob, outcome)
    found = mean_interval(moments, "brier", bounds=(0, 1))
    loss = (prob - outcome) ** 2
    low, high = t_interval(loss.mean(), loss.std(ddof=1) / 20, 399)
    assert found.method == "t"
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)
    share = share_interval(moments, "right")
    right = round(moments.total("right"))
    assert (share.low, share.high) == pytest.approx(wilson_interval(right, 400), abs=1e-12)
    clustered = share_interval(moments, "right", design_effect=4.0)
    assert (clustered.low or 0) < (share.low or 0)


def skill_of(prob: np.ndarray, outcome: np.ndarray) -> MeanInterval:
    (part,) = tally_block(judge_events(prob, outcome)).slices
    return Uncertainty(part, 0.95).skill(("outcome",))


def test_skill_interval_by_jackknife() -> None:
    rng = np.random.default_rng(2)
    prob = rng.random(500)
    outcome = (rng.random(500) < prob).astype(int)
    found = skill_of(prob, outcome)
    loss = (prob - outcome) ** 2

    def skill(keep: np.ndarray) -> float:
        rate = outcome[keep].mean()
        return float(1 - loss[keep].mean() / (rate * (1 - rate)))

    everything = np.arange(500)
    left_out = np.array([skill(everything != k) for k in range(500)])
    error = np.sqrt(499 / 500 * np.sum((left_out - left_out.mean()) ** 2))
    half = (found.high or 0) - (1 - loss.mean() / (outcome.mean() * (1 - outcome.mean())))
    assert half == pytest.approx(1.9647 * error, rel=0.01)
    rare = skill_of(np.full(500, 0.01), np.array([1] * 3 + [0] * 497))
    assert rare.why == "only 3 rows have the rarer outcome; about 10 are needed"


def test_auc_interval_covers() -> None:
    rng = np.random.default_rng(10)
    truth, covered = 5 / 6, 0  # P(p1 > p0) with p uniform and y ~ Bernoulli(p)
    for _ in range(300):
        prob = rng.random(80)
        cells = Cells.exact(prob, (rng.random(80) < prob).astype(np.intp))
        found = auc_of_cells(cells)
        no, yes = cells.w.sum(axis=0)
        interval = auc_interval(found.value, found.standard_error, no, yes)
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= truth <= interval.high
    assert 276 <= covered <= 294
    assert auc_interval(0.9, 0.1, 5, 50).low is None
    assert auc_interval(1.0, 0.0, 50, 50).why == "the probabilities separate the outcomes perfectly"


def test_betting_interval_covers_where_t_does_not() -> None:
    rng = np.random.default_rng(4)
    prob = np.full(60, 0.99)
    truth = 0.99 * 0.01**2 + 0.01 * 0.99**2
    covered, wide = 0, 0.0
    for _ in range(200):
        outcome = (rng.random(60) < 0.99).astype(np.intp)
        found = brier_betting_interval(Cells.exact(prob, outcome))
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= truth <= found.high
        wide = max(wide, found.high - found.low)
    assert covered >= 190
    assert wide < 0.3


def test_betting_interval_narrows_and_keeps_inside() -> None:
    widths = []
    for n in (20, 200, 2000, 20000):
        found = betting_interval(np.array([0.0, 1.0]), np.array([0.7 * n, 0.3 * n]))
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low < 0.3 < found.high <= 1
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.03
    twice = betting_interval(np.array([0.0, 2.0]), np.array([14.0, 6.0]), 2.0)
    once = betting_interval(np.array([0.0, 1.0]), np.array([14.0, 6.0]))
    assert twice.high == pytest.approx(2 * (once.high or 0))


def test_betting_interval_with_many_values_stays_on_the_safe_side() -> None:
    rng = np.random.default_rng(6)
    values = rng.random(5000)
    few = betting_interval(values, np.ones(5000))
    assert few.low is not None
    assert few.high is not None
    assert few.low < values.mean() < few.high
    assert few.high - few.low < 0.06


def test_betting_interval_refuses_weights() -> None:
    cells = Cells.exact(np.array([0.5, 0.6]), np.array([0, 1]), np.array([1.0, 2.0]))
    assert brier_betting_interval(cells).low is None
