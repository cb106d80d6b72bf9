"""Scenes of Sentinel-2 for the group satellite: files of the workspace, or parts fetched by a STAC service."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any

from labrig.canonical import content_hash
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig.toolbox import Session, session
from labrig_earth.catalogue.earth_engine import require_earth_engine
from labrig_earth.catalogue.stac_service import EARTH_SEARCH, Sighting, search_scenes
from labrig_earth.server.base import state
from labrig_earth.server.operations import fetch_and_decode
from labrig_earth.server.terra.common import put_file, require_within

MOST_SCENES = 16
"""Of a composite by a STAC service: those with the least cloud."""
MOST_FILES = 32
AT_A_TIME = 2
WAIT_S = 40.0
"""After which a call that is still fetching says so; what has been fetched stays."""


@dataclass(frozen=True)
class Wanted:
    """What a composite is made of.

    Attributes
    ----------
    bbox
        [north, west, south, east].
    end
        The first day that is not included.
    bands
        Common names, the one with the finest cells first.
    step_m
        Width of the cells that are wanted.
    """

    bbox: Sequence[float]
    start: str
    end: str
    max_cloud: float
    bands: Sequence[str]
    step_m: float
    project_id: str = ""


@dataclass(frozen=True)
class Scenes:
    """Paths of the files of all scenes, and how many each scene has; a note where there are more."""

    files: list[str]
    counts: list[int]
    searched: bool
    note: str = ""


async def scenes_for(wanted: Wanted, given: Sequence[Any], folder: str) -> Scenes:
    """Return the scenes of a call: those that it names, else those that Earth Search finds, fetched into a folder.

    Raises
    ------
    LabrigError
        ``bad_input`` for invalid days; ``not_found`` where there is none; ``busy`` where fetching takes longer
        than a client waits: the same call goes on from there.
    """
    last = check_days(wanted.start, wanted.end)
    if wanted.project_id:
        require_earth_engine(wanted.project_id, mode=state().options.http_mode)
    if given:
        groups = [each if isinstance(each, list) else [each] for each in given]
        for each in (file for group in groups for file in group):
            if not isinstance(each, str):
                raise LabrigError(
                    f"{each!r} is no file"[:120], where="scenes", expected="paths, or lists of them"
                )
        if not all(groups) or sum(map(len, groups)) > MOST_FILES:
            raise LabrigError(
                f"{sum(map(len, groups))} files of {len(groups)} scenes",
                where="scenes",
                expected=f"1 to {MOST_FILES} files, each scene with one at least",
                code="limit" if all(groups) else "bad_input",
            )
        return Scenes([file for group in groups for file in group], [len(group) for group in groups], False)
    north, west, south, east = wanted.bbox
    found, more = await search_scenes(
        state().client,
        EARTH_SEARCH,
        box=(west, south, east, north),
        start=wanted.start,
        end=last,
        most_cloud=wanted.max_cloud,
        most=MOST_SCENES,
    )
    found = [each for each in found if set(wanted.bands) <= each.bands.keys()]
    if not found:
        raise LabrigError(
            "Sentinel-2 has no scene that fits",
            where="bbox, start_date, end_date, max_cloud",
            expected=f"scenes from {wanted.start} to {last} with at most {wanted.max_cloud:g} % of cloud",
            try_="a longer time, or a greater max_cloud; the archive begins in 2015, over most land in 2017",
            code="not_found",
        )
    paths = await fetch_scenes(wanted, found, folder)
    if not paths:
        raise LabrigError("No scene covers the box", where="bbox", code="not_found")
    note = f"the {MOST_SCENES} scenes with the least cloud are taken; there are more" if more else ""
    return Scenes(paths, [1] * len(paths), True, note)


def check_days(start: str, end: str) -> str:
    """Return the last day that is included."""
    days = []
    for name, text in (("start_date", start), ("end_date", end)):
        try:
            if len(text) != 10:
                raise ValueError
            days.append(date.fromisoformat(text))
        except ValueError:
            raise LabrigError(f"This is no day: {text[:40]!r}", where=name, expected="YYYY-MM-DD") from None
    if not days[0] < days[1]:
        raise LabrigError(
            f"{end} is not after {start}",
            where="start_date, end_date",
            expected="an end_date after start_date; it is not included, as in Earth Engine",
        )
    return (days[1] - timedelta(days=1)).isoformat()


async def fetch_scenes(wanted: Wanted, found: Sequence[Sighting], folder: str) -> list[str]:
    """Fetch what of each scene lies in the box, a few at a time, and return the paths of those that cover it."""
    here = session()
    began, turns, done = time.monotonic(), asyncio.Semaphore(AT_A_TIME), 0

    async def one(sighting: Sighting) -> str:
        nonlocal done
        async with turns:
            if time.monotonic() - began > WAIT_S:
                return _LATE
            path = await fetch_scene(here, wanted, sighting, folder)
            done += 1
            here.progress(done / len(found), f"{done} of {len(found)} scenes")
            return path

    paths = await asyncio.gather(*(one(each) for each in found))
    if _LATE in paths:
        raise LabrigError(
            f"{done} of {len(found)} scenes are fetched, and lie in {folder}",
            where=EARTH_SEARCH.name,
            try_="the same call again, which goes on from there; or a shorter time",
            code="busy",
            retry_after_s=1,
        )
    return [path for path in paths if path]


_LATE = "late"


async def fetch_scene(here: Session, wanted: Wanted, sighting: Sighting, folder: str) -> str:
    """Return the path of the part of a scene; an empty text where the box lies outside of it."""
    north, west, south, east = wanted.bbox
    names = (*wanted.bands, *(("scl",) if "scl" in sighting.bands else ()))
    bands = {name: asdict(sighting.bands[name]) for name in names}
    asked = {
        "bands": bands,
        "bbox": [west, south, east, north],
        "step_m": wanted.step_m,
        "tags": {"TIFFTAG_DATETIME": sighting.time, "scene": sighting.name},
    }
    kept = "".join(
        each if each.isascii() and (each.isalnum() or each in "_-") else "-" for each in sighting.name
    )
    target = str(require_within(f"{folder}/scenes/{kept[:100]}_{content_hash(asked)[:8]}.tif", "output_dir"))
    if await in_thread(here.workspace.exists, target):
        return target
    made_by = {"server": "earth", "tool": "sentinel-2", "scene": sighting.name, **asked}
    try:
        async with fetch_and_decode(
            "fetch_scene", asked, here, exact=[each["url"] for each in bands.values()]
        ) as (
            place,
            found,
        ):
            shown, _ = await in_thread(put_file, here, place, found.files[0], target, made_by)
    except LabrigError as refused:
        if refused.code == "not_found" and "outside the raster" in refused.what:
            return ""
        raise
    return shown
