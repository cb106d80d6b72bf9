"""The clients that Labrig installs into: where each keeps its servers, and what an entry looks like.

One table serves both ``labrig install`` (absolute commands) and ``manifests/`` (portable ones). Limits are
ours, not the clients' defaults: a tool call may take ten minutes, because some clients count it as a hard
wall clock that progress does not extend.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from labrig.errors import unknown_name

TOOL_TIMEOUT_S = 600
STARTUP_TIMEOUT_S = 30

Environment = Mapping[str, str]


@dataclass(frozen=True)
class Client:
    """One MCP client.

    Attributes
    ----------
    name, title
        As in ``labrig install NAME``, and for people.
    manifest
        The file of its example below ``manifests/``.
    syntax
        How its configuration is written.
    table
        The top-level key that holds the servers.
    path
        From the project folder and the environment to the configuration file.
    kind, limits
        What an entry holds before ``command`` and after ``args``.
    one_list
        Whether ``command`` is a list of the program and its arguments, and the variables are its ``environment``;
        else the arguments are ``args`` and the variables ``env``.
    note
        What a user should know, one sentence or two.
    next_step
        What a user must do before the servers are used, where the client asks for something.
    """

    name: str
    title: str
    manifest: str
    syntax: Literal["json", "toml"]
    table: str
    path: Callable[[Path, Environment], Path]
    note: str
    kind: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    one_list: bool = False
    next_step: str = ""


def _find_user_folder(env: Environment) -> Path:
    configured = env.get("HOME")
    return Path(configured) if configured else Path.home()


def _find_claude_desktop(cwd: Path, env: Environment) -> Path:
    if sys.platform == "darwin":
        folder = _find_user_folder(env) / "Library" / "Application Support"
    elif sys.platform == "win32":
        folder = Path(env.get("APPDATA") or _find_user_folder(env) / "AppData" / "Roaming")
    else:
        folder = Path(env.get("XDG_CONFIG_HOME") or _find_user_folder(env) / ".config")
    return folder / "Claude" / "claude_desktop_config.json"


def _find_codex(cwd: Path, env: Environment) -> Path:
    return Path(env.get("CODEX_HOME") or _find_user_folder(env) / ".codex") / "config.toml"


def _find_qwen(cwd: Path, env: Environment) -> Path:
    return Path(env.get("QWEN_CONFIG_DIR") or _find_user_folder(env) / ".qwen") / "settings.json"


CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "Claude Code",
            "claude-code/.mcp.json",
            "json",
            "mcpServers",
            lambda cwd, env: cwd / ".mcp.json",
            "Lies in the project folder; Claude Code asks once whether to approve the servers of a project.",
            next_step="start `claude` in this folder and approve the servers; until then `claude mcp list` shows "
            "them as pending",
            kind={"type": "stdio"},
            limits={"timeout": TOOL_TIMEOUT_S * 1000},
        ),
        Client(
            "claude-desktop",
            "Claude Desktop",
            "claude-desktop/claude_desktop_config.json",
            "json",
            "mcpServers",
            _find_claude_desktop,
            "Restart Claude Desktop afterwards. It may not see your shell's PATH, so `labrig install` writes "
            "an absolute command.",
        ),
        Client(
            "codex",
            "Codex",
            "codex/config.toml",
            "toml",
            "mcp_servers",
            _find_codex,
            "`default_tools_approval_mode` lets its tools run without a question: `codex exec` has nobody to "
            "ask, and refuses those that write in their workspace. Delete the line to be asked.",
            limits={
                "startup_timeout_sec": STARTUP_TIMEOUT_S,
                "tool_timeout_sec": TOOL_TIMEOUT_S,
                "default_tools_approval_mode": "approve",
            },
        ),
        Client(
            "gemini",
            "Gemini CLI",
            "gemini/settings.json",
            "json",
            "mcpServers",
            lambda cwd, env: _find_user_folder(env) / ".gemini" / "settings.json",
            "`trust` is left out: it would switch off every confirmation, which is yours to decide. Headless "
            'runs need it (`"trust": true`), or `--approval-mode yolo`.',
            next_step="start `gemini` in your project and trust the folder (`/permissions`); until then "
            "`gemini mcp list` shows them as disabled",
            limits={"timeout": TOOL_TIMEOUT_S * 1000},
        ),
        Client(
            "vscode",
            "Visual Studio Code",
            "vscode/mcp.json",
            "json",
            "servers",
            lambda cwd, env: cwd / ".vscode" / "mcp.json",
            "Lies in the workspace folder; VS Code asks before it starts a server for the first time.",
            kind={"type": "stdio"},
        ),
        Client(
            "cursor",
            "Cursor",
            "cursor/.cursor/mcp.json",
            "json",
            "mcpServers",
            lambda cwd, env: cwd / ".cursor" / "mcp.json",
            "Lies in the project folder; Cursor lists its servers under Settings, MCP, where each is switched on.",
            kind={"type": "stdio"},
        ),
        Client(
            "opencode",
            "opencode",
            "opencode/opencode.json",
            "json",
            "mcp",
            lambda cwd, env: cwd / "opencode.json",
            "Lies in the project folder, for opencode 1; `opencode mcp list` says whether the servers start.",
            kind={"type": "local"},
            limits={"enabled": True, "timeout": TOOL_TIMEOUT_S * 1000},
            one_list=True,
        ),
        Client(
            "qwen",
            "Qwen Code",
            "qwen/settings.json",
            "json",
            "mcpServers",
            _find_qwen,
            "`trust` is left out: it would switch off every confirmation, which is yours to decide.",
            limits={"timeout": TOOL_TIMEOUT_S * 1000},
        ),
    )
}


def find(name: str) -> Client:
    """Return a client by name."""
    if name not in CLIENTS:
        raise unknown_name("client", name, CLIENTS, where="CLIENT")
    return CLIENTS[name]


def key(server: str) -> str:
    """Return the name that a server has in configurations, which is that of its console script."""
    return f"labrig-{server}"


def portable(server: str) -> list[str]:
    """Return the command that starts a server on any machine that has uv."""
    return ["uvx", "--from", f"labrig[{server}]", key(server)]


def entry(client: Client, command: Sequence[str], env: Environment) -> dict[str, Any]:
    """Return the entry of a server in a client's configuration.

    Parameters
    ----------
    client
        One of `CLIENTS`.
    command
        The program and its arguments.
    env
        Variables that the server gets; when there are none, the entry has no ``env``.
    """
    words: dict[str, Any] = {"command": command[0], "args": list(command[1:])}
    if client.one_list:
        words = {"command": list(command)}
    made = {**client.kind, **words, **client.limits}
    return {**made, "environment" if client.one_list else "env": dict(env)} if env else made
