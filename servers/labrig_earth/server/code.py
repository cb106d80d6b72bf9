"""Python code of an agent, on files of the workspace and on results by their handles; in toolset ``code``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Annotated

from pydantic import Field

from labrig.answer import Answer, Pictures
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools.code import CALL_LIMITS, MOST_FILES, SeedArgument, answered
from labrig.tools.sources import Source, input_names, names_artifact
from labrig_earth.server.base import state, toolbox
from labrig_earth.server.places import STORES, open_data


@toolbox.tool(
    title="Run Python code",
    read_only=False,
    picture=True,
    toolsets=("code",),
    words="EOF, principal component, PC, sea level pressure (SLP), North Atlantic Oscillation, NAO, Hovmöller, "
    "animate, histogram, scatter, kriging, interpolate stations or rain gauges to a grid, hillshade, watershed, "
    "catchment upstream of an outlet, topographic wetness index, TWI, terrain, lidar DEM, dtm, quantile mapping, "
    "bias correction, downscaling, verify forecasts against observations, bias, RMSE, ACC, CRPS, reliability of "
    "an ensemble, extreme values, GEV fit, return period, confidence interval, regression, correlation, merge, "
    "concatenate and compress nc files, fill gaps, smooth, Savitzky-Golay, landcover tif to polygons, mosaic, "
    "convert as geojson, reproject, xarray, geopandas, rasterio, script",
)
async def run_python_code(
    code: Annotated[str, Field(description="Python source.")],
    files: Annotated[
        list[str],
        Field(
            max_length=MOST_FILES,
            description="Files of the workspace or roots, and handles, which the code opens as inputs/NAME.",
        ),
    ] = [],  # noqa: B006 - pydantic copies it
    seed: SeedArgument = 0,
) -> Answer | Pictures:
    """Run Python (xarray, netCDF4, rasterio, shapely, pyproj, pandas, matplotlib) in a sandbox: 50 s, no network.

    Each run starts afresh. Figures and files that the code leaves are artifacts, whose handles every tool takes as
    data; up to 4 pictures are shown.

    For what no other tool does: drought indices of monthly rainfall (SPI-3, SPI-12), EOFs and PCs, correlation maps
    (p), GEV fits of annual max with confidence interval, kriging of gauges, quantile mapping (bias-correct),
    verification of forecasts (bias, RMSE, ACC, CRPS, reliability), hillshade, watershed, TWI and TPI of a lidar DEM,
    gaps filled and smoothed (Savitzky-Golay), tif into polygons, reproject to WGS84 and save as geojson, merge nc
    files along time, Hovmöller, gif.

    Example: {"code": "print(6 * 7)"}
    """
    with ExitStack() as held:
        sources = await in_thread(
            lambda: [held.enter_context(_opened(each)) for each in dict.fromkeys(files)]
        )
        sandbox = state().sandbox
        named = dict(list(input_names(sources).items())[:MOST_FILES])
        result = await sandbox.run(
            code,
            inputs={name: source.place for name, source in named.items()},
            limits=CALL_LIMITS,
            owner=session().owner,
            seed=seed,
        )
    hashes = {name: source.sha256 for name, source in named.items() if source.sha256}
    return await answered(sandbox, result, code, hashes)


@contextmanager
def _opened(path: str) -> Iterator[Source]:
    """Open a file, an artifact or a Zarr store for code; another folder of the workspace is none of its inputs."""
    with open_data(path) as source:
        if source.kind == "folder" and not names_artifact(path):
            names = set(os.listdir(source.descriptor))  # noqa: PTH208 - a descriptor
            if not names.intersection(STORES):
                raise LabrigError(
                    "This is a folder",
                    where=path,
                    expected="a file, a Zarr store or a handle",
                    try_="a file in it",
                )
        yield source
