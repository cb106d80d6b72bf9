"""Which names of a workspace are data: files, Zarr stores as one, folders with a catalogue; and one of them opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import PurePosixPath

from labrig.errors import LabrigError, nearest
from labrig.toolbox import session
from labrig.tools.sources import Source, names_artifact, opened_source

CATALOGUE = "catalog.json"
STORES = (".zgroup", "zarr.json")
ENDINGS = (
    *(".nc", ".nc4", ".cdf", ".h5", ".tif", ".tiff", ".gpkg", ".geojson", ".json", ".shp", ".zip"),
    *(".gpx", ".csv", ".osm", ".pbf", ".jp2", ".parquet", ".geoparquet"),
    *(".grib", ".grb", ".grib2", ".grb2"),
    *(".osm.bz2", ".osm.gz", ".nc.gz", ".tif.gz", ".csv.gz", ".geojson.gz"),
)
"""Names of what may be data; what it is, its content says."""


def places(names: list[str]) -> tuple[list[str], list[str]]:
    """Return folders with a catalogue, and what may be data elsewhere: files, and Zarr stores as folders.

    Parameters
    ----------
    names
        Paths of files of a workspace.
    """
    folders = [str(PurePosixPath(name).parent) for name in names if PurePosixPath(name).name == CATALOGUE]
    tops = [each for each in folders if not any(_in(each, other) for other in folders if other != each)]
    stores = {str(PurePosixPath(name).parent) for name in names if PurePosixPath(name).name in STORES}
    stores = {each for each in stores if not any(_in(each, other) for other in stores if other != each)}
    data: dict[str, None] = {}
    for name in names:
        if any(_in(name, top) for top in tops):
            continue
        store = next((each for each in stores if _in(name, each)), "")
        if store:
            data[store] = None
        elif name.lower().endswith(ENDINGS):
            data[name] = None
    return tops, list(data)


def _in(name: str, folder: str) -> bool:
    return folder == "." or name.startswith(folder + "/")


@contextmanager
def open_data(path: str) -> Iterator[Source]:
    """Open what a call names, as `labrig.tools.sources.opened_source`; where it is not there, say which data are."""
    with ExitStack() as held:
        try:
            source = held.enter_context(opened_source(path, kind="any"))
        except LabrigError as error:
            if (
                error.code != "not_found"
                or names_artifact(path)
                or not error.what.startswith("There is no such")
            ):
                raise
            raise _not_there(path) from None
        yield source


def _not_there(path: str) -> LabrigError:
    names = [entry.path for entry in session().workspace.entries()]
    tops, _ = places(names)
    entries = [name for name in names if name.endswith(".json") and PurePosixPath(name).name not in STORES]
    of_catalogues = {name for name in entries if any(_in(name, top) for top in tops)}
    kept = [name for name in names if name not in of_catalogues]
    _, data = places([name for name in kept if PurePosixPath(name).name != CATALOGUE])
    close = nearest(path, data)
    shown = ", ".join(data[:12]) + (f" and {len(data) - 12} more" if len(data) > 12 else "")
    return LabrigError(
        "There is no such file or folder",
        where=path,
        expected=f"one of {shown}" if data else "a path in the workspace, @root/.. or a handle",
        try_="did you mean " + " or ".join(close) + "?"
        if close
        else "find_data, which lists data; or list_files",
        code="not_found",
    )
