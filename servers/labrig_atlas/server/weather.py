"""Weather by day: what was, and what is to come."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer, Quantity
from labrig.errors import unknown_name
from labrig.tools import cursor as cursors
from labrig_atlas.server.answers import answer, clipped
from labrig_atlas.server.base import PlaceArgument, atlas, toolbox

MOST_DAYS, DAYS_BYTES = 60, 4_500
"""Of one Answer."""
USUAL = ("temperature_2m_max", "temperature_2m_min", "precipitation_sum", "weather_code")


@toolbox.tool(
    title="Get the weather",
    read_only=True,
    open_world=True,
    words="historical, past date, meteorology, temperature, rain, precipitation, snow, sunshine, wind, humidity, "
    "forecast, tomorrow, next days, location, today, climate of a city",
)
async def get_weather(
    place: PlaceArgument,
    start_date: Annotated[str, Field(description="First day, YYYY-MM-DD; without one, the forecast.")] = "",
    end_date: Annotated[str, Field(description="Last day; default the first.")] = "",
    variables: Annotated[
        list[str],
        Field(
            max_length=20,
            description="By Open-Meteo's names: rain_sum, snowfall_sum, sunshine_duration, sunrise, ..",
        ),
    ] = [],  # noqa: B006 - pydantic copies it
    cursor: Annotated[str, Field(description="Where an earlier result ended.")] = "",
) -> Answer:
    """Get the weather of past days or the forecast: by default max, min (degC), precipitation (mm), WMO code.

    It gives historical weather at a location: temperature and rain on a day years ago, or
    monthly sums over past years (how rainy was a month).

    Example: {"place": "Ulm", "start_date": "2020-06-01"}
    """
    where, note = await atlas().place(place, "place")
    if start_date:
        told = await atlas().ask(
            "weather", where.latitude, where.longitude, start_date, end_date or start_date
        )
    else:
        told = await atlas().ask("forecast", where.latitude, where.longitude)
    found = told.facts
    chosen = list(dict.fromkeys(variables)) or [each for each in USUAL if each in found.daily]
    for name in chosen:
        if name not in found.daily:
            raise unknown_name("variable", name, found.daily, where="variables")
    rows = [[day, *(found.daily[name][at] for name in chosen)] for at, day in enumerate(found.days)]
    question = [where.place_id, start_date, end_date, chosen]
    shown, following = cursors.page(rows, question, cursor, MOST_DAYS, most_bytes=DAYS_BYTES)
    columns = ["date", *chosen]
    data: dict[str, Any] = {
        "place": clipped(where.address or where.name, 80),
        "latitude": found.latitude,
        "longitude": found.longitude,
        "timezone": found.timezone,
        "columns": columns,
        "units": ["iso8601", *(found.units.get(name, "") for name in chosen)],
        "days": list(shown),
    }
    values: list[Quantity] = []
    if len(rows) == 1:
        values = [
            Quantity(name, found.daily[name][0], found.units.get(name, ""), found.days[0]) for name in chosen
        ]
    if found.current:
        data["current"] = {
            name: [each, found.current_units.get(name, "")] for name, each in found.current.items()
        }
    hint = (
        f"get_weather(place={place[:100]!r}, start_date={start_date!r}, end_date={end_date!r}, variables={variables}, "
        f"cursor={following!r})"
    )
    return answer(told.noting(note), values, data=data, next=hint if following else "")
