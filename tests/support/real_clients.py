"""Real agent programs, run as a new user would: HOME is private, the environment empty, the model scripted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from labrig.config import home
from support.scripted_model import scripted_model


def binary(package: str, name: str) -> str:
    """Return the path of a client's program; skip where it is not installed (``.ci/run`` installs it)."""
    clients = Path(os.environ.get("LABRIG_TEST_CLIENTS", Path.home() / ".cache" / "labrig-test-clients"))
    found = shutil.which(
        name, path=os.pathsep.join([str(clients / "node_modules" / ".bin"), os.environ["PATH"]])
    )
    if not found:
        pytest.skip(f"{name} is not installed (npm install --prefix {clients.name} {package})")
    return found


def install(client: str, server: str, project: Path, private: Path, *flags: str) -> None:
    """Run ``labrig install`` in the project, with the user's own HOME."""
    done = subprocess.run(
        [sys.executable, "-m", "labrig_cli", "install", client, server, "--yes", *flags],
        cwd=project,
        env={"HOME": str(private), "PATH": os.environ["PATH"], "LABRIG_HOME": str(home())},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def environment(private: Path, **more: str) -> dict[str, str]:
    """Return all that a client finds in its environment."""
    return {"HOME": str(private), "PATH": "/usr/bin:/bin", "TERM": "dumb", "LANG": "C.UTF-8", **more}


def ask_claude_code(
    question: str,
    script: list[Any],
    server: str | Sequence[str],
    project: Path,
    private: Path,
    *,
    search: bool = False,
) -> tuple[str, list[Any]]:
    """Ask the real Claude Code with the project's configuration; return its output and what its model was sent.

    With `search` the tools are deferred, and its model has to search for them.
    """
    allowed = [f"mcp__labrig-{each}" for each in ([server] if isinstance(server, str) else server)]
    claude = binary("@anthropic-ai/claude-code", "claude")
    with scripted_model(script) as model:
        done = subprocess.run(
            [
                *(claude, "-p", question, "--output-format", "stream-json", "--verbose"),
                *("--mcp-config", ".mcp.json", "--strict-mcp-config", "--model", "scripted-model"),
                *("--allowedTools", ",".join(allowed), "--tools", "ToolSearch" if search else ""),
            ],
            cwd=project,
            env=environment(
                private,
                ANTHROPIC_BASE_URL=model.url,
                ANTHROPIC_API_KEY="dummy",
                CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
                CLAUDE_CODE_MAX_RETRIES="1",
                ENABLE_TOOL_SEARCH="true" if search else "false",
                # Else the first turn may begin before the tools are there.
                MCP_CONNECTION_NONBLOCKING="false",
                MCP_CONNECT_TIMEOUT_MS="300000",
                MCP_TIMEOUT="300000",
            ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
        )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout, model.requests


def ask_codex(
    question: str, script: list[Any], project: Path, private: Path
) -> tuple[list[dict[str, Any]], list[Any]]:
    """Ask the real Codex with the user's configuration; return its events and what its model was sent."""
    codex = binary("@openai/codex", "codex")
    with scripted_model(script) as model:
        config = private / ".codex" / "config.toml"
        provider = (
            'model = "scripted-model"\nmodel_provider = "local"\n'
            f'[model_providers.local]\nname = "local"\nbase_url = "{model.url}/v1"\nwire_api = "responses"\n'
            'env_key = "SCRIPTED_KEY"\nrequest_max_retries = 0\nstream_max_retries = 0\n'
        )
        written = config.read_text()
        assert "startup_timeout_sec = 30" in written
        # A busy machine may take longer, and timing fails no test; and unless a server is required, the first turn may
        # begin before its tools are there.
        waits = "startup_timeout_sec = 150\nrequired = true"
        config.write_text(provider + written.replace("startup_timeout_sec = 30", waits))
        done = subprocess.run(
            [codex, "exec", "--json", "--skip-git-repo-check", "-s", "read-only", question],
            cwd=project,
            env=environment(private, SCRIPTED_KEY="dummy"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
        )
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert any(each["type"] == "item.completed" for each in events), done.stdout[-2000:] + done.stderr[-2000:]
    return events, model.requests
