"""Group forecast_models, its regridding: variables of a file on the grid of another, or on given coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError, over_limit, unknown_name
from labrig_earth.ensembles.members import X, Y, read_field, stem_of
from labrig_earth.grids.axes import is_field
from labrig_earth.grids.reading import opened
from labrig_earth.grids.regridding import MOST_CELLS, grid_of, regrid
from labrig_earth.results import Result
from labrig_earth.terra.arguments import forecast_models as arguments
from labrig_earth.terra.payloads import make_result, safe, write_netcdf
from labrig_earth.work.calls import Call

METHODS = {
    "bilinear": "linear", "linear": "linear", "nearest": "nearest", "conservative": "conservative", "cubic": "cubic"
}  # fmt: skip
AXES = {"latitudes": ("latitudes", "lats"), "longitudes": ("longitudes", "lons")}
NAMES = {"lat_name": Y, "lon_name": X}


def regrid_to_target_grid(call: Call, asked: arguments.RegridToTargetGrid) -> Result:
    """Put variables of a file on a target grid."""
    place = call.input("data")
    wished, beyond = asked.method.lower(), asked.allow_extrapolation
    if wished not in METHODS:
        raise unknown_name("method", wished, list(METHODS), where="method")
    if beyond and wished == "conservative":
        raise LabrigError(
            "Means of cells cannot be extrapolated", where="allow_extrapolation", expected="false"
        )
    target, names, chosen = choose_target(call, asked.target_grid)
    source = opened(place)
    there = [str(name) for name in source.data.data_vars if is_field(source.data[name])]
    wanted = asked.variables or there
    for name in wanted:
        if name not in there:
            raise unknown_name("variable", name, there, where="variables")
    fields: dict[str, Any] = {}
    warnings = list(source.warnings)
    assumed = list(source.assumed)
    method = ""
    for name in dict.fromkeys(wanted):
        field = read_field(place, name).data
        cells = target.sizes[Y] * target.sizes[X] * (field.size // max(1, count_cells(field)))
        if cells > MOST_CELLS:
            raise over_limit(
                f"{name} would have {cells:,} values",
                MOST_CELLS,
                where="target_grid",
                try_="fewer times or levels",
            )
        found = regrid(field, target, method=METHODS[wished])
        method = found.method
        data = extrapolate(field, target, METHODS[wished]) if beyond else found.data
        lost = int(data.isnull().sum()) - int(field.isnull().sum())
        if beyond:
            outside = int(found.data.isnull().sum())
            if outside:
                warnings.append(
                    f"{name}: {outside} of {data.size} values are extrapolated, or beside missing ones"
                )
        elif lost > 0:
            warnings.append(
                f"{name}: {int(data.isnull().sum())} of {data.size} values are missing: nothing is extrapolated"
            )
        fields[name] = data.rename({Y: names["lat_name"], X: names["lon_name"]})
    stem = f"{safe(stem_of(place.name))}_regrid_{wished}"
    path = write_netcdf(call, fields, stem, history=f"{method}; {place.name}", source=place.name)
    dims = {str(dim): int(size) for field in fields.values() for dim, size in field.sizes.items()}
    payload = {
        "output_path": path,
        "method": wished,
        "data_source": place.name,
        "target_grid_source": chosen,
        "variables": list(fields),
        "dims": dims,
        **names,
        "missing": {name: int(field.isnull().sum()) for name, field in fields.items()},
        "means": {name: find_mean(field) for name, field in fields.items()},
    }
    return make_result(
        payload, method=method, files=(path,), warnings=tuple(warnings), assumed=tuple(assumed)
    )


def count_cells(field: Any) -> int:
    return int(field.sizes.get(Y, 1) * field.sizes.get(X, 1))


def find_mean(field: Any) -> float | None:
    found = float(field.mean())
    return float(f"{found:.9g}") if np.isfinite(found) else None


def choose_target(call: Call, given: Any) -> tuple[Any, dict[str, str], str]:
    """Return the grid, what its axes are to be called, and where it is from."""
    import xarray as xr

    place = call.optional("target_file")
    if place is not None:
        return grid_of(opened(place).data), dict(NAMES), place.name
    known = [key for keys in AXES.values() for key in keys] + list(NAMES)
    for key in given:
        if key not in known:
            raise unknown_name("key", key, known, where="target_grid")
    axes: dict[str, Any] = {}
    for (name, keys), most in zip(AXES.items(), (90, 360), strict=True):
        values = next((given[key] for key in keys if key in given), None)
        if not isinstance(values, list) or len(values) < 2:
            raise LabrigError(
                f"The {name} are missing", where="target_grid",
                expected='a path, or {"latitudes": [..], "longitudes": [..]} with two values or more of each',
            )  # fmt: skip
        if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in values):
            raise LabrigError(f"The {name} are no numbers", where="target_grid", expected="degrees")
        array = np.asarray(values, "f8")
        rising = np.diff(array)
        if (
            not np.isfinite(array).all()
            or np.abs(array).max() > most
            or not ((rising > 0).all() or (rising < 0).all())
        ):
            raise LabrigError(
                f"The {name} are no axis",
                where="target_grid",
                expected=f"degrees within +-{most}, in order, each once",
            )
        axes[name] = array
    names = {key: str(given.get(key) or usual) for key, usual in NAMES.items()}
    if len(set(names.values())) < 2:
        raise LabrigError("Both axes would have one name", where="lat_name, lon_name")
    grid = xr.Dataset(
        coords={
            Y: (Y, axes["latitudes"], {"units": "degrees_north"}),
            X: (X, axes["longitudes"], {"units": "degrees_east"}),
        }
    )
    return grid, names, "inline"


def extrapolate(field: Any, target: Any, method: str) -> Any:
    """Return a field with what lies beyond its centres continued from the nearest ones, along each axis."""
    more = {"fill_value": "extrapolate"}
    sorted_ = field.sortby(Y).sortby(X)
    turns = 360.0 * np.round((float(field[X].mean()) - target[X].values.mean()) / 360.0)
    found = sorted_.interp({Y: target[Y].values}, method=method, kwargs=more)
    found = found.interp({X: target[X].values + turns}, method=method, kwargs=more)
    return found.assign_coords({Y: target[Y], X: target[X]}).transpose(*field.dims).assign_attrs(field.attrs)
