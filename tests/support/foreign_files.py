"""Earth data as others write them, with none of the libraries that the server reads them by.

- `rain`: NetCDF-3 by scipy: packed, longitudes from 0 to 360, from south to north, hours since 1900
- `land_cover`: a GeoTIFF by Pillow: classes in UTM, no data stated as GDAL does, the file's keys by hand
- `places`: a GeoPackage by sqlite3 alone: two layers in two reference systems, one polygon with a hole
"""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from PIL.TiffImagePlugin import ImageFileDirectory_v2
from scipy.io import netcdf_file

LATITUDES, LONGITUDES, DAYS = np.arange(-90, 91, 2.5), np.arange(0, 360, 2.5), 30
"""Degree; June 2021."""
MISSING, SCALE = -999, 0.01

WEST_M, NORTH_M, CELL_M, ROWS, COLUMNS = 330_000.0, 5_355_000.0, 100.0, 50, 60
"""Of the land cover, in UTM zone 33N."""

Ring = list[tuple[float, float]]


def millimetres() -> Any:
    """Return rain of each day (mm) over day, latitude and longitude; NaN in the missing corner."""
    day, row, column = np.ogrid[:DAYS, : LATITUDES.size, : LONGITUDES.size]
    values = np.round(((day * 7 + row * 3 + column * 5) % 23) * 0.31, 2)
    values[:, -1, :] = np.nan
    return values


def rain(path: Path) -> None:
    """Write the rain."""
    with netcdf_file(path, "w") as file:
        for name, values, units in (
            ("time", 1_064_304 + 24.0 * np.arange(DAYS), "hours since 1900-01-01 00:00:0.0"),
            ("lat", LATITUDES, "degrees_north"),
            ("lon", LONGITUDES, "degrees_east"),
        ):
            file.createDimension(name, len(values))
            axis = file.createVariable(name, "f8", (name,))
            axis.units = units
            axis[:] = values
        field = file.createVariable("prate", "i2", ("time", "lat", "lon"))
        field.units, field.long_name = "mm/day", "Daily precipitation"
        field.missing_value, field.scale_factor, field.add_offset = np.int16(MISSING), SCALE, 0.0
        packed = np.where(np.isnan(millimetres()), MISSING, np.nan_to_num(millimetres()) / SCALE)
        field[:] = np.round(packed).astype("i2")


def classes() -> Any:
    """Return the land cover: 10 in the west, 50 in the east, 80 in a block, 0 (no data) in the first row."""
    values = np.full((ROWS, COLUMNS), 10, "uint8")
    values[:, COLUMNS // 2 :] = 50
    values[20:30, 20:40] = 80
    values[0] = 0
    return values


def land_cover(path: Path) -> None:
    """Write the land cover."""
    tags = ImageFileDirectory_v2()
    for tag, kind, values in (
        (33550, 12, (CELL_M, CELL_M, 0.0)),
        (33922, 12, (0.0, 0.0, 0.0, WEST_M, NORTH_M, 0.0)),
        (34735, 3, (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633)),
        (42113, 2, "0"),
    ):
        tags.tagtype[tag] = kind
        tags[tag] = values
    Image.fromarray(classes()).save(path, format="TIFF", compression="tiff_adobe_deflate", tiffinfo=tags)


def box_of(rows: tuple[int, int], columns: tuple[int, int]) -> Ring:
    """Return the ring around cells of the land cover, the second row and column not among them; metres."""
    south, north = NORTH_M - CELL_M * rows[1], NORTH_M - CELL_M * rows[0]
    west, east = WEST_M + CELL_M * columns[0], WEST_M + CELL_M * columns[1]
    return [(west, south), (east, south), (east, north), (west, north), (west, south)]


DISTRICTS: dict[str, list[Ring]] = {
    # Around the cells of 47.5 and 50 degrees north, and -2.5 and 0 degrees east.
    "channel": [[(-3.75, 46.25), (1.25, 46.25), (1.25, 51.25), (-3.75, 51.25), (-3.75, 46.25)]],
    "inn": [[(11.25, 46.25), (16.25, 46.25), (16.25, 48.75), (11.25, 48.75), (11.25, 46.25)]],
}
FIELDS: dict[str, list[Ring]] = {
    "around the block": [box_of((10, 40), (10, 50)), box_of((20, 30), (20, 40))],
    "the west": [box_of((5, 45), (0, 20))],
}


def places(path: Path) -> None:
    """Write the layers ``districts`` (degree) and ``fields`` (UTM)."""
    with closing(sqlite3.connect(path)) as base, base:
        base.executescript(
            """
            PRAGMA application_id = 0x47504B47; PRAGMA user_version = 10300;
            CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY,
              organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL,
              description TEXT);
            CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
              description TEXT DEFAULT '', last_change DATETIME NOT NULL DEFAULT '2021-06-30T00:00:00.000Z',
              min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER);
            CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL,
              geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
              PRIMARY KEY (table_name, column_name));
            """
        )
        for code, name in ((4326, "WGS 84"), (32633, "WGS 84 / UTM zone 33N"), (-1, "none"), (0, "none")):
            organization = "EPSG" if code > 0 else "NONE"
            base.execute(
                "INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, '')",
                (name, code, organization, code, "undefined"),
            )
        for table, code, shapes in (("districts", 4326, DISTRICTS), ("fields", 32633, FIELDS)):
            corners = np.array([corner for rings in shapes.values() for corner in rings[0]])
            bounds = (*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist())
            base.execute(f"CREATE TABLE {table} (fid INTEGER PRIMARY KEY, geom POLYGON, name TEXT)")
            base.execute(
                "INSERT INTO gpkg_contents (table_name, data_type, identifier, min_x, min_y, max_x, max_y, srs_id)"
                " VALUES (?, 'features', ?, ?, ?, ?, ?, ?)",
                (table, table, *bounds, code),
            )
            base.execute(
                "INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', 'POLYGON', ?, 0, 0)", (table, code)
            )
            base.executemany(
                f"INSERT INTO {table} (geom, name) VALUES (?, ?)",
                [(_binary(rings, code), name) for name, rings in shapes.items()],
            )


def _binary(rings: list[Ring], code: int) -> bytes:
    """Return a polygon as GeoPackages hold it: a header, and well-known binary (OGC 12-128r17, 2.1.3)."""
    parts = [struct.pack("<2sBBi", b"GP", 0, 1, code), struct.pack("<BII", 1, 3, len(rings))]
    for ring in rings:
        parts += [struct.pack("<I", len(ring)), *(struct.pack("<dd", *corner) for corner in ring)]
    return b"".join(parts)
