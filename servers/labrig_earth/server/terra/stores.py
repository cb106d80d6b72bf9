"""Files of Copernicus' stores put into the workspace, and what their forms allow, as published payloads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labrig.answer import Published
from labrig.canonical import content_hash
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig.toolbox import Session, session
from labrig_earth.catalogue.data_stores import CDS, WAIT_S, constraints, retrieve
from labrig_earth.catalogue.unpacking import unpack
from labrig_earth.server.base import state
from labrig_earth.server.operations import make_scratch
from labrig_earth.server.terra.common import publish_payload, put_file, require_active, require_within

MOST_SHOWN = 40
HDF, CLASSIC, ZIP = b"\x89HDF", b"CDF", b"PK"
ZIP_FILE = b"PK\x03\x04"


async def fetch_files(
    group: str,
    tool: str,
    dataset: str,
    wanted: Sequence[tuple[str, Mapping[str, Any]]],
    *,
    folder: str,
    variables: Sequence[str],
    about: Mapping[str, Any],
) -> Published:
    """Fetch a NetCDF file for each request, and return where they lie; a file that is there is not asked for again.

    Parameters
    ----------
    wanted
        Names without ending, and requests.

    Raises
    ------
    LabrigError
        As `fetched_file`.
    """
    here = session()
    require_active(group, here)
    files: list[dict[str, Any]] = []
    hashes: dict[str, str] = {}
    for name, request in wanted:
        stored = await fetch_file(here, tool, dataset, name, request, folder)
        files.append(
            {"path": stored.path, "vars": list(variables), "nbytes": stored.size, "cached": stored.cached}
        )
        if stored.sha256:
            hashes[stored.path] = stored.sha256
    payload = {
        "files": files,
        "request": dict(about),
        "attribution": "generated using Copernicus Climate Change Service information",
    }
    return publish_payload(
        payload, source=f"{CDS.name} ({CDS.at()}), {dataset}", record={"operation": tool, "outputs": hashes}
    )


@dataclass(frozen=True)
class Kept:
    """A file of the workspace; `sha256` where it was fetched now."""

    path: str
    size: int
    cached: bool
    sha256: str = ""


async def fetch_file(
    here: Session, tool: str, dataset: str, name: str, request: Mapping[str, Any], folder: str
) -> Kept:
    """Fetch the NetCDF file of a request into a folder of the workspace, if it is not there.

    The first digits of the request's hash are added to its name, since a file of another area or spacing is another
    file.

    Raises
    ------
    LabrigError
        What the store says; ``busy`` where a job is not done in time: the same call goes on from there.
    """
    target = str(require_within(f"{folder}/{safe(name)}_{content_hash(dict(request))[:8]}.nc", "persist_dir"))
    if await in_thread(here.workspace.exists, target):
        content = await in_thread(here.workspace.read_bytes, target)
        return Kept(target, len(content), True)
    with ExitStack() as held:
        place = await in_thread(lambda: held.enter_context(make_scratch(here)))
        top = Path(f"/proc/self/fd/{place.descriptor}")
        path = top / "fetched"
        await retrieve(
            state().client,
            CDS,
            dataset,
            request,
            path,
            wait_s=WAIT_S,
            told=lambda text: here.progress(0.0, text),
        )
        file = await in_thread(_the_netcdf, path, dataset)
        size = await in_thread(lambda: (top / file).stat().st_size)
        made_by = {"server": "earth", "tool": tool, "dataset": dataset, "request": dict(request)}
        shown, sha256 = await in_thread(put_file, here, place, file, target, made_by)
    return Kept(shown, size, False, sha256)


def extent(area: list[float], grid: float | None, *, where: str = "area") -> dict[str, Any]:
    """Return what a request says of its area and spacing; LabrigError for a box in another order."""
    said: dict[str, Any] = {}
    if area:
        if len(area) != 4 or not (-90 <= area[2] < area[0] <= 90) or max(abs(area[1]), abs(area[3])) > 360:
            raise LabrigError(
                f"The {where} is {area!s:.80}", where=where, expected="[north, west, south, east] in degrees"
            )
        said["area"] = area
    if grid is not None:
        if not 0 < grid <= 30:
            raise LabrigError(f"The spacing is {grid:g}", where="grid", expected="degrees, above 0")
        said["grid"] = [grid, grid]
    return said


async def list_allowed_values(
    group: str, dataset: str, request: Mapping[str, Any], order: Sequence[str]
) -> Published:
    """Say, key by key, which values of a request a data set has, given the keys before."""
    here, client = session(), state().client
    require_active(group, here)
    if not order:
        raise LabrigError("The request is empty", where="request", expected="keys with their values")
    steps: list[dict[str, Any]] = []
    so_far: dict[str, Any] = {}
    for key in order:
        so_far[key] = request[key]
        found = await constraints(client, CDS, dataset, so_far)
        values = request[key] if isinstance(request[key], list) else [request[key]]
        missing = [str(value) for value in values if key in found and str(value) not in found[key]]
        steps.append(
            {
                "step_key": key,
                "request": dict(so_far),
                "constraints": {name: each[:MOST_SHOWN] for name, each in found.items()},
                "counts": {name: len(each) for name, each in found.items()},
                "missing": missing,
                "valid_examples": found.get(key, [])[:10],
                "known_key": key in found,
                "ok": not missing,
            }
        )
    payload = {
        "collection": dataset,
        "steps": steps,
        "order": list(order),
        "note": f"constraints has the first {MOST_SHOWN} values of each key, counts how many there are",
    }
    return publish_payload(
        payload,
        source=f"{CDS.name} ({CDS.at()}), {dataset}",
        record={"operation": "progressive_cds_constraints", "request": json.loads(json.dumps(dict(request)))},
    )


def _the_netcdf(path: Path, dataset: str) -> str:
    """Return the name of the NetCDF file that a store sent; ERA5-Land's comes in an archive at times, asked for or not.

    Raises
    ------
    LabrigError
        As `require_netcdf`, for several files too.
    """
    with path.open("rb") as file:
        packed = file.read(4) == ZIP_FILE
    if packed:
        files, _ = unpack(path, path.parent, where=dataset)
        if len(files) == 1:
            require_netcdf(path.parent / files[0], dataset)
            return files[0]
    require_netcdf(path, dataset)
    path.rename(path.with_suffix(".nc"))
    return path.with_suffix(".nc").name


def require_netcdf(path: Path, dataset: str) -> None:
    """Raise ``unreachable`` for a file that a store sent and that is no NetCDF."""
    with path.open("rb") as file:
        begins = file.read(4)
    if begins.startswith((HDF, CLASSIC)):
        return
    what = "a ZIP archive" if begins.startswith(ZIP) else "GRIB" if begins == b"GRIB" else "another format"
    raise LabrigError(
        f"The store sent {what} where NetCDF was asked for",
        where=dataset,
        try_="variables of one kind in a call, since what cannot be in one NetCDF file is sent as an archive",
        code="unreachable",
    )


def safe(name: str) -> str:
    """Return a name for a file or folder: letters, digits, ``_``, ``-`` and ``.``, at most 150."""
    kept = "".join(each if each.isascii() and (each.isalnum() or each in "_-.") else "-" for each in name)
    return kept.lstrip(".-")[:150] or "file"
