"""Requests in people's words find their tool by the search of the real Claude Code.

Its model is scripted on 127.0.0.1: it searches for each request by the request's own words, function words left out,
and looks at the first three. All tools of the five servers are installed but those that repeat published names. The
search leaves out the tool of each server that is listed at once. So there are two figures: what the search finds where
every tool is deferred, and what is found or listed at once as the servers are installed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from support.every_server import installed
from support.places import PROJECT
from support.real_clients import ask_claude_code, install
from support.right_tools import FIRST, keywords_of, offered, requests_of, toolsets_of
from support.scripted_model import Reply

pytestmark = pytest.mark.soak

LEAST = {"requests": 0.95, "requests_of_people": 0.9, "requests_held_out": 0.9, "requests_fresh": 0.85}
"""The share that must be found of each file of requests: by the search alone, and with what is listed at once."""


def _results(requests: list[Any]) -> list[list[str]]:
    """Return the names of tools that each search found, from what the model was sent last."""
    last = max(requests, key=lambda request: len(json.dumps(request.get("messages", ""))))
    blocks = [
        block
        for message in last["messages"]
        for block in (message["content"] if isinstance(message["content"], list) else ())
        if block["type"] == "tool_result"
    ]
    return [
        [
            each["tool_name"].rpartition("__")[2]
            for each in block["content"]
            if each["type"] == "tool_reference"
        ]
        if isinstance(block["content"], list)
        else []  # it says in words that nothing matches
        for block in blocks
    ]


@pytest.fixture(scope="module", params=[True, False], ids=["every tool deferred", "as installed"])
def found(
    request: pytest.FixtureRequest, databases: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[bool, dict[str, list[str]]]:
    """Whether every tool is deferred, and the names that each search gives by the request's id: all in one session."""
    top = tmp_path_factory.mktemp("search")
    project, private = top / "project", top / "private"
    for folder in (project, private):
        folder.mkdir()
    for server in installed():
        flags = [word for each in toolsets_of(server) for word in ("--toolsets", each)]
        root = ("--root", str(top)) if server == "repository" else ()
        install("claude-code", server, project, private, *flags, *root)
    if request.param:
        _defer(project / ".mcp.json")
    asked = [each for file in LEAST for each in requests_of(file) if each["tools"]]
    searches = tuple(
        ("ToolSearch", {"query": keywords_of(each["request"]), "max_results": FIRST}) for each in asked
    )
    _, sent = ask_claude_code(
        "Search.", [Reply(calls=searches), "Done."], installed(), project, private, search=True
    )
    listed = [server for server in installed() if f"mcp__labrig-{server}__" in json.dumps(sent)]
    assert listed == installed(), "each server has connected"
    results = _results(sent)
    return request.param, {each["id"]: names[:FIRST] for each, names in zip(asked, results, strict=True)}


def _defer(installed_servers: Path) -> None:
    """Have the installed servers list none of their tools at once."""
    config = json.loads(installed_servers.read_text())
    for name, server in config["mcpServers"].items():
        server["args"] = ["-m", "support.all_deferred", name.removeprefix("labrig-"), *server["args"]]
        server["command"] = sys.executable
        server["env"]["PYTHONPATH"] = str(PROJECT / "tests")
    installed_servers.write_text(json.dumps(config))


@pytest.mark.parametrize("file", LEAST)
def test_claude_codes_search_finds_the_right_tool_first(
    file: str, found: tuple[bool, dict[str, list[str]]]
) -> None:
    deferred, names = found
    asked = [each for each in requests_of(file) if each["tools"]]
    at_once = set() if deferred else {name for (_, name), spec in offered().items() if spec.first}
    missed = [each["id"] for each in asked if not {*names[each["id"]], *at_once} & set(each["tools"])]
    print(
        f"{file}: {len(asked) - len(missed)} of {len(asked)} found "
        + ("by the search alone" if deferred else "or listed at once")
    )
    assert len(missed) <= (1 - LEAST[file]) * len(asked), missed
