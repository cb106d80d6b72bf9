"""The mean over an area of a Zarr store of 10,000 pieces on two dask workers, beside xarray on the same cluster.

Processor time of the workers and of the client counts, in turn in one run: that of a busy machine means little.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

DAYS, SIDE, PIECE, ROUNDS = 2500, 200, 100, 2
RATIO = 1.5

CODE = """
import json, sys, time
import pyproj
import numpy as np, xarray as xr

def make(path):
    import zarr
    group = zarr.open_group(path, mode="w", zarr_format=2)
    for name, size, units, values in (
        ("time", {days}, "days since 1990-01-01", np.arange({days}, dtype="f8")),
        ("latitude", {side}, "degrees_north", 60 - np.arange({side}) * 0.1),
        ("longitude", {side}, "degrees_east", np.arange({side}) * 0.1),
    ):
        axis = group.create_array(name, shape=(size,), chunks=(size,), dtype="f8", fill_value=np.nan)
        axis[:] = values
        axis.attrs.update(units=units, _ARRAY_DIMENSIONS=[name])
    shape, chunks = ({days}, {side}, {side}), (1, {piece}, {piece})
    field = group.create_array("t2m", shape=shape, chunks=chunks, dtype="f4", fill_value=np.nan)
    row = np.linspace(0, 20, {side}, dtype="f4")
    for day in range({days}):
        field[day] = np.round(280 + 10 * np.sin(day / 58) + row[:, None] - row[None, :] / 3, 1)
    field.attrs.update(units="K", _ARRAY_DIMENSIONS=["time", "latitude", "longitude"])

def by_xarray(path, days):
    field = xr.open_dataset(path, engine="zarr", chunks={{}}, consolidated=False).t2m.isel(time=days)
    weights = np.cos(np.deg2rad(field.latitude))
    return field.weighted(weights).mean(("latitude", "longitude")).values

def by_earth(path, days):
    from labrig_earth.data.opening import open_dataset
    from labrig_earth.grids.areas import area_mean
    return np.asarray(area_mean(open_dataset(path).t2m.isel(time=days)))

if __name__ == "__main__":
    from distributed import Client, LocalCluster
    make(sys.argv[1])
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
    client = Client(cluster)

    def seconds(act, days=slice(None)):
        def used():
            return sum(client.run(time.process_time).values()) + time.process_time()
        before = used()
        found = act(sys.argv[1], days)
        return used() - before, found

    for act in (by_xarray, by_earth):
        seconds(act, slice(0, 8))  # what workers import counts for neither
    pairs = []
    for _ in range({rounds}):
        theirs, wanted = seconds(by_xarray)
        ours, found = seconds(by_earth)
        assert np.allclose(found, wanted, atol=1e-3)
        pairs.append((theirs, ours))
    print(json.dumps(pairs))
    client.close()
    cluster.close()
"""


def main() -> None:
    """Print how much processor time the mean takes beside xarray."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "cubes.py"
        program.write_text(CODE.format(days=DAYS, side=SIDE, piece=PIECE, rounds=ROUNDS))
        done = subprocess.run(
            [sys.executable, str(program), f"{folder}/field.zarr"],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    pairs = json.loads(done.stdout.splitlines()[-1])
    ratio = statistics.median(ours / theirs for theirs, ours in pairs)
    taken = statistics.median(ours for _, ours in pairs)
    print(
        f"mean over an area of a Zarr store of {DAYS * (SIDE // PIECE) ** 2:,} pieces on two dask workers, CPU time as "
        f"a ratio to xarray on the same workers (at most {RATIO}): {ratio:.2f}; {taken:.1f} s"
    )
