"""Grids and tracks of cyclones over MCP: fields of known form on other grids, storms that were planted."""

from __future__ import annotations

import csv
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
import xarray as xr
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.cyclones.centres import Centre, find_centres
from labrig_earth.cyclones.linking import link
from labrig_earth.server import toolbox
from support.made_weather import NORTH, SOUTH, TIMES, write_storms
from support.terra import refused, run

pytestmark = pytest.mark.asyncio(loop_scope="session")


def write_fields(folder: Path) -> None:
    y, x = np.arange(-90.0, 91, 5), np.arange(0.0, 360, 5)
    east, north = np.meshgrid(x, y)
    globe = xr.Dataset(
        {
            "t": (("lat", "lon"), 280 + 0.1 * north, {"units": "K"}),
            "h": (("lat", "lon"), 1 + 0 * east, {"units": "m"}),
        },
        {"lat": ("lat", y, {"units": "degrees_north"}), "lon": ("lon", x, {"units": "degrees_east"})},
    )
    globe.to_netcdf(folder / "globe.nc")
    region = globe.sel(lat=slice(30, 60), lon=slice(0, 40))
    region.to_netcdf(folder / "region.nc")
    fine = xr.Dataset(coords={"lat": np.arange(52.0, 40, -1), "lon": np.arange(5.0, 21)})
    fine["lat"].attrs, fine["lon"].attrs = {"units": "degrees_north"}, {"units": "degrees_east"}
    fine["x"] = (("lat", "lon"), np.zeros((12, 16)))
    fine.to_netcdf(folder / "fine.nc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("models") / "work"
    made.mkdir()
    write_storms(made)
    write_fields(made)
    return made


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(folder: Path) -> AsyncIterator[Client[Any]]:
    options = ServeOptions(workspace=folder, toolsets=("terra-forecast_models",))
    async with Client(build(toolbox, options)) as opened:
        yield opened


async def test_centres_are_lows_that_turn_cyclonically_and_none_lie_at_an_edge() -> None:
    y, x = np.arange(20.0, 9, -1), np.arange(0.0, 12)
    pressure = np.full((11, 12), 1010.0)
    turning = np.full((11, 12), 1e-4)
    pressure[5, 5], pressure[8, 0] = 990, 980
    [found] = find_centres(pressure, turning, y, x)
    assert (found.latitude, found.longitude, found.pressure_hpa) == (15, 5, 990)
    assert not find_centres(pressure, -turning, y, x)
    south = find_centres(pressure, -turning, -y, x)
    assert [each.latitude for each in south] == [-15]
    assert len(find_centres(pressure, turning, y, x, goes_round=True)) == 2
    pressure[5, 6] = 990  # two cells of one low
    turning[5, 6] = 2e-4
    assert [each.longitude for each in find_centres(pressure, turning, y, x)] == [6]
    pressure[5, 5:7] = np.nan
    assert not find_centres(pressure, turning, y, x)


async def test_storms_that_cross_keep_their_tracks_by_cost_and_a_centre_is_of_one_storm() -> None:
    def at(latitude: float, longitude: float, vorticity: float) -> Centre:
        return Centre(latitude, longitude, 990, vorticity)

    strong = [at(10 + step, 10 + step, 3e-4) for step in range(5)]
    weak = [at(14.2 - step, 10 + step, 1e-4) for step in range(5)]
    steps = [[one, other] for one, other in zip(strong, weak, strict=True)]
    hours = [0.0, 6, 12, 18, 24]
    tracks = link(steps, hours, mode="hungarian", gate_km=500)
    assert [[each.vorticity for each in track.centres] for track in tracks] == [[3e-4] * 5, [1e-4] * 5]
    near = link([[strong[0]], [strong[0], at(10.5, 10.5, 1e-4)]], [0.0, 6.0], gate_km=500)
    assert [len(track.centres) for track in near] == [2, 1]
    gap = link([[strong[0]], [], [strong[0]]], [0.0, 6.0, 12.0])
    assert [len(track.centres) for track in gap] == [1, 1]


@pytest.mark.accept
@pytest.mark.parametrize("mode", ["greedy", "hungarian"])
async def test_planted_storms_are_tracked_within_a_cell(client: Client[Any], folder: Path, mode: str) -> None:
    found = await run(
        client,
        "run_tc_tracks_from_era5",
        surface_path="surface.nc",
        pressure_path="levels.nc",
        linking_mode=mode,
    )
    assert (found["ok"], found["tracks"], found["fixes"]) == (True, 2, 2 * TIMES.size)
    with (folder / found["csv_path"]).open() as file:
        rows = list(csv.DictReader(file))
    for storm, places in ((1, NORTH), (2, SOUTH)):
        mine = [row for row in rows if row["storm_id"] == str(storm)]
        for row, (latitude, longitude), time in zip(mine, places, TIMES, strict=True):
            assert abs(float(row["lat"]) - latitude) <= 1
            assert abs((float(row["lon"]) - longitude + 180) % 360 - 180) <= 1
            assert np.datetime64(row["time"]) == time
            assert -180 <= float(row["lon"]) < 180
            assert float(row["ws10_max_ms"]) >= float(row["ws10_ms"])
    assert all(float(row["zeta850_s-1"]) * float(row["lat"]) > 0 for row in rows)
    assert min(float(row["msl_hPa"]) for row in rows) == pytest.approx(970, abs=2)
    picture = (folder / found["png_path"]).read_bytes()
    assert picture.startswith(b"\x89PNG") and found["storms"][0]["points"] == TIMES.size


@pytest.mark.accept
async def test_fields_keep_their_form_on_other_grids(client: Client[Any], folder: Path) -> None:
    async def on(target: Any, **more: Any) -> tuple[dict[str, Any], Any]:
        found = await run(client, "regrid_to_target_grid", data="globe.nc", target_grid=target, **more)
        return found, xr.load_dataset(folder / found["output_path"])

    for method in ("bilinear", "cubic"):
        found, made = await on("fine.nc", method=method, variables=["t"])
        assert found["output_path"] == f"data/regridded/globe_regrid_{method}.nc" and found["variables"] == [
            "t"
        ]
        expected = 280 + 0.1 * np.arange(52.0, 40, -1)
        assert np.allclose(made["t"].values, expected[:, None], atol=1e-3)
        assert made["t"].sizes == {"latitude": 12, "longitude": 16}
    grid = {"lats": [10, 12.5, 15], "lons": [-20, -15, -10], "lat_name": "y", "lon_name": "x"}
    found, made = await on(grid, output_path="out/x.nc")
    assert found["output_path"] == "out/x.nc" and (found["lat_name"], found["lon_name"]) == ("y", "x")
    assert np.allclose(made["t"].values, (280 + 0.1 * np.array([10, 12.5, 15]))[:, None], atol=1e-4)
    _, made = await on({"latitudes": [11, 14], "longitudes": [1, 2]}, method="nearest")
    assert np.allclose(made["t"].values, [[281, 281], [281.5, 281.5]])
    coarse = {"latitudes": list(range(-80, 81, 20)), "longitudes": list(range(10, 360, 20))}
    found, made = await on(coarse, method="conservative")
    assert float(abs(made["h"] - 1).max()) < 1e-6
    beyond = {"latitudes": [55, 62, 65], "longitudes": [10, 20]}
    inside = await run(client, "regrid_to_target_grid", data="region.nc", target_grid=beyond)
    assert inside["missing"]["t"] == 4 and "nothing is extrapolated" in inside["warnings"][0]
    out = await run(
        client,
        "regrid_to_target_grid",
        data="region.nc",
        target_grid=beyond,
        allow_extrapolation=True,
        output_path="o.nc",
    )
    made = xr.load_dataset(folder / "o.nc")
    assert np.allclose(made["t"].values, (280 + 0.1 * np.array([55, 62, 65]))[:, None], atol=1e-3)
    assert "extrapolated" in out["warnings"][0]


@pytest.mark.accept
async def test_what_is_refused(client: Client[Any]) -> None:
    tracks = {"surface_path": "surface.nc", "pressure_path": "levels.nc"}
    grids = {"data": "globe.nc", "target_grid": "fine.nc"}
    cases: list[tuple[str, dict[str, Any], dict[str, Any], str, str]] = [
        ("run_tc_tracks_from_era5", tracks, change, code, said)
        for change, code, said in (
            ({"pressure_path": "only_500.nc"}, "not_found", "850 hPa"),
            ({"pressure_path": "surface.nc"}, "not_found", "u"),
            ({"pressure_path": "later.nc"}, "bad_input", "time"),
            ({"surface_path": "no_msl.nc"}, "not_found", "msl"),
            ({"surface_path": "globe.nc"}, "not_found", "msl"),
            ({"linking_mode": "best"}, "not_found", "hungarian"),
            ({"color_mode": "red"}, "not_found", "mono"),
            ({"cost_weights": {"w_x": 1}}, "not_found", "w_x"),
            ({"cost_weights": {"u_ref": 0}}, "bad_input", "u_ref"),
            ({"cost_weights": {"w_d": True}}, "bad_input", "w_d"),
            ({"max_link_km": -5}, "bad_input", "max_link_km"),
            ({"max_link_km": True}, "bad_input", "no numbers"),
            ({"min_points": -1}, "bad_input", "min_points"),
            ({"png_path": "/etc/x.png"}, "refused", "png_path"),
            ({"csv_path": "../x.csv"}, "refused", "csv_path"),
        )
    ] + [
        ("regrid_to_target_grid", grids, change, code, said)
        for change, code, said in (
            ({"method": "spline"}, "not_found", "bilinear"),
            ({"variables": ["q"]}, "not_found", "q"),
            ({"target_grid": {}}, "bad_input", "latitudes"),
            ({"target_grid": {"latitudes": [1, 2]}}, "bad_input", "longitudes"),
            ({"target_grid": {"latitudes": [1, 91], "longitudes": [1, 2]}}, "bad_input", "+-90"),
            ({"target_grid": {"latitudes": [1, 3, 2], "longitudes": [1, 2]}}, "bad_input", "in order"),
            ({"target_grid": {"latitudes": [True, 2], "longitudes": [1, 2]}}, "bad_input", "no numbers"),
            ({"target_grid": {"grid_path": "fine.nc", "lats": [1, 2]}}, "bad_input", "target_grid"),
            ({"target_grid": {"resolution": 1}}, "not_found", "latitudes"),
            ({"target_grid": "gone.nc"}, "not_found", "gone.nc"),
            ({"method": "conservative", "allow_extrapolation": True}, "bad_input", "extrapolated"),
            ({"data": "region.nc", "target_grid": {"lats": [-50, -40], "lons": [1, 2]}}, "not_found", "meet"),
        )
    ]  # fmt: skip
    for tool, usual, change, code, said in cases:
        found, text = await refused(client, tool, **{**usual, **change})
        assert (found, said in text) == (code, True), (change, found, text)
    nothing = await run(
        client, "run_tc_tracks_from_era5", **{**tracks, "surface_path": "flat.nc"}, csv_path="f.csv"
    )
    assert nothing["tracks"] == 0 and "No track" in nothing["warnings"][-1]
    calm = await run(
        client, "run_tc_tracks_from_era5", **{**tracks, "surface_path": "only_msl.nc"}, color_mode="mono"
    )
    assert calm["tracks"] == 2 and calm["storms"][0]["max_ws10_ms"] is None
