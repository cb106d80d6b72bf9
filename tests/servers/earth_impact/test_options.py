"""Options of simulators that no run can use: each is refused by its name, before an engine starts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fastmcp import Client

from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.impact.crops import drawing as of_crops
from labrig_earth.impact.health import drawing as of_health
from labrig_earth.server import toolbox
from labrig_earth.work.fields import read_object
from support.crops import as_json, made_weather
from support.health import met_csv, months_csv, spec_json

pytestmark = pytest.mark.asyncio(loop_scope="module")

PLACE = {"latitude": 48.1, "longitude": 11.6, "timezone": 1, "elevation_m": 520}
CALLS: dict[str, dict[str, Any]] = {
    "impact_aquacrop_run": {
        "weather_daily_path": "days.csv",
        "soil_path": "soil.json",
        "crop_path": "maize.json",
        "management_path": "management.json",
    },
    "impact_health_utci": {"met_timeseries_path": "met.csv"},
    "impact_health_erf": {
        "exposure_series_path": "exposure.csv",
        "population_exposed_path": "people.csv",
        "erf_spec_path": "spec.json",
        "exposure_column": "utci_max_c",
        "baseline_rate_per_100k": 900,
    },
    "weather_monthly_to_daily": {"monthly_weather_path": "months.csv"},
    "weather_to_epw": {"weather_timeseries_path": "epw_days.csv", **PLACE},
}
NUMBERS = (
    ("impact_aquacrop_run", "yield_threshold_t_ha"),
    ("impact_health_utci", "strong_stress_threshold_c"),
    ("impact_health_erf", "baseline_rate_per_100k"),
    ("weather_monthly_to_daily", "wet_day_fraction"),
    *(("weather_to_epw", name) for name in PLACE),
)
TEXTS = (
    ("impact_health_erf", "exposure_column"),
    ("impact_health_erf", "baseline_cases_column"),
    ("weather_to_epw", "city"),
    ("weather_to_epw", "country"),
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client[Any]]:
    work: Path = tmp_path_factory.mktemp("options") / "work"
    work.mkdir()
    (work / "days.csv").write_bytes(made_weather())
    (work / "epw_days.csv").write_bytes(made_weather(rh_pct=60, tdew_c=None))
    (work / "soil.json").write_bytes(as_json(type="SandyLoam"))
    (work / "maize.json").write_bytes(as_json(name="Maize", planting="04-20"))
    (work / "management.json").write_bytes(as_json())
    (work / "met.csv").write_bytes(met_csv(days=2))
    (work / "months.csv").write_bytes(months_csv(2019))
    (work / "exposure.csv").write_text("date,utci_max_c\n2019-07-24,35\n")
    (work / "people.csv").write_text("persons\n500000\n")
    (work / "spec.json").write_bytes(spec_json(reference_exposure=32.0))
    options = ServeOptions(workspace=work, toolsets=("simulators", "impact"))
    async with Client(build(toolbox, options)) as opened:
        yield opened


async def check(client: Client[Any], tool: str, **changed: Any) -> tuple[str, str]:
    """Check inputs; return the error's code ("" for none) and the text."""
    arguments = {"tool": tool, "arguments": {**CALLS[tool], **changed}}
    found = await client.call_tool("check_inputs", arguments, raise_on_error=False)
    code = str(found.meta["labrig"]["error"]["code"]) if found.is_error and found.meta else ""
    return code, str(found.content[0].text)


@pytest.mark.parametrize("tool", CALLS)
async def test_the_calls_are_right_but_for_what_is_changed(client: Client[Any], tool: str) -> None:
    code, said = await check(client, tool)
    assert code == "" and "The files can be used" in said, said


@pytest.mark.parametrize(("tool", "name"), NUMBERS)
async def test_a_number_is_a_number_in_its_range(client: Client[Any], tool: str, name: str) -> None:
    for value in (True, False, "much", [1], {}, 10**400, 1e300, -1e300):
        code, said = await check(client, tool, **{name: value})
        assert code == "bad_input" and name in said and "Expected" in said, (value, said)


@pytest.mark.parametrize(("tool", "name"), TEXTS)
async def test_a_name_is_a_short_text(client: Client[Any], tool: str, name: str) -> None:
    for value in (True, 3, ["a"], {}, "a" * 200, "a\nb"):
        code, said = await check(client, tool, **{name: value})
        assert code == "bad_input" and f"{name} is no short text" in said, (value, said)


@pytest.mark.parametrize("tool", CALLS)
async def test_an_option_that_nobody_knows_is_refused_with_the_nearest(
    client: Client[Any], tool: str
) -> None:
    known = next(iter(CALLS[tool]))
    code, said = await check(client, tool, **{known + "s": "x"})
    assert code == "not_found" and f"did you mean {known}" in said


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", True),
        ("seed", "first"),
        ("timeout_seconds", 10**400),
        ("timeout_seconds", False),
        ("memory_gb", [2]),
        ("memory_gb", 1e300),
        ("cpu_cores", True),
        ("scenario_name", ["a"]),
        ("assumptions", "none"),
        ("backend", 3),
    ],
)
async def test_arguments_of_every_simulator_have_their_types(
    client: Client[Any], name: str, value: Any
) -> None:
    code, said = await check(client, "weather_monthly_to_daily", **{name: value})
    assert code == "bad_input" and name in said


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        *NUMBERS,
        *(("weather_monthly_to_daily", each) for each in ("seed", "threads", "memory_gb", "cpu_cores")),
    ],
)
async def test_true_is_no_number_of_a_published_tool_either(
    client: Client[Any], tool: str, name: str
) -> None:
    found = await client.call_tool(tool, {**CALLS[tool], name: True}, raise_on_error=False)
    assert found.is_error and name in str(found.content[0].text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1" + "0" * 400, "n is 10000000000000000000"),
        ("NaN", "n is no number"),
        ("Infinity", "n is inf"),
        ("true", "n is no number"),
        ('"1"', "n is no number"),
        ("null", "There is no n"),
    ],
)
async def test_a_number_of_a_file_that_is_none(text: str, said: str) -> None:
    with pytest.raises(LabrigError, match=said):
        read_object(f'{{"n": {text}}}'.encode(), "soil.json").number("n", 0, 1, "m")


@pytest.mark.parametrize(
    "values",
    [None, 1, "11", [], [1], [1, 2, 3], [True, 1], ["1", 1], [float("nan"), 1], [10**400, 1], [1, 11]],
)
async def test_a_list_of_numbers_holds_numbers_in_their_range(values: Any) -> None:
    fields = read_object(json.dumps({"low_high": values}).encode(), "spec.json")
    with pytest.raises(LabrigError, match="low_high"):
        fields.numbers("low_high", 0, 10, "mm", (2, 2))


@pytest.mark.parametrize(
    ("module", "options", "said"),
    [
        (of_crops, {"title": ["a"]}, "title is no short text"),
        (of_crops, {"season": True}, "season is no number"),
        (of_crops, {"member": 0.5}, "member is 0.5"),
        (of_crops, {"seasons": 1}, "season"),
        (of_health, {"title": 3}, "title is no short text"),
        (of_health, {"titel": "a"}, "title"),
    ],
)
async def test_options_of_a_picture(module: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(LabrigError, match=said):
        module.figure([], options)
