"""OSM files whose objects are in another order than nodes, ways, relations by their ids: a copy in that order.

Overpass answers so to the usual ``out body;>;out skel qt;``: nodes follow their ways, and a node that has one of the
tags and belongs to a way comes twice, the second time without tags. Areas are put together from files in order alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from labrig.errors import over_limit

MOST_OBJECTS = 3_000_000
"""Of a file that is put in order in memory, where an object takes 100 to 300 bytes."""
_EMPTY = b'<osm version="0.6"/>'
Tried = Callable[[Iterator[Any]], Iterator[Any]]
"""What yields the objects of a file and says which file is broken."""


def in_order(file: Any, tried: Tried) -> bool:
    """Return whether nodes, ways and relations follow each other by ascending ids, each once."""
    last = (-1, False, 0)
    for each in tried(_objects(file)):
        place = ("nwr".index(each.type_str()), each.id > 0, abs(each.id))
        if place <= last:
            return False
        last = place
    return True


def write_in_order(file: Any, path: str, name: str, tried: Tried) -> None:
    """Write a file's objects in order as PBF; of those with one id, that of the last version with the most tags.

    Raises
    ------
    LabrigError
        ``limit`` for more than `MOST_OBJECTS`; what `tried` says of a broken file.
    """
    import osmium

    best: dict[tuple[str, int], tuple[int, int, int]] = {}
    for number, each in enumerate(tried(_objects(file))):
        key, found = (each.type_str(), each.id), (each.version, len(each.tags), -number)
        best[key] = max(best.get(key, found), found)
        if len(best) > MOST_OBJECTS:
            raise over_limit(
                f"The objects of {name} are not in order, and more than {MOST_OBJECTS:,}",
                MOST_OBJECTS,
                where=name,
                try_="osmium sort, or a smaller extract",
            )
    kept = {-number for _, _, number in best.values()}
    with osmium.SimpleWriter(osmium.io.File(f"{path}.kept", "pbf")) as writer:
        for number, each in enumerate(tried(_objects(file))):
            if number in kept:
                writer.add(each)
    merged = osmium.MergeInputReader()
    merged.add_buffer(Path(f"{path}.kept").read_bytes(), "pbf")
    sorted_writer = osmium.io.Writer(osmium.io.File(path, "pbf"))
    merged.apply_to_reader(osmium.io.Reader(osmium.io.FileBuffer(_EMPTY, "osm")), sorted_writer)
    sorted_writer.close()


def _objects(file: Any) -> Iterator[Any]:
    import osmium

    return iter(osmium.FileProcessor(file))
