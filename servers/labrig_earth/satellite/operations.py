"""The tool ``index``: an index of a scene, or its change between two.

Inputs by role: ``data`` (the files of a scene, SCL among them), ``before`` (those of an earlier scene), ``polygons``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.gis.features import read_features
from labrig_earth.results import Result
from labrig_earth.satellite.computing import compute_change, compute_index
from labrig_earth.satellite.indices import Index, index_of
from labrig_earth.satellite.scene import KEPT_CLASSES, SCL_CLASSES, Scene
from labrig_earth.work.arguments import flag_of, list_of, mapping_of, number_of, text_of
from labrig_earth.work.calls import Call, Operation
from labrig_earth.work.fields import Fields


def index(call: Call) -> Result:
    """An index of a scene; ``index``, ``bands``, ``scale``, ``offset``, ``keep``, ``mask``, ``above``, ``names``."""
    wanted = index_of(text_of(call, "index"))
    scene = _scene(call, "data", wanted)
    polygons, notes = _polygons(call)
    above = number_of(call, "above")
    result = compute_index(
        scene, wanted, call.scratch, above=above, polygons=polygons, names=text_of(call, "names")
    )
    return result.noting(warnings=notes)


def index_change(call: Call) -> Result:
    """The change of an index from ``before`` to ``data``; ``threshold``, and the arguments of `index`."""
    wanted = index_of(text_of(call, "index"))
    threshold = number_of(call, "threshold")
    if threshold is not None and not threshold > 0:
        raise LabrigError(f"A threshold of {threshold}", where="threshold", expected="above 0, of the index")
    polygons, notes = _polygons(call)
    result = compute_change(
        _scene(call, "before", wanted),
        _scene(call, "data", wanted),
        wanted,
        call.scratch,
        threshold=threshold,
        polygons=polygons,
        names=text_of(call, "names"),
    )
    return result.noting(warnings=notes)


def _scene(call: Call, role: str, wanted: Index) -> Scene:
    places = call.inputs.get(role, ())
    if not places:
        raise LabrigError(
            "No file of a scene is given",
            where=role,
            expected="GeoTIFF files of its bands",
            try_=f"{role}=[...]",
        )
    keep: Sequence[int] = list_of(call, "keep", int, "SCL classes") or KEPT_CLASSES
    for each in keep:
        if not 0 <= each < len(SCL_CLASSES):
            listed = ", ".join(f"{number} {name}" for number, name in enumerate(SCL_CLASSES))
            raise LabrigError(f"SCL has no class {each}", where="keep", expected=listed)
    return Scene(
        places,
        wanted.bands,
        bands=_bands(call),
        scale=number_of(call, "scale"),
        offset=number_of(call, "offset"),
        keep=keep if flag_of(call, "mask", True) else None,
        reflectance=not wanted.bounded,
    )


def _bands(call: Call) -> dict[str, int] | None:
    found = Fields(mapping_of(call, "bands"), "bands")
    return {name: found.whole(name, 1, 10_000, "a band of the first file") for name in found.raw()} or None


def _polygons(call: Call) -> tuple[Any, tuple[str, ...]]:
    place = call.optional("polygons")
    if place is None:
        return None, ()
    features = read_features(place, layer=text_of(call, "layer"), crs=text_of(call, "crs"))
    return features.frame, tuple(features.warnings)


OPERATIONS: Mapping[str, Operation] = {"index": index, "index_change": index_change}
