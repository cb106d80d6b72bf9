"""Which format a file or a folder has, told by its content; names decide nothing.

What can point to other files or to the network (VRT, a pipeline of GDAL, GML with a schema, a DTD in any XML) is
refused here, before a library sees it; files that hold values and lead elsewhere too: `elsewhere`.
"""

from __future__ import annotations

import struct
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from labrig.errors import LabrigError

Format = Literal[
    "netcdf", "zarr", "geotiff", "jp2", "gpkg", "geojson", "shapefile", "gpx", "csv", "parquet", "osm", "pbf"
]
GRIDS: tuple[Format, ...] = ("netcdf", "zarr")
VECTORS: tuple[Format, ...] = ("gpkg", "geojson", "shapefile", "gpx", "csv", "parquet")
DRIVERS: dict[Format, str] = {"geotiff": "GTiff", "jp2": "JP2OpenJPEG"}
"""Rasters, with the one reader of GDAL that opens each."""
READ = (
    "NetCDF 3 or 4, GRIB, Zarr, GeoTIFF, JPEG 2000, GeoPackage, GeoJSON, Shapefile, GPX, CSV, Parquet, OSM XML or PBF; "
    "one of them in a zip archive, or compressed by gzip or bzip2"
)

_HEAD_BYTES = 4096
ZARR = ("zarr.json", ".zgroup", ".zmetadata", ".zarray")
GRIB_WITHIN = 64
"""Bytes before which a GRIB message begins, also where a bulletin's heading stands before it (WMO)."""


@dataclass(frozen=True)
class Place:
    """A file or folder that can be opened, and what it is called.

    Attributes
    ----------
    path
        Where it can be opened; of a child, ``/proc/self/fd/3``.
    name
        As the caller named it, for messages and as `source`.
    """

    path: str
    name: str

    @classmethod
    def of(cls, given: Place | str | Path) -> Place:
        """Return a place for a path; its own name is that of the file."""
        return given if isinstance(given, Place) else cls(str(given), Path(given).name)


_SHP = b"\0\0\x27\x0a"
"""How the shapes of a Shapefile begin: 9994 (ESRI, 1998)."""


def format_of(given: Place | str | Path) -> Format:
    """Return the format of a file or folder.

    Raises
    ------
    LabrigError
        ``bad_input`` for an empty file and for a format that `READ` lacks; ``refused`` for what names further files;
        ``not_found``.
    """
    place = Place.of(given)
    try:
        if Path(place.path).is_dir():
            return _of_folder(place)
        size = Path(place.path).stat().st_size
        with Path(place.path).open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except FileNotFoundError:
        raise LabrigError("There is no such file", where=place.name, code="not_found") from None
    if not size:
        raise LabrigError("The file is empty", where=place.name, expected=READ)
    if is_grib(head):
        raise LabrigError(
            "GRIB is read as a file of its own",
            where=place.name,
            expected="no archive of it",
            try_="describe_data of the file itself, unpacked",
        )
    if head.startswith(b"\x0e\x03\x13\x01"):
        raise LabrigError(
            "HDF4 is not read: the GDAL of this server has no reader of it",
            where=place.name,
            expected=READ,
            try_="convert it: gdal_translate (of a GDAL with HDF4) to GeoTIFF, h4toh5 or ncl_convert2nc to NetCDF; "
            "NASA has many HDF4 products as HDF5 or NetCDF too",
        )
    if head[:4] in (b"CDF\x01", b"CDF\x02", b"CDF\x05") or head.startswith(b"\x89HDF\r\n\x1a\n"):
        return "netcdf"
    if head[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return "geotiff"
    if head.startswith((b"\0\0\0\x0cjP  \r\n\x87\n", b"\xff\x4f\xff\x51")):
        return "jp2"
    if head.startswith(b"SQLite format 3\0"):
        return "gpkg"
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"PK\x03\x04"):
        return _of_zip(place)
    if len(head) > 15 and struct.unpack(">I", head[:4])[0] < 64 * 1024 and b"OSMHeader" in head[4:20]:
        return "pbf"
    return _of_text(place, head)


def is_grib(head: bytes) -> bool:
    """Tell whether a file begins with a GRIB message of edition 1 or 2."""
    start = head[: GRIB_WITHIN + 4].find(b"GRIB")
    return start >= 0 and head[start + 7 : start + 8] in (b"\1", b"\2")


def _of_folder(place: Place) -> Format:
    names = {each.name for each in Path(place.path).iterdir()}
    if names.intersection(ZARR):
        return "zarr"
    if any(name.lower().endswith(".shp") for name in names):
        return "shapefile"
    raise LabrigError(
        "The folder is neither a Zarr store nor a Shapefile",
        where=place.name,
        expected="zarr.json or .zgroup in it, or one .shp with its .shx and .dbf",
        try_="name a file in it",
    )


def _of_zip(place: Place) -> Format:
    try:
        with zipfile.ZipFile(place.path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError) as error:
        raise LabrigError(f"The zip archive cannot be read: {error}", where=place.name) from None
    if any(name.lower().endswith(".shp") for name in names):
        return "shapefile"
    shown = ", ".join(name[:60] for name in names[:8]) + (", .." if len(names) > 8 else "")
    raise LabrigError(
        f"The zip archive holds {shown or 'nothing'}",
        where=place.name,
        expected="one file of data, of at most 1 GiB, a Zarr store or a Shapefile",
        try_="unpack it, and name the file that is meant",
    )


def _of_text(place: Place, head: bytes) -> Format:
    if head.startswith(_SHP):
        folder = place.name.rpartition("/")[0]
        raise LabrigError(
            "A .shp holds shapes alone: their columns and reference system are in the files beside it",
            where=place.name,
            expected="the folder that holds them all, or a zip archive of them",
            try_=f'the folder "{folder}"' if folder else "the folder",
        )
    if head.startswith((b"\x1f\x8b", b"BZh")):
        raise LabrigError(
            "The compressed file is broken, or holds more than 1 GiB", where=place.name, try_="unpack it"
        )
    if b"\0" in head:
        raise LabrigError("The format is not known: a binary file", where=place.name, expected=READ)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{"):
        if b"gdal_streamed_alg" in text:
            raise _leads_out("A pipeline of GDAL", place)
        return "geojson"
    if text.startswith(b"[") and place.name.lower().endswith("json"):  # no CSV of headings alone
        raise LabrigError(
            "A list of JSON is not read",
            where=place.name,
            expected=READ,
            try_="records as CSV, features as a GeoJSON FeatureCollection",
        )
    if not text.startswith(b"<"):
        return "csv"
    lowered = text.lower()
    if b"<!doctype" in lowered or b"<!entity" in lowered:
        raise LabrigError(
            "XML with a document type is not read: it may name other files or grow without end",
            where=place.name,
            try_="write it without DOCTYPE, or as GeoPackage",
            code="refused",
        )
    if b"<osm" in lowered:
        return "osm"
    if b"<gpx" in lowered:
        return "gpx"
    if b"<vrt" in lowered or b"<ogrvrt" in lowered:
        raise _leads_out("A VRT", place)
    raise LabrigError(
        "This kind of XML (GML, KML, ..) is not read",
        where=place.name,
        expected=READ,
        try_="convert it to GeoPackage",
    )


def _leads_out(what: str, place: Place) -> LabrigError:
    return LabrigError(
        f"{what} is not read: it names other files",
        where=place.name,
        try_="name the files themselves",
        code="refused",
    )
