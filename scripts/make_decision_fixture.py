"""Make the decision-model fixture: items with labels by rule, and a real model's answers to them.

    python scripts/make_decision_fixture.py items            renew examples/decisions/items.jsonl
    python scripts/make_decision_fixture.py log OUT.jsonl    ask the live model (sparrow-decider 0.2.0), write a log
    python scripts/make_decision_fixture.py fixture          renew tests/fixtures/decisions/sparrow.jsonl.gz

Every message is put together from parts whose meaning is known, so that its labels follow by rule:
  refund   yes if the wish asks for money back
  angry    yes if the closing is an angry one
  team     the team of the problem
  urgency  0 if the deadline is open, 1 if it is this week, 2 if it is today
"""

from __future__ import annotations

import gzip
import importlib
import json
import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).parents[1]
QUESTIONS = ROOT / "examples" / "decisions" / "questions.json"
ITEMS = ROOT / "examples" / "decisions" / "items.jsonl"
FIXTURE = ROOT / "tests" / "fixtures" / "decisions" / "sparrow.jsonl.gz"
SEED, COUNT = 20261201, 240
ASKED = "jev-latest"
"""The model asked for; the server answers with its own, as a gateway does when a name is an alias."""
START = datetime(2026, 11, 1, tzinfo=UTC)

PROBLEMS = {
    "payments": (
        "I was charged twice for order {order}.",
        "My invoice for order {order} shows the wrong amount.",
        "You took {amount} euros from my card and I do not know why.",
        "The discount was not taken off order {order}.",
    ),
    "shipping": (
        "My parcel {order} has not arrived.",
        "The tracking page for {order} has said the same thing for a week.",
        "Order {order} went to my old address.",
        "The box of order {order} came open and half of it was missing.",
    ),
    "technical": (
        "The app crashes when I open order {order}.",
        "I cannot log in since the update.",
        "Your page shows error 500 when I pay.",
        "The export button does nothing in my browser.",
    ),
    "sales": (
        "I would like to know what the large plan costs for {amount} people.",
        "Which plan has the reports that we saw in the demo?",
        "Can we move from monthly to yearly payment?",
        "We think about an upgrade and have a question about seats.",
    ),
}
WISHES = {
    True: (
        "Please give me my money back.",
        "I want a refund.",
        "Please reverse the charge.",
        "Return the {amount} euros to my card.",
    ),
    False: (
        "Please tell me what to do.",
        "Please look into it.",
        "Can somebody explain this to me?",
        "Please put it right.",
    ),
}
DEADLINES = (
    ("There is no hurry.", "Whenever you have time.", "It can wait until next month."),
    ("I need it by the end of the week.", "Please answer within a few days.", "We meet on Friday and need it by then."),
    ("I need it today.", "This has to be solved within the hour.", "Our shop stands still until this works."),
)
CLOSINGS = {
    True: (
        "This is a disgrace.",
        "I am furious and will tell everybody.",
        "You are the worst company I know.",
        "I have had enough of you!",
    ),
    False: ("Thank you.", "Best regards.", "Many thanks for your help.", "Have a good day."),
}
GREETINGS = ("Hello,", "Dear team,", "Hi,", "Good morning,")


def make_items() -> list[dict[str, object]]:
    """All items, the same for every run."""
    rng = random.Random(SEED)  # noqa: S311
    items: list[dict[str, object]] = []
    for number in range(1, COUNT + 1):
        team = rng.choice(list(PROBLEMS))
        refund = team in ("payments", "shipping") and rng.random() < 0.6
        angry, urgency = rng.random() < 0.35, rng.randrange(3)
        parts = (GREETINGS, PROBLEMS[team], WISHES[refund], DEADLINES[urgency], CLOSINGS[angry])
        values = {"order": rng.randrange(1000, 9999), "amount": rng.randrange(5, 250)}
        state = " ".join(rng.choice(part) for part in parts).format(**values)
        labels = {"refund": refund, "angry": angry, "team": team, "urgency": urgency}
        items.append({"id": f"msg-{number:03d}", "state": state, "labels": labels})
    return items


def make_log() -> list[str]:
    """One line for each item: the request, the live model's response and the labels."""
    try:
        sparrow_decider = importlib.import_module("sparrow_decider")
    except ImportError:
        sys.exit("The live model is missing: pip install sparrow-decider==0.2.0 (3.3 MB, weights inside).")
    model = sparrow_decider.Decider.load()
    questions = json.loads(QUESTIONS.read_text("utf-8"))
    lines = []
    for place, item in enumerate(map(json.loads, ITEMS.read_text("utf-8").splitlines())):
        record = {
            "id": item["id"],
            "ts": (START + timedelta(minutes=10 * place)).isoformat().replace("+00:00", "Z"),
            "request": {"model": ASKED, "state": item["state"], "questions": questions},
            "response": {"model": model.name, "answers": model.ask(item["state"], questions)},
            "labels": item["labels"],
        }
        lines.append(json.dumps(record, ensure_ascii=False))
    return lines


def main(arguments: list[str]) -> None:
    """Do what the first argument says."""
    match arguments:
        case ["items"]:
            ITEMS.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in make_items()), "utf-8")
        case ["log", out]:
            Path(out).write_text("".join(line + "\n" for line in make_log()), "utf-8")
            print(f"{out}: {COUNT} requests, 4 questions each. Read it with: calibrant check {out}")
        case ["fixture"]:
            data = "".join(line + "\n" for line in make_log()).encode()
            FIXTURE.parent.mkdir(parents=True, exist_ok=True)
            FIXTURE.write_bytes(gzip.compress(data, 9, mtime=0))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
