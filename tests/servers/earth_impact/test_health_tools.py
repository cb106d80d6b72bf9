"""Heat and health as a client meets them: from weather to lives in two calls, what is refused, pictures."""

from __future__ import annotations

import asyncio
import base64
import csv
import io
import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fastmcp import Client

from labrig.plotting.images import Look, look
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from support.health import met_csv, months_csv, spec_json

pytestmark = pytest.mark.asyncio(loop_scope="module")

BURDEN = {
    "exposure_column": "utci_max_c",
    "population_exposed_path": "people.csv",
    "erf_spec_path": "spec.json",
    "baseline_rate_per_100k": 900,
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Client[Any], Path]]:
    work = tmp_path_factory.mktemp("health") / "work"
    work.mkdir()
    (work / "met.csv").write_bytes(met_csv(days=4, radiation=True))
    (work / "cool.csv").write_bytes(met_csv(days=4, peak_c=28.0, radiation=True))
    (work / "people.csv").write_text("persons\n500000\n")
    (work / "spec.json").write_bytes(spec_json(reference_exposure=32.0))
    async with Client(
        build(toolbox, ServeOptions(workspace=work, toolsets=("simulators", "impact")))
    ) as opened:
        yield opened, work


async def run(served: tuple[Client[Any], Path], tool: str, **arguments: Any) -> dict[str, Any]:
    found = await served[0].call_tool(tool, arguments, raise_on_error=False)
    text = found.content[0].text
    assert not found.is_error, text
    made: dict[str, Any] = json.loads(text)
    return made


async def refused(served: tuple[Client[Any], Path], tool: str, **arguments: Any) -> tuple[str, str]:
    found = await served[0].call_tool(tool, arguments, raise_on_error=False)
    assert found.is_error
    assert found.meta is not None
    return str(found.meta["labrig"]["error"]["code"]), str(found.content[0].text)


async def test_dangerous_hours_and_what_they_cost(served: tuple[Client[Any], Path]) -> None:
    heat = await run(served, "impact_health_utci", met_timeseries_path="met.csv", run_id="heat")
    files = {Path(each["path"]).name: each["path"] for each in heat["outputs_artifacts"]}
    rows = list(csv.DictReader(io.StringIO((served[1] / files["utci_timeseries.csv"]).read_text())))
    hours = sum(float(row["utci_c"]) >= 32 for row in rows)
    assert heat["metrics"]["hours_above_strong_stress"] == {"value": hours, "unit": "hours"}
    assert heat["run_context"]["determinism"]["model_version"].startswith("thermofeel 2.")
    cost = await run(served, "impact_health_erf", exposure_series_path=files["utci_daily.csv"], **BURDEN)
    days = list(csv.DictReader(io.StringIO((served[1] / files["utci_daily.csv"]).read_text())))
    a_day = 500_000 * 900 / 100_000 / 365
    by_hand = sum(a_day * (1 - math.exp(-0.02 * max(float(day["utci_max_c"]) - 32, 0))) for day in days)
    assert cost["metrics"]["attributable_cases"]["value"] == pytest.approx(by_hand, abs=1e-6)
    assert cost["metrics"]["attributable_cases"]["unit"] == "cases"
    derived = cost["derived_metrics"]
    assert (
        0 < derived["attributable_cases_low"]["value"] < by_hand < derived["attributable_cases_high"]["value"]
    )


@pytest.mark.accept
async def test_the_same_run_is_the_same_bytes_also_beside_others(served: tuple[Client[Any], Path]) -> None:
    alone = await run(served, "impact_health_utci", met_timeseries_path="met.csv", run_id="same")
    others = await asyncio.gather(
        *(
            run(
                served,
                "impact_health_utci",
                met_timeseries_path="met.csv" if n % 2 == 0 else "cool.csv",
                run_id="same",
                output_dir=f"beside/{n}",
            )
            for n in range(6)
        )
    )
    archives = [each["outputs_artifacts"][0]["sha256"] for each in (alone, *others)]
    assert archives[0] == archives[1] == archives[3] == archives[5]
    assert archives[2] == archives[4] == archives[6] != archives[0]


async def test_the_answer_hangs_on_what_the_tools_say(served: tuple[Client[Any], Path]) -> None:
    """A scripted agent over MCP, replayed from what was recorded, and with a result that was tampered with."""
    recorded: dict[str, str] = {}

    async def live(tool: str, arguments: dict[str, Any]) -> str:
        found = await served[0].call_tool(tool, arguments)
        recorded[json.dumps([tool, arguments], sort_keys=True)] = found.content[0].text
        return str(found.content[0].text)

    async def replayed(tool: str, arguments: dict[str, Any]) -> str:
        return recorded[json.dumps([tool, arguments], sort_keys=True)]

    async def tampered(tool: str, arguments: dict[str, Any]) -> str:
        made = json.loads(await replayed(tool, arguments))
        for each in made["metrics"].values():
            each["value"] *= 2
        return json.dumps(made)

    first = await agent(live)
    hours, deaths = first
    assert hours > 0 and deaths > 0
    assert await agent(replayed) == first
    assert await agent(tampered) == (2 * hours, pytest.approx(2 * deaths))


async def agent(call: Callable[[str, dict[str, Any]], Awaitable[str]]) -> tuple[float, float]:
    """Return the hours of dangerous heat, and the deaths that they cost: each step takes what the one before said."""
    heat = json.loads(await call("impact_health_utci", {"met_timeseries_path": "met.csv", "run_id": "asked"}))
    days = next(each["path"] for each in heat["outputs_artifacts"] if each["path"].endswith("utci_daily.csv"))
    cost = json.loads(await call("impact_health_erf", {"exposure_series_path": days, **BURDEN}))
    hours = float(heat["metrics"]["hours_above_strong_stress"]["value"])
    return hours, float(cost["metrics"]["attributable_cases"]["value"])


@pytest.mark.accept
async def test_a_pair_and_its_picture(served: tuple[Client[Any], Path]) -> None:
    runs = [
        (await run(served, "impact_health_utci", met_timeseries_path=name, scenario_name=name))[
            "outputs_artifacts"
        ][0]["path"]
        for name in ("met.csv", "cool.csv")
    ]
    compared = (
        await served[0].call_tool("compare_runs", {"baseline": runs[0], "intervention": runs[1]})
    ).structured_content
    assert compared is not None
    change = next(each for each in compared["values"] if each["name"] == "hours_above_strong_stress")
    assert change["value"] < 0 and compared["data"]["changed_inputs"] == ["met_timeseries_path"]
    assert {each["pairs"] for each in compared["data"]["paired"]} == {4}
    for each in (runs, [await _burden(served)]):
        drawn = await served[0].call_tool("plot_run", {"runs": each})
        shown = look(base64.b64decode(drawn.content[0].data))
        assert isinstance(shown, Look) and shown.width == 1280


async def _burden(served: tuple[Client[Any], Path]) -> str:
    heat = await run(served, "impact_health_utci", met_timeseries_path="met.csv", run_id="heat")
    path = next(each["path"] for each in heat["outputs_artifacts"] if each["path"].endswith("utci_daily.csv"))
    made = await run(served, "impact_health_erf", exposure_series_path=path, **BURDEN)
    return str(made["outputs_artifacts"][0]["path"])


@pytest.mark.parametrize(
    "changes, code, said",
    [
        ({"backend": "proxy"}, "refused", "in place of the engine"),
        ({"met_timeseries_path": "../met.csv"}, "refused", ""),
        ({"met_timeseries_path": "/etc/passwd"}, "refused", ""),
        ({"met_timeseries_path": "none.csv"}, "not_found", ""),
        ({"met_timeseries_path": "spec.json"}, "bad_input", "There are no rows"),
        ({"output_dir": "../out"}, "refused", "in the workspace"),
        ({"strong_stress_threshold_c": -300}, "bad_input", "strong_stress_threshold_c"),
        ({"model_version": "oracle:impact_health_utci@1.0.0"}, "unavailable", "thermofeel"),
    ],
)
async def test_calls_that_are_refused(
    served: tuple[Client[Any], Path], changes: dict[str, Any], code: str, said: str
) -> None:
    asked = {"met_timeseries_path": "met.csv"} | changes
    found = await refused(served, "impact_health_utci", **asked)
    assert found[0] == code and said in found[1], found


async def test_no_baseline_is_assumed(served: tuple[Client[Any], Path]) -> None:
    asked = {name: value for name, value in BURDEN.items() if name != "baseline_rate_per_100k"}
    (served[1] / "exposure.csv").write_text("date,utci_max_c\n2019-07-24,35\n")
    code, said = await refused(served, "impact_health_erf", exposure_series_path="exposure.csv", **asked)
    assert code == "bad_input" and "no baseline rate" in said and "baseline_period" in said
    checked = await served[0].call_tool(
        "check_inputs",
        {"tool": "impact_health_erf", "arguments": {**asked, "exposure_series_path": "exposure.csv"}},
        raise_on_error=False,
    )
    assert "no baseline rate" in checked.content[0].text


async def test_months_become_days_and_an_epw_file(served: tuple[Client[Any], Path]) -> None:
    (served[1] / "months.csv").write_bytes(months_csv(2019))
    place = {"latitude": 48.1, "longitude": 11.6, "timezone": 1, "elevation_m": 520}
    days = await run(
        served, "weather_monthly_to_daily", monthly_weather_path="months.csv", output_path="days.csv"
    )
    assert days["metrics"]["daily_rows"]["value"] == 365
    made = await run(
        served, "weather_to_epw", weather_timeseries_path="days.csv", output_path="m.epw", **place
    )
    assert made["metrics"]["hourly_records"] == {"value": 8760, "unit": "count"}
    text = (served[1] / "m.epw").read_text()
    assert text.startswith("LOCATION,") and len(text.splitlines()) == 8768
    air = [float(row.split(",")[6]) for row in text.splitlines()[8:]]
    assert made["metrics"]["dry_bulb_mean_c"]["value"] == pytest.approx(sum(air) / 8760, abs=1e-3)
    for changes, code in (({"latitude": None}, "bad_input"), ({"output_path": "../m.epw"}, "refused")):
        asked = {"weather_timeseries_path": "days.csv", **place, **changes}
        assert (await refused(served, "weather_to_epw", **asked))[0] == code
