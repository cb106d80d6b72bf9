"""Group seasonal: indices of ENSO, masks of regions, and tables of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig.tables.writing import csv_text
from labrig_earth.ensembles.members import TIME, X, Y, like, stem_of
from labrig_earth.results import Result
from labrig_earth.seasonal import enso
from labrig_earth.seasonal.hindcasts import LEAD, START, has_cells, monthly, read_seasonal
from labrig_earth.terra.arguments import seasonal as arguments
from labrig_earth.terra.marks import MARK
from labrig_earth.terra.payloads import make_result, number, write_netcdf
from labrig_earth.terra.seasonal_files import probabilities_of, variables_of
from labrig_earth.verification.emos import LEAST_YEARS
from labrig_earth.work.calls import Call

MOST_SHOWN = 50


def compute_enso_indices(call: Call, asked: arguments.ComputeEnsoIndices) -> Result:
    """Give anomalies of sea surface temperature in the boxes of ENSO, and running means of them, by month."""
    base, window = asked.baseline_years, asked.smooth_months
    if len(base) != 2 or base[0] > base[1]:
        raise LabrigError(
            f"The base period is {base}", where="baseline_years", expected="[first year, last year]"
        )
    if window % 2 == 0:
        raise LabrigError(
            f"smooth_months is {window}", where="smooth_months", expected="an odd number: it is centred"
        )
    source = read_seasonal(call.input("sst_path"), asked.variable)
    data = source.data
    if set(data.dims) != {TIME, Y, X}:
        raise LabrigError(
            f"Its axes are {', '.join(map(str, data.dims))}",
            where="sst_path",
            expected="time, latitude, longitude",
        )
    data = data.sortby(TIME)
    months = monthly(data, "sst_path")
    if window > 1 and months.size > 1 and (np.diff(months).astype(int) != 1).any():
        raise LabrigError("Months are missing between others", where="sst_path", try_="smooth_months=1")
    columns: dict[str, Any] = {}
    warnings = list(source.warnings)
    for name, box in enso.BOXES.items():
        try:
            mean = enso.box_mean(data, box)
        except LabrigError as error:
            if name == "nino34":
                raise
            warnings.append(f"{name} is left out: {error}")
            continue
        anomaly = enso.monthly_anomaly(mean, base[0], base[1])
        columns[name] = enso.running_mean(anomaly, window)
        columns[f"{name}_month"] = anomaly
    span = base[1] - base[0] + 1
    if span < LEAST_YEARS:
        warnings.append(f"The base period has {span} years; 30 are usual")
    rows = [
        [str(month), *(format_cell(column.values[place]) for column in columns.values())]
        for place, month in enumerate(months)
    ]
    path = write_table(call, "enso_indices.csv", ["time", *columns], rows)
    main = columns["nino34"]
    payload = {
        "output_path": path,
        "records": len(rows),
        "columns": ["time", *columns],
        "units": str(data.attrs.get("units", "")) or "as the file",
        "baseline_years": base,
        "smooth_months": window,
        "nino34": {
            "last": number(main.dropna(TIME).values[-1]) if bool(main.notnull().any()) else None,
            "max": number(main.max()),
            "min": number(main.min()),
            "std": number(main.std()),
        },
    }
    said = (
        f"mean over each box by area, minus the mean of the month in {base[0]} to {base[1]}; centred running mean of "
        f"{window} months, empty where the window is not full; columns with _month are not smoothed"
    )
    return make_result(payload, method=said, files=(path,), warnings=tuple(warnings))


def region_mask(call: Call, asked: arguments.RegionMask) -> Result:
    """Mark the cells whose centres lie in a box: 1 in it, 0 outside."""
    region = asked.region
    expected = "[north, west, south, east] in degrees"
    if len(region) != 4 or not np.isfinite(region).all():
        raise LabrigError(f"The region has {len(region)} numbers", where="region", expected=expected)
    north, west, south, east = region
    if max(abs(north), abs(south)) > 90 or north <= south:
        raise LabrigError(
            f"From {south:g} to {north:g} are no latitudes from south to north",
            where=f"region {region}",
            expected=expected,
            try_="the numbers in another order",
        )
    if max(abs(west), abs(east)) > 360:
        raise LabrigError("Longitudes go from -180 to 360", where=f"region {region}", expected=expected)
    place = call.input("grid_path")
    source = read_seasonal(place, variables_of(place)[0])
    data = source.data
    if not has_cells(data):
        raise LabrigError("The file has no axes of latitude and longitude", where=source.source)
    import xarray as xr

    span = (east - west) % 360 or (360.0 if east != west else 0.0)
    rows = (data[Y] >= south) & (data[Y] <= north)
    columns = ((data[X] - west) % 360) <= span
    mask = (rows & columns).astype("f4")
    inside = int(mask.sum())
    if not inside:
        low, high = data[Y].values.min(), data[Y].values.max()
        raise LabrigError(
            "No cell has its centre in the region",
            where=f"region {region}",
            expected=f"{expected}; the grid has {low:g} to {high:g} N, {data[X].values.min():g} to "
            f"{data[X].values.max():g} E",
            code="not_found",
        )
    said = "1 where the centre of a cell lies in the box, its edges included"
    mask = xr.DataArray(mask.transpose(Y, X), attrs={"units": "1"})
    path = write_netcdf(call, {"region_mask": mask}, "region_mask", history=said, source=source.source)
    payload = {"output_path": path, "region": region, "cells": inside, "of": int(mask.size)}
    return make_result(payload, method=said, files=(path,), assumed=("region is [north, west, south, east]",))


def seasonal_region_table(call: Call, asked: arguments.SeasonalRegionTable) -> Result:
    """Give the mean probabilities of regions, by masks or names, with anomaly and skill."""
    model = probabilities_of(call.input("prob_path"))
    masks, regions = call.inputs.get("mask_paths", ()), asked.regions
    if not masks and not regions:
        raise LabrigError(
            "No region is given", where="mask_paths, regions", expected="masks, or names of countries"
        )
    columns = dict(model)
    for role, name, variable in (
        ("anomaly_path", "anomaly_mean", asked.anomaly_variable),
        ("skill_path", "skill", asked.skill_variable),
    ):
        if call.optional(role) is not None:
            columns[name] = take_single(read_seasonal(call.input(role), variable).data, role)
    columns = {name: take_single(each, "prob_path") for name, each in columns.items()}
    grid = columns["p_below"]
    columns = {name: like(each, grid, where=name, units=False) for name, each in columns.items()}
    rows: list[list[Any]] = []
    warnings: list[str] = []
    for place in masks:
        mask = like(take_single(read_seasonal(place).data, place.name), grid, where=place.name, units=False)
        if float(mask.min()) < 0 or float(mask.max()) > 1:
            raise LabrigError("A mask has values from 0 to 1", where=place.name)
        rows.append(make_row(stem_of(place.name), columns, mask, place.name))
    for name in regions:
        mask, notes = share_in_region(name, grid)
        warnings += notes
        rows.append(make_row(name, columns, mask, name))
    head = ["region", *columns, "cells"]
    path = write_table(call, "region_table.csv", head, [[format_cell(each) for each in row] for row in rows])
    payload = {
        "output_path": path,
        "rows": len(rows),
        "table": [
            {
                key: (number(value) if isinstance(value, float) else value)
                for key, value in zip(head, row, strict=True)
            }
            for row in rows[:MOST_SHOWN]
        ],
    }
    said = "means by the area of cells in the region; cells without a value do not count"
    return make_result(payload, method=said, files=(path,), warnings=tuple(warnings))


def share_in_region(name: str, grid: Any) -> tuple[Any, list[str]]:
    """Return the share of each cell that lies in a country, continent or subregion."""
    import geopandas

    from labrig_earth.grids.areas import coverage, on_grid
    from labrig_earth.grids.axes import horizontal
    from labrig_earth.natural_earth.regions import resolve_region

    region = resolve_region(name, main_part=True)
    frame = geopandas.GeoDataFrame({"name": [region.name]}, geometry=[region.geometry], crs="EPSG:4326")
    axes = horizontal(grid)
    shapes, _, warnings = on_grid(grid, axes, frame, "name")
    share = coverage(grid, axes, list(shapes), "fractional")[0]
    return grid.copy(data=share), [*warnings, *(f"{region.name}: {note}" for note in region.notes)]


def make_row(name: str, columns: dict[str, Any], mask: Any, where: str) -> list[Any]:
    import xarray as xr

    from labrig_earth.grids.axes import edges_of

    edges = np.radians(edges_of(mask[Y].values, within=(-90, 90)))
    area = xr.DataArray(np.abs(np.diff(np.sin(edges))), dims=Y, coords={Y: mask[Y]})
    weights = mask.fillna(0) * area
    found: list[Any] = [name]
    for each in columns.values():
        there = weights * each.notnull()
        total = float(there.sum())
        found.append(float((each.fillna(0) * there).sum()) / total if total > 0 else float("nan"))
    if not np.isfinite(found[1]):
        raise LabrigError("No cell with a value lies in the region", where=where, code="not_found")
    return [*found, int((mask > 0).sum())]


def take_single(data: Any, where: str) -> Any:
    """Return a field over latitude and longitude: the one start, lead or time that it has."""
    for dim in (START, LEAD, TIME):
        if dim in data.dims:
            if data.sizes[dim] > 1:
                raise LabrigError(
                    f"It has {data.sizes[dim]} steps of {dim}", where=where, expected="one",
                    try_="aggregate_to_season, or a forecast of one start",
                )  # fmt: skip
            data = data.isel({dim: 0}, drop=True)
    if set(data.dims) != {Y, X}:
        raise LabrigError(
            f"Its axes are {', '.join(map(str, data.dims))}", where=where, expected="latitude, longitude"
        )
    return data.transpose(Y, X)


def write_table(call: Call, name: str, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    (call.scratch / name).write_text(csv_text(head, rows), encoding="utf-8")
    return f"{MARK}{name}"


def format_cell(value: Any) -> Any:
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}" if np.isfinite(value) else ""
    return value
