from __future__ import annotations

import pytest

from calibrant.report.headline import fullest_bin, headline
from report_cases import curve, numbers

OVERALL = numbers(mean_probability=0.5, base_rate=(0.61, 0.58, 0.64), mean_confidence=0.8, accuracy=(0.7, 0.67, 0.73))


def test_events_happen_and_answers_are_right():
    event = curve((0.3, 512, 0.3, 210))
    answer = curve((0.8, 512, 0.84, 364))
    assert headline(event, {}, "yes_no", "overconfident") == (
        "When it says 30%, it happens 41% of the time (37–45%, n = 512)."
    )
    for kind in ("answer", "choice", "score"):
        assert headline(answer, {}, kind, "overconfident") == (
            "When it says 84%, it is right 71% of the time (67–75%, n = 512)."
        )


def test_the_fullest_bin_speaks_whatever_happened_in_it():
    for right in (0, 5, 60):
        assert fullest_bin(curve((0.2, 59, 0.25, right % 59), (0.7, 60, 0.75, right))).low == 0.7


def test_of_equally_full_bins_the_one_that_says_most_speaks():
    assert fullest_bin(curve((0.2, 60, 0.25, 3), (0.7, 60, 0.75, 3))).low == 0.7


def test_no_bin_no_headline():
    assert fullest_bin(curve()) is None
    assert headline(curve(), {}, "answer", "cannot_tell") == "There are no rows to judge."


FINE, TOO_SURE, TOO_SHY = (0.8, 512, 0.84, 430), (0.8, 512, 0.84, 364), (0.8, 512, 0.84, 490)


@pytest.mark.parametrize(
    ("code", "bin_", "speaks"),
    [
        ("honest", FINE, "bin"),
        ("honest", TOO_SURE, "overall"),
        ("overconfident", TOO_SURE, "bin"),
        ("overconfident", FINE, "overall"),
        ("overconfident", TOO_SHY, "overall"),
        ("underconfident", TOO_SHY, "bin"),
        ("underconfident", TOO_SURE, "overall"),
        ("right_order_unusable_numbers", FINE, "overall"),
        ("right_order_unusable_numbers", TOO_SHY, "bin"),
        ("hedging", FINE, "bin"),
        ("base_rate_echo", FINE, "bin"),
        ("cannot_tell", TOO_SURE, "bin"),
    ],
)
def test_a_bin_that_contradicts_the_verdict_does_not_open_the_report(code, bin_, speaks):
    said = headline(curve(bin_), OVERALL, "answer", code)
    assert said.startswith("When it says 84%" if speaks == "bin" else "On average it is 80% sure, and it is right 70%")


def test_without_overall_figures_the_bin_speaks_anyway():
    assert headline(curve(FINE), {}, "answer", "overconfident").startswith("When it says 84%")


def test_below_one_half_being_too_sure_means_that_it_happens_more_often():
    sure_of_no = curve((0.1, 512, 0.1, 150))
    assert headline(sure_of_no, OVERALL, "yes_no", "overconfident").startswith("When it says 10%")
    assert headline(sure_of_no, OVERALL, "yes_no", "underconfident").startswith("On average")


def test_overall_speaks_of_the_gap_that_decided():
    fine = curve((0.8, 512, 0.84, 430))
    both_ways = {**OVERALL, **numbers(bias=(0.01, -0.01, 0.03), confidence_gap=(0.1, 0.08, 0.12))}
    assert headline(fine, both_ways, "yes_no", "overconfident") == (
        "On average it is 80% sure, and it is right 70% of the time (67–73%, n = 1,000)."
    )
    one_way = {**OVERALL, **numbers(bias=(-0.11, -0.13, -0.09), confidence_gap=(-0.08, -0.1, -0.06))}
    assert headline(fine, one_way, "yes_no", "underconfident") == (
        "On average it says 50%, and it happens 61% of the time (58–64%, n = 1,000)."
    )


def test_overall_without_an_interval():
    seen = numbers(mean_confidence=0.8, accuracy=0.7)
    assert headline(curve(FINE), seen, "answer", "overconfident") == (
        "On average it is 80% sure, and it is right 70% of the time (n = 1,000)."
    )
