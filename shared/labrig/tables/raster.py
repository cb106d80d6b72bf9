"""A GeoTIFF, read with rasterio: its grid, CRS and place, and its bands as columns with their ranges."""

from __future__ import annotations

import re
from typing import Any

from labrig.errors import LabrigError
from labrig.tables.columns import short
from labrig.tables.description import Description
from labrig.tables.ranges import Array, Ranges
from labrig.tables.window import Window, missing_package
from labrig.tools.reading import Files

MARKS = (b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+")
"""How TIFF and BigTIFF begin."""

MOST_BYTES = 256 << 20
MOST_BANDS = 500
_OPENED_AS = re.compile(r"(/vsi\w+/\S*/)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tif:? ?")
"""What rasterio calls a file that it is given open: another name each time."""


def describe(files: Files, path: str, *, values: bool = True) -> Description:
    """Describe a TIFF, with or without a place on Earth; of files beside it (world files, overviews) none is read.

    Raises
    ------
    LabrigError
        ``bad_input`` for a file that is damaged, ``unavailable`` without rasterio.
    """
    try:
        import rasterio
    except ImportError:
        raise missing_package("rasterio", "A TIFF") from None
    window = Window(files, path, MOST_BYTES)
    try:
        with (
            rasterio.Env(GDAL_PAM_ENABLED="NO", GDAL_DISABLE_READDIR_ON_OPEN="EMPTY_DIR"),
            rasterio.open(window, driver="GTiff") as file,
        ):
            return _described(file, values)
    except (LabrigError, MemoryError):
        raise
    except Exception as error:  # rasterio and GDAL raise many kinds
        said = _OPENED_AS.sub("", str(error))
        raise LabrigError(f"The TIFF cannot be read: {said}", where=path) from error


def _described(file: Any, values: bool) -> Description:
    about: dict[str, Any] = {"width": file.width, "height": file.height}
    if file.crs:
        code = file.crs.to_epsg()
        about["crs"] = f"EPSG:{code}" if code else short(file.crs.to_wkt(), 200)
    if not file.transform.is_identity:
        about |= {"bounds": list(file.bounds), "cell": list(file.res)}
    ranges = Ranges()
    columns = []
    for band in file.indexes[:MOST_BANDS]:
        kind, attributes = file.dtypes[band - 1], _attributes(file, band)
        found: dict[str, Any] = {"name": short(file.descriptions[band - 1] or f"band {band}"), "type": kind}
        found |= {"unit": short(file.units[band - 1])} if file.units[band - 1] else {}
        stated = {"missing_as": "_FillValue", "scale": "scale_factor", "offset": "add_offset"}
        found |= {key: attributes[name] for key, name in stated.items() if name in attributes}
        if values and not kind.startswith("complex"):
            ranges.add(found, _array(file, band), attributes)
        columns.append(found)
    notes = [f"the first {MOST_BANDS} of {file.count} bands"] if file.count > MOST_BANDS else []
    name = "GeoTIFF" if about.keys() & {"crs", "bounds"} else "TIFF without a place on Earth"
    return Description(name, None, columns, notes, not notes, about)


def _attributes(file: Any, band: int) -> dict[str, float]:
    """Return what unpacks a band, as the CF conventions name it."""
    stated = {
        "_FillValue": (file.nodatavals[band - 1], None),
        "scale_factor": (file.scales[band - 1], 1.0),
        "add_offset": (file.offsets[band - 1], 0.0),
    }
    return {name: value for name, (value, default) in stated.items() if value != default}


def _array(file: Any, band: int) -> Array:
    """Return what must be read of a band: whole blocks, as it is stored."""
    import numpy

    def read(start: int, stop: int) -> Any:
        return file.read(band, window=((start, stop), (0, file.width)))

    row = file.width * numpy.dtype(file.dtypes[band - 1]).itemsize
    return Array((file.height, file.width), row, file.block_shapes[band - 1][0], read)
