"""Of group satellite, the composite of the scenes of a call, and what is said of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.gis.boxes import published_box
from labrig_earth.results import SYNTHETIC, Result
from labrig_earth.satellite.compositing import Composite, area_where, cloud_share, composite, grid_of
from labrig_earth.satellite.scene import KEPT_CLASSES, Scene
from labrig_earth.terra.arguments import satellite as arguments
from labrig_earth.terra.payloads import make_result, number
from labrig_earth.work.calls import Call

METHOD = (
    "median of each band over the scenes in which SCL calls a cell clear (classes 4, 5, 6, 7, 11), the nearest cell of "
    "each; statistics by the areas of cells on the ellipsoid"
)
_DATE = re.compile(r"(?<!\d)(20\d\d)[-:]?([01]\d)[-:]?([0-3]\d)(?!\d)")


@dataclass
class Made:
    """A composite, and what is to be said of it."""

    composite: Composite
    used: list[dict[str, Any]]
    assumed: list[str]
    warnings: list[str]
    label: str = ""
    """What the scenes say of themselves where they are synthetic."""

    def payload(self, asked: arguments.OfScenes) -> dict[str, Any]:
        grid = self.composite.grid
        west, south, east, north = grid.box
        return {
            "project_id": None,
            "bbox": [north, west, south, east],
            "start_date": asked.start_date,
            "end_date": asked.end_date,
            "cloud_filter_percent": asked.max_cloud,
            "collection_size": len(self.used),
            "scenes": self.used,
            "aoi_area_sq_km": number(grid.area_m2 / 1e6),
            "grid": {"width": grid.width, "height": grid.height, "crs": "EPSG:4326"},
            "clear_fraction": number(area_where(self.composite.clear > 0, grid) / grid.area_m2),
        }

    def result(self, payload: Mapping[str, Any], files: Sequence[str]) -> Result:
        return make_result(
            payload,
            method=METHOD,
            files=tuple(files),
            warnings=tuple(self.warnings),
            assumed=tuple(self.assumed),
        )


def composite_of(call: Call, asked: arguments.OfScenes, step_m: float, needed: Sequence[str]) -> Made:
    """Return the composite of the scenes of a call that are within its days and have little enough cloud."""
    box = published_box(asked.bbox, "bbox")
    grid = grid_of(box, step_m)
    most, start, end, searched = asked.max_cloud, asked.start_date, asked.end_date, asked.searched
    left: list[str] = []
    kept: list[Scene] = []
    used: list[dict[str, Any]] = []
    assumed: list[str] = []
    for places in group_files(call, asked):
        name, day = places[0].name, read_day(places[0])
        if not searched and day and not start <= day < end:
            left.append(f"{name} is of {day}")
            continue
        if not searched and not day:
            assumed.append(f"{name} names no day and is taken to be of the time asked for")
        scene = Scene(places, needed, keep=KEPT_CLASSES, reflectance=True)
        cloud = cloud_share(scene, grid)
        if not searched and cloud is not None and 100 * cloud > most:
            left.append(f"{name} has {100 * cloud:.0f} % of cloud")
            continue
        kept.append(scene)
        used.append(
            {
                "name": name,
                "date": day or None,
                "cloud_percent_of_box": None if cloud is None else number(100 * cloud),
            }
        )
    if not kept:
        raise LabrigError(
            "No scene is left" + (f": {'; '.join(left[:6])}" if left else ""),
            where="start_date, end_date, max_cloud",
            expected=f"scenes from {start} to before {end} with at most {most:g} % of cloud",
            code="not_found",
        )
    found = composite(kept, grid)
    warnings = [note for scene in kept for note in scene.warnings]
    if left:
        warnings.append(
            f"left out: {'; '.join(left[:6])}" + (f" and {len(left) - 6} more" if len(left) > 6 else "")
        )
    if not found.clear.any():
        raise LabrigError(
            "No cell of the box is clear in any scene",
            where="bbox",
            expected="scenes that cover the box",
            try_="a longer time, or a greater max_cloud",
            code="not_found",
        )
    assumed += [each for scene in kept for each in scene.assumed]
    labels = [band.tags.get(SYNTHETIC, "") for scene in kept for band in scene.bands.values()]
    return Made(found, used, assumed, [*([asked.note] if asked.note else []), *warnings], max(labels))


def group_files(call: Call, asked: arguments.OfScenes) -> list[tuple[Place, ...]]:
    """Return the files of each scene."""
    places = list(call.inputs.get("scene_files", ()))
    found, first = [], 0
    for count in asked.counts:
        found.append(tuple(places[first : first + count]))
        first += count
    if not found or first != len(places) or not all(found):
        raise LabrigError("There are no scenes", where="scenes", expected="files of at least one scene")
    return found


def read_day(place: Place) -> str:
    """Return the day (ISO) that a scene's tags or its name state; an empty text for none."""
    import rasterio

    stated = ""
    try:
        with rasterio.open(place.path, driver="GTiff") as file:
            stated = str(file.tags().get("TIFFTAG_DATETIME", ""))
    except rasterio.errors.RasterioError:  # the scene says what is wrong with it
        return ""
    for text in (stated, place.name):
        if match := _DATE.search(text):
            return "-".join(match.groups())
    return ""
