"""The tool ``find_data``: entries of files, or of static catalogues, and those of them that fit; and parts fetched.

Inputs by role: ``data`` (files, Zarr folders), ``catalogues`` (folders with catalog.json).
"""

from __future__ import annotations

from collections.abc import Mapping

from labrig.errors import LabrigError
from labrig_earth.catalogue.entries import Entry
from labrig_earth.catalogue.scanning import entry_of
from labrig_earth.catalogue.searching import found, search
from labrig_earth.catalogue.static import read_static
from labrig_earth.results import Result
from labrig_earth.work.arguments import count_of, list_of, text_of
from labrig_earth.work.calls import Call, Operation


def find_data(call: Call) -> Result:
    """Data sets by ``bbox``, ``start``, ``end``, ``variable``, ``text``; ``most``; ``names`` (paths of ``data``).

    ``prefixes`` (of ``catalogues`` in order) stand before the paths that a catalogue names.
    """
    wanted = {name: text_of(call, name) for name in ("start", "end", "variable", "text")}
    search(
        (), box=call.argument("bbox"), **wanted
    )  # what cannot be asked is refused before any file is opened
    entries, skipped = [], []
    names = list_of(call, "names", str, "paths")
    for number, place in enumerate(call.inputs.get("data", ())):
        where = str(names[number]) if number < len(names) else place.name
        try:
            entries.append(entry_of(place, where=where))
        except LabrigError as error:
            skipped.append(f"{where}: {error.what}")
        except (ValueError, KeyError, TypeError, IndexError, RuntimeError, OSError) as error:
            skipped.append(f"{where}: {type(error).__name__}")  # of a library; the others are still found
    prefixes = list_of(call, "prefixes", str, "paths")
    for number, place in enumerate(call.inputs.get("catalogues", ())):
        prefix = str(prefixes[number]) if number < len(prefixes) else place.name
        known = {entry.where for entry in entries}
        for entry in read_static(place.path, name=place.name):
            moved = _moved(entry, prefix)
            if moved.where not in known:
                entries.append(moved)
    fitting = search(entries, box=call.argument("bbox"), **wanted)
    result = found(entries, fitting, most=count_of(call, "most", 12, high=100))
    if skipped:
        more = f" and {len(skipped) - 5} more" if len(skipped) > 5 else ""
        result = result.noting(warnings=("not read: " + "; ".join(skipped[:5]) + more,))
    return result


def _moved(entry: Entry, prefix: str) -> Entry:
    from dataclasses import replace

    if "://" in entry.where or not prefix or prefix == ".":
        return entry
    path = f"{prefix.rstrip('/')}/{entry.where}"
    return replace(entry, where=path, name=path)


def fetch_raster(call: Call) -> Result:
    """Part of a GeoTIFF at ``url`` in ``bbox``."""
    from labrig_earth.catalogue import remote

    assert call.client is not None
    name, given = "part.tif", call.arguments
    about = remote.fetch_raster(call.client, given["url"], given["bbox"], call.scratch / name)
    return Result("the blocks in the box", data=about, files=(name,))


def fetch_scene(call: Call) -> Result:
    """Part of a scene's ``bands`` in ``bbox``, thinned to ``step_m``, with ``tags``."""
    from labrig_earth.catalogue import remote

    assert call.client is not None
    name, given = "scene.tif", call.arguments
    more = {"step_m": given["step_m"], "tags": given["tags"]}
    about = remote.fetch_scene(call.client, given["bands"], given["bbox"], call.scratch / name, **more)
    return Result("the blocks in the box", data=about, files=(name,))


def fetch_zarr(call: Call) -> Result:
    """Part of ``variables`` of a Zarr store at ``url``: ``bbox``, ``start``, ``end``."""
    from labrig_earth.catalogue import remote

    assert call.client is not None
    name, given = "part.nc", call.arguments
    about = remote.fetch_zarr(
        call.client, given["url"], call.scratch / name, variables=given.get("variables", []),
        box=given.get("bbox"), start=given.get("start", ""), end=given.get("end", ""),
    )  # fmt: skip
    return Result("the chunks in the box", data=about, files=(name,))


OPERATIONS: Mapping[str, Operation] = {
    "find_data": find_data,
    "fetch_raster": fetch_raster,
    "fetch_scene": fetch_scene,
    "fetch_zarr": fetch_zarr,
}
