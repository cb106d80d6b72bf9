"""The tool that finds data: catalogues and files of the workspace and the roots are looked at by a child."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Answer
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig_earth.server.base import toolbox
from labrig_earth.server.operations import MOST_FILES, Asked, answer_operation
from labrig_earth.server.places import places


@toolbox.tool(
    title="Find data",
    read_only=True,
    first=True,
    words="which data sets are there, catalogue, STAC, soil moisture, product, gridded data of a folder",
)
async def find_data(
    text: Annotated[str, Field(description="Words.")] = "",
    variable: Annotated[str, Field(description="Or what it measures.")] = "",
    bbox: Annotated[list[float] | None, Field(description="[west, south, east, north].")] = None,
    start: Annotated[str, Field(description="ISO date, month or year.")] = "",
    end: Annotated[str, Field(description="Included.")] = "",
    folder: Annotated[str, Field(description="Only below it, such as @root.")] = "",
) -> Answer:
    """Find data sets of the workspace by words, variable, box and time, in STAC catalogues or by a look into files.

    Where is a gridded product, such as daily soil moisture?

    Example: {"variable": "temperature"}
    """
    names = await in_thread(lambda: [each.path for each in session().workspace.entries()])
    below = folder.rstrip("/")
    if folder and not any(name == below or name.startswith(below + "/") for name in names):
        raise LabrigError("There is no such folder", where=folder, try_="list_files", code="not_found")
    kept = [name for name in names if not below or name == below or name.startswith(below + "/")]
    catalogues, data = places(kept)
    if not catalogues and not data:
        raise LabrigError(
            "There are no data files here",
            where=folder or "workspace",
            expected="NetCDF, Zarr, GeoTIFF, GeoPackage, GeoJSON, OSM or CSV files",
            try_="labrig setup earth-world, then --root with its folder data; or put files into the workspace",
            code="not_found",
        )
    room = MOST_FILES - len(catalogues[:8])
    arguments = {
        "text": text,
        "variable": variable,
        "bbox": bbox,
        "start": start,
        "end": end,
        "names": data[:room],
        "prefixes": catalogues[:8],
    }
    inputs = {"data": data[:room], "catalogues": catalogues[:8]}
    hint = "describe_data of one of them"
    if len(data) > room:
        hint += f"; {len(data) - room} more files were not looked at: folder=... names a part"
    return await answer_operation(Asked("find_data", inputs, arguments, hint))
