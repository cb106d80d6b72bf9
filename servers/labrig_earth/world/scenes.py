"""Satellite scenes in the manner of Sentinel-2 L2A, with clouds and a field that was cleared, and a terrain model.

Reflectances are chosen so that each kind of ground has one NDVI, whatever its brightness, and that stored numbers are
whole: the indices of the truth are exact. Scenes since 25 January 2022 (processing baseline 04.00) are stored with
1000 added, as ESA does; scale and offset are stated in each file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig_earth.world.sizes import ORIGIN, UTM, Size
from labrig_earth.world.streets import Streets
from labrig_earth.world.writing import Folder

BANDS = ("B02", "B03", "B04", "B08", "B11", "B12")
REFLECTANCE = {  # times 10,000, in the order of BANDS; all are whole hundreds
    "town": (1300, 1500, 1600, 2400, 2600, 2200),
    "forest": (300, 600, 400, 3600, 1600, 900),
    "water": (500, 600, 300, 200, 100, 100),
    "crop": (500, 800, 700, 4300, 2000, 1200),
    "cleared": (900, 1200, 1400, 2600, 2900, 2300),
}
NDVI = {"town": 0.2, "forest": 0.8, "water": -0.2, "crop": 0.72, "cleared": 0.3}
SCL = {"town": 5, "forest": 4, "water": 6, "crop": 4, "cleared": 5}
CLEARED_SINCE = "2021-03-01"
OFFSET_SINCE = "2022-01-25"


def write_scenes(folder: Folder, size: Size, rng: np.random.Generator, streets: Streets) -> None:
    """Write each scene with its scene classification (SCL, 20 m), the outline of the field, and the terrain model."""
    import geopandas as gpd
    from shapely import box

    side = size.side_m // 20
    ground, field_box = _ground(side, streets.river)
    outline = gpd.GeoDataFrame({"name": ["cleared field"]}, geometry=[box(*field_box)], crs=UTM)
    folder.geopackage("scenes/field.gpkg", outline, "field")
    truth: dict[str, Any] = {}
    for number, date in enumerate(size.dates):
        kinds = np.where((ground == "crop") & (date >= CLEARED_SINCE), "cleared", ground)
        cloud, shadow, empty = _clouds(side, rng, number)
        truth[date] = _write_scene(folder, date, kinds, cloud, shadow, empty, rng)
    folder.truth["scenes"] = {
        "ndvi_of_ground": NDVI,
        "field": {"before": NDVI["crop"], "after": NDVI["cleared"], "cleared_since": CLEARED_SINCE},
        "ndvi_method": "(B08 - B04) / (B08 + B04) of reflectances, cells that SCL calls vegetation, bare or water",
        "by_date": truth,
    }
    _write_terrain(folder, size, streets.river)


def _ground(side: int, river: float) -> tuple[NDArray[np.str_], tuple[float, float, float, float]]:
    """Return the kind of each 20 m cell, and the outline of the field in UTM."""
    kinds = np.full((side, side), "town", dtype="U8")
    y = (side - np.arange(side) - 0.5)[:, None] * 20
    x = (np.arange(side)[None, :] + 0.5) * 20
    kinds[(x > side * 20 * 0.8) & (y > side * 20 * 0.75)] = "forest"
    first, last, top, bottom = round(side * 0.55), round(side * 0.8), round(side * 0.1), round(side * 0.4)
    kinds[top:bottom, first:last] = "crop"
    kinds[np.abs(x - river - 20 * np.sin(y / 150)) < 15] = "water"
    north = ORIGIN[1] + side * 20
    outline = (ORIGIN[0] + first * 20, north - bottom * 20, ORIGIN[0] + last * 20, north - top * 20)
    return kinds, outline


def _clouds(side: int, rng: np.random.Generator, number: int) -> tuple[Any, Any, Any]:
    """Return where clouds, their shadows and missing cells are; the first scene misses its western edge."""
    rows, columns = np.mgrid[:side, :side]
    cloud = np.zeros((side, side), bool)
    for _ in range(1 + number % 3):
        row, column, height, width = rng.uniform(0.1, 0.9, 2).tolist() + rng.uniform(0.06, 0.15, 2).tolist()
        cloud |= ((rows / side - row) / height) ** 2 + ((columns / side - column) / width) ** 2 < 1
    away = max(2, side // 20)
    shadow = np.zeros_like(cloud)
    shadow[:-away, away:] = cloud[away:, :-away]
    empty = np.zeros_like(cloud)
    if number == 0:
        empty[:, : max(1, side // 25)] = True
    return cloud & ~empty, shadow & ~cloud & ~empty, empty


def _write_scene(
    folder: Folder, date: str, kinds: Any, cloud: Any, shadow: Any, empty: Any, rng: np.random.Generator
) -> dict[str, Any]:
    stored_offset = 1000 if date >= OFFSET_SINCE else 0
    wide = np.kron(np.arange(kinds.size).reshape(kinds.shape), np.ones((2, 2), int))
    fine = kinds.ravel()[wide]
    brightness = rng.integers(90, 111, fine.shape)
    bands = np.zeros((len(BANDS), *fine.shape), "u2")
    for kind, reflectance in REFLECTANCE.items():
        here = fine == kind
        for band, value in enumerate(reflectance):
            bands[band][here] = value // 100 * brightness[here]
    bands[:, shadow.ravel()[wide]] = bands[:, shadow.ravel()[wide]] // 3
    bands[:, cloud.ravel()[wide]] = 6500
    bands += np.uint16(stored_offset)
    bands[:, empty.ravel()[wide]] = 0

    classes = np.zeros(kinds.shape, "u1")
    for kind, number in SCL.items():
        classes[kinds == kind] = number
    classes[shadow], classes[cloud], classes[empty] = 3, 9, 0
    north = ORIGIN[1] + kinds.shape[0] * 20
    tags = {
        "PROCESSING_BASELINE": "04.00" if stored_offset else "02.14",
        "TIFFTAG_DATETIME": f"{date.replace('-', ':')} 10:10:31",
        "PLATFORM": "Sentinel-2-like",
    }
    folder.geotiff(
        f"scenes/{date}.tif", bands, west=ORIGIN[0], north=north, step=10, names=BANDS, nodata=0, scale=1e-4,
        offset=-stored_offset * 1e-4, tags=tags,
    )  # fmt: skip
    folder.geotiff(
        f"scenes/{date}_SCL.tif",
        classes[None],
        west=ORIGIN[0],
        north=north,
        step=20,
        names=["SCL"],
        nodata=0,
        tags=tags,
    )
    clear = ~(cloud | shadow | empty)
    ndvi = np.array([NDVI[kind] for kind in kinds[clear]])
    in_field = clear & ((kinds == "crop") | (kinds == "cleared"))
    return {
        "clear_fraction_of_scene": float(clear.mean()),
        "mean_ndvi_of_clear_cells": float(ndvi.mean()),
        "clear_cells_10_m": int(clear.sum()) * 4,
        "clear_cells_10_m_of_field": int(in_field.sum()) * 4,
        "offset": -stored_offset * 1e-4,
    }


def _write_terrain(folder: Folder, size: Size, river: float) -> None:
    """Write heights: a valley along the river and a hill, by a formula."""
    cells = size.side_m // 20
    y = (cells - np.arange(cells) - 0.5)[:, None] * 20
    x = (np.arange(cells)[None, :] + 0.5) * 20
    hill = 60 * np.exp(
        -((x - size.side_m * 0.85) ** 2 + (y - size.side_m * 0.85) ** 2) / (0.02 * size.side_m**2)
    )
    height = (380 + 0.004 * y + 0.03 * np.abs(x - river) + hill).round(2).astype("f4")
    folder.geotiff(
        "terrain/dem.tif", height[None], west=ORIGIN[0], north=ORIGIN[1] + cells * 20, step=20, names=["height"],
        nodata=-9999, unit="m",
    )  # fmt: skip
    folder.truth["terrain/dem.tif"] = {
        "formula_m": "380 + 0.004 y + 0.03 |x - river| + 60 exp(-((x - 0.85 s)^2 + (y - 0.85 s)^2) / (0.02 s^2)); "
        "metres from the south-west corner, s the side",
        "river_x_m": river,
        "side_m": size.side_m,
        "mean_m": float(height.astype(float).mean()),
    }
