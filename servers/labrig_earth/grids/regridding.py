"""Fields on another grid: between latitude-longitude grids by xarray-regrid, to a projection by GDAL's warper, and
means of cells of any kind by the parts that they have in common.

A conservative regrid keeps the area mean; how well it did is computed and said. Linear and nearest do not promise that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labrig.errors import LabrigError, over_limit
from labrig_earth.data.bounds import without_edges
from labrig_earth.grids.areas import coverage
from labrig_earth.grids.axes import Axes, edges_of, goes_round, horizontal, metres_of, short_crs
from labrig_earth.grids.cells import POLES, cell_areas
from labrig_earth.grids.mesh import MOST_CELLS as MOST_SHEET_CELLS
from labrig_earth.grids.mesh import cells_at, cells_axes, common_areas, extent_of, odd_cells, sheet_of
from labrig_earth.grids.selecting import unbroken

METHODS = ("conservative", "linear", "nearest", "cubic")
CELL_METHODS = ("conservative", "nearest")
RESAMPLINGS = (
    *("nearest", "bilinear", "cubic", "average", "mode", "min", "max", "med", "q1", "q3", "sum", "rms"),
    "conservative",
)
MOST_CELLS = 200_000_000
LEAST_VALID = 0.5
"""Part of a target cell that must be covered by cells with values, in a conservative regrid."""


@dataclass(frozen=True)
class Regridded:
    """A field on its new grid.

    Attributes
    ----------
    common
        Areas that cells of the source have in common with those of the target, where means were made of them.
    """

    data: Any
    method: str
    common: Any = None
    warnings: tuple[str, ...] = ()


def target_grid(
    resolution: float, box: tuple[float, float, float, float] | None, like: Any, axes: Axes
) -> Any:
    """Return a regular latitude-longitude grid of a resolution (degree), over a box or the extent of a field.

    Cells begin at the west and the south edge; the grid is from north to south.

    Raises
    ------
    LabrigError
        ``bad_input`` for a resolution that is not above 0; ``limit`` for more than `MOST_CELLS`.
    """
    import xarray as xr

    if not 0 < resolution <= 90:
        raise LabrigError(
            f"The resolution cannot be {resolution:g} degree", where="resolution", expected="above 0"
        )
    if box is None and not axes.geographic:
        west, south, east, north = extent_of(sheet_of(like, axes))
    elif box is None:
        x = edges_of(like[axes.x].values)
        y = edges_of(like[axes.y].values, within=POLES)
        west, south, east, north = float(x.min()), float(y.min()), float(x.max()), float(y.max())
        if goes_round(like, axes):
            east = west + 360.0
    else:
        west, south, east, north = box
        if west >= east:
            east += 360.0
    columns, rows = (max(1, round((high - low) / resolution)) for low, high in ((west, east), (south, north)))
    if box is None and not axes.geographic and resolution > max(east - west, north - south):
        raise LabrigError(
            f"One cell of {resolution:g} degree is larger than all of the grid",
            where="resolution",
            try_=f"crs={short_crs(axes.crs)!r} as well, for its own unit",
        )
    if columns * rows > MOST_CELLS:
        raise over_limit(
            f"The grid would have {columns * rows:,} cells",
            MOST_CELLS,
            where="resolution",
            try_="a coarser resolution, or a smaller box",
        )
    longitudes = west + resolution * (np.arange(columns) + 0.5)
    latitudes = south + resolution * (np.arange(rows)[::-1] + 0.5)
    return xr.Dataset(
        coords={
            "latitude": ("latitude", latitudes, {"units": "degrees_north", "standard_name": "latitude"}),
            "longitude": ("longitude", longitudes, {"units": "degrees_east", "standard_name": "longitude"}),
        }
    )


def grid_of(data: Any) -> Any:
    """Return the latitudes and longitudes of a field, or its x and y with their CRS, as a target grid.

    Raises
    ------
    LabrigError
        ``bad_input`` for data on an unknown projection or without a grid of rows and columns.
    """
    import xarray as xr

    axes = horizontal(data)
    if not axes.geographic:
        if not axes.crs:
            raise LabrigError(
                "The grid to imitate states no CRS", where="like", try_="crs= and resolution= instead"
            )
        return _plane_grid(
            np.asarray(data[axes.x].values, "f8"), np.asarray(data[axes.y].values, "f8"), axes.crs
        )
    return xr.Dataset(
        coords={
            "latitude": ("latitude", np.asarray(data[axes.y].values, "f8"), {"units": "degrees_north"}),
            "longitude": ("longitude", np.asarray(data[axes.x].values, "f8"), {"units": "degrees_east"}),
        }
    )


def regrid(variable: Any, target: Any, *, method: str = "conservative") -> Regridded:
    """Return a field on the latitudes and longitudes of another grid.

    Parameters
    ----------
    variable
        `xarray.DataArray` on latitudes and longitudes, or on another grid by ``conservative`` and ``nearest``.
    target
        `xarray.Dataset` with coordinates ``latitude`` and ``longitude``, or ``y`` and ``x`` and a CRS (`target_grid`,
        `grid_of`).
    method
        ``conservative``: means of the parts of cells, for fluxes and amounts per area; a target cell is missing where
        less than half of it has values. ``linear``: between centres, missing beyond them. ``nearest``: for classes.
        ``cubic``: a smooth curve through centres, which may go beyond their values.

    Raises
    ------
    LabrigError
        ``bad_input`` for another method, ``not_found`` for grids that do not meet.
    """
    variable = without_edges(variable)
    import xarray_regrid  # noqa: F401 - brings the accessor

    if method not in METHODS:
        raise LabrigError(f"There is no method {method!r}", where="method", expected=", ".join(METHODS))
    axes = cells_axes(variable)
    if not axes.geographic or "latitude" not in target.coords:
        return _of_cells(variable, axes, target, method)
    source = unbroken(variable, axes).rename({axes.y: "latitude", axes.x: "longitude"})
    extra = [name for name in source.coords if name not in source.dims]
    source = source.drop_vars(extra).sortby("latitude").sortby("longitude")
    wanted = target.assign_coords(longitude=_near(target["longitude"].values, source["longitude"].values))
    _require_common(source, wanted)
    if method == "conservative":
        found = source.regrid.conservative(
            wanted, latitude_coord="latitude", time_dim=None, nan_threshold=1.0 - LEAST_VALID
        )
    else:
        found = getattr(source.regrid, method)(wanted, time_dim=None)
        if method == "nearest":
            found = _within_source(found, source)
    attrs = target["longitude"].attrs
    found = found.assign_coords(longitude=("longitude", target["longitude"].values, attrs))
    found = found.assign_attrs(variable.attrs).rename(variable.name)
    found["latitude"].attrs = dict(target["latitude"].attrs)
    found = found.transpose(*[_renamed(dim, axes) for dim in variable.dims])
    said = {
        "conservative": "first-order conservative: means of cells by their common area (xarray-regrid)",
        "linear": "bilinear between centres (xarray-regrid)",
        "nearest": "nearest centre (xarray-regrid)",
        "cubic": "cubic between centres (xarray-regrid)",
    }[method]
    return Regridded(found, said)


KEEPING = ("nearest", "mode", "min", "max")
"""Methods that give none but values of the source."""
FEW = 50
"""Different whole numbers up to which a field may be one of classes, such as land cover."""


def class_doubt(variable: Any, method: str) -> tuple[str, ...]:
    """Return a warning where a field that looks like classes is put on a grid by means of their numbers."""
    whole = np.issubdtype(variable.encoding.get("dtype", variable.dtype), np.integer)
    if method in KEEPING or not whole or "scale_factor" in variable.encoding or variable.attrs.get("units"):
        return ()
    one = variable.isel(dict.fromkeys(variable.dims[:-2], 0))
    steps = {dim: slice(None, None, max(1, size // 1000)) for dim, size in one.sizes.items()}
    values = np.asarray(one.isel(steps).values, "f8")
    if len(np.unique(values[np.isfinite(values)])) > FEW:
        return ()
    return (
        f"{variable.name} holds few whole numbers and no unit: if they are classes, {method} mixes them to numbers "
        "that are none; method=nearest or mode keeps them",
    )


def _renamed(dim: Any, axes: Axes) -> str:
    return {axes.y: "latitude", axes.x: "longitude"}.get(str(dim), str(dim))


def _near(longitudes: Any, source: Any) -> Any:
    """Return target longitudes, moved by whole turns to those of the source, where that keeps them in order."""
    turns = 360.0 * np.round((source.mean() - longitudes.mean()) / 360.0)
    return longitudes + turns


def _require_common(source: Any, target: Any) -> None:
    bounds = []
    for name in ("latitude", "longitude"):
        edges = edges_of(source[name].values)
        low, high = float(edges.min()), float(edges.max())
        values = target[name].values
        around = name == "longitude" and high - low > 359.0
        bounds.append((low, high))
        if not around and not ((values >= low) & (values <= high)).any():
            raise LabrigError(
                f"The grids do not meet: the field has {name}s from {low:g} to {high:g}",
                where=name,
                expected=f"a grid within them, not {values.min():g} to {values.max():g}",
                code="not_found",
            )


def _within_source(found: Any, source: Any) -> Any:
    """Leave cells missing that lie beyond the edges of the source: the nearest centre is not theirs."""
    for name in ("latitude", "longitude"):
        edges = edges_of(source[name].values)
        if name == "longitude" and edges.max() - edges.min() > 359.0:
            continue
        found = found.where((found[name] >= edges.min()) & (found[name] <= edges.max()))
    return found


def conservation(source: Any, result: Any, common: Any = None) -> tuple[float, float]:
    """Return the area means of a field before and after, over the cells that the result has.

    Both are means over time and levels too. The source is cut to the extent of the result by parts of cells, rows and
    columns at the edge that have no value left out, so equal means are expected of a conservative regrid but for
    missing cells within.
    """
    if common is not None:
        return _kept_by_cells(source, result, common)
    import shapely

    axes, after = horizontal(source), horizontal(result)
    result = _with_values(result, after)
    edges_x, edges_y = (
        edges_of(result[after.x].values),
        edges_of(result[after.y].values, within=POLES),
    )
    source = unbroken(source, axes)
    width = float(edges_x.max() - edges_x.min())
    shift = 360.0 * np.round((source[axes.x].values.mean() - result[after.x].values.mean()) / 360.0)
    extent = shapely.box(edges_x.min() + shift, edges_y.min(), edges_x.max() + shift, edges_y.max())
    inside: Any = 1.0
    if width < 359.0 and all(source.sizes[name] > 1 for name in (axes.y, axes.x)):
        inside = coverage(source, axes, [extent], "exactextract")[0]
    weights = cell_areas(source, axes) * inside
    before = source.weighted(weights).mean()
    now = result.weighted(cell_areas(result, after)).mean()
    return float(before), float(now)


def _kept_by_cells(source: Any, result: Any, common: Any) -> tuple[float, float]:
    """Return the same where means were made of common parts: the source counts by those in cells that have values."""
    axes, after = cells_axes(source), horizontal(result)
    now = result.transpose(..., after.y, after.x).values.reshape(-1, common.shape[0])
    before = source.transpose(..., *axes.cell_dims).values.reshape(-1, common.shape[1])
    areas = sheet_of(result, after).areas
    given, known = np.isfinite(before), np.isfinite(now)
    counted = (known.astype("f8") @ common) * given
    with np.errstate(invalid="ignore"):
        return (
            float((np.where(given, before, 0.0) * counted).sum() / counted.sum()),
            float((np.where(known, now, 0.0) * areas).sum() / (known * areas).sum()),
        )


def _with_values(field: Any, axes: Axes) -> Any:
    """Return a field without the rows and columns at its edges that are missing in the first step; two stay."""
    first = field.isel({dim: 0 for dim in field.dims if dim not in (axes.y, axes.x)}).notnull()
    kept = {}
    for name, other in ((axes.y, axes.x), (axes.x, axes.y)):
        places = np.flatnonzero(first.any(other).values)
        if places.size > 1:
            kept[name] = slice(int(places[0]), int(places[-1]) + 1)
    return field.isel(kept)


def _of_cells(variable: Any, axes: Axes, target: Any, method: str) -> Regridded:
    """Return means of the common parts of cells, or the value of the cell in which each centre lies."""
    import xarray as xr

    if method not in CELL_METHODS:
        raise LabrigError(
            f"Cells of {'a curvilinear grid or mesh' if axes.curvilinear else 'a projection'} cannot be regridded by "
            f"{method}",
            where="method",
            expected=" or ".join(CELL_METHODS),
        )
    to = horizontal(target)
    cells, wanted = sheet_of(variable, axes), sheet_of(target, to)
    common = common_areas(cells, wanted)
    if not common.nnz:
        raise LabrigError("The grids do not meet", where="box, resolution", code="not_found")
    shape, count = (target.sizes[to.y], target.sizes[to.x]), cells.count
    least = LEAST_VALID * wanted.areas
    if method == "nearest":
        x, y = np.meshgrid(target[to.x].values, target[to.y].values)
        place = cells_at(cells, *_in_degrees(x, y, to))

    def regridded(values: Any) -> Any:
        flat = values.reshape(-1, count)
        if method == "nearest":
            found = np.where(place.ravel() >= 0, flat[:, place.ravel()], np.nan)
        else:
            known = np.isfinite(flat)
            area = (common @ known.T).T
            with np.errstate(invalid="ignore", divide="ignore"):
                found = (common @ np.where(known, flat, 0.0).T).T / area
            found[area < least] = np.nan
        return found.reshape(*values.shape[: values.ndim - len(axes.cell_dims)], *shape)

    bare = variable.drop_vars(
        [name for name in variable.coords if set(variable[name].dims) & set(axes.cell_dims)]
    )
    new = ("labrig_y", "labrig_x")
    found = xr.apply_ufunc(
        regridded,
        bare.drop_vars("spatial_ref", errors="ignore"),
        input_core_dims=[list(axes.cell_dims)],
        output_core_dims=[list(new)],
        dask="parallelized",
        output_dtypes=["f8"],
        dask_gufunc_kwargs={"output_sizes": dict(zip(new, shape, strict=True)), "allow_rechunk": True},
    )
    found = found.rename({new[0]: to.y, new[1]: to.x}).assign_coords(target.coords).rename(variable.name)
    attrs = {
        key: each for key, each in variable.attrs.items() if key not in ("grid_mapping", "mesh", "location")
    }
    said = {
        "conservative": "first-order conservative: means of cells by their common area on the sphere (shapely)",
        "nearest": "the cell in which each centre lies (shapely)",
    }[method]
    return Regridded(
        found.assign_attrs(attrs),
        said,
        common if method == "conservative" else None,
        odd_cells(variable, axes),
    )


def _in_degrees(x: Any, y: Any, axes: Axes) -> tuple[Any, Any]:
    from pyproj import Transformer

    if axes.geographic:
        return x, y
    longitude, latitude = Transformer.from_crs(axes.crs, "EPSG:4326", always_xy=True).transform(x, y)
    return longitude, latitude


def _plane_grid(x: Any, y: Any, crs: str) -> Any:
    """Return x and y of a projection as a target grid."""
    import rioxarray  # noqa: F401 - brings the accessor
    import xarray as xr

    unit = {"units": "m"} if metres_of(crs) == 1.0 else {}
    axes = {"y": ("y", y, unit), "x": ("x", x, unit)}
    return xr.Dataset(coords=axes).rio.write_crs(crs)


def plane_around(variable: Any, crs: str, resolution: float | None) -> Any:
    """Return a grid of a projection around the cells of a field; its edges are whole numbers of cells from the origin.

    Parameters
    ----------
    resolution
        In units of `crs`; by default that of the field's cells, in two digits.
    """
    import shapely
    from pyproj import CRS, Transformer

    axes, system = cells_axes(variable), CRS.from_user_input(checked_crs(crs))
    if resolution is not None and not resolution > 0:
        raise LabrigError(f"The resolution cannot be {resolution:g}", where="resolution", expected="above 0")
    if system.is_geographic:
        raise LabrigError(f"{short_crs(crs)} has degrees", where="crs", try_="resolution alone, in degree")
    cells = sheet_of(variable, axes)
    from_degrees = Transformer.from_crs("EPSG:4326", system, always_xy=True)
    corners = shapely.get_coordinates(cells.pieces)
    places = from_degrees.transform(
        np.rad2deg(corners[:, 0]), np.rad2deg(np.arcsin(np.clip(corners[:, 1], -1, 1)))
    )
    known = np.isfinite(places).all(axis=0)
    if not known.any():
        raise LabrigError(f"{short_crs(crs)} reaches no cell of the grid", where="crs", code="not_found")
    usual = float(np.median(cells.areas[cells.areas > 0])) ** 0.5 * 1000.0 / metres_of(checked_crs(crs))
    step = resolution or float(f"{usual:.2g}")
    (left, right), (bottom, top) = (
        (float(np.floor(each[known].min() / step)), float(np.ceil(each[known].max() / step)))
        for each in places
    )
    if (right - left) * (top - bottom) > MOST_SHEET_CELLS:
        raise over_limit(
            f"The grid would have {(right - left) * (top - bottom):,.0f} cells",
            MOST_SHEET_CELLS,
            where="resolution",
            try_="a coarser resolution, or a smaller box",
        )
    x, y = (step * (np.arange(low, high) + 0.5) for low, high in ((left, right), (bottom, top)))
    return _plane_grid(x, y[::-1], checked_crs(crs))


def reproject(
    variable: Any, crs: str, *, resolution: float | None = None, resampling: str = "", source_crs: str = ""
) -> Regridded:
    """Return a field in another coordinate reference system, by GDAL's warper (rioxarray).

    Parameters
    ----------
    crs
        As ``EPSG:32633`` or WKT.
    resolution
        In units of `crs`; by default about that of the field.
    resampling
        One of `RESAMPLINGS`; by default ``bilinear``, and ``nearest`` for whole numbers.
    source_crs
        Of data that state none.

    Raises
    ------
    LabrigError
        ``bad_input`` for an unknown CRS or resampling, data without a CRS or with more than one axis beside x and y;
        ``limit`` for more than `MOST_CELLS`.
    """
    variable = without_edges(variable)
    import rioxarray  # noqa: F401 - brings the accessor
    from rasterio.enums import Resampling

    target = checked_crs(crs)
    if resampling == "conservative" or (not resampling and cells_axes(variable).curvilinear):
        return regrid(variable, plane_around(variable, target, resolution))
    axes = horizontal(variable)
    whole = np.issubdtype(variable.dtype, np.integer) or np.issubdtype(
        variable.encoding.get("dtype", "f8"), np.integer
    )
    packed = "scale_factor" in variable.encoding
    chosen = resampling or ("nearest" if whole and not packed else "bilinear")
    if chosen not in RESAMPLINGS:
        raise LabrigError(
            f"There is no resampling {chosen!r}", where="resampling", expected=", ".join(RESAMPLINGS)
        )
    stated = source_crs or axes.crs
    if not stated:
        raise LabrigError("The data state no CRS", where="source_crs", try_='source_crs="EPSG:..." states it')
    if resolution is not None and not resolution > 0:
        raise LabrigError(f"The resolution cannot be {resolution:g}", where="resolution", expected="above 0")
    others = [dim for dim in variable.dims if dim not in (axes.y, axes.x)]
    if len(others) > 1:
        raise LabrigError(
            "Only one axis beside x and y can be reprojected",
            where=", ".join(map(str, others)),
            try_="extract one level or time",
        )
    field = variable.transpose(*others, axes.y, axes.x)
    if axes.geographic:
        field = _to_180(field, axes)
    field = field.sortby(axes.y, ascending=False).drop_vars("spatial_ref", errors="ignore")
    field.attrs.pop("grid_mapping", None)
    field.encoding.pop("grid_mapping", None)
    placed = field.rio.set_spatial_dims(x_dim=axes.x, y_dim=axes.y).rio.write_crs(checked_crs(stated))
    _require_size(placed, stated, target, resolution)
    if field.dtype.kind == "f":
        placed = placed.rio.write_nodata(np.nan)
    found = placed.rio.reproject(target, resolution=resolution, resampling=Resampling[chosen])
    found.attrs.update({key: value for key, value in variable.attrs.items() if key != "grid_mapping"})
    said = f"reprojected from {short_crs(stated)} to {short_crs(target)} by {chosen} resampling (GDAL)"
    return Regridded(found.rename(variable.name), said)


def checked_crs(crs: str) -> str:
    """Return a CRS as ``EPSG:...`` or WKT; LabrigError ``bad_input`` for an invalid one."""
    import pyproj

    try:
        found = pyproj.CRS.from_user_input(crs)
    except pyproj.exceptions.CRSError:
        raise LabrigError(
            f"This is no coordinate reference system: {crs[:60]!r}",
            where="crs",
            expected='such as "EPSG:32633"',
        ) from None
    authority = found.to_authority(min_confidence=70)
    return ":".join(authority) if authority else str(found.to_wkt())


def _to_180(field: Any, axes: Axes) -> Any:
    """Return a field with longitudes from -180 to 180 in order, which projections expect."""
    longitudes = np.asarray(field[axes.x].values, "f8")
    if longitudes.max() <= 180.0:
        return field
    if goes_round(field, axes):
        moved = (longitudes + 180.0) % 360.0 - 180.0
        return field.assign_coords({axes.x: (axes.x, moved, field[axes.x].attrs)}).sortby(axes.x)
    return unbroken(field, axes)


def _require_size(placed: Any, source: str, target: str, resolution: float | None) -> None:
    from rasterio.warp import calculate_default_transform

    _, width, height = calculate_default_transform(
        source, target, placed.rio.width, placed.rio.height, *placed.rio.bounds(), resolution=resolution
    )
    cells = width * height * max(1, placed.size // (placed.rio.width * placed.rio.height))
    if cells > MOST_CELLS:
        raise over_limit(
            f"The raster would have {cells:,} cells",
            MOST_CELLS,
            where="resolution",
            try_="a coarser resolution, or extract a smaller box first",
        )
