"""A median of scenes over a box in degrees, and what its indices say of the ground, weighted by the areas of cells."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig.errors import LabrigError, over_limit
from labrig_earth.gis.boxes import check_box
from labrig_earth.satellite.indices import Floats, Index
from labrig_earth.satellite.scene import Scene, windows

MOST_CELLS = 4_000_000
CLOUDS = (8, 9, 10)
"""Classes of SCL: cloud of medium and high probability, thin cirrus."""
WINDOW = 256
"""Cells along a side of what is in memory of all scenes at a time."""


@dataclass(frozen=True)
class BoxGrid:
    """Cells of a box in degrees on WGS 84, rows from north to south; it has what rasterio's data sets have of a grid.

    Attributes
    ----------
    box
        (west, south, east, north).
    """

    box: tuple[float, float, float, float]
    width: int
    height: int

    @property
    def crs(self) -> Any:
        from rasterio.crs import CRS

        return CRS.from_epsg(4326)

    @property
    def transform(self) -> Any:
        from rasterio.transform import from_bounds

        return from_bounds(*self.box, self.width, self.height)

    @property
    def row_areas(self) -> Floats:
        """Area of a cell of each row on the ellipsoid, m2, (height,)."""
        west, south, east, north = self.box
        edges = np.linspace(north, south, self.height + 1)
        return area_between(edges[1:], edges[:-1], (east - west) / self.width)

    @property
    def area_m2(self) -> float:
        """Area of the box on the ellipsoid."""
        west, south, east, north = self.box
        return float(area_between(np.array([south]), np.array([north]), east - west)[0])


def area_between(south: Any, north: Any, width: float) -> Floats:
    """Return the areas on WGS 84 between two parallels over so many degrees of longitude, m2.

    Snyder (1987), Map Projections - A Working Manual, USGS PP 1395, equation 3-12: the closed form on the ellipsoid.
    """
    a, flattening = 6378137.0, 1 / 298.257223563
    e = np.sqrt(flattening * (2 - flattening))

    def q(latitude: Any) -> Any:
        sine = np.sin(np.radians(latitude))
        return (1 - e**2) * (sine / (1 - (e * sine) ** 2) + np.arctanh(e * sine) / e)

    return np.asarray(np.radians(width) * a**2 / 2 * (q(north) - q(south)), dtype=float)


def grid_of(box: Sequence[float], step_m: float) -> BoxGrid:
    """Return the cells of a box, as near to squares of so many metres as whole numbers of them allow.

    Parameters
    ----------
    box
        (west, south, east, north) in degrees.

    Raises
    ------
    LabrigError
        ``bad_input`` for a box that is invalid, or that crosses the antimeridian; ``limit`` above `MOST_CELLS`.
    """
    from labrig_earth.gis.measuring import ellipsoid

    west, south, east, north = check_box(box)
    if west > east:
        raise LabrigError(
            f"West ({west:g}) is beyond east ({east:g})",
            where="bbox",
            try_="two calls, for a box across the antimeridian",
        )
    middle = (south + north) / 2
    across = ellipsoid().line_length([west, (west + east) / 2, east], [middle] * 3)
    along = ellipsoid().line_length([west] * 2, [south, north])
    width, height = max(1, round(across / step_m)), max(1, round(along / step_m))
    if width * height > MOST_CELLS:
        coarser = step_m * (width * height / MOST_CELLS) ** 0.5
        raise over_limit(
            f"The box has {width:,} x {height:,} cells of {step_m:g} m",
            MOST_CELLS,
            "cells",
            where="bbox",
            try_=f"a smaller box, or cells of {np.ceil(coarser):g} m",
        )
    return BoxGrid((west, south, east, north), width, height)


@dataclass(frozen=True)
class Composite:
    """The median of the clear scenes in each cell.

    Attributes
    ----------
    bands
        Reflectance by common name, (y, x); NaN where no scene is clear.
    clear
        How many scenes are clear, (y, x).
    """

    grid: BoxGrid
    bands: Mapping[str, Floats]
    clear: NDArray[np.int64]

    def index(self, index: Index) -> Floats:
        """Return an index of the composite, (y, x); NaN where it is not defined."""
        return index.compute(*(self.bands[name] for name in index.bands))


def composite(scenes: Sequence[Scene], grid: BoxGrid) -> Composite:
    """Return the median of scenes, each band by itself, over cells that their SCL calls clear; the nearest cell counts.

    Parameters
    ----------
    scenes
        At least one, all with the same bands.
    """
    names = list(scenes[0].bands)
    bands = {name: np.full((grid.height, grid.width), np.nan) for name in names}
    counts = np.zeros((grid.height, grid.width), dtype=np.int64)
    with ExitStack() as stack:
        opened = [stack.enter_context(scene.opened(like=grid, exact=True)) for scene in scenes]
        for window in windows(grid, WINDOW):
            layers = []
            place = window.toslices()
            for each in opened:
                arrays, _, clear = each.read(window)
                layers.append(np.where(clear, np.stack(arrays), np.nan))
                counts[place] += clear
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "All-NaN slice")
                medians = np.nanmedian(np.stack(layers), axis=0)
            for name, median in zip(names, medians, strict=True):
                bands[name][place] = median
    return Composite(grid, bands, counts)


def cloud_share(scene: Scene, grid: BoxGrid) -> float | None:
    """Return the share of a scene's cells over a grid that SCL calls cloud or cirrus; None without SCL or data."""
    if scene.mask is None:
        return None
    cloud = there = 0
    with scene.opened(like=grid, exact=True) as opened:
        for window in windows(grid, 4 * WINDOW):
            classes = opened.mask.read(scene.mask.number, window=window)
            cloud += int(np.isin(classes, CLOUDS).sum())
            there += int((classes > 0).sum())
    return cloud / there if there else None


def statistics(values: Floats, grid: BoxGrid) -> dict[str, float]:
    """Return ``mean``, ``min``, ``max``, ``stdDev`` (of the population) of cells, by their areas; nothing without."""
    good = np.isfinite(values)
    if not good.any():
        return {}
    weights = np.broadcast_to(grid.row_areas[:, None], values.shape)[good]
    kept = values[good]
    mean = float(np.average(kept, weights=weights))
    return {
        "mean": mean,
        "min": float(kept.min()),
        "max": float(kept.max()),
        "stdDev": float(np.sqrt(np.average((kept - mean) ** 2, weights=weights))),
    }


def area_where(chosen: Any, grid: BoxGrid) -> float:
    """Return the area of the cells that are chosen, (y, x) of true and false, in m2."""
    return float((np.asarray(chosen).sum(axis=1) * grid.row_areas).sum())
