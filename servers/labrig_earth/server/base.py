"""What the rooms of the MCP face share: the toolbox with its settings, and what works for all callers of one server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import BeforeValidator, Field

from labrig.errors import unknown_name
from labrig.http.declared import NOMINATIM
from labrig.isolation import closing
from labrig.server_settings import ServerSetting
from labrig.toolbox import ServeOptions, Toolbox, session
from labrig_earth.catalogue.data_stores import CDS
from labrig_earth.catalogue.language_model import LANGUAGE_MODEL
from labrig_earth.catalogue.mswep import MSWEP
from labrig_earth.catalogue.open_meteo import OPEN_METEO_AIR
from labrig_earth.catalogue.overpass import OVERPASS
from labrig_earth.catalogue.stac_service import EARTH_SEARCH
from labrig_earth.catalogue.web_search import SERPER

if TYPE_CHECKING:
    from labrig.http import Client
    from labrig_earth.impact.runs import Engines


_BEGUN: list[Any] = []
"""What runs operations, begun before the server has a state."""


def begins(options: ServeOptions) -> None:
    """Have the libraries load beside the server where it was started for tools that are named, as for one call."""
    works = {spec.name for spec in toolbox.specs if "default" in spec.toolsets} - {"list_files", "get_job"}
    if works.intersection(options.tools) and not toolbox.setting(options, SCHEDULER.name):
        from labrig_earth.work.asking import workers

        _BEGUN.append(workers())
        _BEGUN[-1].begin()


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
        """What runs operations; it starts with the first, or has begun with the server."""
        if self._workers is None:
            from labrig_earth.work.asking import workers

            self._workers = _BEGUN.pop() if _BEGUN else workers()
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
        self._workers = _BEGUN.pop() if _BEGUN else self._workers
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
    absent = [name for name in ("xarray", "rasterio", "geopandas", "exactextract") if not is_installed(name)]
    return [*said, f"missing: {', '.join(absent)}; pip install 'labrig[earth]'"] if absent else said


def is_installed(name: str) -> bool:
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False


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
    "first: it says units, calendar, gaps, conventions. aggregate_grid gives statistics over time, areas and polygons. "
    "select cuts in the same call: start, end (ISO), months, hours, box [west, south, east, north] in degrees, level. "
    "Each result names method, unit, grid, valid cells and what was assumed; arrays are files, whose handles later "
    "calls take as data. job=true: up to 30 min.",
    opens=opens,
    begins=begins,
    doctor=doctor,
    toolsets={
        "default": "describe, sample, aggregate, derive, regrid, zonal statistics, layers, streets, indices, plots",
        "tables": "tables joined to layers by a key, and columns summed up",
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


def join_list(given: Any) -> Any:
    """Return a list as the JSON text that `operations.expand_patterns` reads; clients refuse unions in schemas."""
    return json.dumps(given) if isinstance(given, list) else given


DataArgument = Annotated[
    str,
    BeforeValidator(join_list),
    Field(description="File, @root/.., pattern (tas_*.nc), list, handle."),
]
VariableArgument = Annotated[str, Field(description="If several.")]
PolygonsArgument = Annotated[str, Field(description="File or handle.")]
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
