"""From the made world to lives and yields over MCP: inputs are made of its files by tools, and run by the engines.

Numbers are found again in the raw files by libraries and code that the server does not use.
"""

from __future__ import annotations

import base64
import csv
import json
import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import pytest_asyncio
import rasterio
import zarr
from fastmcp import Client

from labrig.plotting.images import Look, look
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from labrig_earth.world.make import DATA, TRUTH, make_world
from support.crops import needs_crops
from support.every_server import examples
from support.health import met_csv, spec_json

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.accept]

POINT = [48.2, 12.8]
HOURS = "@data/impacts/heat_hours.nc"
SOIL = {
    "clay_percent": "clay",
    "sand_percent": "sand",
    "organic_carbon_percent": "soc",
    "bulk_density_g_cm3": "bdod",
}
MET = {
    "tair_c": "t2m",
    "dew_point_c": "d2m",
    "u10": "u10",
    "v10": "v10",
    "solar_down_w_m2": "ssrd",
    "solar_direct_w_m2": "fdir",
    "solar_net_w_m2": "ssr",
    "thermal_down_w_m2": "strd",
    "thermal_net_w_m2": "str",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Client[Any], Path, Path]]:
    base = tmp_path_factory.mktemp("impacts")
    make_world(base / "world", 7)
    work = base / "work"
    work.mkdir()
    (work / "spec.json").write_bytes(spec_json(reference_exposure=32.0))
    options = ServeOptions(
        workspace=work, roots=(base / "world" / DATA,), toolsets=("default", "simulators", "impact")
    )
    async with Client(build(toolbox, options)) as opened:
        yield opened, base / "world", work


async def handles(client: Client[Any], tool: str, **arguments: Any) -> dict[str, str]:
    """Call a tool that makes files; return their handles by name."""
    found = await client.call_tool(tool, arguments, raise_on_error=False)
    assert not found.is_error, found.content[0].text
    return {each["name"]: each["handle"] for each in found.structured_content["artifacts"]}


async def run(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    found = await client.call_tool(tool, arguments, raise_on_error=False)
    assert not found.is_error, found.content[0].text
    made: dict[str, Any] = json.loads(found.content[0].text)
    return made


async def test_the_world_holds_what_it_says(served: tuple[Client[Any], Path, Path]) -> None:
    world = served[1]
    truth = json.loads((world / TRUTH).read_text())
    with (
        netCDF4.Dataset(world / DATA / "impacts/heat_hours.nc") as hours,
        netCDF4.Dataset(world / DATA / "climate/daily.nc") as daily,
    ):
        planted = truth["impacts/heat_hours.nc"]
        lat, lon = list(hours["latitude"][:]), list(hours["longitude"][:])
        air = np.asarray(hours["t2m"][:], float)
        days = hours["time"][::24] / 24 - daily["time"][0]
        rows = [list(daily["latitude"][:]).index(each) for each in lat]
        columns = [list(daily["longitude"][:]).index(each) for each in lon]
        mean = np.asarray(daily["t2m"][:], float)[np.ix_(days.astype(int), rows, columns)]
        assert air.reshape(-1, 24, *air.shape[1:]).mean(axis=1) == pytest.approx(mean, abs=5e-3)
        hot = (air[:, lat.index(48), lon.index(13)] >= 305.15).sum()
        assert hot == planted["hours_from_32_C_at_48_N_13_E"] > 50
        night = np.asarray(hours["ssrd"][:], float) == 0
        assert (np.asarray(hours["fdir"][:], float)[night] == 0).all() and 0.3 < night.mean() < 0.5


async def test_dangerous_hours_of_the_world_and_what_they_cost(
    served: tuple[Client[Any], Path, Path],
) -> None:
    client, world, work = served
    met = await handles(client, "make_input", kind="met", data=[HOURS], point=POINT, variables=MET)
    people = await handles(
        client,
        "make_input",
        kind="population",
        data=["@data/town/people.tif"],
        zones="@data/town/districts.geojson",
        options={"names": "district"},
    )
    heat = await run(client, "impact_health_utci", met_timeseries_path=met["met.csv"], run_id="heat")
    daily = next(
        each["path"] for each in heat["outputs_artifacts"] if each["path"].endswith("utci_daily.csv")
    )
    cost = await run(
        client,
        "impact_health_erf",
        exposure_series_path=daily,
        exposure_column="utci_max_c",
        population_exposed_path=people["people.csv"],
        erf_spec_path="spec.json",
        baseline_rate_per_100k=900,
    )
    # What UTCI is made of, from the raw file; the polynomial alone is shared with the server.
    import thermofeel

    with netCDF4.Dataset(world / DATA / "impacts/heat_hours.nc") as file:
        row, column = list(file["latitude"][:]).index(48), list(file["longitude"][:]).index(13)
        raw = {name: np.asarray(file[name][:, row, column], float) for name in MET.values()}
    table = list(csv.DictReader((work / Path(daily).with_name("utci_timeseries.csv")).open()))
    radiant = np.array([float(each["tmrt_c"]) for each in table])
    vapour = 6.112 * np.exp(17.62 * (raw["d2m"] - 273.15) / (raw["d2m"] - 30.03))  # Magnus, hPa
    wind = np.hypot(raw["u10"], raw["v10"])
    again = thermofeel.calculate_utci(t2_k=raw["t2m"], va=wind, mrt=radiant + 273.15, ehPa=vapour) - 273.15
    hours = heat["metrics"]["hours_above_strong_stress"]["value"]
    assert hours == pytest.approx((again >= 32).sum(), abs=2) and 60 < hours < 250
    assert ((radiant - raw["t2m"] + 273.15)[raw["ssrd"] == 0] < 0).all(), (
        "a clear night is colder than the air"
    )
    assert ((radiant - raw["t2m"] + 273.15)[raw["ssrd"] > 1.5e6] > 15).all()
    with rasterio.open(world / DATA / "town/people.tif") as file:
        persons = float(file.read(1).sum())
    daily_max = again.reshape(-1, 24).max(axis=1)
    by_hand = sum(persons * 900 / 1e5 / 365 * (1 - math.exp(-0.02 * max(each - 32, 0))) for each in daily_max)
    assert cost["metrics"]["attributable_cases"]["value"] == pytest.approx(by_hand, rel=5e-3)
    drawn = await client.call_tool("plot_run", {"runs": [heat["outputs_artifacts"][0]["path"]]})
    shown = look(base64.b64decode(drawn.content[0].data))
    assert isinstance(shown, Look) and shown.width == 1280


async def test_smog_of_the_world_and_what_it_costs(served: tuple[Client[Any], Path, Path]) -> None:
    client, world, work = served
    made = await handles(
        client, "make_input", kind="exposure", data=["@data/air/hourly.zarr"], point=[48.285, 12.715],
        variables={"pm25": "pm2p5"},
    )  # fmt: skip
    people = await handles(client, "make_input", kind="population", data=["@data/town/people.tif"])
    (work / "smog.json").write_bytes(
        spec_json(
            beta=None, beta_ci=None, relative_risk=1.08, per=10, relative_risk_ci=[1.06, 1.09], reference_exposure=5,
            exposure_unit="ug/m3",
        )
    )  # fmt: skip
    cost = await run(
        client,
        "impact_health_erf",
        exposure_series_path=made["exposure.csv"],
        exposure_column="pm25",
        population_exposed_path=people["people.csv"],
        erf_spec_path="smog.json",
        baseline_rate_per_100k=900,
    )
    store: Any = zarr.open(world / DATA / "air/hourly.zarr", mode="r")
    row = int(np.abs(store["latitude"][:] - 48.285).argmin())
    column = int(np.abs(store["longitude"][:] - 12.715).argmin())
    days = np.asarray(store["pm2p5"][:, row, column], float).reshape(-1, 24).mean(axis=1)
    with rasterio.open(world / DATA / "town/people.tif") as file:
        persons = float(file.read(1).sum())
    slope = math.log(1.08) / 10
    assert len(days) == cost["derived_metrics"]["steps"]["value"] == 20
    by_hand = sum(persons * 900 / 1e5 / 366 * (1 - math.exp(-slope * max(each - 5, 0))) for each in days)
    assert cost["metrics"]["attributable_cases"]["value"] == pytest.approx(by_hand, rel=1e-6)


async def test_a_field_of_the_world_grows_in_both_engines(served: tuple[Client[Any], Path, Path]) -> None:
    needs_crops()
    client, _, _ = served
    soil = await handles(
        client, "make_input", kind="soil", data=["@data/impacts/soil.nc"], point=POINT, variables=SOIL,
        options={"bottom_m": 2.5},
    )  # fmt: skip
    weather = await handles(
        client, "make_weather", data=["@data/climate/daily.nc"], point=POINT,
        variables={"mean_c": "t2m", "precipitation_mm": "tp"},
        options={"start": "2018-01-01", "end": "2018-12-31", "diurnal_range_k": 11},
    )  # fmt: skip
    season = {"after": "2018-04-01", "from_c": 10}
    field = await handles(
        client, "make_input", kind="season", data=[weather["weather.csv"]], point=POINT,
        options={"engine": "aquacrop", "crop": "Maize", **season},
    )  # fmt: skip
    grown = await run(
        client, "impact_aquacrop_run", weather_daily_path=weather["weather.csv"], soil_path=soil["soil_aquacrop.json"],
        crop_path=field["crop.json"], management_path=field["management.json"],
    )  # fmt: skip
    assert 0.5 < grown["metrics"]["yield_t_ha"]["value"] < 16
    assert grown["derived_metrics"]["water_balance_error_mm"]["value"] < 0.1
    sown = await handles(
        client, "make_input", kind="season", data=[weather["weather.csv"]], point=POINT,
        options={
            "engine": "dssat", "crop": "Maize", "cultivar": "IB0012", "elevation_m": 400, "plants_m2": 7, "row_cm": 75,
            "depth_cm": 5, **season,
        },
    )  # fmt: skip
    asked = {
        "soil_profile_path": soil["soil_dssat.json"],
        "cultivar_path": sown["cultivar.json"],
        "treatment_path": sown["treatment.json"],
        "weather_daily_path": weather["weather.csv"],
    }
    refused = await client.call_tool("impact_dssat_run", asked, raise_on_error=False)
    assert refused.is_error and "no column srad_mj_m2" in refused.content[0].text, "no radiation is made up"


async def test_the_examples_of_the_descriptions_run(served: tuple[Client[Any], Path, Path]) -> None:
    client, _, work = served
    (work / "met.csv").write_bytes(met_csv(days=4, radiation=True))
    (work / "cool.csv").write_bytes(met_csv(days=4, peak_c=28.0, radiation=True))
    runs = {}
    for handle, met in (("sha256:80f8d87600a5bf65", "met.csv"), ("sha256:0b1d3e7c9a2f4655", "cool.csv")):
        made = await run(client, "impact_health_utci", met_timeseries_path=met)
        runs[handle] = made["outputs_artifacts"][0]["path"]
    calls = examples(await client.list_tools())
    impact = [spec.name for spec in toolbox.specs if spec.toolsets == ("impact",)]
    assert len(impact) >= 9
    for tool in impact:
        text = json.dumps(calls[tool])
        for stands_for, handle in runs.items():
            text = text.replace(stands_for, handle)
        found = await client.call_tool(tool, json.loads(text), raise_on_error=False)
        assert not found.is_error, (tool, found.content)
