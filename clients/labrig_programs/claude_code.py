"""Claude Code, headless: ``claude -p``, our server alone, its own tools off unless the arm keeps them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from labrig.errors import unknown_name
from labrig_harness.agent import AgentSpec
from labrig_harness.arm import Arm
from labrig_harness.trajectory import Tokens
from labrig_programs.program import Launch, Program, Progress, Visit, bare_model, last_run
from labrig_programs.reading.read_run import ReadRun

BUILT_IN = "Bash,Read,Write,Edit,Glob,Grep"
"""Its tools for shell and files."""

WEB = "WebFetch,WebSearch"
"""Its tools for the web, which reach beyond the arm but where it says so."""

SEARCH = "ToolSearch"
"""Its tool that finds deferred ones by words of their names and descriptions."""


class ClaudeCode(Program):
    """The agent ``claude-code``.

    Settings: ``effort`` (low to max), ``max_output_tokens``, ``base_url``, and ``tool_search``: ``on`` leaves tools
    to be found by its search, as its users have them; ``off``, the default, lists them all. It takes no temperature.
    """

    kind = "claude-code"
    binary = "claude"
    package = "@anthropic-ai/claude-code"
    keys = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
    hosts = ("api.anthropic.com",)
    settings = frozenset({"effort", "max_output_tokens", "base_url", "tool_search"})
    # A result above 50,000 characters goes to a file, and the model gets its path and 2 kB of it, whatever
    # MAX_MCP_OUTPUT_TOKENS says (2.1.197: 48,999 characters came through, 51,000 did not).
    most_chars = 48_999

    def __init__(self, spec: AgentSpec, seed: str = "") -> None:
        super().__init__(spec, seed)
        said = self.setting("tool_search") or "off"
        if said not in ("on", "off"):
            raise unknown_name("value", said, ("on", "off"), where="--set tool_search")
        self.searches = said == "on"

    def launch(self, visit: Visit) -> Launch:
        """Return how to start the program for one item."""
        arm = visit.bench.arm
        config = visit.home / "mcp.json"
        config.write_text(json.dumps(visit.mcp_config()))
        argv = [str(self.program), "--print", "--output-format", "stream-json", "--verbose"]
        argv += ["--mcp-config", str(config), "--strict-mcp-config", "--setting-sources", ""]
        argv += ["--max-turns", str(arm.max_steps), "--disable-slash-commands", "--no-session-persistence"]
        ours = ",".join(f"mcp__{name}" for name in visit.shims)
        own = ([BUILT_IN] if arm.builtin_tools else []) + ([WEB] if arm.web_tools else [])
        search = [SEARCH] if self.searches else []
        argv += ["--tools", ",".join(own + search), "--allowedTools", ",".join([ours, *own])]
        if model := bare_model(self.spec.model, "anthropic"):
            argv += ["--model", model]
        if effort := self.setting("effort"):
            argv += ["--effort", effort]
        return Launch(tuple(argv), self._make_environment(arm), visit.bench.prompt.encode())

    def _make_environment(self, arm: Arm) -> dict[str, str]:
        more = {
            "ANTHROPIC_BASE_URL": self.setting("base_url"),
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": self.setting("max_output_tokens"),
        }
        return {
            # On, the model sees the names of our tools and must search for the rest.
            "ENABLE_TOOL_SEARCH": "true" if self.searches else "false",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_MAX_RETRIES": "3",  # of 10, which is minutes of silence; the runner tries again
            "MCP_CONNECTION_NONBLOCKING": "false",  # else the first turn may begin before the tools are there
            "MCP_CONNECT_TIMEOUT_MS": "60000",
            "MCP_TIMEOUT": "60000",
            "MCP_TOOL_TIMEOUT": str(int(arm.call_s * 1000) + 10_000),  # the relay's own limit comes first
            "MAX_MCP_OUTPUT_TOKENS": "1000000",
            **self.key_environment(),
            **{name: value for name, value in more.items() if value},
        }

    def watch(self, event: dict[str, Any], progress: Progress) -> None:
        """Count the tokens of each reply: the blocks of a reply share its id, and the last usage stands."""
        if event.get("type") == "assistant":
            usage = event["message"].get("usage") or {}
            progress.tokens[event["message"]["id"]] = Tokens(
                input_uncached=int(usage.get("input_tokens") or 0),
                cache_read=int(usage.get("cache_read_input_tokens") or 0),
                cache_write=int(usage.get("cache_creation_input_tokens") or 0),
                output=int(usage.get("output_tokens") or 0),
                measured=True,
            )

    def read(self, log: Path, visit: Visit) -> ReadRun | None:
        """Read the log."""
        from labrig_programs.reading import claude_code

        with log.open("rb") as file:
            return last_run(claude_code.read(file))
