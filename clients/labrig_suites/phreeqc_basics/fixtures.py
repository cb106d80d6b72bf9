"""Trajectories whose scores are known, on one question with the options that PHREEQC gave it."""

from __future__ import annotations

from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Fixture
from labrig_suites.common.choice_fixtures import choice_fixtures
from labrig_suites.phreeqc_basics.quantities import shown
from labrig_suites.phreeqc_basics.stems import stems
from labrig_suites.phreeqc_basics.tasks import NAME, VERSION
from labrig_suites.phreeqc_mcq.items import LETTERS, prompt

STEM, ANSWER = "seawater-calcite", "C"
OPTIONS = {
    "A": (0.682160682540025, "temperature left at 25 °C"),
    "B": (0.3797092615286619, "read aragonite for calcite"),
    "C": (0.5249910106980114, ""),
    "D": (-0.5428413775134064, "pH left at 7"),
}
"""By letter the value and its diagnosis, as the engine computes them."""


def sample() -> Sample:
    """Return the question, made without the engine."""
    stem = next(each for each in stems() if each.name == STEM)
    options = {letter: shown(stem.quantity, value) for letter, (value, _) in OPTIONS.items()}
    question = f"{stem.question}\n\nUse the thermodynamic database {stem.database}."
    truth = {
        "answer": ANSWER,
        "value": OPTIONS[ANSWER][0],
        "unit": stem.quantity,
        "options": {
            letter: {"value": value, "diagnosis": diagnosis, "also": []}
            for letter, (value, diagnosis) in OPTIONS.items()
        },
        "database": stem.database,
    }
    brief = SampleInput("fixture", prompt(question, options), choices=LETTERS)
    return Sample(NAME, VERSION, brief, truth, {"stem": stem.name, "quantity": stem.quantity})


def fixtures() -> list[Fixture]:
    """Return the fixtures; an option to which several mistakes lead names the first and counts the others."""
    asked = sample()
    made = choice_fixtures(asked, wrong="A")
    also = {**asked.truth["options"], "A": {**asked.truth["options"]["A"], "also": ["a", "b"]}}
    several = Sample(NAME, VERSION, asked.brief, {**asked.truth, "options": also}, asked.labels)
    (wrong,) = (each for each in made if each.about == "a run, then a wrong letter")
    said = f"{OPTIONS['A'][1]} (or one of 2 more)"
    return [
        *made,
        Fixture(
            several, wrong.trajectory, 0, 0, facts={"diagnosis": said}, about="several mistakes, one option"
        ),
    ]
