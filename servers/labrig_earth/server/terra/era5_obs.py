"""Group era5_obs: ERA5 fetched, normals and events of it, winds, moisture, vorticity, shear, regions."""

from __future__ import annotations

import datetime
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from labrig.answer import Published
from labrig.errors import LabrigError, unknown_name
from labrig.threads import in_thread
from labrig.toolbox import Session, session
from labrig_earth.catalogue import era5
from labrig_earth.catalogue.data_stores import CDS
from labrig_earth.server.base import Asked, toolbox, worked
from labrig_earth.server.terra.common import (
    Count,
    Number,
    Numbers,
    Text,
    Texts,
    Wholes,
    called,
    kept_at,
    published,
    require_active,
    within,
)
from labrig_earth.server.terra.stores import extent, fetched_file
from labrig_earth.terra.marks import MARK

GROUP = "era5_obs"
TOOLSETS = ("terra", f"terra-{GROUP}")
ERA5, CLIMATE, EVENTS = "./data/era5", "./data/era5_climo", "./data/era5_events"
DIAGNOSTICS = "./data/diagnostics"
Region = Annotated[
    str | Numbers, BeforeValidator(lambda value: "" if value is None else value),
    Field(description="global, norcal, europe, or [north, west, south, east]."),
]  # fmt: skip
Levels = Annotated[Numbers, Field(description="hPa; by default all.")]


@toolbox.tool(title="Fetch ERA5", read_only=False, open_world=True, faithful=True, toolsets=TOOLSETS)
async def fetch_era5(
    dataset_kind: Annotated[
        str, Field(description="era5_single_levels, _single_levels_monthly, _pressure_levels, _land.")
    ],
    variables: Annotated[list[str], Field(description="t2m, tp, msl ..; z, t, u, v, q, r, w on levels.")],
    time_window: Annotated[
        dict[str, Any],
        Field(
            description="start with hours or end; year, month, day, hours; years, months (monthly); static."
        ),
    ],
    region: Region = "",
    levels: Annotated[Wholes, Field(description="hPa.")] = [],  # noqa: B006 - pydantic copies it
    backend: Annotated[Text, Field(description="cds.")] = "cds",
    format: Annotated[Text, Field(description="netcdf.")] = "netcdf",
    grid: Annotated[Number | None, Field(description="Degrees.")] = None,
    persist_dir: Text = ERA5,
    dry_run: bool = False,
) -> Published:
    """Fetch ERA5 or ERA5-Land of Copernicus; needs a key of the CDS. dry_run only says what would be asked."""
    here = session()
    require_active(GROUP, here)
    if (backend or "cds") != "cds":
        raise LabrigError(
            f"There is no backend {backend!r:.40}: the public code has none either",
            where="backend",
            expected="cds",
            code="refused",
        )
    if (format or "netcdf") != "netcdf":
        raise LabrigError("Only NetCDF can be read", where="format", expected="netcdf")
    if isinstance(region, str) and region and region not in era5.REGIONS:
        raise unknown_name("region", region, era5.REGIONS, where="region")
    area = era5.REGIONS[region or "global"] if isinstance(region, str) else region
    if not isinstance(region, str) and not region:
        raise LabrigError(
            "The region is empty", where="region", expected="[north, west, south, east] in degrees"
        )
    wanted = era5.wanted_of(
        dataset_kind,
        variables,
        time_window,
        levels=levels,
        extent=extent(list(area), grid, where="region"),
        today=datetime.datetime.now(datetime.UTC).date(),
    )
    payload: dict[str, Any] = {
        "request": {"dataset": wanted.dataset, **wanted.requests[0][1]},
        "backend": "cds",
        "files": [],
        "dataset_kind": dataset_kind,
        "variables_resolved": list(wanted.names),
        "coords": {},
    }
    if len(wanted.requests) > 1:
        payload["requests"] = [{"dataset": wanted.dataset, **request} for _, request in wanted.requests]
    if wanted.assumed:
        payload["assumed"] = list(wanted.assumed)
    source = f"{CDS.name} ({CDS.at()}), {wanted.dataset}"
    if dry_run:
        return published(payload, source=source, record={"operation": "fetch_era5"})
    hashes: dict[str, str] = {}
    warnings: list[str] = []
    for name, request in wanted.requests:
        about, coords, notes = await _one(here, wanted, name, request, persist_dir or ERA5, hashes)
        payload["files"].append(about)
        payload["coords"] = payload["coords"] or coords
        warnings += notes
    payload["cached"] = all(each["cached"] for each in payload["files"])
    payload["attribution"] = "generated using Copernicus Climate Change Service information"
    if warnings:
        payload["warnings"] = list(dict.fromkeys(warnings))
    record = {"operation": "fetch_era5", "outputs": hashes}
    return published(payload, source=source, record=record, warned=bool(warnings))


async def _one(
    here: Session,
    wanted: era5.Wanted,
    name: str,
    request: dict[str, Any],
    folder: str,
    hashes: dict[str, str],
) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """Fetch a file, have it cut and spliced where that is needed, and return what is said of it."""
    stored = await fetched_file(here, "fetch_era5", wanted.dataset, name, request, folder)
    if stored.sha256:
        hashes[stored.path] = stored.sha256
    window = wanted.window
    about: dict[str, Any] = {"path": stored.path, "size_bytes": stored.size, "cached": stored.cached}
    asked = Asked("terra_fetch_era5", {"file": [stored.path]}, {"start": window.start, "end": window.end})
    async with worked(asked, here) as done:
        data, notes = dict(done.result.data), done.result.warnings
        if data["path"]:
            part = f"_{window.start}_{window.end}" if window.start else "_final_first"
            target = str(PurePosixPath(stored.path).with_suffix("")).replace(":", "-") + part.replace(":", "")
            made_by = {"server": "earth", "method": done.result.method}
            file = str(data["path"]).removeprefix(MARK)
            path, sha256 = await in_thread(kept_at, here, done.folder, file, f"{target}.nc", made_by)
            size = done.folder.about(file).st_size
            hashes[path] = sha256
            about |= {
                "path": path,
                "size_bytes": size,
                "subset_applied": bool(window.start),
                "whole_path": stored.path,
            }
    return {**about, "variables": data["variables"]}, dict(data["coords"]), notes


@toolbox.tool(title="Normals of months", read_only=False, faithful=True, toolsets=TOOLSETS)
async def build_era5_climatology(
    data_path: str,
    variable: str,
    start_year: Count,
    end_year: Count,
    time_coord: Text = "",
    output_dir: Text = CLIMATE,
    std_of: Annotated[Text, Field(description="steps, or means of months.")] = "steps",
) -> Published:
    """Mean and standard deviation of each month of the year."""
    arguments = {
        "variable": variable,
        "start_year": start_year,
        "end_year": end_year,
        "time_coord": time_coord,
        "std_of": std_of,
    }
    output = output_dir or CLIMATE
    return await called(GROUP, "build_era5_climatology", {"file": [data_path]}, arguments, output_dir=output)


@toolbox.tool(title="Count events", read_only=False, faithful=True, toolsets=TOOLSETS)
async def count_era5_events(
    data_path: str,
    variable: str,
    start_year: Count,
    end_year: Count,
    threshold: Number,
    comparison: Annotated[Text, Field(description=">, >=, <, <=.")] = ">=",
    time_coord: Text = "",
    output_dir: Text = EVENTS,
    threshold_units: Text = "",
) -> Published:
    """Count the steps beyond a threshold, by cell and by year."""
    arguments = {
        "variable": variable,
        "start_year": start_year,
        "end_year": end_year,
        "threshold": threshold,
        "comparison": comparison,
        "time_coord": time_coord,
        "threshold_units": threshold_units,
    }
    output = output_dir or EVENTS
    return await called(GROUP, "count_era5_events", {"file": [data_path]}, arguments, output_dir=output)


@toolbox.tool(title="Aggregate over time", read_only=False, faithful=True, toolsets=TOOLSETS)
async def temporal_aggregate(
    netcdf_path: str,
    spec: Annotated[
        dict[str, str],
        Field(description='{"t2m": "1D:max"}: 6h, 1D, MS, YS, QS-DEC; sum, mean, max, min, median.'),
    ],
    align: Annotated[Text, Field(description="When windows begin, 06:00.")] = "00:00",
    output_path: Text = "./data/aggregations/temporal_aggregate.nc",
) -> Published:
    """Aggregate variables over windows of time."""
    return await _to(
        "temporal_aggregate", netcdf_path, {"spec": spec, "align": align}, output_path, "./data/aggregations"
    )


@toolbox.tool(title="Wind", read_only=False, faithful=True, toolsets=TOOLSETS)
async def winds_basic(
    netcdf_path: str,
    u: Text = "u10",
    v: Text = "v10",
    levels: Levels = [],  # noqa: B006
    output_path: Text = f"{DIAGNOSTICS}/winds_basic.nc",
) -> Published:
    """Speed, and direction whence the wind blows."""
    return await _to("winds_basic", netcdf_path, {"u": u, "v": v, "levels": levels}, output_path)


@toolbox.tool(title="Humidity", read_only=False, faithful=True, toolsets=TOOLSETS)
async def humidity_basic(
    netcdf_path: str,
    T: Text = "t2m",
    q: Text = "q",
    d2m: Text = "",
    p: Annotated[Text, Field(description="Variable, or the axis of levels.")] = "sp",
    output_path: Text = f"{DIAGNOSTICS}/humidity_basic.nc",
    formula: Annotated[Text, Field(description="bolton, magnus, buck.")] = "bolton",
) -> Published:
    """Dew point, relative humidity (0 to 1), mixing ratio, potential temperature, by q or else d2m."""
    arguments = {"T": T, "q": q, "d2m": d2m, "p": p, "formula": formula}
    return await _to("humidity_basic", netcdf_path, arguments, output_path)


@toolbox.tool(title="Columns of moisture", read_only=False, faithful=True, toolsets=TOOLSETS)
async def moisture_integrals(
    netcdf_path: str,
    q: Text = "q",
    u: Text = "u",
    v: Text = "v",
    level_dim: Text = "level",
    levels: Levels = [],  # noqa: B006
    output_path: Text = f"{DIAGNOSTICS}/moisture_integrals.nc",
    surface_pressure: Annotated[Text, Field(description="Variable: nothing below it counts.")] = "",
) -> Published:
    """Water vapour of columns and its transport: IWV, IVT_u, IVT_v, IVT."""
    arguments = {
        "q": q,
        "u": u,
        "v": v,
        "level_dim": level_dim,
        "levels": levels,
        "surface_pressure": surface_pressure,
    }
    return await _to("moisture_integrals", netcdf_path, arguments, output_path)


@toolbox.tool(title="Vorticity and divergence", read_only=False, faithful=True, toolsets=TOOLSETS)
async def kinematics(
    netcdf_path: str,
    u: Text = "u",
    v: Text = "v",
    level: Annotated[Number | None, Field(description="hPa.")] = None,
    geopotential: Text = "z",
    pressure: Annotated[Text, Field(description="Where there is no geopotential.")] = "msl",
    output_path: Text = f"{DIAGNOSTICS}/kinematics.nc",
    air_density: Annotated[Number, Field(description="kg m-3, for pressure.")] = 1.225,
) -> Published:
    """Vorticity, divergence and geostrophic wind on the sphere."""
    arguments = {
        "u": u,
        "v": v,
        "level": level,
        "geopotential": geopotential,
        "pressure": pressure,
        "air_density": air_density,
    }
    return await _to("kinematics", netcdf_path, arguments, output_path)


@toolbox.tool(title="Vertical shear", read_only=False, faithful=True, toolsets=TOOLSETS)
async def vertical_shear(
    netcdf_path: str,
    top: Annotated[Number, Field(description="hPa.")] = 500.0,
    bottom: Annotated[Number, Field(description="hPa.")] = 850.0,
    u: Text = "u",
    v: Text = "v",
    level_dim: Text = "level",
    output_path: Text = f"{DIAGNOSTICS}/vertical_shear.nc",
) -> Published:
    """Wind at the top of a layer less that at its bottom."""
    arguments = {"top": top, "bottom": bottom, "u": u, "v": v, "level_dim": level_dim}
    return await _to("vertical_shear", netcdf_path, arguments, output_path)


@toolbox.tool(title="Statistics of a region", read_only=True, faithful=True, toolsets=TOOLSETS)
async def region_reduce(
    netcdf_path: str,
    variable: str,
    mask_path: Text = "",
    mask_variable: Text = "",
    region_name: Annotated[Text, Field(description="Country, continent; with a mask its label.")] = "",
    stats: Annotated[Texts, Field(description="mean, max, min, p95 .., area_frac.")] = [],  # noqa: B006
    threshold: Annotated[Number | None, Field(description="Of area_frac: at or above.")] = None,
) -> Published:
    """Statistics of a region over its cells, by area, and times."""
    arguments = {
        "variable": variable,
        "mask_variable": mask_variable,
        "region_name": region_name,
        "stats": stats,
        "threshold": threshold,
    }
    return await called(GROUP, "region_reduce", {"file": [netcdf_path], "mask": [mask_path]}, arguments)


async def _to(
    tool: str, path: str, arguments: dict[str, Any], output_path: str, usual: str = DIAGNOSTICS
) -> Published:
    """Call an operation whose file goes to a path."""
    target = output_path or f"{usual}/{tool}.nc"
    if not target.endswith(".nc"):
        raise LabrigError("The file has another format", where=f"output_path {target[:200]}", expected="*.nc")
    within(target, "output_path")
    return await called(GROUP, tool, {"file": [path]}, arguments, output_path=target)
