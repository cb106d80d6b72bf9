"""The refusal of a tool's former name."""

from __future__ import annotations

import pytest
from fastmcp import Client

from labrig.answer import META_KEY
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_harness.registry import servers


@pytest.mark.parametrize(
    ("server", "former", "followers"),
    [
        ("earth", "gis", ["query_features", "route_on_streets"]),
        ("earth", "extract", ["sample_grid"]),
        ("papers", "render", ["show_page"]),
    ],
)
async def test_the_refusal_of_a_former_name_says_what_followed(
    server: str, former: str, followers: list[str]
) -> None:
    async with Client(build(servers.toolbox(server), ServeOptions())) as client:
        found = await client.call_tool(former, {"do": "query"}, raise_on_error=False)
    error = (found.meta or {})[META_KEY]["error"]
    assert found.is_error and error["code"] == "not_found"
    assert all(each in error["what"] for each in followers) and error["try"] in error["what"]
