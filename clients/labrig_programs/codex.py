"""Codex CLI, headless: ``codex exec --json``, our server alone, its own tools off unless the arm keeps them.

Tools for reading MCP resources and for asking the user stay offered; there are no resources, and nobody answers.
Its rollout file is read beside its output: it has the tokens of each reply, and what the model was given of a result.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from labrig_harness.arm import Arm
from labrig_programs.program import Launch, Program, Progress, Visit, bare_model, last_run
from labrig_programs.reading.read_run import ReadRun
from labrig_programs.streaming import keep_redacted

OWN_TOOLS = (
    "shell_tool",
    "unified_exec",
    "multi_agent",
    "goals",
    "view_image",
    "image_generation",
    "skill_search",
)
OTHERS = ("apps", "plugins", "hooks", "memories")
CALLS = frozenset({"mcp_tool_call", "command_execution", "file_change"})


class Codex(Program):
    """The agent ``codex``.

    Settings: ``effort`` (minimal to high), ``base_url``. It takes neither temperature nor an output limit.
    """

    kind = "codex"
    binary = "codex"
    package = "@openai/codex"
    keys = ("CODEX_API_KEY", "OPENAI_API_KEY")
    hosts = ("api.openai.com",)
    settings = frozenset({"effort", "base_url"})
    # By default it cuts the middle out of a result above about 12,000 characters; `tool_output_token_limit` lifts
    # that (0.169.0: 300,000 characters came through whole).
    most_chars = 300_000

    def launch(self, visit: Visit) -> Launch:
        """Return how to start the program for one item."""
        import tomlkit

        arm = visit.bench.arm
        folder = visit.home / ".codex"
        folder.mkdir()
        (folder / "config.toml").write_text(tomlkit.dumps(self._make_config(visit, arm)))
        argv = [str(self.program), "exec", "--json", "--skip-git-repo-check", "--color", "never"]
        if arm.builtin_tools and self.confinement == "bubblewrap":
            argv.append("--dangerously-bypass-approvals-and-sandbox")  # the sandbox is ours
        else:
            argv += ["--sandbox", "workspace-write" if arm.builtin_tools else "read-only"]
        key = os.environ.get("CODEX_API_KEY") or os.environ.get("OPENAI_API_KEY", "")
        return Launch((*argv, "-"), {"CODEX_API_KEY": key}, visit.bench.prompt.encode())

    def _make_config(self, visit: Visit, arm: Arm) -> dict[str, Any]:
        """Return config.toml as data."""
        config: dict[str, Any] = {
            "tool_output_token_limit": 1_000_000,
            "web_search": "live" if arm.web_tools else "disabled",
            "check_for_update_on_startup": False,
            "analytics": {"enabled": False},
            "features": dict.fromkeys((*OTHERS, *(() if arm.builtin_tools else OWN_TOOLS)), False),
            "mcp_servers": {
                name: {
                    "command": shim[0],
                    "args": list(shim[1:]),
                    "required": True,  # else the first turn may begin before the tools are there
                    "startup_timeout_sec": 60,
                    "tool_timeout_sec": int(arm.call_s) + 10,  # the relay's own limit comes first
                    "default_tools_approval_mode": "approve",
                }
                for name, shim in visit.shims.items()
            },
        }
        if model := bare_model(self.spec.model, "openai"):
            config["model"] = model
        if effort := self.setting("effort"):
            config["model_reasoning_effort"] = effort
        if base_url := self.setting("base_url"):
            config["model_provider"] = "endpoint"
            config["model_providers"] = {
                "endpoint": {
                    "name": "endpoint",
                    "base_url": base_url,
                    "wire_api": "responses",
                    "env_key": "CODEX_API_KEY",
                    "request_max_retries": 3,
                    "stream_max_retries": 3,
                }
            }
        return config

    def watch(self, event: dict[str, Any], progress: Progress) -> None:
        """Count turns: the program has no limit of its own."""
        item = event.get("item") or {}
        if item.get("type") in CALLS:
            if event["type"] == "item.started":
                progress.begin(item["id"])
            elif event["type"] == "item.completed":
                progress.end(item["id"])

    def read(self, log: Path, visit: Visit) -> ReadRun | None:
        """Read the log; where the rollout shows the same calls, the steps are the rollout's."""
        from labrig_programs.reading import codex

        with log.open("rb") as file:
            run = last_run(codex.read(file))
        # With a shell the agent could write into its own HOME: then its standard output alone is believed.
        found = sorted(visit.home.glob(".codex/sessions/**/rollout-*.jsonl"))
        if run is None or not found or visit.bench.arm.builtin_tools:
            return run
        kept = visit.bench.keep("codex-rollout.jsonl")
        if not keep_redacted(found[-1], kept):
            return run
        with kept.open("rb") as file:
            rollout = last_run(codex.read(file))
        if rollout is None or _list_calls(rollout) != _list_calls(run):
            return run
        return replace(
            run, steps=rollout.steps, model=rollout.model, versions={**run.versions, **rollout.versions}
        )


def _list_calls(run: ReadRun) -> list[tuple[str, dict[str, Any]]]:
    return [(call.tool, call.arguments) for step in run.steps for call in step.calls]
