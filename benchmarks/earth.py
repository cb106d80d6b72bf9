"""The mean of 2 GB over polygons, beside reading the same pieces of the file: in one process, and on two dask workers.

The file is made here: 2,000 days of 500 x 500 cells, packed as float32 with zlib, as archives deliver them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

DAYS, SIDE = 2000, 500
ROUNDS = 3
RATIO, MEMORY_GB = 1.3, 1.0

MAKE = """
import sys, netCDF4, numpy as np
with netCDF4.Dataset(sys.argv[1], "w") as file:
    for name, size, units, values in (
        ("time", {days}, "days since 1990-01-01", np.arange({days})),
        ("latitude", {side}, "degrees_north", 60 - np.arange({side}) * 0.04),
        ("longitude", {side}, "degrees_east", np.arange({side}) * 0.04),
    ):
        file.createDimension(name, size)
        axis = file.createVariable(name, "f8", (name,))
        axis.units, axis[:] = units, values
    field = file.createVariable(
        "t2m", "f4", ("time", "latitude", "longitude"), chunksizes=(32, {side}, {side}), zlib=True, complevel=1
    )
    field.units = "K"
    row = np.linspace(0, 20, {side}, dtype="f4")
    for day in range({days}):
        field[day] = np.round(280 + 10 * np.sin(day / 58) + row[:, None] - row[None, :] / 3, 1)
"""

MEASURE = """
import json, resource, sys, time
import labrig_earth.work.inside
import geopandas, numpy as np
from shapely.geometry import Point
from labrig_earth.data.opening import open_dataset
from labrig_earth.grids.areas import polygon_means

field = open_dataset(sys.argv[1]).t2m
places = [Point(10, 50).buffer(9.5), Point(5, 50).buffer(4), Point(15, 50).buffer(4), Point(10, 45).buffer(3)]
shapes = geopandas.GeoDataFrame({{"name": list("abcd")}}, geometry=places, crs=4326)

def nothing(block):
    return np.zeros((block.shape[0], 1, 1))

def reading():
    chunks = (field.data.chunks[0], *((1,) * len(each) for each in field.data.chunks[1:]))
    field.data.map_blocks(nothing, chunks=chunks).compute()

def seconds(act):
    started = time.perf_counter()
    act()
    return time.perf_counter() - started

pairs = [(seconds(reading), seconds(lambda: polygon_means(field, shapes))) for _ in range({rounds})]
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
print(json.dumps({{"pairs": pairs, "peak": peak}}))
"""

# Workers are processes of their own, which import the program once more: all of it stands below a guard.
CLUSTER = """
if __name__ == "__main__":
    from distributed import Client, LocalCluster
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
    client = Client(cluster)
""" + "".join(
    f"    {line}\n"
    for line in MEASURE.replace("import labrig_earth.work.inside", "import pyproj").splitlines()
)


def _run(code: str, path: Path) -> str:
    filled = code.format(days=DAYS, side=SIDE, rounds=ROUNDS)
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(filled)
        file.flush()
        done = subprocess.run(
            [sys.executable, file.name, str(path)], capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return done.stdout


def main() -> None:
    """Print how much longer the mean takes than reading, and the memory of the process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "field.nc"
        _run(MAKE, path)
        size = DAYS * SIDE * SIDE * 4 / 1e9
        print(
            f"mean of {size:.1f} GB over 4 polygons, as a ratio to reading the same pieces (at most {RATIO})"
        )
        for name, code in (("two threads", MEASURE), ("two dask workers", CLUSTER)):
            found = json.loads(_run(code, path).splitlines()[-1])
            best = min(mean / reading for reading, mean in found["pairs"])
            seconds = min(mean for _, mean in found["pairs"])
            memory = f", {found['peak']:.2f} GB resident (at most {MEMORY_GB})" if code is MEASURE else ""
            print(f"{name}: {best:.2f}, {seconds:.1f} s{memory}")
