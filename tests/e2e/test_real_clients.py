"""The real Claude Code and Codex, given our server by ``labrig install``, answer a PHREEQC question.

Their models are scripted on 127.0.0.1; HOME is private and the environment empty. The binaries come from
npm (``.ci/run`` installs them); where they are absent the tests skip.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from labrig.plotting.drawing import png_size
from support.real_clients import ask_claude_code, binary, environment, install
from support.scripted_model import scripted_model

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
    codex = binary("@openai/codex", "codex")
    install("codex", "phreeqc", project, private)
    with scripted_model(SCRIPT) as model:
        config = private / ".codex" / "config.toml"
        provider = (
            'model = "scripted-model"\nmodel_provider = "local"\n'
            f'[model_providers.local]\nname = "local"\nbase_url = "{model.url}/v1"\nwire_api = "responses"\n'
            'env_key = "SCRIPTED_KEY"\nrequest_max_retries = 0\nstream_max_retries = 0\n'
        )
        written = config.read_text()
        assert "startup_timeout_sec = 30" in written
        # A busy machine may take longer, and timing fails no test.
        config.write_text(provider + written.replace("startup_timeout_sec = 30", "startup_timeout_sec = 150"))
        done = subprocess.run(
            [codex, "exec", "--json", "--skip-git-repo-check", "-s", "read-only", QUESTION],
            cwd=project,
            env=environment(private, SCRIPTED_KEY="dummy"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
        )
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    items = [each["item"] for each in events if each["type"] == "item.completed"]
    calls = [item for item in items if item["type"] == "mcp_tool_call"]
    assert calls, done.stdout[-2000:] + done.stderr[-2000:]
    assert calls[0]["status"] == "completed", calls
    assert {"name": "pH", "value": 8.269}.items() <= calls[0]["result"]["structured_content"]["values"][
        0
    ].items()
    assert "phreeqc.dat 3.8.6" in calls[0]["result"]["structured_content"]["source"]
    assert [item["text"] for item in items if item["type"] == "agent_message"][-1] == "The pH is 8.27."
    outputs = [item for item in model.requests[-1]["input"] if item.get("type") == "function_call_output"]
    assert "8.269" in json.dumps(outputs), "what the model was given holds the value"
