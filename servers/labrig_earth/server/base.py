"""What the rooms of the MCP face share: the toolbox, the children that work, and the way from files to an Answer."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import Field

from labrig.answer import ANSWER_BYTES, Answer, Image, Pictures, json_bytes, with_fewer_warnings
from labrig.errors import LabrigError, unknown_name
from labrig.http.declared import NOMINATIM
from labrig.isolation import closing
from labrig.progress import Progress
from labrig.server_settings import ServerSetting
from labrig.storage.contents import content_sha256
from labrig.storage.folder import NEW, Folder, new_name
from labrig.threads import in_thread
from labrig.toolbox import ServeOptions, Session, Toolbox, session
from labrig.tools.sources import Source
from labrig_earth.catalogue.data_stores import CDS
from labrig_earth.catalogue.language_model import LANGUAGE_MODEL
from labrig_earth.catalogue.mswep import MSWEP
from labrig_earth.catalogue.open_meteo import OPEN_METEO_AIR
from labrig_earth.catalogue.overpass import OVERPASS
from labrig_earth.catalogue.stac_service import EARTH_SEARCH
from labrig_earth.catalogue.web_search import SERPER
from labrig_earth.server.places import opened_data

if TYPE_CHECKING:
    from labrig.http import Client
    from labrig_earth.impact.runs import Engines
    from labrig_earth.results import Result
    from labrig_earth.work.asking import Given

SCRATCH = "scratch"
"""Folder of the workspace, among those of Labrig's own, in which children write."""

LEFT_BEHIND_S = 3 * 3600
HASHED_BYTES = 64 << 20
"""Files up to this size are hashed in each call; of larger ones the answer names the size."""

MOST_FILES = 32
MOST_VALUES = 40


class State:
    """What all callers of one server share: the processes that work, and a sandbox for code."""

    def __init__(self, options: ServeOptions) -> None:
        self._options = options
        self._workers: Any = None
        self._clustered: Any = None
        self._client: Any = None
        self._fetchers: Any = None
        self._sandbox: Any = None
        self._engines: Any = None

    @property
    def workers(self) -> Any:
        """What runs operations; it starts with the first."""
        if self._workers is None:
            from labrig_earth.work.asking import workers

            self._workers = workers()
        return self._workers

    @property
    def scheduler(self) -> str:
        """Address of the dask scheduler whose workers compute; an empty text for none."""
        return str(toolbox.setting(self._options, SCHEDULER.name))

    @property
    def clustered(self) -> Any:
        """What runs operations with the workers of that scheduler."""
        if self._clustered is None:
            from labrig_earth.work.asking import workers

            self._clustered = workers(module="clustered")
        return self._clustered

    @property
    def options(self) -> ServeOptions:
        """How the server was started."""
        return self._options

    @property
    def client(self) -> Client:
        """What asks services, by the server's mode and ledger; it opens with the first request."""
        if self._client is None:
            from labrig.http import Client

            self._client = Client.configured(mode=self._options.http_mode, ledger=self._options.ledger)
        return cast("Client", self._client)

    @property
    def fetchers(self) -> Any:
        """What fetches parts of files from the network; it starts with the first."""
        if self._fetchers is None:
            from labrig_earth.catalogue.fetching import fetchers

            self._fetchers = fetchers()
        return self._fetchers

    @property
    def sandbox(self) -> Any:
        """What runs code, in the Python of the profile ``earth``."""
        if self._sandbox is None:
            from labrig.sandbox import Sandbox

            self._sandbox = Sandbox.configured(
                profile=str(toolbox.setting(self._options, PYTHON.name)),
                unsafe_local=self._options.unsafe_local,
                roots=list(self._options.roots),
            )
        return self._sandbox

    @property
    def engines(self) -> Engines:
        """What runs simulators; each is loaded by its first run."""
        if self._engines is None:
            from labrig_earth.impact.runs import Engines

            self._engines = Engines()
        return cast("Engines", self._engines)

    async def close(self) -> None:
        """End the processes."""
        if self._engines is not None:
            await self._engines.close()
        if self._workers is not None:
            await self._workers.close()
        if self._clustered is not None:
            await self._clustered.close()
        if self._sandbox is not None:
            await self._sandbox.close()
        if self._fetchers is not None:
            await self._fetchers.close()
        if self._client is not None:
            await self._client.aclose()


def state() -> State:
    """Return the state of the server that serves this call."""
    found = session().state
    assert isinstance(found, State)
    return found


@dataclass(frozen=True)
class Asked:
    """An operation that a tool wants done.

    Attributes
    ----------
    inputs
        Paths and handles, by what they are for; empty ones are left out.
    arguments
        Of the operation; None and empty ones are left out.
    next
        What to call next, as a hint.
    """

    operation: str
    inputs: Mapping[str, Sequence[str]]
    arguments: Mapping[str, Any]
    next: str = ""


async def answered(asked: Asked, *, job: bool = False) -> Answer:
    """Have a child do what is asked, and return its result; as a job, return how to ask for it."""
    here = session()
    if not job:
        return await _done(asked, here, long=False)

    async def work(progress: Progress) -> Answer:
        progress(0.0, asked.operation)
        return await _done(asked, here, long=True)

    started = here.jobs.start(asked.operation, work, owner=here.owner)
    return Answer(
        source="labrig earth",
        data={"job": started},
        next=f'get_job(job="{started}", wait_s=45) gives the result',
    )


async def _done(asked: Asked, here: Session, *, long: bool) -> Answer:
    async with worked(asked, here, long=long) as done:
        made_by = {"server": "earth", "tool": asked.operation, "arguments": done.arguments}
        return await in_thread(_answer, here, done.result, done.folder, done.hashes, made_by, asked.next)


@dataclass(frozen=True)
class Worked:
    """What a child has done: its result, the folder of its files, and what it was given."""

    result: Result
    folder: Folder
    hashes: Mapping[str, str]
    arguments: Mapping[str, Any]


@asynccontextmanager
async def worked(asked: Asked, here: Session, *, long: bool = False) -> AsyncIterator[Worked]:
    """Have a child do what is asked; its files are there until the block ends."""
    from labrig_earth.work import asking

    with ExitStack() as held:
        given, hashes = await in_thread(_opened, asked.inputs, held)
        folder = await in_thread(lambda: held.enter_context(_scratch(here)))
        arguments = {
            name: value for name, value in asked.arguments.items() if value not in (None, "", [], {})
        }
        limits = asking.JOB if long else asking.CALL
        scheduler = here.state.scheduler if asked.operation in CLUSTERED else ""
        by = here.state.clustered if scheduler else here.state.workers
        result = await asking.run(
            by, asked.operation, given, arguments, folder.descriptor, limits=limits, scheduler=scheduler
        )
        yield Worked(result, folder, hashes, arguments)


async def pictured(asked: Asked) -> Pictures:
    """Have a child draw what is asked, and return its picture with the answer."""
    answer = await _done(asked, session(), long=False)
    here = session()
    handle = str(answer.artifacts[0]["handle"])
    data = await in_thread(here.artifacts.read, handle)
    caption = str(answer.data.get("title") or "") or asked.operation.replace("_", " ")
    return Pictures((Image(data, caption, handle),), answer)


def _opened(
    inputs: Mapping[str, Sequence[str]], held: ExitStack
) -> tuple[dict[str, list[Given]], dict[str, str]]:
    """Open what a call names, and return it with the hashes of what was hashed."""
    from labrig_earth.work.asking import Given

    given: dict[str, list[Given]] = {}
    hashes: dict[str, str] = {}
    names = [name for role in inputs.values() for name in role if name]
    if len(names) > MOST_FILES:
        raise LabrigError(f"{len(names)} files are given", expected=f"at most {MOST_FILES}", code="limit")
    for role, paths in inputs.items():
        for path in paths:
            if path:
                source = held.enter_context(opened_data(path))
                given.setdefault(role, []).append(Given(source.name, source.descriptor))
                hashes[source.name] = source.sha256 or _sha256(source)
    return given, hashes


def _sha256(source: Source) -> str:
    """Return the hash of a file that is not large; an empty text for others, and for folders."""
    if source.kind != "file" or source.size() > HASHED_BYTES:
        return ""
    return content_sha256(source.descriptor)


@contextmanager
def _scratch(here: Session) -> Iterator[Folder]:
    """Give an empty folder in the workspace for the files of a child, which is gone afterwards."""
    with here.workspace.private(SCRATCH) as top:
        _sweep(top)
        name = new_name()
        try:
            with top.below(name, make=True) as folder:
                yield folder
        finally:
            top.delete(name)


def _sweep(top: Folder) -> None:
    """Remove what a killed server left behind; calls beside this one end and take their own folders away."""
    now = time.time()
    for name in top.names():
        with suppress(FileNotFoundError):
            if name.startswith(NEW) and now - top.about(name).st_mtime > LEFT_BEHIND_S:
                top.delete(name)


def _answer(
    here: Session,
    result: Result,
    folder: Folder,
    hashes: Mapping[str, str],
    made_by: Mapping[str, Any],
    hint: str,
) -> Answer:
    """Keep the files of a result, and return it within the size of an Answer."""
    inputs = {name: sha256 for name, sha256 in hashes.items() if sha256}
    kept = []
    for name in result.files:
        place = Path(f"/proc/self/fd/{folder.descriptor}")
        place = place if place.exists() else here.workspace.folder
        kept.append(
            here.artifacts.put_path(place / name, made_by={**made_by, "method": result.method}, inputs=inputs)
        )
    about: dict[str, Any] = {
        "method": result.method,
        "crs": result.crs if len(result.crs) < 60 else result.crs[:60] + "..",
        "grid": result.grid,
        "cells": result.cells,
        "valid_cells": result.valid_cells,
        "assumed": list(result.assumed),
    }
    data = {name: value for name, value in about.items() if value not in ("", None, [])} | dict(result.data)
    artifacts = tuple(each.to_dict() for each in kept)
    answer = Answer(
        source=source_line(hashes),
        status="ok_with_warnings" if result.warnings else "ok",
        values=result.values,
        data=data,
        warnings=result.warnings,
        artifacts=artifacts,
        next=hint or ("the handle stands for the file in every tool" if artifacts else ""),
        record={"operation": made_by["tool"], "inputs": dict(inputs)},
    )
    if len(answer.values) <= MOST_VALUES and json_bytes(answer.to_dict()) <= ANSWER_BYTES - 200:
        return answer
    import json

    whole = json.dumps(result.to_dict(), ensure_ascii=False, indent=1).encode("utf-8", "replace")
    listed = here.artifacts.put("result.json", whole, media_type="application/json", made_by=dict(made_by))
    return fitted(replace(answer, artifacts=(*artifacts, listed.to_dict())))


def fitted(answer: Answer, whole: str = "result.json") -> Answer:
    """Return an answer cut to the size of one: fewer values and warnings, then shorter lists, the longest first.

    Parameters
    ----------
    whole
        Where all of it is.
    """
    cut = f"{len(answer.values) - MOST_VALUES} more values" if len(answer.values) > MOST_VALUES else ""
    answer = replace(answer, values=answer.values[:MOST_VALUES])
    note = {"not_shown": f"all of it is in {whole}" + (f" ({cut})" if cut else "")}
    answer = with_fewer_warnings(replace(answer, data={**answer.data, **note}), ANSWER_BYTES - 300)
    data: Any = answer.data
    while json_bytes(replace(answer, data=data).to_dict()) > ANSWER_BYTES - 200:
        shorter = _shorter(data)
        if shorter == data:
            break
        data = shorter
    answer = replace(answer, data=data)
    while json_bytes(answer.to_dict()) > ANSWER_BYTES - 100 and answer.values:
        answer = replace(answer, values=tuple(answer.values[: len(answer.values) // 2]))
    while json_bytes(answer.to_dict()) > ANSWER_BYTES - 100 and answer.warnings:
        answer = replace(
            answer, warnings=tuple(each[:200] for each in answer.warnings[: len(answer.warnings) // 2])
        )
    return answer


def _shorter(value: Any) -> Any:
    """Return data with the largest of its parts cut: lists and mappings to half their entries, texts to half."""
    if isinstance(value, str):
        return value if len(value) < 40 else value[: len(value) // 2] + ".."
    if isinstance(value, list):
        return value[: len(value) // 2]
    if not isinstance(value, dict) or not value:
        return value
    sizes = {key: json_bytes(each) for key, each in value.items() if isinstance(each, (dict, list, str))}
    if not sizes:
        return dict(list(value.items())[: len(value) // 2])
    largest = max(sizes, key=lambda key: sizes[key])
    if sizes[largest] * 4 < sum(sizes.values()) and len(value) > 4:  # many of a size: fewer of them
        return dict(list(value.items())[: len(value) // 2])
    return {**value, largest: _shorter(value[largest])}


def source_line(hashes: Mapping[str, str]) -> str:
    """Return one line of provenance: files with the beginnings of their hashes, and what computed."""
    shown = [
        f"{name[:60]} (sha256 {sha[:12]})" if sha else f"{name[:60]} (not hashed)"
        for name, sha in hashes.items()
    ]
    files = ", ".join(shown[:6]) + (f" and {len(shown) - 6} more" if len(shown) > 6 else "")
    return f"{files}; {_libraries()}".removeprefix("; ")


def _libraries() -> str:
    try:
        return f"labrig earth {toolbox.version} with xarray {version('xarray')}"
    except PackageNotFoundError:
        return f"labrig earth {toolbox.version}"


@asynccontextmanager
async def opens(options: ServeOptions) -> AsyncIterator[State]:
    """Hold the processes that work over the server's life; they start with the first operation."""
    held = State(options)
    try:
        yield held
    finally:
        await held.close()


def doctor() -> list[str]:
    """Say behind which walls files are read, and which libraries are missing."""
    said = [f"files are read behind {closing.summary()}"]
    absent = [name for name in ("xarray", "rasterio", "geopandas", "exactextract") if not _installed(name)]
    return [*said, f"missing: {', '.join(absent)}; pip install 'labrig[earth]'"] if absent else said


def _installed(name: str) -> bool:
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False


CLUSTERED = ("extract", "aggregate", "combine", "regrid_or_reproject", "zonal_statistics")
"""Operations that a dask scheduler takes, where one is set."""

SCHEDULER = ServerSetting(
    "scheduler",
    "",
    "a dask scheduler (tcp://host:8786) whose workers see the same paths and compute, without walls",
)
PYTHON = ServerSetting("python", "earth", "the Python of the sandbox that code gets: earth or science")
ACTIVATION = ServerSetting(
    "activation",
    False,
    "sub-tools of TerraAgent are refused until reset_equipped_tools switches their group on",
)

MSWEP_FOLDER = ServerSetting(
    "mswep_folder", "", "id of the folder MSWEP_V280 on Google Drive, which GloH2O shares with those who ask"
)
MODEL = ServerSetting(
    "model", "", "the model that describe_image_vlm, summarize_web_page and run_math_agent ask"
)

PANGU_WEIGHTS = ServerSetting(
    "pangu_weights",
    "",
    "Pangu-Weather's network, a file .onnx, or a folder with pangu_weather_6.onnx and its like",
)
PANGU_SHA256 = ServerSetting("pangu_sha256", "", "SHA-256 that its file must have; another is refused")
AURORA_PYTHON = ServerSetting(
    "aurora_python", "", "full path of a Python with microsoft-aurora, which run_aurora_forecast works in"
)
AURORA_WEIGHTS = ServerSetting("aurora_weights", "", "Aurora's checkpoint, a file, or a folder of several")
AURORA_SHA256 = ServerSetting(
    "aurora_sha256", "", "SHA-256 that the checkpoint must have; another is refused"
)

toolbox = Toolbox(
    "earth",
    "Earth data: grids, GIS, satellite scenes",
    "Computes on NetCDF, Zarr, GeoTIFF, GeoPackage and OSM files of the workspace and of --root folders. describe_data "
    "first: it says units, calendar, gaps, conventions. aggregate gives statistics over time, areas and polygons. "
    "select cuts in the same call: start, end (ISO), months, hours, box [west, south, east, north] in degrees, level. "
    "Each result names method, unit, grid, valid cells and what was assumed; arrays are files, whose handles later "
    "calls take as data. job=true: up to 30 min.",
    opens=opens,
    doctor=doctor,
    toolsets={
        "default": "describe, extract, aggregate, combine, regrid, zonal statistics, GIS, indices",
        "code": "Python on the same files, in a sandbox",
        "online": "STAC services, and parts of rasters, Zarr stores and OpenStreetMap by address",
        "simulators": "simulators of impacts by their published names, on the engines themselves (labrig setup crops "
        "energyplus sumo climada)",
        "impact": "what goes with them: inputs checked, runs started, compared, read and drawn",
        "terra": "sub-tools of TerraAgent by their published names, of all groups that are there",
        "terra-air_quality": "of these, group air_quality: hours of air quality at a point, by Open-Meteo",
        "terra-data_crawl": "of these, group data_crawl: CMIP6 of the Climate Data Store, MSWEP",
        "terra-basic": "of these, group basic: regions by name, web search, pages summed up, the math agent",
        "terra-core": "of these, group core: what is in a NetCDF file",
        "terra-era5_obs": "of these, group era5_obs: ERA5 fetched, its normals, winds, moisture, regions",
        "terra-ensemble_verify": "of these, group ensemble_verify: ensembles, calibration, verification",
        "terra-forecast_models": "of these, group forecast_models: Pangu-Weather, Aurora, grids, tracks of cyclones",
        "terra-geo_osm": "of these, group geo_osm: features of OpenStreetMap, distances, zones",
        "terra-satellite": "of these, group satellite: Sentinel-2 composites, indices, areas, pictures",
        "terra-seasonal": "of these, group seasonal: seasonal forecasts corrected, terciles, ENSO; files of C3S",
        "terra-visualization": "of these, group visualization: maps as pictures",
    },
    settings=(
        *(PYTHON, SCHEDULER, ACTIVATION, MSWEP_FOLDER, MODEL, PANGU_WEIGHTS, PANGU_SHA256),
        *(AURORA_PYTHON, AURORA_WEIGHTS, AURORA_SHA256),
    ),
    reads=(),
    services=(EARTH_SEARCH, OVERPASS, CDS, OPEN_METEO_AIR, MSWEP, LANGUAGE_MODEL, NOMINATIM, SERPER),
)

DataArgument = Annotated[str, Field(description="In the workspace, @root/.. or a handle.")]
VariableArgument = Annotated[str, Field(description="Where it has several.")]
SelectArgument = Annotated[
    dict[str, Any],
    Field(description="start, end, months, hours, box, level, member, band."),
]
PolygonsArgument = Annotated[str, Field(description="In the workspace, or a handle.")]
JobArgument = Annotated[bool, Field(description="For get_job.")]


def options_of(options: Mapping[str, Any], allowed: Sequence[str]) -> dict[str, Any]:
    """Return the options of a call.

    Raises
    ------
    LabrigError
        ``not_found`` for one that the tool does not have.
    """
    for name in options:
        if name not in allowed:
            raise unknown_name("option", str(name), allowed, where="options")
    return dict(options)
