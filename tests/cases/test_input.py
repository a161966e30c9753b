"""Public reports of input that was misread: refused with a sentence, or read as it was meant."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import calibrant as cb
from calibrant.cli.app import main

THIRDS = [[0.72, 0.09, 0.09], [0.18, 0.63, 0.09], [0.18, 0.18, 0.54]]


@pytest.fixture
def run(capsys):
    """What `calibrant check` does with some arguments: exit code, standard output, standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["check", *arguments, "--format", "json"])
        return (ended.value.code or 0, *capsys.readouterr())

    return run


@pytest.fixture
def check(run, tmp_path):
    """The same with a file of some text."""

    def check(text, *options):
        path = tmp_path / "rows.csv"
        path.write_text(text, encoding="utf-8")
        return run(str(path), *options)

    return check


def numbers(result):
    code, out, err = result
    assert code == 0, err
    (part,) = json.loads(out)["slices"]
    return part


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: cb.brier_score([1], [0.3]), "swapped"),  # brier-arg-order
        (lambda: cb.brier_score([0.3], [0.3]), "not 0 or 1"),  # brier-arg-order
        (lambda: cb.event_ece([0.9, 0.8, 0.1, 1.0000001], [1, 1, 0, 1]), "row 3"),  # one-value-over-1
        (lambda: cb.event_ece([1.7, -0.3], [1, 0]), "2 of 2 values .* outside 0 to 1; first .*1.7"),  # ce-range-assert
        (lambda: cb.brier_score(THIRDS, [0, 1, 2]), "3 of 3 values .*0.9"),  # brier-unnormalised
        (lambda: cb.log_loss([[0.2, 0.3]], [1]), "0.5"),  # ll-renormalise
        (lambda: cb.event_ece([0.9, 0.8, 0.3], [2, 2, 1]), "not 0 or 1"),  # labels-1-2
        (lambda: cb.event_ece([0.2, 0.7], [0, 1], bins=0), "whole number from 1"),  # nbins-validation
        (lambda: cb.reliability_curve([0.2, 0.7], [0, 1], bins=0), "whole number from 1"),  # nbins-validation
        (lambda: cb.murphy_decomposition([0.2, 0.7], [0, 1], bins=0), "whole number from 1"),  # nbins-validation
        (lambda: cb.brier_score([0.3, 0.2], [1, 0], weights=[0, 0]), "sum to zero"),  # weights-zero-all
        (lambda: cb.brier_score([0.3, 0.2], [1, 0], weights=[1, -0.5]), "negative.*row 1"),  # weights-negative
    ],
)
def test_what_cannot_be_meant_is_refused(call, says):
    with pytest.raises(cb.CalibrantError, match=says):
        call()


# shape-n1
@pytest.mark.parametrize("prob", [[0.2, 0.7], [[0.2], [0.7]], [[0.8, 0.2], [0.3, 0.7]]])
def test_three_shapes_of_yes_and_no_agree(prob):
    assert cb.event_ece(prob, [0, 1]) == pytest.approx(0.25, abs=1e-12)


# brier-unnormalised, ll-renormalise: only when asked
def test_rows_are_renormalised_when_asked(check):
    text = "p_a,p_b,p_c,label\n" + "".join(
        f"{a},{b},{c},{label}\n" for (a, b, c), label in zip(THIRDS, "abc", strict=True)
    )
    assert check(text)[0] == 2
    part = numbers(check(text, "--renormalise"))
    assert part["numbers"]["brier"]["value"] == pytest.approx(0.146666666667, abs=1e-10)


# labels-order-ignored: columns are known by name
def test_columns_are_matched_by_name_whatever_their_order(check):
    part = numbers(check("p_dog,p_cat,p_cow,label\n1,0,0,dog\n0,1,0,cat\n"))
    assert part["numbers"]["brier"]["value"] == 0
    assert part["numbers"]["log_loss"]["value"] == 0


# labels-1-2
def test_outcomes_coded_one_and_two_need_a_name(check):
    text = "p,y\n0.9,2\n0.8,2\n0.3,1\n"
    refused = check(text)
    assert refused[0] == 2
    assert "--yes" in refused[2]
    part = numbers(check(text, "--yes", "2", "--no", "1"))
    assert part["numbers"]["event_ece"]["value"] == pytest.approx(0.2, abs=1e-12)


# csv-decimal-comma
def test_semicolons_and_decimal_commas(check):
    part = numbers(check("p;y\n0,9;1\n0,25;0\n"))
    assert part["n"] == 2
    assert part["numbers"]["brier"]["value"] == pytest.approx((0.01 + 0.0625) / 2, abs=1e-12)


# percent-input
@pytest.mark.parametrize(("cell", "value"), [("84%", 0.84), ("0.84", 0.84)])
def test_a_percent_sign_is_understood(check, cell, value):
    part = numbers(check(f"p,y\n{cell},1\n{cell},0\n"))
    assert part["numbers"]["mean_probability"]["value"] == pytest.approx(value, abs=1e-12)


# percent-input: one value above 1 must not change the others
def test_a_plain_84_is_not_taken_for_a_share(check):
    part = numbers(check("p,y\n0.84,1\n84,1\n0.2,0\n"))
    assert part["n"] == 2
    assert part["left_out"][0]["first"] == [2]


# csv-na-label: only an empty cell is missing
def test_an_option_called_na_is_an_option(check):
    part = numbers(check("p_NA,p_yes,p_no,label\n0.7,0.2,0.1,NA\n0.1,0.8,0.1,yes\n"))
    assert part["n"] == 2
    assert part["numbers"]["accuracy"]["value"] == 1.0


# csv-label-probs-orientation
@pytest.mark.parametrize("words", [("1", "0"), ("1.0", "0.0"), ("True", "False"), ("true", "false")])
def test_labels_are_compared_by_what_they_mean(check, words):
    yes, no = words
    part = numbers(check(f"prob,outcome\n0.2,{no}\n0.8,{yes}\n0.6,{yes}\n0.4,{no}\n"))
    assert part["numbers"]["accuracy"]["value"] == 1.0
    assert part["numbers"]["log_loss"]["value"] == pytest.approx(0.36698458754, abs=1e-9)


# csv-id-join
def test_ids_that_do_not_match_are_counted(check, tmp_path):
    truth = tmp_path / "truth.csv"
    truth.write_text("id,outcome\nb,1\nc,1\n", encoding="utf-8")
    part = numbers(check("id,p\na,0.3\nb,0.9\n", "--truth", str(truth)))
    assert part["n"] == 1
    assert part["numbers"]["brier"]["value"] == pytest.approx(0.01, abs=1e-12)
    assert part["left_out"][0]["rows"] == 1


# negative-logits
def test_logits_become_probabilities_by_a_softmax(check):
    part = numbers(check("p_a,p_b,p_c,label\n2.0,-1.0,0.0,a\n", "--logits"))
    assert part["numbers"]["mean_confidence"]["value"] == pytest.approx(0.843794734481, abs=1e-10)


# batch-invariance
def test_two_batches_are_one(check, run, tmp_path):
    text = "p,y\n0.2,0\n0.9,1\n-3.0,0\n4.0,1\n"
    whole = numbers(check(text, "--logits"))
    assert whole["numbers"]["event_ece"]["value"] == pytest.approx(0.226074144457, abs=1e-10)
    head, *rows = text.splitlines()
    for place, batch in enumerate((rows[:2], rows[2:])):
        (tmp_path / f"{place}.csv").write_text("\n".join([head, *batch]) + "\n", encoding="utf-8")
    paths = [str(tmp_path / f"{place}.csv") for place in range(2)]
    assert numbers(run(*paths, "--logits"))["numbers"]["event_ece"] == whole["numbers"]["event_ece"]


# csv-ordinal-order
def test_levels_are_ordered_as_said(check):
    text = "p_low,p_medium,p_high,label\n0.2,0.3,0.5,high\n"
    part = numbers(check(text, "--levels", "low,medium,high"))
    assert part["numbers"]["rps"]["value"] == pytest.approx(0.29, abs=1e-12)
    assert part["numbers"]["rps"]["unit_scale"] == pytest.approx(0.145, abs=1e-12)


# argmax-tie
def test_tied_top_options_are_counted(check):
    part = numbers(check("p_a,p_b,p_c,label\n0.5,0.5,0.0,b\n"))
    assert part["numbers"]["accuracy"]["value"] == 0.0
    assert part["numbers"]["accuracy"]["tied_rows"] == 1


# llm-gate-slices
def test_a_gate_fails_by_slice(check):
    text = "p,y,kind\n0.9,1,route\n0.8,0,route\n0.6,1,judge\n"
    code, out, _ = check(text, "--by", "kind", "--fail-if", "brier > 0.25")
    assert code == 1
    found = {part["by"]["kind"]: part["numbers"]["brier"]["value"] for part in json.loads(out)["slices"]}
    assert found == pytest.approx({"route": 0.325, "judge": 0.16}, abs=1e-12)


# llm-silent-skip: a gate on a number that was not computed does not pass
@pytest.mark.parametrize("rule", ["ece_10_bin > 0.1", "log_loss > 0.1", "brier_skill < 0"])
def test_a_gate_on_a_missing_number_does_not_pass(check, rule):
    assert check("p,y\n0,1\n1,1\n", "--fail-if", rule)[0] != 0


# extra-dependency-import
def test_the_import_needs_numpy_alone():
    code = "import sys, calibrant; assert not {'scipy', 'duckdb', 'pandas', 'torch'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
