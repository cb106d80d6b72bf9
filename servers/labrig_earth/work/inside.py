"""The module of the children: libraries are imported once, then each child runs one operation by its name.

pyproj comes first: another library's PROJ that is loaded before it ends the process (`labrig_earth.data.opening`).
Some packages are kept out even where another extra has brought them: pyarrow, with which pandas starts threads that a
fork leaves behind; distributed, which a closed-in child cannot import; eccodes, whose PROJ is such another one; and
sklearn, which osmnx imports where it is there, a third of a second for what is not used here.

A child closes itself in before it opens anything: it reads the files that it was handed, writes into the scratch
folder, and reaches no network. A VRT, a link or a chunk that leads elsewhere cannot be followed. An operation on what
lies on the network has a socket to a process that fetches the addresses of the call for it (`catalogue.fetching`).
"""

from __future__ import annotations

import fcntl
import importlib
import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyproj  # noqa: F401 - before any other library

from labrig.isolation.closing import close_in
from labrig.isolation.inside.answering import FIRST_FILE
from labrig.tables.codecs import keep_known
from labrig_earth.data.compressed import unpack
from labrig_earth.data.formats import Place
from labrig_earth.data.parquet import BEGINS, load_pyarrow
from labrig_earth.work.calls import Call
from labrig_earth.work.running import operations, run

if TYPE_CHECKING:
    from labrig.http.sync import SyncClient

KEPT_OUT = ("pyarrow", "distributed", "eccodes", "cfgrib", "sklearn")
WARM = (
    *(
        "netCDF4",
        "h5py",
        "zarr",
        "xarray",
        "dask.array",
        "flox.xarray",
        "cf_xarray.units",
        "scipy.stats",
        "xarray_regrid",
    ),
    *(
        "rasterio",
        "rioxarray",
        "exactextract",
        "regionmask",
        "shapely",
        "geopandas",
        "pyogrio",
        "geopandas.io.file",
    ),
    *("osmium", "osmnx", "matplotlib.figure", "matplotlib.backends.backend_agg", "matplotlib.font_manager"),
    *("selectolax.lexbor", "PIL.ImageDraw", "PIL.PngImagePlugin", "PIL.JpegImagePlugin"),
    *("cartopy.crs", "cartopy.mpl.geoaxes", "cartopy.mpl.gridliner", "cartopy.mpl.ticker"),
)
"""What children find imported; the order is free, since pyproj has come first."""

APART = 100
"""Files are moved to descriptors from here on. Libraries have opened files of their own before the fork, whose numbers
the child's files take; PROJ sees that it was forked, closes its database by number, and would close one of these."""

THREADS = 2
"""Of dask in a child; readers of NetCDF take turns at one lock anyway."""

for _name in KEPT_OUT:
    sys.modules.setdefault(_name, None)  # type: ignore[arg-type]
for _name in WARM:
    importlib.import_module(_name)
keep_known()
importlib.import_module("dask").config.set(scheduler="threads", num_workers=THREADS)
operations()  # imports the rooms


def work(question: Any) -> bytes:
    """Run an operation and return its result as JSON.

    Parameters
    ----------
    question
        ``operation``: its name. ``inputs``: by role, a list of ``[name, n]``, where n counts the descriptors that were
        handed over. ``scratch``: the number of that of the scratch folder, the last; ``line``: whether a socket to
        what fetches lies behind it. ``arguments``.

    Raises
    ------
    LabrigError
        As `running.run`.
    """
    count = int(question["scratch"]) + 1
    places = [fcntl.fcntl(FIRST_FILE + number, fcntl.F_DUPFD_CLOEXEC, APART) for number in range(count)]
    scratch = places[-1]
    inputs = {
        role: tuple(Place(f"/proc/self/fd/{places[number]}", str(name)) for name, number in given)
        for role, given in question["inputs"].items()
    }
    if any(_begins_with(each.path, BEGINS) for given in inputs.values() for each in given):
        load_pyarrow()
    os.fchdir(scratch)
    tempfile.tempdir = f"/proc/self/fd/{scratch}"
    os.environ["TMPDIR"] = tempfile.tempdir
    close_in(places[:-1], writable=scratch)
    folder = Path(f"/proc/self/fd/{scratch}")
    inputs = {role: tuple(unpack(place, folder) for place in given) for role, given in inputs.items()}
    call = Call(inputs, question["arguments"], folder)
    if not question["line"]:
        return run(question["operation"], call)
    with _fetching(FIRST_FILE + count) as client:
        return run(question["operation"], replace(call, client=client))


def _begins_with(path: str, start: bytes) -> bool:
    try:
        with Path(path).open("rb") as file:
            return file.read(len(start)) == start
    except OSError:  # a folder
        return False


@contextmanager
def _fetching(descriptor: int) -> Iterator[SyncClient]:
    """Give the client whose requests go over a socket; loaded here, since few operations have one."""
    from labrig.http.carrying import Carried
    from labrig.http.sync import SyncClient

    with socket.socket(fileno=descriptor) as line, SyncClient(lambda: Carried(line)) as client:
        yield client
