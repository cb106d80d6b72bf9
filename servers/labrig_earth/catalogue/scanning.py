"""Entries of files and folders, by looking into them; values are not read but those of axes."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.catalogue.entries import Box, Entry, Variable
from labrig_earth.data.dates import named_time
from labrig_earth.data.formats import DRIVERS, Format, Place, format_of
from labrig_earth.data.opening import open_dataset
from labrig_earth.data.stations import places_of
from labrig_earth.results import SYNTHETIC

MOST_VARIABLES = 40
MOST_OSM_BYTES = 64 << 20
OSM_TAGS = ("highway", "building", "amenity", "waterway", "landuse", "leisure", "natural", "railway", "shop")


def entry_of(place: Place, *, where: str = "") -> Entry:
    """Return the entry of a file or a Zarr folder.

    Parameters
    ----------
    where
        Its path as others name it; by default the name of the place.

    Raises
    ------
    LabrigError
        As `formats.format_of` and those that open it.
    """
    kind = format_of(place)
    match kind:
        case "netcdf" | "zarr":
            found = _grid(place, kind)
        case "geotiff" | "jp2":
            found = _raster(place, kind)
        case "osm" | "pbf":
            found = _osm(place, kind)
        case "csv":
            found = _table(place)
        case _:
            found = _layers(place, kind)
    name = where or place.name
    return Entry(
        **{
            **found,
            "name": name,
            "where": name,
            "kind": kind,
            "variables": found["variables"][:MOST_VARIABLES],
        }
    )


def _grid(place: Place, kind: str) -> dict[str, Any]:
    import numpy as np

    from labrig_earth.grids.axes import axes_of, is_field
    from labrig_earth.grids.times import iso

    data = open_dataset(place)
    try:
        axes = axes_of(data)
        variables = tuple(
            Variable(str(name), str(each.attrs.get("units", "")), str(each.attrs.get("long_name", "")))
            for name, each in data.data_vars.items()
            if is_field(each)
        )
        box: Box | None = None
        if (places := places_of(data)) is not None:
            x, y = (np.atleast_1d(data[name].values) for name in (places.longitude, places.latitude))
            box = (float(np.nanmin(x)), float(np.nanmin(y)), float(np.nanmax(x)), float(np.nanmax(y)))
        if axes.geographic and axes.x and axes.y:
            box = _degrees(data[axes.x].values, data[axes.y].values)
        start = end = ""
        if axes.time and data[axes.time].size:
            times = data[axes.time].values.reshape(-1)
            start, end = iso(times[0]), iso(times[-1])
        title = str(data.attrs.get("title", "")) or place.name
        return {
            "title": title[:200], "variables": variables, "box": box, "start": start, "end": end,
            "synthetic": SYNTHETIC in data.attrs,
        }  # fmt: skip
    finally:
        data.close()


def _degrees(x: Any, y: Any) -> Box:
    """Return the box of cell centres widened by half a cell, longitudes from -180 to 180."""
    import numpy as np

    x, y = np.sort(np.asarray(x, dtype=float).ravel()), np.sort(np.asarray(y, dtype=float).ravel())
    half_x, half_y = (float(np.median(np.diff(each))) / 2 if len(each) > 1 else 0.0 for each in (x, y))
    west, east = float(x[0]) - half_x, float(x[-1]) + half_x
    south, north = max(float(y[0]) - half_y, -90.0), min(float(y[-1]) + half_y, 90.0)
    if east - west >= 359.9:
        return -180.0, south, 180.0, north
    from labrig_earth.gis.boxes import wrapped

    return wrapped(west), south, wrapped(east), north


def _raster(place: Place, kind: Format) -> dict[str, Any]:
    import rasterio
    from rasterio.errors import RasterioError

    from labrig_earth.satellite.scene import common_name

    try:
        with rasterio.open(place.path, driver=DRIVERS[kind]) as file:
            tags = file.tags()
            described = [str(text or "") for text in file.descriptions]
            variables = tuple(
                Variable(text or f"band {number}", str(unit or ""), common_name(text, place.name, file.count))
                for number, (text, unit) in enumerate(zip(described, file.units, strict=True), 1)
            )
            box = None
            if file.crs is not None:
                from rasterio.warp import transform_bounds

                west, south, east, north = transform_bounds(file.crs, "EPSG:4326", *file.bounds)
                box = (float(west), float(south), float(east), float(north))
            when = _tiff_time(tags.get("TIFFTAG_DATETIME", "")) or named_time(place.name)
            title = tags.get("TIFFTAG_IMAGEDESCRIPTION") or tags.get("PLATFORM") or Path(place.name).stem
    except RasterioError as error:
        raise LabrigError(f"The file cannot be read: {str(error)[:200]}", where=place.name) from None
    return {
        "title": title[:200], "variables": variables, "box": box, "start": when, "end": when,
        "synthetic": SYNTHETIC in tags,
    }  # fmt: skip


def _tiff_time(text: str) -> str:
    try:
        return datetime.strptime(text, "%Y:%m:%d %H:%M:%S").isoformat()
    except ValueError:
        return ""


def _osm(place: Place, kind: str) -> dict[str, Any]:
    import osmium

    from labrig_earth.gis.osm import generator

    size = Path(place.path).stat().st_size
    box: Box | None = None
    tags: set[str] = set()
    if size <= MOST_OSM_BYTES:
        west, south, east, north = 180.0, 90.0, -180.0, -90.0
        file = osmium.io.File(place.path, "pbf" if kind == "pbf" else "osm")
        try:
            for each in osmium.FileProcessor(file):
                if each.is_node():
                    lon, lat = each.location.lon, each.location.lat
                    west, east = min(west, lon), max(east, lon)
                    south, north = min(south, lat), max(north, lat)
                tags.update(key for key in OSM_TAGS if key in each.tags)
        except (RuntimeError, ValueError) as error:
            raise LabrigError(f"The file cannot be read: {str(error)[:200]}", where=place.name) from None
        box = (west, south, east, north) if west <= east else None
    names = [tag for tag in OSM_TAGS if tag in tags] or list(OSM_TAGS)
    title = "OpenStreetMap data: " + ", ".join(names)
    variables = tuple(Variable(tag, "", "streets" if tag == "highway" else "") for tag in names)
    return {
        "title": title,
        "variables": variables,
        "box": box,
        "synthetic": generator(place).startswith("synthetic"),
    }


def _table(place: Place) -> dict[str, Any]:
    with Path(place.path).open(newline="", encoding="utf-8", errors="replace") as file:
        rows = csv.reader(file)
        header = next(rows, [])
        first = next(rows, [])
    synthetic = any("synthetic" in cell for cell in first)
    variables = tuple(Variable(name.strip()) for name in header if name.strip() and name.strip() != "origin")
    return {
        "title": f"Table: {', '.join(each.name for each in variables)}"[:200],
        "variables": variables,
        "synthetic": synthetic,
    }


def _layers(place: Place, kind: str) -> dict[str, Any]:
    from labrig_earth.data.opening import layer_names, open_vector
    from labrig_earth.gis.features import WGS84, made_label

    names = layer_names(place) if kind != "gpx" else [""]
    frames = [open_vector(place, layer=name) for name in names] or [open_vector(place)]
    boxes = [
        frame.to_crs(WGS84).total_bounds.tolist() for frame in frames if frame.crs is not None and len(frame)
    ]
    west, south, east, north = zip(*boxes, strict=True) if boxes else ((), (), (), ())
    columns = [str(name) for frame in frames for name in frame.columns if name != frame.geometry.name]
    kinds = ", ".join(sorted({shape for frame in frames for shape in frame.geometry.geom_type.dropna()}))
    count = f"{sum(map(len, frames))} features" + (f" in {len(frames)} layers" if len(frames) > 1 else "")
    return {
        "title": f"{count} ({kinds}): {Path(place.name).stem}",
        "variables": tuple(Variable(name) for name in dict.fromkeys(columns)),
        "box": (min(west), min(south), max(east), max(north)) if boxes else None,
        "synthetic": bool(made_label(place)),
    }
