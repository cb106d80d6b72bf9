"""The module of children that fetch parts of rasters and Zarr stores, apart from the server.

They are not walled, since they need the network; they reach it through the client of the house alone, which guards
addresses, waits in turn, records and replays. What they write is opened by walled children afterwards.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyproj  # noqa: F401 - before any library that may bring another PROJ

from labrig.errors import LabrigError
from labrig.isolation.children import Children
from labrig.isolation.inside.answering import FIRST_FILE
from labrig.isolation.process import Limits

LIMITS = Limits(wall_s=50, cpu_s=100, memory_bytes=6 << 30, output_bytes=1 << 20, file_bytes=2 << 30)
_PASSED_ON = ("HOME", "LABRIG_", "SSL_CERT_", "XDG_")
KINDS = ("raster", "zarr", "scene")


def fetchers() -> Children:
    """Return what fetches, each part in a process of its own."""
    passed = {name: value for name, value in os.environ.items() if name.startswith(_PASSED_ON)}
    return Children(
        "labrig_earth.catalogue.fetching",
        what="Fetching",
        limits=LIMITS,
        slots=2,
        variables={
            **passed,
            "PROJ_NETWORK": "OFF",
            "GDAL_HTTP_PROXY": "127.0.0.1:9",  # GDAL itself finds no network
            "HDF5_USE_FILE_LOCKING": "FALSE",
        },
    )


def question(
    kind: str, url: str, arguments: Mapping[str, Any], *, mode: str, ledger: Path | None
) -> dict[str, Any]:
    """Return what a child is asked; the scratch folder is its one file."""
    plain = str(ledger) if ledger is not None else None
    return {"kind": kind, "url": url, "arguments": dict(arguments), "mode": mode, "ledger": plain}


def work(asked: Any) -> bytes:
    """Fetch a part into the folder that was handed over, and return its name and what it is as JSON.

    Raises
    ------
    LabrigError
        As `remote.fetch_raster`, `remote.fetch_scene` and `remote.fetch_zarr`; ``bad_input`` for what their libraries
        cannot read.
    """
    from labrig.http import Client
    from labrig.http.sync import SyncClient
    from labrig_earth.catalogue.remote import fetch_raster, fetch_scene, fetch_zarr

    folder = Path(f"/proc/self/fd/{FIRST_FILE}")
    ledger = Path(asked["ledger"]) if asked["ledger"] else None
    given, url = asked["arguments"], str(asked["url"])
    client = SyncClient(lambda: Client.configured(mode=asked["mode"], ledger=ledger))
    try:
        if asked["kind"] == "raster":
            name = "part.tif"
            about = fetch_raster(client, url, given["bbox"], folder / name)
        elif asked["kind"] == "scene":
            name = "scene.tif"
            about = fetch_scene(
                client,
                given["bands"],
                given["bbox"],
                folder / name,
                step_m=given["step_m"],
                tags=given["tags"],
            )
        elif asked["kind"] == "zarr":
            name = "part.nc"
            about = fetch_zarr(
                client, url, folder / name, variables=given["variables"], box=given.get("bbox"),
                start=given.get("start", ""), end=given.get("end", ""),
            )  # fmt: skip
        else:
            raise LabrigError(f"There is no kind {asked['kind']!r}", where="kind", expected=", ".join(KINDS))
    except LabrigError:
        raise
    except Exception as error:  # readers of rasters and stores have their own
        said = " ".join(str(error).split())[:300]
        raise LabrigError(
            f"What is at this address cannot be read: {type(error).__name__}: {said}",
            where=url[:300],
            expected="a GeoTIFF, or a Zarr store with its variables",
        ) from None
    finally:
        client.close()
    return json.dumps({"name": name, "about": about}).encode()
