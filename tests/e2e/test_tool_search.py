"""Requests in people's words find their tool by the search of the real Claude Code, where all tools are deferred.

Its model is scripted on 127.0.0.1: it searches for each request by the request's own words, function words left out,
and looks at the first three. All tools of the five servers are installed but those that repeat published names; one
of each server is listed at once, which the search leaves out, and counts as found.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.every_server import installed
from support.real_clients import ask_claude_code, install
from support.right_tools import FIRST, keywords_of, offered, requests_of, toolsets_of
from support.scripted_model import Reply

pytestmark = pytest.mark.soak

LEAST = {"requests": 0.95, "requests_of_people": 0.9, "requests_held_out": 0.9, "requests_fresh": 0.85}
"""The share that must be found or listed at once, of each file of requests."""


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


@pytest.fixture(scope="module")
def found(databases: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The names that the search for each request gives, by the request's id: all in one session."""
    top = tmp_path_factory.mktemp("search")
    project, private = top / "project", top / "private"
    for folder in (project, private):
        folder.mkdir()
    for server in installed():
        flags = [word for each in toolsets_of(server) for word in ("--toolsets", each)]
        root = ("--root", str(top)) if server == "repository" else ()
        install("claude-code", server, project, private, *flags, *root)
    asked = [each for file in LEAST for each in requests_of(file) if each["tools"]]
    searches = tuple(
        ("ToolSearch", {"query": keywords_of(each["request"]), "max_results": FIRST}) for each in asked
    )
    _, requests = ask_claude_code(
        "Search.", [Reply(calls=searches), "Done."], installed(), project, private, search=True
    )
    listed = [server for server in installed() if f"mcp__labrig-{server}__" in json.dumps(requests)]
    assert listed == installed(), "each server has connected"
    results = _results(requests)
    return {each["id"]: names[:FIRST] for each, names in zip(asked, results, strict=True)}


@pytest.mark.parametrize("file", LEAST)
def test_claude_codes_search_finds_the_right_tool_first(file: str, found: dict[str, list[str]]) -> None:
    asked = [each for each in requests_of(file) if each["tools"]]
    at_once = {name for (_, name), spec in offered().items() if spec.first}
    missed = [each["id"] for each in asked if not {*found[each["id"]], *at_once} & set(each["tools"])]
    alone = sum(not set(each["tools"]).isdisjoint(found[each["id"]]) for each in asked)
    print(
        f"{file}: {len(asked) - len(missed)} of {len(asked)} found or listed at once, {alone} by the search"
    )
    assert len(missed) <= (1 - LEAST[file]) * len(asked), missed
