"""Zonal statistics of a large raster and many polygons, beside exactextract alone on the same file.

The raster is made here: 10,000 x 10,000 cells of 10 m, int16, in compressed tiles, as cloud-optimized ones are.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SIDE, POLYGONS, ROUNDS = 10_000, 500, 5
RATIO = 1.5

MAKE = """
import sys
import numpy as np, rasterio
from rasterio.transform import from_origin
from rasterio.windows import Window
row = (np.sin(np.arange({side}) / 300) * 3000).astype("i2")
with rasterio.open(
    sys.argv[1], "w", driver="GTiff", width={side}, height={side}, count=1, dtype="int16", crs="EPSG:32632",
    transform=from_origin(500000, 5400000, 10, 10), tiled=True, blockxsize=512, blockysize=512, compress="deflate",
) as file:
    for top in range(0, {side}, 1000):
        rows = row[top : top + 1000, None] // 2 + row[None, :]
        file.write(rows, 1, window=Window(0, top, {side}, 1000))
"""

MEASURE = """
import json, sys, time
import labrig_earth.work.inside
import geopandas, numpy as np
from exactextract import exact_extract
from shapely.geometry import Point
from labrig_earth.data.opening import open_dataset
from labrig_earth.grids.zonal import zonal_statistics

drawn = np.random.default_rng(4)
x, y = 500000 + drawn.uniform(3000, 97000, {polygons}), 5400000 - drawn.uniform(3000, 97000, {polygons})
shapes = geopandas.GeoDataFrame(
    {{"name": [str(n) for n in range({polygons})]}},
    geometry=[Point(*each).buffer(size) for *each, size in zip(x, y, drawn.uniform(200, 2500, {polygons}))],
    crs="EPSG:32632",
)
asked = ["mean", "min", "max", "count"]

def seconds(act):
    started = time.process_time()
    found = act()
    return time.process_time() - started, found

pairs = []
for _ in range({rounds}):
    alone, wanted = seconds(lambda: exact_extract(sys.argv[1], shapes, asked, output="pandas"))
    ours, found = seconds(
        lambda: zonal_statistics(open_dataset(sys.argv[1]).band_data.squeeze(drop=True), shapes, asked)
    )
    assert np.allclose(found.table["mean"].astype(float), wanted["mean"], rtol=1e-6)
    assert np.allclose(found.table["count"].astype(float), wanted["count"], rtol=1e-6)
    pairs.append((alone, ours))
print(json.dumps(pairs))
"""


def main() -> None:
    """Print how much longer zonal statistics take than exactextract alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "raster.tif"
        for code in (MAKE, MEASURE):
            filled = code.format(side=SIDE, polygons=POLYGONS, rounds=ROUNDS)
            done = subprocess.run(
                [sys.executable, "-c", filled, str(path)], capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise RuntimeError(done.stderr[-2000:])
        pairs = json.loads(done.stdout.splitlines()[-1])
        ratio = statistics.median(ours / alone for alone, ours in pairs)
        print(
            f"zonal statistics of {SIDE:,} x {SIDE:,} cells and {POLYGONS} polygons, CPU time as a ratio to "
            f"exactextract alone (at most {RATIO}): {ratio:.2f}; {statistics.median(ours for _, ours in pairs):.1f} s"
        )
