"""Live services of the atlas server as a site on 127.0.0.1 plays them: answers in documented shapes and their sense."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from labrig.http import Client
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
)
from labrig_atlas.services.backends import SERVICES
from labrig_atlas.services.provider import Reply
from support.imitation import Given, Imitation, imitation, status
from support.web import asked_at_once

KEYS = {
    "LABRIG_ATLAS_GOOGLE_KEY": "AIza" + "Planted0" * 4,
    "LABRIG_ATLAS_SERPER_KEY": "serper-planted-0123456789",
    "LABRIG_ATLAS_BRAVE_KEY": "brave-planted-0123456789",
    "LABRIG_ATLAS_REST_COUNTRIES_KEY": "countries-planted-0123456789",
}
Ask = Callable[[Client], Awaitable[Reply[Any]]]

# ------------------------------------------------------------------------- answers as the services document them

LOUVRE_LEGACY = {
    "place_id": "ChIJD3uTd9hx5kcR1IQvGfr8dbk",
    "formatted_address": "Rue de Rivoli, 75001 Paris, France",
    "name": "Louvre Museum",
    "geometry": {"location": {"lat": 48.8606, "lng": 2.3376}},
    "types": ["museum", "point_of_interest"],
    "rating": 4.7,
    "user_ratings_total": 300000,
    "address_components": [
        {"long_name": "Paris", "short_name": "Paris", "types": ["locality", "political"]},
        {"long_name": "Île-de-France", "short_name": "IDF", "types": ["administrative_area_level_1"]},
        {"long_name": "France", "short_name": "FR", "types": ["country", "political"]},
    ],
    "formatted_phone_number": "01 40 20 53 17",
    "website": "https://www.louvre.fr/",
    "opening_hours": {"weekday_text": ["Monday: 9:00 AM – 6:00 PM", "Tuesday: Closed"]},
}
LOUVRE = {
    "id": "ChIJD3uTd9hx5kcR1IQvGfr8dbk",
    "displayName": {"text": "Louvre Museum", "languageCode": "en"},
    "formattedAddress": "75001 Paris, France",
    "location": {"latitude": 48.8606, "longitude": 2.3376},
    "types": ["museum"],
    "rating": 4.7,
    "userRatingCount": 300000,
    "addressComponents": [{"longText": "France", "shortText": "FR", "types": ["country"]}],
    "nationalPhoneNumber": "01 40 20 53 17",
    "regularOpeningHours": {"weekdayDescriptions": ["Monday: 9:00 AM – 6:00 PM"]},
}
DENIED = {
    "status": "REQUEST_DENIED",
    "error_message": "You're calling a legacy API, which is not enabled for your project.",
}
DIRECTIONS = {
    "status": "OK",
    "routes": [
        {
            "summary": "A6",
            "warnings": [],
            "legs": [
                {
                    "distance": {"text": "465 km", "value": 465102},
                    "duration": {"text": "4 h 32 m", "value": 16320},
                    "start_address": "Paris, France",
                    "end_address": "Lyon, France",
                    "steps": [
                        {
                            "html_instructions": "Turn <b>left</b> onto <b>Rue &amp; Co</b><div>Toll road</div>",
                            "distance": {"value": 465102},
                            "duration": {"value": 16320},
                        }
                    ],
                }
            ],
        }
    ],
}
BERLIN = {
    "place_id": 101,
    "licence": "Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright",
    "osm_type": "relation",
    "osm_id": 62422,
    "lat": "52.5170365",
    "lon": "13.3888599",
    "category": "boundary",
    "type": "administrative",
    "importance": 0.85,
    "addresstype": "city",
    "name": "Berlin",
    "display_name": "Berlin, Germany",
    "address": {"city": "Berlin", "state": "Berlin", "country": "Germany", "country_code": "de"},
    "extratags": {"population": "3878100", "ele": "34 m", "website": "https://www.berlin.de"},
}
NEW_HAMPSHIRE = {
    **BERLIN,
    "importance": 0.70,
    "osm_id": 61320,
    "lat": "44.4686",
    "lon": "-71.1851",
    "display_name": "Berlin, Coös County, New Hampshire, United States",
    "address": {"city": "Berlin", "state": "New Hampshire", "country_code": "us"},
    "extratags": None,
}
CAFES = {
    "version": 0.6,
    "osm3s": {"timestamp_osm_base": "2026-11-20T00:00:00Z", "copyright": "The data ... ODbL."},
    "elements": [
        {"type": "way", "id": 9, "center": {"lat": 52.52, "lon": 13.4}, "tags": {"name": "Pergamonmuseum"}},
        {
            "type": "node",
            "id": 7,
            "lat": 52.518,
            "lon": 13.39,
            "tags": {"name": "DDR Museum", "addr:street": "X"},
        },
        {"type": "node", "id": 8, "lat": 52.5, "lon": 13.3, "tags": {"tourism": "museum"}},
    ],
}
OSRM_ROUTE = {
    "code": "Ok",
    "waypoints": [
        {"name": "A", "location": [13.38886, 52.517037], "distance": 3.5},
        {"name": "B", "location": [13.428554, 52.523239], "distance": 1500.0},
    ],
    "routes": [
        {
            "distance": 3795.4,
            "duration": 412.6,
            "weight": 412.6,
            "legs": [
                {
                    "summary": "Karl-Liebknecht-Straße, B 2",
                    "distance": 3795.4,
                    "duration": 412.6,
                    "steps": [
                        {
                            "name": "Friedrichstraße",
                            "distance": 3795.4,
                            "duration": 412.6,
                            "maneuver": {"type": "turn", "modifier": "left", "location": [13.3, 52.5]},
                        }
                    ],
                }
            ],
        }
    ],
}
OSRM_TABLE = {
    "code": "Ok",
    "durations": [[0, None], [600.5, 300]],
    "distances": [[0, None], [5000.5, 2500]],
    "sources": [{"distance": 1, "location": [0, 0]}, {"distance": 2, "location": [0, 0]}],
    "destinations": [{"distance": 1, "location": [0, 0]}, {"distance": 2, "location": [0, 0]}],
}


def weather_answer(names: tuple[str, ...], days: list[str], **more: Any) -> dict[str, Any]:
    """Return an answer of Open-Meteo; the number of each variable is its position."""
    clock = ("sunrise", "sunset")
    return {
        "latitude": 48.857822,
        "longitude": 2.3514712,
        "utc_offset_seconds": 3600,
        "timezone": "Europe/Paris",
        "elevation": 43.0,
        "daily_units": {
            "time": "iso8601",
            **{name: "cm" if name == "snowfall_sum" else "mm" for name in names},
        },
        "daily": {
            "time": days,
            **{
                name: [f"{day}T08:00" if name in clock else float(at) for day in days]
                for at, name in enumerate(names)
            },
        },
        **more,
    }


ARCHIVE = weather_answer(open_meteo.HISTORICAL_DAILY, ["2024-01-15", "2024-01-16"])
FORECAST = weather_answer(
    open_meteo.FORECAST_DAILY,
    ["2026-11-25"],
    current={
        "time": "2026-11-25T10:00",
        "temperature_2m": 7.5,
        "relative_humidity_2m": 80,
        "weather_code": 3,
    },
    current_units={"temperature_2m": "°C", "relative_humidity_2m": "%", "weather_code": "wmo code"},
)
FRANCE = {
    "names": {"common": "France", "official": "French Republic", "alternates": ["République française"]},
    "codes": {"alpha_2": "FR", "alpha_3": "FRA", "ccn3": "250"},
    "capitals": [{"name": "Paris", "coordinates": {"lat": 48.87, "lng": 2.33}}],
    "continents": ["Europe"],
    "currencies": [{"code": "EUR", "name": "Euro", "symbol": "€"}],
    "population": 67391582,
    "area": {"kilometers": 551695, "miles": 213010},
    "borders": ["AND", "BEL"],
}


OSKLAND = {
    **FRANCE,
    "names": {"common": "Oskland", "official": "Republic of Oskland", "alternates": []},
    "codes": {"alpha_2": "", "alpha_3": "", "ccn3": ""},
    "capitals": [
        {"attributes": {"primary": False}, "name": "Ada"},
        {"attributes": {"primary": True}, "name": "Oskburg"},
    ],
    "currencies": [],
    "borders": [],
}


def bank(value: float | None, year: str) -> list[Any]:
    """Return an answer of the World Bank with one figure."""
    row = {"indicator": {"id": "X", "value": "X"}, "countryiso3code": "FRA", "date": year, "value": value}
    return [{"page": 1, "pages": 1, "per_page": 50, "total": 1}, [row]]


def banks(*names: tuple[str, str, str]) -> list[Any]:
    """Return the World Bank's list of countries, from names and codes of three and two letters."""
    rows = [
        {"id": iso3, "iso2Code": iso2, "name": name, "region": {"value": "Europe"}, "capitalCity": "Paris"}
        for name, iso3, iso2 in names
    ]
    world = {
        "id": "WLD",
        "iso2Code": "1W",
        "name": "World",
        "region": {"value": "Aggregates"},
        "capitalCity": "",
    }
    return [{"page": 1, "pages": 1, "total": len(rows) + 1}, [*rows, world]]


COUNTRIES = banks(
    ("France", "FRA", "FR"),
    ("Egypt, Arab Rep.", "EGY", "EG"),
    ("Congo, Dem. Rep.", "COD", "CD"),
    ("Congo, Rep.", "COG", "CG"),
    ("Korea, Rep.", "KOR", "KR"),
    ("Cote d'Ivoire", "CIV", "CI"),
    ("Puerto Rico (US)", "PRI", "PR"),
)
BANK_MESSAGE = [{"message": [{"id": "175", "key": "Invalid format", "value": "The indicator was not found"}]}]
CANDLE = [
    1705276800000,
    "41732.35",
    "43400.43",
    "41718.05",
    "42511.96",
    "40269.89",
    1705363199999,
    "1.7E9",
    1,
]


@dataclasses.dataclass(frozen=True)
class Case:
    """A question, what its services answer, and what has to come out; paths are below the name of each service."""

    name: str
    ask: Ask
    answers: dict[str, Given]
    check: Callable[[Reply[Any]], None]


def expect(**wanted: Any) -> Callable[[Reply[Any]], None]:
    """Return a check of attributes of the facts, by paths such as ``candidates.0.name`` (dots written ``__``)."""

    def check(reply: Reply[Any]) -> None:
        for path, value in wanted.items():
            found: Any = reply.facts
            for step in path.removeprefix("at").split("__"):
                if step:
                    found = (
                        found[int(step)]
                        if step.isdigit()
                        else found[step]
                        if isinstance(found, dict)
                        else getattr(found, step)
                    )
            assert found == value, path

    return check


CASES = [
    Case(
        "google geocode",
        lambda web: google.geocode(web, "Louvre"),
        {"google_maps/maps/api/geocode/json": {"status": "OK", "results": [LOUVRE_LEGACY]}},
        expect(
            ambiguous=False,
            candidates__0__name="Louvre Museum",
            candidates__0__country="FR",
            candidates__0__admin1="Île-de-France",
            candidates__0__latitude=48.8606,
            candidates__0__longitude=2.3376,
        ),
    ),
    Case(
        "google reverse",
        lambda web: google.reverse(web, 48.8606, 2.3376),
        {"google_maps/maps/api/geocode/json": {"status": "OK", "results": [LOUVRE_LEGACY]}},
        expect(country="FR", place__address="Rue de Rivoli, 75001 Paris, France"),
    ),
    Case(
        "google elevation",
        lambda web: google.elevation(web, [(45.8326, 6.8652)]),
        {
            "google_maps/maps/api/elevation/json": {
                "status": "OK",
                "results": [
                    {"elevation": 4784.5, "location": {"lat": 45.8326, "lng": 6.8652}, "resolution": 19.08}
                ],
            }
        },
        expect(at0__elevation_m=4784.5, at0__resolution_m=19.08),
    ),
    Case(
        "google places, older",
        lambda web: google.places(web, "museums near Paris", near=(48.86, 2.34), radius_m=500),
        {"google_maps/maps/api/place/textsearch/json": {"status": "OK", "results": [LOUVRE_LEGACY]}},
        expect(total=1, radius_m=500.0, places__0__rating=4.7, places__0__ratings_count=300000),
    ),
    Case(
        "google places, denied, newer",
        lambda web: google.places(web, "museums near Paris"),
        {
            "google_maps/maps/api/place/textsearch/json": DENIED,
            "google_places/places:searchText": {"places": [LOUVRE]},
        },
        expect(total=1, places__0__rating=4.7, places__0__place_id=LOUVRE["id"], places__0__country="FR"),
    ),
    Case(
        "google details, older",
        lambda web: google.details(web, "ChIJD3uTd9hx5kcR1IQvGfr8dbk"),
        {"google_maps/maps/api/place/details/json": {"status": "OK", "result": LOUVRE_LEGACY}},
        expect(phone="01 40 20 53 17", website="https://www.louvre.fr/", opening_hours__1="Tuesday: Closed"),
    ),
    Case(
        "google details, newer",
        lambda web: google.details(web, "ChIJD3uTd9hx5kcR1IQvGfr8dbk", api="new"),
        {"google_places/places/ChIJD3uTd9hx5kcR1IQvGfr8dbk": LOUVRE},
        expect(name="Louvre Museum", phone="01 40 20 53 17"),
    ),
    Case(
        "google route, older",
        lambda web: google.route(web, "Paris", "Lyon"),
        {"google_maps/maps/api/directions/json": DIRECTIONS},
        expect(
            distance_m=465102.0,
            duration_s=16320.0,
            destination="Lyon, France",
            steps__0__instruction="Turn left onto Rue & Co. Toll road",
        ),
    ),
    Case(
        "google route, newer",
        lambda web: google.route(web, "Paris", "45.75,4.85", api="new"),
        {
            "google_routes/directions/v2:computeRoutes": {
                "routes": [
                    {
                        "distanceMeters": 465102,
                        "duration": "16320s",
                        "description": "A6",
                        "legs": [{"steps": [{"staticDuration": "16320s", "distanceMeters": 465102}]}],
                    }
                ]
            }
        },
        expect(distance_m=465102.0, duration_s=16320.0, summary="A6", steps__0__duration_s=16320.0),
    ),
    Case(
        "google matrix, older",
        lambda web: google.matrix(web, ["Paris"], ["Lyon", "Nowhere"]),
        {
            "google_maps/maps/api/distancematrix/json": {
                "status": "OK",
                "origin_addresses": ["Paris, France"],
                "destination_addresses": ["Lyon, France", ""],
                "rows": [
                    {
                        "elements": [
                            {"status": "OK", "distance": {"value": 465102}, "duration": {"value": 16320}},
                            {"status": "NOT_FOUND"},
                        ]
                    }
                ],
            }
        },
        expect(
            destinations=("Lyon, France", "Nowhere"),
            rows__0__0__distance_m=465102.0,
            rows__0__0__duration_s=16320.0,
            rows__0__1__status="not_found",
        ),
    ),
    Case(
        "google matrix, newer",
        lambda web: google.matrix(web, ["Paris", "Bern"], ["Lyon"], api="new"),
        {
            "google_routes/distanceMatrix/v2:computeRouteMatrix": [
                {"originIndex": 1, "destinationIndex": 0, "status": {}, "condition": "ROUTE_NOT_FOUND"},
                {
                    "originIndex": 0,
                    "destinationIndex": 0,
                    "status": {},
                    "condition": "ROUTE_EXISTS",
                    "distanceMeters": 465102,
                    "duration": "16320s",
                },
            ]
        },
        expect(rows__0__0__distance_m=465102.0, rows__1__0__status="no_route"),
    ),
    Case(
        "nominatim geocode",
        lambda web: nominatim.geocode(web, "Berlin"),
        {"nominatim/search": [BERLIN, NEW_HAMPSHIRE]},
        expect(
            ambiguous=True,
            order="Nominatim's order of importance",
            candidates__0__place_id="osm:R62422",
            candidates__0__country="DE",
            candidates__0__population=3878100,
            candidates__0__elevation_m=34.0,
            candidates__1__country="US",
            candidates__1__longitude=-71.1851,
        ),
    ),
    Case(
        "nominatim reverse",
        lambda web: nominatim.reverse(web, 52.517, 13.389),
        {"nominatim/reverse": BERLIN},
        expect(country="DE", place__name="Berlin"),
    ),
    Case(
        "nominatim details",
        lambda web: nominatim.details(web, "osm:R62422"),
        {"nominatim/lookup": [BERLIN]},
        expect(website="https://www.berlin.de", kind="city"),
    ),
    Case(
        "overpass places",
        lambda web: overpass.places(web, "museums near Berlin"),
        {"nominatim/search": [BERLIN], "overpass/interpreter": CAFES},
        expect(
            total=2,
            radius_m=5000.0,
            order="distance, nearest first",
            places__0__name="DDR Museum",
            places__0__place_id="osm:N7",
            places__1__name="Pergamonmuseum",
        ),
    ),
    Case(
        "nominatim places by name",
        lambda web: overpass.places(web, "Berlin", near=(52.5, 13.4)),
        {"nominatim/search": [BERLIN]},
        expect(total=1, places__0__name="Berlin"),
    ),
    Case(
        "osrm route",
        lambda web: osrm.route(web, "52.517037, 13.388860", "Berlin", "bicycling"),
        {"nominatim/search": [BERLIN], "osrm/routed-bike/route/v1/bike/*": OSRM_ROUTE},
        expect(
            distance_m=3795.4,
            duration_s=412.6,
            mode="bicycling",
            steps__0__instruction="turn left onto Friedrichstraße",
        ),
    ),
    Case(
        "osrm matrix",
        lambda web: osrm.matrix(web, ["52.5,13.4", "52.6,13.5"], ["48.1,11.5", "48.2,11.6"]),
        {"osrm/routed-car/table/v1/driving/*": OSRM_TABLE},
        expect(
            rows__0__0__distance_m=0.0,
            rows__0__1__status="no_route",
            rows__1__0__distance_m=5000.5,
            rows__1__0__duration_s=600.5,
        ),
    ),
    Case(
        "open-meteo archive",
        lambda web: open_meteo.weather(web, 48.86, 2.35, "2024-01-15", "2024-01-16"),
        {"open_meteo_archive/archive": ARCHIVE},
        expect(
            timezone="Europe/Paris",
            days=("2024-01-15", "2024-01-16"),
            daily__snowfall_sum__0=8.0,
            units__snowfall_sum="cm",
            units__rain_sum="mm",
            daily__sunrise__1="2024-01-16T08:00",
            kind="historical",
        ),
    ),
    Case(
        "open-meteo forecast",
        lambda web: open_meteo.forecast(web, 48.86, 2.35),
        {"open_meteo/forecast": FORECAST},
        expect(
            kind="forecast",
            current__temperature_2m=7.5,
            current__weather_code=3,
            current_units__relative_humidity_2m="%",
        ),
    ),
    Case(
        "open-meteo elevation",
        lambda web: open_meteo.elevation(web, [(52.52, 13.41), (31.5, 35.47)]),
        {"open_meteo/elevation": {"elevation": [38.0, -428.0]}},
        expect(at0__elevation_m=38.0, at1__elevation_m=-428.0, at1__latitude=31.5),
    ),
    Case(
        "open-elevation",
        lambda web: heights.open_elevation(web, [(41.161758, -8.583933)]),
        {
            "open_elevation/lookup": {
                "results": [{"latitude": 41.161758, "longitude": -8.583933, "elevation": 117}]
            }
        },
        expect(at0__elevation_m=117.0, at0__resolution_m=250.0),
    ),
    Case(
        "opentopodata",
        lambda web: heights.opentopodata(web, [(56.35, 123.9)]),
        {
            "opentopodata/mapzen": {
                "status": "OK",
                "results": [
                    {"elevation": 815.5, "location": {"lat": 56.35, "lng": 123.9}, "dataset": "mapzen"}
                ],
            }
        },
        expect(at0__elevation_m=815.5, at0__longitude=123.9),
    ),
    Case(
        "world bank",
        lambda web: world_bank.country(web, "the France"),
        {
            "world_bank/country": COUNTRIES,
            "world_bank/country/FRA/indicator/SP.POP.TOTL": bank(68516699, "2024"),
            "world_bank/country/FRA/indicator/AG.SRF.TOTL.K2": bank(549087.0, "2022"),
        },
        expect(
            population=68516699,
            population_year=2024,
            area_km2=549087.0,
            area_year=2022,
            iso3="FRA",
            capital="Paris",
        ),
    ),
    Case(
        "world bank, without a surface area",
        lambda web: world_bank.country(web, "Egypt"),
        {
            "world_bank/country": COUNTRIES,
            "world_bank/country/EGY/indicator/SP.POP.TOTL": [{"page": 0, "total": 0}, None],
            "world_bank/country/EGY/indicator/AG.SRF.TOTL.K2": bank(None, "2022"),
            "world_bank/country/EGY/indicator/AG.LND.TOTL.K2": bank(995450, "2022"),
        },
        expect(population=None, population_year=None, area_km2=995450.0, area_year=2022),
    ),
    Case(
        "rest countries by code",
        lambda web: rest_countries.country(web, "fr"),
        {"rest_countries/codes.alpha_2/FR": {"data": {"objects": [FRANCE], "meta": {"total": 1}}}},
        expect(population=67391582, population_year=None, area_km2=551695.0, currency_code="EUR", iso3="FRA"),
    ),
    Case(
        "rest countries without a code, currency and border, with two capitals",
        lambda web: rest_countries.country(web, "Oskland"),
        {"rest_countries/name": {"data": {"objects": [OSKLAND], "meta": {"total": 1}}}},
        expect(name="Oskland", capital="Oskburg", iso2="", currency_code="", neighbours=()),
    ),
    Case(
        "rest countries by name",
        lambda web: rest_countries.country(web, "République française"),
        {
            "rest_countries/name": {
                "data": {"objects": [{**FRANCE, "names": {"common": "X"}}, FRANCE], "meta": {}}
            }
        },
        expect(name="France", neighbours=("AND", "BEL")),
    ),
    Case(
        "serper",
        lambda web: web_search.serper(web, "mont blanc height", limit=2),
        {
            "serper/search": {
                "searchParameters": {"q": "mont blanc height"},
                "answerBox": {"answer": "4,806 m", "title": "Mont Blanc / Elevation"},
                "knowledgeGraph": {"title": "Mont Blanc", "attributes": {"Elevation": "4,806 m"}},
                "organic": [
                    {
                        "title": "Mont Blanc",
                        "link": "https://e.org/a",
                        "snippet": "the highest",
                        "position": 1,
                    },
                    {
                        "title": "B",
                        "link": "https://e.org/b",
                        "snippet": "",
                        "date": "2 days ago",
                        "position": 2,
                    },
                    {"title": "C", "link": "https://e.org/c", "position": 3},
                ],
                "relatedSearches": [{"query": "mont blanc climb"}],
            }
        },
        expect(
            hits__1__url="https://e.org/b",
            hits__1__position=2,
            answer="4,806 m",
            facts={"Elevation": "4,806 m"},
        ),
    ),
    Case(
        "brave",
        lambda web: web_search.brave(web, "mont blanc"),
        {
            "brave/web/search": {
                "type": "search",
                "web": {
                    "results": [
                        {"title": "M", "url": "https://e.org", "description": "the <strong>x</strong>"}
                    ]
                },
            }
        },
        expect(hits__0__snippet="the x", hits__0__position=1),
    ),
    Case(
        "searxng",
        lambda web: web_search.searxng(web, "mont blanc"),
        {
            "searxng/search": {
                "query": "mont blanc",
                "results": [{"title": "M", "url": "https://e.org", "content": "x", "engine": "mojeek"}],
                "unresponsive_engines": [["google", "CAPTCHA"]],
                "suggestions": ["mont blanc pen"],
            }
        },
        expect(hits__0__title="M", suggestions=("mont blanc pen",)),
    ),
    Case(
        "binance",
        lambda web: binance.crypto(web, "BTC", "2024-01-15"),
        {"binance/klines": [CANDLE]},
        expect(symbol="BTCUSDT", close=42511.96, volume=40269.89, currency="USDT", exchange="Binance"),
    ),
    Case(
        "binance, closed, and its twin",
        lambda web: binance.crypto(web, "BTCUSDT", "2024-01-15"),
        {
            "binance/klines": status(
                451, '{"code": 0, "msg": "Service unavailable from a restricted location"}'
            ),
            "binance_us/klines": [CANDLE],
        },
        expect(close=42511.96, exchange="Binance.US"),
    ),
]


@contextmanager
def played(monkeypatch: pytest.MonkeyPatch) -> Iterator[Imitation]:
    """Put every service below its name on one site, with no limit and with its key set."""
    with imitation() as made, asked_at_once(SERVICES):
        for service in SERVICES:
            monkeypatch.setenv(f"LABRIG_HTTP_URL_{service.name.upper()}", made.url(f"/{service.name}"))
        for variable, key in KEYS.items():
            monkeypatch.setenv(variable, key)
        yield made


def serve(site: Imitation, case: Case) -> None:
    for path, answer in case.answers.items():
        site.on(f"/{path}").then(answer)


def by_case(name: str) -> Case:
    """Return a case by its name."""
    return next(case for case in CASES if case.name == name)
