"""Soils: layers from the top with their water contents, as both engines take them.

``{"layers": [{"thickness_m": 0.3, "wilting_point": 0.10, "field_capacity": 0.22, "saturation": 0.41,
"ksat_mm_day": 1200}, ...]}``; water contents in m3/m3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.work.fields import Fields

MOST_LAYERS = 20


@dataclass(frozen=True)
class Layer:
    """A layer of a soil.

    Attributes
    ----------
    thickness_m
        m.
    wilting_point, field_capacity, saturation
        Water contents, m3/m3.
    ksat_mm_day
        Hydraulic conductivity at saturation, mm/day.
    penetrability
        How far roots may grow in it, %.
    """

    thickness_m: float
    wilting_point: float
    field_capacity: float
    saturation: float
    ksat_mm_day: float
    penetrability: float = 100.0

    def to_dict(self) -> dict[str, Any]:
        """Return the layer as plain data."""
        return dict(vars(self))


def read_layers(soil: Fields) -> list[tuple[Layer, Fields]]:
    """Return the layers of a soil, from the top, each with its fields, of which an engine may ask more.

    Raises
    ------
    LabrigError
        For a soil without layers, a value out of its range, and water contents in the wrong order.
    """
    rows = soil.rows("layers", MOST_LAYERS, [])
    if not rows:
        raise LabrigError(
            "The soil has no layers",
            where=soil.where,
            expected="layers: a list of thickness_m, wilting_point, field_capacity, saturation, ksat_mm_day",
        )
    return [(_layer(row), row) for row in rows]


def _layer(row: Fields) -> Layer:
    layer = Layer(
        thickness_m=row.number("thickness_m", 0.05, 3.0, "m"),
        wilting_point=row.number("wilting_point", 0.01, 0.6, "m3/m3"),
        field_capacity=row.number("field_capacity", 0.02, 0.7, "m3/m3"),
        saturation=row.number("saturation", 0.1, 0.9, "m3/m3"),
        ksat_mm_day=row.number("ksat_mm_day", 0.1, 20_000, "mm/day"),
        penetrability=row.number("penetrability_percent", 0, 100, "%", 100.0),
    )
    if not layer.wilting_point < layer.field_capacity < layer.saturation:
        raise LabrigError(
            f"Water contents are {layer.wilting_point:g}, {layer.field_capacity:g}, {layer.saturation:g} m3/m3",
            where=row.where,
            expected="wilting_point < field_capacity < saturation",
        )
    return layer
