"""Cells that are no rectangles: curvilinear grids, meshes and projections, measured, averaged, regridded and drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.data.opening import open_dataset
from labrig_earth.grids.areas import area_mean, polygon_means
from labrig_earth.grids.axes import axes_of, grid_text
from labrig_earth.grids.mesh import RADIUS_KM, extent_of, odd_cells, sheet_of
from labrig_earth.grids.operations import OPERATIONS
from labrig_earth.grids.regridding import conservation, plane_around, regrid, target_grid
from labrig_earth.grids.selecting import select_box, select_point
from labrig_earth.grids.zonal import STATISTICS, zonal_statistics
from labrig_earth.plots.fields import Cells, cells_near, cells_of
from labrig_earth.results import Result
from labrig_earth.work.calls import Call

EARTH_KM2 = 4 * np.pi * RADIUS_KM**2


def octahedron(path: Path, *, centres: bool = True) -> Path:
    """Write eight triangles around the Earth, in UGRID: a node at each pole, numbers from 1, a place for a fourth."""
    nodes = [(0.0, 90.0), (0.0, 0.0), (90.0, 0.0), (180.0, 0.0), (270.0, 0.0), (0.0, -90.0)]
    faces = [(pole, each, each % 4 + 1, -1) for pole in (0, 5) for each in (1, 2, 3, 4)]
    mesh = {
        "cf_role": "mesh_topology",
        "topology_dimension": 2,
        "node_coordinates": "node_lon node_lat",
        "face_node_connectivity": "face_nodes",
    }
    table = {"start_index": 1, "_FillValue": -999, "cf_role": "face_node_connectivity"}
    names = (
        {"standard_name": "longitude", "units": "degrees_east"},
        {"standard_name": "latitude", "units": "degrees_north"},
    )
    data = xr.Dataset(
        {
            "mesh": ((), 0, mesh),
            "face_nodes": (("face", "corner"), np.where(np.array(faces) < 0, -999, np.array(faces) + 1), table),
            "node_lon": ("node", [each[0] for each in nodes], names[0]),
            "node_lat": ("node", [each[1] for each in nodes], names[1]),
            "t": (("time", "face"), np.arange(16.0).reshape(2, 8), {"units": "K", "mesh": "mesh", "location": "face"}),
        },
        coords={"time": np.array(["2001-01-01", "2001-01-02"], "datetime64[ns]")},
    )  # fmt: skip
    data.to_netcdf(path)
    return path


def curved() -> Any:
    """Return a field of rows and columns of latitude and longitude that has these as coordinates of two dimensions."""
    latitude, longitude = 20.5 + np.arange(24), 160.5 + np.arange(40)
    y, x = np.meshgrid(latitude, longitude, indexing="ij")
    values = 3 * y + np.cos(np.deg2rad(7 * x)) * 10
    flat = xr.DataArray(
        values,
        dims=("latitude", "longitude"),
        coords={
            "latitude": ("latitude", latitude, {"units": "degrees_north"}),
            "longitude": ("longitude", longitude, {"units": "degrees_east"}),
        },
        name="t",
        attrs={"units": "K"},
    )
    places = {"lat": (("j", "i"), y), "lon": (("j", "i"), (x + 180) % 360 - 180)}
    return flat, xr.DataArray(values, dims=("j", "i"), coords=places, name="t", attrs={"units": "K"})


def zones(*corners: list[tuple[float, float]]) -> Any:
    import geopandas as gpd
    from shapely.geometry import Polygon

    shapes = [Polygon(each) for each in corners]
    return gpd.GeoDataFrame({"name": [f"zone {n}" for n in range(len(shapes))]}, geometry=shapes, crs=4326)


@pytest.fixture
def act(tmp_path: Path) -> Any:
    def act(operation: str, **arguments: Any) -> Result:
        return OPERATIONS[operation](Call({"data": (Place.of(tmp_path / "mesh.nc"),)}, arguments, tmp_path))

    return act


def test_a_mesh_is_read_measured_averaged_and_asked_at_a_place(tmp_path: Path, act: Any) -> None:
    data = open_dataset(octahedron(tmp_path / "mesh.nc"))
    axes = axes_of(data["t"])
    assert (axes.cell_dims, grid_text(data["t"], axes)) == (("face",), "mesh, 8 cells")
    cells = sheet_of(data["t"], axes)
    assert cells.areas == pytest.approx([EARTH_KM2 / 8] * 8, rel=1e-4)
    assert area_mean(data["t"]).values == pytest.approx([3.5, 11.5])
    assert extent_of(cells) == pytest.approx((-180, -90, 180, 90))
    described = act("describe_data").data
    assert list(described["variables"]) == ["t"] and not [
        each for each in described["other"] if "corner" in each
    ]
    assert [each.value for each in act("aggregate", over="space", select={"end": "2001-01-01"}).values] == [
        3.5
    ]
    place = act("extract", point=[-30, 200], select={"end": "2001-01-01"})
    assert [each.value for each in place.values if each.name == "t"] == [6.0]
    assert {each.name: each.value for each in place.values}["cell_longitude"] == pytest.approx(-135)
    with pytest.raises(LabrigError, match="nearest"):
        act("extract", point=[-30, 200], method="linear")
    boxed, _ = select_box(data["t"], (-180, 0, 0, 90))
    assert boxed.values.tolist() == [[2.0, 3.0], [10.0, 11.0]]
    with pytest.raises(LabrigError, match="no cell centre"):
        select_box(data["t"], (0, 88, 5, 90))


def test_times_that_are_named_otherwise_than_their_dimension_are_its_axis_and_nodes_are_no_cells(
    tmp_path: Path, act: Any
) -> None:
    with xr.open_dataset(octahedron(tmp_path / "made.nc"), decode_times=False) as made:
        stored = made.load().rename_dims(time="step").rename_vars(time="instant")
    stored["instant"].attrs["standard_name"] = "time"
    of_nodes = {"units": "m", "mesh": "mesh", "location": "node", "coordinates": "node_lon node_lat"}
    stored["depth"] = ("node", np.arange(6.0), of_nodes)
    stored.to_netcdf(tmp_path / "mesh.nc")
    means = act("aggregate", variable="t", over="space")
    assert [(each.value, each.note) for each in means.values] == [(3.5, "2001-01-01"), (11.5, "2001-01-02")]
    with pytest.raises(LabrigError, match="places along node, such as edges or nodes of a mesh"):
        act("aggregate", variable="depth", over="space")


def test_what_a_mesh_gives_is_read_again(tmp_path: Path, act: Any) -> None:
    octahedron(tmp_path / "mesh.nc")
    act("extract", select={"end": "2001-01-01"}, format="netcdf")
    again = open_dataset(tmp_path / "extract.nc")["t"]
    assert sheet_of(again, axes_of(again)).areas.sum() == pytest.approx(EARTH_KM2, rel=1e-4)


def test_rows_and_columns_give_the_same_as_cells_with_corners() -> None:
    flat, over = curved()
    assert axes_of(over).curvilinear
    assert float(area_mean(over)) == pytest.approx(float(area_mean(flat)), rel=1e-5)
    polygons = zones(
        [(172.31, 25.23), (188.77, 24.12), (190.19, 38.94), (170.04, 33.07)],
        [(163.2, 22.3), (166.8, 22.1), (165.2, 27.4)],
    )
    for method in ("exactextract", "centres"):
        one, other = (polygon_means(each, polygons, method=method) for each in (flat, over))
        assert other.data.values == pytest.approx(one.data.values, rel=1e-3)
        assert other.area_km2.values == pytest.approx(one.area_km2.values, rel=1e-3)
    one, other = (
        zonal_statistics(each, polygons, [*STATISTICS[:7], "percentile"], percentile=80).table
        for each in (flat, over)
    )
    for name in one.columns[1:]:
        assert other[name].values == pytest.approx(one[name].values, rel=1e-2), name
    with pytest.raises(LabrigError, match="outside"):
        polygon_means(over, zones([(0, 0), (1, 0), (1, 1)]))
    with pytest.raises(LabrigError, match="regular"):
        polygon_means(over, polygons, method="fractional")


def test_classes_of_cells_with_corners_are_counted_by_area() -> None:
    flat, over = curved()
    classes = [(each > 100).astype("i4").assign_attrs(each.attrs) for each in (flat, over)]
    asked = ["fractions", "majority", "minority", "variety"]
    one, other = (
        zonal_statistics(each, zones([(170, 25), (189, 25), (180, 38)]), asked).table for each in classes
    )
    assert list(other.columns) == list(one.columns)
    for name in one.columns[1:]:
        assert other[name].values == pytest.approx(one[name].values, rel=1e-2), name


def test_corners_that_a_file_states_are_taken_and_odd_ones_left_out(tmp_path: Path) -> None:
    _, over = curved()
    y, x = over["lat"].values, over["lon"].values
    shifts = [(-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (0.5, -0.5)]
    bounds = {
        "lat_b": (("j", "i", "four"), np.stack([y + a for a, _ in shifts], axis=-1)),
        "lon_b": (("j", "i", "four"), np.stack([x + b for _, b in shifts], axis=-1)),
    }
    bounds["lat_b"][1][0, 0, 0] = -60.0  # as in the halo of an ocean model
    data = over.to_dataset().assign(bounds)
    y[5, 5], x[5, 5] = y[5, 4], x[5, 4]
    for name in ("lat", "lon"):
        data[name].attrs = {"units": f"degrees_{'north' if name == 'lat' else 'east'}", "bounds": f"{name}_b"}
    data.to_netcdf(tmp_path / "o.nc")
    field = open_dataset(tmp_path / "o.nc")["t"]
    assert odd_cells(field, axes_of(field)) == (
        "1 cells have the place of another and are left out",
        "1 cells have corners far from their centre and are left out",
    )
    areas = sheet_of(field, axes_of(field)).areas
    assert (areas == 0).sum() == 2 and areas.max() < 1.3e4


def test_radians_of_a_mesh_become_degrees(tmp_path: Path) -> None:
    given = open_dataset(octahedron(tmp_path / "mesh.nc"))
    icon = xr.Dataset({"t": ("cell", np.arange(8.0), {"units": "K"})})
    for kind, short in (("latitude", "clat"), ("longitude", "clon")):
        corners = [given[f"face_{kind}_corner_{at}"].values for at in range(3)]
        attrs = {"standard_name": kind, "units": "radian", "bounds": f"{short}_bnds"}
        icon = icon.assign_coords({short: ("cell", np.deg2rad(given[f"face_{kind}"].values), attrs)})
        icon[f"{short}_bnds"] = (("cell", "nv"), np.deg2rad(np.stack(corners, axis=1)))
    icon.to_netcdf(tmp_path / "icon.nc")
    found = open_dataset(tmp_path / "icon.nc")["t"]
    assert sheet_of(found, axes_of(found)).areas == pytest.approx([EARTH_KM2 / 8] * 8, rel=1e-4)
    assert float(select_point(found, 30, 100).data) == 1.0


def test_a_pole_in_a_cell_and_cells_across_the_date_line_keep_their_areas() -> None:
    angles = np.deg2rad([45, 135, 225, 315])
    ring = np.stack([np.rad2deg(angles), np.full(4, 80.0)], axis=-1)
    from labrig_earth.grids.mesh import cells_at, sheet_of_rings

    across = np.array([[175.0, -10], [-175, -10], [-175, 10], [175, 10]])
    cells = sheet_of_rings(np.stack([ring, across]))
    assert cells_at(cells, [0, 123, 180, -179, 0], [89.9, 85, 0, 5, 0]).tolist() == [0, 0, 1, 1, -1]
    # Four great circles around the pole: by Girard, the sum of angles less 2 pi.
    side = np.deg2rad(10.0)
    angle = 2 * np.arctan(1 / (np.cos(side) * np.tan(np.pi / 4)))
    assert cells.areas[0] == pytest.approx((4 * angle - 2 * np.pi) * RADIUS_KM**2, rel=1e-3)


def test_a_conservative_regrid_keeps_the_mean_from_and_to_any_grid(tmp_path: Path) -> None:
    flat, over = curved()
    target = target_grid(2.0, (165, 22, 195, 42), over, axes_of(over))
    one, other = regrid(flat, target), regrid(over, target)
    assert other.data.values == pytest.approx(one.data.values, rel=1e-4)
    before, after = conservation(over, other.data, other.common)
    assert after == pytest.approx(before, rel=1e-4)
    assert regrid(over * 0 + 5, target).data.values == pytest.approx(5.0)
    laea = "+proj=laea +lat_0=32 +lon_0=180 +datum=WGS84"
    plane = plane_around(over, laea, 150_000)
    there = regrid(over, plane)
    assert axes_of(there.data).crs and there.data.dims == ("y", "x")
    before, after = conservation(over, there.data, there.common)
    assert after == pytest.approx(before, rel=2e-3)
    back = regrid(there.data, target_grid(4.0, (170, 26, 190, 38), over, axes_of(over))).data
    assert float(np.abs(back - regrid(flat, back).data).max()) < 1.5
    near = regrid(over, target, method="nearest").data
    assert np.isin(near.values, over.values).all()
    with pytest.raises(LabrigError, match="conservative or nearest"):
        regrid(over, target, method="linear")
    with pytest.raises(LabrigError, match="meet"):
        regrid(over, target_grid(2.0, (0, 0, 10, 10), over, axes_of(over)))


def test_cells_with_corners_are_drawn_where_they_are() -> None:
    flat, over = curved()
    cells = cells_of(over)
    assert cells.box == pytest.approx((160, 20, 200, 44), abs=0.2)
    x, y = np.meshgrid(*cells.centres)
    inside = np.isfinite(cells.values)
    assert inside.mean() > 0.98
    expected = flat.sel(latitude=xr.DataArray(y[inside]), longitude=xr.DataArray(x[inside]), method="nearest")
    assert (cells.values[inside] == expected.values).mean() > 0.97


def test_what_lies_opposite_a_map_is_not_drawn_around_it() -> None:
    y, x = np.arange(-89.5, 90), np.arange(-179.5, 180)
    values = np.where(y[:, None] > 0, np.nan, 1.0) + 0 * x  # missing on the half that is shown
    cells = Cells(values, np.arange(-180.0, 181), np.arange(-90.0, 91), "EPSG:4326", True, "t")
    found = cells_near(cells, (150.0, 40.0, 210.0, 70.0), 30.0)
    assert (found.x_edges[0], found.x_edges[-1], found.y_edges[0]) == (120.0, 240.0, 10.0)
    assert found.values.shape == (found.y_edges.size - 1, found.x_edges.size - 1)
    assert not np.isfinite(found.values).any()
    numbered = replace(cells, values=np.broadcast_to(x, values.shape))
    here = cells_near(numbered, (150.0, 40.0, 210.0, 70.0), 0.0)
    assert here.values[0].tolist() == [*np.arange(150.5, 180), *np.arange(-179.5, -150)]
    # A field with a gap at the date line keeps its columns.
    part = replace(cells, values=values[:, 20:-20], x_edges=cells.x_edges[20:-20])
    assert cells_near(part, (150.0, 40.0, 210.0, 70.0), 0.0).x_edges.size == 321
