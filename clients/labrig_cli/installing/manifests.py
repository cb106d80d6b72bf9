"""The files of ``manifests/``: client configurations, registry entries and tool listings.

All are generated from the table of clients and from the servers themselves; a test compares them with what is
committed, so they cannot drift.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labrig import __version__
from labrig.errors import LabrigError
from labrig.toolbox import ServeOptions, Toolbox
from labrig_cli.installing import client_configs, config_edit, tool_schemas
from labrig_harness.registry import servers as known_servers

NAMESPACE = "io.github.labrig"
"""The registry wants ``<!-- mcp-name: NAMESPACE/labrig-SERVER -->`` in the package's README."""

REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
REGISTRY_MAX_DESCRIPTION = 100


def generate(toolboxes: Mapping[str, Toolbox] | None = None) -> dict[str, str]:
    """Return every file of ``manifests/`` as relative path and content.

    Parameters
    ----------
    toolboxes
        The servers by name; by default all that are installed.
    """
    if toolboxes is None:
        toolboxes = {name: known_servers.toolbox(name) for name in known_servers.names()}
    files: dict[str, str] = {}
    about: dict[str, str] = {}
    for client in client_configs.CLIENTS.values():
        files[client.manifest] = client_manifest(client, list(toolboxes))
        about[client.manifest] = f"{client.title}. {client.note}"
    for name, toolbox in sorted(toolboxes.items()):
        registry, tools = f"registry/{name}.server.json", f"tools/{name}.json"
        files[registry] = _write_json(registry_entry(toolbox))
        about[registry] = f"`{client_configs.key(name)}` for the MCP registry; not published."
        files[tools] = _write_json(tool_listing(toolbox))
        about[tools] = f"The tools/list answer of `{client_configs.key(name)}`, and the names per toolset."
    files["README.md"] = _write_readme(about)
    return dict(sorted(files.items()))


def write(folder: Path) -> list[Path]:
    """Write all files below a folder and return those that changed; nothing is deleted."""
    wanted = generate()
    changed = []
    for relative, content in wanted.items():
        path = folder / relative
        if not path.is_file() or path.read_bytes() != content.encode():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode())
            changed.append(path)
    return changed


def check(folder: Path) -> list[str]:
    """Return one line per file that is missing, different or left over; none if all is as generated."""
    wanted, present = generate(), _list_files(folder)
    differences = [f"{relative}: is no longer generated" for relative in sorted(present - set(wanted))]
    for relative, content in wanted.items():
        if relative not in present:
            differences.append(f"{relative}: is missing")
        elif (found := (folder / relative).read_text(encoding="utf-8", errors="replace")) != content:
            differences.append(f"{relative}: {_find_difference(found, content)}")
    return differences


def client_manifest(client: client_configs.Client, servers: list[str]) -> str:
    """Return a client's configuration with these servers and nothing else."""
    entries = {
        client_configs.key(server): client_configs.entry(client, client_configs.portable(server), {})
        for server in sorted(servers)
    }
    if client.syntax == "json":
        return _write_json({client.table: entries})
    return config_edit.change("", client.syntax, client.table, entries, client.manifest)


def registry_entry(toolbox: Toolbox) -> dict[str, Any]:
    """Return the ``server.json`` of a server.

    Clients compose ``uvx --with labrig[NAME]==VERSION labrig==VERSION serve NAME`` from it: hint, runtime arguments,
    identifier and version, package arguments. The identifier must be the name of the distribution, so the entry goes
    through the command ``labrig`` and not through the console script; behind ``--from`` a version would be taken for
    part of the command's name.
    """
    description = f"MCP server: {toolbox.title}"
    if len(description) > REGISTRY_MAX_DESCRIPTION:
        raise LabrigError(
            f"The title of {toolbox.name} is too long for the registry",
            where=toolbox.title,
            expected=f"at most {REGISTRY_MAX_DESCRIPTION} characters with 'MCP server: '",
        )
    package = {
        "registryType": "pypi",
        "identifier": "labrig",
        "version": __version__,
        "runtimeHint": "uvx",
        "runtimeArguments": [
            {"type": "named", "name": "--with", "value": f"labrig[{toolbox.name}]=={__version__}"}
        ],
        "packageArguments": [
            {"type": "positional", "value": "serve"},
            {"type": "positional", "value": toolbox.name},
        ],
        "transport": {"type": "stdio"},
        "environmentVariables": [
            {
                "name": "LABRIG_HOME",
                "description": "Folder of workspaces and databases; by default the user's data folder.",
                "format": "filepath",
                "isRequired": False,
            }
        ],
    }
    return {
        "$schema": REGISTRY_SCHEMA,
        "name": f"{NAMESPACE}/{client_configs.key(toolbox.name)}",
        "title": toolbox.title,
        "description": description,
        "version": __version__,
        "packages": [package],
    }


def refused_tools(toolbox: Toolbox) -> list[str]:
    """Return a line for each thing in the tools of a server, of every toolset, that a model service refuses."""
    found = {
        line: None
        for toolset in toolbox.toolsets
        for tool in _list_tools(toolbox, ServeOptions(toolsets=(toolset,)))
        for line in tool_schemas.refused(tool)
    }
    return [f"{toolbox.name}: {line}" for line in found]


def _list_tools(toolbox: Toolbox, options: ServeOptions) -> list[dict[str, Any]]:
    from labrig.serving.builder import build  # FastMCP is imported here, not with the command line

    listed = asyncio.run(build(toolbox, options).list_tools())
    return [each.to_mcp_tool().model_dump(by_alias=True, mode="json", exclude_none=True) for each in listed]


def tool_listing(toolbox: Toolbox) -> dict[str, Any]:
    """Return the default tools/list result of a server in wire form, and the tool names of each toolset."""
    return {
        "server": toolbox.name,
        "instructions": toolbox.instructions,
        "toolsets": {
            toolset: [spec.name for spec in toolbox.specs if toolset in spec.toolsets]
            for toolset in toolbox.toolsets
        },
        "tools": _list_tools(toolbox, ServeOptions()),
    }


def _write_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _write_readme(about: Mapping[str, str]) -> str:
    lines = [f"- `{path}`: {text}" for path, text in sorted(about.items())]
    return "\n".join(
        [
            "# Manifests",
            "",
            "Generated by `labrig manifests`; do not edit. The commands need uv and a published package; the "
            "databases of PHREEQC are fetched at the first call. `labrig install CLIENT` writes the same entries "
            "with the absolute command of an installation.",
            "",
            *lines,
            "",
        ]
    )


def _list_files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _find_difference(found: str, wanted: str) -> str:
    have, want = found.splitlines(), wanted.splitlines()
    for number, (left, right) in enumerate(zip(have, want, strict=False), 1):
        if left != right:
            return f"line {number} is {left.strip()!r}, expected {right.strip()!r}"
    return f"{len(have)} lines, expected {len(want)}"
