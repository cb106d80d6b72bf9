"""Trajectories whose scores are known, on one question with the options that PHREEQC gave it.

To what every question with letters has (`common.choice_fixtures`), this adds where the chain broke.
"""

from __future__ import annotations

from typing import Any

from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Fixture
from labrig_suites.common.choice_fixtures import (
    FAILED_RUN,
    NO_TOOLS,
    RUN,
    WRITE_INPUT,
    choice_fixtures,
    commit,
    played,
)
from labrig_suites.phreeqc_mcq.items import LETTERS, NAME, VERSION, prompt
from labrig_suites.phreeqc_mcq.scenario import FIELD, Scene
from labrig_suites.phreeqc_mcq.stems import of_module

NUMBERS = {"temp": 11, "log_p": -2.5, "salt": 40}
STATES = {"system": "closed", "mineral": "Calcite", "salt": "fresh", FIELD: "free-calcium"}
ANSWER = "B"
OPTIONS: dict[str, tuple[float, dict[str, str]]] = {
    "A": (0.25223231536248564, {FIELD: "calcium", "salt": "salty"}),
    "B": (0.20191706941900237, {}),
    "C": (0.20750175707278745, {FIELD: "calcium"}),
    "D": (0.24671712119935327, {"salt": "salty"}),
}
"""By letter the value, as the engine computes it, and the switches that are missed, with the states modelled."""


def sample() -> Sample:
    """Return the question, made without the engine."""
    stem = next(each for each in of_module("carbonate") if each.name == "soil-water-on-carbonate-rock")
    scene = Scene(stem, NUMBERS, STATES)
    switches = {each.name: each for each in stem.switches_of(scene.quantity.name)}
    options: dict[str, dict[str, Any]] = {}
    for letter, (value, states) in OPTIONS.items():
        modelled, missed = scene, []
        for name, state in states.items():
            modelled = modelled.missing(name, state)
            mistake = switches[name].mistakes[state]
            missed.append({"switch": name, "state": state, "kind": switches[name].kind, "diagnosis": mistake})
        options[letter] = {
            "value": value,
            "diagnosis": "; and ".join(each["diagnosis"] for each in missed),
            "missed": missed,
            "input": modelled.build,
        }
    texts = {letter: scene.quantity.show(value) for letter, (value, _) in OPTIONS.items()}
    truth = {
        "answer": ANSWER,
        "value": OPTIONS[ANSWER][0],
        "unit": scene.quantity.unit,
        "options": options,
        "stem": stem.name,
        "numbers": NUMBERS,
        "states": STATES,
        "state": scene.state,
        "database": scene.database,
    }
    labels = {"stem": stem.name, "topic": stem.topic, "quantity": scene.quantity.name}
    brief = SampleInput("fixture", prompt(scene.statement, texts), choices=LETTERS)
    return Sample(NAME, VERSION, brief, truth, labels)


def fixtures() -> list[Fixture]:
    """Return the fixtures."""
    asked = sample()

    def broken(about: str, calls: tuple[Any, ...], text: str | None, place: str, **arm: Any) -> Fixture:
        scored = float(text == ANSWER)
        strict = scored if RUN in calls or arm else 0.0
        return Fixture(
            asked, played(asked, calls, text, **arm), strict, scored, facts={"break": place}, about=about
        )

    def ran(text: str) -> tuple[Any, ...]:
        return WRITE_INPUT, RUN, commit(text)

    return [
        *choice_fixtures(asked, wrong="D"),
        broken("a right letter: nothing broke", ran("B"), "B", ""),
        broken("the right model, the wrong field", ran("C"), "C", "navigation"),
        broken("a switch of the model missed", ran("D"), "D", "input"),
        broken("both missed", ran("A"), "A", "input"),
        broken("a run, and nothing committed", (WRITE_INPUT, RUN), None, "unknown"),
        broken("every run failed", (WRITE_INPUT, FAILED_RUN, commit("C")), "C", "execution"),
        broken("no run tried", (commit("C"),), "C", "input"),
        broken("no tools, no chain", (), "C", "", arm=NO_TOOLS),
    ]
