"""Soil files for AquaCrop and DSSAT out of gridded texture at a place: the input ``soil`` of ``make_input``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from labrig.answer import Quantity
from labrig.errors import LabrigError, unknown_name
from labrig_earth.impact.crops.aquacrop_inputs import read_soil as read_for_aquacrop
from labrig_earth.impact.crops.dssat_inputs import read_soil as read_for_dssat
from labrig_earth.impact.crops.pedotransfer import MATTER_PER_CARBON, held
from labrig_earth.impact.sampling import Sample, fields_of, labels_of, point_of, sampled, source_of
from labrig_earth.results import Result
from labrig_earth.work.arguments import mapping_of
from labrig_earth.work.calls import Call
from labrig_earth.work.fields import Fields, read_object

ROLES: Mapping[str, tuple[str, ...]] = {
    "clay_percent": ("percent",),
    "sand_percent": ("percent",),
    "silt_percent": ("percent",),
    "organic_carbon_percent": ("percent",),
    "bulk_density_g_cm3": ("g cm-3",),
}
"""What may be taken from a variable, and in which units."""

NEEDED = ("clay_percent", "organic_carbon_percent", "bulk_density_g_cm3")
DEEPEST_M = 5.0


def make(call: Call) -> Result:
    """Write ``soil_aquacrop.json`` and ``soil_dssat.json``.

    Arguments: ``point``, ``variables`` (names by `ROLES`; sand or silt), ``options``: ``bottoms_m`` (of layers, where
    the depth axis has no bounds), ``bottom_m`` (the lowest layer reaches down to it).

    Raises
    ------
    LabrigError
        For what is missing, depths that do not follow one another, and what `pedotransfer.held` and a run refuse.
    """
    named = mapping_of(call, "variables")
    for role in named:
        if role not in ROLES:
            raise unknown_name("column", role, ROLES, where="variables")
    for role in NEEDED:
        if role not in named:
            raise LabrigError(f"No variable is named for {role}", where="variables")
    if ("sand_percent" in named) == ("silt_percent" in named):
        raise LabrigError(
            "Sand and silt are both named, or neither", where="variables", expected="one of them"
        )
    asked = Fields(mapping_of(call, "options"), "options")
    fields, point = fields_of(call), point_of(call)
    samples = {role: sampled(fields, str(name), role, point, ROLES[role]) for role, name in named.items()}
    notes = [each.note for each in samples.values()]
    clay = samples["clay_percent"]
    for role, each in samples.items():
        if each.axis != clay.axis or not np.array_equal(each.coordinate, clay.coordinate):
            raise LabrigError(
                f"{role} has other depths than clay_percent",
                where=f"variables, {role}",
                expected="one depth axis",
            )
    bounds = _bounds_of(fields, clay, str(named["clay_percent"]), asked)
    if asked.has("bottom_m"):
        deepest = asked.number("bottom_m", bounds[-1], DEEPEST_M, "m")
        if deepest > bounds[-1]:
            notes.append(f"the lowest layer is taken to reach from {bounds[-1]:g} m down to {deepest:g} m")
            bounds[-1] = deepest
    asked.require_all_known()
    layers = _layers({role: each.values for role, each in samples.items()}, bounds)
    own = ("thickness_m", "wilting_point", "field_capacity", "saturation", "ksat_mm_day")
    soils = {
        "soil_aquacrop.json": {"layers": [{name: layer[name] for name in own} for layer in layers]},
        "soil_dssat.json": {"layers": layers},
    }
    for name, soil in soils.items():
        content = (json.dumps(soil, indent=1) + "\n").encode()
        (call.scratch / name).write_bytes(content)
        read = read_object(content, name)  # whatever a run would refuse is refused now
        read_for_aquacrop(read) if "aquacrop" in name else read_for_dssat(read, [])
    water = sum(each["thickness_m"] * (each["field_capacity"] - each["wilting_point"]) for each in layers)
    notes.append(f"organic matter is {MATTER_PER_CARBON:g} times organic carbon")
    return Result(
        method=f"nearest cell at {point[0]:g}, {point[1]:g} (latitude, longitude); water contents and conductivity of "
        "each layer by Saxton and Rawls (2006)",
        values=(
            Quantity("layers", len(layers), "1"),
            Quantity("depth", round(bounds[-1], 4), "m"),
            Quantity("available water of the profile", round(1000 * water, 2), "mm"),
            Quantity(
                "sand of the top", round(100 - layers[0]["clay_percent"] - layers[0]["silt_percent"], 3), "%"
            ),
            Quantity("clay of the top", layers[0]["clay_percent"], "%"),
        ),
        data={"files": list(soils), "layers": [{name: layer[name] for name in own} for layer in layers]},
        assumed=tuple(notes),
        warnings=labels_of(fields),
        source=", ".join(dict.fromkeys(field.source for field in fields)),
        files=tuple(soils),
    )


def _bounds_of(fields: Any, sample: Sample, name: str, asked: Fields) -> list[float]:
    """Return the bottoms of the layers, m: stated, or by the bounds of the depth axis."""
    count = len(sample.values)
    if asked.has("bottoms_m"):
        bottoms = asked.numbers("bottoms_m", 0.01, DEEPEST_M, "m, of each layer", (count, count))
        tops = [0.0, *bottoms[:-1]]
    else:
        data = source_of(fields, name, "clay_percent").data
        bounds = str(sample.data[sample.axis].attrs.get("bounds", ""))
        if sample.data[sample.axis].attrs.get("units") != "m" or bounds not in data:
            raise LabrigError(
                f"The axis {sample.axis} says no bounds of layers in m",
                where="options, bottoms_m",
                expected=f"the depth of the bottom of each of {count} layers, m",
            )
        tops, bottoms = data[bounds].values.astype(float).T.tolist()
    before = [0.0, *bottoms[:-1]]
    if not np.allclose(tops, before) or not (np.diff([0.0, *bottoms]) > 0).all():
        raise LabrigError(
            f"Layers do not follow one another from the surface down: {bottoms}",
            where=sample.axis,
            expected="depths of bottoms that increase, m",
        )
    return [round(float(each), 6) for each in bottoms]


def _layers(samples: Mapping[str, Any], bottoms: list[float]) -> list[dict[str, float]]:
    layers = []
    for place, bottom in enumerate(bottoms):
        of = {role: float(values[place]) for role, values in samples.items()}
        clay = of["clay_percent"]
        sand = of["sand_percent"] if "sand_percent" in of else 100 - clay - of["silt_percent"]
        water = held(sand, clay, MATTER_PER_CARBON * of["organic_carbon_percent"], f"layer {place + 1}")
        layers.append(
            {
                "thickness_m": round(bottom - (bottoms[place - 1] if place else 0.0), 6),
                "wilting_point": round(water.wilting_point, 4),
                "field_capacity": round(water.field_capacity, 4),
                "saturation": round(water.saturation, 4),
                "ksat_mm_day": round(water.ksat_mm_day, 2),
                "bulk_density_g_cm3": round(of["bulk_density_g_cm3"], 3),
                "organic_carbon_percent": round(of["organic_carbon_percent"], 3),
                "clay_percent": round(clay, 3),
                "silt_percent": round(100 - clay - sand, 3),
            }
        )
    return layers
