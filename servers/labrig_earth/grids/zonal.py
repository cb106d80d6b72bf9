"""Statistics of the cells of a raster in each polygon, by exactextract: a cell counts by the part of it inside.

On latitudes and longitudes, and on projections that enlarge some cells more than others, cells also count by their
areas on the ground (means, standard deviations, fractions). Sums, counts and percentiles take cells by their parts
alone: a sum of people per cell must not be weighted again.

Percentiles are computed here from exactextract's values and parts: its own quantile interpolates between different
values, and of four classes in equal parts says 1.8 where 2 is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from labrig.errors import LabrigError, over_limit
from labrig_earth.grids.areas import common_with, on_grid
from labrig_earth.grids.axes import Axes
from labrig_earth.grids.cells import feature_of, ground_areas, is_uneven, numbered, raster_source, reach_of
from labrig_earth.grids.doubts import sum_doubt
from labrig_earth.grids.mesh import cells_axes, odd_cells, sheet_of
from labrig_earth.grids.selecting import unbroken

STATISTICS = (
    *("mean", "sum", "min", "max", "count", "std", "median", "majority", "minority", "variety", "fractions"),
    "percentile",
)
BY_AREA = {"mean": "weighted_mean", "std": "weighted_stdev", "fractions": "weighted_frac"}
PLAIN = {"std": "stdev", "fractions": "frac"}
MOST_RESULTS = 200_000
MOST_WINDOW_CELLS = 100_000_000
MOST_CLASSES = 256
STRIP_CELLS = 32_000_000
"""Cells that are read at a time for several polygons."""
STEPS_AT_A_TIME = 32


@dataclass(frozen=True)
class Zonal:
    """One row for each polygon and step.

    Attributes
    ----------
    table
        `pandas.DataFrame` with ``region``, the step (``time`` or another axis) if there is one, a column for each
        statistic (``fraction_3`` for a class 3) and ``cells``, the sum of the parts of cells with values.
    units
        Of the columns.
    """

    table: Any
    units: dict[str, str]
    method: str
    warnings: tuple[str, ...] = ()


def zonal_statistics(
    variable: Any,
    polygons: Any,
    statistics: list[str],
    *,
    percentile: float | None = None,
    names: str = "",
) -> Zonal:
    """Return statistics of the cells in each polygon, for each step of a further axis.

    Parameters
    ----------
    variable
        `xarray.DataArray` over y and x and at most one more axis.
    polygons
        `geopandas.GeoDataFrame`, reprojected to the CRS of the raster.
    statistics
        Some of `STATISTICS`.
    percentile
        0 to 100, of ``percentile``.
    names
        Column that names the polygons.

    Raises
    ------
    LabrigError
        ``bad_input`` for an unknown statistic, more axes or polygons without a CRS; ``not_found``
        for one outside the raster; ``limit`` for too many results, or a polygon with too many cells.
    """
    import pandas as pd

    unknown = [each for each in statistics if each not in STATISTICS]
    if unknown or not statistics:
        raise LabrigError(
            f"There is no statistic {unknown[0]!r}" if unknown else "Which statistics?",
            where="statistics",
            expected=", ".join(STATISTICS),
        )
    if "percentile" in statistics and (percentile is None or not 0 <= percentile <= 100):
        raise LabrigError("Which percentile?", where="percentile", expected="a number from 0 to 100")
    axes = cells_axes(variable)
    variable = variable if axes.curvilinear else unbroken(variable, axes)
    others = [str(dim) for dim in variable.dims if dim not in (axes.y, axes.x)]
    others = [dim for dim in others if variable.sizes[dim] > 1]
    if len(others) > 1:
        raise LabrigError(
            f"The data have more axes than one beside {axes.y} and {axes.x}: {', '.join(others)}",
            try_="extract one level, band or member first",
        )
    step = others[0] if others else ""
    steps = variable.sizes[step] if step else 1
    if steps * len(polygons) > MOST_RESULTS:
        raise over_limit(
            f"{len(polygons):,} polygons times {steps:,} steps are too many results",
            MOST_RESULTS,
            try_="aggregate_grid over time first, or aggregate_grid with polygons, which gives means of long series",
        )
    rows: dict[int, list[dict[str, Any]]] = {}
    any_weighed = axes.curvilinear
    if axes.curvilinear:
        cells = sheet_of(variable, axes)
        common, _, labels, warnings = common_with(cells, polygons, names)
        warnings += odd_cells(variable, axes)
        rows = dict(
            enumerate(_of_cells(variable, axes, step, labels, common, cells.areas, statistics, percentile))
        )
    else:
        shapes, labels, warnings = on_grid(variable, axes, polygons, names)
        for places, window in _strips(variable, axes, shapes, labels):
            named = [(labels[place], shapes[place]) for place in places]
            found, weighed = _of_strip(window, axes, step, named, statistics, percentile)
            rows |= dict(zip(places, found, strict=True))
            any_weighed |= weighed
    if "sum" in statistics and (doubt := sum_doubt(variable.attrs, "space")):
        warnings = [*warnings, doubt]
    unit = str(variable.attrs.get("units", ""))
    table = pd.DataFrame([row for place in range(len(labels)) for row in rows[place]])
    of_classes = [name for name in table.columns if str(name).startswith("fraction_")]
    for name in of_classes:  # a class that other polygons have is none of a polygon with cells
        table[name] = table[name].fillna(0.0).where(table["cells"] > 0)
    units = {name: _unit(name, unit) for name in table.columns if name not in ("region", step)}
    how = f"cells by the part of them inside, computed exactly ({'shapely' if axes.curvilinear else 'exactextract'})"
    if any_weighed and set(statistics) & set(BY_AREA):
        how += "; of " + ", ".join(each for each in statistics if each in BY_AREA) + " also by their areas"
    return Zonal(table, units, how, tuple(warnings))


def _unit(column: str, unit: str) -> str:
    name = column.partition("_")[0]
    return "1" if name in ("cells", "count", "variety", "fraction") else unit


def _strips(
    variable: Any, axes: Axes, shapes: list[Any], labels: list[str]
) -> Iterator[tuple[list[int], Any]]:
    """Yield polygons, by their numbers, with the cells that they reach: from one side of the grid to the other, as many
    at a time as `STRIP_CELLS` hold, so that each stored piece is read about once."""
    y, x = variable[axes.y].values, variable[axes.x].values
    reaches = [
        (reach_of(y, south, north), reach_of(x, west, east))
        for west, south, east, north in (shape.bounds for shape in shapes)
    ]
    places: list[int] = []
    kept = reaches[0]
    for place in sorted(range(len(shapes)), key=lambda place: reaches[place][0].start):
        alone = reaches[place]
        if (cells := _count_cells(alone)) > MOST_WINDOW_CELLS:
            raise over_limit(
                f"The polygon {labels[place]} reaches over {cells:,} cells",
                MOST_WINDOW_CELLS,
                where="polygons",
                try_="regrid_variable to a coarser grid first",
            )
        together = (_join_slices(kept[0], alone[0]), _join_slices(kept[1], alone[1])) if places else alone
        if places and _count_cells(together) > STRIP_CELLS:
            yield places, variable.isel(dict(zip((axes.y, axes.x), kept, strict=True)))
            places, together = [], alone
        places.append(place)
        kept = together
    yield places, variable.isel(dict(zip((axes.y, axes.x), kept, strict=True)))


def _join_slices(one: slice, other: slice) -> slice:
    return slice(min(one.start, other.start), max(one.stop, other.stop))


def _count_cells(reach: tuple[slice, slice]) -> int:
    return prod(part.stop - part.start for part in reach)


def _of_strip(
    window: Any,
    axes: Axes,
    step: str,
    named: list[tuple[str, Any]],
    statistics: list[str],
    percentile: float | None,
) -> tuple[list[list[dict[str, Any]]], bool]:
    """Return the rows of each polygon, and whether cells counted by their areas; some steps are read at a time."""
    from exactextract import exact_extract

    given_y, given_x = (np.asarray(window[name].values, "f8") for name in (axes.y, axes.x))
    placed = [numbered(shape, given_y, given_x) for _, shape in named]
    features = [feature_of(shape) for shape, _, _ in placed]
    _, y, x = placed[0]
    weights = None
    if set(statistics) & set(BY_AREA) and (axes.in_degrees or is_uneven(window, axes)):
        weights = raster_source(ground_areas(window, axes).values, y, x, "area")
    ops = _ops(statistics, percentile, by_area=weights is not None)
    asked = list(dict.fromkeys(op for op in ops.values() if not op.startswith("quantile")))
    count = window.sizes[step] if step else 1
    at_a_time = max(1, min(STEPS_AT_A_TIME, MOST_WINDOW_CELLS // (y.size * x.size)))
    rows: list[list[dict[str, Any]]] = [[] for _ in named]
    for first in range(0, count, at_a_time):
        part = window.isel({step: slice(first, first + at_a_time)}) if step else window
        values = np.asarray(part.transpose(..., axes.y, axes.x).values)
        for place, field in enumerate(values.reshape(-1, *values.shape[-2:])):
            found = exact_extract(raster_source(field, y, x), features, asked, weights=weights)
            for number, each in enumerate(found):
                label = named[number][0]
                row: dict[str, Any] = {"region": label}
                if step:
                    row[step] = window[step].values[first + place]
                rows[number].append(row | _row(each["properties"], ops, label))
    return rows, weights is not None


def _of_cells(
    variable: Any,
    axes: Axes,
    step: str,
    labels: list[str],
    common: Any,
    areas: Any,
    statistics: list[str],
    percentile: float | None,
) -> list[list[dict[str, Any]]]:
    """Return the rows of each polygon over cells with corners of their own, as exactextract has them of rectangles.

    Parameters
    ----------
    common, areas
        Areas of cells in each polygon (sparse, over polygons and cells), and of whole cells.
    """
    ops = _ops(statistics, percentile, by_area=True)
    ordered = variable.transpose(*([step] if step else []), ..., *axes.cell_dims)
    rows: list[list[dict[str, Any]]] = [[] for _ in labels]
    for place in range(variable.sizes[step] if step else 1):
        field = np.asarray((ordered[place] if step else ordered).values).ravel()
        for number, label in enumerate(labels):
            inside = slice(*common.indptr[number : number + 2])
            cells = common.indices[inside]
            known = np.isfinite(field[cells]) if field.dtype.kind == "f" else np.ones(cells.size, bool)
            found = _cell_statistics(
                field[cells][known], common.data[inside][known], (common.data[inside] / areas[cells])[known]
            )
            row: dict[str, Any] = {"region": label}
            if step:
                row[step] = variable[step].values[place]
            rows[number].append(row | _row(found, ops, label))
    return rows


def _cell_statistics(values: Any, areas: Any, parts: Any) -> dict[str, Any]:
    """Return statistics by exactextract's names of values, areas of them inside, and parts that these are of cells."""
    found: dict[str, Any] = {"count": parts.sum(), "values": values, "coverage": parts}
    if not values.size:
        none = ("sum", "weighted_mean", "weighted_stdev", "min", "max", "majority", "minority")
        empty: dict[str, Any] = {"variety": 0, "unique": [], "weighted_frac": []}
        return found | dict.fromkeys(none) | empty
    classes, place = np.unique(values, return_inverse=True)
    counts, of_area = np.bincount(place, parts), np.bincount(place, areas)
    mean = (values * areas).sum() / areas.sum()
    return found | {
        "sum": (values * parts).sum(),
        "min": values.min(),
        "max": values.max(),
        "weighted_mean": mean,
        "weighted_stdev": (((values - mean) ** 2 * areas).sum() / areas.sum()) ** 0.5,
        "majority": classes[counts.argmax()],
        "minority": classes[counts.argmin()],
        "variety": classes.size,
        "unique": classes,
        "weighted_frac": of_area / areas.sum(),
    }


def _ops(statistics: list[str], percentile: float | None, *, by_area: bool) -> dict[str, str]:
    """Return exactextract's operations by names of columns; what is counted comes always."""
    ops = {}
    for name in statistics:
        if name in ("percentile", "median"):
            ops["values"], ops["coverage"] = "values", "coverage"
            part = percentile if name == "percentile" else 50.0
            ops[f"percentile_{part:g}" if name == "percentile" else name] = f"quantile {part}"
        elif name == "fractions":
            ops["classes"], ops["fractions"] = "unique", BY_AREA[name] if by_area else PLAIN[name]
        else:
            ops[name] = BY_AREA.get(name, name) if by_area else PLAIN.get(name, name)
    return {**ops, "cells": "count"}


def _row(found: dict[str, Any], ops: dict[str, str], label: str) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, op in ops.items():
        if op.startswith("quantile"):
            part = float(op.split()[1]) / 100.0
            row[name] = weighted_quantile(found["values"], found["coverage"], part)
        elif name == "fractions":
            row |= _fractions(found["unique"], found[op], label)
        elif name not in ("classes", "values", "coverage"):
            value = found[op]
            row[name] = float(value) if value is not None and np.isfinite(value) else None
    return row


def _fractions(classes: Any, parts: Any, label: str) -> dict[str, float]:
    values = np.asarray(classes).tolist()
    if len(values) > MOST_CLASSES:
        raise LabrigError(
            f"The polygon {label} has {len(values):,} different values",
            where="statistics",
            expected="fractions of classes",
            try_="mean or percentile for measured values",
        )
    return {
        f"fraction_{each:g}": float(part)
        for each, part in zip(values, np.asarray(parts).tolist(), strict=True)
    }


def weighted_quantile(values: Any, weights: Any, part: float) -> float | None:
    """Return a quantile of values that count by weights; with equal weights NumPy's default (Hyndman and Fan's type 7).

    The k-th of n sorted values stands at (k - 1) w_k + (n - 1) (w_1 + .. + w_{k-1}), divided by that of the last.

    Parameters
    ----------
    values, weights
        Arrays of one dimension; missing values are left out.
    part
        0 to 1.
    """
    numbers: Any = np.ma.filled(np.ma.asarray(values, "f8"), np.nan)
    counted: Any = np.asarray(weights, "f8")
    valid = np.isfinite(numbers) & (counted > 0)
    numbers, counted = numbers[valid], counted[valid]
    if not numbers.size:
        return None
    order = np.argsort(numbers, kind="stable")
    numbers, counted = numbers[order], counted[order]
    place = np.arange(numbers.size) * counted + (numbers.size - 1) * (np.cumsum(counted) - counted)
    return float(np.interp(part * place[-1], place, numbers)) if place[-1] else float(numbers[0])
