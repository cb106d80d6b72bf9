"""What real files have and made ones seldom do: scaled bands, Gaussian rows, CF projections, heights, old datums."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.gis.features import read_features
from labrig_earth.gis.measuring import measure
from labrig_earth.grids.operations import OPERATIONS
from labrig_earth.results import Result
from labrig_earth.work.calls import Call


@pytest.fixture
def act(tmp_path: Path) -> Any:
    """Do an operation on files of the folder."""

    def act(operation: str, inputs: dict[str, str], **arguments: Any) -> Result:
        places = {role: (Place.of(tmp_path / name),) for role, name in inputs.items()}
        return OPERATIONS[operation](Call(places, arguments, tmp_path))

    return act


def polygon(path: Path, *corners: tuple[float, float], crs: str = "EPSG:4326") -> Any:
    import geopandas as gpd
    from shapely.geometry import Polygon

    gpd.GeoDataFrame({"name": ["zone"]}, geometry=[Polygon(corners)], crs=crs).to_file(path, driver="GPKG")
    return Polygon(corners)


def test_scale_and_offset_of_each_band_are_applied(tmp_path: Path, act: Any) -> None:
    import rasterio
    from rasterio.transform import from_origin

    profile = {"driver": "GTiff", "width": 4, "height": 4, "count": 2, "dtype": "int16", "nodata": -1}
    with rasterio.open(
        tmp_path / "s.tif", "w", crs="EPSG:32633", transform=from_origin(5e5, 4.6e6, 100, 100), **profile
    ) as file:
        file.write(np.full((2, 4, 4), 1495, "int16"))
        file.scales, file.offsets, file.units = (0.0001, 0.001), (-0.1, 2.0), ("1", "1")
    polygon(tmp_path / "z.gpkg", (500050, 4599700), (500350, 4599700), (500350, 4599950), crs="EPSG:32633")
    found = act("zonal_statistics", {"data": "s.tif", "polygons": "z.gpkg"}, statistics=["mean"])
    assert [each.value for each in found.values] == pytest.approx([0.0495, 3.495])
    assert "0.0001 x stored + -0.1, 0.001 x stored + 2" in found.method
    described = act("describe_data", {"data": "s.tif"}).data
    assert described["extent"]["west_south_east_north"] == [500000, 4599600, 500400, 4600000]
    assert described["variables"]["band_data"]["packed"].endswith("applied")
    assert [each.value for each in act("aggregate", {"data": "s.tif"}, over="space").values] == pytest.approx(
        [0.0495, 3.495]
    )
    with pytest.raises(LabrigError, match='over="space"'):
        act("aggregate", {"data": "s.tif"})


@pytest.mark.parametrize("falling", [False, True])
def test_cells_of_a_gaussian_grid_count_by_the_part_of_them_inside(
    tmp_path: Path, act: Any, falling: bool
) -> None:
    import shapely
    import xarray as xr

    latitudes = np.degrees(np.arcsin(np.polynomial.legendre.leggauss(32)[0]))
    latitudes = latitudes[::-1] if falling else latitudes
    values = np.random.default_rng(5).normal(280, 9, (32, 16))
    xr.DataArray(
        values,
        {
            "lat": ("lat", latitudes, {"units": "degrees_north"}),
            "lon": ("lon", np.arange(16) * 22.5, {"units": "degrees_east"}),
        },
        name="tas",
        attrs={"units": "K"},
    ).to_netcdf(tmp_path / "g.nc", engine="netcdf4")
    shape = polygon(tmp_path / "z.gpkg", (20, 10), (75, 14), (61, 52), (33, 41))
    edges = np.concatenate([[-90], (np.sort(latitudes)[1:] + np.sort(latitudes)[:-1]) / 2, [90]])
    weights = np.zeros((32, 16))
    for row in range(32):
        south, north = edges[row], edges[row + 1]
        for column in range(16):
            cell = shapely.box(22.5 * (column - 0.5), south, 22.5 * (column + 0.5), north)
            part = cell.intersection(shape).area / cell.area
            weights[row, column] = part * (np.sin(np.radians(north)) - np.sin(np.radians(south)))
    weights = weights[::-1] if falling else weights
    right = (values * weights).sum() / weights.sum()
    zonal = act("zonal_statistics", {"data": "g.nc", "polygons": "z.gpkg"}, statistics=["mean", "max"])
    # rows whose heights differ by less than a thousandth are taken for equal (axes.REGULAR_WITHIN)
    assert zonal.values[0].value == pytest.approx(right, abs=1e-3)
    assert zonal.values[1].value == pytest.approx(values[weights > 0].max(), abs=1e-4)
    mean = act("aggregate", {"data": "g.nc", "polygons": "z.gpkg"}, over="space")
    assert mean.values[0].value == pytest.approx(right, abs=1e-3)


@pytest.mark.parametrize("with_latitudes", [False, True])
def test_a_projection_that_cf_attributes_state_is_used(
    tmp_path: Path, act: Any, with_latitudes: bool
) -> None:
    import pyproj
    import xarray as xr

    mapping = {
        "grid_mapping_name": "lambert_azimuthal_equal_area",
        "latitude_of_projection_origin": 52.0,
        "longitude_of_projection_origin": 10.0,
        "false_easting": 4321000.0,
        "false_northing": 3210000.0,
        "semi_major_axis": 6378137.0,
        "inverse_flattening": 298.257222101,
    }
    y, x = 2.9e6 + 2e4 * np.arange(10), 4.2e6 + 2e4 * np.arange(10)
    values = np.arange(100.0).reshape(10, 10)
    data = xr.Dataset(
        {"tas": (("y", "x"), values, {"units": "K", "grid_mapping": "crs"}), "crs": ((), 0, mapping)},
        {
            "y": ("y", y, {"standard_name": "projection_y_coordinate", "units": "m"}),
            "x": ("x", x, {"standard_name": "projection_x_coordinate", "units": "m"}),
        },
    )
    if with_latitudes:
        back = pyproj.Transformer.from_crs(3035, 4326, always_xy=True).transform(*np.meshgrid(x, y))
        for name, places, unit in (("lon", back[0], "degrees_east"), ("lat", back[1], "degrees_north")):
            data = data.assign_coords({name: (("y", "x"), places, {"units": unit})})
    data.to_netcdf(tmp_path / "p.nc", engine="netcdf4")
    corners = [
        (4.25e6, 2.95e6),
        (4.31e6, 2.95e6),
        (4.31e6, 3.01e6),
        (4.25e6, 3.01e6),
    ]  # of cells 3 to 5, 3 to 5
    lonlat = [pyproj.Transformer.from_crs(3035, 4326, always_xy=True).transform(*each) for each in corners]
    polygon(tmp_path / "z.gpkg", *lonlat)
    found = act("zonal_statistics", {"data": "p.nc", "polygons": "z.gpkg"}, statistics=["mean"])
    assert found.values[0].value == pytest.approx(
        values[3:6, 3:6].mean(), abs=0.02
    )  # edges are straight in degrees
    assert "EPSG:3035" in found.crs or "Lambert" in found.crs or "lambert" in found.crs.lower()


def rain(step: float, cells: int = 2) -> Any:
    """Hourly rain of a day that grows all day, as amounts of hours."""
    import pandas as pd
    import xarray as xr

    hours = np.concatenate([[0.0], np.arange(24) * 1e-4])
    grid = 50 - step * np.arange(cells)
    return xr.DataArray(
        np.tile(hours[:, None, None], (1, cells, cells)),
        {
            "valid_time": pd.date_range("2024-07-01", periods=25, freq="h"),
            "latitude": ("latitude", grid, {"units": "degrees_north"}),
            "longitude": ("longitude", 10 + step * np.arange(cells), {"units": "degrees_east"}),
        },
        name="tp",
        attrs={"units": "m", "GRIB_stepType": "accum"},
    )


@pytest.mark.parametrize(
    ("step", "cells", "amount"), [(0.25, 2, 0.0276), (0.25, 1, 0.0276), (0.1, 2, 0.0023)]
)
def test_rain_that_grows_all_day_is_era5_land_on_its_grid_alone(
    tmp_path: Path, act: Any, step: float, cells: int, amount: float
) -> None:
    rain(step, cells).to_netcdf(tmp_path / "r.nc", engine="netcdf4")
    found = act("aggregate", {"data": "r.nc"}, statistic="sum", every="day", select={"start": "2024-07-01"})
    sums = [each.value for each in found.values if each.value is not None]
    assert sums[0] == pytest.approx(amount, rel=1e-4)


def test_lengths_and_areas_stand_on_the_ellipsoid_in_the_plane_and_in_space(tmp_path: Path) -> None:
    import geopandas as gpd
    from shapely.geometry import LineString, box

    def measured(shape: Any, crs: str) -> Result:
        path = tmp_path / f"{crs[5:]}.gpkg"
        gpd.GeoDataFrame({"id": [1]}, geometry=[shape], crs=crs).to_file(path, driver="GPKG")
        return measure(read_features(Place.of(path)))

    pipe = measured(LineString([(5e5, 4.6e6, 0), (500300, 4.6e6, 400)]), "EPSG:32633")
    assert [(each.value, each.name) for each in pipe.values[1:]] == [
        (300.12, "length"),
        (300.0, "length in the plane"),
        (500.0, "length in space"),
    ]
    assert "500.00 m in space" in pipe.warnings[0]
    web = measured(box(0, 7e6, 1000, 7001000), "EPSG:3857")
    assert web.values[2].value == pytest.approx(1e6) and web.values[1].value < 4e5
    assert "in the plane of EPSG:3857 differs by" in web.warnings[0]
    feet = measured(box(2e6, 2e5, 2001000, 201000), "EPSG:2263")
    assert feet.values[2].value == pytest.approx((1000 * 1200 / 3937) ** 2, rel=1e-6)


def test_a_datum_with_a_ballpark_transformation_alone_is_left_by_its_twin(tmp_path: Path) -> None:
    import geopandas as gpd
    from shapely.geometry import Point

    station = gpd.GeoDataFrame(
        {"id": [1]}, geometry=[Point(-3.5, 45.5)], crs="EPSG:4806"
    )  # on the meridian of Rome
    station.to_file(tmp_path / "s.gpkg", driver="GPKG")
    found = read_features(Place.of(tmp_path / "s.gpkg"))
    assert found.to("EPSG:4326").geometry[0].y == pytest.approx(45.500669, abs=2e-6)
    assert found.assumed == ["from EPSG:4806 to WGS 84 by EPSG:4265, Monte Mario"]
    lone = gpd.GeoDataFrame({"id": [1]}, geometry=[Point(5e5, 4e6)], crs="EPSG:32633")
    lone.to_file(tmp_path / "l.gpkg", driver="GPKG")
    assert not read_features(Place.of(tmp_path / "l.gpkg")).warnings


def test_the_shapes_of_a_shapefile_alone_are_refused_with_the_way_on(tmp_path: Path) -> None:
    (tmp_path / "plot.shp").write_bytes(b"\0\0\x27\x0a" + b"\0" * 96)
    with pytest.raises(LabrigError, match="the folder that holds them all"):
        read_features(Place.of(tmp_path / "plot.shp"))


@pytest.mark.parametrize("kind", ["nc", "zarr"])
def test_what_lies_in_groups_is_named_and_has_no_unit_that_nobody_stated(
    tmp_path: Path, act: Any, kind: str
) -> None:
    import xarray as xr

    for number, group in enumerate(("coarse", "fine/day")):
        field = xr.Dataset({"v": (("y", "x"), np.full((2, 3), number))}, {"y": [5.0, 0], "x": [0, 10.0, 20]})
        if kind == "nc":
            field.to_netcdf(tmp_path / "g.nc", mode="a", group=group, engine="netcdf4")
        else:
            field.to_zarr(tmp_path / "g.zarr", mode="a", group=group, zarr_format=2)
    file = {"data": f"g.{kind}"}
    described = act("describe_data", file)
    assert described.data["groups"] == ["coarse", "fine/day"]
    assert described.warnings == ("What there is lies in groups of the file: layer='coarse' describes one",)
    with pytest.raises(LabrigError, match=r"its groups: coarse, fine/day.*\"group\": \"coarse\""):
        act("aggregate", file, over="space")
    with pytest.raises(LabrigError, match="no group named 'fine'"):
        act("describe_data", file, group="fine")
    found = act("describe_data", file, group="fine/day")
    assert found.grid == "5 x 10, 2 x 3" and "area_m2" not in found.data["extent"]
    assert act("aggregate", file, over="space", group="fine/day").values[0].value == 1


@pytest.mark.parametrize("kind", ["askew", "points", "camera"])
def test_rows_that_are_not_those_of_a_grid_are_put_on_one(tmp_path: Path, act: Any, kind: str) -> None:
    import rasterio
    from rasterio.control import GroundControlPoint
    from rasterio.rpc import RPC
    from rasterio.transform import Affine

    askew = Affine.translation(5e5, 5.4e6) * Affine.rotation(30) * Affine.scale(10, -10)
    stored = np.add.outer(np.arange(40), np.arange(60)).astype("i2")
    profile: dict[str, Any] = {"driver": "GTiff", "width": 60, "height": 40, "count": 2, "dtype": "int16"}
    placed = {"crs": "EPSG:32632", "transform": askew} if kind == "askew" else {}
    with rasterio.open(tmp_path / "r.tif", "w", **profile, **placed) as file:
        file.write(np.stack([stored, stored]))
        file.scales, file.offsets, file.units = (0.5, 1.0), (2.0, 0.0), ("K", "m")
        if kind == "points":
            corners = [(row, column) for row in (0, 40) for column in (0, 60)]
            points = [GroundControlPoint(*each, *(askew * each[::-1])) for each in corners]
            file.gcps = (points, rasterio.crs.CRS.from_epsg(32632))
        if kind == "camera":  # 60 columns over 0.2 degree east, 40 rows over 0.2 degree south
            one, east, south = ([*each, *[0.0] * 17] for each in ((1, 0, 0), (0, 1, 0), (0, 0, -1)))
            half = {"line_off": 20, "line_scale": 20, "samp_off": 30, "samp_scale": 30, "height_off": 0}
            middle = {"lat_off": 48, "lat_scale": 0.1, "long_off": 9, "long_scale": 0.1, "height_scale": 1}
            file.rpcs = RPC(
                **half, **middle, line_num_coeff=south, line_den_coeff=one, samp_num_coeff=east,
                samp_den_coeff=one, err_bias=None, err_rand=None,
            )  # fmt: skip
    found = act("aggregate", {"data": "r.tif"}, over="space")
    assert [each.value for each in found.values] == pytest.approx([49 / 2 + 2, 49], abs=0.1)
    assert "nearest neighbour" in found.method and all(each.unit == "" for each in found.values)
    assert bool(found.warnings) == (kind == "camera")
    described = act("describe_data", {"data": "r.tif"})
    west, south_, east_, north = described.data["extent"]["west_south_east_north"]
    if kind == "camera":
        assert (west, south_, east_, north) == pytest.approx((8.9, 47.9, 9.1, 48.1), abs=0.005)
    else:
        corners_x, corners_y = zip(
            *(askew * each for each in ((0, 0), (60, 0), (0, 40), (60, 40))), strict=True
        )
        limits = (min(corners_x), min(corners_y), max(corners_x), max(corners_y))
        assert (west, south_, east_, north) == pytest.approx(limits, abs=10)
    assert "The bands of band_data have units of their own: K, m" in described.warnings
