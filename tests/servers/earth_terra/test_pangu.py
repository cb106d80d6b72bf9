"""Pangu-Weather over MCP with a tiny network of the same inputs: its forecast, and what is refused before it runs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
import xarray as xr
from fastmcp import Client

from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.sideenv import check_installed
from labrig.toolbox import ServeOptions
from labrig_earth.forecasting import pangu
from labrig_earth.forecasting.onnx_header import read_header
from labrig_earth.forecasting.setup import PANGU_ENV
from labrig_earth.server import toolbox
from support.made_weather import SHAPE, analysis
from support.onnx_networks import network
from support.terra import refused, run

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASKED = {
    "surface_path": "surface.nc", "pressure_path": "levels.nc", "valid_time": "2023-01-01T06:00:00Z",
    "model_path": "pangu_weather_6.onnx",
}  # fmt: skip


def make(folder: Path) -> None:
    folder.mkdir()
    low, high = analysis()
    low.to_netcdf(folder / "surface.nc")
    high.to_netcdf(folder / "levels.nc")
    celsius = low.copy()
    celsius["t2m"] = (low["t2m"] - 273.15).assign_attrs(units="degC")
    celsius.rename(t2m="2t").to_netcdf(folder / "celsius.nc")
    high.drop_sel(pressure_level=775).assign(z=(high["z"] / 9.8).assign_attrs(units="m")).to_netcdf(
        folder / "height.nc"
    )
    high.isel(pressure_level=slice(1, None)).to_netcdf(folder / "few.nc")
    high.isel(latitude=slice(1, None)).to_netcdf(folder / "cut.nc")
    low.drop_vars("t2m").to_netcdf(folder / "no_t2m.nc")
    holes = low.copy(deep=True)
    holes["msl"][:, 2, 2] = np.nan
    holes.to_netcdf(folder / "holes.nc")
    wrong = low.assign(msl=(low["msl"] / 100).assign_attrs(units="Pa"))
    wrong.to_netcdf(folder / "wrong_unit.nc")
    unitless = low.copy()
    unitless["u10"] = low["u10"].assign_attrs(units="")
    unitless.to_netcdf(folder / "unitless.nc")
    good = network(SHAPE, factors={"upper": 0.99}, offsets={"surface": 0.5})
    for name, content in {
        "pangu_weather_6.onnx": good,
        "pangu_weather_24.onnx": good,
        "model.onnx": good,
        "cut.onnx": good[:-40],
        "text.onnx": b"no network\n" * 5,
        "external.onnx": network(SHAPE, external=True),
        "levels.onnx": network(SHAPE, levels=12),
        "double.onnx": network(SHAPE, kind=11),
        "names_6.onnx": network(SHAPE, names=("upper", "surface")),
        "other_6.onnx": network((5, 8)),
        "unknown_6.onnx": network(SHAPE, operator="NoSuchOperator"),
        "burst_6.onnx": network(SHAPE, factors={"upper": 3e38}),
        "empty.onnx": b"",
    }.items():
        (folder / name).write_bytes(content)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pangu") / "work"
    make(made)
    return made


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(folder: Path) -> AsyncIterator[Client[Any]]:
    options = ServeOptions(workspace=folder, toolsets=("terra-forecast_models",))
    async with Client(build(toolbox, options)) as opened:
        yield opened


@pytest.fixture
def engine() -> None:
    try:
        check_installed(PANGU_ENV)
    except LabrigError:
        pytest.skip("labrig setup pangu has not been run")


async def test_a_header_is_read_without_the_weights(folder: Path) -> None:
    with (folder / "pangu_weather_6.onnx").open("rb") as file:
        header = read_header(file.fileno(), where="x")
    assert {each.name: each.shape for each in header.inputs} == {
        "input": (5, 13, *SHAPE), "input_surface": (4, *SHAPE)
    }  # fmt: skip
    assert [each.name for each in header.outputs] == ["output", "output_surface"]


@pytest.mark.accept
async def test_a_forecast_is_the_network_step_by_step(
    client: Client[Any], folder: Path, engine: None
) -> None:
    found = await run(client, "run_pangu_forecast", **ASKED, device="cuda:0")
    assert found["output_path"] == "data/model_forecasts/pangu_forecast_20230101T06.nc"
    assert found["forecast_summary"] == {
        "count": 4, "first_valid_time": "2023-01-01T12:00:00", "lead_hours": [6, 12, 18, 24]
    }  # fmt: skip
    assert (
        found["weights"]["sha256"]
        == hashlib.sha256((folder / "pangu_weather_6.onnx").read_bytes()).hexdigest()
    )
    assert any("cuda:0" in each for each in found["warnings"]) and found["engine"].startswith("ONNX Runtime")
    low, high = analysis()
    with xr.open_dataset(folder / found["output_path"]) as made:
        assert made["t"].dims == ("time", "pressure_level", "latitude", "longitude")
        assert made["pressure_level"].values.tolist() == list(pangu.LEVELS)
        for step in range(4):
            for name in pangu.SURFACE:
                expected = low[name].isel(time=1).sel(latitude=45, longitude=-90) + 0.5 * (step + 1)
                cell = made[name].isel(time=step).sel(latitude=45, longitude=270)
                assert float(cell) == pytest.approx(float(expected), rel=1e-6)
            for name in pangu.UPPER:
                here = high[name].isel(time=1).sel(pressure_level=500, latitude=-90, longitude=157.5)
                cell = made[name].isel(time=step).sel(pressure_level=500, latitude=-90, longitude=157.5)
                assert float(cell) == pytest.approx(float(here) * 0.99 ** (step + 1), rel=1e-5)
    further = {**ASKED, "surface_path": found["output_path"], "pressure_path": found["output_path"]}
    on = await run(
        client, "run_pangu_forecast", **{**further, "valid_time": "2023-01-02T06:00"}, max_forecast_hours=11
    )
    assert on["forecast_summary"]["lead_hours"] == [6]
    celsius = await run(
        client, "run_pangu_forecast", **{**ASKED, "surface_path": "celsius.nc"}, lead_hours=[6]
    )
    assert celsius["ranges"]["t2m"]["units"] == "K" and celsius["ranges"]["t2m"]["min"] > 270


@pytest.mark.accept
async def test_what_a_network_does_wrong_is_said(client: Client[Any], engine: None) -> None:
    code, said = await refused(client, "run_pangu_forecast", **{**ASKED, "model_path": "unknown_6.onnx"})
    assert code == "bad_input" and "ONNX Runtime cannot load" in said and "NoSuchOperator" in said
    code, said = await refused(client, "run_pangu_forecast", **{**ASKED, "model_path": "burst_6.onnx"})
    assert code == "engine" and "not finite" in said


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"model_path": ""}, "unavailable", "github.com/198808xc/Pangu-Weather"),
        ({"model_path": "gone_6.onnx"}, "not_found", "CC BY-NC-SA"),
        ({"model_path": "text.onnx"}, "bad_input", "no ONNX network"),
        ({"model_path": "empty.onnx", "lead_hours": [6]}, "bad_input", "no ONNX network"),
        ({"model_path": "cut.onnx", "lead_hours": [6]}, "bad_input", "cut"),
        ({"model_path": "external.onnx", "lead_hours": [6]}, "refused", "further files"),
        ({"model_path": "levels.onnx", "lead_hours": [6]}, "bad_input", "(5, 12, 9, 16)"),
        ({"model_path": "double.onnx", "lead_hours": [6]}, "bad_input", "float32"),
        ({"model_path": "names_6.onnx"}, "not_found", "upper"),
        ({"model_path": "model.onnx"}, "bad_input", "lead_hours"),
        ({"lead_hours": [24]}, "bad_input", "steps of 6 h"),
        ({"lead_hours": [6, 18]}, "bad_input", "multiples of 6"),
        ({"lead_hours": [True]}, "bad_input", "no numbers"),
        ({"max_forecast_hours": 3}, "bad_input", "one step"),
        ({"max_forecast_hours": 1e9}, "limit", "go on from there"),
        ({"max_forecast_hours": True}, "bad_input", "no numbers"),
        ({"device": "tpu"}, "bad_input", "cpu"),
        ({"valid_time": "yesterday"}, "bad_input", "ISO 8601"),
        ({"output_dir": "../x"}, "refused", "output_dir"),
        ({"surface_path": "gone.nc"}, "not_found", "gone.nc"),
    ],
)
async def test_what_is_refused_of_weights_and_arguments(
    client: Client[Any], change: dict[str, Any], code: str, said: str
) -> None:
    arguments = {**ASKED, **change}
    if change.get("model_path") == "text.onnx":
        arguments["lead_hours"] = [6]
    found, text = await refused(client, "run_pangu_forecast", **arguments)
    assert (found, said in text) == (code, True), (found, text)


@pytest.mark.accept
@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"valid_time": "2023-01-01T12:00"}, "not_found", "to 2023-01-01T06:00"),
        ({"surface_path": "no_t2m.nc"}, "not_found", "t2m"),
        ({"surface_path": "holes.nc"}, "bad_input", "missing values"),
        ({"surface_path": "wrong_unit.nc"}, "bad_input", "msl runs from"),
        ({"surface_path": "unitless.nc"}, "bad_input", "no unit"),
        ({"pressure_path": "height.nc"}, "bad_input", "geopotential, not height"),
        ({"pressure_path": "few.nc"}, "not_found", "50 hPa"),
        ({"pressure_path": "cut.nc"}, "bad_input", "regrid_to_target_grid"),
        ({"model_path": "other_6.onnx"}, "bad_input", "5 latitudes"),
        ({"pressure_path": "surface.nc"}, "not_found", "no variable z"),
        ({"pressure_path": "pangu_weather_6.onnx"}, "bad_input", "pangu_weather_6.onnx"),
    ],
)
async def test_what_is_refused_of_an_analysis(
    client: Client[Any], engine: None, change: dict[str, Any], code: str, said: str
) -> None:
    found, text = await refused(client, "run_pangu_forecast", **{**ASKED, **change})
    assert (found, said in text) == (code, True), (found, text)


@pytest.mark.accept
async def test_weights_of_the_server_and_their_hash(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: None
) -> None:
    monkeypatch.setenv("LABRIG_EARTH_PANGU_WEIGHTS", str(folder))
    work = tmp_path / "work"
    work.mkdir()
    for name in ("surface.nc", "levels.nc"):
        os.link(folder / name, work / name)
    asked = {key: value for key, value in ASKED.items() if key != "model_path"}

    def client() -> Client[Any]:
        return Client(build(toolbox, ServeOptions(workspace=work, toolsets=("terra-forecast_models",))))

    async with client() as opened:
        found = await run(opened, "run_pangu_forecast", **asked, lead_hours=[24])
        assert found["weights"]["name"] == "pangu_weather_24.onnx"
        code, said = await refused(opened, "run_pangu_forecast", **asked, lead_hours=[3])
        assert code == "unavailable" and "cannot be read" in said
    monkeypatch.setenv("LABRIG_EARTH_PANGU_SHA256", "0" * 64)
    async with client() as opened:
        code, said = await refused(opened, "run_pangu_forecast", **asked)
        assert code == "refused" and found["weights"]["sha256"] in said


async def test_without_the_side_environment_the_line_that_brings_it_is_named(
    client: Client[Any], folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LABRIG_SETUP_FIRST_USE", "no")
    async with Client(
        build(toolbox, ServeOptions(workspace=folder, toolsets=("terra-forecast_models",)))
    ) as bare:
        code, said = await refused(bare, "run_pangu_forecast", **ASKED)
    assert code == "unavailable" and "labrig setup pangu" in said
