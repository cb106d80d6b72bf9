"""One scenario, 2 K warmer and a bridge closed, through crops, buildings, traffic, health and risk over MCP.

A scripted agent asks where the world is hit hardest; what it answers is computed from its calls alone.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.plotting.images import Look, look
from support import risk, scenarios
from support.buildings import needs_energyplus
from support.crops import needs_crops
from support.health import spec_json
from support.played import call, played, simulated
from support.traffic import needs_sumo

pytestmark = pytest.mark.accept

WARM = {
    "warmer_k": 2,
    "humidity": "constant_relative_humidity",
    "closed_edges": ["bridge", "bridge-back"],
    "hazard_intensity_percent": 14,  # of rain that makes floods, as more vapour for 2 K
}
WORSE = {
    "impact_aquacrop_run": ("yield_t_ha", -1),
    "impact_dssat_run": ("yield_t_ha", -1),
    "impact_energyplus_run": ("cooling_kwh", 1),
    "impact_sumo_run": ("avg_travel_time_s", 1),
    "impact_health_utci": ("hours_above_strong_stress", 1),
    "impact_climada_run": ("expected_annual_impact", 1),
    "impact_health_erf": ("attributable_cases", 1),
}
"""What is looked at of each engine, and which sign of its change is for the worse."""

DRAWN = ("impact_energyplus_run", "impact_sumo_run")


async def decide(
    client: Client[Any], drawn: dict[str, str], changed: dict[str, float] | None = None
) -> tuple[str, dict[str, float]]:
    """Run both worlds of each pair, and say which number gets worst, by how many percent of the baseline.

    `changed` replaces differences on their way to the agent; `drawn` gets pictures of both worlds.
    """
    inputs = {
        role: name for role, name in scenarios.FILES.items() if risk.installed() or role not in risk.ROLES
    }
    compiled = await call(client, "compile_scenario", name="warm", perturbation=WARM, inputs=inputs)
    assert compiled["status"] == "ok", compiled["warnings"]
    percents: dict[str, float] = {}
    pairs = list(compiled["data"]["pairs"])
    for pair in pairs:
        ran = [await simulated(client, pair["tool"], pair[world]) for world in ("baseline", "scenario")]
        handles = [each["artifacts"][0]["handle"] for each in ran]
        if pair["tool"] == "impact_health_utci":
            costs = {
                world: {
                    "exposure_series_path": f"{handle}/outputs/utci_daily.csv",
                    "exposure_column": "utci_max_c",
                    "population_exposed_path": "people.csv",
                    "erf_spec_path": "heat.json",
                    "baseline_rate_per_100k": 900,
                    "scenario_name": world,
                }
                for world, handle in zip(("baseline", "scenario"), handles, strict=True)
            }
            pairs.append({"tool": "impact_health_erf", **costs})
        compared = await call(client, "compare_runs", baseline=handles[0], intervention=handles[1])
        if pair["tool"] in DRAWN:
            picture = await client.call_tool("plot_run", {"runs": handles})
            drawn[pair["tool"]] = next(each.data for each in picture.content if each.type == "image")
        name, sign = WORSE[pair["tool"]]
        before = next(each["value"] for each in ran[0]["values"] if each["name"] == name)
        differs = {each["name"]: each["value"] for each in compared["values"]}[name]
        differs = (changed or {}).get(pair["tool"], differs)
        percents[pair["tool"]] = round(sign * 100 * differs / before, 3)
    return max(percents, key=lambda tool: percents[tool]), percents


async def test_where_the_world_is_hit_hardest_live_and_replayed(tmp_path: Path) -> None:
    needs_crops()
    needs_energyplus()
    needs_sumo()
    work = tmp_path / "work"
    work.mkdir()
    scenarios.lay_out(work)
    (work / "people.csv").write_text("persons\n120000\n")
    (work / "heat.json").write_bytes(spec_json(reference_exposure=32.0))
    drawn: dict[str, str] = {}
    worst, percents = await played(tmp_path, "record", lambda client: decide(client, drawn))
    assert list(percents) == [each for each in WORSE if risk.installed() or each != "impact_climada_run"]
    assert percents.get("impact_climada_run", 20.0) > 5, "deeper floods cost more"
    for tool, picture in drawn.items():
        content = base64.b64decode(picture)
        (tmp_path / f"{tool}.png").write_bytes(content)
        shown = look(content)
        assert isinstance(shown, Look) and shown.width == 1280
    assert tuple(drawn) == DRAWN
    assert percents["impact_energyplus_run"] > 5, "a house is cooled more"
    assert percents["impact_sumo_run"] > 20, "the way round takes longer"
    assert percents["impact_health_utci"] > 10 and percents["impact_health_erf"] > 10
    assert percents["impact_aquacrop_run"] > 0 or percents["impact_dssat_run"] > 0
    closure = json.loads((work / "scenarios/warm/closure.json").read_text())
    told = [*closure["between_inputs"], *(check for each in closure["inputs"] for check in each["checks"])]
    assert len(told) >= 20 and all(each["passed"] for each in told)
    assert await played(tmp_path, "replay", lambda client: decide(client, {})) == (worst, percents), (
        "no server, and no engine, was there"
    )
    other = next(tool for tool in percents if tool != worst)

    async def deceived(client: Client[Any]) -> tuple[str, dict[str, float]]:
        return await decide(client, {}, {other: WORSE[other][1] * 1e6})

    assert (await played(tmp_path, "replay", deceived))[0] == other, "a changed result changes the answer"
