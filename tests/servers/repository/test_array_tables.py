"""describe_table of arrays: NetCDF, HDF5, Zarr, GeoTIFF, MATLAB, shapefiles and NumPy, against their own readers."""

from __future__ import annotations

import io
import json
import math
import struct
import tempfile
import zipfile
from datetime import date
from pathlib import Path

import numpy
import pytest

from labrig.errors import LabrigError
from labrig.tables import (
    describe_table,
    matlab,
    netcdf,
    ranges,
)
from labrig_repository.folder import hierarchy
from labrig_repository.folder.folder import Folder
from support.described_tables import columns, described, refusal
from support.memory_repository import Memory


def test_arrays_of_numpy() -> None:
    one = io.BytesIO()
    numpy.save(one, numpy.array([[1.5, numpy.nan], [-2.0, 4.0]]))
    (column,) = described(one.getvalue(), "t.npy")["columns"]
    assert column == {
        "name": "array",
        "type": "float64",
        "shape": [2, 2],
        "missing": 1,
        "min": -2.0,
        "max": 4.0,
    }
    many = io.BytesIO()
    numpy.savez_compressed(many, depth=numpy.arange(3), names=numpy.array(["a", "b"]), any=numpy.array([{}]))
    found = columns(many.getvalue(), "t.npz")
    assert (found["depth"]["min"], found["depth"]["max"], found["names"]["shape"]) == (0, 2, [2])
    assert found["any"]["notes"] == ["holds pickled objects, which are not read"]
    assert refusal(one.getvalue()[:60], "t.npy").code == "bad_input"
    lying = one.getvalue().replace(b"(2, 2)", b"(2,99)")
    assert columns(lying, "t.npy")["array"]["notes"] == ["the file ends before the array does"]


def classic(path: Path, version: int) -> None:
    netcdf_file = pytest.importorskip("scipy.io").netcdf_file
    with netcdf_file(path, "w", version=version) as file:
        file.createDimension("time", None)
        file.createDimension("depth", 3)
        file.title = "Mooring"
        depth = file.createVariable("depth", "f4", ("depth",))
        depth.units = "m"
        depth[:] = [0, 5, 10]
        temp = file.createVariable("temp", "i2", ("time", "depth"))
        temp.units, temp.long_name, temp.scale_factor, temp._FillValue = "degC", "Temperature", 0.01, -32768
        temp[:2] = [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("version", [1, 2])
def test_classic_netcdf_headers(version: int, tmp_path: Path) -> None:
    classic(tmp_path / "t.nc", version)
    content = (tmp_path / "t.nc").read_bytes()
    found = describe_table(Memory({"t.nc": content}), "t.nc")
    assert found.about == {"dimensions": {"time": 2, "depth": 3}, "attributes": {"title": "Mooring"}}
    assert found.columns == [
        {"name": "depth", "type": "float32", "dimensions": ["depth"], "unit": "m", "min": 0.0, "max": 10.0},
        {
            "name": "temp",
            "type": "int16",
            "dimensions": ["time", "depth"],
            "unit": "degC",
            "about": "Temperature",
            "missing_as": -32768,
            "scale": 0.01,
            "min": 0.01,
            "max": 0.06,
        },
    ]
    names = [each["name"] for each in found.columns]
    for end in range(4, len(content) - 4, 7):  # a header that ends anywhere is refused, not believed
        try:
            ended = describe_table(Memory({"t.nc": content[:end]}), "t.nc").columns
            assert [each["name"] for each in ended] == names and "file ends" in str(ended[1]["notes"])
        except LabrigError as error:
            assert error.code == "bad_input"


def test_netcdf_headers_with_absurd_counts() -> None:
    for count in (-1, 2**31 - 1):
        assert refusal(b"CDF\x01" + struct.pack(">iii", 0, 10, count), "t.nc").code == "bad_input"


def test_netcdf_with_64_bit_counts() -> None:
    netCDF4 = pytest.importorskip("netCDF4")
    file = netCDF4.Dataset("t.nc", "w", format="NETCDF3_64BIT_DATA", memory=1024)
    file.createDimension("x", 4)
    file.createVariable("v", "u8", ("x",)).units = "1"
    content = bytes(file.close())
    found = describe_table(Memory({"t.nc": content}), "t.nc")
    assert found.columns[0].items() >= {"name": "v", "type": "uint64", "dimensions": ["x"]}.items()
    assert found.format == "NetCDF classic (CDF-5)"


def test_netcdf_4_and_hdf5() -> None:
    pytest.importorskip("h5py")
    netCDF4 = pytest.importorskip("netCDF4")
    file = netCDF4.Dataset("t.nc", "w", memory=1024)
    file.createDimension("time", None)
    file.title = "Mooring"
    file.createVariable("time", "f8", ("time",)).units = "days since 2000-01-01"
    temp = file.createGroup("deep").createVariable("temp", "f4", ("time",), fill_value=math.nan)
    temp.units = "degC"
    file["time"][:] = [0, 1, 2]
    content = bytes(file.close())
    found = describe_table(Memory({"t.nc": content}), "t.nc")
    shown = {each["name"]: each for each in found.columns}
    assert shown["time"] == {
        "name": "time",
        "type": "float64",
        "dimensions": ["time"],
        "unit": "days since 2000-01-01",
        "shape": [3],
        "min": "2000-01-01 00:00:00",
        "max": "2000-01-03 00:00:00",
    }
    assert (shown["deep/temp"]["unit"], shown["deep/temp"]["dimensions"]) == ("degC", ["time"])
    assert found.about["attributes"] == {"title": "Mooring"}
    assert refusal(content[:2000], "t.nc").code == "bad_input"


PACKED = {
    "scale_factor": numpy.float64(-0.5),
    "add_offset": numpy.float64(100.0),
    "valid_range": numpy.int16([0, 99]),
}


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA"])
@pytest.mark.parametrize("most", [16 << 20, 400])
def test_ranges_are_of_values_as_xarray_reads_them(
    form: str, most: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Packed, with codes for missing, beside others in a record, in calendars; whole and by pieces."""
    netCDF4 = pytest.importorskip("netCDF4")
    monkeypatch.setattr(ranges, "MOST_BYTES", most)
    with netCDF4.Dataset(tmp_path / "t.nc", "w", format=form) as file:
        file.createDimension("time", None)
        file.createDimension("x", 5)
        time = file.createVariable("time", "f8", ("time",))
        time.units, time.calendar = "days since 2000-02-01", "360_day"
        raw = file.createVariable("raw", "i2", ("time", "x"), fill_value=-1)
        raw.setncatts(PACKED)
        raw.set_auto_maskandscale(False)
        flow = file.createVariable("flow", "f4", ("time",))
        file.createVariable("one", "i4", ())[...] = 7
        time[:] = numpy.arange(300)
        raw[:] = numpy.arange(1500).reshape(300, 5) % 120 - 1
        flow[:] = numpy.append(numpy.linspace(0.1, 3.3, 299), ranges.DEFAULT_FILL)
        file.createVariable("word", "S1", ("x",))
    found = columns((tmp_path / "t.nc").read_bytes(), "t.nc")
    xarray = pytest.importorskip("xarray")
    with xarray.open_dataset(tmp_path / "t.nc") as data:
        kept = data.raw
        if most > 400:
            assert (found["raw"]["min"], found["raw"]["max"]) == (float(kept.min()), float(kept.max()))
            assert found["raw"]["missing"] == int(kept.isnull().sum())
            assert "valid range" in found["raw"]["notes"][0]  # which xarray does not look at
            assert found["flow"].items() >= {"min": 0.1, "max": 3.3, "missing": 1}.items()
        else:
            assert "of 300 slices" in found["raw"]["looked_at"]
            assert kept.min() <= found["raw"]["min"] < found["raw"]["max"] <= kept.max()
            assert found["flow"]["min"] == 0.1 and found["flow"]["max"] == pytest.approx(3.3, rel=0.1)
    assert found["time"]["min"] == "2000-02-01 00:00:00" and found["time"]["max"] == "2000-11-30 00:00:00"
    assert (found["one"]["min"], "min" in found["word"]) == (7, False)


def test_values_of_hdf5_that_lie_elsewhere_or_are_many(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    h5py = pytest.importorskip("h5py")
    (tmp_path / "raw.bin").write_bytes(bytes(80))
    with h5py.File(tmp_path / "t.h5", "w") as file:
        layout = h5py.VirtualLayout(shape=(4,), dtype="f8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "a", shape=(4,))
        file.create_virtual_dataset("virtual", layout, fillvalue=-5.0)
        file.create_dataset("outside", (10,), "f8", external=[(str(tmp_path / "raw.bin"), 0, 80)])
        file.create_dataset(
            "chunked", data=numpy.arange(1e4).reshape(1000, 10), chunks=(100, 5), compression="gzip"
        )
        file.create_dataset("flags", data=[True, False])
        file["nothing"] = h5py.Empty("f4")
    content = (tmp_path / "t.h5").read_bytes()
    found = columns(content, "t.h5")
    for name in ("virtual", "outside"):
        assert "min" not in found[name] and "other files" in found[name]["notes"][0]
    assert (found["chunked"]["min"], found["chunked"]["max"]) == (0, 9999)
    assert "min" not in found["flags"] and "min" not in found["nothing"]
    monkeypatch.setattr(ranges, "ALTOGETHER", 100)
    assert "too large" in columns(content, "t.h5")["chunked"]["notes"][0]


def test_a_classic_file_that_claims_more_than_it_holds() -> None:
    def header(size: int, begin: int) -> bytes:
        name = struct.pack(">i4s", 1, b"x")
        dimension = struct.pack(">iii", 0, 10, 1) + name + struct.pack(">i", size)
        variable = struct.pack(">ii", 11, 1) + name + struct.pack(">iiiiiii", 1, 0, 0, 0, 6, 0, begin)
        return b"CDF\x01" + dimension + struct.pack(">ii", 0, 0) + variable

    assert "file ends" in columns(header(2**31 - 1, 64), "t.nc")["x"]["notes"][0]
    assert refusal(header(8, -5), "t.nc").code == refusal(header(-8, 64), "t.nc").code == "bad_input"


@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
def test_a_geotiff(tmp_path: Path) -> None:
    rasterio = pytest.importorskip("rasterio")
    how = {"driver": "GTiff", "width": 300, "height": 200, "count": 2, "dtype": "int16", "nodata": -9}
    where = {"crs": "EPSG:25832", "transform": rasterio.Affine(10, 0, 5e5, 0, -10, 6e6)}
    values = numpy.arange(120_000, dtype="int16").reshape(2, 200, 300) % 1000
    values[1, 0, :5] = -9
    with rasterio.open(tmp_path / "t.tif", "w", **how, **where, tiled=True, compress="deflate") as file:
        file.write(values)
        file.set_band_description(1, "red")
        file.scales, file.offsets, file.units = (1, 0.1), (0, -5), ("", "degC")
    content = (tmp_path / "t.tif").read_bytes()
    found = described(content, "t.tif")
    assert found["crs"] == "EPSG:25832" and found["bounds"] == [5e5, 5998e3, 503e3, 6e6]
    assert (found["width"], found["height"], found["cell"]) == (300, 200, [10.0, 10.0])
    red, temp = found["columns"]
    assert red == {"name": "red", "type": "int16", "missing_as": -9.0, "min": 0, "max": 999}
    assert (temp["unit"], temp["missing"], temp["min"], temp["max"]) == ("degC", 5, -5.0, 94.9)
    assert "min" not in columns(content, "t.tif", values=False)["red"]
    assert refusal(content[:400], "t.tif").code == "bad_input"
    assert str(refusal(content[:8], "t.tif")) == str(refusal(content[:8], "t.tif"))  # no name of a moment
    with rasterio.open(tmp_path / "p.tif", "w", **how | {"count": 1}) as file:
        file.write(values[0], 1)
    assert "without a place" in described((tmp_path / "p.tif").read_bytes(), "p.tif")["format"]


def test_matlab_files(monkeypatch: pytest.MonkeyPatch) -> None:
    io_ = pytest.importorskip("scipy.io")
    held = {
        "a": [[1.0, math.nan], [3.0, 4.0]],
        "s": {"x": 1, "y": "z"},
        "t": "words",
        "n": numpy.zeros((0, 3)),
    }
    file = io.BytesIO()
    io_.savemat(file, held, do_compression=True)
    found = columns(file.getvalue(), "t.mat")
    assert found["a"] == {
        "name": "a",
        "type": "double",
        "shape": [2, 2],
        "missing": 1,
        "min": 1.0,
        "max": 4.0,
    }
    assert (found["s"]["fields"], found["t"]["text"]) == (["x", "y"], "words")
    assert found["n"] == {"name": "n", "type": "double", "shape": [0, 3]}
    assert refusal(file.getvalue()[:200], "t.mat").code == "bad_input"
    for form in "45":
        file4 = io.BytesIO()
        sparse = pytest.importorskip("scipy.sparse").csc_matrix([[0, 0.5], [2, 0]])
        io_.savemat(file4, {"a": [[1.0, 5.0]], "s": sparse}, format=form)
        kept = columns(file4.getvalue(), "t.mat")
        assert (kept["a"]["max"], kept["s"]["stored"], kept["s"]["min"]) == (5.0, 2, 0.5)
    monkeypatch.setattr(matlab, "MOST_BYTES", 300)
    assert "min" not in columns(file.getvalue(), "t.mat")["a"]


def test_both_files_of_a_shapefile(tmp_path: Path) -> None:
    geopandas = pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    rows = {
        "site": ["\N{LATIN CAPITAL LETTER A WITH RING ABOVE}", "B", None],
        "depth": [1.5, None, 2.5],
        "n": [1, 2, 3],
        "day": [date(2020, 1, 3), date(2020, 1, 2), None],
    }
    for z, shapes in (((), "points"), ((7,), "points with Z")):
        places = [shapely.Point(number, 2 * number, *z) for number in (1, 2, 3)]
        geopandas.GeoDataFrame(rows, geometry=places, crs=4326).to_file(tmp_path / "t.shp", encoding="utf-8")
        found = described((tmp_path / "t.shp").read_bytes(), "t.shp")
        assert (found["shapes"], found["bounds"]) == (shapes, [1.0, 2.0, 3.0, 6.0])
    table = (tmp_path / "t.dbf").read_bytes()
    found = columns(table, "T.DBF")
    assert found["depth"] == {
        "name": "depth",
        "type": "number",
        "values": 2,
        "missing": 1,
        "min": 1.5,
        "max": 2.5,
    }
    assert (found["n"]["max"], found["day"]["min"], found["day"]["max"]) == (3, "2020-01-02", "2020-01-03")
    assert "\N{LATIN CAPITAL LETTER A WITH RING ABOVE}" in found["site"]["distinct"]
    start, width = struct.unpack_from("<HH", table, 8)
    deleted = table[:start] + b"*" + table[start + 1 :]
    assert described(deleted, "t.dbf")["rows"] == 2
    short = describe_table(Memory({"t.dbf": table[: start + 2 * width]}), "t.dbf")
    assert (short.rows, short.complete) == (2, False) and "the file ends after 2" in short.notes[0]
    for broken in (table[:20], table[:60], table[:10] + b"\1\0" + table[12:]):
        assert refusal(broken, "t.dbf").code == "bad_input"
    assert refusal(b"\0\0\x27\x0a" + bytes(20), "t.shp").code == "bad_input"


def test_a_link_out_of_an_hdf5_file_is_not_followed(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["hidden"] = [1, 2]
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["a"] = [1]
        file["link"] = h5py.ExternalLink(str(tmp_path / "secret.h5"), "/hidden")
    assert [*columns((tmp_path / "t.h5").read_bytes(), "t.h5")] == ["a"]


@pytest.mark.parametrize(
    ("within", "beside"), [(3_000, 1), pytest.param(1, 25_000, marks=pytest.mark.accept)]
)
def test_groups_in_a_circle_are_looked_at_within_bounds(within: int, beside: int, tmp_path: Path) -> None:
    """A chain of 3,000 groups took 8 s, the square of its length."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "circle.h5", "w", libver="latest") as file:
        file.create_dataset("first", data=[1.0])
        for number in range(beside):
            group = file.create_group(f"g{number}")
            for _ in range(within - 1):
                group = group.create_group("g")
            group["back"] = file["/"]
            group["again"] = file["first"]
    found = describe_table(Memory({"c.h5": (tmp_path / "circle.h5").read_bytes()}), "c.h5")
    assert [each["name"] for each in found.columns] == ["first"] and not found.complete
    note = (
        "groups down to 64 within each other"
        if within > 1
        else "the first 20,000 names of groups and datasets"
    )
    assert found.notes == [note]


def test_types_of_netcdf_are_those_of_the_guide() -> None:
    assert {name: struct.calcsize(form) for name, form in netcdf._TYPES.values() if form} == {
        f"{kind}{8 * size}": size
        for kind, sizes in {"int": (1, 2, 4, 8), "uint": (1, 2, 4, 8), "float": (4, 8)}.items()
        for size in sizes
    }


@pytest.mark.parametrize("version", [2, 3])
def test_zarr_hierarchies_are_described_as_xarray_reads_them(version: int, tmp_path: Path) -> None:
    xarray, zarr = pytest.importorskip("xarray"), pytest.importorskip("zarr")
    temp = numpy.linspace(-5, 30, 60).reshape(4, 3, 5)
    temp[0, 0, 0] = numpy.nan
    attributes = {"units": "degC", "long_name": "air temperature"}
    data = xarray.Dataset(
        {"temp": (("time", "y", "x"), temp, attributes), "n": (("time",), numpy.arange(4))},
        coords={
            "time": numpy.arange("2001-02-03", "2001-02-07", dtype="datetime64[D]").astype("datetime64[ns]")
        },
        attrs={"title": "Mast"},
    )
    packing = {"dtype": "int16", "scale_factor": 0.01, "add_offset": 5.0, "_FillValue": -9999}
    folder = tmp_path / "mast.zarr"
    data.to_zarr(folder, zarr_format=version, consolidated=False, encoding={"temp": packing})
    assert str(zarr.open_array(folder, path="temp", mode="r").dtype) == "int16"
    where = Folder(tmp_path)
    with tempfile.TemporaryFile() as file:
        assert hierarchy.gather(where, "mast.zarr", file)
        file.seek(0)
        content = file.read()
    found = described(content, "mast.zarr")
    by_name = {each["name"]: each for each in found["columns"]}
    assert (found["format"], found["attributes"]["title"]) == ("Zarr", "Mast")
    packed_ = by_name["temp"]
    assert (packed_["shape"], packed_["unit"], packed_["missing"]) == ([4, 3, 5], "degC", 1)
    read = xarray.open_zarr(folder, consolidated=False)["temp"]
    assert (packed_["min"], packed_["max"]) == pytest.approx((float(read.min()), float(read.max())))
    assert packed_["dimensions"] == ["time", "y", "x"] and by_name["time"]["max"] == "2001-02-06 00:00:00"
    assert "min" not in columns(content, "mast.zarr", values=False)["temp"]
    assert refusal(content[: len(content) // 2], "mast.zarr").code == "bad_input"


def test_a_codec_of_zarr_that_runs_what_it_reads_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    array = {"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "|O", "fill_value": "", "order": "C"}
    array |= {"filters": [{"id": "vlen-utf8"}, {"id": "pickle"}], "compressor": None}
    with zipfile.ZipFile(tmp_path / "x.zarr.zip", "w") as archive:
        archive.writestr(".zarray", json.dumps(array))
        archive.writestr("0", b"cos\nsystem\n(S'true'\ntR.")
    said = refusal((tmp_path / "x.zarr.zip").read_bytes(), "x.zarr")
    assert said.code == "refused" and "pickle" in said.what, said


def test_of_a_large_zarr_hierarchy_the_metadata_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array(tmp_path / "x.zarr", shape=(100,), chunks=(10,), dtype="f8")
    array[:] = numpy.arange(100)
    (tmp_path / "x.zarr" / "link").symlink_to(tmp_path)
    monkeypatch.setattr(hierarchy, "MOST_BYTES", 300)
    with tempfile.TemporaryFile() as file:
        assert not hierarchy.gather(Folder(tmp_path), "x.zarr", file)
        assert zipfile.ZipFile(file).namelist() == ["zarr.json"]
    (tmp_path / "plain").mkdir()
    with pytest.raises(LabrigError, match="no Zarr hierarchy"), tempfile.TemporaryFile() as file:
        hierarchy.gather(Folder(tmp_path), "plain", file)
