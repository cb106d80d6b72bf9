"""The satellite scenes of an item: a made piece of ground before and after a change, under clouds of their own.

A cell is a mixture of grounds (soil, plants, water, ash), whose reflectances are rounded typical ones. Between two
periods a part of one ground turns into another, here more and there less; a layer of the site goes with it.
"""

from __future__ import annotations

import tempfile
import warnings
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from labrig_suites.terrabench.making.grids import Box
from labrig_suites.terrabench.making.sites import Site
from labrig_suites.terrabench.making.world import Floats

BANDS = ("B02", "B03", "B04", "B08", "B11", "B12")
GROUNDS = {
    "soil": (0.08, 0.11, 0.15, 0.25, 0.32, 0.28),
    "plants": (0.03, 0.06, 0.04, 0.45, 0.20, 0.10),
    "water": (0.05, 0.06, 0.04, 0.02, 0.01, 0.01),
    "ash": (0.04, 0.05, 0.06, 0.12, 0.22, 0.24),
}
"""Reflectances in `BANDS`."""
FORMULAS = {"NDVI": ("B08", "B04"), "NDWI": ("B03", "B08"), "MNDWI": ("B03", "B11"), "NBR": ("B08", "B12")}
"""Bands a and b of the indices (a - b) / (a + b)."""
CLEAR, CLOUD = (4, 5, 6, 7, 11), (8, 9, 10)
"""Classes of SCL that count, and that are cloud."""
METRES, SCALE = 20.0, 1e-4
ZONES = 3
FOLDER, LAYER = "satellite", "satellite/layer.nc"


@dataclass(frozen=True)
class Scene:
    """What the file of a scene holds.

    Attributes
    ----------
    stored
        (band, row, column): reflectance over `SCALE`, whole numbers.
    classes
        (row, column): SCL.
    """

    day: date
    stored: NDArray[np.uint16]
    classes: NDArray[np.uint8]

    @property
    def path(self) -> str:
        """Its file."""
        return f"{FOLDER}/S2_{self.day:%Y%m%d}.tif"

    @property
    def cloud(self) -> float:
        """Per cent of its cells that are cloud."""
        return 100 * float(np.isin(self.classes, CLOUD).mean())


@dataclass(frozen=True)
class Ground:
    """Scenes of a box, cells of equal size in degrees, rows from north to south.

    Attributes
    ----------
    west, north, across, down
        A corner, and the sides of a cell, degrees.
    layer
        (row, column): a number of the ground itself, without unit, as its file holds it.
    spans
        First day of the period before and after, and the first day that is no longer of it.
    zones
        Parts of the box: first and last row, first and last column.
    """

    west: float
    north: float
    across: float
    down: float
    scenes: tuple[Scene, ...]
    layer: Floats
    spans: tuple[tuple[date, date], tuple[date, date]]
    most_cloud: int
    zones: tuple[tuple[int, int, int, int], ...]

    @cached_property
    def box(self) -> tuple[float, float, float, float]:
        """North, west, south, east."""
        rows, columns = self.layer.shape
        return (
            self.north,
            self.west,
            round(self.north - rows * self.down, 7),
            round(self.west + columns * self.across, 7),
        )

    def around(self, zone: tuple[int, int, int, int]) -> tuple[float, float, float, float]:
        """Return north, west, south, east of a zone: its edges lie on those of cells."""
        top, bottom, left, right = zone
        return (
            round(self.north - top * self.down, 7),
            round(self.west + left * self.across, 7),
            round(self.north - (bottom + 1) * self.down, 7),
            round(self.west + (right + 1) * self.across, 7),
        )

    def cell_m2(self) -> Floats:
        """Return the area of a cell of each row on the ellipsoid, m2."""
        from shapely import box

        from labrig_suites.terrabench.making.town import area_m2

        edges = self.north - self.down * np.arange(self.layer.shape[0] + 1)
        return np.array(
            [
                area_m2(box(self.west, low, self.west + self.across, high).segmentize(self.across / 8))
                for high, low in pairwise(edges)
            ]
        )

    def index(self, name: str, period: int) -> Floats:
        """Return an index of the medians of the bands over clear cells of a period, (row, column), NaN without any."""
        start, end = self.spans[period]
        kept = [each for each in self.scenes if start <= each.day < end and each.cloud <= self.most_cloud]
        clear = np.stack([np.isin(each.classes, CLEAR) for each in kept])

        def median(band: str) -> Floats:
            layers = np.stack([each.stored[BANDS.index(band)] * SCALE for each in kept])
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "All-NaN slice")
                middle: Floats = np.nanmedian(np.where(clear, layers, np.nan), axis=0)
            return middle

        a, b = (median(band) for band in FORMULAS[name])
        found: Floats = (a - b) / (a + b)
        return found


def make_ground(site: Site, near: Box, year: int, rng: np.random.Generator) -> Ground:
    """Return the scenes of a site in the middle of a box, in a year."""
    from pyproj import Geod

    rows, columns = int(rng.integers(48, 61)), int(rng.integers(48, 61))
    lat = (near.south + near.north) / 2 + round(float(rng.uniform(-0.3, 0.3)), 3)
    lon = (near.west + near.east) / 2 + round(float(rng.uniform(-0.3, 0.3)), 3)
    geod = Geod(ellps="WGS84")
    down = round(METRES / (geod.inv(lon, lat - 0.05, lon, lat + 0.05)[2] / 0.1), 7)
    across = round(METRES / (geod.inv(lon - 0.05, lat, lon + 0.05, lat)[2] / 0.1), 7)

    shape = (rows, columns)
    usual, other = _field(shape, rng), _field(shape, rng)
    turned = _part(_field(shape, rng) + 0.5 * usual + rng.normal(0, 0.5), 1.1)
    before = {site.lost: _part(1.2 * usual + rng.normal(0.5, 0.5), 1.3)}
    others = 1 - before[site.lost]
    before[site.beside] = others * _part(other, 0.9)
    before["soil"] = before.get("soil", 0.0) + others - before[site.beside]
    after = dict(before)
    gone = before[site.lost] * turned * rng.uniform(0.6, 0.95)
    after[site.lost] = before[site.lost] - gone
    after[site.gained] = after.get(site.gained, 0.0) + gone

    layer = (
        usual * rng.uniform(0.4, 0.9) + 0.5 * other + 0.4 * _field(shape, rng) + rng.normal(0, 0.2)
    ) * 0.1
    first, later = date(year, 5, int(rng.integers(4, 15))), date(year, 8, int(rng.integers(3, 14)))
    spans = ((first, first + timedelta(days=38)), (later, later + timedelta(days=38)))
    most_cloud = int(rng.integers(30, 41))
    scenes = []
    for mixture, (start, _) in zip((before, after), spans, strict=True):
        days = np.sort(rng.choice(37, 4, replace=False))
        heavy = int(rng.integers(4))
        for number, day in enumerate(days):
            cover = most_cloud / 100 + rng.uniform(0.08, 0.2) if number == heavy else rng.uniform(0.06, 0.2)
            scenes.append(_scene(start + timedelta(days=int(day)), mixture, cover, rng))
    between = first + timedelta(days=int(rng.integers(45, 70)))
    scenes.append(_scene(between, before, rng.uniform(0, 0.1), rng))
    zones = tuple(_zone(shape, number, rng) for number in range(ZONES))
    return Ground(
        round(lon, 3),
        round(lat, 3),
        across,
        down,
        tuple(sorted(scenes, key=lambda each: each.day)),
        (0.5 + layer).clip(0.01, 0.99).round(4).astype("f4").astype("f8"),
        spans,
        most_cloud,
        zones,
    )


def _field(shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    """Return a smooth field with mean 0 and standard deviation 1."""
    from scipy.ndimage import gaussian_filter

    smooth = gaussian_filter(rng.normal(0, 1, shape), float(rng.uniform(3, 7)), mode="nearest")
    found: Floats = (smooth - smooth.mean()) / smooth.std()
    return found


def _part(field: Floats, steep: float) -> Floats:
    """Return shares between 0 and 1."""
    found: Floats = 1 / (1 + np.exp(-2 * steep * field))
    return found


def _scene(day: date, mixture: dict[str, Floats], cover: float, rng: np.random.Generator) -> Scene:
    spectra = np.stack(
        [share[None] * np.array(GROUNDS[name])[:, None, None] for name, share in mixture.items()]
    )
    light = spectra.sum(axis=0) * rng.uniform(0.96, 1.04)
    light = light + rng.normal(0, 0.003, light.shape)
    shape = light.shape[1:]
    names = list(mixture)
    most = np.stack([mixture[name] for name in names]).argmax(axis=0)
    classes = np.array([{"plants": 4, "water": 6}.get(name, 5) for name in names], "u1")[most]
    clouds = _field(shape, rng)
    thick = clouds >= np.quantile(clouds, 1 - cover)
    shadow = ~thick & np.roll(thick, (-2, 2), (0, 1))
    light = np.where(thick, 0.45 + 0.1 * clouds, np.where(shadow, 0.4 * light, light))
    classes = np.where(thick, np.where(clouds > np.quantile(clouds, 1 - cover / 2), 9, 8), classes)
    classes = np.where(shadow, 3, classes)
    return Scene(day, (light.clip(0.002, 1.2) / SCALE).round().astype("u2"), classes.astype("u1"))


def _zone(shape: tuple[int, int], number: int, rng: np.random.Generator) -> tuple[int, int, int, int]:
    """Return one of three zones, side by side from west to east and not touching."""
    rows, columns = shape
    third = columns // ZONES
    left = number * third + int(rng.integers(1, 4))
    top = int(rng.integers(2, rows - 26))
    return top, top + int(rng.integers(14, 23)), left, left + int(rng.integers(8, third - 4))


def files_of(ground: Ground, site: Site, label: str) -> dict[str, bytes]:
    """Return the files: scenes as GeoTIFF, the layer as NetCDF."""
    return {each.path: _geotiff(each, ground, label) for each in ground.scenes} | {
        LAYER: _layer(ground, site, label)
    }


def _geotiff(scene: Scene, ground: Ground, label: str) -> bytes:
    import rasterio
    from rasterio.io import MemoryFile
    from rasterio.transform import from_origin

    from labrig_earth.results import SYNTHETIC

    rows, columns = scene.classes.shape
    layers = np.concatenate([scene.stored, scene.classes[None].astype("u2")])
    with MemoryFile() as memory:
        with memory.open(
            driver="GTiff", width=columns, height=rows, count=len(layers), dtype="uint16", nodata=0,
            crs=rasterio.crs.CRS.from_epsg(4326), compress="deflate", predictor=2,
            transform=from_origin(ground.west, ground.north, ground.across, ground.down),
        ) as file:  # fmt: skip
            file.write(layers)
            file.descriptions = (*BANDS, "SCL")
            file.scales = (*(SCALE for _ in BANDS), 1.0)
            file.update_tags(**{"TIFFTAG_DATETIME": f"{scene.day:%Y:%m:%d} 10:30:00", SYNTHETIC: label})
        return bytes(memory.read())


def _layer(ground: Ground, site: Site, label: str) -> bytes:
    import xarray as xr

    from labrig_earth.results import SYNTHETIC

    rows, columns = ground.layer.shape
    lat = ground.north - ground.down * (np.arange(rows) + 0.5)
    lon = ground.west + ground.across * (np.arange(columns) + 0.5)
    about = {"units": "1", "long_name": site.layer_name}
    data = xr.Dataset(
        {site.layer: (("latitude", "longitude"), ground.layer.astype("f4"), about)},
        {
            "latitude": ("latitude", lat, {"units": "degrees_north", "standard_name": "latitude"}),
            "longitude": ("longitude", lon, {"units": "degrees_east", "standard_name": "longitude"}),
        },
        {"Conventions": "CF-1.8", SYNTHETIC: label},
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "layer.nc"
        data.to_netcdf(path, engine="netcdf4", encoding={site.layer: {"zlib": True, "_FillValue": None}})
        return path.read_bytes()
