"""What must hold for every data set, tried on many that hypothesis makes up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.metrics import log_loss as sklearn_log_loss

from calibrant.arrays import cells_of
from calibrant.bins import Bins
from calibrant.calibration.binning import mass_bins
from calibrant.calibration.by_option import classwise_ece, top_label_ece
from calibrant.calibration.corp import corp_decomposition
from calibrant.calibration.curve import reliability_curve
from calibrant.calibration.debiased import debiased_calibration_error, debiased_square
from calibrant.calibration.decomposition import decompose, murphy_decomposition
from calibrant.calibration.ece import calibration_error, confidence_ece, event_ece
from calibrant.calibration.isotonic import isotonic_fit
from calibrant.calibration.slope import calibration_slope, slope_of_cells
from calibrant.scores.auc import auc, auc_of_cells
from calibrant.scores.brier import brier_of_cells, brier_score
from calibrant.scores.log import log_loss
from calibrant.scores.ranked import ranked_probability_score
from calibrant.tallies.fold import fold
from calibrant.tallies.grid import COARSE, FINE

Events = tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.float64]]

SOME = settings(max_examples=40, deadline=None)


@st.composite
def events(draw: st.DrawFn, *, rows: int = 40) -> Events:
    """Probabilities (rounded or not, with 0, 1 and edges among them), outcomes and whole weights."""
    n = draw(st.integers(1, rows))
    tenths = st.integers(0, 20).map(lambda k: k / 20)
    prob = draw(st.lists(st.one_of(tenths, st.floats(0, 1)), min_size=n, max_size=n))
    outcome = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    weight = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    return np.array(prob) + 0.0, np.array(outcome, dtype=np.intp), np.array(weight, dtype=np.float64)


@st.composite
def choices(draw: st.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Rows of three options from whole votes, so that ties are common."""
    n = draw(st.integers(1, 25))
    votes = st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any)
    table = np.array(draw(st.lists(votes, min_size=n, max_size=n)), dtype=np.float64)
    label = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return table / table.sum(axis=1, keepdims=True), np.array(label, dtype=np.intp)


@SOME
@given(events(), st.integers(1, 30), st.sampled_from(["left", "right"]), st.booleans(), st.booleans())
def test_five_terms_add_up(rows: Events, bins: int, closed: str, weighted: bool, mass: bool) -> None:
    prob, outcome, weight = rows
    cells = cells_of(prob, outcome, weight if weighted else None)
    chosen = mass_bins(cells, bins) if mass else Bins.width(bins, closed=closed)  # type: ignore[arg-type]
    terms = decompose(cells.bin_sums(chosen))
    total = terms.reliability - terms.generalised_resolution + terms.uncertainty
    assert total == pytest.approx(terms.brier, abs=1e-13)
    assert terms.brier == pytest.approx(
        np.average((prob - outcome) ** 2, weights=weight if weighted else None), abs=1e-13
    )


@SOME
@given(events(), st.booleans())
def test_murphy_is_exact_and_corp_dominates_it(rows: Events, weighted: bool) -> None:
    prob, outcome, weight = rows
    w = weight if weighted else None
    murphy = murphy_decomposition(prob, outcome, weights=w)
    assert murphy.reliability - murphy.resolution + murphy.uncertainty == pytest.approx(murphy.brier, abs=1e-13)
    corp = corp_decomposition(prob, outcome, weights=w)
    assert corp.miscalibration - corp.discrimination + corp.uncertainty == pytest.approx(corp.score, abs=1e-13)
    assert corp.discrimination <= murphy.resolution + 1e-13
    cells = cells_of(prob, outcome, w)
    share = cells.w[:, 1] / cells.w.sum(axis=1)
    if np.all(np.diff(share) >= 0):
        assert corp.miscalibration == pytest.approx(murphy.reliability, abs=1e-13)
        assert corp.discrimination == pytest.approx(murphy.resolution, abs=1e-13)


@SOME
@given(events(), st.randoms(use_true_random=False), st.sampled_from(["width", "mass"]))
def test_the_order_of_rows_plays_no_part(rows: Events, random: object, binning: str) -> None:
    prob, outcome, weight = rows
    order = list(range(prob.size))
    random.shuffle(order)  # type: ignore[attr-defined]
    for norm in ("l1", "l2", "max"):
        here, there = (
            event_ece(prob[at], outcome[at], weights=weight[at], binning=binning, norm=norm)  # type: ignore[arg-type]
            for at in (np.arange(prob.size), np.array(order))
        )
        assert here == pytest.approx(there, abs=1e-14)
    assert corp_decomposition(prob, outcome)[:4] == pytest.approx(
        corp_decomposition(prob[order], outcome[order])[:4], abs=1e-14
    )


@SOME
@given(events(), st.sampled_from([1, 2, 5, 10, 12, 15, 20, 50, 100]), st.sampled_from(["left", "right"]))
def test_the_fine_grid_loses_nothing_in_bins(rows: Events, bins: int, closed: str) -> None:
    prob, outcome, weight = rows
    chosen = Bins.width(bins, closed=closed)  # type: ignore[arg-type]
    for w in (None, weight):
        exact = cells_of(prob, outcome, w)
        grid = exact.coarsen(FINE)
        here, there = exact.bin_sums(chosen), grid.bin_sums(chosen)
        assert grid.edges_moved(chosen) == 0
        for norm in ("l1", "l2", "max"):
            assert calibration_error(there, norm) == pytest.approx(calibration_error(here, norm), abs=1e-12)  # type: ignore[arg-type]
        assert decompose(there)[:6] == pytest.approx(decompose(here)[:6], abs=1e-12)
        assert brier_of_cells(grid) == pytest.approx(brier_of_cells(exact), abs=1e-13)
        assert debiased_square(there) == pytest.approx(debiased_square(here), abs=1e-10, nan_ok=True)


@SOME
@given(events())
def test_frequency_weights_are_repeated_rows(rows: Events) -> None:
    prob, outcome, weight = rows
    times = weight.astype(int)
    p, y = np.repeat(prob, times), np.repeat(outcome, times)
    for binning in ("width", "mass"):
        assert event_ece(prob, outcome, weights=weight, binning=binning) == pytest.approx(  # type: ignore[arg-type]
            event_ece(p, y, binning=binning),  # type: ignore[arg-type]
            abs=1e-13,
        )
    assert brier_score(prob, outcome, weights=weight) == pytest.approx(brier_score(p, y), abs=1e-14)
    here = murphy_decomposition(prob, outcome, bins=5, weights=weight, weighting="frequency")
    there = murphy_decomposition(p, y, bins=5)
    assert here[:7] == pytest.approx(there[:7], abs=1e-13)
    assert here.corrected[:3] == pytest.approx(there.corrected[:3], abs=1e-12)
    if p.size > 5:
        square = debiased_calibration_error(prob, outcome, weights=weight, weighting="frequency", bins=2).square
        assert square == pytest.approx(debiased_calibration_error(p, y, bins=2).square, abs=1e-12)
    curve = reliability_curve(prob, outcome, weights=weight, weighting="frequency").points
    for one, two in zip(curve, reliability_curve(p, y).points, strict=True):
        assert (one.observed_low is None) == (two.observed_low is None)
        if one.observed_low is not None:
            assert (one.observed, one.observed_low, one.observed_high) == pytest.approx(
                (two.observed, two.observed_low, two.observed_high), abs=1e-12
            )


@SOME
@given(events())
def test_a_row_of_weight_zero_changes_nothing(rows: Events) -> None:
    prob, outcome, weight = rows
    p, y, w = np.append(prob, 0.99), np.append(outcome, 0), np.append(weight, 0.0)
    for score in (brier_score, log_loss, event_ece, confidence_ece):
        assert score(p, y, weights=w) == score(prob, outcome, weights=weight)  # type: ignore[operator]
    assert murphy_decomposition(p, y, weights=w) == murphy_decomposition(prob, outcome, weights=weight)
    assert corp_decomposition(p, y, weights=w) == corp_decomposition(prob, outcome, weights=weight)
    with_nan = np.append(prob, np.nan)
    assert brier_score(with_nan, y, weights=w) == brier_score(prob, outcome, weights=weight)


@SOME
@given(events())
def test_scaling_all_weights_changes_nothing(rows: Events) -> None:
    prob, outcome, weight = rows
    here = murphy_decomposition(prob, outcome, bins=4, weights=weight)
    there = murphy_decomposition(prob, outcome, bins=4, weights=weight * 3.7)
    assert here[:7] == pytest.approx(there[:7], abs=1e-13)
    assert here.corrected[:3] == pytest.approx(there.corrected[:3], abs=1e-12)


@SOME
@given(events())
def test_the_complement_mirrors(rows: Events) -> None:
    prob, outcome, _ = rows
    prob = np.round(prob * 1024) / 1024
    assert brier_score(1 - prob, 1 - outcome) == brier_score(prob, outcome)
    here = event_ece(prob, outcome, closed="left")
    there = event_ece(1 - prob, 1 - outcome, bins=[1 - k / 10 for k in range(10, -1, -1)], closed="right")
    assert there == pytest.approx(here, abs=1e-12)
    assert (
        confidence_ece(1 - prob, 1 - outcome) == pytest.approx(confidence_ece(prob, outcome), abs=1e-12)
        or (prob == 0.5).any()
    )
    one, two = corp_decomposition(prob, outcome), corp_decomposition(1 - prob, 1 - outcome)
    assert one[:4] == pytest.approx(two[:4], abs=1e-13)


@SOME
@given(events())
def test_folded_cells_on_the_grid(rows: Events) -> None:
    prob, outcome, weight = rows
    exact = cells_of(prob, outcome, weight)
    here = fold(exact).bin_sums(Bins.width(10))
    there = fold(exact.coarsen(FINE)).bin_sums(Bins.width(10))
    assert calibration_error(there) == pytest.approx(calibration_error(here), abs=1e-12)


@SOME
@given(events())
def test_auc_is_the_share_of_ordered_pairs(rows: Events) -> None:
    prob, outcome, weight = rows
    cells = cells_of(prob, outcome, weight)
    yes, no = outcome == 1, outcome == 0
    if not yes.any() or not no.any():
        assert np.isnan(auc_of_cells(cells).value)
        return
    higher = prob[yes][:, None] - prob[no]
    pairs = np.outer(weight[yes], weight[no])
    brute = float((((higher > 0) + 0.5 * (higher == 0)) * pairs).sum() / pairs.sum())
    assert auc_of_cells(cells).value == pytest.approx(brute, abs=1e-13)
    coarse = auc_of_cells(cells.coarsen(COARSE))
    assert abs(coarse.value - brute) <= coarse.error_bound + 1e-13


@SOME
@given(events())
def test_isotonic_fit_is_that_of_scikit_learn(rows: Events) -> None:
    prob, outcome, weight = rows
    prob = np.round(prob, 6)  # the peer merges values that are closer than its tolerance
    fit = isotonic_fit(cells_of(prob, outcome, weight))
    assert np.all(np.diff(fit.value) > 0)
    peer = IsotonicRegression().fit(prob, outcome, sample_weight=weight)
    assert fit(prob).tolist() == pytest.approx(peer.predict(prob).tolist(), abs=1e-7)


@SOME
@given(choices())
def test_choices_reduce_to_events(rows: tuple[NDArray[np.float64], NDArray[np.intp]]) -> None:
    probs, label = rows
    each = [event_ece(probs[:, k], label == k) for k in range(3)]
    assert classwise_ece(probs, label) == pytest.approx(np.mean(each), abs=1e-13)
    top = probs.argmax(axis=1)
    assert confidence_ece(probs, label) == pytest.approx(event_ece(probs.max(axis=1), top == label), abs=1e-13)
    assert top_label_ece(probs, label) >= confidence_ece(probs, label) - 1e-12
    cuts = sum(brier_score(np.minimum(probs[:, : k + 1].sum(axis=1), 1.0), label <= k) for k in range(2))
    assert ranked_probability_score(probs, label) == pytest.approx(cuts, abs=1e-13)
    two = np.stack([probs[:, 0], 1 - probs[:, 0]], axis=1)
    assert brier_score(two, (label > 0).astype(int)) == pytest.approx(
        2 * brier_score(probs[:, 0], label == 0), abs=1e-13
    )


def test_agreement_with_scikit_learn() -> None:
    rng = np.random.default_rng(7)
    prob = np.round(rng.beta(0.7, 0.9, 500), 2).clip(0.01, 0.99)
    outcome = (rng.random(500) < prob**1.3).astype(int)
    weight = rng.random(500) + 0.1
    assert brier_score(prob, outcome) == pytest.approx(brier_score_loss(outcome, prob), abs=1e-14)
    assert brier_score(prob, outcome, weights=weight) == pytest.approx(
        brier_score_loss(outcome, prob, sample_weight=weight), abs=1e-14
    )
    assert log_loss(prob, outcome, weights=weight) == pytest.approx(
        sklearn_log_loss(outcome, prob, sample_weight=weight), abs=1e-13
    )
    assert auc(prob, outcome, weights=weight) == pytest.approx(
        roc_auc_score(outcome, prob, sample_weight=weight), abs=1e-12
    )
    probs = rng.dirichlet([1, 1, 1, 1], 200)
    label = rng.integers(0, 4, 200)
    assert log_loss(probs, label) == pytest.approx(sklearn_log_loss(label, probs, labels=range(4)), abs=1e-13)
    assert brier_score(probs, label) == pytest.approx(
        brier_score_loss(label, probs, labels=range(4), scale_by_half=False), abs=1e-13
    )
    logits = np.log(prob / (1 - prob))[:, None]
    peer = LogisticRegression(C=1e12, tol=1e-12, max_iter=1000).fit(logits, outcome)
    fit = calibration_slope(prob, outcome)
    assert fit.slope == pytest.approx(peer.coef_[0, 0], abs=1e-5)
    assert fit.intercept == pytest.approx(peer.intercept_[0], abs=1e-5)


def test_auc_standard_error_by_bootstrap() -> None:
    rng = np.random.default_rng(9)
    prob = rng.random(300)
    outcome = (rng.random(300) < prob).astype(np.intp)
    found = auc_of_cells(cells_of(prob, outcome))
    again = []
    for _ in range(400):
        at = rng.integers(0, 300, 300)
        again.append(auc_of_cells(cells_of(prob[at], outcome[at])).value)
    assert found.standard_error == pytest.approx(float(np.std(again)), rel=0.12)


def test_the_brier_score_is_proper() -> None:
    said = np.linspace(0, 1, 101)
    for truth in (0.1, 0.37, 0.5, 0.9):
        cost = [brier_score([q, q], [1, 0], weights=[truth, 1 - truth]) for q in said]
        assert said[int(np.argmin(cost))] == pytest.approx(truth)


def test_debiased_square_has_mean_zero_when_calibrated() -> None:
    rng = np.random.default_rng(12)
    squares, plain = [], []
    for _ in range(400):
        prob = rng.random(60)
        outcome = (rng.random(60) < prob).astype(np.intp)
        binned = cells_of(prob, outcome).bin_sums(Bins.width(5))
        squares.append(debiased_square(binned))
        plain.append(calibration_error(binned, "l2") ** 2)
    standard_error = np.std(squares) / 20
    assert abs(np.mean(squares)) < 3 * standard_error
    assert np.mean(plain) > 10 * standard_error


@SOME
@given(events())
def test_slope_never_crashes(rows: Events) -> None:
    prob, outcome, weight = rows
    for w in (None, weight):
        fit = slope_of_cells(cells_of(prob, outcome, w))
        assert np.isnan(fit.slope) == (fit.why is not None)
        assert np.isnan(fit.in_the_large) == (fit.why_in_the_large is not None)
        if fit.why is None:
            logits = np.log(prob / (1 - prob))
            q = 1 / (1 + np.exp(-(fit.intercept + fit.slope * logits)))
            used = np.ones_like(prob) if w is None else w
            assert float(np.sum(used * (outcome - q))) == pytest.approx(0, abs=1e-6)
            assert fit.slope_se > 0
