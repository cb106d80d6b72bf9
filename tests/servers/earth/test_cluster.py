"""The same call on two dask workers gives the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from support.known_servers.earth import CLIMATE, REGIONS, lay_out

pytestmark = pytest.mark.accept
distributed = pytest.importorskip("distributed")


@pytest.fixture
def scheduler() -> Iterator[str]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, processes=True
    ) as cluster:
        yield cluster.scheduler_address


async def _answer(folder: Path, scheduler: str, tool: str, arguments: dict[str, Any]) -> Any:
    settings = {"scheduler": scheduler} if scheduler else {}
    options = ServeOptions(workspace=folder / "work", roots=lay_out(folder), settings=settings)
    async with Client(build(toolbox, options)) as client:
        return (await client.call_tool(tool, arguments, raise_on_error=False)).structured_content


async def test_two_workers_give_what_one_process_gives(scheduler: str, tmp_path: Path) -> None:
    for arguments in (
        {"data": CLIMATE, "variable": "t2m", "polygons": REGIONS, "every": "year"},
        {"data": CLIMATE, "variable": "t2m", "statistic": "exceedance", "options": {"threshold": 290}},
    ):
        there = await _answer(tmp_path, scheduler, "aggregate_grid", arguments)
        here = await _answer(tmp_path, "", "aggregate_grid", arguments)
        assert there["values"] == here["values"] and here["values"]
        assert [each["bytes"] for each in there.get("artifacts", [])] == [
            each["bytes"] for each in here.get("artifacts", [])
        ]


async def test_a_scheduler_that_does_not_answer_says_so(tmp_path: Path) -> None:
    options = ServeOptions(
        workspace=tmp_path / "work", roots=lay_out(tmp_path), settings={"scheduler": "tcp://127.0.0.1:9"}
    )
    async with Client(build(toolbox, options)) as client:
        found = await client.call_tool(
            "aggregate_grid", {"data": CLIMATE, "variable": "u10"}, raise_on_error=False
        )
    assert found.is_error and "does not answer" in found.content[0].text
