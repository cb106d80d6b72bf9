"""Right without evidence is told from right: by calls and the texts of their results."""

from __future__ import annotations

from typing import Any

import pytest

from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Score
from labrig_harness.trajectory import Step, ToolCall, Trajectory
from labrig_suites.science_gym.evidence import evidence
from labrig_suites.science_gym.tables import by_evidence

NUMBER = {"kind": "number", "value": "12.3456789012345678", "digits": 3}
COUNT = {"kind": "integer", "value": "503"}
NONE = {"kind": "impossible", "value": "not possible", "reason": "no unit"}
CODE = "run_python_code"
READING = {"code": "import pandas as pd\nprint(pd.read_csv('data/V001.csv').mean())"}


def sample(expected: dict[str, Any]) -> Sample:
    truth = {"answer": expected["value"], "expected": expected, "hard": {"kind": "summary"}}
    return Sample("science-gym", "3", SampleInput("one", "?"), truth, {"type": "hard-summary"})


def facts(expected: dict[str, Any], *calls: tuple[str, dict[str, Any], str, bool]) -> dict[str, Any]:
    made = [
        ToolCall(tool, given, n, failed, result=text) for n, (tool, given, text, failed) in enumerate(calls)
    ]
    run = Trajectory(
        *("one", "science-gym", "agent", "arm", 0, 0), (Step(0, calls=tuple(made)),), None, "completed"
    )
    return evidence(sample(expected), run, lambda call: call.result)


@pytest.mark.parametrize(
    ("expected", "calls", "opened", "printed"),
    [
        (NUMBER, [], False, False),
        (NUMBER, [(CODE, READING, "mean 12.3457", False)], True, True),
        (NUMBER, [(CODE, READING, "mean 12.9", False)], True, False),
        (NUMBER, [(CODE, {"code": "print(12.35)"}, "12.35", False)], False, True),
        (NUMBER, [(CODE, READING, "mean 12.3457", True)], False, False),
        (NUMBER, [("read_text_file", {"path": "data/V001.csv"}, "1,2", False)], True, False),
        (NUMBER, [("read_text_file", {"path": "README.md"}, "12.3", False)], False, True),
        (NUMBER, [(CODE, READING, "id 112.345 12.345.6", False)], True, False),
        (COUNT, [(CODE, READING, "503", False)], True, True),
        (COUNT, [(CODE, READING, "1503 and 5030", False)], True, False),
        (NONE, [(CODE, READING, "nothing", False)], True, None),
        (NONE, [], False, None),
    ],
)
def test_what_a_record_shows(
    expected: dict[str, Any], calls: list[Any], opened: bool, printed: bool | None
) -> None:
    assert facts(expected, *calls) == {"opened": opened, "printed": printed}


def test_the_table_counts_right_answers_alone() -> None:
    def score(strict: float, opened: bool, printed: bool | None) -> Score:
        return Score("t", "arm", "agent", 0, strict, strict, "", {"opened": opened, "printed": printed})

    found = [
        (1, True, True),
        (1, True, None),
        (1, False, None),
        (1, True, False),
        (1, False, False),
        (0, False, False),
    ]
    assert by_evidence([score(*each) for each in found]).rows == (("arm", "agent", 5, 2, 1, 3, 60.0),)
    assert by_evidence([Score("t", "arm", "agent", 0, 1, 1, "", {})]).rows == ()
