"""phreeqc-mcq: the suite's own tables, from answers whose mistakes are known."""

from __future__ import annotations

from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Score, Table
from labrig_suites.phreeqc_mcq.tables import tables

SALT = {"switch": "salt", "state": "none", "kind": "input", "diagnosis": "salt left out"}
STEP = {"switch": "step", "state": "last", "kind": "step", "diagnosis": "the last step read"}
UNIT = {"switch": "unit", "state": "mg", "kind": "unit", "diagnosis": "mmol taken as mg"}


def task(number: int, first: dict[str, str], second: dict[str, str]) -> Sample:
    """A is right; B misses the first, C the second, D both."""
    missed: dict[str, list[dict[str, str]]] = {"A": [], "B": [first], "C": [second], "D": [first, second]}
    truth = {"answer": "A", "options": {letter: {"missed": each} for letter, each in missed.items()}}
    labels = {"stem": f"stem-{number % 2}", "topic": "salt" if number % 2 else "steps"}
    return Sample(
        "phreeqc-mcq", "1", SampleInput(f"i{number}", "?", choices=("A", "B", "C", "D")), truth, labels
    )


def score(number: int, answer: str, broke: str = "", arm: str = "agent-toc") -> Score:
    right = float(answer == "A")
    facts = {"committed": bool(answer), "steps": 4, "executions": 1, "end": "answered", "break": broke}
    return Score(f"i{number}", arm, "tester", 0, right, right, answer, facts)


TASKS = [task(n, SALT, STEP) for n in range(6)] + [task(n, SALT, UNIT) for n in range(6, 10)]
ANSWERS = "AABCDD" + "DBA" + ""
BREAKS = ("", "", "input", "navigation", "input", "answer", "input", "input", "", "answer")
SCORES = [score(n, ANSWERS[n : n + 1], broke) for n, broke in enumerate(BREAKS)]


def named(title: str) -> Table:
    return next(each for each in tables(TASKS, [*SCORES, score(0, "B", arm="direct")]) if each.title == title)


def test_kinds_are_counted_among_wrong_answers() -> None:
    rows = {row[2]: row[3:] for row in named("Kinds of mistakes").rows if row[0] == "agent-toc"}
    # Wrong: B, C, D, D of salt and step, D, B of salt and unit; two of three wrong options come of each mistake.
    assert rows == {"input": (5, 4.0, 1.25), "step": (3, 2.7, 1.12), "unit": (1, 1.3, 0.75)}


def test_diagnoses_stand_beside_what_was_offered() -> None:
    rows = {row[2:5]: row[5:] for row in named("Diagnoses of wrong answers").rows if row[0] == "agent-toc"}
    assert rows == {
        ("", "", "no letter committed"): (1, 10, 10.0),
        ("stem-0", "input", "salt left out"): (3, 5, 60.0),
        ("stem-1", "input", "salt left out"): (2, 5, 40.0),
        ("stem-0", "step", "the last step read"): (1, 3, 33.3),
        ("stem-1", "step", "the last step read"): (2, 3, 66.7),
        ("stem-0", "unit", "mmol taken as mg"): (1, 2, 50.0),
    }


def test_the_chain_adds_up_and_arms_without_tools_have_none() -> None:
    table = named("Where the chain broke")
    assert table.rows == (("agent-toc", "tester", 10, 7, 4, 0, 1, 2, 0),)


def test_accuracy_has_the_interval_over_stems_and_wilsons() -> None:
    row = next(row for row in named("Accuracy").rows if row[0] == "agent-toc")
    assert row[2:5] == (10, 2, 30.0) and row[7:10] == (30.0, 10.8, 60.3) and row[10] == 90.0
    assert row[5] <= 30.0 <= row[6]
    topics = {row[:3]: row[3:] for row in named("Accuracy by topic").rows}
    assert topics["steps", "agent-toc", "tester"] == (5, 40.0, 40.0)
