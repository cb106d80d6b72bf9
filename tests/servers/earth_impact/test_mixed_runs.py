"""Runs of several engines at once give the numbers of each alone; a worker that is killed costs its runs alone."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.impact.runs import Engines
from labrig_earth.server import toolbox
from support import risk, scenarios
from support.buildings import needs_energyplus
from support.crops import needs_crops
from support.traffic import needs_sumo

pytestmark = [pytest.mark.accept, pytest.mark.asyncio]

ROLES: dict[str, tuple[str, ...]] = {
    "impact_aquacrop_run": ("weather_daily_path", "soil_path", "crop_path", "management_path"),
    "impact_dssat_run": ("weather_daily_path", "soil_profile_path", "cultivar_path", "treatment_path"),
    "impact_energyplus_run": ("building_idf_path", "weather_epw_path"),
    "impact_sumo_run": ("network_path", "routes_path", "disruptions_path"),
    "impact_health_utci": ("met_timeseries_path",),
    **({"impact_climada_run": risk.ROLES} if risk.installed() else {}),
}
FILES = {**scenarios.FILES, "disruptions_path": "closed.json"}


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Client[Any]]:
    needs_crops()
    needs_energyplus()
    needs_sumo()
    scenarios.lay_out(tmp_path)
    (tmp_path / "closed.json").write_text(json.dumps({"closed_edges": ["bridge"], "seeds": 2}))
    options = ServeOptions(workspace=tmp_path, toolsets=("simulators", "impact"))
    async with Client(build(toolbox, options)) as opened:
        yield opened


async def ran(client: Client[Any], tool: str) -> dict[str, Any]:
    """Return the metrics of a run, or its error."""
    arguments = {role: FILES[role] for role in ROLES[tool]}
    result = await client.call_tool(tool, arguments, raise_on_error=False)
    if result.is_error:
        return dict(result.meta["labrig"]["error"])
    found = json.loads(result.content[0].text)
    return {**found["metrics"], "archive": found["outputs_artifacts"][0]["sha256"]}


async def test_ten_runs_of_all_engines_at_once_give_what_each_gives_alone(served: Client[Any]) -> None:
    alone = {tool: await ran(served, tool) for tool in ROLES}
    assert not [tool for tool, each in alone.items() if "code" in each]
    together = await asyncio.gather(*(ran(served, tool) for tool in (*ROLES, *ROLES)))
    for tool, each in zip((*ROLES, *ROLES), together, strict=True):
        assert each == alone[tool], tool


@pytest.mark.parametrize("tool", ["impact_energyplus_run", "impact_sumo_run", "impact_aquacrop_run"])
async def test_a_worker_that_is_killed_is_a_typed_error_and_the_server_goes_on(
    served: Client[Any], tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[Engines] = []
    made = Engines.__init__

    def kept(self: Engines, *arguments: Any, **more: Any) -> None:
        made(self, *arguments, **more)
        held.append(self)

    monkeypatch.setattr(Engines, "__init__", kept)
    running = asyncio.create_task(ran(served, tool))
    name = tool.removeprefix("impact_").removesuffix("_run")
    while not running.done() and not (
        held and name in held[0]._loaded and getattr(held[0]._loaded[name][0]._server, "runs", None)
    ):
        await asyncio.sleep(0.005)
    server = held[0]._loaded[name][0]._server
    assert server is not None
    os.kill(server.process.pid, signal.SIGKILL)
    died = await running
    assert died["code"] == "engine", died
    again, other = await asyncio.gather(ran(served, tool), ran(served, "impact_health_utci"))
    assert "code" not in again and "code" not in other
