"""The real Claude Code and Codex list the skills that ``labrig install CLIENT --skills`` put into an empty HOME."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from labrig_cli.installing.skills import read_skills
from support.real_clients import binary, environment
from support.scripted_model import scripted_model

pytestmark = pytest.mark.accept


@pytest.fixture
def private(tmp_path: Path) -> Path:
    path = tmp_path / "private"
    path.mkdir()
    return path


def _install(client: str, private: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "labrig_cli", "install", client, "--skills", "--yes"],
        env=environment(private),
        check=True,
        stdout=subprocess.DEVNULL,
    )


def _run(command: list[str], private: Path, **more: str) -> list[dict[str, object]]:
    """Run a client in an empty project, and return its events."""
    (private.parent / "project").mkdir()
    done = subprocess.run(
        command,
        cwd=private.parent / "project",
        env=environment(private, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def test_claude_code_lists_the_skills(private: Path) -> None:
    claude = binary("@anthropic-ai/claude-code", "claude")
    _install("claude-code", private)
    with scripted_model(["Done."]) as model:
        events = _run(
            [
                *(claude, "-p", "hello", "--output-format", "stream-json", "--verbose"),
                *("--model", "scripted-model", "--tools", "Skill"),
            ],
            private,
            ANTHROPIC_BASE_URL=model.url,
            ANTHROPIC_API_KEY="dummy",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )
    listed = events[0]["skills"]
    assert isinstance(listed, list) and set(read_skills()) <= set(listed)
    told = json.dumps(model.requests[-1])
    assert all(name in told for name in read_skills()), "the model is told of each"


def test_codex_lists_the_skills(private: Path) -> None:
    codex = binary("@openai/codex", "codex")
    _install("codex", private)
    with scripted_model(["Done."]) as model:
        (private / ".codex" / "config.toml").write_text(
            'model = "scripted-model"\nmodel_provider = "local"\n'
            f'[model_providers.local]\nname = "local"\nbase_url = "{model.url}/v1"\nwire_api = "responses"\n'
            'env_key = "SCRIPTED_KEY"\nrequest_max_retries = 0\nstream_max_retries = 0\n'
        )
        words = ["exec", "--json", "--skip-git-repo-check", "-s", "read-only", "hello"]
        _run([codex, *words], private, SCRIPTED_KEY="dummy")
    told = json.dumps(model.requests[-1])
    assert all(f"- {name}: " in told for name in read_skills()), "the model is told of each"
