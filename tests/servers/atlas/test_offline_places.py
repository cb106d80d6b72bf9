"""Names, points and countries, looked up offline."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_atlas.articles import read_articles
from labrig_atlas.offline.countries import country_facts
from labrig_atlas.offline.geocoding import geocode
from labrig_atlas.offline.geodesy import distance_m, geodesic
from labrig_atlas.offline.points import read_point
from labrig_atlas.offline.reversing import reverse_geocode
from labrig_atlas.world.database import World
from support.atlas_world import opened_earth
from support.places import DATA


@pytest.fixture(scope="module")
def earth(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with opened_earth(tmp_path_factory) as world:
        yield world


@pytest.mark.parametrize(
    "address, found",
    [
        ("Ulm", "Ulm, Baden-Wurttemberg, Germany"),
        ("München", "Munich, Bavaria, Germany"),
        ("  MUENCHEN ", "Munich, Bavaria, Germany"),
        ("Oxford , England", "Oxford, England, United Kingdom"),
        ("Eden Prairie, Minnesota, United States", "Eden Prairie, Minnesota, United States"),
        ("Springfield, IL", "Springfield, Illinois, United States"),
        ("Merta City", "Merta, Rajasthan, India"),
        ("Paris, France", "Paris, Île-de-France, France"),
        ("Zimbabwe", "Zimbabwe"),
        ("USA", "United States"),
    ],
)
def test_a_name_finds_its_place(earth: World, address: str, found: str) -> None:
    result = geocode(earth, address)
    assert [place.address for place in result.candidates] == [found] and not result.ambiguous
    place = result.candidates[0]
    assert place.source and not place.made_up and len(place.country) == 2


def test_an_ambiguous_name_gives_candidates_by_population(earth: World) -> None:
    result = geocode(earth, "Springfield")
    assert result.ambiguous and len(result.candidates) >= 5
    people = [place.population or 0 for place in result.candidates]
    assert people == sorted(people, reverse=True) and len({place.admin1 for place in result.candidates}) > 3
    assert [place.address for place in geocode(earth, "Grenada").candidates] == ["Grenada"]
    assert geocode(earth, "New York").candidates[0].name == "New York City", (
        "an alternative name of a far larger place"
    )
    kinds = {place.kind for place in geocode(earth, "Georgia").candidates}
    assert kinds == {"country", "division"}


@pytest.mark.parametrize(
    "address, code, tried",
    [
        ("Londonn", "not_found", "London"),
        ("Paris, Germany", "not_found", "France"),
        ("Barbary Coast, San Francisco", "not_found", "San Francisco"),
        ("Middle-earth", "not_found", ""),
        ("", "bad_input", ""),
        (" ,,; ", "bad_input", ""),
        ("x" * 500, "bad_input", ""),
        ("91, 0", "bad_input", ""),
        ("95 N, 10 E", "bad_input", ""),
        ('Ulm" OR name MATCH "x', "not_found", ""),
    ],
)
def test_what_no_place_answers_to_is_a_typed_error(earth: World, address: str, code: str, tried: str) -> None:
    with pytest.raises(LabrigError) as caught:
        geocode(earth, address)
    assert caught.value.code == code and tried in caught.value.try_


@given(text=st.text(max_size=60))
def test_any_text_is_a_place_or_a_typed_error(earth: World, text: str) -> None:
    try:
        assert geocode(earth, text).candidates
    except LabrigError as error:
        assert error.code in {"not_found", "bad_input"}


@pytest.mark.parametrize(
    "text, point",
    [
        ("48.4, -9.99", (48.4, -9.99)),
        ("(−33.5; 70)", (-33.5, 70.0)),
        ("39°05′37″N 94°35′13″W\ufeff / \ufeff39.093698°N 94.586824°W", (39.0936111, -94.5869444)),
        ("33.5 S, 70.6 W", (-33.5, -70.6)),
        ("0, 181", (0.0, -179.0)),
        ("Ulm", None),
        ("12 Main Street", None),
    ],
)
def test_points_are_read_as_people_write_them(text: str, point: tuple[float, float] | None) -> None:
    found = read_point(text)
    assert (found is None) == (point is None)
    if found and point:
        assert found == pytest.approx(point, abs=1e-6)


@given(st.floats(-90, 90), st.floats(-180, 180))
def test_a_point_that_was_written_is_read_again(latitude: float, longitude: float) -> None:
    decimal = read_point(f"{latitude:.6f}, {longitude:.6f}")
    north, east = "S" if latitude < 0 else "N", "W" if longitude < 0 else "E"
    turned = read_point(f"{abs(latitude):.6f}° {north} {abs(longitude):.6f}° {east}")
    assert decimal is not None and decimal == turned
    assert decimal[0] == pytest.approx(latitude, abs=1e-6)
    assert (decimal[1] - longitude + 180) % 360 - 180 == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    "point, name, note",
    [
        ((48.40, 9.99), "Ulm", "km away"),
        ((41.0, 28.9), "Zeytinburnu", "km away"),
        ((0, -30), None, "sea"),
        ((-17, 179.99), None, "Labasa"),  # 92 km to the west, over the antimeridian
        ((-16.5, -179.9), None, "Labasa"),
        ((90, 45), None, "North Pole"),
        ((-90, 0), None, "South Pole"),
        ((24, 5), None, "land with no city"),
    ],
)
def test_a_point_finds_its_city_or_says_why_not(
    earth: World, point: tuple[float, float], name: str | None, note: str
) -> None:
    found = reverse_geocode(earth, *point)
    assert (found.place.name if found.place else None) == name and note in found.note
    assert found.source and (found.place is None or found.distance_m == found.place.distance_m)


@pytest.mark.parametrize("bad", [(91, 0), (0, 400), (float("nan"), 0), (0, float("inf"))])
def test_what_is_no_point_is_refused(earth: World, bad: tuple[float, float]) -> None:
    with pytest.raises(LabrigError) as caught:
        reverse_geocode(earth, *bad)
    assert caught.value.code == "bad_input"
    with pytest.raises(LabrigError):
        reverse_geocode(earth, 0, 0, reach_m=-5)


def test_a_country_is_found_by_name_code_and_other_name(earth: World) -> None:
    asked = ("Netherlands", "the Netherlands", "Holland", "NL", "nld", "The Netherlands")
    assert {country_facts(earth, each).iso2 for each in asked} == {"NL"}
    for article in read_articles():
        if article.kind == "country":
            names = [name.partition(" (")[0] for name in (article.title, *article.aliases)]
            assert len({country_facts(earth, name).iso2 for name in names}) == 1, names
    india = country_facts(earth, "India")
    # World Bank, SP.POP.TOTL of 2019 as published in July 2020.
    assert (india.population, india.population_year, india.capital) == (1_366_417_754, 2019, "New Delhi")
    assert "World Bank" in india.population_source and "2019" in india.population_source and india.area_km2
    assert "Nepal" in india.neighbours and india.currency_code == "INR" and india.continent == "Asia"


@pytest.mark.parametrize(
    "name, code, tried",
    [
        ("Frnace", "not_found", "France"),
        ("Ulm", "not_found", "Germany"),
        ("Congo", "bad_input", ""),
        ("", "bad_input", ""),
    ],
)
def test_a_country_that_is_none_is_a_typed_error(earth: World, name: str, code: str, tried: str) -> None:
    with pytest.raises(LabrigError) as caught:
        country_facts(earth, name)
    assert caught.value.code == code and tried in caught.value.try_


def test_geodesics_agree_with_an_independent_implementation() -> None:
    """PROJ's, in C; and a quarter of the equator and of a meridian, whose lengths are known."""
    proj = pytest.importorskip("pyproj").Geod(ellps="WGS84")
    assert geodesic(0, 0, 0, 90).distance_m == pytest.approx(math.pi / 2 * 6_378_137, abs=1e-6)
    assert geodesic(0, 5, 90, 0).distance_m == pytest.approx(10_001_965.7293, abs=1e-4)
    pairs = [
        (0, 0, 0, 179.2),
        (0, 0, 0, 180),
        (0, 0, 0.5, 179.7),
        (30, 0, -30, 180),
        (90, 0, -90, 7),
        (1, 2, 1, 2),
    ]
    for number in range(400):
        a, b, c, d = (((number * prime) % 7919) / 7919 for prime in (101, 211, 307, 401))
        first = (a * 180 - 90, b * 360 - 180)
        shift = (c - 0.5) * 10.0 ** -(number % 7)
        second = (-first[0] + shift, first[1] - 180 + shift) if number % 2 else (c * 180 - 90, d * 360 - 180)
        pairs.append((*first, max(-90.0, min(90.0, second[0])), (second[1] + 180) % 360 - 180))
    for pair in pairs:
        own, (forth, _, metres) = geodesic(*pair), proj.inv(pair[1], pair[0], pair[3], pair[2])
        assert own.distance_m == pytest.approx(metres, abs=1e-6), pair
        if 1_000 < metres < 19_900_000 and max(abs(pair[0]), abs(pair[2])) < 89.9:
            turned = (own.bearing_deg - forth + 180) % 360 - 180
            assert abs(turned) < 1e-6 and 0 <= own.final_bearing_deg < 360, pair


def test_threads_may_ask_at_once(earth: World) -> None:
    found: list[str] = []

    def ask() -> None:
        found.extend(geocode(earth, name).candidates[0].name for name in ("Ulm", "Oxford", "Jaipur") * 20)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 240 and set(found) == {"Ulm", "Oxford", "Jaipur"}


def test_distances_are_whole_over_the_antimeridian() -> None:
    assert distance_m(0, 179.5, 0, -179.5) == pytest.approx(111_319.49, abs=0.01)


def test_every_address_of_the_published_legs_gets_a_typed_answer(earth: World) -> None:
    legs = sorted((DATA / "aar").glob("*/*/*.json"))
    if not legs:
        pytest.skip("the published legs are not beside this checkout")
    found, missing = set(), set()
    for leg in legs:
        for stop in json.loads(Path(leg).read_text(encoding="utf-8"))["stops"]:
            for step in stop["bridge"]["tool_chain"]:
                if "address" in step["arguments"]:
                    address = step["arguments"]["address"]
                    try:
                        found.add(geocode(earth, address).candidates[0].name)
                    except LabrigError as error:
                        assert error.code == "not_found"
                        missing.add(address)
    assert {"Harare", "Jaipur", "Oxford", "Zimbabwe", "Eden Prairie"} <= found
