"""From a prepared file to an index: xclim in a walled child of its own, whose file another child reads."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from labrig_earth.impact.runs import Allowed, Engine, Engines
from labrig_earth.indices.setup import CLIMATE_ENV

if TYPE_CHECKING:
    from labrig_earth.results import Result
    from labrig_earth.work.asking import Given

XCLIM = Engine(
    "climate",
    "xclim",
    "xclim_engine",
    CLIMATE_ENV,
    folder=CLIMATE_ENV.lock.parent / "inside",
    variables={"NUMBA_DISABLE_CACHING": "1", "OPENBLAS_NUM_THREADS": "1"},
)
FILE_BYTES = 2 << 30
CALL_S, JOB_S = 45.0, 1500.0
PREPARED, INDEX = "prepared.nc", "xclim"
"""Name of a prepared file; of the data of its result, what xclim is to make of it."""
REPORT = "report_index"

Work = Callable[[str, Mapping[str, list["Given"]], Mapping[str, Any]], Awaitable["Result"]]


async def finish_index(
    prepared: Result, arguments: Mapping[str, Any], scratch: int, engines: Engines, work: Work, *, long: bool
) -> Result:
    """Return the result that a prepared one (`preparing.as_prepared`) is for; any other as it is.

    Parameters
    ----------
    scratch
        Descriptor of the folder in which the prepared file lies.
    work
        Has a child do an operation on files.

    Raises
    ------
    LabrigError
        ``unavailable`` without ``labrig setup climate``; ``limit`` for too much time.
    """
    from labrig_earth.work.asking import Given

    if PREPARED not in prepared.files or INDEX not in prepared.data:
        return prepared
    wanted = dict(prepared.data[INDEX])
    allowed = Allowed(wall_s=JOB_S if long else CALL_S, file_bytes=FILE_BYTES, folder_bytes=FILE_BYTES)
    with ExitStack() as held:
        given = os.open(PREPARED, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=scratch)
        held.callback(os.close, given)
        async with engines.run(XCLIM, wanted, {}, files={"prepared": given}, allowed=allowed) as run:
            made = os.open(run.folder / "outputs" / "index.nc", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            held.callback(os.close, made)
            kept = {"name": wanted.get("index", ""), "format": arguments.get("format", "")}
            shown = await work(REPORT, {"data": [Given("index.nc", made)]}, kept)
            method = str(run.result.get("method", run.version))
    return replace(
        shown,
        method="; ".join(filter(None, [prepared.method, method])),
        data={**{name: each for name, each in prepared.data.items() if name != INDEX}, **shown.data},
        crs=prepared.crs,
        grid=prepared.grid or shown.grid,
        source=prepared.source,
        assumed=prepared.assumed,
        warnings=(*prepared.warnings, *shown.warnings),
    )
