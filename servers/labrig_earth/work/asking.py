"""The half of the server: a child is asked for an operation, and what it answers is checked before it is believed.

A child that a file took over may answer anything: a result of another shape is refused, and files that it names are
looked for in the scratch folder alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labrig.config import home
from labrig.errors import LabrigError
from labrig.isolation.children import Children
from labrig.isolation.process import Limits
from labrig_earth.results import Result

WHAT = "The operation"
MOST_ANSWER_BYTES = 16 << 20
FILE_BYTES = 2 << 30
MEMORY_BYTES = 6 << 30
"""Address space of a child, of which some 2 GB are libraries and threads; chunks keep what is resident below 1 GB."""

DESCRIPTORS = 4096
"""Open files of a child: each of those that it was handed three times, as it came, apart, and opened by a library."""
CALL = Limits(
    wall_s=50,
    cpu_s=100,
    memory_bytes=MEMORY_BYTES,
    output_bytes=FILE_BYTES,
    file_bytes=FILE_BYTES,
    descriptors=DESCRIPTORS,
)
"""Of a call, which a client waits 60 s for; two threads."""

JOB = Limits(
    wall_s=1800,
    cpu_s=3600,
    memory_bytes=MEMORY_BYTES,
    output_bytes=FILE_BYTES,
    file_bytes=FILE_BYTES,
    descriptors=DESCRIPTORS,
)

SPENT = "a smaller box, a shorter time or fewer variables; or job=true, which may take half an hour"

OTHER_DRIVERS = (
    "ADBC,AIVector,AVCBin,AVCE00,AmigoCloud,CSV,CSW,Carto,DGN,DXF,EDIGEO,EEDA,ESRIJSON,Elasticsearch,FlatGeobuf,GDALG,"
    "GML,GPSBabel,GTFS,GeoJSONSeq,GeoRSS,HTTP,Idrisi,JML,JSONFG,KML,LIBKML,LVBAG,MBTiles,MVT,MapInfo File,MapML,"
    "MiraMonVector,NGW,OAPIF,ODS,OGCAPI,OGR_GMT,OGR_PDS,OGR_VRT,OSM,OpenFileGDB,PCIDSK,PDF,PDS4,PGDUMP,PLSCENES,PMTiles,"
    "S57,SQLite,SXF,Selafin,TopoJSON,VDV,VFK,VICAR,WAsP,WFS,XLSX"
)
"""Readers of layers that children do not load: GDAL is left those of the formats that are accepted, one for each, and
none that a file leads to others. Rasters are opened with their reader named."""
_NAME = re.compile(r"[\w][\w.-]{0,100}")


@dataclass(frozen=True)
class Given:
    """A file or folder that is open: what its messages call it, and its descriptor."""

    name: str
    descriptor: int


def workers(*, slots: int = 2, places: int = 100, module: str = "inside") -> Children:
    """Return what runs operations in processes of their own, so many at a time for each caller.

    Parameters
    ----------
    module
        Of this folder: ``inside``, behind walls, or ``clustered``, with the workers of a dask scheduler.
    """
    cache = home() / "cache" / "matplotlib"
    return Children(
        f"labrig_earth.work.{module}",
        what=WHAT,
        limits=CALL,
        slots=slots,
        places=places,
        variables={
            "PROJ_NETWORK": "OFF",
            "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
            "GDAL_HTTP_PROXY": "127.0.0.1:9",  # where there are no walls, GDAL finds no network all the same
            "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": "{noext}",
            "OGR_SKIP": OTHER_DRIVERS,
            "OGR_CURRENT_DATE": "2021-01-01T00:00:00Z",  # in a GeoPackage: the same call gives the same bytes
            "OSR_DEFAULT_AXIS_MAPPING_STRATEGY": "TRADITIONAL_GIS_ORDER",
            "HDF5_USE_FILE_LOCKING": "FALSE",
            "MPLBACKEND": "Agg",
            "MPLCONFIGDIR": str(cache),
        },
    )


async def run(
    by: Children,
    operation: str,
    inputs: Mapping[str, Sequence[Given]],
    arguments: Mapping[str, Any],
    scratch: int,
    *,
    limits: Limits = CALL,
    scheduler: str = "",
    line: int | None = None,
) -> Result:
    """Have a child run an operation, and return its result; its files lie in the scratch folder.

    Parameters
    ----------
    by
        What `workers` returned.
    inputs
        Open files and folders, by what they are for.
    scratch
        Descriptor of an empty folder in which the child may write.
    scheduler
        Address of a dask scheduler, of children of ``clustered``.
    line
        Descriptor of the socket over which an operation has addresses fetched (`catalogue.fetching.carried`).

    Raises
    ------
    LabrigError
        What the operation refuses; ``limit`` for too much time or memory; ``bad_input`` for a file that ends the child.
    """
    descriptors: list[int] = []
    named: dict[str, list[tuple[str, int]]] = {}
    for role, given in inputs.items():
        named[role] = []
        for each in given:
            named[role].append((each.name, len(descriptors)))
            descriptors.append(each.descriptor)
    question = {
        "operation": operation,
        "inputs": named,
        "arguments": dict(arguments),
        "scratch": len(descriptors),
        "scheduler": scheduler,
        "line": line is not None,
    }
    files = [*descriptors, scratch, *([] if line is None else [line])]
    names = ", ".join(name for given in named.values() for name, _ in given)
    said = await by.answer(question, files, limits=limits, reads=names or operation, spent=SPENT)
    try:
        if len(said) > MOST_ANSWER_BYTES:
            raise ValueError("too long")
        result = Result.from_dict(json.loads(said))
        if not all(_NAME.fullmatch(name) for name in result.files):
            raise ValueError("names that are no names")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise LabrigError(
            f"{operation} gave no result: the file is broken, or made to do that", where=names
        ) from None
    return result
