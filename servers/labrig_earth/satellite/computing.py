"""An index over a scene in pieces: statistics, GeoTIFF, polygons; and its change between two scenes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from labrig.answer import Quantity
from labrig_earth.data.formats import Place
from labrig_earth.data.opening import open_raster
from labrig_earth.results import SYNTHETIC, Result
from labrig_earth.satellite.indices import Index
from labrig_earth.satellite.scene import SCL_CLASSES, Scene, windows
from labrig_earth.satellite.tallies import Tally

NODATA = -9999.0
RANGE = 2.0


def compute_index(
    scene: Scene,
    index: Index,
    scratch: Path,
    *,
    above: float | None = None,
    polygons: Any = None,
    names: str = "",
) -> Result:
    """Return an index over a scene.

    Parameters
    ----------
    scene
        With the bands that the index needs, in its order.
    scratch
        The folder in which ``NDVI.tif`` is written: float32, missing cells `NODATA`.
    above
        A threshold; the area above it is given.
    polygons
        `geopandas.GeoDataFrame` for statistics of each, by `grids.zonal`.
    names
        Column that names them.
    """
    low = -1.0 if index.bounded else -RANGE
    tally = Tally(low, -low)
    counts, area, beyond = _Counts(), 0.0, 0
    name = f"{index.name}.tif"
    with scene.opened() as opened, _writer(scratch / name, opened.grid, index.name, scene) as output:
        for window in windows(opened.grid):
            bands, there, clear = opened.read(window)
            values = np.where(clear, index.compute(*bands), np.nan)
            if index.bounded:
                beyond += int((np.abs(values) > 1).sum())
            counts.add(there, clear, np.isfinite(values))
            tally.add(values, there)
            if above is not None:
                area += float(((values > above).sum(axis=1) * _cell_areas(opened.grid, window)).sum())
            output.write(np.where(np.isfinite(values), values, NODATA).astype("f4"), 1, window=window)
        crs, grid = _grid_of(opened.grid)
    warnings = [*scene.warnings, *_beyond(beyond, index)]
    values_ = [*_summary(tally, index.name), *counts.quantities(scene)]
    if above is not None:
        values_.append(
            Quantity(f"area with {index.name} above {above:g}", round(area, 2), "m2", "of clear cells")
        )
    if not tally.valid:
        warnings.append("no cell is clear and has data")
    data: dict[str, Any] = {"formula": index.formula, "formula_source": index.source}
    if polygons is not None:
        data["polygons"], data["polygons_method"], more = _zones(scratch / name, polygons, names)
        warnings += more
    return Result(
        method=f"{index.name} = {index.formula} of reflectances{_masked(scene)}",
        values=tuple(values_),
        data=data,
        assumed=tuple(scene.assumed),
        warnings=tuple(warnings),
        crs=crs,
        grid=grid,
        cells=counts.cells,
        valid_cells=tally.valid,
        source=scene.name,
        files=(name,),
    )


def compute_change(
    before: Scene,
    after: Scene,
    index: Index,
    scratch: Path,
    *,
    threshold: float | None = None,
    polygons: Any = None,
    names: str = "",
) -> Result:
    """Return the change of an index between two scenes: after minus before, where both are clear.

    Parameters
    ----------
    before, after
        Scenes; the second is taken onto the grid of the first by the nearest cell.
    threshold
        Positive; the areas that fell and rose by more are given.
    """
    span = 2.0 if index.bounded else 2 * RANGE
    first, second, tally = (Tally(-span, span) for _ in range(3))
    counts, fell, rose = _Counts(), 0.0, 0.0
    name = f"{index.name}_change.tif"
    with ExitStack() as stack:
        one = stack.enter_context(before.opened())
        two = stack.enter_context(after.opened(like=one.grid))
        output = stack.enter_context(_writer(scratch / name, one.grid, f"{index.name} change", before))
        for window in windows(one.grid):
            pairs = [opened.read(window) for opened in (one, two)]
            there = pairs[0][1] & pairs[1][1]
            clear = pairs[0][2] & pairs[1][2]
            earlier, later = (np.where(clear, index.compute(*bands), np.nan) for bands, _, _ in pairs)
            change = later - earlier
            good = np.isfinite(change)
            counts.add(pairs[0][1] | pairs[1][1], clear, good)
            for each, values in ((first, earlier), (second, later), (tally, change)):
                each.add(np.where(good, values, np.nan), there)
            if threshold is not None:
                areas = _cell_areas(one.grid, window)
                fell += float(((change < -threshold).sum(axis=1) * areas).sum())
                rose += float(((change > threshold).sum(axis=1) * areas).sum())
            output.write(np.where(good, change, NODATA).astype("f4"), 1, window=window)
        crs, grid = _grid_of(one.grid)
    warnings = list(dict.fromkeys([*before.warnings, *after.warnings]))
    values_ = [
        Quantity(f"mean {index.name} before", _number(first.mean), "1", "cells that are clear in both"),
        Quantity(f"mean {index.name} after", _number(second.mean), "1", "the same cells"),
        *_summary(tally, f"change of {index.name}"),
        *counts.quantities(before),
    ]
    if threshold is not None:
        for word, size in (("fell", fell), ("rose", rose)):
            values_.append(Quantity(f"area that {word} by more than {threshold:g}", round(size, 2), "m2"))
    if not tally.valid:
        warnings.append("no cell is clear and has data in both scenes: do they lie in one place?")
    data: dict[str, Any] = {"formula": index.formula, "formula_source": index.source}
    if polygons is not None:
        data["polygons"], data["polygons_method"], more = _zones(scratch / name, polygons, names)
        warnings += more
    return Result(
        method=f"{index.name} = {index.formula} of reflectances{_masked(before)}; after minus before",
        values=tuple(values_),
        data=data,
        assumed=tuple(dict.fromkeys([*before.assumed, *after.assumed])),
        warnings=tuple(warnings),
        crs=crs,
        grid=grid,
        cells=counts.cells,
        valid_cells=tally.valid,
        source=f"{before.name} and {after.name}",
        files=(name,),
    )


class _Counts:
    """Cells of the grid, with data, clear, and with an index."""

    def __init__(self) -> None:
        self.cells = self.there = self.clear = self.good = 0

    def add(self, there: Any, clear: Any, good: Any) -> None:
        self.cells += there.size
        self.there += int(there.sum())
        self.clear += int(clear.sum())
        self.good += int(good.sum())

    def quantities(self, scene: Scene) -> Iterator[Quantity]:
        if self.there:
            note = (
                f"{self.clear:,} clear of {self.there:,} cells with data" if scene.mask else "no cloud mask"
            )
            yield Quantity("clear fraction", round(self.clear / self.there, 6), "1", note)
        yield Quantity(
            "valid fraction",
            round(self.good / self.cells, 6),
            "1",
            f"of all {self.cells:,} cells of the grid",
        )


def _summary(tally: Tally, name: str) -> Iterator[Quantity]:
    for statistic, value in tally.summary().items():
        yield Quantity(f"{statistic} of {name}", value, "1", "to 0.0002" if statistic.startswith("p") else "")


def _number(value: float) -> float | None:
    return round(value, 6) if value == value else None


def _masked(scene: Scene) -> str:
    if scene.mask is None:
        return ", no cloud mask"
    return ", cells of SCL " + ", ".join(f"{each} ({SCL_CLASSES[each]})" for each in scene.keep if each < 12)


def _beyond(count: int, index: Index) -> Iterator[str]:
    if count:
        yield f"{count:,} cells have {index.name} beyond -1 to 1, since a reflectance is below 0 there; they are kept"


def _cell_areas(grid: Any, window: Any) -> Any:
    """Return the area of a cell in each row of a window, in m2."""
    transform = grid.transform
    if grid.crs.is_projected:
        metres = grid.crs.linear_units_factor[1]
        return np.full(
            int(window.height), abs(transform.a * transform.e - transform.b * transform.d) * metres**2
        )
    from labrig_earth.gis.measuring import ellipsoid

    ground = ellipsoid()
    found = np.empty(int(window.height))
    for row in range(int(window.height)):
        north = transform.f + (window.row_off + row) * transform.e
        south, east = north + transform.e, transform.a
        found[row] = abs(ground.polygon_area_perimeter([0, east, east, 0], [south, south, north, north])[0])
    return found


def _writer(path: Path, grid: Any, description: str, scene: Scene) -> Any:
    """Return an open GeoTIFF on a grid, with nothing of the bands' own attributes."""
    import rasterio

    tiled: dict[str, Any] = (
        {"tiled": True, "blockxsize": 256, "blockysize": 256} if min(grid.width, grid.height) >= 256 else {}
    )
    output = rasterio.open(
        path, "w", driver="GTiff", width=grid.width, height=grid.height, count=1, dtype="float32", crs=grid.crs,
        transform=grid.transform, nodata=NODATA, compress="deflate", predictor=3, **tiled,
    )  # fmt: skip
    output.set_band_description(1, description)
    label = next(iter(scene.bands.values())).tags.get(SYNTHETIC)
    output.update_tags(source=scene.name, **({SYNTHETIC: label} if label else {}))
    return output


def _grid_of(grid: Any) -> tuple[str, str]:
    from pyproj import CRS

    from labrig_earth.gis.features import crs_text

    step_x, step_y = abs(grid.transform.a), abs(grid.transform.e)
    unit = "m" if grid.crs.is_projected else "degree"
    return crs_text(
        CRS.from_user_input(grid.crs)
    ), f"{step_x:g} x {step_y:g} {unit}, {grid.width} x {grid.height}"


def _zones(path: Path, polygons: Any, names: str) -> tuple[list[dict[str, Any]], str, Sequence[str]]:
    """Return statistics of the index in each polygon, how they were computed, and warnings."""
    from labrig_earth.grids.zonal import zonal_statistics

    variable = open_raster(Place.of(path)).isel(band=0, drop=True)
    found = zonal_statistics(variable, polygons, ["mean", "min", "max", "count"], names=names)
    rows = [
        {str(key): round(value, 6) if isinstance(value, float) else value for key, value in row.items()}
        for row in found.table.head(50).to_dict("records")
    ]
    return rows, found.method, found.warnings
