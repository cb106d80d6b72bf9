"""The real Claude Code and Codex, given our server by ``labrig install``, answer a PHREEQC question.

Their models are scripted on 127.0.0.1; HOME is private and the environment empty. The binaries come from
npm (``.ci/run`` installs them); where they are absent the tests skip.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labrig.plotting.drawing import png_size
from support.real_clients import ask_claude_code, ask_codex, install

QUESTION = "What is the pH of 1 mmol/kgw NaHCO3 at 25 degC?"
INPUT = "SOLUTION 1\n pH 7 charge\n Na 1\n C(4) 1\nEND\n"
WATERS = """Well,Temp (C),pH,Ca (mg/L),Mg (mg/L),Na (mg/L),HCO3 (mg/L),SO4 (mg/L),Cl (mg/L)
A,12.1,7.62,82,21,30,268,88,41
B,11.8,7.31,105,14,18,310,45,36
"""
SCRIPT: list[Any] = [("execute_phreeqc", {"input": INPUT}), "The pH is 8.27."]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    path.mkdir()
    return path


@pytest.fixture
def private(tmp_path: Path) -> Path:
    path = tmp_path / "private"
    path.mkdir()
    return path


@pytest.mark.accept
def test_claude_code_answers(databases: Path, project: Path, private: Path) -> None:
    install("claude-code", "phreeqc", project, private)
    output, _ = ask_claude_code(QUESTION, SCRIPT, "phreeqc", project, private)
    events = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    results = [each for each in events if each.get("type") == "user"]
    seen = json.dumps(results)
    assert "phreeqc.dat 3.8.6" in seen
    assert '\\"name\\":\\"pH\\",\\"value\\":8.269' in seen.replace(" ", "")
    assert events[-1]["result"] == "The pH is 8.27."


@pytest.mark.accept
def test_claude_code_goes_from_a_csv_to_a_picture(databases: Path, project: Path, private: Path) -> None:
    """A new user: her table beside .mcp.json, the config block of ``labrig install``, one question."""
    (project / "waters.csv").write_text(WATERS)
    install("claude-code", "phreeqc", project, private, "--workspace", "lab", "--root", ".")
    script = [
        ("speciate_waters", {"path": "@project/waters.csv"}),
        ("draw_plot", {"kind": "saturation", "path": "speciated_waters.json"}),
        "Yes: it is supersaturated with calcite.",
    ]
    question = "Is this groundwater scaling? The analyses are in waters.csv. Draw me a picture."
    output, requests = ask_claude_code(question, script, "phreeqc", project, private)
    given = json.dumps(requests[-1])
    assert "CaCO3_precipitation_potential" in given
    assert '"type": "image"' in given, "the model is shown the picture"
    assert png_size((project / "lab" / "saturation.png").read_bytes()) > (600, 400)
    assert "calcite" in json.loads(output.strip().splitlines()[-1])["result"]


@pytest.mark.accept
def test_codex_answers(databases: Path, project: Path, private: Path) -> None:
    install("codex", "phreeqc", project, private)
    events, requests = ask_codex(QUESTION, SCRIPT, project, private)
    items = [each["item"] for each in events if each["type"] == "item.completed"]
    calls = [item for item in items if item["type"] == "mcp_tool_call"]
    assert calls, events
    assert calls[0]["status"] == "completed", calls
    assert {"name": "pH", "value": 8.269}.items() <= calls[0]["result"]["structured_content"]["values"][
        0
    ].items()
    assert "phreeqc.dat 3.8.6" in calls[0]["result"]["structured_content"]["source"]
    assert [item["text"] for item in items if item["type"] == "agent_message"][-1] == "The pH is 8.27."
    outputs = [item for item in requests[-1]["input"] if item.get("type") == "function_call_output"]
    assert "8.269" in json.dumps(outputs), "what the model was given holds the value"
