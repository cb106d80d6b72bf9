"""Operations in children behind walls: what they answer, what they cannot reach, and how they end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import pytest_asyncio
import rasterio
import xarray as xr
from shapely.geometry import box

from hostile.guard import descendants
from labrig.errors import LabrigError
from labrig.isolation.children import Children
from labrig.isolation.inside import walls
from labrig.isolation.process import Outcome
from labrig.storage.folder import Folder, new_name
from labrig.toolbox import ServeOptions
from labrig_earth.data.formats import Place
from labrig_earth.results import Result
from labrig_earth.server import base, operations
from labrig_earth.work import asking
from labrig_earth.work.calls import Call
from labrig_earth.work.running import run

CLOSED = not any(walls.available().values()) if sys.platform == "linux" else False


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def by() -> AsyncIterator[Children]:
    async with asking.workers() as children:
        yield children


@pytest.mark.parametrize(
    ("options", "ahead"),
    [
        (ServeOptions(tools=("describe_data", "get_job")), True),
        (ServeOptions(tools=("list_files", "get_job")), False),
        (ServeOptions(), False),
    ],
)
async def test_libraries_load_beside_a_server_that_is_started_for_tools_that_use_them(
    options: ServeOptions, ahead: bool
) -> None:
    before = set(descendants(os.getpid()))
    base.begins(options)
    begun = set(descendants(os.getpid())) - before
    assert len(begun) == ahead
    async with base.opens(options):
        assert set(descendants(os.getpid())) >= begun
    assert not set(descendants(os.getpid())) & begun


@pytest.fixture
def field(tmp_path: Path) -> Path:
    data = xr.DataArray(
        np.arange(80.0).reshape(4, 4, 5) + 280,
        dims=("time", "latitude", "longitude"),
        coords={
            "time": pd.date_range("2000", periods=4),
            "latitude": [3.0, 2, 1, 0],
            "longitude": [0.0, 1, 2, 3, 4],
        },
        name="t",
        attrs={"units": "K"},
    )
    data.to_netcdf(tmp_path / "field.nc", engine="netcdf4")
    data.to_dataset().chunk({"time": 1}).to_zarr(tmp_path / "field.zarr", zarr_format=2)
    return tmp_path


async def ask(by: Children, folder: Path, operation: str, files: dict[str, str], **arguments: Any) -> Result:
    with ExitStack() as held:

        def opened(path: Path) -> int:
            descriptor = os.open(path, os.O_RDONLY)
            held.callback(os.close, descriptor)
            return descriptor

        scratch = folder / "scratch"
        scratch.mkdir(exist_ok=True)
        inputs = {role: [asking.Given(name, opened(folder / name))] for role, name in files.items()}
        return await asking.run(by, operation, inputs, arguments, opened(scratch))


@pytest.mark.accept
@pytest.mark.asyncio(loop_scope="module")
async def test_a_child_answers_as_the_operation_does(by: Children, field: Path) -> None:
    for name in ("field.nc", "field.zarr"):
        found = await ask(by, field, "describe_data", {"data": name})
        assert found.data["variables"]["t"]["range"] == [280.0, 359.0] and found.source == name
        cut = await ask(by, field, "extract", {"data": name}, select={"box": [1, 1, 3, 2]}, format="netcdf")
        assert cut.files == ("extract.nc",)
        with xr.open_dataset(field / "scratch" / "extract.nc", engine="netcdf4") as written:
            assert written.t.shape == (4, 2, 3) and float(written.t[0, 0, 0]) == 286.0
    gpd.GeoDataFrame(geometry=[box(0.5, 0.5, 2.5, 2.5)], crs=4326).to_file(field / "a.gpkg")
    mean = await ask(by, field, "aggregate", {"data": "field.nc", "polygons": "a.gpkg"}, over="both")
    assert mean.values[0].value == pytest.approx(319, abs=0.01)


@pytest.mark.accept
def test_damage_that_is_met_when_values_are_read_is_told_as_damage(field: Path) -> None:
    """Of 307 public files that broke readers of HDF5 and TIFF, 41 were said to be failures of the operation."""
    for suffix in ("tif", "nc"):
        path = field / f"damaged.{suffix}"
        if suffix == "tif":
            profile = {"driver": "GTiff", "width": 64, "height": 64, "count": 1, "dtype": "uint16"}
            with rasterio.open(path, "w", **profile, compress="deflate") as file:
                file.write(np.random.default_rng(1).integers(0, 9_000, (1, 64, 64)).astype("uint16"))
        else:
            values = xr.Dataset({"t": ("x", np.random.default_rng(1).random(20_000), {"units": "K"})})
            values.to_netcdf(path, engine="netcdf4", encoding={"t": {"zlib": True}})
        content = bytearray(path.read_bytes())
        half = len(content) // 2
        content[half : half + 2_000] = b"\xff" * 2_000
        path.write_bytes(content)
        with pytest.raises(LabrigError, match="part of a file cannot be read") as told:
            run("describe_data", Call({"data": (Place(str(path), path.name),)}, {}, field))
        assert told.value.code == "bad_input"


@pytest.mark.accept
@pytest.mark.asyncio(loop_scope="module")
async def test_the_same_question_gives_the_same_bytes(by: Children, tmp_path: Path) -> None:
    """A GeoPackage names the moment at which it was written."""
    gpd.GeoDataFrame({"a": [1]}, geometry=[box(0, 0, 1, 1)], crs="EPSG:4326").to_file(tmp_path / "a.geojson")
    written = []
    for _ in range(2):
        (name,) = (await ask(by, tmp_path, "gis_query", {"data": "a.geojson"})).files
        path = tmp_path / "scratch" / name
        written.append(path.read_bytes())
        path.unlink()
    assert written[0] == written[1]


@pytest.mark.accept
@pytest.mark.asyncio(loop_scope="module")
async def test_refusals_and_crashes_are_typed_and_the_next_question_is_answered(
    by: Children, field: Path
) -> None:
    with pytest.raises(LabrigError, match="no variable"):
        await ask(by, field, "extract", {"data": "field.nc"}, variables=["x"])
    with pytest.raises(LabrigError, match="no operation"):
        await ask(by, field, "nothing", {"data": "field.nc"})
    (field / "cut.nc").write_bytes((field / "field.nc").read_bytes()[:4000])
    with pytest.raises(LabrigError):
        await ask(by, field, "describe_data", {"data": "cut.nc"})
    assert (await ask(by, field, "describe_data", {"data": "field.nc"})).source == "field.nc"


@pytest.mark.parametrize(
    ("outcome", "code", "said"),
    [
        (Outcome("signal", signal="SIGSEGV"), "bad_input", "killed by SIGSEGV"),
        (Outcome("wall_limit", limits=asking.CALL), "limit", "job=true"),
        (Outcome("memory_limit", limits=asking.CALL), "limit", "smaller box"),
        (Outcome("ok", stdout=b'{"method": "m"}'), "bad_input", "no result"),
        (Outcome("ok", stdout=b"[" * 100_000), "bad_input", "no result"),
    ],
)
async def test_every_other_end_of_a_child_is_an_error_with_a_code(
    outcome: Outcome, code: str, said: str
) -> None:
    class Ended(Children):
        def __init__(self) -> None:
            self.what = asking.WHAT

        async def ask(self, *_: Any, **__: Any) -> Outcome:
            return outcome

    with pytest.raises(LabrigError, match=said) as error:
        await asking.run(Ended(), "aggregate", {"data": [asking.Given("field.nc", 0)]}, {}, 0)
    assert error.value.code == code and "field.nc" in str(error.value)


@pytest.mark.accept
@pytest.mark.skipif(not CLOSED, reason="walls are missing here")
@pytest.mark.asyncio(loop_scope="module")
async def test_a_file_that_leads_elsewhere_leads_nowhere(by: Children, field: Path) -> None:
    """Links in a Zarr store and a raster whose overviews lie beside it: what is outside is not read."""
    secret = field / "secret"
    secret.mkdir()
    store = field / "field.zarr"
    chunk = store / "t" / "0.0.0"
    chunk.rename(secret / "chunk")
    chunk.symlink_to(secret / "chunk")
    with pytest.raises(LabrigError, match="is a link"):
        await ask(by, field, "extract", {"data": "field.zarr"}, format="netcdf")
    vrt = f"<VRTDataset><VRTRasterBand><SourceFilename>{secret}/a.tif</SourceFilename></VRTRasterBand></VRTDataset>"
    (field / "a.tif").write_text(vrt)
    with pytest.raises(LabrigError, match="VRT"):
        await ask(by, field, "describe_data", {"data": "a.tif"})


@pytest.mark.accept
def test_a_folder_that_another_call_takes_away_meanwhile_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Folder.at(tmp_path) as top:
        old, others = new_name(), new_name()
        (tmp_path / old).mkdir()
        os.utime(tmp_path / old, (0, 0))
        monkeypatch.setattr(Folder, "names", lambda self: [others, old] if self is top else [])
        operations.sweep_scratch(top)
    assert not (tmp_path / old).exists()


@pytest.mark.accept
def test_no_library_with_another_proj_is_loaded_and_pyproj_is_first() -> None:
    """eccodes 2.50 before pyproj 3.7 ended the process: ``free(): invalid pointer``."""
    code = (
        "import sys\n"
        "import labrig_earth.work.inside as inside\n"
        "import pyproj, rasterio\n"
        "order = list(sys.modules)\n"
        "first = order.index('pyproj') < min(order.index(each) for each in ('rasterio', 'xarray', 'geopandas'))\n"
        "loaded = [each for each in inside.KEPT_OUT if sys.modules.get(each)]\n"
        "try:\n"
        "    import eccodes\n"
        "except ImportError:\n"
        "    print(first, loaded, pyproj.CRS('EPSG:32633').name, rasterio.crs.CRS.from_epsg(32633).to_epsg())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "True [] WGS 84 / UTM zone 33N 32633"), done.stderr
