"""Files are known by their content and opened lazily; what would lead elsewhere is refused before a library sees it."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import geopandas as gpd
import netCDF4
import numpy as np
import pytest
import rasterio
import xarray as xr
from rasterio.transform import from_origin
from shapely.geometry import Point, Polygon

from labrig.answer import Quantity
from labrig.errors import LabrigError
from labrig_earth.data.formats import format_of
from labrig_earth.data.opening import open_dataset, open_raster, open_vector
from labrig_earth.results import Result


@pytest.fixture
def netcdf(tmp_path: Path) -> Path:
    """A packed field on a calendar without leap days, latitudes from north to south, written by netCDF4 itself."""
    path = tmp_path / "field"  # the name says nothing
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("time", 3), ("lat", 4), ("lon", 5)):
            file.createDimension(name, size)
        time = file.createVariable("time", "f8", ("time",))
        time.units, time.calendar = "days since 2000-02-27", "noleap"
        time[:] = [0, 1, 2]
        for name, values, units in (
            ("lat", [30, 20, 10, 0], "degrees_north"),
            ("lon", range(5), "degrees_east"),
        ):
            axis = file.createVariable(name, "f4", (name,))
            axis.units = units
            axis[:] = list(values)
        packed = file.createVariable("t2m", "i2", ("time", "lat", "lon"), fill_value=-32767)
        packed.scale_factor, packed.add_offset, packed.units = 0.01, 273.15, "K"
        packed.set_auto_maskandscale(False)
        packed[:] = np.arange(60, dtype="i2").reshape(3, 4, 5)
        packed[0, 0, 0] = -32767
    return path


def test_a_packed_field_on_a_calendar_of_its_own(netcdf: Path) -> None:
    found = open_dataset(netcdf)
    assert found.t2m.chunks is not None  # lazy
    assert [str(each) for each in found.time.values] == [
        "2000-02-27 00:00:00",
        "2000-02-28 00:00:00",
        "2000-03-01 00:00:00",
    ]
    values = found.t2m.values
    assert np.isnan(values[0, 0, 0])
    assert values.ravel()[1:] == pytest.approx(273.15 + 0.01 * np.arange(1, 60))
    assert found.encoding["source"] == "field"


def test_times_that_no_calendar_has_stay_numbers_and_the_field_is_read(netcdf: Path) -> None:
    with netCDF4.Dataset(netcdf, "a") as file:
        file["time"].units, file["time"].bounds = "days since 0000-00-00", "time_bounds"
        file.createDimension("two", 2)
        file.createVariable("time_bounds", "f8", ("time", "two"))[:] = [[0, 1], [1, 2], [2, 3]]
        run = file.createVariable("run", "f8", ("time",))
        run.units = "hours since 2000-01-01"
        run[:] = [0, 1, 2]
    found = open_dataset(netcdf)
    assert found.time.values.tolist() == [0, 1, 2] and found.time_bounds.values[2].tolist() == [2, 3]
    assert found.run.dtype.kind == "M" and float(found.t2m[1, 0, 0]) == pytest.approx(273.35)


def test_zarr_is_opened_as_its_netcdf(netcdf: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    open_dataset(netcdf).load().drop_encoding().to_zarr(store, consolidated=True)
    assert format_of(store) == "zarr"
    xr.testing.assert_allclose(open_dataset(store).t2m, open_dataset(netcdf).t2m)


def test_a_raster_has_its_grid_and_its_missing_cells(tmp_path: Path) -> None:
    path = tmp_path / "scene.bin"
    cells = np.array([[1, 2], [3, 0]], dtype="uint16")
    with rasterio.open(
        path, "w", driver="GTiff", width=2, height=2, count=1, dtype="uint16", nodata=0, crs="EPSG:32633",
        transform=from_origin(500_000, 5_000_000, 10, 10),
    ) as file:  # fmt: skip
        file.write(cells, 1)
    found = open_raster(path)
    assert found.rio.crs.to_epsg() == 32633
    assert found.x.values.tolist() == [500_005, 500_015] and found.y.values.tolist() == [4_999_995, 4_999_985]
    assert found.values[0].tolist()[0] == [1, 2] and np.isnan(found.values[0, 1, 1])
    assert open_dataset(path).band_data.shape == (1, 2, 2)


@pytest.mark.parametrize(
    ("name", "driver"), [("a.gpkg", "GPKG"), ("a.geojson", "GeoJSON"), ("shapes", "ESRI Shapefile")]
)
def test_polygons_in_each_format(tmp_path: Path, name: str, driver: str) -> None:
    square = Polygon([(0, 0), (2, 0), (2, 2), (0, 2)], holes=[[(0.5, 0.5), (1, 0.5), (1, 1), (0.5, 1)]])
    frame = gpd.GeoDataFrame({"name": ["Süd"]}, geometry=[square], crs="EPSG:4326")
    path = tmp_path / name
    frame.to_file(path, driver=driver)
    found = open_vector(path)
    assert found.name.tolist() == ["Süd"] and found.crs.to_epsg() == 4326
    assert found.geometry.iloc[0].equals(square)
    if name == "shapes":
        with zipfile.ZipFile(tmp_path / "zipped", "w") as archive:
            for each in path.iterdir():
                archive.write(each, each.name)
        assert open_vector(tmp_path / "zipped").geometry.iloc[0].equals(square)


def test_a_table_with_coordinates(tmp_path: Path) -> None:
    path = tmp_path / "stations.txt"
    path.write_text("Station,Lat,Lon,p\nA,10,20,1\nB,-5,170.5,2\n")
    found = open_vector(path)
    assert found.geometry.tolist() == [Point(20, 10), Point(170.5, -5)]
    path.write_text("Station,p\nA,1\n")
    with pytest.raises(LabrigError, match="no coordinates"):
        open_vector(path)


def test_an_unknown_layer_names_those_that_are_there(tmp_path: Path) -> None:
    path = tmp_path / "a.gpkg"
    gpd.GeoDataFrame(geometry=[Point(0, 0)], crs="EPSG:4326").to_file(path, layer="wells", driver="GPKG")
    with pytest.raises(LabrigError, match="wells"):
        open_vector(path, layer="well")


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (b"", "bad_input", "empty"),
        (b"GRIB\0\0\0\2", "bad_input", "GRIB"),
        (b"\x1f\x8bnothing", "bad_input", "broken"),
        (b"\x00\x01\x02binary", "bad_input", "not known"),
        (b"<VRTDataset><SourceFilename>/etc/passwd</SourceFilename></VRTDataset>", "refused", "VRT"),
        (
            b"<OGRVRTDataSource><SrcDataSource>/etc/passwd</SrcDataSource></OGRVRTDataSource>",
            "refused",
            "VRT",
        ),
        (
            b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><osm>&b;</osm>',
            "refused",
            "document",
        ),
        (b"<gml:FeatureCollection></gml:FeatureCollection>", "bad_input", "XML"),
        (b"PK\x03\x04nothing", "bad_input", "zip"),
    ],
)
def test_what_is_not_read_says_so(tmp_path: Path, content: bytes, code: str, said: str) -> None:
    path = tmp_path / "given.tif"
    path.write_bytes(content)
    with pytest.raises(LabrigError, match=said) as refused:
        format_of(path)
    assert refused.value.code == code
    assert "given.tif" in str(refused.value)


@pytest.mark.parametrize("content", [b'[{"lat": 1, "lon": 2}]', b"[1,,]", b" [-1x]", b'["a"'])
def test_a_list_of_json_is_no_table(tmp_path: Path, content: bytes) -> None:
    """It was described as CSV: headings, such as ``[1``, and no rows."""
    (tmp_path / "records.json").write_bytes(content)
    with pytest.raises(LabrigError, match="A list of JSON"):
        format_of(tmp_path / "records.json")
    (tmp_path / "table.csv").write_bytes(b"[lat],[lon]\n1,2\n")
    assert format_of(tmp_path / "table.csv") == "csv"


@pytest.mark.parametrize("opens", [open_dataset, open_raster, open_vector])
def test_a_file_that_is_cut_short_is_refused_and_crashes_nothing(
    netcdf: Path, tmp_path: Path, opens: object
) -> None:
    path = tmp_path / "cut"
    with rasterio.open(path, "w", driver="GTiff", width=64, height=64, count=1, dtype="uint8") as file:
        file.write(np.ones((64, 64), "uint8"), 1)
    for source, length in ((netcdf, 200), (path, 40)):
        cut = tmp_path / "short"
        cut.write_bytes(source.read_bytes()[:length])
        with pytest.raises(LabrigError):
            opens(cut)  # type: ignore[operator]
    with pytest.raises(LabrigError, match="no such file"):
        opens(tmp_path / "absent")  # type: ignore[operator]


@pytest.mark.accept
def test_a_reference_system_can_be_asked_for_after_a_file_was_opened(netcdf: Path) -> None:
    """A PROJ that another library brings, loaded first, ended the process with `free(): invalid pointer`."""
    code = (
        "import sys\n"
        "from labrig_earth.data.opening import open_dataset\n"
        "open_dataset(sys.argv[1]).load()\n"
        "import pyproj\n"
        "print(pyproj.CRS('EPSG:32633').name, 'eccodes' in sys.modules, 'cfgrib' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(netcdf)], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout.strip()) == (0, "WGS 84 / UTM zone 33N False False"), done.stderr


def test_a_result_comes_back_as_it_was_sent() -> None:
    sent = Result(
        "mean",
        (Quantity("t", 1.5, "K"),),
        {"n": 3},
        ("WGS 84",),
        ("gap",),
        "EPSG:4326",
        "1 degree",
        4,
        3,
        "x",
    )
    assert Result.from_dict(json.loads(json.dumps(sent.to_dict()))) == sent
    noted = sent.noting(assumed=("first", "WGS 84"), warnings=("gap",))
    assert noted.assumed == ("first", "WGS 84") and noted.warnings == ("gap",)
    with pytest.raises((TypeError, KeyError)):
        Result.from_dict({**sent.to_dict(), "warnings": [1]})


def test_what_nobody_wrote_into_a_netcdf_is_missing_without_a_fill_that_the_file_states(
    tmp_path: Path,
) -> None:
    """NetCDF's library fills what is not written; integers may mean their fill, and keep it."""
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        file.createDimension("x", 3)
        for name, kind in (("single", "f4"), ("double", "f8"), ("whole", "i2")):
            file.createVariable(name, kind, ("x",))[0] = 1.0
    found = open_dataset(tmp_path / "a.nc")
    assert found.single.values.tolist()[0] == 1 and int(found.single.isnull().sum()) == 2
    assert int(found.double.isnull().sum()) == 2
    assert int(found.whole.isnull().sum()) == 0
