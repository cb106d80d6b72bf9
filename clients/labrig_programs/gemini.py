"""Gemini CLI, headless: our server alone, its own tools off unless the arm keeps them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from labrig_harness.arm import Arm
from labrig_programs.program import Launch, Program, Visit, bare_model, last_run
from labrig_programs.reading.read_run import ReadRun

WEB = ("google_web_search", "web_fetch")
"""Its own tools for the web, which an arm has that says so."""

NOT_OURS = (
    "invoke_agent",
    "enter_plan_mode",
    "update_topic",
    "save_memory",
)
"""Its own tools that reach beyond shell and files; the arm that keeps built-in tools does not keep these."""


class Gemini(Program):
    """The agent ``gemini``.

    Settings: ``temperature``, ``top_p``, ``max_output_tokens``, ``thinking_budget`` (tokens), ``base_url``.
    """

    kind = "gemini"
    binary = "gemini"
    package = "@google/gemini-cli"
    keys = ("GEMINI_API_KEY",)
    hosts = ("generativelanguage.googleapis.com",)
    settings = frozenset({"temperature", "top_p", "max_output_tokens", "thinking_budget", "base_url"})
    # It cuts the middle out of a result above 40,000 characters. `truncateToolOutputThreshold` lifts that, but once
    # later results together exceed about 80,000 tokens it replaces earlier ones by their beginnings (0.61.0).
    most_chars = 40_000

    def launch(self, visit: Visit) -> Launch:
        """Return how to start the program for one item."""
        folder = visit.home / ".gemini"
        folder.mkdir()
        (folder / "settings.json").write_text(json.dumps(self._make_config(visit, visit.bench.arm)))
        argv = [str(self.program), "--output-format", "stream-json", "--approval-mode", "yolo"]
        if model := self._name_model():
            argv += ["--model", model]
        more = {"GOOGLE_GEMINI_BASE_URL": self.setting("base_url")}
        env = {
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            **self.key_environment(),
            **{name: value for name, value in more.items() if value},
        }
        return Launch(tuple(argv), env, visit.bench.prompt.encode())

    def _name_model(self) -> str:
        return bare_model(self.spec.model, "google", "gemini")

    def _make_config(self, visit: Visit, arm: Arm) -> dict[str, Any]:
        """Return settings.json as data."""
        servers = {
            name: {
                "command": shim[0],
                "args": list(shim[1:]),
                "timeout": int(arm.call_s * 1000) + 10_000,  # the relay's own limit comes first
                "trust": True,
            }
            for name, shim in visit.shims.items()
        }
        ours = [f"mcp_{name}_*" for name in visit.shims]
        hidden = [*(() if arm.web_tools else WEB), *NOT_OURS]
        own = {"exclude": hidden} if arm.builtin_tools else {"core": ours}
        config: dict[str, Any] = {
            "mcpServers": servers,
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {
                "enableAutoUpdate": False,
                "enableAutoUpdateNotification": False,
                "maxAttempts": 3,  # of 10, which is minutes of silence; the runner tries again
            },
            "telemetry": {"enabled": False},
            "privacy": {"usageStatisticsEnabled": False},
            "model": {"maxSessionTurns": arm.max_steps},
            "tools": {"truncateToolOutputThreshold": 4_000_000, **own},
        }
        if sent := self._make_generation():
            override = {
                "match": {"model": self._name_model()} if self._name_model() else {},
                "modelConfig": {"generateContentConfig": sent},
            }
            config["modelConfigs"] = {"customOverrides": [override]}
        return config

    def _make_generation(self) -> dict[str, Any]:
        """Return what is sent with every request, in the API's own names."""
        given = self.spec.settings
        names = {"temperature": "temperature", "top_p": "topP", "max_output_tokens": "maxOutputTokens"}
        sent: dict[str, Any] = {names[key]: value for key, value in given.items() if key in names}
        if "thinking_budget" in given:
            sent["thinkingConfig"] = {"includeThoughts": True, "thinkingBudget": given["thinking_budget"]}
        return sent

    def read(self, log: Path, visit: Visit) -> ReadRun | None:
        """Read the log."""
        from labrig_programs.reading import gemini

        with log.open("rb") as file:
            return last_run(gemini.read(file))
