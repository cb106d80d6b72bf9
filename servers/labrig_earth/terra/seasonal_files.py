"""What files of seasonal forecasts hold: their variables, and probabilities of categories."""

from __future__ import annotations

from typing import Any

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.grids.reading import opened
from labrig_earth.seasonal import categories
from labrig_earth.seasonal.hindcasts import read_seasonal


def probabilities_of(place: Place) -> dict[str, Any]:
    there = variables_of(place)
    for name in categories.CATEGORIES:
        if name not in there:
            raise LabrigError(
                f"It has no {name}",
                where=place.name,
                expected=", ".join(categories.CATEGORIES),
                try_="category_probabilities",
                code="not_found",
            )
    model = {name: read_seasonal(place, name).data for name in categories.CATEGORIES}
    categories.require_probabilities(model, place.name)
    return model


def variables_of(place: Place) -> list[str]:
    data = opened(place).data
    names = [str(name) for name in data.data_vars if str(name) not in describing(data)]
    if not names:
        raise LabrigError("It holds no variable", where=place.name)
    return [name for name in names if data[name].dtype.kind in "fiub" and data[name].ndim] or names


def describing(data: Any) -> set[str]:
    """Return variables that describe others: bounds of axes, mappings of a grid."""
    found = {str(each.attrs.get("bounds", "")) for each in data.variables.values()}
    found |= {str(each.attrs.get("grid_mapping", "")) for each in data.variables.values()}
    found |= {str(each.encoding.get("grid_mapping", "")) for each in data.variables.values()}
    return found | {str(name) for name in data.data_vars if not data[name].ndim}
