"""Axes of a projection in kilometres or radians lie where pyproj puts them in metres; axes of whole years are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cartopy.crs as ccrs
import numpy as np
import pytest
import xarray as xr
from pyproj import CRS, Geod, Transformer

from labrig.errors import LabrigError
from labrig.plotting.checks import Heading
from labrig_earth.data.formats import Place
from labrig_earth.data.opening import open_dataset
from labrig_earth.grids import cells
from labrig_earth.grids.areas import area_mean
from labrig_earth.grids.axes import axes_of
from labrig_earth.grids.operations import OPERATIONS
from labrig_earth.grids.selecting import select_box
from labrig_earth.plots.fields import cells_of
from labrig_earth.plots.maps import map_figure
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


def test_axes_are_those_of_the_projection_that_their_fields_name(tmp_path: Path) -> None:
    angles = np.linspace(-0.15, 0.15, 31)
    data = xr.Dataset(
        {
            "AOD": (("y", "x"), np.abs(angles)[:, None] + 0 * angles, {"grid_mapping": "disk"}),
            "by_band": ("band", [1.0, 2.0], {"grid_mapping": "degrees: band disk: y_image x_image"}),
            "disk": ((), 0, GOES),
            "degrees": ((), 0, {"grid_mapping_name": "latitude_longitude", "semi_major_axis": 6378137.0}),
        },
        {
            name: (name, sign * angles, {"units": "rad", "standard_name": f"projection_{name}_coordinate"})
            for name, sign in (("x", 1), ("y", -1))
        },
    )
    data.to_netcdf(tmp_path / "disk.nc")
    found = open_dataset(tmp_path / "disk.nc")
    np.testing.assert_allclose(found["x"], angles * 35786023.0)
    axes = axes_of(found)
    assert CRS.from_user_input(axes.crs).to_dict()["proj"] == "geos"
    to_degrees = Transformer.from_crs(axes.crs, "EPSG:4326", always_xy=True)
    edges = np.linspace(-0.155, 0.155, 32) * 35786023.0
    longitude, latitude = to_degrees.transform(*np.meshgrid(edges, -edges))
    right = total = 0.0
    ground = Geod(a=6378137.0, b=6356752.31414)
    for row, column in np.ndindex(31, 31):
        ring = (slice(row, row + 2), slice(column, column + 2))
        places = [each[ring].ravel()[[0, 1, 3, 2]] for each in (longitude, latitude)]
        if np.isfinite(places).all():
            area = abs(ground.polygon_area_perimeter(*places)[0])
            right += area * abs(angles[row])
            total += area
    inside = np.isfinite(
        [longitude[:-1, :-1], longitude[1:, 1:], longitude[1:, :-1], longitude[:-1, 1:]]
    ).all(0)
    field = found["AOD"].where(xr.DataArray(inside, dims=("y", "x")))
    assert float(area_mean(field)) == pytest.approx(right / total, rel=0.02)
    assert float(field.mean()) < 0.95 * right / total
    box, done = select_box(found["AOD"], [-95.0, -20.0, -55.0, 20.0])
    assert 25 < box.size < 144 and "in degrees" in done[0]


def test_degrees_of_another_pole_that_repeat_a_projection_are_not_its_axes(tmp_path: Path) -> None:
    """UKCP on the British grid, with the rotated places of the model that it comes from."""
    places = np.add.outer(np.arange(4.0), np.arange(5.0))
    data = xr.Dataset({"t": (("py", "px"), places, {"grid_mapping": "plane"})})
    data["plane"] = ((), 0, CRS.from_epsg(27700).to_cf())
    for letter, kind, size in (("y", "latitude", 4), ("x", "longitude", 5)):
        axis = {"standard_name": f"projection_{letter}_coordinate", "units": "m"}
        data[f"p{letter}"] = (f"p{letter}", np.arange(size) * 12000.0, axis)
        name = f"grid_{kind}"
        data[name] = (("py", "px"), places / 10, {"standard_name": name, "units": "degrees"})
    data.set_coords(["grid_latitude", "grid_longitude"]).to_netcdf(tmp_path / "plane.nc")
    described = _call(tmp_path / "plane.nc", tmp_path, "describe_data").data
    assert described["axes"] == {"y": "py", "x": "px"}
    assert described["extent"]["area_m2"] == 20 * 12000.0**2


def test_coordinates_of_a_projection_along_dimensions_of_other_names_are_its_axes(tmp_path: Path) -> None:
    """Gridded lightning of GOES: x along nx, y along ny, and x before y."""
    angles = {"x": np.linspace(-0.02, 0.02, 9), "y": np.linspace(0.05, 0.08, 7)}
    values = np.add.outer(angles["x"], angles["y"])
    data = xr.Dataset({"density": (("nx", "ny"), values, {"grid_mapping": "disk"}), "disk": ((), 0, GOES)})
    for name, each in angles.items():
        axis = {"standard_name": f"projection_{name}_coordinate", "units": "rad"}
        data = data.assign({name: (f"n{name}", each, axis)}).reset_coords()
    data.to_netcdf(tmp_path / "disk.nc")
    found = open_dataset(tmp_path / "disk.nc")["density"]
    axes = axes_of(found)
    assert (axes.y, axes.x) == ("y", "x")
    np.testing.assert_allclose(found["y"], angles["y"] * GOES["perspective_point_height"])
    assert values.min() < float(area_mean(found)) < values.max()


def test_times_of_the_rows_of_a_swath_are_not_its_axis(tmp_path: Path) -> None:
    rows, columns = np.meshgrid(np.arange(5.0), np.arange(4.0), indexing="ij")
    places = {
        "latitude": (("line", "sample"), 50 - rows, {"standard_name": "latitude", "units": "degrees_north"}),
        "longitude": (("line", "sample"), columns, {"standard_name": "longitude", "units": "degrees_east"}),
        "seen": ("line", np.arange(5.0), {"standard_name": "time", "units": "seconds since 2020-01-01"}),
    }
    xr.Dataset({"t": (("line", "sample"), rows)}, places).to_netcdf(tmp_path / "swath.nc")
    found = open_dataset(tmp_path / "swath.nc")["t"]
    assert found.dims == ("line", "sample") and axes_of(found).cell_dims == ("line", "sample")


def test_a_field_without_a_place_on_the_earth_is_not_drawn_on_it(tmp_path: Path) -> None:
    xr.Dataset({"t": (("y", "x"), np.ones((3, 4)))}, {"y": [2.0, 1, 0], "x": np.arange(4.0)}).to_netcdf(
        tmp_path / "plain.nc"
    )
    with pytest.raises(LabrigError, match="No CRS is stated: a map has no place"):
        cells_of(open_dataset(tmp_path / "plain.nc")["t"])


def test_scales_between_places_of_a_large_disk_are_those_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    crs = CRS.from_cf(GOES).to_wkt()
    y, x = np.linspace(5.4e6, -5.4e6, 90), np.linspace(-5.4e6, 5.4e6, 110)
    right = cells._areal_scales(y, x, crs)
    monkeypatch.setattr(cells, "MOST_SCALES", 900)
    found = cells._areal_scales(y, x, crs)
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(right))
    known = np.isfinite(right)
    assert np.abs(found - right)[known].max() < 0.06 and np.abs(found - right)[known].mean() < 0.004


def test_a_full_disk_is_drawn_in_its_own_projection(tmp_path: Path) -> None:
    angles = np.linspace(-0.15, 0.15, 31)
    data = xr.Dataset(
        {"t": (("y", "x"), 0 * angles[:, None] + angles, {"grid_mapping": "disk"}), "disk": ((), 0, GOES)},
        {name: (name, sign * angles, {"units": "rad", "standard_name": f"projection_{name}_coordinate"})
         for name, sign in (("x", 1), ("y", -1))},
    )  # fmt: skip
    data.to_netcdf(tmp_path / "disk.nc")
    cells = cells_of(open_dataset(tmp_path / "disk.nc").t)
    west, south, east, north = cells.box
    assert west == pytest.approx(-75 - 70, abs=15) and east == pytest.approx(-75 + 70, abs=15)
    assert -85 < south < -55 and 55 < north < 85
    (axes, *_) = map_figure(Heading("t", "a file", ()), field=cells).axes
    assert isinstance(axes.projection, ccrs.Geostationary)
    assert axes.get_xlim()[1] == pytest.approx(5.43e6, rel=0.01)


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
