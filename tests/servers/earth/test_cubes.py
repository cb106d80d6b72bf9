"""Many files are one cube: years, variables and dated scenes; a pattern names them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import rasterio
import xarray as xr
from fastmcp import Client
from rasterio.transform import from_origin

from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.data.cubes import open_data
from labrig_earth.data.formats import Place
from labrig_earth.grids.operations import OPERATIONS
from labrig_earth.plots.operations import OPERATIONS as OF_PLOTS
from labrig_earth.plots.operations import _on_the_usual_calendar
from labrig_earth.server import toolbox
from labrig_earth.work.calls import Call


def _year(path: Path, year: int, *, name: str = "t", side: int = 2, calendar: str = "noleap") -> Place:
    times = xr.date_range(f"{year}-01-01", periods=12, freq="MS", calendar=calendar, use_cftime=True)
    axes = {
        "time": times,
        "lat": ("lat", np.arange(side, dtype="f8"), {"units": "degrees_north"}),
        "lon": ("lon", [0.0, 1.0], {"units": "degrees_east"}),
        "height": 2.0,
    }
    values = np.full((12, side, 2), float(year))
    xr.Dataset({name: (("time", "lat", "lon"), values, {"units": "K"})}, axes).to_netcdf(
        path, engine="netcdf4"
    )
    return Place.of(path)


def test_years_and_variables_are_one_and_are_read_when_they_are_needed(tmp_path: Path) -> None:
    places = [_year(tmp_path / f"t_{year}.nc", year) for year in (2001, 2000, 2002)]
    places.append(_year(tmp_path / "p.nc", 2000, name="p"))
    found = open_data(places[:3])
    assert found.t.chunks is not None and found.sizes["time"] == 36
    assert found.time.dt.year.values[[0, 35]].tolist() == [2000, 2002]
    call = Call({"data": tuple(places[:3])}, {"over": "both", "every": "year"}, tmp_path)
    years = OPERATIONS["aggregate"](call)
    assert [each.value for each in years.values] == [2000, 2001, 2002] and "and 2 more" in years.source
    both = open_data([places[1], places[3]])
    assert set(both.data_vars) == {"t", "p"}


@pytest.mark.parametrize(
    "other",
    [{"year": 2000, "side": 3}, {"year": 2001, "side": 3}, {"year": 2001, "calendar": "360_day"}],
)
def test_files_that_are_no_parts_of_one_are_refused(tmp_path: Path, other: dict[str, Any]) -> None:
    places = [_year(tmp_path / "a.nc", 2000), _year(tmp_path / "b.nc", **other)]
    with pytest.raises(LabrigError, match="no parts of one"):
        open_data(places)


def test_files_at_the_same_times_are_members_whose_months_are_paired_across_calendars(tmp_path: Path) -> None:
    """Three models of 360, 365 and 366 days, the second twice as long; days on two calendars are no pairs."""
    places = [
        _year(tmp_path / f"{calendar}.nc", 2000, calendar=calendar)
        for calendar in ("360_day", "noleap", "standard")
    ]
    call = Call({"data": tuple(places)}, {"over": "both"}, tmp_path)
    found = OPERATIONS["aggregate"](call)
    assert [each.note for each in found.values] == ["member 1", "member 2", "member 3"]
    assert [each.value for each in found.values] == [2000, 2000, 2000]
    assert "3 files at the same times are members" in found.method
    data = open_data(places)
    assert data.sizes["time"] == 12 and data.time.dtype.kind == "M"
    assert "360_day.nc, noleap.nc, standard.nc" in data.member.attrs["long_name"]
    daily = []
    for calendar in ("noleap", "360_day"):
        times = xr.date_range("2000-01-01", periods=9, calendar=calendar, use_cftime=True)
        xr.Dataset({"t": ("time", np.arange(9.0))}, {"time": times}).to_netcdf(tmp_path / f"d_{calendar}.nc")
        daily.append(Place.of(tmp_path / f"d_{calendar}.nc"))
    with pytest.raises(LabrigError, match="calendars of the files differ: 360_day, noleap"):
        open_data(daily)
    late = xr.open_dataset(places[1].path, decode_times=False)
    late.assign_coords(time=("time", late.time.values + 304, late.time.attrs)).to_netcdf(tmp_path / "late.nc")
    with pytest.raises(LabrigError, match="share 2"):
        open_data([places[1], Place.of(tmp_path / "late.nc")])


def test_months_and_years_of_two_calendars_are_subtracted(tmp_path: Path) -> None:
    one = _year(tmp_path / "one.nc", 2000, calendar="standard")
    other = _year(tmp_path / "other.nc", 2000, calendar="360_day")
    call = Call({"data": (one,), "other": (other,)}, {"what": "subtract"}, tmp_path)
    found = OPERATIONS["combine"](call)
    assert [each.value for each in found.values] == [0, 0, 0] and "12 months that both have" in found.method


def test_days_of_a_year_of_360_are_drawn_at_their_part_of_the_year(tmp_path: Path) -> None:
    times = xr.date_range("2095-01-01", periods=360, calendar="360_day", use_cftime=True)
    data = xr.Dataset({"t": ("time", np.arange(360.0), {"units": "K"})}, {"time": times})
    drawn = _on_the_usual_calendar(data.time)
    assert drawn[[0, 59, 180]].astype("datetime64[D]").astype(str).tolist() == [
        "2095-01-01",
        "2095-03-01",
        "2095-07-02",
    ]
    data.to_netcdf(tmp_path / "days.nc")
    made = OF_PLOTS["plot_series"](Call({"data": (Place.of(tmp_path / "days.nc"),)}, {}, tmp_path))
    assert made.files == ("series.png",)


def test_rasters_with_dates_in_their_names_are_a_series(tmp_path: Path) -> None:
    places = []
    for day in pd.date_range("2022-06-01", periods=3):
        path = tmp_path / f"ndvi_{day:%Y%m%d}.tif"
        with rasterio.open(
            path, "w", driver="GTiff", width=3, height=3, count=1, dtype="float32", crs="EPSG:32632",
            transform=from_origin(500000, 5000000, 10, 10),
        ) as file:  # fmt: skip
            file.write(np.full((1, 3, 3), day.day, "f4"))
        places.append(Place.of(path))
    call = Call({"data": tuple(places)}, {"over": "space"}, tmp_path)
    assert [each.value for each in OPERATIONS["aggregate"](call).values] == [1.0, 2.0, 3.0]
    undated = tmp_path / "undated.tif"
    undated.write_bytes(Path(places[0].path).read_bytes())
    with pytest.raises(LabrigError, match="no date in its name"):
        open_data([*places, Place.of(undated)])


@pytest.mark.asyncio
@pytest.mark.accept
async def test_a_pattern_names_all_files_that_fit_over_mcp(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for year in range(1930, 2000):
        _year(root / f"t_{year}.nc", year)
    options = ServeOptions(workspace=tmp_path / "work", roots=(root,))
    async with Client(build(toolbox, options)) as client:
        arguments = {"data": "@root/t_19*.nc", "over": "both"}
        found = (await client.call_tool("aggregate_grid", arguments)).structured_content
        assert found is not None and found["values"][0]["value"] == 1964.5
        listed = [f"@root/t_{year}.nc" for year in (1960, 1961)]
        for data in (listed, str(listed).replace("'", '"')):
            found = (
                await client.call_tool("aggregate_grid", {"data": data, "over": "both"})
            ).structured_content
            assert found is not None and found["values"][0]["value"] == 1960.5
        with pytest.raises(Exception, match="other things than paths"):
            await client.call_tool("aggregate_grid", {"data": [1, 2]})
        with pytest.raises(Exception, match="No file fits"):
            await client.call_tool("aggregate_grid", {"data": "@root/q_*.nc"})
