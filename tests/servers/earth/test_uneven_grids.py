"""Grids that are neither plain degrees nor a plain that keeps areas: rotated poles, Mercator, polar stereographic."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labrig_earth.data.formats import Place
from labrig_earth.data.opening import open_dataset
from labrig_earth.grids.areas import area_mean, polygon_means
from labrig_earth.grids.axes import axes_of, short_crs
from labrig_earth.grids.cells import NODES, cell_areas, ground_areas
from labrig_earth.grids.regridding import regrid, target_grid
from labrig_earth.grids.selecting import select_box, select_point
from labrig_earth.grids.zonal import zonal_statistics

ROTATED = {
    "grid_mapping_name": "rotated_latitude_longitude",
    "grid_north_pole_latitude": 39.25,
    "grid_north_pole_longitude": -162.0,
}
"""The pole of EURO-CORDEX."""


def write(path: Path, mapping: dict[str, Any], y: Any, x: Any, values: Any, standard: tuple[str, str]) -> Any:
    import xarray as xr

    unit = "degrees" if standard[0].startswith("grid") else "m"
    names = ("rlat", "rlon") if unit == "degrees" else ("y", "x")
    field = xr.DataArray(
        values,
        {
            names[0]: (names[0], y, {"units": unit, "standard_name": standard[0]}),
            names[1]: (names[1], x, {"units": unit, "standard_name": standard[1]}),
        },
        name="tas",
        attrs={"units": "K", "grid_mapping": "crs"},
    )
    field.to_dataset().assign(crs=xr.DataArray(0, attrs=mapping)).to_netcdf(path, engine="netcdf4")
    return open_dataset(Place.of(path)).load()


def rotate(latitude: Any, longitude: Any) -> tuple[Any, Any]:
    """Return geographic latitude and longitude of rotated ones, by the formulas of spherical trigonometry."""
    pole, turn = (
        np.deg2rad(ROTATED[f"grid_north_pole_{name}"])  # type: ignore[arg-type]
        for name in ("latitude", "longitude")
    )
    phi, lam = np.deg2rad(latitude), np.deg2rad(longitude)
    sine = np.cos(pole) * np.cos(phi) * np.cos(lam) + np.sin(pole) * np.sin(phi)
    towards = np.cos(pole) * np.sin(phi) - np.sin(pole) * np.cos(lam) * np.cos(phi)
    aside = np.sin(lam) * np.cos(phi)
    east = np.sin(turn) * towards - np.cos(turn) * aside
    north = np.cos(turn) * towards + np.sin(turn) * aside
    return np.degrees(np.arcsin(sine)), np.degrees(np.arctan2(east, north))


def test_a_rotated_grid_is_used_by_its_own_degrees_and_asked_for_in_ours(tmp_path: Path) -> None:
    import geopandas as gpd
    import shapely

    y, x = np.arange(-12.1, 4.0, 0.44), np.arange(352.0, 368.0, 0.44)
    values = np.random.default_rng(3).normal(280, 8, (y.size, x.size))
    data = write(tmp_path / "r.nc", ROTATED, y, x, values, ("grid_latitude", "grid_longitude"))
    axes = axes_of(data)
    assert axes.rotated and not axes.geographic and (axes.y, axes.x) == ("rlat", "rlon")
    assert "Pole rotation" in short_crs(axes.crs)
    weights = np.cos(np.deg2rad(y))[:, None] * np.ones(x.size)
    assert float(area_mean(data["tas"])) == pytest.approx((values * weights).sum() / weights.sum(), abs=1e-6)
    latitude, longitude = rotate(y[20], x[7])
    found = select_point(data["tas"], float(latitude), float(longitude))
    assert float(found.data) == pytest.approx(values[20, 7]) and found.distance_km < 0.2
    corners = [rotate(*each)[::-1] for each in ((y[5], x[5]), (y[5], x[25]), (y[25], x[25]), (y[25], x[5]))]
    zone = gpd.GeoDataFrame({"name": ["z"]}, geometry=[shapely.Polygon(corners)], crs="EPSG:4326")
    inside = np.zeros_like(values)
    inside[5:26, 5:26] = 1.0
    inside[(5, 25), :] /= 2.0
    inside[:, (5, 25)] /= 2.0
    right = (values * inside * weights).sum() / (inside * weights).sum()
    assert polygon_means(data["tas"], zone).data.item() == pytest.approx(right, abs=0.02)
    assert zonal_statistics(data["tas"], zone, ["mean"]).table["mean"].item() == pytest.approx(
        right, abs=0.02
    )
    part, done = select_box(data, [float(longitude) - 1, float(latitude) - 1, float(longitude) + 1, 49.0])
    assert 0 < part["tas"].size < 200 and "the box in degrees" in done[0]


@pytest.mark.parametrize(
    ("mapping", "y", "x", "scale"),
    [
        pytest.param(
            {
                "grid_mapping_name": "mercator",
                "standard_parallel": 0.0,
                "longitude_of_projection_origin": 0.0,
                "earth_radius": 6371229.0,
            },
            np.arange(-4e6, 9e6, 5e5),
            np.arange(0, 4e6, 5e5),
            lambda y, x: np.cosh(y / 6371229.0) ** 2,
            id="mercator",
        ),
        pytest.param(
            {
                "grid_mapping_name": "polar_stereographic",
                "latitude_of_projection_origin": 90.0,
                "straight_vertical_longitude_from_pole": 0.0,
                "scale_factor_at_projection_origin": 1.0,
                "earth_radius": 6371229.0,
            },
            np.arange(-4e6, 4.1e6, 4e5),
            np.arange(-4e6, 4.1e6, 4e5),
            lambda y, x: (1 + (x**2 + y**2) / (4 * 6371229.0**2)) ** 2,
            id="polar_stereographic",
        ),
    ],
)
def test_cells_of_a_projection_count_by_their_areas_on_the_ground(
    tmp_path: Path, mapping: dict[str, Any], y: Any, x: Any, scale: Any
) -> None:
    import geopandas as gpd
    import shapely

    values = np.random.default_rng(3).normal(280, 8, (y.size, x.size)) - 20 * (y[:, None] / y[-1]) ** 2
    standard = ("projection_y_coordinate", "projection_x_coordinate")
    data = write(tmp_path / "p.nc", mapping, y, x, values, standard)
    weights = np.broadcast_to(1.0 / scale(y[:, None], x[None, :]), values.shape)
    right = (values * weights).sum() / weights.sum()
    assert float(area_mean(data["tas"])) == pytest.approx(right, abs=1e-5)
    assert abs(values.mean() - right) > 0.1
    half = float(x[1] - x[0]) / 2
    whole = shapely.box(x[2] - half, y[2] - half, x[5] + half, y[9] + half)
    zone = gpd.GeoDataFrame(geometry=[whole], crs=axes_of(data).crs)
    part = (slice(2, 10), slice(2, 6))
    right = (values[part] * weights[part]).sum() / weights[part].sum()
    assert polygon_means(data["tas"], zone).data.item() == pytest.approx(right, abs=1e-5)
    found = zonal_statistics(data["tas"], zone, ["mean", "sum"])
    assert found.table["mean"].item() == pytest.approx(right, abs=1e-5)
    assert found.table["sum"].item() == pytest.approx(values[part].sum())
    assert "also by their areas" in found.method


def test_areas_on_the_ground_of_a_large_grid_are_those_of_its_projection() -> None:
    import pyproj
    import xarray as xr

    side = 20 * NODES
    y, x = np.linspace(8e6, 4e6, side), np.linspace(0, 4e6, side)
    grid = xr.Dataset({"v": (("y", "x"), np.zeros((side, side), "f4"))}, {"y": y, "x": x})
    axes = replace(axes_of(grid), crs="EPSG:3857")
    drawn = np.random.default_rng(1)
    rows, columns = drawn.integers(0, side, (2, 200))
    to_degrees = pyproj.Transformer.from_crs("EPSG:3857", "EPSG:4326", always_xy=True)
    factors = pyproj.Proj("EPSG:3857").get_factors(*to_degrees.transform(x[columns], y[rows]))
    in_plane = cell_areas(grid.v, axes).values[rows, columns]
    on_ground = ground_areas(grid.v, axes).values[rows, columns]
    np.testing.assert_allclose(on_ground, in_plane / factors.areal_scale, rtol=1e-6)


def write_ocean(path: Path, rows: dict[str, str], columns: dict[str, str]) -> Any:
    """Write a field whose axes name rows and columns of another pole, with the places of its cells beside them."""
    import xarray as xr

    y, x = np.linspace(-12.0, 12.0, 25), np.linspace(-8.0, 8.0, 17)
    latitude, longitude = rotate(y[:, None] + 0 * x, x + 0 * y[:, None])
    places = {
        "latitude": (("i", "j"), latitude, {"units": "degrees_north", "standard_name": "latitude"}),
        "longitude": (("i", "j"), longitude, {"units": "degrees_east", "standard_name": "longitude"}),
    }
    axes = {"i": ("i", y, rows | {"axis": "Y"}), "j": ("j", x, columns | {"axis": "X"})}
    xr.DataArray(latitude, axes | places, ("i", "j"), "zos", {"units": "m"}).to_netcdf(path)
    return open_dataset(Place.of(path)).load()


@pytest.mark.parametrize("standard", ["grid_latitude", "latitude"])
def test_axes_of_another_pole_are_not_the_earths_though_their_unit_says_degrees_north(
    tmp_path: Path, standard: str
) -> None:
    rows = {"units": "degrees_north", "standard_name": standard}
    columns = {"units": "degrees_east", "standard_name": standard.replace("latitude", "longitude")}
    data = write_ocean(tmp_path / "ocean.nc", rows, columns)
    found, latitude = axes_of(data), data["zos"].values
    assert (found.latitude_2d, found.longitude_2d, found.geographic) == ("latitude", "longitude", False)
    weights = np.cos(np.deg2rad(data["i"].values))[:, None] * np.ones(17)
    assert float(area_mean(data["zos"])) == pytest.approx(
        (latitude * weights).sum() / weights.sum(), abs=0.02
    )
    place = (float(data[name].values[20, 3]) for name in ("latitude", "longitude"))
    nearest = select_point(data["zos"], *place)
    assert float(nearest.data) == pytest.approx(latitude[20, 3]) and nearest.distance_km < 0.2


def test_places_that_repeat_the_axes_leave_the_grid_as_it_is(tmp_path: Path) -> None:
    data = write_ocean(tmp_path / "plain.nc", {"units": "degrees_north"}, {"units": "degrees_east"})
    plain = data.assign_coords({
        "latitude": data["latitude"].copy(data=data["i"].values[:, None] + 0 * data["j"].values),
        "longitude": data["longitude"].copy(data=data["j"].values + 0 * data["i"].values[:, None] + 360.0),
    })  # fmt: skip
    assert axes_of(plain).geographic and not axes_of(plain).curvilinear


@pytest.mark.parametrize("named", ["lat", "latitude"])
def test_cells_are_as_large_as_their_bounds_say(tmp_path: Path, named: str) -> None:
    import xarray as xr

    low, high = (
        np.array([-90.0, -30.0, 60.0]),
        np.array([-80.0, -20.0, 90.0]),
    )  # rows between them were left out
    values = np.array([[200.0, 210.0], [300.0, 310.0], [260.0, 250.0]])
    data = xr.Dataset(
        {"t": ((named, "lon"), values, {"units": "K"}), "b": ((named, "two"), np.stack([low, high], 1))},
        {
            named: (named, (low + high) / 2, {"units": "degrees_north", "bounds": "b"}),
            "lon": ("lon", [0.0, 180.0], {"units": "degrees_east"}),
        },
    )
    data.to_netcdf(tmp_path / "rows.nc")
    found = open_dataset(tmp_path / "rows.nc")
    weights = np.sin(np.deg2rad(high)) - np.sin(np.deg2rad(low))
    right = (values.mean(axis=1) * weights).sum() / weights.sum()
    assert float(area_mean(found["t"])) == pytest.approx(right)
    part = found["t"].isel({named: slice(1, None)})
    assert float(area_mean(part)) == pytest.approx(
        (values[1:].mean(1) * weights[1:]).sum() / weights[1:].sum()
    )
    coarse = regrid(
        found["t"], target_grid(30.0, None, found["t"], axes_of(found["t"])), method="nearest"
    ).data
    assert not [each for each in coarse.coords if "labrig_edge" in coarse[each].attrs]
