"""The layouts that published files have, imitated by hand: what a plain command reads from each."""

from __future__ import annotations

import pytest

from calibrant.loading import load_data

LAYOUTS = {
    "a game a line, ties as one half": (
        (
            "season,team1,team2,prob1,prob1_outcome,prob2,prob2_outcome\n"
            "2021,Owls,Cats,0.31506042899461806,0,0.6849395710053819,1\n"
            "2021,Dogs,Owls,0.5,0.5,0.5,0.5\n2021,Cats,Dogs,0.75,1,0.25,0\n"
        ),
        {"prob": "prob1", "outcome": "prob1_outcome"},
        {(): ("yes_no", 2, [0.31506042899461806, 0.75])},
        {"outcome is not 0 or 1": (2,)},
    ),
    "three outcomes in pairs of columns": (
        (
            "team1,prob1,prob1_outcome,probtie,probtie_outcome,prob2,prob2_outcome\n"
            "Owls,0.5,1,0.25,0,0.25,0\nCats,0.125,0,0,0,0.875,1\nDogs,0.5,1,0.25,1,0.25,0\n"
        ),
        {"prob": ["prob1", "probtie", "prob2"]},
        {(): ("choice", 2, [0.5, 0.875])},
        {"outcomes do not mark exactly one option": (3,)},
    ),
    "several versions of one model, points without a zero": (
        (
            "race,version,Democrat_WinProbability,Democrat_Won\n"
            "AK,classic,.31095999,0\nAK,lite,.00062000001,0\nAL,classic,1,1\n"
        ),
        {"prob": "Democrat_WinProbability", "outcome": "Democrat_Won", "by": "version"},
        {("classic",): ("yes_no", 2, [0.31095999, 1.0]), ("lite",): ("yes_no", 1, [0.00062000001])},
        {},
    ),
    "forecasters side by side, quoted names, NA and error codes": (
        (
            '"VALID_DATE","AMOS","ASAP","MCSTAT","rlz.C1"\n'
            "2016-01-01,0.166,NA,0.24,1\n2016-01-02,0.3205,NA,-0.01,0\n2016-01-03,NA,NA,0.5,0\n"
        ),
        {"prob": "MCSTAT", "outcome": "rlz.C1", "na": "-0.01"},
        {(): ("yes_no", 2, [0.24, 0.5])},
        {"probability is missing": (2,)},
    ),
    "a column that is empty throughout": (
        '"VALID_DATE","AMOS","ASAP","rlz.C1"\n2016-01-01,0.166,NA,1\n2016-01-02,0.3205,NA,0\n',
        {"prob": "ASAP", "outcome": "rlz.C1"},
        {(): ("yes_no", 0, [])},
        {"probability is missing": (1, 2)},
    ),
    "an image classifier's labels and confidence, with carriage returns": (
        "true_label,pred_label,confidence\r\n3,3,1.0\r\n8,5,0.5123500227928162\r\n8,8,0.5123500227928162\r\n",
        {},
        {(): ("answer", 3, [0.5123500227928162, 1.0])},
        {},
    ),
    "no header, labels −1 and 1 before the probability": (
        "-1,0\n-1,0.08\n1,0.46\n",
        {"prob": "2", "outcome": "1", "yes": "1", "no": "-1"},
        {(): ("yes_no", 3, [0.0, 0.08, 0.46])},
        {},
    ),
    "two arms of one experiment": (
        (
            "run,arm,item_id,class,n_options,correct,top1_confidence\n"
            "r,A,S-0,S,20,0,0.25\nr,B,S-0,S,20,1,0.21000000000000002\n"
        ),
        {"by": ["arm", "class"]},
        {("A", "S"): ("answer", 1, [0.25]), ("B", "S"): ("answer", 1, [0.21000000000000002])},
        {},
    ),
    "percentages per party, umlauts, columns without a name": (
        (
            "Mandat,SPD,GRÜNE,FDP,,,Kreis,Sieger\n"
            '"Habeck, R.",40,59,1,,,1 Flensburg – Schleswig,GRÜNE\nX,20,30,50,,,2,spd\nY,20,30,30,,,3,FDP\n'
        ),
        {"prob": ["SPD", "GRÜNE", "FDP"], "outcome": "Sieger", "percent": True},
        {(): ("choice", 2, [0.5, 0.59])},
        {"probabilities do not add up to 1": (3,)},
    ),
    "an official export: mark, preamble, semicolons, decimal commas": (
        (
            "\ufeff(c) Amt 2025;;;\nStand:;24.02.2025;04:08;\n;;;\nGebiet;Anteil;Prognose;Eingetreten\n"
            "Nord;82,537307;0,25;1\nSüd;76,1;0,5;0\n"
        ),
        {"skip": 3, "prob": "Prognose", "outcome": "Eingetreten"},
        {(): ("yes_no", 2, [0.25, 0.5])},
        {},
    ),
    "live updates with many rows of a state": (
        (
            "state,forecast_date,share,probwin,probwin_outcome\n"
            "AK,2016-11-08 16:00:00 -0500,,0.764,1\nAK,2016-11-08 17:00:00 -0500,,1,1\n"
            "AL,2016-11-08 16:00:00 -0500,,0,0\n"
        ),
        {"prob": "probwin", "outcome": "probwin_outcome", "cluster": "state"},
        {(): ("yes_no", 3, [0.0, 0.764, 1.0])},
        {},
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout(name, tmp_path):
    text, options, slices, gone = LAYOUTS[name]
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode())
    found = load_data(path, **options).tally
    seen = {}
    for part in found.slices:
        view = part.views["event" if part.kind == "yes_no" else "top"]
        seen[tuple(part.by.values())] = (part.kind, part.n, view.prob.tolist())
    assert seen == slices
    assert {reason: rows.first for part in found.slices for reason, rows in part.left_out.items()} == gone
    assert not found.left_out
