"""Trajectories on one leg whose scores are known."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Fixture
from labrig_suites.amazing_race import simulated
from labrig_suites.amazing_race.items import sample_of
from labrig_suites.amazing_race.legs import leg_of


def sample() -> Sample:
    """Return the leg of ``fixture_leg.json``: nine stops, a diamond, a detour, on pages that nobody has."""
    fields = json.loads(files(__package__).joinpath("fixture_leg.json").read_text(encoding="utf-8"))
    return sample_of(fields, "fixture-leg", {"source": "fixture"})


def fixtures() -> list[Fixture]:
    """Return what the scorer is tried with."""
    race = sample()
    leg = leg_of(race)
    right, calls = simulated.right_answer(race), simulated.perfect(leg)
    digit, wrong = str(leg.passcode), str((leg.passcode + 1) % 10)

    def tried(
        about: str, text: str | None, strict: float, compat: float, *, by: str = "perfect", arm: str = "agent-default",
        refused: bool = False, **facts: Any,
    ) -> Fixture:  # fmt: skip
        made = simulated.BEHAVIOURS[by](leg)
        return Fixture(race, simulated.ran(race, made, text, arm), strict, compat, refused, facts, about)

    return [
        tried("all of it", right, 1, 1, pvr=1.0, rcr=1.0, pvr_verify=1.0, pvr_evaluate=1.0, rcr_evaluate=1.0),
        tried("the digit alone where the number is asked for", digit, 0, 1, number=None, digit_right=True),
        tried("the digit alone where the paper asks for it", digit, 1, 1, arm="agent-paper"),
        tried("the digit with another number", f"{digit}\n{(leg.number or 0) + 10}", 0, 1),
        tried("the number with a comma, the digit with its label", f"Code: {digit}\n{leg.number:,}", 1, 0),
        tried("both as JSON", json.dumps({"code": leg.passcode, "number": leg.number}), 1, 1),
        tried("another digit", f"{wrong}\n{leg.number}", 0, 0, digit_right=False, answered=True),
        tried(
            "a sentence", f"The code is probably {digit}.", 0, 0, refused=True, answered=False, committed=True
        ),
        tried("two digits", "42", 0, 0, refused=True, answered=False),
        tried("nothing committed", None, 0, 0, answered=False, committed=False),
        tried("pages by another spelling", right, 1, 1, by="another spelling", pvr=1.0, pvr_evaluate=0.0),
        tried("a shortcut", right, 1, 1, by="shortcut", pvr=0.0, pvr_verify=0.0, rcr=1.0),
        tried("calls in the wrong order", right, 1, 1, by="wrong order", rcr=0.5, rcr_evaluate=1.0),
        tried(
            "tools asked about something else", right, 1, 1, by="wrong arguments", rcr=0.0, rcr_evaluate=1.0
        ),
        tried("other pages", right, 1, 1, by="wrong page", pvr=0.0, pvr_verify=0.0),
        tried(
            "calls that failed", right, 1, 1, by="failed", pvr=0.0, pvr_verify=1.0, rcr=0.0, rcr_evaluate=1.0
        ),
        tried("a forged log", right, 1, 1, by="forged", pvr=0.0, pvr_verify=0.0, rcr_evaluate=0.0, calls=0),
        Fixture(race, simulated.ran(race, calls[:1], right), 1, 1, facts={"calls": 1}, about="one call"),
    ]
