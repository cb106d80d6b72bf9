"""science-gym: what a record becomes as a score."""

from __future__ import annotations

from dataclasses import replace

import pytest

from labrig_harness.sample import Sample, SampleInput
from labrig_harness.trajectory import Step, Submission, Tokens, ToolCall, Trajectory
from labrig_suites.science_gym import grading
from labrig_suites.science_gym.question import EXPECTED, Expected
from labrig_suites.science_gym.score import VERSION, score


def item(expected: Expected) -> Sample:
    labels = {"category": "file metadata", "type": "count-rows", "style": "note", "question": "q"}
    truth = {"expected": EXPECTED.dump_python(expected, mode="json"), "query": {}}
    return Sample("science-gym", "1", SampleInput("item", "?"), truth, labels)


ROWS = item(Expected("integer", "163"))
NONE = item(Expected("impossible", "not possible", reason="missing file"))
CALLS = (
    ToolCall("list_directory", {}, 0, is_error=False),
    ToolCall("run_python_code", {}, 1, is_error=True),
    ToolCall("run_python_code", {}, -1, is_error=True, fault="not_json"),
    ToolCall("run_python_code", {}, 2, is_error=False),
)


def record(message: str, submission: str | None) -> Trajectory:
    """Return a record of three turns that ends with a message, after which the program said nothing more."""
    return Trajectory(
        *("item", "science-gym", "tester", "agent-paper", 2, 0),
        steps=(
            Step(0, text='Reply {"answer": "163"}', source="user"),
            Step(1, calls=CALLS, tokens=Tokens(700, 200, 100, 40, measured=True)),
            Step(2, text=message, tokens=Tokens(300, 0, 0, 60, measured=True)),
            Step(3, text=" ", tokens=Tokens(measured=True)),
        ),
        submission=None if submission is None else Submission(submission, 2),
        end="answered" if submission else "no_answer",
        model="model-1",
        meta={"duration_s": 4},
    )


def test_facts_are_those_of_the_record() -> None:
    scored = score(ROWS, record('So: {"answer": 163}', '{"answer": 163}'))
    assert (scored.strict, scored.compat, scored.answer, scored.epoch) == (1.0, 1.0, "163", 2)
    assert scored.facts == {
        "committed": True,
        "abstained": False,
        "abstained_compat": False,
        "impossible": False,
        "reason": "",
        "category": "file metadata",
        "type": "count-rows",
        "style": "note",
        "reads": "163",
        "reads_compat": "163",
        "end": "answered",
        "steps": 3,
        "calls": 4,
        "python_runs": 2,
        "tokens": {"input": 1300, "cached": 200, "output": 100},
        "model": "model-1",
        "wall_s": 4.0,
    }


@pytest.mark.parametrize(
    ("message", "strict", "compat"),
    [
        ("There are 163 rows.", 1.0, 1.0),
        ("Repository 23 has 163 rows.", 0.0, 0.0),
        ("163 rows in 3 files", 0.0, 1.0),
        ("", 0.0, 0.0),
    ],
)
def test_without_a_submission_the_last_message_is_graded_and_not_the_prompt(
    message: str, strict: float, compat: float
) -> None:
    scored = score(ROWS, record(message, None))
    assert (scored.strict, scored.compat, scored.facts["committed"]) == (strict, compat, False)


def test_abstention_is_a_fact_of_its_own() -> None:
    message = '{"answer": "It is not possible to be negative: 3"}'
    scored = score(NONE, record(message, message))
    assert (scored.strict, scored.compat) == (0.0, 1.0)
    assert (scored.facts["abstained"], scored.facts["abstained_compat"]) == (False, True)
    assert (scored.facts["impossible"], scored.facts["reason"]) == (True, "missing file")


def test_tokens_that_nobody_measured_are_unknown() -> None:
    plain = record("163", None)
    steps = (*plain.steps[:2], replace(plain.steps[2], tokens=Tokens()))
    assert score(ROWS, replace(plain, steps=steps)).facts["tokens"] is None


def test_nothing_said_is_wrong() -> None:
    scored = score(NONE, replace(record("", None), steps=(), end="model_error"))
    assert (scored.strict, scored.compat, scored.answer) == (0.0, 0.0, "")


def test_the_version_moves_with_the_graders() -> None:
    assert VERSION.endswith(f".{grading.VERSION}")
