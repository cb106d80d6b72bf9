"""GRIB among the files of a call: each becomes a NetCDF file for the child that reads the others.

It is decoded in each call anew, by a walled child of its own (`labrig_earth.impact.runs`), and lies nowhere afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from labrig.errors import over_limit
from labrig_earth.data.formats import is_grib
from labrig_earth.grib.setup import GRIB_ENV
from labrig_earth.impact.runs import Allowed, Engine, Engines

if TYPE_CHECKING:
    from labrig_earth.work.asking import Given

GRIB = Engine(
    "grib",
    "the reader of GRIB",
    "grib_engine",
    GRIB_ENV,
    folder=GRIB_ENV.lock.parent / "inside",
)
MOST_BYTES = 1 << 30
FILE_BYTES = 2 << 30
CALL_S, JOB_S = 40.0, 900.0
HEAD_BYTES = 512


async def convert_grib(
    given: Mapping[str, Sequence[Given]], engines: Engines, held: AsyncExitStack, *, long: bool
) -> tuple[dict[str, list[Given]], tuple[str, ...]]:
    """Return what a call was given with GRIB as NetCDF, and what its reader warned of.

    Parameters
    ----------
    held
        Keeps the new files until it is closed.

    Raises
    ------
    LabrigError
        ``unavailable`` without ``labrig setup grib``; ``limit`` above `MOST_BYTES`; what the reader refuses.
    """
    from labrig_earth.work.asking import Given

    found: dict[str, list[Given]] = {}
    notes: list[str] = []
    allowed = Allowed(wall_s=JOB_S if long else CALL_S, file_bytes=FILE_BYTES, folder_bytes=FILE_BYTES)
    for role, files in given.items():
        found[role] = []
        for each in files:
            if not is_grib(read_head(each.descriptor)):
                found[role].append(each)
                continue
            if (size := os.fstat(each.descriptor).st_size) > MOST_BYTES:
                raise over_limit(
                    f"The GRIB file has {size:,} bytes",
                    MOST_BYTES,
                    where=each.name,
                    try_="a part of it, such as the parameters that are needed (grib_copy -w shortName=2t)",
                )
            run = await held.enter_async_context(
                engines.run(GRIB, {}, {}, files={"grib": each.descriptor}, allowed=allowed)
            )
            made = os.open(run.folder / "outputs" / "grib.nc", os.O_RDONLY | os.O_CLOEXEC)
            held.callback(os.close, made)
            notes += [f"{each.name}: {said}" for said in run.warnings]
            found[role].append(Given(each.name, made))
    return found, tuple(notes)


def read_head(descriptor: int) -> bytes:
    """Return the first bytes of a file; none of a folder."""
    try:
        return os.pread(descriptor, HEAD_BYTES, 0)
    except IsADirectoryError:
        return b""
