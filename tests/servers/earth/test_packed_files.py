"""What archives hold, Parquet and JPEG 2000 are read as other libraries read them."""

from __future__ import annotations

import bz2
import gzip
import json
import zipfile
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import rasterio
import shapely
import xarray as xr
from rasterio.transform import from_origin

from labrig.errors import LabrigError
from labrig_earth.data import compressed
from labrig_earth.data.compressed import unpack
from labrig_earth.data.formats import Place, format_of
from labrig_earth.data.layers import describe_layers
from labrig_earth.data.opening import open_dataset, open_table, open_vector

FIELD = xr.Dataset(
    {"t": (("lat", "lon"), np.arange(6.0).reshape(2, 3), {"units": "K"})},
    {
        "lat": ("lat", [1.0, 0.0], {"units": "degrees_north"}),
        "lon": ("lon", [0.0, 1.0, 2.0], {"units": "degrees_east"}),
    },
)


def test_one_file_in_an_archive_is_that_file(tmp_path: Path) -> None:
    FIELD.to_netcdf(tmp_path / "t.nc", engine="netcdf4")
    content = (tmp_path / "t.nc").read_bytes()
    for name, packed in (("b.gz", gzip.compress(content)), ("c.bz2", bz2.compress(content))):
        (tmp_path / name).write_bytes(packed)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("data/t.nc", content)
        archive.writestr("readme.txt", "about")
        archive.writestr("__MACOSX/._t.nc", "")
    for name in ("a.zip", "b.gz", "c.bz2"):
        found = unpack(Place.of(tmp_path / name), tmp_path)
        assert found.name == name and Path(found.path).read_bytes() == content
        assert open_dataset(found).t.values.tolist() == FIELD.t.values.tolist()


@pytest.mark.parametrize("below", ["", "store.zarr/"])
def test_a_zarr_store_in_an_archive_is_that_store(tmp_path: Path, below: str) -> None:
    FIELD.to_zarr(tmp_path / "z")
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        for path in sorted((tmp_path / "z").rglob("*")):
            if path.is_file():
                archive.write(path, below + str(path.relative_to(tmp_path / "z")))
    found = unpack(Place.of(tmp_path / "z.zip"), tmp_path)
    assert open_dataset(found).t.values.tolist() == FIELD.t.values.tolist()


def test_what_cannot_be_unpacked_stays_and_says_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    several = tmp_path / "several.zip"
    with zipfile.ZipFile(several, "w") as archive:
        archive.writestr("one.nc", "CDF")
        archive.writestr("two.nc", "CDF")
    shape = tmp_path / "shape.zip"
    with zipfile.ZipFile(shape, "w") as archive:
        archive.writestr("a.shp", "")
    for path in (several, shape):
        assert unpack(Place.of(path), tmp_path) == Place.of(path)
    assert format_of(shape) == "shapefile"
    with pytest.raises(LabrigError, match=r"one\.nc, two\.nc"):
        format_of(several)
    monkeypatch.setattr(compressed, "MOST_UNPACKED_BYTES", 1000)
    (tmp_path / "large.gz").write_bytes(gzip.compress(bytes(5000)))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(np.random.default_rng(1).bytes(900))[:-300])
    for name in ("large.gz", "cut.gz"):
        assert unpack(Place.of(tmp_path / name), tmp_path) == Place.of(tmp_path / name)
        with pytest.raises(LabrigError, match="more than 1 GiB"):
            format_of(tmp_path / name)
    assert not list(tmp_path.glob("*/data"))


def test_members_that_climb_out_of_an_archive_stay_inside(tmp_path: Path) -> None:
    path, folder = tmp_path / "evil.zip", tmp_path / "inside"
    folder.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("s/zarr.json", "{}")
        archive.writestr("../outside.txt", "x")
        archive.writestr("../../s/.zgroup", "{}")
    unpack(Place.of(path), folder)
    assert not list(tmp_path.glob("outside*")) and sorted(each.name for each in tmp_path.iterdir()) == [
        "evil.zip",
        "inside",
    ]


@pytest.mark.parametrize("encoding", ["WKB", "geoarrow"])
@pytest.mark.parametrize(
    "kind", ["Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon"]
)
def test_geoparquet_is_read_as_geopandas_reads_it(tmp_path: Path, kind: str, encoding: str) -> None:
    shape = {
        "Point": shapely.Point(1, 2),
        "LineString": shapely.LineString([(0, 0), (1, 2)]),
        "Polygon": shapely.box(0, 0, 9, 9) - shapely.box(1, 1, 2, 2),
    }
    one = shape.get(kind) or shapely.from_wkt(f"{kind.upper()} EMPTY").__class__(
        [shape[kind.removeprefix("Multi")]]
    )
    frame = gpd.GeoDataFrame({"n": [1, 2], "s": ["a", None]}, geometry=[one, one], crs="EPSG:25832")
    frame.to_parquet(tmp_path / "f.parquet", geometry_encoding=encoding)
    found, wanted = open_vector(tmp_path / "f.parquet"), gpd.read_parquet(tmp_path / "f.parquet")
    assert found.geometry.geom_equals(wanted.geometry).all() and found.crs == wanted.crs
    assert found.n.tolist() == [1, 2] and found.s.tolist()[0] == "a"


class Wkb(pa.ExtensionType):  # type: ignore[misc]
    """Shapes as Arrow has them, which pyarrow writes as a column of Parquet's own type GEOMETRY."""

    def __init__(self, about: dict[str, str]) -> None:
        self.about = about
        super().__init__(pa.binary(), "geoarrow.wkb")

    def __arrow_ext_serialize__(self) -> bytes:
        return json.dumps(self.about).encode()


@pytest.mark.parametrize("crs", ["OGC:CRS84", "srid:5070", "EPSG:25832"])
def test_shapes_of_parquets_own_type_and_text_as_bytes_are_read(tmp_path: Path, crs: str) -> None:
    places = [shapely.Point(1, 2), shapely.LineString([(0, 0), (1, 2)])]
    stored = pa.array([each.wkb for each in places], pa.binary())
    shapes = pa.ExtensionArray.from_storage(Wkb({"crs": crs} if crs != "OGC:CRS84" else {}), stored)
    columns = {"name": [b"one", b"two"], "raw": [b"\xff", b"two"], "shape": shapes}
    pq.write_table(pa.table(columns), tmp_path / "typed.parquet", store_schema=False)
    found = open_vector(tmp_path / "typed.parquet")
    assert found.geometry.tolist() == places and found.crs == crs.replace("srid", "EPSG")
    assert found.name.tolist() == ["one", "two"] and found.raw.tolist() == [b"\xff", b"two"]
    (layer,) = describe_layers(Place.of(tmp_path / "typed.parquet")).data["layers"].values()
    assert layer["columns"]["raw"] == "binary: 2 values"


def test_a_table_of_parquet_is_one_with_or_without_coordinates(tmp_path: Path) -> None:
    pd.DataFrame({"lat": [1.0], "lon": [2.0], "p": [3]}).to_parquet(tmp_path / "places.parquet")
    pd.DataFrame({"p": [3], "q": ["x"]}).to_parquet(tmp_path / "plain.parquet")
    (tmp_path / "plain.csv").write_text("p,q\n3,x\n")
    assert open_vector(tmp_path / "places.parquet").geometry.tolist() == [shapely.Point(2, 1)]
    for name in ("plain.parquet", "plain.csv"):
        assert open_table(tmp_path / name).to_dict("list") == {"p": [3], "q": ["x"]}
        found = describe_layers(Place.of(tmp_path / name))
        assert found.data["layers"][name] == {
            "rows": 1,
            "columns": {"p": "int64: 3 to 3", "q": found.data["layers"][name]["columns"]["q"]},
        }
        assert "no coordinates" in found.warnings[0]
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(LabrigError, match="cannot be read"):
        open_vector(tmp_path / "broken.parquet")


def test_a_raster_of_jpeg_2000_is_one(tmp_path: Path) -> None:
    values = np.arange(64 * 64, dtype="uint16").reshape(64, 64)
    with rasterio.open(
        tmp_path / "a.jp2", "w", driver="JP2OpenJPEG", width=64, height=64, count=1, dtype="uint16",
        crs="EPSG:32632", transform=from_origin(500000, 5000000, 10, 10), QUALITY="100", REVERSIBLE="YES",
    ) as file:  # fmt: skip
        file.write(values, 1)
    found = open_dataset(tmp_path / "a.jp2")
    assert (found.band_data.values[0] == values).all() and found.rio.crs.to_epsg() == 32632
