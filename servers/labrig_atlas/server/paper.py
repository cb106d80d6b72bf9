"""The tools of The Amazing Agent Race by their published names and arguments: pages, maps, weather, countries, markets.

Names, arguments and JSON are those of the public MCP servers (minnesotanlp/the-amazing-agent-race, src/mcp_servers,
78eff56), of which the search is called ``web_search`` as in the paper; defects that nobody can have meant are not kept:
a stock's currency is its own, and what cannot be answered is an error and no empty list.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field
from pydantic_core import PydanticUseDefault

from labrig.answer import Published
from labrig.toolbox import Tool
from labrig_atlas.asking import Told
from labrig_atlas.published import figures, maps, texts, weather
from labrig_atlas.server.answers import MADE_UP
from labrig_atlas.server.base import atlas, pages, toolbox

PAPER = ("paper",)


def paper_tool(title: str, *, toolsets: tuple[str, ...] = PAPER) -> Callable[[Tool], Tool]:
    """Declare a published tool that looks something up."""
    return toolbox.tool(title=title, read_only=True, faithful=True, toolsets=toolsets, open_world=True)


def published(shaped: tuple[dict[str, Any], Told]) -> Published:
    """Return JSON as the tool's text; who says so is in its record, and what is made up is marked in the text too."""
    result, told = shaped
    if (
        told.made_up
    ):  # clients drop _meta: the published shape has one key more than let a model take it for real
        result = {**result, "note": MADE_UP}
    record: dict[str, Any] = {"source": told.source, "made_up": told.made_up}
    candidates = getattr(told.facts, "candidates", ())
    if len(candidates) > 1:
        record["candidates"] = [each.address or each.name for each in candidates]
    if told.notes:
        record["notes"] = list(told.notes)
    if told.record:
        record["sources"] = [dict(each) for each in told.record]
    return Published(as_json(result), record=record)


def as_json(result: Any) -> str:
    """Return a result as the published servers print it."""
    return json.dumps(result, ensure_ascii=False)


def _read_null(value: Any) -> Any:
    """Take null for an optional argument as its default: the public registry does, and agents send it."""
    if value is None:
        raise PydanticUseDefault
    return value


OPTIONAL = BeforeValidator(_read_null)


class Location(BaseModel):
    """A point."""

    latitude: float
    longitude: float


LATITUDE = Annotated[float, Field(description="Degrees, north positive.")]
LONGITUDE = Annotated[float, Field(description="Degrees, east positive.")]
MODE = Annotated[str, OPTIONAL, Field(description="driving, walking, bicycling or transit.")]
DATE = Annotated[str, Field(description="YYYY-MM-DD.")]
SELECT = Annotated[
    list[str], OPTIONAL, Field(max_length=50, description="Parts of the answer: daily.precipitation_sum[0].")
]


@paper_tool("Fetch a web page")
async def fetch_webpage(
    url: Annotated[str, Field(description="Address of the page.")],
    raw_html: Annotated[bool, OPTIONAL, Field(description="HTML instead of Markdown.")] = False,
) -> Published:
    """Fetch a web page as Markdown, at most 100,000 characters of it."""
    return Published(await texts.fetch_webpage(pages(), url, raw_html))


async def searched(
    query: str, location: str, gl: str, hl: str, num_results: int, sections: list[str]
) -> Published:
    """Return a search in the shape of Serper, or the named parts of it."""
    result, record = await texts.web_search(
        atlas(), pages(), query, num_results, location=location, gl=gl, hl=hl
    )
    shown = {name: each for name, each in result.items() if name in sections} if sections else result
    return Published(as_json(shown), record=record)


QUERY = Annotated[str, Field(description="What to search for.")]
NUMBER = Annotated[int, OPTIONAL, Field(ge=1, le=10, description="How many results.")]
SECTIONS = Annotated[
    list[str], OPTIONAL, Field(max_length=20, description="Parts of the answer to return, such as organic.")
]


@paper_tool("Search the web")
async def web_search(
    query: QUERY,
    location: Annotated[str, OPTIONAL] = "United States",
    gl: Annotated[str, OPTIONAL] = "us",
    hl: Annotated[str, OPTIONAL] = "en",
    num_results: NUMBER = 5,
    sections: SECTIONS = [],  # noqa: B006 - pydantic copies it
) -> Published:
    """Search the web: titles, links and snippets."""
    return await searched(query, location, gl, hl, num_results, sections)


@paper_tool("Geocode")
async def maps_geocode(address: str) -> Published:
    """Find latitude and longitude of an address or a place."""
    return published(await maps.maps_geocode(atlas(), address))


@paper_tool("Reverse geocode")
async def maps_reverse_geocode(latitude: LATITUDE, longitude: LONGITUDE) -> Published:
    """Find the address at a point."""
    return published(await maps.maps_reverse_geocode(atlas(), latitude, longitude))


@paper_tool("Search places")
async def maps_search_places(
    query: str,
    location: Annotated[Location | None, Field(description="Where to search.")] = None,
    radius: Annotated[float | None, Field(description="m, at most 50,000.")] = None,
) -> Published:
    """Search places: 'museums near Ulm'."""
    near = location.model_dump() if location else None
    return published(await maps.maps_search_places(atlas(), query, near, radius))


@paper_tool("Details of a place")
async def maps_place_details(place_id: str) -> Published:
    """Get details of a place by its id."""
    return published(await maps.maps_place_details(atlas(), place_id))


@paper_tool("Distance matrix")
async def maps_distance_matrix(
    origins: list[str], destinations: list[str], mode: MODE = "driving"
) -> Published:
    """Get distance and time from each origin to each destination."""
    return published(await maps.maps_distance_matrix(atlas(), origins, destinations, mode))


@paper_tool("Elevation")
async def maps_elevation(locations: list[Location]) -> Published:
    """Get the elevation of points, m above sea level."""
    return published(await maps.maps_elevation(atlas(), [each.model_dump() for each in locations]))


@paper_tool("Directions")
async def maps_directions(origin: str, destination: str, mode: MODE = "driving") -> Published:
    """Get the way from one place to another."""
    return published(await maps.maps_directions(atlas(), origin, destination, mode))


@paper_tool("Weather of the past")
async def weather_historical(
    latitude: LATITUDE,
    longitude: LONGITUDE,
    start_date: DATE,
    end_date: DATE,
    select: SELECT = [],  # noqa: B006
) -> Published:
    """Get the weather of past days at a point."""
    return published(
        await weather.weather_historical(atlas(), latitude, longitude, start_date, end_date, select)
    )


@paper_tool("Weather forecast")
async def weather_forecast(latitude: LATITUDE, longitude: LONGITUDE, select: SELECT = []) -> Published:  # noqa: B006
    """Get the weather of the coming days at a point."""
    return published(await weather.weather_forecast(atlas(), latitude, longitude, select))


@paper_tool("Population of a country")
async def countries_population(country: str) -> Published:
    """Get the population of a country."""
    return published(await figures.countries_population(atlas(), country))


@paper_tool("Area of a country")
async def countries_area(country: str) -> Published:
    """Get the area of a country, km2."""
    return published(await figures.countries_area(atlas(), country))


@paper_tool("Price of a stock")
async def stock_historical_price(ticker: str, date: DATE) -> Published:
    """Get the closing price of a stock on a date, or on the trading day before."""
    return published(await figures.stock_historical_price(atlas(), ticker, date))


@paper_tool("Volume of a stock")
async def stock_volume(ticker: str, date: DATE) -> Published:
    """Get the trading volume of a stock on a date, or on the trading day before."""
    return published(await figures.stock_volume(atlas(), ticker, date))


@paper_tool("Price of a coin")
async def crypto_historical_price(symbol: str, date: DATE) -> Published:
    """Get the closing price of a coin on a date: BTC, or a pair such as BTCUSDT."""
    return published(await figures.crypto_historical_price(atlas(), symbol, date))


@paper_tool("Volume of a coin")
async def crypto_volume(symbol: str, date: DATE) -> Published:
    """Get the trading volume of a coin on a date."""
    return published(await figures.crypto_volume(atlas(), symbol, date))
