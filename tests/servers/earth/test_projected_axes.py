"""Axes of a projection in kilometres or radians lie where pyproj puts them in metres; axes of whole years are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from pyproj import CRS, Transformer

from labrig_earth.data.formats import Place
from labrig_earth.data.opening import open_dataset
from labrig_earth.grids.axes import axes_of
from labrig_earth.grids.operations import OPERATIONS
from labrig_earth.plots.operations import OPERATIONS as PLOTS
from labrig_earth.work.calls import Call

GOES = {
    "grid_mapping_name": "geostationary", "perspective_point_height": 35786023.0, "semi_major_axis": 6378137.0,
    "semi_minor_axis": 6356752.31414, "longitude_of_projection_origin": -75.0, "sweep_angle_axis": "x",
}  # fmt: skip
POLAR = {
    "grid_mapping_name": "polar_stereographic", "straight_vertical_longitude_from_pole": -45.0,
    "latitude_of_projection_origin": 90.0, "standard_parallel": 70.0, "false_easting": 0.0, "false_northing": 0.0,
    "semi_major_axis": 6378273.0, "semi_minor_axis": 6356889.449,
}  # fmt: skip
"""GOES-16's full disk, and the grid of sea ice of the NSIDC (EPSG:3411)."""


def _call(path: Path, folder: Path, operation: str, **arguments: Any) -> Any:
    return {**OPERATIONS, **PLOTS}[operation](Call({"data": (Place.of(path),)}, arguments, folder))


@pytest.mark.parametrize(("mapping", "unit", "factor"), [(GOES, "rad", 35786023.0), (POLAR, "km", 1000.0)])
def test_cells_lie_where_the_projection_puts_them(
    tmp_path: Path, mapping: dict[str, Any], unit: str, factor: float
) -> None:
    x, y = np.linspace(-1.5e6, 1.5e6, 31), np.linspace(2.0e6, -2.0e6, 41)
    values = np.arange(31 * 41, dtype="f8").reshape(41, 31)
    standard = "projection_{}_coordinate"
    data = xr.Dataset(
        {"t": (("y", "x"), values, {"units": "K", "grid_mapping": "crs"}), "crs": ((), 0, mapping)},
        {
            "x": ("x", x / factor, {"units": unit, "standard_name": standard.format("x")}),
            "y": ("y", y / factor, {"units": unit, "standard_name": standard.format("y")}),
        },
    )
    data.to_netcdf(tmp_path / "plane.nc", engine="netcdf4")
    found = _call(tmp_path / "plane.nc", tmp_path, "describe_data")
    assert found.data["extent"]["west_south_east_north"] == pytest.approx([-1.55e6, -2.05e6, 1.55e6, 2.05e6])
    to_degrees = Transformer.from_crs(found.crs, "EPSG:4326", always_xy=True)
    longitude, latitude = to_degrees.transform(x[20], y[10])
    there = _call(tmp_path / "plane.nc", tmp_path, "extract", point=[latitude, longitude])
    told = {each.name: each.value for each in there.values}
    assert told["t"] == values[10, 20] and told["distance_to_cell"] == pytest.approx(0, abs=0.01)


def test_a_series_of_whole_years_is_drawn(tmp_path: Path) -> None:
    data = xr.Dataset({"t": ("year", [1.0, 2.0, 4.0], {"units": "K"})}, {"year": [1990, 1991, 1993]})
    data.to_netcdf(tmp_path / "years.nc", engine="netcdf4")
    found = _call(tmp_path / "years.nc", tmp_path, "plot_series")
    assert found.files == ("series.png",) and [each.value for each in found.values] == [
        1.0,
        pytest.approx(7 / 3, rel=1e-5),
        4.0,
    ]


def test_a_projected_grid_of_grib_is_used_by_its_x_and_y(tmp_path: Path) -> None:
    text = "+proj=lcc +lon_0=265 +lat_0=25 +lat_1=25 +lat_2=25 +R=6371229"
    crs = CRS.from_proj4(text)
    x, y = np.arange(5) * 90_755.0 - 4_226_108.0, np.arange(4) * 90_755.0 - 832_698.0
    to_degrees = Transformer.from_crs(crs, crs.geodetic_crs, always_xy=True)
    longitude, latitude = (each.round(6) for each in to_degrees.transform(*np.meshgrid(x, y)))
    data = xr.Dataset(
        {"t": (("y", "x"), np.arange(20.0).reshape(4, 5), {"units": "K", "GRIB_projString": text})},
        {
            "latitude": (("y", "x"), latitude, {"units": "degrees_north"}),
            "longitude": (("y", "x"), longitude, {"units": "degrees_east"}),
        },
    )
    data.to_netcdf(tmp_path / "grib.nc")
    found = open_dataset(tmp_path / "grib.nc")
    np.testing.assert_allclose(found["x"], x, atol=1.0)
    np.testing.assert_allclose(found["y"], y, atol=1.0)
    axes = axes_of(found)
    assert (axes.y, axes.x, axes.curvilinear) == ("y", "x", False)
    assert CRS.from_user_input(axes.crs).to_dict()["proj"] == "lcc"
    data["latitude"] = data["latitude"] + np.arange(20).reshape(4, 5) % 3
    data.to_netcdf(tmp_path / "other.nc")
    assert axes_of(open_dataset(tmp_path / "other.nc")).curvilinear
