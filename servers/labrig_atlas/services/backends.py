"""Which backend answers which question: what the face dispatches by, and the services that its toolbox declares.

`open` needs no key but for searching the web; `google` needs ``LABRIG_ATLAS_GOOGLE_KEY``, or Serper's for searching.
Other names choose one service where several can answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from labrig.errors import unknown_name
from labrig.http import Service
from labrig_atlas.services import (
    binance,
    google,
    heights,
    nominatim,
    open_meteo,
    osrm,
    overpass,
    rest_countries,
    web_search,
    world_bank,
    yahoo,
)
from labrig_atlas.services.google_maps import GOOGLE_MAPS
from labrig_atlas.services.google_places import GOOGLE_PLACES
from labrig_atlas.services.google_routes import GOOGLE_ROUTES
from labrig_atlas.services.provider import Provider, Reply

Answers = Callable[..., Awaitable[Reply[Any]]]


def _google(ask: Answers) -> dict[str, Answers]:
    """Return a question to Google under the names that choose which of its two interfaces is asked."""
    return {
        "google": ask,
        "google_legacy": partial(ask, api="legacy"),
        "google_new": partial(ask, api="new"),
    }


BACKENDS: Mapping[str, Mapping[str, Answers]] = MappingProxyType(
    {
        "geocode": {"google": google.geocode, "open": nominatim.geocode},
        "reverse": {"google": google.reverse, "open": nominatim.reverse},
        "places": _google(google.places) | {"open": overpass.places},
        "details": _google(google.details) | {"open": nominatim.details},
        "route": _google(google.route) | {"open": osrm.route},
        "matrix": _google(google.matrix) | {"open": osrm.matrix},
        "elevation": {
            "google": google.elevation,
            "open": open_meteo.elevation,
            "open_elevation": heights.open_elevation,
            "opentopodata": heights.opentopodata,
        },
        "weather": {"open": open_meteo.weather},
        "forecast": {"open": open_meteo.forecast},
        "country": {"open": world_bank.country, "rest_countries": rest_countries.country},
        "search": {
            "google": web_search.serper,
            "open": web_search.searxng,
            "serper": web_search.serper,
            "brave": web_search.brave,
            "searxng": web_search.searxng,
        },
        "stock": {"open": yahoo.stock},
        "crypto": {"open": binance.crypto},
    }
)
"""Questions, and who answers them; each function takes the client first:

    geocode(client, address, *, limit=10)                        Reply[Geocoding]
    reverse(client, latitude, longitude)                         Reply[Reverse]
    places(client, query, *, near=None, radius_m=None, limit=20) Reply[PlaceList]
    details(client, place_id)                                    Reply[Place]
    route(client, origin, destination, mode="driving")           Reply[Route]
    matrix(client, origins, destinations, mode="driving")        Reply[Matrix]
    elevation(client, points)                                    Reply[tuple[Elevation, ...]]
    weather(client, latitude, longitude, start, end)             Reply[DailyWeather]
    forecast(client, latitude, longitude)                        Reply[DailyWeather]
    country(client, name)                                        Reply[CountryFacts]
    search(client, query, *, limit=5, language="en")             Reply[WebSearch]
    stock(client, ticker, day), crypto(client, symbol, day)      Reply[MarketDay]

``google`` asks the older interface first, and the newer one where that is denied. Serper also takes
``location`` and ``country``, Brave ``country``.
"""

PROVIDERS: tuple[Provider, ...] = (
    GOOGLE_MAPS,
    GOOGLE_PLACES,
    GOOGLE_ROUTES,
    nominatim.NOMINATIM,
    overpass.OVERPASS,
    osrm.OSRM,
    open_meteo.ARCHIVE,
    open_meteo.FORECAST,
    open_meteo.HEIGHTS,
    heights.OPEN_ELEVATION,
    heights.OPENTOPODATA,
    world_bank.WORLD_BANK,
    rest_countries.REST_COUNTRIES,
    web_search.SERPER,
    web_search.BRAVE,
    web_search.SEARXNG,
    binance.BINANCE,
    binance.BINANCE_US,
    yahoo.YAHOO,
)
SERVICES: tuple[Service, ...] = tuple(
    {each.service.name: each.service for each in PROVIDERS if each is not yahoo.YAHOO}.values()
)
"""Every service that the client asks, once, for ``Toolbox(services=...)``: their keys and addresses become settings."""


def backend(question: str, name: str) -> Answers:
    """Return the function that answers a question in a backend.

    Raises
    ------
    LabrigError
        ``not_found`` for a backend that does not answer it, with those that do.
    """
    known = BACKENDS[question]
    if name not in known:
        raise unknown_name(f"backend for {question}", name, known, where=f"the setting {question}")
    return known[name]
