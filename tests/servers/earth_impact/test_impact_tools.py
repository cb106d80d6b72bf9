"""Simulators as a client meets them: the published envelope, jobs, comparisons on matched settings, pictures."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fastmcp import Client

from labrig.answer import ANSWER_BYTES, json_bytes
from labrig.plotting.images import Look, look
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.impact.records import SCHEMA, SUMMARY
from labrig_earth.server import toolbox
from support.crops import SILT_LOAM, as_json, made_weather, needs_crops, treatment

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = {
    "weather_daily_path": "dry.csv",
    "soil_path": "soil.json",
    "crop_path": "maize.json",
    "management_path": "rainfed.json",
}
AQUACROP = "impact_aquacrop_run"


def lay_out(work: Path) -> None:
    """Write the files of a field of maize in a dry year."""
    work.mkdir()
    (work / "dry.csv").write_bytes(made_weather(rain=0.25))
    (work / "gap.csv").write_bytes(made_weather().replace(b"2001-05-05,", b"2001-05-06,"))
    (work / "soil.json").write_bytes(as_json(type="SandyLoam"))
    (work / "maize.json").write_bytes(as_json(name="Maize", planting="04-20"))
    (work / "rainfed.json").write_bytes(as_json())
    targets = {"method": "thresholds", "percent_of_available": [70] * 4}
    (work / "irrigated.json").write_bytes(as_json(irrigation=targets))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Client[Any], Path]]:
    work = tmp_path_factory.mktemp("impact") / "work"
    lay_out(work)
    options = ServeOptions(workspace=work, toolsets=("simulators", "impact"))
    async with Client(build(toolbox, options)) as opened:
        yield opened, work


async def call(served: tuple[Client[Any], Path], name: str, /, **arguments: Any) -> dict[str, Any]:
    found = (await served[0].call_tool(name, arguments)).structured_content
    assert found is not None
    return found


async def refused(served: tuple[Client[Any], Path], name: str, /, **arguments: Any) -> tuple[str, str]:
    result = await served[0].call_tool(name, arguments, raise_on_error=False)
    assert result.is_error, result.content
    return str(result.meta["labrig"]["error"]["code"]), str(result.content[0].text)


async def test_inputs_are_listed_with_units_and_checked_before_a_run(
    served: tuple[Client[Any], Path],
) -> None:
    listed = await call(served, "list_inputs")
    assert AQUACROP in listed["data"]["simulators"]
    for tool in listed["data"]["simulators"]:
        assert (await call(served, "list_inputs", tool=tool))["data"]["files"]
    checked = await call(served, "check_inputs", tool=AQUACROP, arguments=FILES)
    assert "Mauna Loa" in checked["data"]["assumed"][0]


@pytest.mark.parametrize(
    ("changed", "code", "said"),
    [
        ({"weather_daily_path": "gap.csv"}, "bad_input", "1 days are missing after 2001-05-04"),
        ({"weather_daily_path": "../dry.csv"}, "refused", ".."),
        ({"weather_daily_path": "/etc/passwd"}, "refused", "/etc/passwd"),
        ({"weather_daily_path": "drt.csv"}, "not_found", "dry.csv"),
        ({"weather_daily_path": ""}, "bad_input", "weather_daily_path is missing"),
        ({"backend": "proxy"}, "refused", "a formula in place of the engine"),
        ({"yield_sensitivity": 1}, "not_found", "no argument named 'yield_sensitivity'"),
        ({"timeout_seconds": "long"}, "bad_input", "timeout_seconds is 'long'"),
    ],
)
async def test_what_cannot_be_run_is_refused(
    served: tuple[Client[Any], Path], changed: dict[str, Any], code: str, said: str
) -> None:
    found = await refused(served, "check_inputs", tool=AQUACROP, arguments={**FILES, **changed})
    assert found[0] == code, found
    assert said in found[1]


async def test_an_engine_that_is_not_there_is_named_with_the_line_that_brings_it(
    served: tuple[Client[Any], Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    found = await refused(served, AQUACROP, **FILES)
    assert found[0] == "unavailable"
    assert "labrig setup crops" in found[1]
    listed = await call(served, "list_inputs")
    assert "labrig setup crops" in listed["data"]["simulators"][AQUACROP]


def _archive(folder: Path, yields: list[float], **changed: Any) -> str:
    """Write the folder of a made run, and return its name in the workspace."""
    folder.mkdir(exist_ok=True)
    said = {
        "schema": SCHEMA,
        "tool": AQUACROP,
        "engine": "AquaCrop-OSPy 3.1.0",
        "scenario": {"name": folder.name, "description": ""},
        "seed": 23,
        "options": {"yield_threshold_t_ha": 2.5},
        "inputs": {"management_path": [folder.name]},
        "metrics": {"yield_t_ha": {"value": sum(yields) / len(yields), "unit": "t/ha"}},
        "units": [{"unit": f"season {number}", "yield_t_ha": each} for number, each in enumerate(yields)],
        **changed,
    }
    (folder / SUMMARY).write_text(json.dumps(said))
    return folder.name


async def test_runs_are_compared_season_by_season(served: tuple[Client[Any], Path]) -> None:
    """Differences 1, 2, 3: mean 2, standard error 1 / sqrt(3)."""
    first = _archive(served[1] / "base", [4.0, 5.0, 6.0])
    second = _archive(served[1] / "changed", [5.0, 7.0, 9.0])
    found = await call(served, "compare_runs", baseline=first, intervention=second)
    assert found["values"] == [
        {"name": "yield_t_ha", "value": 2.0, "unit": "t/ha", "note": "5 to 7, +40.00 %"}
    ]
    assert found["data"]["paired"] == [
        {
            "name": "yield_t_ha",
            "mean_difference": 2.0,
            "standard_error": 0.57735,
            "interval_95": [-0.484138, 4.484138],  # t of two degrees of freedom is 4.302653
            "pairs": 3,
        }
    ]
    assert found["data"]["changed_inputs"] == ["management_path"]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"seed": 24}, "refused"),
        ({"engine": "AquaCrop-OSPy 3.2.0"}, "refused"),
        ({"options": {"yield_threshold_t_ha": 3}}, "refused"),
        ({"tool": "impact_dssat_run"}, "refused"),
        ({"schema": "other"}, "bad_input"),
        ({"units": 7}, "bad_input"),
    ],
)
async def test_runs_whose_settings_do_not_match_are_not_compared(
    served: tuple[Client[Any], Path], changed: dict[str, Any], code: str
) -> None:
    first = _archive(served[1] / "base", [4.0, 5.0])
    second = _archive(served[1] / "other", [5.0, 7.0], **changed)
    assert (await refused(served, "compare_runs", baseline=first, intervention=second))[0] == code


async def test_a_comparison_without_an_intervention_says_so(served: tuple[Client[Any], Path]) -> None:
    first = _archive(served[1] / "base", [4.0, 5.0])
    found = await call(served, "compare_runs", baseline=first, intervention=first)
    assert found["warnings"] == ["both runs have the same inputs: no intervention is seen"]
    assert (await refused(served, "compare_runs", baseline=first, intervention="dry.csv"))[0] == "bad_input"


@pytest.mark.accept
async def test_the_published_tool_gives_its_envelope_and_the_same_twice(
    served: tuple[Client[Any], Path],
) -> None:
    needs_crops()
    texts = []
    for _ in range(2):
        result = await served[0].call_tool(AQUACROP, {**FILES, "scenario_name": "dry"})
        texts.append(result.content[0].text)
    assert texts[0] == texts[1]
    said = json.loads(texts[0])
    assert said["status"] == "success"
    assert said["run_context"]["determinism"]["model_version"] == "AquaCrop-OSPy 3.1.0"
    assert 1 < said["metrics"]["yield_t_ha"]["value"] < 6
    folder, *files = said["outputs_artifacts"]
    assert folder["content_type"] == "inode/directory"
    for each in files:
        assert (served[1] / each["path"]).is_file()
        assert each["path"].startswith("data/simulators/impact_aquacrop_run/aquacrop-")
    assert (await refused(served, AQUACROP, **FILES, model_version="AquaCrop 7"))[0] == "unavailable"


@pytest.mark.accept
async def test_whether_to_irrigate_is_answered_by_runs_and_a_picture(
    served: tuple[Client[Any], Path],
) -> None:
    """A scripted agent over MCP; what it answers follows from what it read, so a changed result changes it."""
    needs_crops()
    handles = []
    for scenario in ("rainfed", "irrigated"):
        arguments = {**FILES, "management_path": f"{scenario}.json", "scenario_name": scenario}
        started = await call(served, "start_simulation", tool=AQUACROP, arguments=arguments)
        ended = await call(served, "get_job", job=started["data"]["job"], wait_s=45)
        assert json_bytes(ended) <= ANSWER_BYTES
        handles.append(ended["artifacts"][0]["handle"])
    found = await call(served, "compare_runs", baseline=handles[0], intervention=handles[1])
    numbers = {each["name"]: each["value"] for each in found["values"]}
    gain, water = numbers["yield_t_ha"], numbers["irrigation_mm"]
    assert gain > 5
    assert water > 100
    assert gain * 1000 / (water * 10) > 1, "kg of grain a cubic metre of irrigation"
    result = await served[0].call_tool("plot_run", {"runs": handles, "options": {"title": "Irrigate?"}})

    seen = look(base64.b64decode(result.content[0].data))
    assert isinstance(seen, Look)
    assert (await refused(served, "plot_run", runs=handles, options={"season": 9}))[0] == "not_found"


@pytest.mark.accept
async def test_an_ensemble_gives_its_failures(served: tuple[Client[Any], Path]) -> None:
    needs_crops()
    for number, rain in enumerate((0.1, 0.5, 1.0)):
        (served[1] / f"member{number}.csv").write_bytes(made_weather(rain=rain))
    members = [f"member{number}.csv" for number in range(3)]
    arguments = {**FILES, "ensemble_weather_daily_paths": members, "yield_threshold_t_ha": 5.0}
    result = await served[0].call_tool(AQUACROP, arguments)
    said = json.loads(result.content[0].text)
    assert said["metrics"]["seasons"]["value"] == 4
    assert said["derived_metrics"]["yield_below_threshold_fraction"]["value"] == 0.5


@pytest.mark.accept
async def test_a_run_of_dssat_is_read_and_drawn(served: tuple[Client[Any], Path]) -> None:
    """The published tool by its name, then its archive: what it left, its overview as a map, a picture of two runs."""
    needs_crops()
    work = served[1]
    (work / "sun.csv").write_bytes(made_weather(et0_mm=None))
    (work / "silt.json").write_bytes(as_json(**SILT_LOAM))
    (work / "pioneer.json").write_bytes(as_json(crop="Maize", cultivar="PIO 3382"))
    handles = []
    for scenario, changed in (("fertilized", {}), ("unfertilized", {"fertilizer": []})):
        (work / f"{scenario}.json").write_bytes(as_json(**treatment(**changed)))
        arguments = {
            "weather_daily_path": "sun.csv",
            "soil_profile_path": "silt.json",
            "cultivar_path": "pioneer.json",
            "treatment_path": f"{scenario}.json",
            "scenario_name": scenario,
        }
        said = json.loads((await served[0].call_tool("impact_dssat_run", arguments)).content[0].text)
        assert said["run_context"]["determinism"]["model_version"].startswith("DSSAT-CSM 4.8.2")
        handles.append(said["outputs_artifacts"][0]["path"])
    listed = await call(served, "read_output", run=handles[0])
    assert "outputs/OVERVIEW.OUT" in listed["data"]["files"]
    read = await call(served, "read_output", run=handles[0], name="OVERVIEW.OUT", output="outline")
    assert "N-FERTILIZER: 120 kg/ha IN 1 APPLICATIONS" in read["text"]
    assert "2026" not in read["text"], "no time of the run is in its files"
    assert json_bytes(read) <= ANSWER_BYTES
    found = await call(served, "compare_runs", baseline=handles[1], intervention=handles[0])
    gain = next(each["value"] for each in found["values"] if each["name"] == "yield_t_ha")
    assert gain > 3
    result = await served[0].call_tool("plot_run", {"runs": handles})
    assert isinstance(look(base64.b64decode(result.content[0].data)), Look)
    refusal = await refused(served, "read_output", run=handles[0], name="OVERVEIW.OUT")
    assert refusal[0] == "not_found"
    assert "OVERVIEW.OUT" in refusal[1]


@pytest.mark.accept
async def test_names_are_listed_and_checked_before_a_run(served: tuple[Client[Any], Path]) -> None:
    needs_crops()
    assert "Wheat" in (await call(served, "list_inputs", tool=AQUACROP))["data"]["crops"]
    listed = await call(served, "list_inputs", tool="impact_dssat_run", crop="Maize")
    assert "IB0012 (PIO 3382)" in listed["data"]["cultivars"]
    assert json_bytes(listed) <= ANSWER_BYTES
    (served[1] / "wheet.json").write_bytes(as_json(name="Wheet", planting="10-01"))
    arguments = {**FILES, "crop_path": "wheet.json"}
    found = await refused(served, "check_inputs", tool=AQUACROP, arguments=arguments)
    assert found[0] == "not_found"
    assert "did you mean Wheat" in found[1]
    checked = await call(served, "check_inputs", tool=AQUACROP, arguments=FILES)
    assert "The engine knows what they name" in checked["text"]
