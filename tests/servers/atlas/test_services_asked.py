"""Adapters to live services: what they are asked, and answers of theirs that are easily misread."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig_atlas.services import (
    binance,
    google,
    nominatim,
    open_meteo,
    osrm,
    overpass,
    web_search,
    world_bank,
)
from labrig_atlas.services.values import Value
from support.atlas_services import (
    BERLIN,
    CANDLE,
    COUNTRIES,
    KEYS,
    LOUVRE,
    LOUVRE_LEGACY,
    NEW_HAMPSHIRE,
    OSRM_TABLE,
    by_case,
    serve,
    weather_answer,
)
from support.imitation import Imitation, as_json, status
from support.web import client

OVERPASS_LIMIT = overpass.OVERPASS.service.limit


async def test_googles_matrix_is_split_into_requests_of_a_hundred_cells(
    site: Imitation, tmp_path: Path
) -> None:
    def cells(hit: Any) -> dict[str, Any]:
        asked = hit.query["origins"].split("|"), hit.query["destinations"].split("|")
        rows = [
            {
                "elements": [
                    {
                        "status": "OK",
                        "distance": {"value": int(a[1:]) * 100 + int(b[1:])},
                        "duration": {"value": 1},
                    }
                    for b in asked[1]
                ]
            }
            for a in asked[0]
        ]
        assert len(asked[0]) * len(asked[1]) <= 100
        return {"status": "OK", "origin_addresses": asked[0], "destination_addresses": asked[1], "rows": rows}

    site.on("/google_maps/maps/api/distancematrix/json").then(cells)
    origins, destinations = [f"a{n}" for n in range(25)], [f"b{n}" for n in range(24)]
    async with client(tmp_path, site, cache=None) as web:
        found = (await google.matrix(web, origins, destinations)).facts
    assert len(site.hits) == 7
    assert found.origins == tuple(origins)
    assert [[cell.distance_m for cell in row] for row in found.rows] == [
        [a * 100 + b for b in range(24)] for a in range(25)
    ]


async def test_an_address_is_named_by_its_street_and_all_are_asked_for_in_english(
    site: Imitation, tmp_path: Path
) -> None:
    parts = [
        {"long_name": "12", "short_name": "12", "types": ["street_number"]},
        {"long_name": "Osk Street", "short_name": "Osk St", "types": ["route"]},
        {"long_name": "France", "short_name": "FR", "types": ["country", "political"]},
    ]
    address = {"address_components": parts, "formatted_address": "12 Osk St, 75001 Paris, France"}
    found = {**LOUVRE_LEGACY, **address, "name": None, "types": ["street_address"]}
    site.on("/google_maps/*").then({"status": "OK", "results": [found]})
    async with client(tmp_path, site, cache=None) as web:
        place = (await google.reverse(web, 48.86, 2.34)).facts.place
        assert (place.name, place.kind, place.country) == ("12 Osk St", "street_address", "FR")
        await google.geocode(web, "12 Osk St")
        await google.places(web, "museums")
    assert [hit.query["language"] for hit in site.hits] == ["en"] * 3


async def test_an_object_without_a_centre_is_left_out(site: Imitation, tmp_path: Path) -> None:
    """Overpass writes no centre for a relation whose members it does not have."""
    park = {"type": "way", "id": 4, "center": {"lat": 52.5, "lon": 13.4}, "tags": {"name": "Osk Park"}}
    bare = {"type": "relation", "id": 5, "tags": {"name": "Osk Parks"}}
    site.on("/overpass/interpreter").then({"version": 0.6, "elements": [park, bare]})
    async with client(tmp_path, site, cache=None) as web:
        found = await overpass.places(web, "parks", near=(52.5, 13.4))
    assert [place.name for place in found.facts.places] == ["Osk Park"]
    assert any("1 objects without a name or a place" in note for note in found.notes)


async def test_overpass_is_left_alone_for_half_a_minute_after_it_refused(
    site: Imitation, tmp_path: Path
) -> None:
    object.__setattr__(overpass.OVERPASS.service, "limit", OVERPASS_LIMIT)  # `site` puts it back
    site.on("/overpass/interpreter").then(status(429))
    async with client(tmp_path, site, cache=None) as web:
        for radius_m in (100, 200):
            with pytest.raises(LabrigError) as refused:
                await overpass.places(web, "parks", near=(1, 2), radius_m=radius_m)
            assert refused.value.code == "rate_limited"
    assert len(site.hits) == 1


@pytest.mark.parametrize(("window", "seconds"), [("Minutely", 60), ("Hourly", 3600), ("Daily", 86_400)])
async def test_open_meteos_limit_says_which_window_is_used_up(
    window: str, seconds: float, site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_meteo, "PATIENCE_S", 0.1)
    reason = f"{window} API request limit exceeded. Please try again later."
    site.on("/open_meteo/*").then(as_json({"error": True, "reason": reason}, status=429))
    async with client(tmp_path, site, cache=None) as web:
        with pytest.raises(LabrigError, match=f"{window} API request limit") as caught:
            await open_meteo.elevation(web, [(1, 2)])
    assert (caught.value.code, caught.value.retry_after_s) == ("rate_limited", seconds)


async def test_a_polar_night_is_said(site: Imitation, tmp_path: Path) -> None:
    """Open-Meteo gives midnight for sunrise and sunset: the same for a polar night, the next for a polar day."""
    answer = weather_answer(open_meteo.HISTORICAL_DAILY, ["2024-12-20"])
    answer["daily"] |= {"sunrise": ["2024-12-20T00:00"], "sunset": ["2024-12-20T00:00"]}
    site.on("/open_meteo_archive/archive").then(answer)
    async with client(tmp_path, site, cache=None) as web:
        found = await open_meteo.weather(web, 78.2, 15.6, "2024-12-20", "2024-12-20")
    assert open_meteo.NO_SUN in found.notes and found.facts.daily["sunset"] == ("2024-12-20T00:00",)


async def test_binance_that_is_closed_with_status_200_is_asked_at_its_twin(
    site: Imitation, tmp_path: Path
) -> None:
    closed = {
        "code": 0,
        "msg": "Service unavailable from a restricted location according to 'b. Eligibility'",
    }
    site.on("/binance/klines").then(closed)
    site.on("/binance_us/klines").then([CANDLE])
    async with client(tmp_path, site, cache=None) as web:
        assert (await binance.crypto(web, "BTC", "2024-01-15")).facts.exchange == "Binance.US"


async def test_a_name_that_is_unknown_makes_cells_and_no_error(site: Imitation, tmp_path: Path) -> None:
    site.on("/nominatim/search", query={"q": "Berlin"}).then([BERLIN])
    site.on("/nominatim/search", query={"q": "Xyzzy"}).then([])
    table = {**OSRM_TABLE, "durations": [[5]], "distances": [[50]], "sources": [{"distance": 1}]}
    site.on("/osrm/*").then({**table, "destinations": [{"distance": 1}]})
    async with client(tmp_path, site, cache=None) as web:
        found = (await osrm.matrix(web, ["Xyzzy", "Berlin"], ["1,1"])).facts
    assert [row[0].status for row in found.rows] == ["not_found", "ok"]
    assert (found.rows[1][0].distance_m, "Xyzzy" in found.rows[0][0].reason) == (50.0, True)
    assert site.hits[-1].path == "/osrm/routed-car/table/v1/driving/13.388860,52.517037;1.000000,1.000000"


@pytest.mark.parametrize(
    ("symbol", "asked", "name"),
    [
        ("WBETH", ["WBETH", "WBETHUSDT"], "WBETH in USDT"),
        ("SUSDT", ["SUSDTUSDT", "SUSDT"], "S in USDT"),
        ("ETHBTC", ["ETHBTC"], "ETH in BTC"),
        ("eth/btc", ["ETHBTC"], "ETH in BTC"),
    ],
)
async def test_whether_a_symbol_is_a_pair_is_asked_of_the_exchange(
    symbol: str, asked: list[str], name: str, site: Imitation, tmp_path: Path
) -> None:
    unknown = as_json({"code": -1121, "msg": "Invalid symbol."}, status=400)
    site.on("/binance/klines").then(*[unknown] * (len(asked) - 1), [CANDLE])
    async with client(tmp_path, site, cache=None) as web:
        assert (await binance.crypto(web, symbol, "2024-01-15")).facts.name == name
    assert [hit.query["symbol"] for hit in site.hits] == asked


async def test_what_is_asked_for_is_what_the_services_want(site: Imitation, tmp_path: Path) -> None:
    for name in ("overpass places", "binance", "serper"):
        serve(site, by_case(name))
    site.on("/google_places/*").then({"places": [LOUVRE]})
    async with client(tmp_path, site, cache=None) as web:
        await google.places(web, "cafés", near=(48.86, 2.34), radius_m=500, api="new")
        await overpass.places(web, "Libraries", near=(52.5, 13.4), radius_m=750.5)
        await binance.crypto(web, "btc-usdt", "2024-01-15")
        await web_search.serper(web, "x", location="Austin, Texas, United States", country="US")
        await nominatim.geocode(web, "Berlin")
    google_hit, overpass_hit, binance_hit, serper_hit, nominatim_hit = site.hits
    body = json.loads(google_hit.body)
    assert body["locationBias"]["circle"] == {
        "center": {"latitude": 48.86, "longitude": 2.34},
        "radius": 500.0,
    }
    assert "places.rating" in google_hit.headers["x-goog-fieldmask"]
    assert google_hit.headers["x-goog-api-key"] == KEYS["LABRIG_ATLAS_GOOGLE_KEY"]
    assert '["amenity"="library"](around:750.5,52.5000000,13.4000000)' in overpass_hit.query["data"]
    assert (binance_hit.query["startTime"], binance_hit.query["endTime"]) == (
        "1705276800000",
        "1705363199999",
    )
    assert json.loads(serper_hit.body) == {
        "q": "x",
        "gl": "us",
        "hl": "en",
        "num": 5,
        "location": "Austin, Texas, United States",
    }
    assert "tests@example.org" in nominatim_hit.headers["user-agent"]


async def test_brave_has_its_own_codes_of_languages_and_writes_html(site: Imitation, tmp_path: Path) -> None:
    hit = {"title": "Osk &amp; Co", "url": "https://e.org", "description": "It&#x27;s <strong>high</strong>"}
    site.on("/brave/web/search").then({"type": "search", "web": {"results": [hit]}})
    async with client(tmp_path, site, cache=None) as web:
        found = await web_search.brave(web, "osk", language="ja", country="jp")
        await web_search.brave(web, "osk", language="fr")
    assert [each.query["search_lang"] for each in site.hits] == ["jp", "fr"]
    assert site.hits[0].query["country"] == "JP"
    assert (found.facts.hits[0].title, found.facts.hits[0].snippet) == ("Osk & Co", "It's high")


@pytest.mark.parametrize(
    ("asked", "iso2"),
    [
        ("South Korea", "KR"),
        ("Ivory Coast", "CI"),
        ("Côte d’Ivoire", "CI"),
        ("egy", "EG"),
        ("DR Congo", "CD"),
        ("Puerto Rico", "PR"),
        ("Egypt (Arab Republic of)", "EG"),
    ],
)
def test_a_country_has_other_names_than_the_world_banks(asked: str, iso2: str) -> None:
    countries = world_bank.read_countries(Value(COUNTRIES, "https://api.worldbank.org"))
    assert [each.iso2 for each in world_bank.matching(countries, asked)] == [iso2]


@pytest.mark.parametrize(("second", "ambiguous"), [(0.70, True), (0.64, False), (None, True)])
async def test_a_place_that_leads_is_not_ambiguous(
    second: float | None, ambiguous: bool, site: Imitation, tmp_path: Path
) -> None:
    site.on("/nominatim/search").then([BERLIN, {**NEW_HAMPSHIRE, "importance": second}])
    async with client(tmp_path, site, cache=None) as web:
        found = await nominatim.geocode(web, "Berlin")
    assert (found.facts.ambiguous, len(found.facts.candidates), bool(found.notes)) == (
        ambiguous,
        2,
        not ambiguous,
    )


async def test_a_city_that_nominatim_gives_twice_is_one_place(site: Imitation, tmp_path: Path) -> None:
    """Paris comes as relation 71525 and as 7444, with one importance and one name, before Paris in Texas."""
    name = "Paris, Ile-de-France, Metropolitan France, France"
    city = {**BERLIN, "osm_id": 71525, "name": "Paris", "display_name": name, "importance": 0.897}
    texas = {**city, "osm_id": 115357, "display_name": "Paris, Lamar County, Texas", "importance": 0.53}
    by_item = {"wikidata": "Q90"}
    for twin in ({"display_name": name}, {"display_name": "Paris, France", "extratags": by_item}):
        again = {**city, "osm_id": 7444, "addresstype": "suburb", **twin}
        site.on("/nominatim/search").then([{**city, "extratags": by_item}, again, texas])
        async with client(tmp_path, site, cache=None) as web:
            found = await nominatim.geocode(web, "Paris")
        assert (found.facts.ambiguous, found.facts.candidates[0].place_id) == (False, "osm:R71525")
    rival = {**texas, "importance": 0.8}
    site.on("/nominatim/search").then([city, {**city, "osm_id": 7444}, rival])
    async with client(tmp_path, site, cache=None) as web:
        assert (await nominatim.geocode(web, "Paris")).facts.ambiguous


@pytest.mark.parametrize("ask", [google.geocode, nominatim.geocode])
async def test_a_point_is_no_question_to_anybody(ask: Any, site: Imitation, tmp_path: Path) -> None:
    async with client(tmp_path, site, cache=None) as web:
        found = await ask(web, "39°05′37″N 94°35′13″W")
    (place,) = found.facts.candidates
    assert (round(place.latitude, 4), round(place.longitude, 4)) == (39.0936, -94.5869)
    assert ("nobody was asked" in found.source, site.hits) == (True, [])
