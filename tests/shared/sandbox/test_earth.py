"""The profile for Earth data: grids are written, read back through inputs, and reprojected, inside the walls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.sandbox_rig import Rig, rig

pytestmark = pytest.mark.accept

WRITE = """
import numpy as np, xarray as xr, rasterio
from rasterio.transform import from_origin
lat, lon = np.linspace(50, 52, 5), np.linspace(5, 8, 7)
field = xr.DataArray(np.arange(35.0).reshape(5, 7), coords={"lat": lat, "lon": lon}, name="t2m", attrs={"units": "K"})
field.to_netcdf("t2m.nc")
with rasterio.open(
    "dem.tif", "w", driver="GTiff", height=5, width=7, count=1, dtype="float32", crs="EPSG:4326",
    transform=from_origin(5, 52, 0.5, 0.5),
) as tif:
    tif.write(field.values.astype("float32"), 1)
"""
READ = """
import numpy as np, xarray as xr, rasterio, pyproj
from rasterio.warp import calculate_default_transform
from shapely.geometry import box
with xr.open_dataset("inputs/t2m.nc") as data:
    print(float(data.t2m.sel(lat=51, method="nearest").mean()), data.t2m.units)
with xr.open_dataset("inputs/folder/t2m.nc", engine="netcdf4") as data:
    print(float(data.t2m.max()))
with rasterio.open("inputs/dem.tif") as tif:
    print(tif.crs, tif.read(1).sum(), tif.bounds.left)
    print(calculate_default_transform(tif.crs, "EPSG:32631", tif.width, tif.height, *tif.bounds)[1:])
print(round(pyproj.Geod(ellps="WGS84").inv(5, 50, 6, 50)[2]), box(0, 0, 2, 3).area)
for path in ("inputs/t2m.nc", "inputs/dem.tif"):
    try:
        open(path, "r+b")
    except OSError:
        print("kept")
"""


@pytest.fixture(scope="module", params=["auto", "landlock"])
def lab(request: pytest.FixtureRequest) -> Iterator[Rig]:
    with rig(profile="earth", backend=request.param) as made:
        yield made


def test_grids_are_written_and_read(lab: Rig, tmp_path: Path) -> None:
    written = lab.run(WRITE)
    assert (written.status, written.error) == ("ok", ""), written
    assert sorted(written.files) == ["dem.tif", "t2m.nc"]
    for name, content in written.files.items():
        (tmp_path / name).write_bytes(content)
    inputs = {name: tmp_path / name for name in written.files} | {"folder": tmp_path}
    read = lab.run(READ, inputs=inputs)
    assert (read.status, read.error) == ("ok", ""), read
    assert read.output.splitlines() == [
        "17.0 K",
        "34.0",
        "EPSG:4326 595.0 5.0",
        "(6, 7)",
        "71695 6.0",
        "kept",
        "kept",
    ]
