"""What the scorer is tried with: answers of each kind on small questions, and the calls that some of them assert."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Fixture
from labrig_harness.trajectory import Step, Submission, ToolCall, Trajectory
from labrig_suites.questions.question import QuestionFile
from labrig_suites.questions.tasks import NAME, samples_of

_QUESTIONS: list[dict[str, Any]] = [
    {"id": "choice", "kind": "choice", "options": ["rises", "falls"], "answer": "falls"},
    {"id": "number", "kind": "number", "answer": 40.0, "tolerance": "2%", "unit": "mg/L", "calls": [{"tool": "run"}]},
    {"id": "text", "kind": "text", "answer": ["calcite", "CaCO3"]},
    {"id": "regex", "kind": "regex", "answer": r"Na-?Cl"},
    {"id": "json", "kind": "json", "answer": {"pH": 7.5, "type": "Ca-HCO3"}, "tolerance": 0.1},
    {"id": "abstain", "kind": "abstain"},
]  # fmt: skip

_TRIED: list[tuple[str, str, int, float, float, str]] = [
    ("choice", "B", 0, 1, 1, "the letter"),
    ("choice", "Falls.", 0, 1, 1, "the text of the option"),
    ("choice", "A", 0, 0, 0, "the other letter"),
    ("choice", "neither", 0, 0, 0, "no option"),
    ("number", "40 mg/L", 1, 1, 1, "number and unit"),
    ("number", "0.0405 g/L", 1, 1, 1, "another unit, and within the tolerance"),
    ("number", "40", 0, 0, 1, "right, and nothing was run"),
    ("number", "41", 1, 0, 0, "outside the tolerance"),
    ("number", "40 mmol/L", 1, 0, 0, "a unit that cannot be converted"),
    ("number", "38 to 42 mg/L", 1, 0, 0, "a range"),
    ("text", '"Calcite".', 0, 1, 1, "case and marks do not matter"),
    ("text", "dolomite", 0, 0, 0, "another text"),
    ("regex", "NaCl", 0, 1, 1, "a match"),
    ("regex", "NaCl brine", 0, 0, 0, "a match of a part"),
    (
        "json",
        '```json\n{"pH": 7.45, "type": "ca-hco3", "by": "me"}\n```',
        0,
        1,
        1,
        "fields within the tolerance",
    ),
    ("json", '{"pH": 7.45}', 0, 0, 0, "a field is missing"),
    ("json", "7.45", 0, 0, 0, "no object"),
    ("abstain", "ABSTAIN", 0, 1, 1, "there is no answer"),
    ("abstain", "3", 0, 0, 0, "made up"),
    ("text", "ABSTAIN", 0, 0, 0, "abstained where there is an answer"),
]
_REFUSED = {"no option", "a range", "no object"}


def fixtures() -> list[Fixture]:
    """Return a trajectory for each of `_TRIED`, with its scores."""
    rows = [{"question": f"A question of kind {each['id']}?", **each} for each in _QUESTIONS]
    samples = {each.id: each for each in samples_of(QuestionFile.model_validate({"question": rows}), Path())}
    return [
        Fixture(
            *(samples[name], _make_trajectory(samples[name], text, runs), strict, compat),
            refused=about in _REFUSED,
            facts={"readable": about not in _REFUSED},
            about=f"{name}: {about}",
        )
        for name, text, runs, strict, compat, about in _TRIED
    ]


def _make_trajectory(sample: Sample, text: str, runs: int) -> Trajectory:
    calls = tuple(ToolCall("run", {}, number, is_error=False) for number in range(runs))
    steps = (Step(0, sample.brief.prompt, source="user"), Step(1, f"ANSWER: {text}", calls))
    return Trajectory(*(sample.id, NAME, "fixture", "plain", 0, 0, steps, Submission(text, 1), "answered"))
