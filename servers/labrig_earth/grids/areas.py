"""Means over space: every cell counts by its area, and a cell on the edge of a polygon by its part inside.

The area of a cell between latitudes a and b is proportional to sin b - sin a, which for equal steps is the cosine of
its latitude, and right at the poles too, where the cosine is 0 and the half cell is not. Which cells belong to a
polygon is a matter of method, and the means of the methods differ by some 0.05 K for a small country on a 0.25 degree
grid: so the method is an argument, and the others are computed beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labrig.errors import LabrigError, over_limit
from labrig_earth.grids.axes import Axes, edges_of, step_of
from labrig_earth.grids.cells import POLES, ground_areas, heights_inside_poles, parts_inside, reached
from labrig_earth.grids.mesh import (
    Sheet,
    cells_axes,
    common_areas,
    in_rows,
    places_in,
    sheet_of,
    sheet_of_shapes,
)
from labrig_earth.grids.selecting import unbroken

METHODS: dict[str, str] = {
    "exactextract": "cells by the part of them inside, computed exactly in degrees (exactextract)",
    "fractional": "cells by the part of them inside, estimated on a 10 x 10 subgrid (regionmask.mask_3D_frac_approx)",
    "centres": "cells whose centres lie inside",
}
CELL_METHODS = METHODS | {
    "exactextract": "cells by the part of them inside, computed exactly from their corners (shapely)"
}
PROJECTED_METHODS = ("centres", "exactextract")
MOST_REGIONS = 2000
MOST_PARTS = 200_000_000
FRACTIONAL_CELLS = 20_000
"""Cells that regionmask looks at in one go, of which it makes a hundred each; on a larger grid ``fractional`` is
computed if it is asked for (20 microseconds a cell), and not to tell by how much methods differ."""


@dataclass(frozen=True)
class Means:
    """Means over polygons, one for each.

    Attributes
    ----------
    data
        `xarray.DataArray` over ``region`` and the other axes.
    spread
        Largest less smallest of the methods, over the same axes: how much the choice of a method matters.
    cells
        Cells that a region touches, over ``region``.
    area_km2
        Of the weights: the cells' areas on the sphere times their parts inside.
    """

    data: Any
    spread: Any
    cells: Any
    area_km2: Any
    method: str
    warnings: tuple[str, ...] = ()


def area_mean(variable: Any, *, statistic: str = "mean") -> Any:
    """Return the mean (or ``min``, ``max``, ``sum``) over all cells; a mean counts cells by their areas.

    Missing cells are left out, of the weights too. A ``sum`` is that of the values, not of values times areas.

    Raises
    ------
    LabrigError
        ``bad_input`` for data without a horizontal grid, and for another statistic.
    """
    axes = cells_axes(variable)
    if statistic in ("min", "max", "sum"):
        return getattr(variable, statistic)(axes.cell_dims, keep_attrs=True)
    if statistic != "mean":
        raise LabrigError(
            f"There is no {statistic!r} over space", where="statistic", expected="mean, sum, min or max"
        )
    if axes.curvilinear:
        weights = sheet_of(variable, axes).areas
        variable, axes = in_rows(variable, axes)
    else:
        variable = unbroken(variable, axes)
        weights = relative_areas(variable, axes)
    weights = weights.reshape(variable.sizes[axes.y], variable.sizes[axes.x])
    sums = _weighted_sums(variable, axes, weights[None, None])
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (sums[0] / sums[1]).isel(method=0, region=0)
    return mean.assign_attrs(variable.attrs).rename(variable.name)


MOST_PLACES = 24


def places_of(variable: Any, statistic: str) -> dict[str, Any]:
    """Return where the smallest or largest value of a field stands: the centre of its cell, by y and x, and in degrees.

    Parameters
    ----------
    statistic
        ``min`` or ``max``.

    Returns
    -------
    dict
        ``place_of_min`` or ``place_of_max``: one for each step, level or band, of at most `MOST_PLACES`; the first of
        several equal ones, with their number.
    """
    from pyproj import Transformer

    axes = cells_axes(variable)
    others = [str(dim) for dim in variable.dims if dim not in (axes.y, axes.x)]
    if axes.curvilinear or np.prod([variable.sizes[dim] for dim in others] or [1]) > MOST_PLACES:
        return {}
    ordered = variable.transpose(*others, axes.y, axes.x)
    to_degrees = None
    if axes.crs and not axes.geographic:
        to_degrees = Transformer.from_crs(axes.crs, "EPSG:4326", always_xy=True)
    found = []
    for index in np.ndindex(*(ordered.sizes[dim] for dim in others)):
        values = np.asarray(ordered[index].values, "f8")
        if not np.isfinite(values).any():
            continue
        extreme = np.nanmin(values) if statistic == "min" else np.nanmax(values)
        row, column = np.argwhere(values == extreme)[0]
        x, y = float(variable[axes.x].values[column]), float(variable[axes.y].values[row])
        place: dict[str, Any] = {
            dim: str(variable[dim].values[number])
            for dim, number in zip(others, index, strict=True)
            if variable.sizes[dim] > 1
        }
        place |= {axes.x: x, axes.y: y}
        if to_degrees is not None:
            place["longitude"], place["latitude"] = (round(each, 6) for each in to_degrees.transform(x, y))
        if (equal := int((values == extreme).sum())) > 1:
            place["cells_with_this_value"] = equal
        found.append(place)
    return {f"place_of_{statistic}": found[0] if len(found) == 1 else found}


def relative_areas(variable: Any, axes: Axes) -> Any:
    """Return areas of cells, also where an axis has one value: the same factor for all then."""
    if variable.sizes[axes.y] > 1 and variable.sizes[axes.x] > 1:
        return ground_areas(variable, axes).values
    y, x = np.asarray(variable[axes.y].values, "f8"), np.asarray(variable[axes.x].values, "f8")
    heights, widths = np.ones(y.size), np.ones(x.size)
    if y.size > 1:
        edges = edges_of(y, within=POLES) if axes.in_degrees else edges_of(y)
        heights = np.abs(np.diff(np.sin(np.deg2rad(edges)) if axes.in_degrees else edges))
    if x.size > 1:
        widths = np.abs(np.diff(edges_of(x)))
    return heights[:, None] * widths[None, :]


def polygon_means(variable: Any, polygons: Any, *, method: str = "exactextract", names: str = "") -> Means:
    """Return the mean of a variable over each polygon.

    Parameters
    ----------
    variable
        `xarray.DataArray` with a horizontal grid; its dask pieces are read once.
    polygons
        `geopandas.GeoDataFrame`; reprojected to the CRS of the grid. Self-crossing ones are mended.
    method
        One of `METHODS`.
    names
        Column that names the polygons; by default ``name`` or the first column of text, else their numbers.

    Raises
    ------
    LabrigError
        ``bad_input`` for another method, polygons without a CRS, or more than `MOST_REGIONS`; ``not_found`` where a
        polygon lies outside the grid, or where it holds no centre and the method is ``centres``.
    """
    import xarray as xr

    if method not in METHODS:
        raise LabrigError(f"There is no method {method!r}", where="method", expected=", ".join(METHODS))
    axes = cells_axes(variable)
    of_kind = _parts_of_cells if axes.curvilinear else _parts_of_rectangles
    variable, axes, areas, parts, labels, warnings = of_kind(variable, axes, polygons, names, method)
    usable = list(parts)
    order = [method, *(each for each in usable if each != method)]
    sums = _weighted_sums(variable, axes, np.stack([parts[each] * areas for each in order]))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums[0] / sums[1]
    data = means.isel(method=0)
    spread = means.max("method") - means.min("method")
    touched = (parts[method] > 0).sum(axis=(1, 2))
    for label, count in zip(labels, touched, strict=True):
        if not count:
            raise LabrigError(
                f"The polygon {label} holds no cell centre",
                where="polygons",
                try_='method="exactextract", or "fractional", which take parts of cells'
                if method == "centres"
                else "",
                code="not_found",
            )
    coords = {"region": labels}
    attrs = {key: each for key, each in variable.attrs.items() if key not in ("grid_mapping", "cell_methods")}
    attrs["cell_methods"] = f"{variable.attrs.get('cell_methods', '')} area: mean ({method})".strip()
    return Means(
        data.assign_coords(coords).assign_attrs(attrs).rename(variable.name),
        spread.assign_coords(coords).assign_attrs(units=variable.attrs.get("units", "")),
        xr.DataArray(touched, dims="region", coords=coords),
        xr.DataArray(
            (parts[method] * areas).sum(axis=(1, 2)), dims="region", coords=coords, attrs={"units": "km2"}
        ),
        f"area-weighted mean of {(CELL_METHODS if axes.curvilinear else METHODS)[method]}",
        tuple(warnings),
    )


def _parts_of_rectangles(
    variable: Any, axes: Axes, polygons: Any, names: str, method: str
) -> tuple[Any, Axes, Any, dict[str, Any], list[str], list[str]]:
    """Return what polygons reach of a grid, areas of its cells, and their parts inside by each method that can be."""
    import shapely

    variable = unbroken(variable, axes)
    shapes, labels, warnings = on_grid(variable, axes, polygons, names)
    variable = reached(variable, axes, tuple(shapely.total_bounds(shapes)))
    areas = ground_areas(variable, axes).values
    regular = all(step_of(variable[name].values) is not None for name in (axes.y, axes.x))
    usable = [each for each in METHODS if axes.geographic or each in PROJECTED_METHODS]
    if variable.sizes[axes.y] * variable.sizes[axes.x] > FRACTIONAL_CELLS and method != "fractional":
        usable = [each for each in usable if each != "fractional"]
    if not regular:
        usable = [each for each in usable if each != "fractional"]
    if method not in usable:
        raise LabrigError(
            f"The method {method} needs a regular grid"
            + ("" if axes.geographic else " of latitudes and longitudes"),
            where="method",
            expected=" or ".join(usable),
        )
    parts = {each: coverage(variable, axes, shapes, each) for each in usable}
    return variable, axes, areas, parts, labels, warnings


def _parts_of_cells(
    variable: Any, axes: Axes, polygons: Any, names: str, method: str
) -> tuple[Any, Axes, Any, dict[str, Any], list[str], list[str]]:
    """Return the same of cells with corners of their own."""
    if method not in PROJECTED_METHODS:
        raise LabrigError(
            f"The method {method} needs a regular grid",
            where="method",
            expected=" or ".join(PROJECTED_METHODS),
        )
    cells = sheet_of(variable, axes)
    common, frame, labels, warnings = common_with(cells, polygons, names)
    latitude, longitude = (
        np.asarray(variable[name].values, "f8").ravel() for name in (axes.latitude_2d, axes.longitude_2d)
    )
    variable, axes = in_rows(variable, axes)
    shape = (variable.sizes[axes.y], variable.sizes[axes.x])
    if len(labels) * cells.count > MOST_PARTS:
        raise over_limit(
            f"{len(labels)} polygons times {cells.count:,} cells are too many",
            MOST_PARTS,
            where="polygons",
            try_="fewer polygons in a call, or a part of the grid by select.box",
        )
    with np.errstate(invalid="ignore", divide="ignore"):
        exact = np.nan_to_num(common.toarray() / cells.areas).reshape(-1, *shape)
    centres = places_in(sheet_of_shapes(list(frame.geometry)), longitude, latitude) & (cells.areas > 0)
    parts = {"exactextract": exact, "centres": centres.astype("f8").reshape(-1, *shape)}
    return variable, axes, cells.areas.reshape(shape), parts, labels, warnings


def common_with(cells: Sheet, polygons: Any, names: str) -> tuple[Any, Any, list[str], list[str]]:
    """Return the areas that cells have in common with polygons (sparse, over polygons and cells, km2), the polygons in
    longitude and latitude, their names, and what had to be mended.

    Raises
    ------
    LabrigError
        As `polygon_means`.
    """
    frame, warnings = checked_polygons(polygons)
    labels, frame = names_of(frame, names), frame.to_crs(4326)
    shapes = sheet_of_shapes(list(frame.geometry))
    common = common_areas(cells, shapes)
    for label, found, whole in zip(labels, common.sum(axis=1), shapes.areas, strict=True):
        if not found:
            raise LabrigError(
                f"The polygon {label} lies outside the cells of the grid", where="polygons", code="not_found"
            )
        if found < 0.999 * whole:
            warnings.append(f"{1 - found / whole:.1%} of the polygon {label} lie outside the grid")
    return common, frame, labels, warnings


def on_grid(
    variable: Any, axes: Axes, polygons: Any, names: str = ""
) -> tuple[list[Any], list[str], list[str]]:
    """Return polygons in the coordinates of a grid, cut to its extent, their names, and what had to be mended.

    Longitudes of the polygons are moved by whole turns to where the grid has them.

    Raises
    ------
    LabrigError
        As `polygon_means`.
    """
    import shapely
    from shapely.affinity import translate

    frame, warnings = checked_polygons(polygons)
    labels = names_of(frame, names)
    if axes.crs and frame.crs is not None:
        frame = frame.to_crs(axes.crs)
    elif not axes.crs:
        warnings.append("The grid states no CRS: polygons are taken to have its coordinates")
    edges = (
        edges_of(variable[axes.x].values),
        edges_of(variable[axes.y].values, within=POLES if axes.in_degrees else None),
    )
    extent = shapely.box(edges[0].min(), edges[1].min(), edges[0].max(), edges[1].max())
    shapes = []
    for label, shape in zip(labels, frame.geometry, strict=True):
        turns = (-360.0, 0.0, 360.0) if axes.in_degrees else (0.0,)
        cut = shapely.union_all([translate(shape, turn).intersection(extent) for turn in turns])
        if cut.is_empty or not cut.area:
            west, south, east, north = shape.bounds
            raise LabrigError(
                f"The polygon {label} ({west:.4g}, {south:.4g}, {east:.4g}, {north:.4g}) lies outside the grid",
                where="polygons",
                expected="a polygon within (" + ", ".join(f"{each:.6g}" for each in extent.bounds) + ")",
                try_=_exchanged(shape, extent),
                code="not_found",
            )
        if cut.area < 0.999 * shape.area:
            warnings.append(f"{1 - cut.area / shape.area:.1%} of the polygon {label} lie outside the grid")
        shapes.append(cut)
    return shapes, labels, warnings


def _exchanged(shape: Any, extent: Any) -> str:
    import shapely

    turned = shapely.transform(shape, lambda places: places[:, ::-1])
    return "latitude and longitude of the polygon seem to be exchanged" if turned.intersects(extent) else ""


def checked_polygons(polygons: Any) -> tuple[Any, list[str]]:
    """Return polygons that can be used, and what was mended.

    Raises
    ------
    LabrigError
        ``bad_input`` for a frame without rows, without a CRS or without any polygon; ``limit`` for too many.
    """
    import shapely

    if polygons.crs is None:
        raise LabrigError(
            "The polygons state no CRS",
            where="polygons",
            try_="write them with one; GeoJSON is WGS 84 by definition",
        )
    is_area = polygons.geometry.geom_type.isin(("Polygon", "MultiPolygon")) & ~polygons.geometry.is_empty
    warnings = [] if is_area.all() else [f"{int((~is_area).sum())} shapes are no polygons and are left out"]
    frame = polygons[is_area].reset_index(drop=True)
    if not len(frame):
        raise LabrigError("There is no polygon", where="polygons", expected="polygons or multipolygons")
    if len(frame) > MOST_REGIONS:
        raise over_limit(
            f"There are {len(frame):,} polygons",
            MOST_REGIONS,
            where="polygons",
            try_="a part of them in each call",
        )
    broken = ~frame.geometry.is_valid
    if broken.any():
        why = shapely.is_valid_reason(frame.geometry[broken].iloc[0])
        warnings.append(f"{int(broken.sum())} polygons are not valid and were mended: {why}")
        frame = frame.set_geometry(frame.geometry.make_valid().map(_areas_of))
    if frame.crs.is_geographic:
        bounds = frame.total_bounds
        if bounds[1] < -90.001 or bounds[3] > 90.001:
            raise LabrigError(
                f"The polygons have latitudes from {bounds[1]:g} to {bounds[3]:g}",
                where="polygons",
                expected="longitude first, then latitude, -90 to 90",
                try_="exchanging latitude and longitude",
            )
    return frame, warnings


def _areas_of(shape: Any) -> Any:
    """Return the areas of what mending left: points and lines fall away."""
    import shapely

    parts = [
        each for each in getattr(shape, "geoms", [shape]) if each.geom_type in ("Polygon", "MultiPolygon")
    ]
    return shapely.union_all(parts) if parts else shapely.Polygon()


def names_of(frame: Any, column: str = "") -> list[str]:
    """Return the names of polygons: from a column, or one that looks like it; numbered where two are the same.

    Raises
    ------
    LabrigError
        ``not_found`` for a column that is not there.
    """
    from labrig.errors import unknown_name

    columns = [str(name) for name in frame.columns if name != frame.geometry.name]
    if column and column not in columns:
        raise unknown_name("column", column, columns, where="names")
    by_name = [name for name in columns if name.casefold() in ("name", "name_en", "admin", "region", "id")]
    texts = [
        name
        for name in columns
        if frame[name].dtype.kind in "OU" or str(frame[name].dtype) in ("str", "string")
    ]
    chosen = column or (by_name or texts or [""])[0]
    names = (
        [str(each) for each in frame[chosen]]
        if chosen
        else [str(number) for number in range(1, len(frame) + 1)]
    )
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def coverage(variable: Any, axes: Axes, shapes: list[Any], method: str) -> Any:
    """Return which part of each cell lies in each shape, by one of `METHODS`: array over region, y, x."""
    y, x = np.asarray(variable[axes.y].values, "f8"), np.asarray(variable[axes.x].values, "f8")
    if method == "centres":
        return np.stack([_centres(shape, y, x) for shape in shapes]).astype("f8")
    if method == "exactextract":
        parts = np.stack([parts_inside(shape, y, x) for shape in shapes])
    else:
        parts = _fractional(shapes, y, x)
    if axes.in_degrees:  # the half of a cell at the pole that lies beyond it is no part of it
        parts = np.minimum(parts / heights_inside_poles(y)[:, None], 1.0)
    return parts


def _fractional(shapes: list[Any], y: Any, x: Any) -> Any:
    """Return parts of cells by regionmask, some rows at a time."""
    import regionmask

    regions = regionmask.Regions(shapes, overlap=True)
    # Steps of float32 axes are unequal in the last digits, which regionmask refuses.
    even_x, even_y = np.linspace(x[0], x[-1], x.size), np.linspace(y[0], y[-1], y.size)
    rows = max(2, FRACTIONAL_CELLS // x.size)
    bands = []
    for start in range(0, y.size, rows):
        first = min(start, max(0, y.size - 2))  # two rows at least, whose distance is their size
        found = regions.mask_3D_frac_approx(even_x, even_y[first : start + rows], wrap_lon=False, drop=False)
        bands.append(np.asarray(found.values, "f8")[:, start - first :])
    return np.concatenate(bands, axis=1)


def _centres(shape: Any, y: Any, x: Any) -> Any:
    import shapely

    columns, rows = np.meshgrid(x, y)
    shapely.prepare(shape)
    return shapely.contains_xy(shape, columns, rows)


CELLS_AT_A_TIME = 1 << 20
"""Values that are made float64 at a time: 8 MB, which stay near the processor."""


class _Sums:
    """Sums of value times weight, for several weights, over blocks of values.

    Methods differ at the edges of polygons alone: all cells are multiplied for the first of the methods, and for the
    others those few at which their weights are different.

    Parameters
    ----------
    weights
        Array over method, region, y, x.
    """

    def __init__(self, weights: Any) -> None:
        methods, regions = weights.shape[:2]
        flat = weights.reshape(methods, regions, -1)
        size = flat.shape[-1]
        used = np.flatnonzero(flat.any(axis=(0, 1)))
        self.used = (
            used if used.size < 0.6 * size else None
        )  # to pick out most cells costs more than to take all
        self.first = np.ascontiguousarray(flat[0].T if self.used is None else flat[0][:, used].T)
        differences = flat - flat[:1]
        self.edge = np.flatnonzero(differences.any(axis=(0, 1)))
        self.at_edge = np.ascontiguousarray(differences[:, :, self.edge].reshape(methods * regions, -1).T)
        self.methods = methods
        self.whole = self._of(np.ones((1, size)))

    def __call__(self, values: Any) -> Any:
        """Return sums, and weights of the cells that have values: array over .., part (2), method and region in one."""
        flat = values.reshape(-1, values.shape[-2] * values.shape[-1])
        found = np.empty((flat.shape[0], 2, self.whole.shape[-1]))
        rows = max(1, CELLS_AT_A_TIME // flat.shape[1])
        for start in range(0, flat.shape[0], rows):
            part = flat[start : start + rows]
            total, weight = self._of(part), self.whole
            if not np.isfinite(total).all():  # a missing value makes its sum one, even with no weight
                valid = np.isfinite(part)
                total, weight = self._of(np.where(valid, part, 0.0)), self._of(valid)
            found[start : start + rows, 0], found[start : start + rows, 1] = total, weight
        return found.reshape(*values.shape[:-2], 2, -1)

    def _of(self, part: Any) -> Any:
        cells = (part if self.used is None else part[:, self.used]).astype("f8")
        with np.errstate(invalid="ignore"):
            total = np.tile(cells @ self.first, (1, self.methods))
            if self.edge.size:
                total += part[:, self.edge].astype("f8") @ self.at_edge
        return total


def _weighted_sums(variable: Any, axes: Axes, weights: Any) -> Any:
    """Return sums of value times weight, and of the weights of cells with values, in one pass over the data.

    Parameters
    ----------
    weights
        Array over method, region, y, x.

    Returns
    -------
    xarray.DataArray
        Over ``part`` (sums, weights), ``method``, ``region`` and the other axes.
    """
    import xarray as xr

    methods, regions = weights.shape[:2]
    result = xr.apply_ufunc(
        _Sums(weights),
        variable,
        input_core_dims=[[axes.y, axes.x]],
        output_core_dims=[["part", "kind"]],
        dask="parallelized",
        output_dtypes=["f8"],
        dask_gufunc_kwargs={"output_sizes": {"part": 2, "kind": methods * regions}, "allow_rechunk": True},
    ).compute()
    others = [dim for dim in result.dims if dim not in ("part", "kind")]
    values = result.transpose("part", "kind", *others)
    shaped = values.values.reshape(2, methods, regions, *[values.sizes[dim] for dim in others])
    coords = {name: each for name, each in variable.coords.items() if set(each.dims) <= set(others)}
    return xr.DataArray(shaped, dims=("part", "method", "region", *others), coords=coords)
