"""Group era5_obs, over space: statistics of a region, in which cells count by their areas."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from labrig.errors import LabrigError, unknown_name
from labrig_earth.ensembles.members import like, read_field
from labrig_earth.grids.areas import relative_areas
from labrig_earth.grids.axes import Axes, horizontal
from labrig_earth.grids.zonal import weighted_quantile
from labrig_earth.results import Result
from labrig_earth.terra.arguments import era5_obs as arguments
from labrig_earth.terra.payloads import make_result, number
from labrig_earth.terra.seasonal_regions import share_in_region
from labrig_earth.work.calls import Call

STATS = ("mean", "max", "min", "area_frac", "p95")
_PERCENTILE = re.compile(r"p(\d{1,3}(?:\.\d{1,6})?)")


def region_reduce(call: Call, asked: arguments.RegionReduce) -> Result:
    """Give statistics of all values of a variable in a region, over its cells and times."""
    field = read_field(call.input("netcdf_path"), asked.variable)
    axes = horizontal(field.data)
    wanted = asked.stats or ["mean", "max", "p95"]
    percentiles = {name: read_percentile(name) for name in wanted}
    threshold = asked.threshold
    if "area_frac" in wanted and threshold is None:
        raise LabrigError(
            "area_frac needs a threshold", where="threshold", expected="in the unit of the variable"
        )
    data = field.data.transpose(..., axes.y, axes.x)
    share, region, notes = take_share(call, asked, data, axes)
    weights = relative_areas(data, axes) * np.nan_to_num(share)
    values = data.values.reshape(-1, weights.size)
    counted = np.broadcast_to(weights.ravel(), values.shape)
    there = np.isfinite(values) & (counted > 0)
    if not there.any():
        raise LabrigError("No cell with a value lies in the region", where=region, code="not_found")
    chosen, by = values[there], counted[there]
    results: dict[str, Any] = {}
    for name in wanted:
        percentile = percentiles[name]
        if percentile is not None:
            results[name] = number(weighted_quantile(chosen, by, percentile / 100.0))
        elif name == "mean":
            results[name] = number((chosen * by).sum() / by.sum())
        elif name == "area_frac":
            results[name] = number(by[chosen >= threshold].sum() / by.sum())
        else:
            results[name] = number(getattr(chosen, name)())
    warnings = [*field.warnings, *notes]
    unit = str(field.data.attrs.get("units", ""))
    if threshold is not None and not chosen.min() <= threshold <= chosen.max():
        warnings.append(
            f"The threshold {threshold:g} lies outside of all values, {chosen.min():g} to {chosen.max():g} {unit}: "
            "is it in their unit?"
        )
    pooled = {str(dim): int(size) for dim, size in data.sizes.items() if dim not in (axes.y, axes.x)}
    level = axes.level if axes.level in pooled and pooled[axes.level] > 1 else ""
    if level:
        warnings.append(f"{pooled[level]} levels of {level} are taken together")
    said = "each cell by its area and its part in the region, percentiles and fractions too; all times taken together"
    payload = {
        **results,
        "variable": str(field.data.name),
        "units": unit,
        "region": region,
        "cells": int((weights > 0).sum()),
        "values": int(there.sum()),
        "missing": int(((counted > 0) & ~there).sum()),
        "pooled": pooled,
    }
    return make_result(payload, method=said, warnings=tuple(warnings), assumed=field.assumed)


def read_percentile(name: str) -> float | None:
    """Return the number of a percentile such as ``p95``; None for another statistic that there is."""
    found = _PERCENTILE.fullmatch(name)
    if found and float(found.group(1)) <= 100:
        return float(found.group(1))
    if name in STATS:
        return None
    raise unknown_name("statistic", name, (*STATS, "p0 to p100"), where="stats")


def take_share(
    call: Call, asked: arguments.RegionReduce, data: Any, axes: Axes
) -> tuple[Any, str, list[str]]:
    """Return which part of each cell lies in the region, (y, x), the region's name, and notes."""
    name = asked.region_name
    first = data.isel({dim: 0 for dim in data.dims if dim not in (axes.y, axes.x)}, drop=True)
    if call.optional("mask_path") is not None:
        place = call.input("mask_path")
        mask = read_field(place, asked.mask_variable, where="mask_variable").data
        alone = {dim: 0 for dim, size in mask.sizes.items() if size == 1 and dim not in first.dims}
        mask = like(mask.isel(alone, drop=True), first, where="mask_path", units=False).transpose(
            axes.y, axes.x
        )
        if float(mask.min()) < 0 or float(mask.max()) > 1:
            raise LabrigError(
                f"The mask goes from {float(mask.min()):g} to {float(mask.max()):g}",
                where="mask_path",
                expected="0 to 1; cells above 0.5 are in the region",
                try_='mask_variable="NAME", where the file has several',
            )
        return (mask.values > 0.5).astype("f8"), name or place.name, []
    if not name:
        return np.ones(first.shape), "all cells", []
    share, notes = share_in_region(name, first)
    return share.values, name, notes
