"""Whether the record of a run holds what its answer rests on: data that were opened, and a result with the number.

Read from calls and the texts of their results, never from what the agent says. A call counts as having opened data
where it reads a data file that the question is about, or runs code that reads files: which files code read, a record
does not hold. A number counts as printed where a number of a result is right by `strict`; texts, choices and "not
possible" are never printed in this sense, so only whether data were opened is told of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import TextOf
from labrig_harness.trajectory import ToolCall, Trajectory
from labrig_suites.science_gym.grading.strict import band
from labrig_suites.science_gym.question import EXPECTED, Expected

CODE = "run_python_code"
READS = re.compile(
    r"\b(?:read_text_file|read_binary_file|describe_table|open|read_\w+|loadtxt|genfromtxt|Path)\s*\("
)
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?(?![\w.]*[0-9])")
MOST = 200_000
"""Characters of a result that are looked at."""
METADATA = ("readme", "title", "abstract", "extension", "files-by-prefix", "files-by-condition")
"""Types that the README or a listing decides: no data need be opened."""


def evidence(sample: Sample, trajectory: Trajectory, text_of: TextOf) -> dict[str, Any]:
    """Return the facts ``opened``, and ``printed`` (None where the answer is no number)."""
    expected = EXPECTED.validate_python(sample.truth["expected"])
    worked = [call for call in trajectory.calls if call.record >= 0 and not call.is_error]
    listed = sample.labels.get("type", "") in METADATA
    opened = bool(worked) if listed else any(_opens(call, sample) for call in worked)
    printed = None
    if expected.kind in ("number", "integer"):
        printed = any(_holds(text_of(call)[:MOST], expected) for call in worked)
    return {"opened": opened, "printed": printed}


def _opens(call: ToolCall, sample: Sample) -> bool:
    if call.tool == CODE:
        return READS.search(str(call.arguments.get("code", ""))) is not None
    path = str(call.arguments.get("path", "")).lstrip("/")
    if "hard" in sample.truth:
        return path.startswith("data/")
    query = sample.truth.get("query", {})
    return path == query["path"] if query.get("path") else bool(path) and not path.startswith("README")


def _holds(text: str, expected: Expected) -> bool:
    return any(_is_right(number, expected) for number in _numbers(text))


def _is_right(number: Fraction, expected: Expected) -> bool:
    if expected.kind == "integer":
        return number == Fraction(expected.value)
    low, high = band(Fraction(expected.value), expected.digits)
    return low <= number <= high


def _numbers(text: str) -> Iterator[Fraction]:
    for found in NUMBER.finditer(text):
        yield Fraction(found[0])
