"""``compile_scenario`` and pairs of runs as a client meets them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fastmcp import Client

from labrig.answer import ANSWER_BYTES, json_bytes
from labrig.serving.builder import build, listed_form
from labrig.toolbox import ServeOptions
from labrig_earth.impact.records import SCHEMA, SUMMARY
from labrig_earth.impact.scenario.compiling import ROLES
from labrig_earth.server import toolbox
from support import scenarios

pytestmark = pytest.mark.asyncio(loop_scope="module")

WARM = {"warmer_k": 2, "humidity": "constant_relative_humidity", "closed_edges": ["bridge"]}
DRY = {"precipitation_percent": -30, "precipitation_as": "intensity"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Client[Any], Path]]:
    work = tmp_path_factory.mktemp("scenario")
    scenarios.lay_out(work)
    async with Client(build(toolbox, ServeOptions(workspace=work, toolsets=("impact",)))) as opened:
        yield opened, work


async def call(served: tuple[Client[Any], Path], name: str, /, **arguments: Any) -> dict[str, Any]:
    found = (await served[0].call_tool(name, arguments)).structured_content
    assert found is not None
    return found


async def refused(served: tuple[Client[Any], Path], name: str, /, **arguments: Any) -> tuple[str, str]:
    found = await served[0].call_tool(name, arguments, raise_on_error=False)
    assert found.is_error
    return found.meta["labrig"]["error"]["code"], found.content[0].text


@pytest.mark.accept
async def test_a_scenario_is_a_folder_of_inputs_and_pairs_that_can_be_checked(
    served: tuple[Client[Any], Path],
) -> None:
    client, work = served
    inputs = {role: name for role, name in scenarios.FILES.items() if "epw" not in role}
    found = await call(served, "compile_scenario", name="warm", perturbation=WARM, inputs=inputs)
    assert json_bytes(found) <= ANSWER_BYTES
    data = found["data"]
    assert found["status"] == "ok" and data["folder"] == "scenarios/warm"
    assert json.loads((work / data["pairs_file"]).read_text()) == data["pairs"]
    closure = json.loads((work / data["closure"]).read_text())
    assert {each["input"] for each in closure["inputs"]} >= {"weather_daily_path", "met_timeseries_path"}
    assert any("et0_mm" in each for each in data["changes"]["weather_daily_path weather.csv"])
    assert any("impact_energyplus_run has no pair" in each for each in data["not_perturbed"])
    assert [each["tool"] for each in data["pairs"]] == [
        "impact_aquacrop_run", "impact_dssat_run", "impact_sumo_run", "impact_health_utci",
    ]  # fmt: skip
    for pair in data["pairs"][2:]:  # those of crops load an engine
        for world in ("baseline", "scenario"):
            checked = await client.call_tool("check_inputs", {"tool": pair["tool"], "arguments": pair[world]})
            assert checked.structured_content["status"] == "ok"
    again = await call(served, "compile_scenario", name="warm", perturbation=WARM, inputs=inputs)
    assert again == found, "the same scenario again is the same folder"
    other = {**WARM, "warmer_k": 3}
    code, said = await refused(served, "compile_scenario", name="warm", perturbation=other, inputs=inputs)
    assert code == "bad_input" and "another scenario of this name" in said
    assert json.loads((work / data["closure"]).read_text()) == closure, "what was there is there"


@pytest.mark.accept
async def test_members_become_pairs_and_one_ensemble(served: tuple[Client[Any], Path]) -> None:
    _, work = served
    for number in (2, 3):
        (work / f"member{number}.csv").write_bytes(scenarios.daily_csv())
    members = ["weather.csv", "member2.csv", "member3.csv"]
    inputs = {**{role: scenarios.FILES[role] for role in scenarios.FILES if "network" not in role}}
    roles = (
        "soil_path",
        "crop_path",
        "management_path",
        "soil_profile_path",
        "cultivar_path",
        "treatment_path",
    )
    crops: dict[str, Any] = {role: inputs[role] for role in roles}
    found = await call(
        served,
        "compile_scenario",
        name="dry",
        perturbation={"precipitation_percent": -30, "precipitation_as": "wet_days"},
        inputs={**crops, "weather_daily_path": members},
        options={"seed": 4},
    )
    maize, *dssat = found["data"]["pairs"]
    assert maize["scenario"]["ensemble_weather_daily_paths"] == [
        f"scenarios/dry/weather_daily_{number:02}.csv" for number in (2, 3)
    ]
    assert [each["baseline"]["weather_daily_path"] for each in dssat] == members
    made = [(work / f"scenarios/dry/weather_daily_{number:02}.csv").read_bytes() for number in (1, 2, 3)]
    assert len(set(made)) == 3, "each member loses other days"


@pytest.mark.accept
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ({"name": "../x"}, "bad_input", "pattern"),
        ({"inputs": {}}, "bad_input", "No input is given"),
        ({"inputs": {"weather": "weather.csv"}}, "not_found", "weather_"),
        ({"inputs": {"weather_daily_path": "/etc/passwd"}}, "refused", "bsolute"),
        ({"inputs": {"weather_daily_path": "none.csv"}}, "not_found", "none.csv"),
        ({"inputs": {"weather_daily_path": "soil.json"}}, "bad_input", "soil.json"),
        ({"inputs": {"crop_path": ["maize.json", "maize.json"]}}, "limit", "2 files"),
        ({"options": {"lat": 3}}, "not_found", "latitude"),
        ({"options": {"latitude": True}}, "bad_input", "no number"),
        ({"perturbation": {"warmer_k": 2}}, "bad_input", "rule for humidity"),
    ],
)
async def test_bad_input_is_refused_and_writes_nothing(
    served: tuple[Client[Any], Path], arguments: dict[str, Any], code: str, said: str
) -> None:
    asked = {"name": "bad", "perturbation": DRY, "inputs": {"weather_daily_path": "weather.csv"}} | arguments
    found = await refused(served, "compile_scenario", **asked)
    assert found[0] == code and said in found[1]
    assert not (served[1] / "scenarios/bad").exists()


def _run(folder: Path, energy: float, **changed: Any) -> str:
    folder.mkdir(exist_ok=True)
    said = {
        "schema": SCHEMA,
        "tool": "impact_energyplus_run",
        "engine": "EnergyPlus 25.2",
        "scenario": {"name": folder.name, "description": ""},
        "seed": 43,
        "options": {"heating_setpoint_c": None, "cooling_setpoint_c": None},
        "inputs": {"weather_epw_path": [folder.name]},
        "metrics": {"total_energy_kwh": {"value": energy, "unit": "kWh"}},
        "units": [],
        **changed,
    }
    (folder / SUMMARY).write_text(json.dumps(said))
    return folder.name


async def test_pairs_of_runs_have_an_interval(served: tuple[Client[Any], Path]) -> None:
    """Differences 1, 2, 3, 6: mean 3, standard deviation sqrt(14 / 3), t of three degrees of freedom 3.182446."""
    base = [_run(served[1] / f"base{n}", 10.0 * n) for n in range(4)]
    warm = [_run(served[1] / f"warm{n}", 10.0 * n + each) for n, each in enumerate((1.0, 2.0, 3.0, 6.0))]
    found = await call(served, "compare_runs", baseline=base, intervention=warm)
    (row,) = found["data"]["paired"]
    half = 3.182446 * (14 / 3) ** 0.5 / 2
    assert row["mean_difference"] == 3.0 and row["pairs"] == 4
    assert row["interval_95"] == pytest.approx([3 - half, 3 + half], abs=1e-5)
    assert found["values"][0]["unit"] == "kWh" and "4 pairs" in found["values"][0]["note"]
    assert (await refused(served, "compare_runs", baseline=base, intervention=warm[:3]))[0] == "bad_input"
    assert (await refused(served, "compare_runs", baseline=[], intervention=[]))[0] == "bad_input"
    other = _run(served[1] / "other", 1.0, tool="impact_sumo_run")
    assert (await refused(served, "compare_runs", baseline=[base[0], other], intervention=[warm[0], other]))[
        0
    ] == "refused"


async def test_set_points_are_compared_where_they_are_meant_to_differ(
    served: tuple[Client[Any], Path],
) -> None:
    base = _run(served[1] / "as-it-is", 100.0)
    warm = _run(served[1] / "cooler", 130.0, options={"heating_setpoint_c": None, "cooling_setpoint_c": 23})
    code, said = await refused(served, "compare_runs", baseline=base, intervention=warm)
    assert code == "refused" and "changed_options" in said
    found = await call(
        served, "compare_runs", baseline=base, intervention=warm, changed_options=["cooling_setpoint_c"]
    )
    assert found["values"][0]["value"] == 30.0
    assert "cooling_setpoint_c" in found["data"]["changed_inputs"]
    assert (
        await refused(served, "compare_runs", baseline=base, intervention=warm, changed_options=["cooling"])
    )[0] == "not_found"


async def test_the_files_of_a_baseline_are_listed_by_name() -> None:
    spec = next(each for each in toolbox.specs if each.name == "compile_scenario")
    assert set(listed_form(spec).parameters["properties"]["inputs"]["properties"]) == set(ROLES)
