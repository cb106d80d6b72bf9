"""Facts as Answers: values with unit and note, records as plain data, who says so, and whether it is made up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from labrig.answer import Answer, Quantity
from labrig_atlas.asking import Told
from labrig_atlas.facts import Place

MADE_UP = "made up by Labrig, not observed"
MOST_CHARS = 160
"""Of a text of a service or a table that stands in a list."""
DIGITS = 7
"""Of a latitude or longitude behind the point: 1 cm."""


def answer(
    told: Told,
    values: Iterable[Quantity] = (),
    *,
    status: str = "ok",
    text: str = "",
    data: Mapping[str, Any] | None = None,
    next: str = "",
    mark: bool = True,
) -> Answer:
    """Return the Answer of what was told; what is made up is said in a warning and beside each value.

    Parameters
    ----------
    mark
        Whether all values are made up where the facts are; else they are marked already, each for itself.
    """
    some = MADE_UP if mark else f"some values are {MADE_UP}, and marked so"
    shown = [_marked(each) for each in values] if told.made_up and mark else list(values)
    return Answer(
        source=clipped(told.source, 1_500),
        status=status,
        values=tuple(shown),
        text=text,
        data=dict(data or {}),
        warnings=(
            *((f"{some}: no facts of the real world",) if told.made_up else ()),
            *told.notes,
        ),
        next=next,
        record={"sources": [dict(each) for each in told.record]} if told.record else {},
    )


def _marked(value: Quantity) -> Quantity:
    note = f"{value.note}; {MADE_UP}" if value.note else MADE_UP
    return Quantity(value.name, value.value, value.unit, note)


def place_values(place: Place) -> tuple[Quantity, ...]:
    """Return what is known of a place in numbers: its point, elevation, population, rating."""
    values = [
        Quantity("latitude", round(place.latitude, DIGITS), "deg", "WGS 84"),
        Quantity("longitude", round(place.longitude, DIGITS), "deg", "WGS 84"),
    ]
    if place.elevation_m is not None:
        values.append(Quantity("elevation", place.elevation_m, "m", "above sea level"))
    if place.population is not None:
        values.append(Quantity("population", place.population, "1"))
    if place.distance_m is not None:
        values.append(
            Quantity("distance", round(place.distance_m, 1), "m", "from the point asked, along the geodesic")
        )
    if place.rating is not None:
        values.append(
            Quantity("rating", place.rating, "1", f"mean of {place.ratings_count or '?'}, from 1 to 5")
        )
    return tuple(values)


def place_dict(place: Place, *, whole: bool = False) -> dict[str, Any]:
    """Return a place as plain data without what it lacks; short, where it stands in a list."""
    fields = asdict(place)
    if not whole:
        for name in ("source", "other_names", "opening_hours", "types", "phone", "website", "timezone"):
            fields.pop(name)
    fields["latitude"], fields["longitude"] = round(place.latitude, DIGITS), round(place.longitude, DIGITS)
    if place.distance_m is not None:
        fields["distance_m"] = round(place.distance_m, 1)
    return {name: _short(value) for name, value in fields.items() if value not in (None, "", (), False)}


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return clipped(value)
    if isinstance(value, tuple):
        return [_short(each) for each in value[:12]]
    return value


def clipped(text: str, most: int = MOST_CHARS) -> str:
    """Return a text of at most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"
