"""Daily weather out of gridded data at a place: units, days and assumptions; and a season grown from it."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.impact.crops.aquacrop import AQUACROP, require_closed
from labrig_earth.impact.crops.aquacrop_inputs import read_case
from labrig_earth.impact.crops.building import make_weather
from labrig_earth.impact.runs import Engines
from labrig_earth.impact.simulator import Named
from labrig_earth.work.calls import Call
from support.crops import as_json, needs_crops

DAYS = 400
NAMED = {"mean_c": "t2m", "precipitation_mm": "tp", "u10": "u10", "v10": "v10"}


@pytest.fixture
def gridded(tmp_path: Path) -> Path:
    """Return a file of daily fields in the units of ERA5: K, m, m/s."""
    number = np.arange(DAYS)[:, None, None]
    shape = (DAYS, 2, 2)
    warm = 285.15 - 11 * np.cos(2 * np.pi * number / 365.25) + np.arange(4).reshape(1, 2, 2)
    fields = {
        "t2m": (warm, "K"),
        "tp": (np.broadcast_to((number % 4 == 0) * 0.009, shape), "m"),
        "u10": (np.full(shape, 3.0), "m s-1"),
        "v10": (np.full(shape, 4.0), "m s-1"),
    }
    dims = ("time", "latitude", "longitude")
    data = xr.Dataset(
        {name: (dims, values.astype("f8"), {"units": unit}) for name, (values, unit) in fields.items()},
        {
            "time": np.datetime64("2001-01-01", "ns") + np.arange(DAYS) * np.timedelta64(1, "D"),
            "latitude": ("latitude", [46.0, 45.0], {"units": "degrees_north"}),
            "longitude": ("longitude", [7.0, 8.0], {"units": "degrees_east"}),
        },
    )
    data.to_netcdf(tmp_path / "era5.nc")
    return tmp_path / "era5.nc"


def made(path: Path, scratch: Path, **changed: Any) -> tuple[list[dict[str, str]], tuple[str, ...], bytes]:
    arguments = {"point": [45.1, 7.9], "variables": NAMED, "diurnal_range_k": 9.0, **changed}
    result = make_weather(Call({"data": (Place.of(path),)}, arguments, scratch))
    content = (scratch / "weather.csv").read_bytes()
    return list(csv.DictReader(io.StringIO(content.decode()))), result.assumed, content


def test_units_are_converted_and_what_was_assumed_is_told(gridded: Path, tmp_path: Path) -> None:
    """The cell at 45 N, 8 E is the fourth: 3 K above the first. Wind 5 m/s at 10 m is 3.740 m/s at 2 m."""
    rows, assumed, _ = made(gridded, tmp_path)
    assert len(rows) == DAYS
    assert rows[31]["date"] == "2001-02-01"
    for day in (0, 100, 399):
        mean = 285.15 - 11 * np.cos(2 * np.pi * day / 365.25) + 3 - 273.15
        assert float(rows[day]["tmin_c"]) == pytest.approx(mean - 4.5, abs=1e-4)
        assert float(rows[day]["tmax_c"]) == pytest.approx(mean + 4.5, abs=1e-4)
    assert float(rows[4]["precipitation_mm"]) == pytest.approx(9.0, abs=1e-6)
    assert float(rows[5]["precipitation_mm"]) == 0
    assert float(rows[0]["wind_2m_m_s"]) == pytest.approx(3.740, abs=0.001)
    said = " ".join(assumed)
    assert "half of 9 K, as the caller states" in said
    assert "FAO-56, equation 47" in said


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"diurnal_range_k": None}, "Only the mean temperature is known"),
        ({"variables": {**NAMED, "mean_c": "t3m"}}, "t2m"),
        ({"variables": {**NAMED, "precipitation_mm": "u10"}}, "impossible"),
        ({"variables": {"mean_c": "t2m"}}, "No variable is named for precipitation_mm"),
        ({"variables": {**NAMED, "snow": "tp"}}, "snow"),
        ({"point": [45.1]}, "point is no place"),
        ({"point": [7.9, 45.1]}, "outside"),
    ],
)
def test_what_cannot_be_made_is_refused(
    gridded: Path, tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    with pytest.raises(LabrigError) as caught:
        made(gridded, tmp_path, **changed)
    assert said in str(caught.value)


def test_hours_are_no_days(gridded: Path, tmp_path: Path) -> None:
    with xr.open_dataset(gridded) as data:
        hourly = data.isel(time=slice(0, 48)).load()
    stamps = np.datetime64("2001-01-01", "ns") + np.arange(48) * np.timedelta64(1, "h")
    hourly.assign_coords(time=stamps).to_netcdf(tmp_path / "hourly.nc")
    with pytest.raises(LabrigError, match="is not daily"):
        made(tmp_path / "hourly.nc", tmp_path)


@pytest.mark.accept
async def test_a_season_grows_from_gridded_data(gridded: Path, tmp_path: Path) -> None:
    needs_crops()
    _, _, content = made(gridded, tmp_path)
    case = read_case(
        Named("weather.csv", content),
        Named("soil.json", as_json(type="Loam")),
        Named("crop.json", as_json(name="Maize", planting="04-20")),
        Named(
            "management.json",
            as_json(end="2001-12-31", et0={"method": "hargreaves", "latitude": 45}),
        ),
    )
    engines = Engines()
    try:
        async with engines.run(AQUACROP, case.arguments, case.inputs) as run:
            (season,) = run.result["members"][0]["seasons"]
            assert require_closed(run.folder, run.result, case.arguments) < 0.1
    finally:
        await engines.close()
    assert 5 < season["yield_t_ha"] < 16
    assert any("hargreaves" in note for note in case.notes)
