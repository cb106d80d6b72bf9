"""Scenes of which everything is known, in UTM, and what is to be found over a box of them, by NumPy and pyproj."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from pyproj import Geod, Transformer
from rasterio.transform import from_origin

WEST, NORTH, SIDE = 330_000.0, 5_351_000.0, 100
"""Upper left corner in UTM 33N; cells of 10 m along a side."""
BANDS = ("B02", "B03", "B04", "B08", "B11", "B12")
NAMES = ("blue", "green", "red", "nir", "swir1", "swir2")
BOX = [48.2880, 12.7110, 48.2830, 12.7200]
"""[north, west, south, east], within the scenes."""
DAYS = ("2021-06-03", "2021-06-13", "2021-06-23")
CLEAR = (4, 5, 6, 7, 11)


@dataclass(frozen=True)
class Made:
    """A scene: reflectances (band, y, x), SCL on the same cells, and the offset with which it is stored."""

    day: str
    reflectance: Any
    classes: Any
    offset: int

    @property
    def clear(self) -> Any:
        return np.isin(self.classes, CLEAR)


def scenes(seed: int = 3) -> list[Made]:
    """Return three scenes; each has clouds elsewhere, and one block is clear in none."""
    random = np.random.default_rng(seed)
    ground = random.integers(200, 4500, (len(BANDS), SIDE, SIDE))
    rows, columns = np.mgrid[:SIDE, :SIDE]
    found = []
    for number, day in enumerate(DAYS):
        classes = np.full((SIDE, SIDE), 4)
        classes[columns > 60] = 5
        cloud = ((rows - 30 * number - 20) ** 2 + (columns - 50) ** 2 < 15**2) | (
            (rows // 16 == 2) & (columns // 16 == 4)
        )
        classes[np.kron(cloud[::2, ::2], np.ones((2, 2), int)) > 0] = (8, 9, 10)[number]
        classes[:4] = 0 if number == 0 else classes[:4]
        changed = ground + random.integers(-150, 151, ground.shape)
        found.append(Made(day, changed / 1e4, classes, 1000 if number == 2 else 0))
    return found


def write(folder: Path, made: Sequence[Made]) -> list[list[str]]:
    """Write each scene as two files, SCL with cells of 20 m, and return their names."""
    names = []
    for each in made:
        stored = np.round(each.reflectance * 1e4).astype("u2") + np.uint16(each.offset)
        stored[:, each.classes == 0] = 0
        _raster(folder / f"{each.day}.tif", stored, BANDS, 10, (1e-4, -each.offset * 1e-4))
        _raster(
            folder / f"{each.day}_SCL.tif",
            each.classes[None, ::2, ::2].astype("u1"),
            ("SCL",),
            20,
            (1.0, 0.0),
        )
        names.append([f"{each.day}.tif", f"{each.day}_SCL.tif"])
    return names


def write_bands(folder: Path, each: Made, added: int = 0) -> dict[str, str]:
    """Write a scene as a catalogue has it, a file for each band without scale and offset; return them by asset.

    `added` to numbers from which the offset was not taken off.
    """
    stored = np.round(each.reflectance * 1e4).astype("u2") + np.uint16(added)
    stored[:, each.classes == 0] = 0
    files = {}
    for number, key in enumerate(("blue", "green", "red", "nir", "swir16", "swir22")):
        step = 20 if key.startswith("swir") else 10
        _raster(
            folder / f"{each.day}_{key}.tif",
            stored[number : number + 1, :: step // 10, :: step // 10],
            (key,),
            step,
        )
        files[key] = f"{each.day}_{key}.tif"
    _raster(folder / f"{each.day}_scl.tif", each.classes[None, ::2, ::2].astype("u1"), ("scl",), 20)
    return {**files, "scl": f"{each.day}_scl.tif"}


def _raster(
    path: Path, values: Any, names: Sequence[str], step: int, factor: tuple[float, float] = (1.0, 0.0)
) -> None:
    with rasterio.open(
        path, "w", driver="GTiff", width=values.shape[2], height=values.shape[1], count=values.shape[0],
        dtype=values.dtype, crs="EPSG:32633", transform=from_origin(WEST, NORTH, step, step), nodata=0,
    ) as file:  # fmt: skip
        file.write(values)
        file.descriptions = tuple(names)
        file.scales, file.offsets = [factor[0]] * file.count, [factor[1]] * file.count


@dataclass(frozen=True)
class Expected:
    """What a composite must be: bands by name, (y, x), how many scenes are clear, and areas of cells, m2, (y, x)."""

    bands: Mapping[str, Any]
    clear: Any
    areas: Any

    def difference(self, one: str, other: str) -> Any:
        a, b = self.bands[one], self.bands[other]
        return (a - b) / (a + b)

    def mean(self, values: Any) -> float:
        good = np.isfinite(values)
        return float((values * self.areas)[good].sum() / self.areas[good].sum())


def expected(made: Sequence[Made], width: int, height: int, coarse: Sequence[str] = ()) -> Expected:
    """Return the median of scenes over `BOX`, cell by cell; bands in `coarse` have cells of 20 m."""
    north, west, south, east = BOX
    lon = west + (np.arange(width) + 0.5) * (east - west) / width
    edges = np.linspace(north, south, height + 1)
    to = Transformer.from_crs("EPSG:4326", "EPSG:32633", always_xy=True)
    x, y = to.transform(*np.meshgrid(lon, (edges[1:] + edges[:-1]) / 2))
    column, row = np.floor((x - WEST) / 10).astype(int), np.floor((NORTH - y) / 10).astype(int)
    assert column.min() >= 0 and row.min() >= 0 and max(column.max(), row.max()) < SIDE
    clear = np.stack([each.clear[row, column] for each in made])
    bands = {}
    for number, name in enumerate(NAMES):
        at = (row // 2 * 2, column // 2 * 2) if name in coarse else (row, column)
        layers = np.stack([np.round(each.reflectance[number] * 1e4)[at] / 1e4 for each in made])
        with np.errstate(all="ignore"):
            bands[name] = np.ma.median(np.ma.masked_array(layers, ~clear), axis=0).filled(np.nan)
    ground = Geod(ellps="WGS84")
    step = (east - west) / width
    rows = [
        abs(ground.polygon_area_perimeter([0, step, step, 0], [low, low, high, high])[0])
        for high, low in pairwise(edges)
    ]
    return Expected(bands, clear.sum(axis=0), np.array(rows)[:, None] + np.zeros((1, width)))
