"""The five servers in Claude Code, Codex, Gemini CLI and opencode: listed, called, and what their model is given.

The programs come from npm, their models are scripted on 127.0.0.1, HOME is private. Each server is called once.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.real_clients import ask_claude_code, ask_codex, binary, environment, install
from support.scripted_model import scripted_model

pytestmark = pytest.mark.soak

SERVERS = ("phreeqc", "papers", "earth", "repository", "atlas")
CALLS: list[tuple[str, dict[str, Any], str, str]] = [
    ("look_up_database", {"query": "Fluorite"}, '"log_k_25_degC":-10.5997', '"log_k_25_degC": -10.5997'),
    ("match_property", {"name": "Tc (onset)"}, '"critical_temperature"', '"critical_temperature"'),
    (
        "measure_distances",
        {"start": [9.0, 50.0], "end": [9.1, 50.2]},
        '"name":"distance","value":23368.412,"unit":"m"',
        "distance = 23368.412 m",
    ),
    ("list_directory", {}, "casts.csv", "casts.csv"),
    ("geocode", {"address": "Ulm"}, '"latitude":48.4011', '"latitude": 48.4011'),
]
"""A tool of each server, and what of its result the model must be given: of the structured result, and of the text."""

STRUCTURED = ("claude-code", "codex")
"""These give their model the structured result; the others its text alone."""

QUESTION = "Ask each of the five servers once."


def _ask_gemini(script: list[Any], project: Path, private: Path) -> list[Any]:
    gemini = binary("@google/gemini-cli", "gemini")
    settings = private / ".gemini" / "settings.json"
    chosen = {
        "security": {"auth": {"selectedType": "gemini-api-key"}}
    }  # a person chooses it at the first start
    settings.write_text(json.dumps({**json.loads(settings.read_text()), **chosen}))
    with scripted_model(script) as model:
        done = subprocess.run(
            [
                gemini,
                "-p",
                QUESTION,
                "--output-format",
                "stream-json",
                "--approval-mode",
                "yolo",
                "--model",
                "scripted",
            ],
            cwd=project,
            env=environment(
                private,
                GEMINI_API_KEY="dummy",
                GOOGLE_GEMINI_BASE_URL=model.url,
                GEMINI_CLI_TRUST_WORKSPACE="true",
                PATH=f"{Path(gemini).parent}:/usr/local/bin:/usr/bin:/bin",
            ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=400,
        )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return model.requests


def _ask_opencode(script: list[Any], project: Path, private: Path) -> list[Any]:
    opencode = binary("opencode-ai", "opencode")
    with scripted_model(script) as model:
        config = json.loads((project / "opencode.json").read_text())
        config["provider"] = {
            "local": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": f"{model.url}/v1", "apiKey": "dummy"},
                "models": {"scripted": {"name": "scripted", "tool_call": True}},
            }
        }
        (project / "opencode.json").write_text(json.dumps(config))
        done = subprocess.run(
            [opencode, "run", "--model", "local/scripted", "--format", "json", "--auto", QUESTION],
            cwd=project,
            env=environment(
                private,
                OPENCODE_DISABLE_AUTOUPDATE="1",
                OPENCODE_DISABLE_MODELS_FETCH="1",
                PATH="/usr/bin:/bin",
            ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=400,
        )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return model.requests


def _ask_claude(script: list[Any], project: Path, private: Path) -> list[Any]:
    return ask_claude_code(QUESTION, script, SERVERS, project, private)[1]


def _ask_codex(script: list[Any], project: Path, private: Path) -> list[Any]:
    return ask_codex(QUESTION, script, project, private)[1]


@pytest.mark.parametrize(
    ("client", "ask"),
    [
        ("claude-code", _ask_claude),
        ("codex", _ask_codex),
        ("gemini", _ask_gemini),
        ("opencode", _ask_opencode),
    ],
    ids=["Claude Code", "Codex", "Gemini CLI", "opencode"],
)
def test_the_five_servers_are_listed_and_called(
    client: str, ask: Callable[[list[Any], Path, Path], list[Any]], databases: Path, tmp_path: Path
) -> None:
    project, private, data = tmp_path / "project", tmp_path / "private", tmp_path / "data"
    for folder in (project, private, data):
        folder.mkdir()
    (data / "casts.csv").write_text("station,depth_m\nA,1\n")
    for server in SERVERS:
        install(client, server, project, private, *(("--root", str(data)) if server == "repository" else ()))
    requests = ask([*((name, arguments) for name, arguments, *_ in CALLS), "Done."], project, private)
    last = json.dumps(requests).replace("\\", "")
    for name, _, structured, text in CALLS:
        assert name in last, f"{client} does not list {name}"
        figure = structured if client in STRUCTURED else text
        assert figure in last, f"{client} does not give its model what {name} found"
