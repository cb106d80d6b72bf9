"""Fields as files that other software reads: NetCDF and Zarr by CF, GeoTIFF, and CSV with units in its head.

What a library keeps of the file that a field came from (packing, chunks, names of bands) is not written again: it
belongs to other values.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from labrig.errors import LabrigError, over_limit
from labrig_earth.grids.axes import axes_of
from labrig_earth.grids.sizes import require_writable

FORMATS = {"netcdf": ".nc", "zarr": ".zarr", "geotiff": ".tif", "csv": ".csv"}
MOST_ROWS = 2_000_000
"""Of a CSV table."""

_OF_STORAGE = {
    *("scale_factor", "add_offset", "_FillValue", "missing_value", "valid_min", "valid_max", "valid_range"),
    *("actual_range", "coordinates", "grid_mapping", "_Unsigned"),
}


def write(field: Any, folder: Path, name: str, kind: str, *, history: str, source: str = "") -> str:
    """Write a field or a dataset, and return its name in the folder.

    Parameters
    ----------
    field
        `xarray.DataArray` or `xarray.Dataset`.
    name
        Without an ending.
    kind
        One of `FORMATS`; GeoTIFF holds one field over y, x and at most one more axis, as bands.
    history, source
        What was done, and with which data: attributes of the file.

    Raises
    ------
    LabrigError
        ``bad_input`` for another format, or what a GeoTIFF cannot hold; ``limit`` for too much.
    """
    if kind not in FORMATS:
        raise LabrigError(f"{kind!r} is not written", where="format", expected=", ".join(FORMATS))
    require_writable(field)
    cleaned = clean(field)
    target = name + FORMATS[kind]
    about = {"Conventions": "CF-1.11", "history": history, "source": source or "unknown"}
    if kind == "geotiff":
        _write_geotiff(cleaned, folder / target, about)
    elif kind == "csv":
        _write_csv(cleaned, folder / target)
    else:
        dataset = as_dataset(cleaned).assign_attrs(
            {**getattr(field, "attrs", {}), **about} if _is_dataset(field) else about
        )
        dataset = _with_crs(dataset)
        if kind == "netcdf":
            _write_netcdf(dataset, folder / target)
        else:
            dataset.to_zarr(folder / target, mode="w", zarr_format=2, consolidated=True)
    return target


def clean(field: Any) -> Any:
    """Return a field without what belongs to the file that it came from."""
    copy = field.copy(deep=False)
    parts = [copy, *(copy.variables[name] for name in copy.variables)] if _is_dataset(copy) else [copy]
    if not _is_dataset(copy):
        parts += [copy.coords[name].variable for name in copy.coords]
    for part in parts:
        part.encoding = {
            key: value
            for key, value in part.encoding.items()
            if key in ("units", "calendar", "dtype") and _times(part)
        }
        part.attrs = {
            key: plain for key, value in part.attrs.items() if (plain := _attribute(key, value)) is not None
        }
    return copy


def _times(part: Any) -> bool:
    kind = getattr(getattr(part, "dtype", None), "kind", "")
    return kind in "MO"


def _attribute(key: str, value: Any) -> Any:
    """Return an attribute that NetCDF can hold, or None for one to be left out."""
    if key in _OF_STORAGE or value is None:
        return None
    if isinstance(value, (str, int, float, np.number, np.ndarray)) and not isinstance(value, bool):
        return value
    return ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def _is_dataset(field: Any) -> bool:
    return hasattr(field, "data_vars")


def as_dataset(field: Any) -> Any:
    """Return a dataset with the field in it, under its name or ``value``."""
    return field if _is_dataset(field) else field.to_dataset(name=str(field.name or "value"))


def _with_crs(dataset: Any) -> Any:
    """Give a dataset the grid mapping of its CRS, as CF has it."""
    import rioxarray  # noqa: F401 - brings the accessor

    axes = axes_of(dataset)
    if not axes.crs or not axes.x or axes.x not in dataset.dims or axes.y not in dataset.dims:
        return dataset.drop_vars("spatial_ref", errors="ignore")
    named = dataset.rio.set_spatial_dims(x_dim=axes.x, y_dim=axes.y).rio.write_crs(axes.crs)
    for name in named.data_vars:
        named[name].encoding.pop("grid_mapping", None)
        if {axes.y, axes.x} <= set(named[name].dims):
            named[name].attrs["grid_mapping"] = "spatial_ref"
    for name, units, standard in (
        (axes.y, "degrees_north", "latitude"),
        (axes.x, "degrees_east", "longitude"),
    ):
        if axes.geographic:
            named[name].attrs.update({"units": units, "standard_name": standard})
    return named


def _write_netcdf(dataset: Any, path: Path) -> None:
    encoding = {
        str(name): {"zlib": True, "complevel": 2, "_FillValue": np.nan}
        for name in dataset.data_vars
        if dataset[name].dtype.kind == "f" and dataset[name].ndim
    }
    dataset.to_netcdf(path, engine="netcdf4", format="NETCDF4", encoding=encoding)


def _write_geotiff(field: Any, path: Path, about: dict[str, str]) -> None:
    import rioxarray  # noqa: F401 - brings the accessor

    if _is_dataset(field):
        names = list(field.data_vars)
        if len(names) != 1:
            raise LabrigError(
                f"A GeoTIFF holds one variable, and there are {len(names)}",
                where="format",
                try_='format="netcdf"',
            )
        field = field[names[0]]
    axes = axes_of(field)
    others = [dim for dim in field.dims if dim not in (axes.y, axes.x)]
    if (
        not axes.x
        or axes.x not in field.dims
        or axes.y not in field.dims
        or len(others) > 1
        or axes.curvilinear
    ):
        raise LabrigError(
            "A GeoTIFF holds a field over y, x and one more axis",
            where=", ".join(map(str, field.dims)),
            try_='format="netcdf"',
        )
    placed = field.transpose(*others, axes.y, axes.x).sortby(axes.y, ascending=False)
    labels = [str(each) for each in placed[others[0]].values] if others and others[0] in placed.coords else []
    unit, name = str(field.attrs.get("units", "")), str(field.name or "value")
    placed.attrs = {"units": unit, "variable": name, "history": about["history"]}
    placed = placed.rio.set_spatial_dims(x_dim=axes.x, y_dim=axes.y)
    placed = placed.rio.write_crs(axes.crs) if axes.crs else placed
    if placed.dtype.kind == "f":
        placed = placed.rio.write_nodata(np.nan)
    if placed.dtype.kind == "b":
        placed = placed.astype("uint8")
    placed.rio.to_raster(path, driver="GTiff", compress="deflate", tiled=True)
    if labels:
        import rasterio

        with rasterio.open(path, "r+") as file:
            file.descriptions = labels


def _write_csv(field: Any, path: Path) -> None:
    dataset = as_dataset(field)
    dataset = dataset.drop_vars("spatial_ref", errors="ignore")
    rows = int(np.prod(list(dataset.sizes.values()) or [1]))
    if rows > MOST_ROWS:
        raise over_limit(
            f"The table would have {rows:,} rows",
            MOST_ROWS,
            where="format",
            try_='format="netcdf", or aggregate first',
        )
    table = dataset.to_dataframe() if dataset.dims else dataset.to_array("name").to_dataframe("value")
    if dataset.dims:
        table = table.reset_index()
    units = {str(name): str(dataset[name].attrs.get("units", "")) for name in dataset.variables}
    table.columns = [head_of(str(name), units.get(str(name), "")) for name in table.columns]
    table.to_csv(path, index=not dataset.dims)


def head_of(name: str, unit: str) -> str:
    """Return the head of a column: ``t2m [K]``; without the unit of times."""
    return f"{name} [{unit}]" if unit and " since " not in unit else name
