"""A scripted agent that decides which bridge to protect: live over MCP, replayed without SUMO, with a result changed.

Roads and trips are made of streets by the server; what the agent answers is computed from its calls alone.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from support.played import call, played
from support.traffic import FORK, as_json, needs_sumo, steady

pytestmark = pytest.mark.accept

BRIDGES = ("north", "south")


def streets() -> bytes:
    """Return a town on both banks of a river: a bridge in its middle (south), and one that is far out (north)."""
    places = {10 * x + y: (x, y) for x in range(4) for y in range(4)}
    nodes = [f'<node id="{n + 1}" lat="{50 + y / 600}" lon="{9 + x / 400}"/>' for n, (x, y) in places.items()]
    ways = []

    def way(*points: tuple[int, int], **tags: str) -> None:
        refs = "".join(f'<nd ref="{10 * x + y + 1}"/>' for x, y in points)
        said = "".join(
            f'<tag k="{key}" v="{value}"/>' for key, value in {"highway": "residential", **tags}.items()
        )
        ways.append(f'<way id="{len(ways) + 1}">{refs}{said}</way>')

    for y in range(4):
        way((0, y), (1, y))
        way((2, y), (3, y))
    for x in range(4):
        way(*((x, y) for y in range(4)))
    way((1, 0), (2, 0), bridge="yes", name="south")
    way((1, 3), (2, 3), bridge="yes", name="north", maxspeed="10")
    return f'<?xml version="1.0"?><osm version="0.6">{"".join(nodes + ways)}</osm>'.encode()


async def decide(
    client: Client[Any], work: Path, changed: dict[str, float] | None = None
) -> tuple[str, list[float]]:
    """Close each bridge in turn, and protect the one without which the trips take longest.

    `changed` replaces what closing the bridge of a name adds, on its way to the agent.
    """
    made = await call(
        client,
        "make_input",
        kind="roads",
        data=["town.osm"],
        options={"trips": 120, "minutes": 10, "seed": 5},
    )
    roads, trips = (each["handle"] for each in made["artifacts"])
    added = []
    for name in BRIDGES:
        closed = [each["edge"] for each in made["data"]["bridges"] if each["name"] == name]
        await asyncio.to_thread((work / f"{name}.json").write_bytes, as_json(closed_edges=closed))
        arguments = {
            "network_path": roads,
            "routes_path": trips,
            "disruptions_path": f"{name}.json",
            "scenario_name": f"{name} closed",
        }
        started = await call(client, "start_simulation", tool="impact_sumo_run", arguments=arguments)
        ended = await call(client, "get_job", job=started["data"]["job"], wait_s=45)
        values = {each["name"]: each["value"] for each in ended["values"]}
        assert values["seeds"] == 10
        added.append(round((changed or {}).get(name, values["added_travel_time_s"]), 3))
    return BRIDGES[added.index(max(added))], added


async def test_the_answer_follows_from_the_runs_live_and_replayed(tmp_path: Path) -> None:
    needs_sumo()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "town.osm").write_bytes(streets())

    async def agent(client: Client[Any]) -> tuple[str, list[float]]:
        return await decide(client, tmp_path / "work")

    async def deceived(client: Client[Any]) -> tuple[str, list[float]]:
        return await decide(client, tmp_path / "work", {"south": -1.0})

    live = await played(tmp_path, "record", agent)
    assert live[0] == "south"
    assert live[1][1] > live[1][0]
    assert live[1][1] > 20
    assert await played(tmp_path, "replay", agent) == live, "no server, and no engine, was there"
    assert (await played(tmp_path, "replay", deceived))[0] == "north", "a changed result changes the answer"


@asynccontextmanager
async def served(work: Path) -> AsyncIterator[Client[Any]]:
    async with Client(
        build(toolbox, ServeOptions(workspace=work, toolsets=("simulators", "impact")))
    ) as opened:
        yield opened


async def test_the_published_envelope_a_comparison_and_a_picture(tmp_path: Path) -> None:
    needs_sumo()
    (tmp_path / "roads.json").write_bytes(as_json(**FORK))
    (tmp_path / "cars.rou.xml").write_bytes(steady(12, 20))
    runs = []
    async with served(tmp_path) as client:
        for name, disruption in (("open", {}), ("closed", {"closed_edges": ["bc"]})):
            (tmp_path / f"{name}.json").write_bytes(as_json(**disruption))
            result = await client.call_tool(
                "impact_sumo_run",
                {
                    "network_path": "roads.json",
                    "routes_path": "cars.rou.xml",
                    "disruptions_path": f"{name}.json",
                    "scenario_name": name,
                },
            )
            found = json.loads(result.content[0].text)
            assert found["status"] == "success"
            assert found["run_context"]["determinism"]["model_version"] == "SUMO 1.28.0"
            assert found["run_context"]["determinism"]["seed"] == 47
            assert {"avg_travel_time_s", "p95_travel_time_s", "total_delay_h", "trips_cancelled"} <= set(
                found["metrics"]
            )
            runs.append(found["outputs_artifacts"][0]["path"])
        compared = await call(client, "compare_runs", baseline=runs[0], intervention=runs[1])
        paired = {each["name"]: each for each in compared["data"]["paired"]}
        assert paired["avg_travel_time_s"]["pairs"] == 10
        assert paired["avg_travel_time_s"]["mean_difference"] > 120
        assert compared["data"]["changed_inputs"] == ["disruptions_path"]
        drawn = await client.call_tool("plot_run", {"runs": runs})
        assert any(each.type == "image" for each in drawn.content)
        listed = await call(client, "read_output", run=runs[0], name="trips.csv", output="outline")
        assert "table of 120 rows" in listed["text"]


async def test_without_sumo_the_line_that_brings_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "none"))
    (tmp_path / "roads.json").write_bytes(as_json(**FORK))
    (tmp_path / "cars.rou.xml").write_bytes(steady(2))
    (tmp_path / "open.json").write_bytes(as_json())
    files = {"network_path": "roads.json", "routes_path": "cars.rou.xml", "disruptions_path": "open.json"}
    async with served(tmp_path) as client:
        result = await client.call_tool("impact_sumo_run", files, raise_on_error=False)
        assert result.is_error
        assert result.meta["labrig"]["error"]["code"] == "unavailable"
        assert "labrig setup sumo" in result.content[0].text
        checked = await call(client, "check_inputs", tool="impact_sumo_run", arguments=files)
        assert checked["status"] == "ok"
        listed = await call(client, "list_inputs")
        assert "labrig setup sumo" in listed["data"]["simulators"]["impact_sumo_run"]
