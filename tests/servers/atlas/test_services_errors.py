"""Adapters to live services: how services say no, missing keys, and what is refused before it is sent."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
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
from labrig_atlas.services.backends import backend
from support.atlas_services import (
    BANK_MESSAGE,
    COUNTRIES,
    DENIED,
    FRANCE,
    KEYS,
    OSRM_ROUTE,
    Ask,
)
from support.imitation import Given, Imitation, as_json, html, status
from support.web import client


@dataclasses.dataclass(frozen=True)
class Fault:
    """A question, an answer that says no in the service's own way, and the error that it has to become."""

    name: str
    ask: Ask
    path: str
    answer: Given
    code: str
    says: str


def new_google(code: int, word: str, message: str) -> Given:
    return as_json({"error": {"code": code, "message": message, "status": word}}, status=code)


def legacy(word: str, **more: Any) -> Given:
    return {"status": word, "results": [], **more}


def brave_error(code: str, detail: str, **meta: Any) -> Given:
    error = {"id": "0", "status": 422, "code": code, "detail": detail, "meta": meta}
    return as_json({"type": "ErrorResponse", "error": error, "time": 1}, status=422)


AT_SEA = {
    "address_components": [
        {"long_name": "6F9Q2222+22", "short_name": "6F9Q2222+22", "types": ["plus_code"]},
    ],
    "formatted_address": "6F9Q2222+22",
    "geometry": {"location": {"lat": 0.0, "lng": -30.0}, "location_type": "GEOMETRIC_CENTER"},
    "place_id": "GhIJ",
    "types": ["plus_code"],
}
GEOCODE = "google_maps/maps/api/geocode/json"
ROUTE = "google_routes/directions/v2:computeRoutes"
BUSY = "<html><body><p><strong>Error</strong>: runtime error: open64: 0 Success /osm3s_osm_base</p></body></html>"
FAULTS = [
    Fault("zero", lambda web: google.geocode(web, "x"), GEOCODE, legacy("ZERO_RESULTS"), "not_found", "'x'"),
    Fault(
        "zero, reverse",
        lambda web: google.reverse(web, 0, -30),
        GEOCODE,
        legacy("ZERO_RESULTS"),
        "not_found",
        "0, -30",
    ),
    Fault(
        "ocean, reverse",
        lambda web: google.reverse(web, 0, -30),
        GEOCODE,
        {"plus_code": {"global_code": "6F9Q2222+22"}, "status": "OK", "results": [AT_SEA]},
        "not_found",
        "0, -30",
    ),
    Fault("denied", lambda web: google.geocode(web, "x"), GEOCODE, DENIED, "refused", "legacy API"),
    Fault(
        "limit",
        lambda web: google.geocode(web, "x"),
        GEOCODE,
        legacy("OVER_QUERY_LIMIT"),
        "rate_limited",
        "OVER_QUERY",
    ),
    Fault(
        "invalid",
        lambda web: google.geocode(web, "x"),
        GEOCODE,
        legacy("INVALID_REQUEST"),
        "bad_input",
        "INVALID",
    ),
    Fault(
        "unknown",
        lambda web: google.geocode(web, "x"),
        GEOCODE,
        legacy("UNKNOWN_ERROR"),
        "unreachable",
        "UNKNOWN",
    ),
    Fault(
        "forbidden",
        lambda web: google.geocode(web, "x"),
        GEOCODE,
        status(403, "billing"),
        "refused",
        "billing",
    ),
    Fault(
        "legacy alone",
        lambda web: google.places(web, "x", api="legacy"),
        "google_maps/maps/api/place/textsearch/json",
        DENIED,
        "refused",
        "legacy API",
    ),
    Fault(
        "no details",
        lambda web: google.details(web, "x"),
        "google_maps/maps/api/place/details/json",
        legacy("NOT_FOUND"),
        "not_found",
        "NOT_FOUND",
    ),
    Fault(
        "no way",
        lambda web: google.route(web, "Paris", "Lima"),
        "google_maps/maps/api/directions/json",
        {"status": "ZERO_RESULTS", "routes": []},
        "not_found",
        "driving",
    ),
    Fault(
        "no way, newer",
        lambda web: google.route(web, "Paris", "Lima", api="new"),
        ROUTE,
        {},
        "not_found",
        "'Lima'",
    ),
    Fault(
        "address, newer",
        lambda web: google.route(web, "Paris", "x", api="new"),
        ROUTE,
        new_google(404, "NOT_FOUND", "Address not found."),
        "not_found",
        "Address not found",
    ),
    Fault(
        "argument, newer",
        lambda web: google.places(web, "x", api="new"),
        "google_places/places:searchText",
        new_google(400, "INVALID_ARGUMENT", "Bad field"),
        "bad_input",
        "Bad field",
    ),
    Fault(
        "key, newer",
        lambda web: google.places(web, "x", api="new"),
        "google_places/places:searchText",
        new_google(400, "INVALID_ARGUMENT", "API key not valid."),
        "refused",
        "API key not valid",
    ),
    Fault(
        "denied, newer",
        lambda web: google.details(web, "x", api="new"),
        "google_places/places/x",
        new_google(403, "PERMISSION_DENIED", "not been used in project"),
        "refused",
        "not been used",
    ),
    Fault(
        "matrix, newer",
        lambda web: google.matrix(web, ["a"], ["b"], api="new"),
        "google_routes/distanceMatrix/v2:computeRouteMatrix",
        as_json([{"error": {"status": "INVALID_ARGUMENT", "message": "Too many elements"}}], status=400),
        "bad_input",
        "Too many",
    ),
    Fault(
        "nothing", lambda web: nominatim.geocode(web, "Xyzzy"), "nominatim/search", [], "not_found", "'Xyzzy'"
    ),
    Fault(
        "ocean",
        lambda web: nominatim.reverse(web, 0, -30),
        "nominatim/reverse",
        {"error": "Unable to geocode"},
        "not_found",
        "Unable",
    ),
    Fault(
        "refused words",
        lambda web: nominatim.geocode(web, "x"),
        "nominatim/search",
        as_json({"error": {"code": 400, "message": "Bad parameter"}}, status=400),
        "bad_input",
        "Bad parameter",
    ),
    Fault(
        "blocked",
        lambda web: nominatim.geocode(web, "x"),
        "nominatim/search",
        html("<h1>Access blocked</h1>", status=403),
        "refused",
        "Access blocked",
    ),
    Fault(
        "no such id",
        lambda web: nominatim.details(web, "osm:N1"),
        "nominatim/lookup",
        [],
        "not_found",
        "osm:N1",
    ),
    Fault(
        "busy",
        lambda web: overpass.places(web, "parks", near=(1, 2)),
        "overpass/interpreter",
        html(BUSY, status=504),
        "unreachable",
        "504",
    ),
    Fault(
        "syntax",
        lambda web: overpass.places(web, "parks", near=(1, 2)),
        "overpass/interpreter",
        html(BUSY, status=400),
        "bad_input",
        "runtime error",
    ),
    Fault(
        "out of time",
        lambda web: overpass.places(web, "parks", near=(1, 2)),
        "overpass/interpreter",
        {"elements": [], "remark": 'runtime error: Query timed out in "query" at line 1 after 26 seconds.'},
        "limit",
        "timed out",
    ),
    Fault(
        "no park",
        lambda web: overpass.places(web, "parks", near=(1, 2)),
        "overpass/interpreter",
        {"elements": []},
        "not_found",
        "5,000 m of 1, 2",
    ),
    Fault(
        "no road",
        lambda web: osrm.route(web, "0,0", "1,1"),
        "osrm/*",
        as_json({"code": "NoRoute", "message": "Impossible route between points"}, status=400),
        "not_found",
        "Impossible",
    ),
    Fault(
        "bad url",
        lambda web: osrm.route(web, "0,0", "1,1"),
        "osrm/*",
        as_json({"code": "InvalidQuery", "message": "Query string malformed"}, status=400),
        "bad_input",
        "malformed",
    ),
    Fault(
        "far at sea",
        lambda web: osrm.route(web, "0,-30", "1,1"),
        "osrm/*",
        {**OSRM_ROUTE, "waypoints": [{"distance": 1.8e6}, {"distance": 3}]},
        "not_found",
        "1,800 km",
    ),
    Fault(
        "before 1940",
        lambda web: open_meteo.weather(web, 1, 2, "1930-01-01", "1930-01-02"),
        "open_meteo_archive/archive",
        as_json(
            {
                "error": True,
                "reason": "Parameter 'start_date' is out of allowed range from 1940-01-01 to 2026-11-25",
            },
            status=400,
        ),
        "bad_input",
        "1940-01-01",
    ),
    Fault(
        "invalid height",
        lambda web: heights.opentopodata(web, [(1, 2)]),
        "opentopodata/mapzen",
        as_json({"status": "INVALID_REQUEST", "error": "Too many locations"}, status=400),
        "bad_input",
        "Too many",
    ),
    Fault(
        "no height",
        lambda web: heights.opentopodata(web, [(1, 2)]),
        "opentopodata/mapzen",
        {"status": "OK", "results": [{"elevation": None}]},
        "not_found",
        "1 of 1",
    ),
    Fault(
        "no country",
        lambda web: world_bank.country(web, "Frence"),
        "world_bank/country",
        COUNTRIES,
        "not_found",
        "no country 'Frence'",
    ),
    Fault(
        "several",
        lambda web: world_bank.country(web, "Congo"),
        "world_bank/country",
        COUNTRIES,
        "bad_input",
        "several countries",
    ),
    Fault(
        "message",
        lambda web: world_bank.country(web, "France"),
        "world_bank/country",
        BANK_MESSAGE,
        "bad_input",
        "The indicator was not found",
    ),
    Fault(
        "not that country",
        lambda web: rest_countries.country(web, "Atlantis"),
        "rest_countries/name",
        {"data": {"objects": [], "meta": {"total": 0}}},
        "not_found",
        "Atlantis",
    ),
    Fault(
        "several guineas",
        lambda web: rest_countries.country(web, "guin"),
        "rest_countries/name",
        {"data": {"objects": [FRANCE, {**FRANCE, "names": {"common": "Guinea"}}]}},
        "bad_input",
        "2 countries answer",
    ),
    Fault(
        "no such key",
        lambda web: rest_countries.country(web, "fr"),
        "rest_countries/*",
        as_json({"errors": [{"message": "API key revoked"}]}, status=401),
        "refused",
        "API key revoked",
    ),
    Fault(
        "no results",
        lambda web: web_search.serper(web, "x"),
        "serper/search",
        {"organic": []},
        "not_found",
        "'x'",
    ),
    Fault(
        "no credits",
        lambda web: web_search.serper(web, "x"),
        "serper/search",
        as_json({"message": "Not enough credits", "statusCode": 400}, status=400),
        "refused",
        "Not enough credits",
    ),
    Fault(
        "no query",
        lambda web: web_search.serper(web, "x"),
        "serper/search",
        as_json({"message": "Missing query parameter", "statusCode": 400}, status=400),
        "bad_input",
        "Missing query",
    ),
    Fault(
        "no such key, brave",
        lambda web: web_search.brave(web, "x"),
        "brave/web/search",
        brave_error("SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid."),
        "refused",
        "token is invalid",
    ),
    Fault(
        "no such language",
        lambda web: web_search.brave(web, "x", language="xx"),
        "brave/web/search",
        brave_error(
            "VALIDATION",
            "Unable to validate request parameter(s)",
            errors=[
                {"type": "enum", "loc": ["query", "search_lang"], "msg": "Input should be 'ar', 'eu', .."}
            ],
        ),
        "bad_input",
        "search_lang: Input should be",
    ),
    Fault(
        "silent engines",
        lambda web: web_search.searxng(web, "x"),
        "searxng/search",
        {"query": "x", "results": [], "suggestions": [], "unresponsive_engines": [["google", "CAPTCHA"]]},
        "unreachable",
        "1 of the search engines",
    ),
    Fault(
        "no json",
        lambda web: web_search.searxng(web, "x"),
        "searxng/search",
        html("<h1>Forbidden</h1>", status=403),
        "refused",
        "403",
    ),
    Fault(
        "unknown pair",
        lambda web: binance.crypto(web, "XYZZY", "2024-01-15"),
        "binance/klines",
        as_json({"code": -1121, "msg": "Invalid symbol."}, status=400),
        "not_found",
        "-1121",
    ),
    Fault(
        "banned",
        lambda web: binance.crypto(web, "BTC", "2024-01-15"),
        "binance/klines",
        as_json({"code": -1003, "msg": "Way too much request weight used; IP banned"}, status=418),
        "rate_limited",
        "banned",
    ),
    Fault(
        "before listing",
        lambda web: binance.crypto(web, "BTC", "2009-01-15"),
        "binance/klines",
        [],
        "not_found",
        "2009-01-15",
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_a_service_says_no_in_its_own_way(fault: Fault, site: Imitation, tmp_path: Path) -> None:
    site.on(f"/{fault.path}").then(fault.answer)
    async with client(tmp_path, site, cache=None) as web:
        with pytest.raises(LabrigError) as caught:
            await fault.ask(web)
    error = caught.value
    assert (error.code, fault.says in f"{error.what} {error.where}") == (fault.code, True), error
    assert (error.retry_after_s is not None) == (fault.code == "rate_limited")


async def test_a_key_that_is_denied_both_interfaces_is_told_both(site: Imitation, tmp_path: Path) -> None:
    site.on("/google_maps/*").then(DENIED)
    site.on("/google_places/*").then(
        new_google(403, "PERMISSION_DENIED", "Places API (New) has not been used")
    )
    async with client(tmp_path, site, cache=None) as web:
        with pytest.raises(LabrigError, match=r"legacy API.*Places API \(New\)") as caught:
            await google.places(web, "museums")
    assert (caught.value.code, "LABRIG_ATLAS_GOOGLE_KEY" in caught.value.try_) == ("refused", True)


KEYED = {
    "geocode": (lambda ask: lambda web: ask(web, "x"), "google", "backend open"),
    "elevation": (lambda ask: lambda web: ask(web, [(1, 2)]), "google", "backend open"),
    "matrix": (lambda ask: lambda web: ask(web, ["x"], ["y"]), "google", "backend open"),
    "country": (lambda ask: lambda web: ask(web, "x"), "rest_countries", "the World Bank"),
    "search": (lambda ask: lambda web: ask(web, "x"), "brave", "LABRIG_HTTP_URL_SEARXNG"),
}


@pytest.mark.parametrize("question", KEYED)
async def test_a_missing_key_is_named_with_what_needs_none(
    question: str, site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in KEYS:
        monkeypatch.delenv(variable)
    made, name, keyless = KEYED[question]
    async with client(tmp_path, site, cache=None) as web:
        with pytest.raises(LabrigError) as caught:
            await made(backend(question, name))(web)
    error = caught.value
    assert (error.code, error.where) == ("unavailable", f"LABRIG_ATLAS_{name.upper()}_KEY")
    assert keyless in error.try_
    assert not site.hits


async def test_nominatim_wants_a_contact_and_searxng_an_address(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LABRIG_HTTP_URL_SEARXNG")
    async with client(tmp_path, site, cache=None, contact="") as web:
        for ask, where in (
            (nominatim.geocode, "LABRIG_HTTP_CONTACT"),
            (web_search.searxng, "LABRIG_HTTP_URL_SEARXNG"),
        ):
            with pytest.raises(LabrigError) as caught:
                await ask(web, "Berlin")
            assert (caught.value.code, caught.value.where) == ("unavailable", where)
    assert not site.hits


REFUSED: dict[str, tuple[Ask, str]] = {
    "26 origins": (lambda web: google.matrix(web, ["a"] * 26, ["b"]), "25 origins"),
    "500 origins": (lambda web: osrm.matrix(web, ["1,1"] * 500, ["2,2"]), "50 origins"),
    "21 names": (lambda web: osrm.matrix(web, [f"a{n}" for n in range(21)], ["1,1"]), "at most 20 names"),
    "no destinations": (lambda web: google.matrix(web, ["a"], [], api="new"), "1 to 25 destinations"),
    "513 points": (lambda web: google.elevation(web, [(0, 0)] * 513), "512 points"),
    "101 points": (lambda web: open_meteo.elevation(web, [(0, 0)] * 101), "100 points"),
    "no points": (lambda web: heights.opentopodata(web, []), "1 to 100 points"),
    "a radius of 51 km": (lambda web: google.places(web, "x", near=(1, 2), radius_m=51e3), "50,000"),
    "a negative radius": (
        lambda web: overpass.places(web, "parks", near=(1, 2), radius_m=-1),
        "metres from 1",
    ),
    "a radius alone": (lambda web: google.places(web, "x", radius_m=5), "location and radius"),
    "latitude 91": (lambda web: nominatim.reverse(web, 91, 0), "from -90 to 90"),
    "no longitude": (lambda web: open_meteo.forecast(web, 0, float("nan")), "from -180 to 180"),
    "transit": (lambda web: osrm.route(web, "1,1", "2,2", "transit"), "driving, walking, bicycling"),
    "flying": (lambda web: osrm.route(web, "1,1", "2,2", "flying"), "transit"),
    "30 February": (lambda web: open_meteo.weather(web, 1, 2, "2024-02-30", "2024-03-01"), "YYYY-MM-DD"),
    "days the wrong way": (
        lambda web: open_meteo.weather(web, 1, 2, "2024-03-01", "2024-02-01"),
        "1 to 3,660 days",
    ),
    "an empty address": (lambda web: google.geocode(web, " \n"), "printable"),
    "a long address": (lambda web: nominatim.geocode(web, "x" * 501), "500"),
    "another's id": (lambda web: nominatim.details(web, "ChIJD3uTd9hx5kcR1IQvGfr8dbk"), "osm:N123"),
    "30 results": (lambda web: web_search.serper(web, "x", limit=30), "1 to 20"),
    "401 characters for brave": (lambda web: web_search.brave(web, "x" * 401), "400 characters and 50 words"),
    "51 words for brave": (lambda web: web_search.brave(web, "x " * 51), "400 characters and 50 words"),
    "a code in the query": (lambda web: web_search.serper(web, "x", country="us&q=y"), "ISO 3166-1"),
    "a symbol": (lambda web: binance.crypto(web, "BTC&x=1", "2024-01-15"), "BTC-USDT"),
    "an interface": (lambda web: google.details(web, "x", api="old"), "auto, legacy, new"),
}


@pytest.mark.parametrize("what", REFUSED)
async def test_bad_input_is_refused_before_anybody_is_asked(
    what: str, site: Imitation, tmp_path: Path
) -> None:
    ask, expected = REFUSED[what]
    async with client(tmp_path, site, cache=None) as web:
        with pytest.raises(LabrigError) as caught:
            await ask(web)
    assert expected in caught.value.expected
    assert not site.hits
