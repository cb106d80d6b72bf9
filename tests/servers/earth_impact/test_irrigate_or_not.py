"""A scripted agent that decides whether to irrigate: live over MCP, replayed without the engine, with a result changed.

What it answers is computed from the results of its calls alone.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from labrig.calls import CallLog
from labrig.toolbox import ServeOptions
from labrig_harness.recording import call_store
from labrig_harness.recording.call_store import CallStore, Setting
from labrig_harness.recording.recorder import Recorder
from labrig_harness.recording.relay import relay
from labrig_harness.registry.servers import Target
from labrig_programs import shim
from support.crops import as_json, made_weather, needs_crops

KG_PER_M3 = 1.0
"""What a cubic metre of irrigation must bring, kg of grain."""


async def decide(client: Client[Any], changed: dict[str, float] | None = None) -> tuple[str, float]:
    """Run a field without and with irrigation, and say whether it is worth its water, and what it brings.

    `changed` replaces values of the comparison on their way to the agent.
    """
    runs = []
    for scenario in ("rainfed", "irrigated"):
        arguments = {
            "weather_daily_path": "dry.csv",
            "soil_path": "soil.json",
            "crop_path": "maize.json",
            "management_path": f"{scenario}.json",
            "scenario_name": scenario,
        }
        started = await client.call_tool(
            "start_simulation", {"tool": "impact_aquacrop_run", "arguments": arguments}
        )
        job = started.structured_content["data"]["job"]
        ended = await client.call_tool("get_job", {"job": job, "wait_s": 45})
        runs.append(ended.structured_content["artifacts"][0]["handle"])
    compared = await client.call_tool("compare_runs", {"baseline": runs[0], "intervention": runs[1]})
    values = {each["name"]: each["value"] for each in compared.structured_content["values"]} | (changed or {})
    brings = values["yield_t_ha"] * 1000 / (values["irrigation_mm"] * 10)
    return ("irrigate" if brings > KG_PER_M3 else "do not"), round(brings, 4)


async def _played(tmp_path: Path, mode: str, **more: Any) -> tuple[str, float]:
    call_store._opened.clear()  # as another process would find it
    log = tmp_path / f"log-{mode}-{len(more)}"
    log.mkdir()
    store = CallStore.open(tmp_path / "store", mode=mode)
    setting = Setting("earth", {"toolsets": ["impact"]})
    recorder = Recorder(CallLog(log), "earth", mode=mode, store=store, setting=setting)
    argv = (
        sys.executable,
        "-m",
        "labrig_earth",
        "--workspace",
        str(tmp_path / "work"),
        "--toolsets",
        "impact",
    )
    target = Target(name="earth", argv=argv if mode != "replay" else ("/no/such/server",))
    async with relay(target, ServeOptions(), recorder) as path:
        command = shim.command(path)
        async with Client(StdioTransport(command[0], command[1:], keep_alive=False)) as client:
            answer = await decide(client, **more)
    assert not recorder.failure
    assert recorder.unseen == 0
    return answer


@pytest.mark.accept
async def test_the_answer_follows_from_the_runs_live_and_replayed(tmp_path: Path) -> None:
    needs_crops()
    work = tmp_path / "work"
    work.mkdir()
    (work / "dry.csv").write_bytes(made_weather(rain=0.25))
    (work / "soil.json").write_bytes(as_json(type="SandyLoam"))
    (work / "maize.json").write_bytes(as_json(name="Maize", planting="04-20"))
    (work / "rainfed.json").write_bytes(as_json())
    targets = {"method": "thresholds", "percent_of_available": [70] * 4}
    (work / "irrigated.json").write_bytes(as_json(irrigation=targets))
    live = await _played(tmp_path, "record")
    assert live[0] == "irrigate"
    assert 2 < live[1] < 6
    assert await _played(tmp_path, "replay") == live, "no server, and no engine, was there"
    assert (await _played(tmp_path, "replay", changed={"yield_t_ha": 0.5}))[0] == "do not"
