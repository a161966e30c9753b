"""Calibration files, exports, applying, and the command."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import calibrant as cb
from calibrant.cli.recalibrate import command
from calibrant.recalibration.methods import METHODS, fit_map
from calibrant.recalibration.repair import Repair

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "calibration-1.json").read_text("utf-8"))


def rows(count=1500, seed=3, temperature=2.0):
    rng = np.random.default_rng(seed)
    z = rng.normal(0, 1.5, count)
    prob = (1 / (1 + np.exp(-temperature * z))).round(3)
    return prob, (rng.random(count) < 1 / (1 + np.exp(-z))).astype(int)


def several(count=300, seed=4):
    rng = np.random.default_rng(seed)
    z = rng.normal(0, 1.5, (count, 3))
    said, true = (np.exp(part) / np.exp(part).sum(axis=1, keepdims=True) for part in (2 * z, z))
    return said, (rng.random(count)[:, None] > true.cumsum(axis=1)).sum(axis=1).clip(max=2)


def fitted(method):
    if METHODS[method].kinds[0] == "yes_no":
        return cb.recalibrate(*rows(), method=method)
    kind = METHODS[method].kinds[0]
    return cb.recalibrate(*several(), method=method, kind=kind)


@pytest.mark.parametrize("method", METHODS)
def test_a_file_is_valid_and_gives_the_same_map_back(method, tmp_path):
    found = fitted(method)
    text = found.to_json(tmp_path / "c.json")
    jsonschema.validate(json.loads(text), SCHEMA)
    again = cb.Recalibrator.from_json(tmp_path / "c.json")
    prob = np.linspace(0, 1, 21) if found.repairs[0].option_count == 2 else several(5)[0]
    assert again.transform(prob, force=True).tolist() == found.transform(prob, force=True).tolist()
    assert again.verdict == found.verdict


@pytest.mark.parametrize("method", [*METHODS, "isotonic_choice", "temperature_choice"])
def test_exports_compute_the_same(method, tmp_path):
    base, _, _ = method.partition("_choice") if method.endswith("_choice") else (method, "", "")
    binary = METHODS[base].kinds[0] == "yes_no" and not method.endswith("_choice")
    found = cb.recalibrate(*(rows() if binary else several()), method=base, kind="score" if base == "levels" else None)
    prob = np.concatenate([[0.0, 1.0], rows(20)[0]]) if binary else several(20)[0]
    expected = found.transform(prob, force=True)
    space: dict = {}
    exec(found.export("python"), space)
    ours = np.array([space["calibrate"](value) for value in prob.tolist()])
    assert ours == pytest.approx(expected, abs=1e-12)
    node = shutil.which("node")
    if node:
        script = tmp_path / "c.mjs"
        script.write_text(
            found.export("javascript") + f"\nconsole.log(JSON.stringify({json.dumps(prob.tolist())}.map(calibrate)));\n"
        )
        out = subprocess.run([node, script], capture_output=True, text=True, check=True).stdout
        assert np.array(json.loads(out)) == pytest.approx(expected, abs=1e-12)


def test_temperatures_for_llama_cpp():
    prob, outcome = rows()
    sample = cb.recalibrate(prob, outcome, method="temperature").repairs[0]
    three = cb.recalibrate(*several(), method="temperature").repairs[0]
    keys = json.loads(cb.Recalibrator((sample, three), "temperature").export("llama.cpp"))
    assert list(keys) == ["choice.3_5", "noul.2"]
    assert keys["noul.2"] == pytest.approx(sample.fitted.params["T"])
    with pytest.raises(cb.InputError, match="temperatures only"):
        cb.recalibrate(prob, outcome, method="beta").export("llama.cpp")


def test_another_model_question_or_number_of_options_is_refused():
    data = {"question": ["a"] * 750 + ["b"] * 750, "p": rows()[0], "outcome": rows()[1]}
    found = cb.recalibrate(data, by="question", method="temperature", model="jev-1.13.0")
    assert found.transform([0.9], model="jev-1.13.0", question="a")[0] < 0.9
    with pytest.raises(cb.InputError, match="no calibration for this exact model"):
        found.transform([0.9], model="jev-1.14.0", question="a")
    with pytest.raises(cb.InputError, match="no calibration for this exact model"):
        found.transform([0.9], question="a")
    with pytest.raises(cb.InputError, match="no calibration for this exact model"):
        found.transform([0.9], model="jev-1.13.0", question="c")
    three = cb.recalibrate(*several(), method="temperature")
    with pytest.raises(cb.InputError, match="3 options, these have 4"):
        three.transform([[0.25] * 4])
    with pytest.raises(cb.InputError, match="another"):
        three.transform([0.5])


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[1]",
        "nonsense",
        '{"schema": "calibrant.calibration/9", "calibrations": []}',
        '{"schema": "calibrant.calibration/1", "calibrations": [{"for": {}}]}',
        (
            '{"schema": "calibrant.calibration/1", "calibrations": [{"for": {}, "kind": "yes_no", "options": [],'
            ' "option_count": 2, "method": "magic", "parameters": {}, "fitted_on": {"rows": 1}, "verdict": "helps"}]}'
        ),
        (
            '{"schema": "calibrant.calibration/1", "calibrations": [{"for": {}, "kind": "yes_no", "options": [],'
            ' "option_count": 2, "method": "isotonic", "parameters": {"low": [0], "value": [7]},'
            ' "fitted_on": {"rows": 1}, "verdict": "helps"}]}'
        ),
    ],
)
def test_damaged_files_get_a_sentence(text, tmp_path):
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(cb.CalibrantError):
        cb.Recalibrator.from_json(path)


def test_fit_apply_and_export_on_the_command_line(tmp_path):
    prob, outcome = rows()
    table = tmp_path / "rows.csv"
    lines = [f"{p},{y},=x{k}" for k, (p, y) in enumerate(zip(prob, outcome, strict=True))]
    table.write_text("p,outcome,note\n" + "\n".join(lines) + "\nbroken,1,z\n")
    file, repaired = tmp_path / "c.json", tmp_path / "new.csv"
    run = CliRunner()
    done = run.invoke(command, ["fit", str(table), "-o", str(file), "--method", "temperature"], catch_exceptions=False)
    assert done.exit_code == 0
    assert done.output.startswith("Recalibration helps")
    done = run.invoke(command, ["apply", str(file), str(table), "-o", str(repaired)], catch_exceptions=False)
    assert done.exit_code == 0
    assert "1 rows without a usable probability" in done.output
    head, first, *_, last = repaired.read_text().splitlines()
    assert head == "p,outcome,note,calibrated"
    assert first.split(",")[2] == "'=x0"
    expected = cb.Recalibrator.from_json(file).transform([float(prob[0])])[0]
    assert float(first.split(",")[3]) == pytest.approx(expected, abs=1e-15)
    assert last == "broken,1,z,"
    done = run.invoke(command, ["export", str(file)], catch_exceptions=False)
    assert "def calibrate(p):" in done.output


def test_split_columns_on_the_command_line(tmp_path):
    prob, outcome = rows()
    table = tmp_path / "rows.csv"
    split = ["train", "test"]
    lines = [f"{p},{y},{split[k % 2]}" for k, (p, y) in enumerate(zip(prob, outcome, strict=True))]
    table.write_text("p,outcome,split\n" + "\n".join(lines))
    done = CliRunner().invoke(
        command,
        ["fit", str(table), "--fit-on", "split=train", "--judge-on", "split=test", "--format", "json"],
        catch_exceptions=False,
    )
    found = json.loads(done.output)["calibrations"][0]
    assert found["fitted_on"]["rows"] == found["judged_on"]["rows"] == 750
    assert found["judged_on"]["how"] == "other rows"


def test_a_map_left_out_of_use_says_so(tmp_path):
    rng = np.random.default_rng(0)
    prob = rng.random(200)
    found = cb.recalibrate(prob, rng.random(200) < prob, method="temperature")
    assert found.verdict != "helps"
    path, table = tmp_path / "c.json", tmp_path / "t.csv"
    found.to_json(path)
    table.write_text("p\n0.9\n")
    done = CliRunner().invoke(command, ["apply", str(path), str(table)], catch_exceptions=False)
    assert "0.9,0.9" in done.output
    assert "Left as they are" in done.output
    done = CliRunner().invoke(command, ["apply", str(path), str(table), "--force"], catch_exceptions=False)
    assert "by force" in done.output


def test_the_first_screen_fits():
    for found in (fitted("temperature"), fitted("vector"), fitted("levels")):
        lines = str(found).splitlines()
        assert len(lines) <= 30
        assert max(map(len, lines)) <= 80


def test_methods_of_the_command_are_those_there_are():
    option = next(part for part in command.commands["fit"].params if part.name == "method")
    assert set(option.type.choices) == {"auto", *METHODS}


def test_venn_abers_keeps_its_interval():
    found = cb.recalibrate(*rows(), method="venn_abers")
    low, high = found.interval([0.1, 0.5])
    assert (low <= high).all()
    with pytest.raises(cb.InputError, match="no interval"):
        cb.recalibrate(*rows(), method="beta").interval([0.5])


def test_repairs_refuse_other_options():
    sample = cb.recalibrate(*several(), method="temperature", options=["a", "b", "c"]).repairs[0]
    assert isinstance(sample, Repair)
    assert sample.refusal("choice", ["a", "b", "d"], 3) is not None
    assert sample.refusal("choice", ["a", "b", "c"], 3) is None
    assert fit_map("none", None).method == "none"
