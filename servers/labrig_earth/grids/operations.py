"""Operations on grids as tools name them: files are opened, rooms beside this one compute, arrays are written.

Arguments that several have: ``variable``, ``select`` (`reading.SELECTED`), ``unit`` (of the result), ``stated_unit``
(of data that have none), ``missing`` (a value that stands for none), ``format`` (of the file), ``group`` (of a NetCDF
or Zarr).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from labrig.answer import Quantity
from labrig.errors import LabrigError
from labrig.tables.formulas import without_formula
from labrig_earth.data.cubes import open_data
from labrig_earth.data.formats import VECTORS, format_of
from labrig_earth.data.layers import describe_layers
from labrig_earth.gis.features import Features, read_features
from labrig_earth.gis.osm import describe_osm, is_osm
from labrig_earth.grids import arithmetic, combining, describing, regridding, terrain, zonal
from labrig_earth.grids.aggregating import Wanted, aggregate
from labrig_earth.grids.conventions import ACCUMULATED, accumulation_of
from labrig_earth.grids.doubts import suspected, with_missing
from labrig_earth.grids.mesh import cells_axes
from labrig_earth.grids.reading import (
    Field,
    in_unit,
    opened,
    readable,
    selected,
    told_accumulated,
    variable,
    variables,
)
from labrig_earth.grids.reporting import result_of
from labrig_earth.grids.selecting import checked_box, point_or_place, unbroken
from labrig_earth.grids.writing import head_of
from labrig_earth.indices import preparing
from labrig_earth.indices.computing import INDEX
from labrig_earth.results import Result
from labrig_earth.work.calls import Call, Operation


def describe_data(call: Call) -> Result:
    """Describe a grid or raster (``variable``, ``group``), layers of features (``layer``), or OSM data."""
    places = call.several("data")
    if format_of(places[0]) in VECTORS:
        return describe_layers(call.input("data"), layer=call.argument("layer", ""))
    if is_osm(places[0]):
        return describe_osm(places[0])
    data = open_data(places, group=call.argument("group", ""))
    found = describing.describe_data(data, variable=call.argument("variable", ""))
    return replace(found, source=str(data.encoding.get("source", "")))


def extract(call: Call) -> Result:
    """Cut out a part; ``variables``, ``select``, ``point`` (latitude, longitude) with ``method``, ``unit``."""
    source = variables(_opened(call), list(call.argument("variables", [])))
    for name in source.data.data_vars:  # a part of the grid would not show it
        if accumulation_of(source.data[name], source.axes.time).covers == "since_00":
            source.data[name].attrs[ACCUMULATED] = "since_00"
    source = selected(source, call.argument("select", {}))
    source = suspected(readable(source))
    point = call.argument("point")
    done = ""
    values: tuple[Quantity, ...] = ()
    if point is not None:
        latitude, longitude = _pair(point, "point")
        found = point_or_place(source.data, latitude, longitude, method=call.argument("method", "nearest"))
        done = f"{found.method} at {latitude:g}, {longitude:g} (latitude, longitude)"
        values = (
            Quantity("cell_latitude", round(found.latitude, 6), "degree"),
            Quantity("cell_longitude", round(found.longitude, 6), "degree"),
            Quantity("distance_to_cell", round(found.distance_km, 3), "km"),
        )
        axes = source.axes
        source = replace(source.with_data(found.data), axes=axes)
    unit = call.argument("unit", "")
    data = source.data
    if unit or call.argument("stated_unit"):
        if len(data.data_vars) != 1:
            raise LabrigError(
                "One unit is given for several variables", where="unit", try_="one variable in a call"
            )
        one = in_unit(
            source.with_data(data[next(iter(data.data_vars))]),
            unit,
            stated=call.argument("stated_unit", ""),
            water=bool(call.argument("water", False)),
        )
        source, data = one, one.data.to_dataset()
    readable(source)
    result = result_of(
        source, data, done or "values as they are", call.scratch, name="extract", kind=_format(call)
    )
    return replace(result, values=(*values, *result.values))


def aggregate_data(call: Call) -> Result:
    """Aggregate a variable over time, space or polygons; the arguments are the fields of `aggregating.Wanted`."""
    part = dict(call.argument("select", {}))
    start, end = (str(part.pop(key, "") or "") for key in ("start", "end"))
    whole = variable(_opened(call), call.argument("variable", ""))
    whole = told_accumulated(whole, call.argument("accumulated", ""))
    covers = accumulation_of(whole.data, whole.axes.time) if whole.axes.time else None
    ends = covers is not None and covers.covers in ("before", "since_00")
    if covers is not None and covers.covers == "since_00":  # a part of its grid would not show it
        whole = told_accumulated(whole, "since_00").noting(warnings=(covers.doubt,) if covers.doubt else ())
    source = selected(whole, part, ends=ends)
    shapes = _polygons(call) if call.optional("polygons") is not None else None
    frame = None if shapes is None else shapes.frame
    wanted = Wanted(
        over=call.argument("over", "both" if frame is not None else "time"),
        statistic=call.argument("statistic", "mean"),
        every=call.argument("every", ""),
        daily=call.argument("daily", ""),
        options=call.argument("options", {}),
        unit=call.argument("unit", ""),
        stated_unit=call.argument("stated_unit", ""),
        water=bool(call.argument("water", False)),
        start=start,
        end=end,
        utc_offset_h=float(call.argument("utc_offset_h", 0.0)),
        least_part=call.argument("least_part"),
        polygons=frame,
        method=call.argument("method", "exactextract"),
        names=call.argument("names", ""),
    )
    source = source.noting(warnings=() if shapes is None else tuple(shapes.warnings))
    probed = suspected(readable(selected(whole, call.argument("select", {}), ends=ends)))
    found = aggregate(source.noting(warnings=probed.warnings), wanted)
    if INDEX in found.notes:
        return preparing.as_prepared(found.source, found.data, found.notes, found.method, call.scratch)
    kind = _format(call)
    result = result_of(found.source, found.data, found.method, call.scratch, name="aggregate", kind=kind)
    if found.values:  # a trend is its numbers; the series that it is of goes into the file
        result = replace(result, values=found.values)
    return replace(result, data={**result.data, **found.notes})


def combine(call: Call) -> Result:
    """Compute a quantity from others (``what`` of `combining.FORMULAS`), an arithmetic of two fields, or a conversion.

    ``variables`` names them by role; of an arithmetic (add, subtract, multiply, divide) ``variable`` of ``data`` and
    ``other_variable`` of ``other``, or of the same file.
    """
    what = str(call.argument("what", ""))
    part = call.argument("select", {})
    source = selected(_opened(call), part)
    unit = call.argument("unit", "")
    if what == "convert":
        one = suspected(readable(variable(source, call.argument("variable", ""))))
        if not unit:
            raise LabrigError("Which unit?", where="unit", expected='such as "degC"')
        source = in_unit(
            one, unit, stated=call.argument("stated_unit", ""), water=bool(call.argument("water", False))
        )
        readable(source)
        return result_of(source, source.data, "converted", call.scratch, name="converted", kind=_format(call))
    if what in terrain.ACTS:
        heights = suspected(readable(variable(source, call.argument("variable", ""))))
        derived = heights.with_data(terrain.derive_terrain(heights.data, what))
        how = terrain.ACTS[what]
        return result_of(derived, derived.data, how, call.scratch, name=what, kind=_format(call))
    if what in arithmetic.ACTS:
        other_place = call.optional("other")
        other = source if other_place is None else selected(opened(other_place), part)
        first = suspected(readable(variable(source, call.argument("variable", ""))))
        second = suspected(readable(variable(other, call.argument("other_variable", ""))))
        data, said = arithmetic.combined(first.data, second.data, what)
        names = f"{first.data.name} {arithmetic.ACTS[what]} {second.data.name}"
        first = first.noting(assumed=second.assumed, warnings=second.warnings)
        if other_place is not None:
            first = replace(first, source=f"{first.source}, {other.source}")
        result_field = first.with_data(data, *said)
    elif what in preparing.NEEDS:
        return _index_of(source, what, call)
    else:
        data, names, warnings = combining.derived(
            source.data, what, call.argument("variables", {}), call.argument("formula", "")
        )
        result_field = source.with_data(data).noting(warnings=warnings)
    result_field = readable(in_unit(result_field, unit) if unit else result_field)
    return result_of(result_field, result_field.data, names, call.scratch, name=what, kind=_format(call))


def _index_of(source: Field, what: str, call: Call) -> Result:
    """Return what xclim makes a quantity from, or the quantity where it needs no xclim."""
    roles = combining.roles_of(source.data, what, preparing.NEEDS[what], call.argument("variables", {}))
    if "evaporation" in roles:
        data, done = preparing.balance(source, roles)
        return result_of(data, data.data, done, call.scratch, name=what, kind=_format(call))
    made, arguments, notes = preparing.prepare_quantity(source, what, roles)
    return preparing.as_prepared(
        notes, made, {INDEX: arguments}, f"{what} from {', '.join(roles.values())}", call.scratch
    )


def report_index(call: Call) -> Result:
    """Return what xclim made (``name``) as a result; ``format``."""
    source = opened(call.input("data"))
    fields = source.data[[name for name in source.data.data_vars if source.data[name].dims]]
    name = str(call.argument("name", "index"))
    return result_of(source, fields, "", call.scratch, name=name, kind=_format(call))


def regrid_or_reproject(call: Call) -> Result:
    """Put a variable on another grid.

    ``resolution`` (degree) and ``select.box``, or ``like`` (a file), with ``method``; or ``crs`` with ``resolution``
    (in its unit) and ``resampling``; ``source_crs`` of data that state none.
    """
    source = variable(_opened(call), call.argument("variable", ""))
    part = dict(call.argument("select", {}))
    resolution = call.argument("resolution")
    crs, like = call.argument("crs", ""), call.optional("like")
    method = call.argument("method", "conservative")
    if crs and like is not None:
        raise LabrigError(
            "Both a CRS and a grid to imitate are given", where="crs, like", expected="one of them"
        )
    if crs:
        source = suspected(readable(selected(source, part)))
        one = source.data.squeeze(drop=True)
        found = regridding.reproject(
            one,
            crs,
            resolution=resolution,
            resampling=call.argument("resampling", ""),
            source_crs=call.argument("source_crs", ""),
        )
        done = source.with_data(found.data)
        result = result_of(
            done, found.data, found.method, call.scratch, name="reprojected", kind=_format(call) or "geotiff"
        )
        return result.noting(
            warnings=(*found.warnings, *regridding.class_doubt(one, call.argument("resampling", "nearest")))
        )
    box = part.pop("box", None)
    source = suspected(readable(selected(source, part)))
    if like is not None:
        target = regridding.grid_of(opened(like).data)
    elif resolution is not None:
        axes = cells_axes(source.data)
        whole = source.data if axes.curvilinear else unbroken(source.data, axes)
        target = regridding.target_grid(resolution, None if box is None else checked_box(box), whole, axes)
    else:
        raise LabrigError(
            "Which grid?",
            where="resolution, like, crs",
            expected="a resolution in degree, a file to imitate, or a CRS",
        )
    found = regridding.regrid(source.data, target, method=method)
    data = found.data.compute() if found.data.nbytes < (512 << 20) else found.data
    result = result_of(
        source.with_data(data),
        data,
        found.method,
        call.scratch,
        name="regridded",
        kind=_format(call) or "netcdf",
    )
    result = result.noting(warnings=(*found.warnings, *regridding.class_doubt(source.data, method)))
    of_cells = found.common is None and not cells_axes(source.data).geographic
    if of_cells or min(data.shape[-2:]) < 2:
        return result
    before, after = regridding.conservation(source.data, data, found.common)
    unit = str(source.data.attrs.get("units", ""))
    kept = (
        Quantity("area_mean_before", float(f"{before:.7g}"), unit, "over the extent of the result"),
        Quantity("area_mean_after", float(f"{after:.7g}"), unit),
    )
    return replace(result, values=(*result.values, *kept))


def zonal_statistics(call: Call) -> Result:
    """Statistics of cells in polygons; ``statistics``, ``percentile``, ``names`` and ``layer`` of the polygons."""
    source = selected(variable(_opened(call), call.argument("variable", "")), call.argument("select", {}))
    source = suspected(readable(source))
    source = in_unit(source, call.argument("unit", ""), stated=call.argument("stated_unit", ""))
    shapes = _polygons(call)
    source = readable(source)
    statistics = list(call.argument("statistics", ["mean", "min", "max", "count"]))
    found = zonal.zonal_statistics(
        source.data.squeeze(drop=True),
        shapes.frame,
        statistics,
        percentile=call.argument("percentile"),
        names=call.argument("names", ""),
    )
    table = found.table
    files: tuple[str, ...] = ()
    columns = [name for name in table.columns if name in found.units and name != "cells"]
    values: list[Quantity] = []
    if len(table) * len(columns) <= 24:
        for row in table.to_dict("records"):
            label = ", ".join(str(row[name]) for name in table.columns if name not in found.units)
            for name in columns:
                known = row[name] is not None and row[name] == row[name]
                number = float(f"{row[name]:.7g}") if known else None
                values.append(
                    Quantity(
                        name, number, found.units[name], label if known else f"{label}: no cells with values"
                    )
                )
    else:
        named = table.rename(
            columns={name: head_of(name, unit) for name, unit in found.units.items() if unit != "1"}
        )
        named = named.map(lambda value: without_formula(value) if isinstance(value, str) else value)
        named.to_csv(call.scratch / "zonal_statistics.csv", index=False)
        files = ("zonal_statistics.csv",)
        for name in columns:
            known_values = table[name].astype("f8").dropna()
            if len(known_values):
                span = f"{known_values.min():.5g} to {known_values.max():.5g} over {len(table)} rows"
                values.append(
                    Quantity(
                        f"{name} mean of rows", float(f"{known_values.mean():.6g}"), found.units[name], span
                    )
                )
    return Result(
        method="; ".join([*source.done, found.method]),
        values=tuple(values),
        data={"rows": len(table), "polygons": int(table["region"].nunique())},
        crs=source.axes.crs,
        grid=source.grid,
        valid_cells=round(float(table["cells"].fillna(0).sum())),
        source=f"{source.source}, {shapes.name}",
        files=files,
    ).noting(assumed=source.assumed, warnings=(*source.warnings, *shapes.warnings, *found.warnings))


def _opened(call: Call) -> Field:
    found = opened(*call.several("data"), group=call.argument("group", ""))
    return with_missing(found, call.argument("missing"))


def _polygons(call: Call) -> Features:
    return read_features(
        call.input("polygons"), layer=call.argument("layer", ""), crs=call.argument("polygons_crs", "")
    )


def _format(call: Call) -> str:
    return str(call.argument("format", ""))


def _pair(value: Any, name: str) -> tuple[float, float]:
    numbers = isinstance(value, list) and len(value) == 2
    if not numbers or any(isinstance(each, bool) or not isinstance(each, (int, float)) for each in value):
        raise LabrigError(
            f"The {name} is no pair of numbers", where=name, expected="[latitude, longitude] in degree"
        )
    return float(value[0]), float(value[1])


OPERATIONS: Mapping[str, Operation] = {
    "describe_data": describe_data,
    "extract": extract,
    "aggregate": aggregate_data,
    "combine": combine,
    "regrid_or_reproject": regrid_or_reproject,
    "zonal_statistics": zonal_statistics,
    "report_index": report_index,
}
