"""Files beside the one that a call names: the parts of a Shapefile, and what overrides where a GeoTIFF lies."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import ExitStack, suppress
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from labrig.errors import LabrigError, over_limit
from labrig.tools.sources import Source, names_artifact, opened_source
from labrig_earth.server.places import open_data

if TYPE_CHECKING:
    from labrig_earth.work.asking import Given

MOST_BYTES = 512 << 20
PARTS = (".shx", ".dbf", ".prj", ".cpg")
"""Endings of a Shapefile's other files; without .shx it cannot be read."""
_TRANSFORM = re.compile(r"<GeoTransform>([-+0-9.eE,\s]{1,400})</GeoTransform>")
_MOST_AUX_BYTES = 1 << 20


def is_shape(path: str) -> bool:
    """Tell whether a path names the shapes of a Shapefile, whose other parts lie beside it."""
    return path.lower().endswith(".shp") and not names_artifact(path)


def open_shapefile(path: str, held: ExitStack) -> tuple[Given, Source]:
    """Open a folder that holds the parts of one Shapefile alone, as a child may see it; and its shapes.

    Raises
    ------
    LabrigError
        ``bad_input`` where the .shx is missing, ``limit`` above `MOST_BYTES`.
    """
    from labrig_earth.work.asking import Given

    shapes = held.enter_context(open_data(path))
    folder = Path(held.enter_context(TemporaryDirectory(prefix="labrig-shapefile-")))
    stem, upper = path[:-4], path[-4:].isupper()
    name = PurePosixPath(path).stem
    _copy(shapes, folder / f"{name}.shp", path)
    for ending in PARTS:
        found = stem + (ending.upper() if upper else ending)
        with suppress(LabrigError), opened_source(found) as part:
            _copy(part, folder / f"{name}{ending}", found)
    if not (folder / f"{name}.shx").exists():
        raise LabrigError(
            "The .shx of this Shapefile is not beside it",
            where=path,
            expected=f"{name}.shx, {name}.dbf, {name}.prj",
        )
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    held.callback(os.close, descriptor)
    return Given(shapes.name, descriptor), shapes


def _copy(source: Source, target: Path, path: str) -> None:
    if source.size() > MOST_BYTES:
        raise over_limit(
            f"The file has {source.size():,} bytes", MOST_BYTES, where=path, try_="a GeoPackage of it"
        )
    with source.place.open("rb") as file, target.open("wb") as copy:
        shutil.copyfileobj(file, copy)


def georeferencing_beside(path: str) -> str:
    """Return what to say of a file beside a GeoTIFF that would move it elsewhere; nothing where there is none.

    GDAL's other programs take it instead of what the GeoTIFF itself states (``GDAL_GEOREF_SOURCES``); here it is not
    read.
    """
    if not path.lower().endswith((".tif", ".tiff")) or names_artifact(path):
        return ""
    beside = f"{path}.aux.xml"
    try:
        with opened_source(beside) as source, source.place.open("rb") as file:
            text = file.read(_MOST_AUX_BYTES).decode("utf-8", "replace")
    except LabrigError:
        return ""
    found = _TRANSFORM.search(text)
    numbers = found[1].split(",") if found else []
    if len(numbers) != 6:
        return ""
    try:
        west, width, _, north, _, height = map(float, numbers)
    except ValueError:
        return ""
    return (
        f"{PurePosixPath(beside).name} states another georeferencing (cells of {abs(width):g} x {abs(height):g} from "
        f"{west:g}, {north:g}), which GDAL's programs take; that of the GeoTIFF itself was taken here"
    )
