"""Trajectories whose scores are known, on two small items made by hand."""

from __future__ import annotations

import json
from typing import Any

from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Fixture
from labrig_harness.trajectory import Step, Submission, ToolCall, Trajectory
from labrig_suites.terrabench.truth import DOMAINS, TRACKS, VERSION

WANTED = (
    {"tool": "inspect_netcdf", "arguments": {"netcdf_path": "data/days.nc"}},
    {"tool": "read_netcdf_data", "arguments": {"netcdf_path": "data/days.nc", "variable": "t2m"}},
)
READ = {"schema": True, "answered": True}
NOT_READ = {"schema": False, "answered": False}


def fixtures() -> list[Fixture]:
    """Return runs with full marks, with none, with part of them, and with answers that cannot be read."""
    two = _sample("two", [("mean_k", 290.25), ("days", 12)])
    flag = _sample("flag", [("exceeded", True)])
    right = _rows(mean_k=290.26, days=12)
    return [
        _fixture(two, json.dumps(right), 1, 1, READ, "both within their tolerances"),
        _fixture(two, json.dumps(right[::-1]), 1, 1, READ, "in another order"),
        _fixture(two, json.dumps(_rows(mean_k=17.1, days=14)), 0, 0, READ, "degC for K, and days off"),
        _fixture(two, json.dumps(_rows(mean_k=290.4, days=14)), 0, 0, READ, "near misses get no mark"),
        _fixture(two, json.dumps(_rows(mean_k=290.25)), 0.5, 0.5, READ, "one field of two"),
        _fixture(
            two,
            json.dumps([{**each, "abs_tol": 1e9} for each in _rows(mean_k=17.1, days=14)]),
            *(0, 0, READ, "a tolerance of its own gains nothing"),
        ),
        _fixture(flag, json.dumps(_rows(exceeded=True)), 1, 1, READ, "a truth value"),
        _fixture(flag, json.dumps(_rows(exceeded=False)), 0, 0, READ, "the other truth value"),
        _fixture(
            flag, json.dumps(_rows(exceeded="no")), 0, 1, READ, "the public code takes any text for true"
        ),
        _fixture(two, "290.25 and 12", 0, 0, NOT_READ, "no JSON", refused=True),
        _fixture(two, "[290.25, 12]", 0, 0, NOT_READ, "numbers without keys", refused=True),
    ]


def _sample(name: str, fields: list[tuple[str, Any]]) -> Sample:
    rows = [
        {
            "key": key,
            "value": value,
            "abs_tol": 0.02 if isinstance(value, float) else 0,
            "rel_tol": 0,
            "floor_scale": 0,
        }
        for key, value in fields
    ]
    return Sample(
        suite="terrabench",
        suite_version=VERSION,
        brief=SampleInput(f"fixture-{name}", f"Give {', '.join(key for key, _ in fields)}."),
        truth={"fields": rows, "paths": [[dict(each) for each in WANTED]]},
        labels={"kind": "fixture", "track": TRACKS[0], "level": "0", "domain": DOMAINS[0]},
    )


def _rows(**values: Any) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": value, "abs_tol": 0, "rel_tol": 0, "floor_scale": 0}
        for key, value in values.items()
    ]


def _fixture(
    sample: Sample,
    text: str,
    strict: float,
    compat: float,
    facts: dict[str, Any],
    about: str,
    *,
    refused: bool = False,
) -> Fixture:
    steps = [Step(0, sample.brief.prompt, source="user")]
    for number, row in enumerate(WANTED):
        steps.append(Step(number + 1, calls=(ToolCall(row["tool"], row["arguments"], number, False),)))  # type: ignore[arg-type]
    steps.append(Step(len(steps), f"<final_json>{text}</final_json>"))
    run = Trajectory(
        *(sample.id, "terrabench", "fixture", "agent-terra", 0, 0, tuple(steps)),
        submission=Submission(text, len(steps) - 1),
        end="answered",
    )
    return Fixture(sample, run, strict, compat, refused, facts, about)
