"""Names that the code of The Amazing Agent Race has beside those of the paper: its search, and weather by one date."""

from __future__ import annotations

from typing import Annotated

from labrig.answer import Published
from labrig_atlas.published import weather
from labrig_atlas.server.base import atlas
from labrig_atlas.server.paper import (
    DATE,
    LATITUDE,
    LONGITUDE,
    NUMBER,
    OPTIONAL,
    QUERY,
    SECTIONS,
    paper_tool,
    published,
    searched,
)

ALIASES = ("aliases",)


@paper_tool("Search the web", toolsets=ALIASES)
async def serper_google_search(
    query: QUERY,
    location: Annotated[str, OPTIONAL] = "United States",
    gl: Annotated[str, OPTIONAL] = "us",
    hl: Annotated[str, OPTIONAL] = "en",
    num_results: NUMBER = 5,
    sections: SECTIONS = [],  # noqa: B006 - pydantic copies it
) -> Published:
    """Search the web, under the name of the public MCP server."""
    return await searched(query, location, gl, hl, num_results, sections)


@paper_tool("Search the web", toolsets=ALIASES)
async def serper_search(query: QUERY, num_results: NUMBER = 5) -> Published:
    """Search the web, under the name of the published command-line tool."""
    return await searched(query, "", "", "", num_results, [])


@paper_tool("Weather of a date", toolsets=ALIASES)
async def weather_historical(
    latitude: LATITUDE,
    longitude: LONGITUDE,
    date: Annotated[DATE, OPTIONAL] = "",
    start_date: Annotated[DATE, OPTIONAL] = "",
    end_date: Annotated[DATE, OPTIONAL] = "",
) -> Published:
    """Get temperatures and precipitation of a date, or of days up to another, as the published command-line tool."""
    return published(
        await weather.weather_of_date(atlas(), latitude, longitude, date or start_date, end_date)
    )
