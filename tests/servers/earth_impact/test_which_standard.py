"""A scripted agent that decides how thick a house is insulated: live over MCP, replayed, with a result changed."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.plotting.images import Look, look
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from support.buildings import needs_energyplus, steady_epw
from support.played import call, played

KWH_PER_M2K_W = 2000.0
"""What a further m2 K/W of insulation must save in a year, kWh."""

TOOLSETS = "simulators,impact"

STANDARDS = {"thin": 1.0, "medium": 3.0, "thick": 6.0}


def lay_out(work: Path) -> None:
    """Write a house by each standard, and a cold year."""
    (work / "cold.epw").write_bytes(steady_epw(-2.0))
    for name, insulation in STANDARDS.items():
        (work / f"{name}.json").write_text(
            json.dumps({"insulation_r_m2k_w": insulation, "window_share": 0.1})
        )


async def decide(client: Client[Any], changed: dict[str, float] | None = None) -> tuple[str, list[str]]:
    """Take the next better standard as long as it saves enough, and return it with the handles of the runs."""
    chosen, runs = "thin", []
    needs: dict[str, float] = {}
    for name in STANDARDS:
        result = await client.call_tool(
            "impact_energyplus_run",
            {"building_idf_path": f"{name}.json", "weather_epw_path": "cold.epw", "scenario_name": name},
        )
        found = json.loads(result.content[0].text)
        assert found["status"] == "success"
        assert found["run_context"]["determinism"]["model_version"].startswith("EnergyPlus 25.2")
        needs[name] = (changed or {}).get(name, found["metrics"]["total_energy_kwh"]["value"])
        runs.append(found["outputs_artifacts"][0]["path"])
    for name, before in (("medium", "thin"), ("thick", "medium")):
        if needs[before] - needs[name] > KWH_PER_M2K_W * (STANDARDS[name] - STANDARDS[before]):
            chosen = name
    return chosen, runs


@pytest.mark.accept
async def test_the_standard_follows_from_the_runs_live_and_replayed(tmp_path: Path) -> None:
    needs_energyplus()
    work = tmp_path / "work"
    work.mkdir()
    lay_out(work)

    async def compares(client: Client[Any]) -> tuple[str, dict[str, Any], str]:
        chosen, runs = await decide(client)
        compared = await call(client, "compare_runs", baseline=runs[0], intervention=runs[2])
        drawn = await client.call_tool("plot_run", {"runs": runs})
        return chosen, compared, next(each.data for each in drawn.content if each.type == "image")

    chosen, compared, picture = live = await played(tmp_path, "record", compares, TOOLSETS)
    assert chosen == "medium"
    values = {each["name"]: each["value"] for each in compared["values"]}
    assert values["heating_kwh"] < -3000
    assert {each["pairs"] for each in compared["data"]["paired"]} == {12}
    assert compared["data"]["changed_inputs"] == ["building_idf_path"]
    shown = look(base64.b64decode(picture))
    assert isinstance(shown, Look) and shown.width == 1280
    assert await played(tmp_path, "replay", compares, TOOLSETS) == live, "no server, and no engine, was there"

    async def deceived(client: Client[Any]) -> str:
        return (await decide(client, {"medium": 1e6}))[0]

    assert await played(tmp_path, "replay", deceived, TOOLSETS) == "thick", (
        "a changed result changes the answer"
    )


async def test_without_energyplus_the_line_that_brings_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path)
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "none"))
    files = {"building_idf_path": "thin.json", "weather_epw_path": "cold.epw"}
    options = ServeOptions(workspace=tmp_path, toolsets=("simulators", "impact"))
    async with Client(build(toolbox, options)) as client:
        result = await client.call_tool("impact_energyplus_run", files, raise_on_error=False)
        assert result.meta["labrig"]["error"]["code"] == "unavailable"
        assert "labrig setup energyplus" in result.content[0].text
        (tmp_path / "short.epw").write_bytes(steady_epw(-2.0)[:5000])
        result = await client.call_tool(
            "impact_energyplus_run", {**files, "weather_epw_path": "short.epw"}, raise_on_error=False
        )
        assert result.meta["labrig"]["error"]["code"] == "bad_input", "what is wrong in a file is said before"
        assert "8,760" in result.content[0].text
        for name in ("default_floor_area_m2", "base_load_w_m2", "heating_sensitivity_w_m2_per_c"):
            result = await client.call_tool("impact_energyplus_run", {**files, name: 6}, raise_on_error=False)
            assert result.meta["labrig"]["error"]["code"] == "refused"
            assert f"{name} only drove a formula in place of EnergyPlus" in result.content[0].text
        result = await client.call_tool(
            "check_inputs",
            {
                "tool": "impact_energyplus_run",
                "arguments": {**files, "cooling_sensitivity_w_m2_per_c": 4},
            },
            raise_on_error=False,
        )
        assert result.meta["labrig"]["error"]["code"] == "refused"
        checked = await client.call_tool(
            "check_inputs",
            {"tool": "impact_energyplus_run", "arguments": {**files, "heating_setpoint_c": True}},
            raise_on_error=False,
        )
        assert checked.meta["labrig"]["error"]["code"] == "bad_input"
