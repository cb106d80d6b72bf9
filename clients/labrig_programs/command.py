"""Any program that takes a prompt and an MCP configuration.

It finds the prompt on standard input and in the file LABRIG_PROMPT_FILE, the configuration of its MCP servers in
LABRIG_MCP_CONFIG (``{"mcpServers": {NAME: {"type": "stdio", "command": .., "args": [..]}}}``) and the number of tool
calls it may make in LABRIG_MAX_STEPS. In its arguments, ``{prompt_file}`` and ``{mcp_config}`` are replaced. What it
prints is its message, unless the setting ``log`` names the format of a log that it prints instead.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from labrig.errors import LabrigError, unknown_name
from labrig_harness.agent import AgentSpec
from labrig_harness.trajectory import Step, Tokens
from labrig_programs.confinement import installation
from labrig_programs.program import Launch, Program, Visit, last_run
from labrig_programs.reading import LINE_FORMATS, documents
from labrig_programs.reading.read_run import ReadRun

LOGS = (*LINE_FORMATS, *documents.FORMATS)
MESSAGE_BYTES = 1 << 20


class Command(Program):
    """The agent ``command``.

    Settings: ``log`` (format of what it prints), ``env`` (names of environment variables to hand on, separated by
    commas), ``network`` (false cuts it off).
    """

    kind = "command"
    settings = frozenset({"log", "env", "network"})
    limits_calls = takes_command = True

    def __init__(self, spec: AgentSpec, seed: str = "") -> None:
        super().__init__(spec, seed)
        if self.setting("log") and self.setting("log") not in LOGS:
            raise unknown_name("format of a log", self.setting("log"), LOGS, where="--set log")
        missing = [name for name in self._list_names() if name not in os.environ]
        if missing:
            raise LabrigError(
                f"The environment does not hold {', '.join(missing)}", where="--set env", code="unavailable"
            )
        if self.setting("network").lower() not in ("", "true", "false"):
            raise LabrigError(
                f"The network is cut off or it is not: {self.setting('network')!r} is neither",
                where="--set network",
                expected="true or false",
            )
        if self.setting("network").lower() == "false" and self.confinement != "bubblewrap":
            raise LabrigError(
                "The network can only be cut off under bubblewrap, which cannot be used here",
                where="--set network",
                code="refused",
            )

    def find(self) -> Path:
        """Return the program's path."""
        if not self.spec.command:
            raise LabrigError("The agent 'command' needs a program", where="--", try_="-- ./my_agent --flag")
        found = shutil.which(self.spec.command[0])
        if not found:
            raise LabrigError(f"There is no program {self.spec.command[0]!r}", where="--", code="not_found")
        return Path(found).absolute()

    def launch(self, visit: Visit) -> Launch:
        """Return how to start the program for one item."""
        prompt, config = visit.home / "prompt.txt", visit.home / "mcp.json"
        prompt.write_text(visit.bench.prompt, encoding="utf-8", errors="surrogatepass")
        config.write_text(json.dumps(visit.mcp_config()))
        argv, named = [str(self.program)], []
        for word in self.spec.command[1:]:
            told = word.replace("{prompt_file}", str(prompt)).replace("{mcp_config}", str(config))
            if told == word and Path(word).is_file():  # a script, a configuration: the program runs elsewhere
                told = str(Path(word).absolute())
                named += [Path(told), *installation(Path(told))]
            argv.append(told)
        env = {
            "LABRIG_PROMPT_FILE": str(prompt),
            "LABRIG_MCP_CONFIG": str(config),
            "LABRIG_MAX_STEPS": str(visit.bench.arm.max_steps),
            **{name: os.environ[name] for name in self._list_names()},
        }
        return Launch(tuple(argv), env, prompt.read_bytes(), tuple(named))

    def _list_names(self) -> list[str]:
        return [name for name in self.setting("env").split(",") if name]

    async def versions(self) -> dict[str, str]:
        """Return nothing: what a program is asked for its version may be its task to it."""
        return {}

    @property
    def log_name(self) -> str:
        """The name of what it prints, beside the record."""
        return f"command.{self.setting('log') or 'out'}"

    def read(self, log: Path, visit: Visit) -> ReadRun | None:
        """Read what it printed: a log, or its message."""
        kind = self.setting("log")
        if kind in documents.FORMATS:
            try:
                found = documents.split(log.read_bytes(), log.name)
                return last_run([run for each in found for run in documents.read(kind, each)])
            except LabrigError as error:
                return ReadRun(kind, (), end="agent_error", end_detail=f"what it printed is no log: {error}")
        if kind:
            from labrig_programs import reading

            with log.open("rb") as file:
                return last_run(reading.read(kind, file))
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - MESSAGE_BYTES))
            text = file.read().decode("utf-8", errors="replace").strip()
        return ReadRun("command", (Step(0, text, tokens=Tokens()),) if text else (), text=text)
