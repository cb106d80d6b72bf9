"""The made world: what was planted is found again in the raw files, by libraries that did not write them."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.results import SYNTHETIC
from labrig_earth.world.make import CONTENTS, DATA, make_world


def _slope(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Least squares of y (first axis) on x."""
    return np.polyfit(x, y.reshape(len(x), -1), 1)[0].reshape(y.shape[1:])


def _netcdf(path: Path, *names: str) -> list[np.ndarray]:
    import netCDF4

    with netCDF4.Dataset(path) as file:
        return [np.asarray(file[name][:], dtype=float) for name in names]


def test_daily_temperature_has_the_trend_and_the_mean(world: Path, truth: dict[str, Any]) -> None:
    planted = truth["climate/daily.nc"]
    time, lat, t2m = _netcdf(world / "climate/daily.nc", "time", "latitude", "t2m")
    assert _slope(time / 3652.5, t2m) == pytest.approx(planted["trend_K_per_decade"], abs=3e-3)  # 0.01 K
    weights = np.cos(np.radians(lat))
    mean = (t2m.mean(axis=(0, 2)) * weights).sum() / weights.sum()
    assert mean == pytest.approx(planted["mean_t2m_K"], abs=1e-6)
    assert lat[0] > lat[-1]


def test_the_packed_variant_holds_the_same_in_two_bytes(world: Path) -> None:
    import netCDF4

    (t2m,) = _netcdf(world / "climate/daily.nc", "t2m")
    with netCDF4.Dataset(world / "climate/t2m_packed.nc") as file:
        file.set_auto_maskandscale(False)
        packed = file["t2m"]
        assert packed.dtype == np.int16 and packed._FillValue == -32767
        unpacked = packed[:].astype(float) * packed.scale_factor + packed.add_offset
    assert unpacked == pytest.approx(t2m, abs=1e-4)


def test_the_hindcast_has_its_bias(world: Path, truth: dict[str, Any]) -> None:
    time, t2m = _netcdf(world / "climate/daily.nc", "time", "t2m")
    days = np.datetime64("1900-01-01") + time.astype(int)
    months, years = days.astype("datetime64[M]"), truth["forecast/hindcast.nc"]["years"]
    (hindcast,) = _netcdf(world / "forecast/hindcast.nc", "t2m")
    assert hindcast.shape[0] == years
    for lead, bias in truth["forecast/hindcast.nc"]["bias_K_by_lead"].items():
        starts = [np.datetime64(f"{year}-{4 + int(lead):02d}") for year in range(2021 - years, 2021)]
        observed = np.mean([t2m[months == month].mean(axis=0) for month in starts], axis=0)
        found = hindcast[:, int(lead) - 1].mean(axis=(0, 1)) - observed
        assert found == pytest.approx(bias, abs=3e-3)


def test_the_globe_answers_to_the_index(world: Path, truth: dict[str, Any]) -> None:
    with (world / "climate/enso_index.csv").open() as file:
        index = np.array([float(row["index"]) for row in csv.DictReader(file)])
    lat, lon, t2m = _netcdf(world / "climate/monthly_global.nc", "lat", "lon", "t2m")
    response = _slope(index, t2m)
    planted = truth["climate/monthly_global.nc"]
    north, east = planted["largest_response_at_lat_lon"]
    largest = response[list(lat).index(north), list(lon).index(east)]
    assert largest == pytest.approx(planted["largest_response_K_per_index"], abs=1e-4)
    assert np.abs(response).max() == pytest.approx(largest, abs=1e-4)
    assert lon.min() == 0 and 180 < lon.max() < 360


def test_ndvi_and_yields_follow_rain(world: Path, truth: dict[str, Any]) -> None:
    time, tp = _netcdf(world / "climate/daily.nc", "time", "tp")
    months = (np.datetime64("1900-01-01") + time.astype(int)).astype("datetime64[M]")
    rain = np.array([tp[months == month].sum(axis=0) for month in np.unique(months)])[:-1] * 1000
    (ndvi,) = _netcdf(world / "climate/ndvi_monthly.nc", "ndvi")
    for row, column in ((0, 0), (2, 3)):
        found = np.polyfit(rain[:, row, column], ndvi[:, row, column], 1)[0]
        assert found == pytest.approx(truth["climate/ndvi_monthly.nc"]["slope_per_mm"], abs=1e-6)
    with (world / "tables/crops.csv").open() as file:
        rows = [
            row for row in csv.DictReader(file) if row["crop"] == "wheat" and row["district"] == "North-east"
        ]
    rain_mm, tonnes = ([float(row[name]) for row in rows] for name in ("rain_apr_jul_mm", "yield_t_ha"))
    assert np.polyfit(rain_mm, tonnes, 1)[0] == pytest.approx(
        truth["tables/crops.csv"]["slope_t_ha_per_mm"]["wheat"], abs=1e-6
    )


def test_smog_lies_on_its_days_in_its_half(world: Path, truth: dict[str, Any]) -> None:
    import zarr

    store = zarr.open_group(world / "air/hourly.zarr", mode="r")
    planted = truth["air/hourly.zarr"]
    daily = np.asarray(store["pm2p5"]).reshape(-1, 24, *store["pm2p5"].shape[1:]).mean(axis=1)
    east = np.asarray(store["longitude"]) > planted["middle_longitude"]
    days = (daily > 15).sum(axis=0)
    wanted = planted["days_above_15_ug_m3_of_pm2p5"]
    assert (days[:, east] == wanted["east of the middle"]).all() and (
        days[:, ~east] == wanted["west of it"]
    ).all()
    assert 0.1 < east.mean() < 0.9


def test_scenes_are_cloud_optimised_and_state_their_offset(world: Path, truth: dict[str, Any]) -> None:
    import rasterio

    for date, planted in truth["scenes"]["by_date"].items():
        with rasterio.open(world / f"scenes/{date}.tif") as file:
            assert file.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
            assert file.offsets[0] == pytest.approx(planted["offset"]) and file.scales[0] == pytest.approx(
                1e-4
            )
            assert file.descriptions == ("B02", "B03", "B04", "B08", "B11", "B12") and file.nodata == 0
            red, nir = (file.read(band).astype(float) * 1e-4 + file.offsets[0] for band in (3, 4))
        with rasterio.open(world / f"scenes/{date}_SCL.tif") as file:
            classes = np.kron(file.read(1), np.ones((2, 2)))
        clear = np.isin(classes, (4, 5, 6))
        assert clear.sum() == planted["clear_cells_10_m"]
        red, nir = red[clear], nir[clear]
        assert ((nir - red) / (nir + red)).mean() == pytest.approx(
            planted["mean_ndvi_of_clear_cells"], abs=1e-9
        )


def test_every_file_says_that_it_is_synthetic(world: Path, truth: dict[str, Any]) -> None:
    import netCDF4
    import osmium
    import rasterio
    import zarr

    label, seen = truth["label"], 0
    for name in json.loads((world.parent / CONTENTS).read_text()):
        path = world.parent / name
        if name.endswith(".nc"):
            with netCDF4.Dataset(path) as file:
                assert file.getncattr(SYNTHETIC) == label and file.Conventions == "CF-1.8"
        elif name.endswith(".zarr"):
            assert zarr.open_group(path, mode="r").attrs[SYNTHETIC] == label
        elif name.endswith(".tif"):
            with rasterio.open(path) as file:
                assert file.tags()[SYNTHETIC] == label
        elif name.endswith(".gpkg"):
            with closing(sqlite3.connect(path)) as database:
                assert label in str(database.execute("select metadata from gpkg_metadata").fetchall())
        elif name.endswith(".pbf"):
            with osmium.io.Reader(str(path)) as reader:
                assert reader.header().get("generator") == label
        elif name == f"{DATA}/catalog":
            assert all(
                json.loads(each.read_text())["properties"]["labrig:synthetic"] for each in path.iterdir()
            )
            seen -= 1
        elif name == f"{DATA}/catalog.json":
            assert label in json.loads(path.read_text())["title"]
            seen -= 1
        else:
            assert "synthetic: made by labrig_earth.world from seed 7" in path.read_text()
        seen += 1
    named = [world.parent / name for name in json.loads((world.parent / CONTENTS).read_text())]
    for file in world.rglob("*"):
        assert file.is_dir() or any(file == each or each in file.parents for each in named), file
    assert seen == len(named) - 2 and not (world / "truth.json").exists()


@pytest.mark.accept
def test_the_same_seed_gives_the_same_world_and_another_another(
    world: Path, truth: dict[str, Any], tmp_path: Path
) -> None:
    assert make_world(tmp_path / "again", 7) == truth
    again, first = (
        json.loads((folder / CONTENTS).read_text()) for folder in (tmp_path / "again", world.parent)
    )
    assert again == first
    with pytest.raises(LabrigError, match="not empty"):
        make_world(tmp_path, 7)
    with pytest.raises(LabrigError, match="small"):
        make_world(tmp_path / "c", 7, "smal")
    assert make_world(tmp_path / "other", 8)["climate/daily.nc"] != truth["climate/daily.nc"]


def test_the_cyclone_moves_as_planted_in_an_even_environment(world: Path, truth: dict[str, Any]) -> None:
    lat, lon, msl = _netcdf(world / "reanalysis/surface.nc", "latitude", "longitude", "msl")
    track = truth["reanalysis/surface.nc"]["track_of_lowest_msl"]
    assert msl.shape[0] == len(track) == 9
    for field, fix in zip(msl, track, strict=True):
        row, column = np.unravel_index(field.argmin(), field.shape)
        assert abs(lat[row] - fix["latitude"]) <= 0.5 and abs(lon[column] - fix["longitude"]) <= 0.5
    planted = truth["reanalysis/levels.nc"]
    levels, q, u, v = _netcdf(world / "reanalysis/levels.nc", "pressure_level", "q", "u", "v")
    vapour = np.trapezoid(q[0, ::-1, 3, 4], levels[::-1] * 100) / 9.80665
    assert (
        vapour == pytest.approx(planted["water_vapour_kg_m2"], rel=1e-6)
        and q.std(axis=(0, 2, 3)).max() < 1e-9
    )
    shear = [each[:, 4, 0, 0] - each[:, 1, 0, 0] for each in (u, v)]
    np.testing.assert_allclose(np.transpose(shear), [planted["shear_200_less_850_hPa_m_s"]] * 9, atol=0.02)
    speed = np.hypot(u - u[:, :, :1, :1], v - v[:, :, :1, :1])[:, 1]
    assert 34 < speed.max() < 40.1


def test_terrain_is_its_formula(world: Path, truth: dict[str, Any]) -> None:
    import rasterio

    planted = truth["terrain/dem.tif"]
    with rasterio.open(world / "terrain/dem.tif") as file:
        rows, columns = np.mgrid[: file.height, : file.width]
        xs, ys = rasterio.transform.xy(file.transform, rows.ravel(), columns.ravel())
        side, corner = planted["side_m"], (file.bounds.left, file.bounds.bottom)
        heights = file.read(1).ravel()
    x, y = np.asarray(xs) - corner[0], np.asarray(ys) - corner[1]
    hill = 60 * np.exp(-((x - 0.85 * side) ** 2 + (y - 0.85 * side) ** 2) / (0.02 * side**2))
    assert heights == pytest.approx(380 + 0.004 * y + 0.03 * abs(x - planted["river_x_m"]) + hill, abs=0.006)


@pytest.mark.accept
def test_setup_makes_the_full_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from labrig.sideenv import setup, status
    from labrig_earth.world.setup import EARTH_WORLD

    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    assert setup(EARTH_WORLD).changed and status(EARTH_WORLD).state == "installed"
    assert sum(each.stat().st_size for each in EARTH_WORLD.path.rglob("*") if each.is_file()) < 400e6
