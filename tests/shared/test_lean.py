"""The short form of published tools: what a client assumes is left out, and what a tool takes stays the same."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from fastmcp import Client
from pydantic import BeforeValidator, Field

from labrig.answer import Published
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions, Toolbox

pytestmark = pytest.mark.asyncio(loop_scope="session")

box = Toolbox("lean", "Lean", "Shows what a list of tools leaves out.", toolsets={"default": "its tools"})
Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


@box.tool(title="Published", read_only=True, faithful=True)
async def published(
    path: str,
    name: Text = "",
    limit: Annotated[float | None, Field(description="K.", ge=0)] = None,
    either: str | list[str] | None = None,
    flag: bool = False,
    count: int = 0,
    many: list[int] = [],  # noqa: B006 - pydantic copies it
    more: dict[str, Any] = {},  # noqa: B006
    output: str = "./data/x.nc",
    mode: str = "mean",
) -> Published:
    """Say what it was given."""
    return Published(f"{path} {name!r} {limit} {either} {many} {more}", source="test")


@box.tool(title="Own", read_only=True)
async def own(limit: float | None = None, name: str = "") -> Published:
    """Say nothing."""
    return Published("", source="test")


async def test_what_is_assumed_is_not_said() -> None:
    async with Client(build(box, ServeOptions())) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
    assert tools["published"].input_schema == {
        "type": "object",
        "required": ["path"],
        "properties": {
            "path": {"type": "string"},
            "name": {"type": "string"},
            "limit": {"type": "number", "minimum": 0, "description": "K."},
            "either": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "flag": {"type": "boolean"},
            "count": {"type": "integer", "default": 0},
            "many": {"type": "array", "items": {"type": "integer"}},
            "more": {"type": "object"},
            "output": {"type": "string"},
            "mode": {"type": "string", "default": "mean"},
        },
    }
    assert tools["own"].input_schema["properties"] == {
        "limit": {"type": "number"},
        "name": {"type": "string"},
    }
    assert tools["own"].meta is None
    hints = tools["published"].annotations
    assert hints is not None and (hints.read_only_hint, hints.destructive_hint) == (True, None)


async def test_null_and_nothing_are_taken_as_before() -> None:
    async with Client(build(box, ServeOptions())) as client:
        bare = await client.call_tool("published", {"path": "a"})
        null = await client.call_tool("published", {"path": "a", "name": None, "limit": None, "either": None})
        wrong = await client.call_tool("published", {"path": "a", "other": 1}, raise_on_error=False)
    assert bare.content[0].text == null.content[0].text == "a '' None None [] {}"
    assert wrong.is_error and "other" in wrong.content[0].text
