"""The arms of the race: the paper's budget, its public code's, our own tools, and no tools at all."""

from __future__ import annotations

import math

from labrig.toolbox import ServeOptions
from labrig_harness.channels import Channel
from labrig_harness.sample import Sample
from labrig_harness.suite import Arm
from labrig_suites.amazing_race.legs import Leg, leg_of

ANSWER_FILE = "answer.txt"
CLUES = """\
Follow the clues with the tools you have; each clue asks for one value. The last clue says how to combine values into \
a single digit from 0 to 9. Reduce each value to its whole part before you combine it.\
"""
DIGIT = f"{CLUES} Write the digit and nothing else to the file {ANSWER_FILE} with write_file."
NUMBER = f"""\
{CLUES} Write two lines to the file {ANSWER_FILE} with write_file: first the digit, then the whole number from which \
the last step makes the digit.
"""
DIRECT = """\
You have no tools: answer from what you know. The last clue says how to combine values into a single digit from 0 to \
9. Return a JSON object with the keys "code" (the digit) and "number" (the whole number from which the last step makes \
the digit), as in {"code": 4, "number": 2004}.
"""
RESULT_CHARS = 8000
"""Characters of a result that an agent of the paper is given (section 5)."""
WALL_S = 600.0
"""Seconds a leg may take, whatever its level (section 5)."""
FEWEST = 10


def paper_steps(leg: Leg) -> int:
    """Return the paper's step budget: max(10, floor(1.5 K)) for K stops (section 3.1)."""
    return max(FEWEST, math.floor(1.5 * len(leg.stops)))


def code_steps(leg: Leg) -> int:
    """Return the public code's step budget: max(10, ceil(3 K))."""
    return max(FEWEST, 3 * len(leg.stops))


def _as_paper(sample: Sample) -> dict[str, float]:
    return {"max_steps": paper_steps(leg_of(sample))}


def _as_code(sample: Sample) -> dict[str, float]:
    return {"max_steps": code_steps(leg_of(sample))}


WORLD = "twin-1"
"""The fictional world in which legs of ours are run: nobody has read about it. Published legs need the Earth, and live
services: ``--server-set world=earth --server-set backend=google --server-set wiki=live``."""
_WORLD = {"world": WORLD}
_PAPER = ServeOptions(toolsets=("paper", "files"), settings=_WORLD)
_NEEDS = ("sandbox",)
_FILE = Channel("file", ANSWER_FILE)

ARMS = (
    Arm(
        *("agent-paper", "atlas", _PAPER, DIGIT, _FILE),
        wall_s=WALL_S,
        result_chars=RESULT_CHARS,
        limits_of=_as_paper,
        needs=_NEEDS,
        about="the paper's 19 tools and budget: max(10, floor(1.5 K)) steps, 600 s, results cut at 8,000 characters",
    ),
    Arm(
        *("agent-code", "atlas", _PAPER, DIGIT, _FILE),
        wall_s=WALL_S,
        result_chars=RESULT_CHARS,
        limits_of=_as_code,
        needs=_NEEDS,
        about="the same with the public code's budget: max(10, ceil(3 K)) steps",
    ),
    Arm(
        *(
            "agent-default",
            "atlas",
            ServeOptions(toolsets=("default", "files"), settings=_WORLD),
            NUMBER,
            _FILE,
        ),
        needs=_NEEDS,
        max_steps=120,
        wall_s=1800.0,
        about="our own tools; the number behind the digit is asked for as well",
    ),
    Arm(
        "direct",
        instructions=DIRECT,
        channel=Channel("json"),
        max_steps=1,
        about="no tools: what memory and guessing achieve",
    ),
)
