"""The tools by name: those fourteen of the published command, as it prints them, and the others of the paper's servers.

Of the fourteen, maps are Google's own JSON, weather may be asked by one ``date``, and code gives bare text.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError, unknown_name
from labrig_atlas.asking import Atlas
from labrig_atlas.published import figures, google, maps, texts, weather, writing
from labrig_atlas.reading import Pages

if TYPE_CHECKING:
    from labrig.sandbox import Sandbox

CODE_S = 30.0
"""That code may take, where its caller does not say."""
MOST_CODE_S = 600.0


@dataclass
class Desk:
    """What the tools ask.

    Attributes
    ----------
    model
        The configured model that writes code; empty for none.
    """

    atlas: Atlas
    pages: Pages
    sandbox: Sandbox
    model: str = ""


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


async def fetch_webpage(desk: Desk, url: str, raw_html: bool = False) -> str:
    """Print a page as Markdown, cut at 100,000 characters."""
    return await texts.fetch_webpage(desk.pages, url, raw_html)


async def serper_search(desk: Desk, query: str, num_results: int = 5) -> str:
    """Print what a search found."""
    return _json((await texts.web_search(desk.atlas, desk.pages, query, num_results))[0])


async def maps_geocode(desk: Desk, address: str) -> str:
    """Print the places that an address may mean."""
    return _json(google.geocoding((await desk.atlas.ask("geocode", address)).facts))


async def maps_reverse_geocode(desk: Desk, latitude: float, longitude: float) -> str:
    """Print the place at a point."""
    return _json(google.reverse((await desk.atlas.ask("reverse", float(latitude), float(longitude))).facts))


async def maps_search_places(
    desk: Desk, query: str, location: Mapping[str, float] | None = None, radius: float | None = None
) -> str:
    """Print the places that a search found."""
    return _json(google.places((await maps.maps_search_places(desk.atlas, query, location, radius))[1].facts))


async def maps_place_details(desk: Desk, place_id: str) -> str:
    """Print what is known of a place."""
    return _json(google.details((await desk.atlas.ask("details", place_id)).facts))


async def maps_distance_matrix(
    desk: Desk, origins: list[str], destinations: list[str], mode: str = "driving"
) -> str:
    """Print distances and times."""
    told = (await maps.maps_distance_matrix(desk.atlas, origins, destinations, mode))[1]
    return _json(google.matrix(told.facts))


async def maps_elevation(desk: Desk, locations: list[dict[str, float]]) -> str:
    """Print heights of points."""
    return _json(google.elevations((await maps.maps_elevation(desk.atlas, locations))[1].facts))


async def maps_directions(desk: Desk, origin: str, destination: str, mode: str = "driving") -> str:
    """Print the way from one place to another."""
    return _json(
        google.directions((await maps.maps_directions(desk.atlas, origin, destination, mode))[1].facts)
    )


async def weather_historical(
    desk: Desk, latitude: float, longitude: float, date: str = "", start_date: str = "", end_date: str = ""
) -> str:
    """Print temperatures and precipitation of a date, or of days."""
    first = date or start_date
    return _json(
        (await weather.weather_of_date(desk.atlas, float(latitude), float(longitude), first, end_date))[0]
    )


async def weather_forecast(desk: Desk, latitude: float, longitude: float) -> str:
    """Print the weather to come."""
    return _json((await weather.weather_forecast(desk.atlas, float(latitude), float(longitude)))[0])


async def python_execute_code(desk: Desk, code: str, timeout_seconds: float = CODE_S) -> str:
    """Print what code printed; where it failed, its exit code first."""
    from labrig.sandbox import Limits

    seconds = min(max(0.1, float(timeout_seconds)), MOST_CODE_S)
    ran = await desk.sandbox.run(code, limits=Limits(wall_s=seconds, cpu_s=max(1.0, seconds)))
    if ran.status == "ok":
        return (ran.output + ran.error).rstrip("\n") or "(no output)"
    why = ran.error if ran.status == "error" else f"{ran.error}{ran.detail}"
    return f"Exit code: {ran.exit_code or 1}\n{ran.output}{why}"


async def countries_population(desk: Desk, country: str) -> str:
    """Print the population of a country."""
    return _json((await figures.countries_population(desk.atlas, country))[0])


async def countries_area(desk: Desk, country: str) -> str:
    """Print the area of a country, km2."""
    return _json((await figures.countries_area(desk.atlas, country))[0])


FOURTEEN: tuple[Callable[..., Awaitable[str]], ...] = (
    fetch_webpage,
    serper_search,
    maps_geocode,
    maps_reverse_geocode,
    maps_search_places,
    maps_place_details,
    maps_distance_matrix,
    maps_elevation,
    maps_directions,
    weather_historical,
    weather_forecast,
    python_execute_code,
    countries_population,
    countries_area,
)
"""Of the published command."""


async def web_search(desk: Desk, query: str, num_results: int = 5) -> str:
    """Print what a search found, under the paper's name."""
    return await serper_search(desk, query, num_results)


async def stock_historical_price(desk: Desk, ticker: str, date: str) -> str:
    """Print the close of a stock."""
    return _json((await figures.stock_historical_price(desk.atlas, ticker, date))[0])


async def stock_volume(desk: Desk, ticker: str, date: str) -> str:
    """Print the volume of a stock."""
    return _json((await figures.stock_volume(desk.atlas, ticker, date))[0])


async def crypto_historical_price(desk: Desk, symbol: str, date: str) -> str:
    """Print the close of a coin."""
    return _json((await figures.crypto_historical_price(desk.atlas, symbol, date))[0])


async def crypto_volume(desk: Desk, symbol: str, date: str) -> str:
    """Print the volume of a coin."""
    return _json((await figures.crypto_volume(desk.atlas, symbol, date))[0])


async def python_generate_code(
    desk: Desk, description: str, model: str = "", extra_instructions: str = ""
) -> str:
    """Print code that the configured model writes."""
    written = await writing.python_generate_code(
        desk.atlas.client, desk.model, description, model, extra_instructions
    )
    return str(written[0]["code"])


MORE: tuple[Callable[..., Awaitable[str]], ...] = (
    web_search,
    stock_historical_price,
    stock_volume,
    crypto_historical_price,
    crypto_volume,
    python_generate_code,
)
"""Of the paper's servers, which the published command lacks."""
TOOLS: Mapping[str, Callable[..., Awaitable[str]]] = {each.__name__: each for each in (*FOURTEEN, *MORE)}


async def call(desk: Desk, tool: str, args: Mapping[str, Any]) -> str:
    """Return what a tool prints.

    Raises
    ------
    LabrigError
        ``not_found`` for another tool; ``bad_input`` for arguments that it does not take; what the tool raises.
    """
    if tool not in TOOLS:
        raise unknown_name("tool", tool, TOOLS)
    function = TOOLS[tool]
    try:
        bound = inspect.signature(function).bind(desk, **args)
    except TypeError as error:
        taken = [name for name in inspect.signature(function).parameters if name != "desk"]
        raise LabrigError(f"{tool}: {error}", where="arguments", expected=", ".join(taken)) from None
    try:
        return await function(*bound.args, **bound.kwargs)
    except (
        TypeError,
        ValueError,
        AttributeError,
    ) as error:  # a number that is a text, a list that is an object
        raise LabrigError(f"{tool} cannot take these arguments: {error}", where="arguments") from error
