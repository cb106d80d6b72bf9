"""Group era5_obs: ERA5 fetched, normals and events of it, winds, moisture, vorticity, shear, regions."""

from __future__ import annotations

import datetime
import functools
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from labrig.answer import Published
from labrig.errors import LabrigError, unknown_name
from labrig.threads import in_thread
from labrig.toolbox import Session, session
from labrig_earth.catalogue import era5
from labrig_earth.catalogue.data_stores import CDS
from labrig_earth.server.base import toolbox
from labrig_earth.server.operations import Asked, do_operation
from labrig_earth.server.terra.common import publish_payload, put_file, require_active
from labrig_earth.server.terra.offering import offer
from labrig_earth.server.terra.stores import extent, fetch_file
from labrig_earth.terra.arguments import era5_obs as arguments
from labrig_earth.terra.arguments.kinds import Number, Numbers, Text, Wholes
from labrig_earth.terra.marks import MARK

GROUP = "era5_obs"
TOOLSETS = ("terra", f"terra-{GROUP}")
ERA5 = "./data/era5"
Region = Annotated[
    str | Numbers, BeforeValidator(lambda value: "" if value is None else value),
    Field(description="global, norcal, europe, or [north, west, south, east]."),
]  # fmt: skip


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
        return publish_payload(payload, source=source, record={"operation": "fetch_era5"})
    hashes: dict[str, str] = {}
    warnings: list[str] = []
    for name, request in wanted.requests:
        about, coords, notes = await fetch_request(here, wanted, name, request, persist_dir or ERA5, hashes)
        payload["files"].append(about)
        payload["coords"] = payload["coords"] or coords
        warnings += notes
    payload["cached"] = all(each["cached"] for each in payload["files"])
    payload["attribution"] = "generated using Copernicus Climate Change Service information"
    if warnings:
        payload["warnings"] = list(dict.fromkeys(warnings))
    record = {"operation": "fetch_era5", "outputs": hashes}
    return publish_payload(payload, source=source, record=record, warned=bool(warnings))


async def fetch_request(
    here: Session,
    wanted: era5.Wanted,
    name: str,
    request: dict[str, Any],
    folder: str,
    hashes: dict[str, str],
) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """Fetch a file, have it cut and spliced where that is needed, and return what is said of it."""
    stored = await fetch_file(here, "fetch_era5", wanted.dataset, name, request, folder)
    if stored.sha256:
        hashes[stored.path] = stored.sha256
    window = wanted.window
    about: dict[str, Any] = {"path": stored.path, "size_bytes": stored.size, "cached": stored.cached}
    asked = Asked("terra_fetch_era5", {"file": [stored.path]}, {"start": window.start, "end": window.end})
    async with do_operation(asked, here) as done:
        data, notes = dict(done.result.data), done.result.warnings
        if data["path"]:
            part = f"_{window.start}_{window.end}" if window.start else "_final_first"
            target = str(PurePosixPath(stored.path).with_suffix("")).replace(":", "-") + part.replace(":", "")
            made_by = {"server": "earth", "method": done.result.method}
            file = str(data["path"]).removeprefix(MARK)
            path, sha256 = await in_thread(put_file, here, done.folder, file, f"{target}.nc", made_by)
            size = done.folder.about(file).st_size
            hashes[path] = sha256
            about |= {
                "path": path,
                "size_bytes": size,
                "subset_applied": bool(window.start),
                "whole_path": stored.path,
            }
    return {**about, "variables": data["variables"]}, dict(data["coords"]), notes


tool = functools.partial(offer, GROUP)

tool("build_era5_climatology", "Normals of months", arguments.BuildEra5Climatology)
tool("count_era5_events", "Count events", arguments.CountEra5Events)
tool("temporal_aggregate", "Aggregate over time", arguments.TemporalAggregate)
tool("winds_basic", "Wind", arguments.WindsBasic)
tool("humidity_basic", "Humidity", arguments.HumidityBasic)
tool("moisture_integrals", "Columns of moisture", arguments.MoistureIntegrals)
tool("kinematics", "Vorticity and divergence", arguments.Kinematics)
tool("vertical_shear", "Vertical shear", arguments.VerticalShear)
tool("region_reduce", "Statistics of a region", arguments.RegionReduce, read_only=True)
