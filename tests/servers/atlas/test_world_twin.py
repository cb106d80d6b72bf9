"""The fictional twins: other names and figures, the same agreement between articles, tables and look-ups."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_atlas.articles import Article, check, digest, links_of, read_articles, shown
from labrig_atlas.offline.countries import country_facts
from labrig_atlas.offline.elevation import elevation
from labrig_atlas.offline.geocoding import geocode
from labrig_atlas.offline.geodesy import distance_m
from labrig_atlas.offline.nearby import place_details, search_places
from labrig_atlas.offline.reversing import reverse_geocode
from labrig_atlas.offline.routing import route
from labrig_atlas.offline.weather import historical_weather
from labrig_atlas.world.database import World, open_world
from labrig_atlas.world.landmarks import elevation_of
from labrig_atlas.world.landmask import LandMask
from labrig_atlas.world.names import fold
from labrig_atlas.world.renaming import words_of
from labrig_atlas.world.shifting import Shift, times
from labrig_atlas.world.tables import read_tables
from labrig_atlas.world.twin import NAMED, PLACES, Twin, seed_of, twin

SHIFT = Shift(2, Decimal("1.1"), Decimal("0.9"), Decimal("1.2"), Decimal("10.5"))


@pytest.fixture(scope="module")
def seven() -> Twin:
    return twin(7)


@pytest.fixture(scope="module")
def pairs(seven: Twin) -> list[tuple[Article, Article]]:
    return list(zip(read_articles(), seven.articles, strict=True))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LABRIG_HOME", str(tmp_path_factory.mktemp("twin")))
        with open_world("twin-7") as opened:
            yield opened


@pytest.mark.parametrize(
    "before, after",
    [
        ("4,806 m (15,767 ft), 20 km away", "5,287 m (17,344 ft), 20 km away"),
        (
            "16 to 22 m thick; between 500 and 700 m; -430 m",
            "18 to 24 m thick; between 550 and 770 m; -473 m",
        ),
        ("357,021 km², 300 m³/s and 12 m²", "321,319 km², 300 m³/s and 12 m²"),
        ("3.5 million inhabitants, 1,000 people", "4.2 million inhabitants, 1,200 people"),
        ("on 14 March 1879, in the 1920s, 1914–18", "on 14 March 1679, in the 1720s, 1714–1718"),
        ("29 February 2000; 1,914; 1914 m; 480 BC", "29 February 1800; 1,914; 2105 m; 480 BC"),
        ("the wreck at 41.73° N, 49.95° W", "the wreck at 41.73° N, 39.45° W"),
        ("the nineteenth century, twentieth-century art", "the seventeenth century, eighteenth-century art"),
    ],
)
def test_figures_move_by_one_rule_each(before: str, after: str) -> None:
    assert SHIFT.text(before) == after.replace("29 February 1800", "28 February 1800")


def test_numbers_keep_their_decimals_and_longitudes_go_around() -> None:
    assert times("4,805.60", Decimal("0.9")) == "4,325.04" and times("9,999", Decimal("1.1")) == "10,999"
    assert SHIFT.population("3,292,365 (2011 census)") == "3,950,838 (1811 census)"
    assert [SHIFT.moved(each) for each in (0.0, 169.5, 169.6, -180.0)] == [10.5, 180.0, -179.9, -169.5]
    factors = {factor for seed in range(200) for factor in (Shift.of(seed).metres, Shift.of(seed).areas)}
    assert all(
        Decimal("0.8") <= each <= Decimal("1.25") and abs(each - 1) > Decimal("0.04") for each in factors
    )


def test_links_lead_somewhere_and_no_name_stands_twice(seven: Twin) -> None:
    assert check(seven.articles) == []


@given(text=st.text(alphabet="0123456789,.- –mkft²°EWBC1970sdcenturyx", max_size=60))
def test_any_text_has_its_figures_moved(text: str) -> None:
    SHIFT.text(text)
    SHIFT.population(text)


@pytest.mark.accept
def test_another_seed_is_another_world(seven: Twin) -> None:
    eight = twin(8)
    assert check(eight.articles) == [] and eight.articles != seven.articles
    names = [{city.name for city in made.tables.cities} for made in (seven, eight)]
    assert len(names[0] & names[1]) < len(names[0]) / 20


def test_no_real_name_is_left(seven: Twin, pairs: list[tuple[Article, Article]]) -> None:
    small, _ = words_of(shown(text) for article, _ in pairs for text in article.texts())
    told = [text for _, made in pairs for text in (made.title, *made.aliases, *made.texts(), *made.infobox)]
    whole = f" {fold(' '.join(map(shown, told)))} "
    left = []
    for article, _ in pairs:
        for name in (article.title, *article.aliases):
            folded = fold(name.partition(" (")[0])
            ordinary = all(part in small for part in folded.split())
            if article.kind in NAMED | PLACES and not ordinary and f" {folded} " in whole:
                left.append(name)
    assert left in ([], ["US"]), "US is the word us, too"
    tables = read_tables()
    real = {fold(each.name) for each in (*tables.cities, *tables.countries)}
    made = {fold(each.name) for each in (*seven.tables.cities, *seven.tables.countries)}
    assert not real & made
    codes = {country.iso2 for country in tables.countries} | {
        country.currency for country in tables.countries
    }
    assert not codes & {
        code for each in seven.tables.countries for code in (each.iso2, each.currency) if code
    }


def test_articles_agree_with_each_other_as_before(pairs: list[tuple[Article, Article]]) -> None:
    titles = {name: made.title for article, made in pairs for name in (article.title, *article.aliases)}
    for article, made in pairs:
        for before, after in zip(article.texts(), made.texts(), strict=True):
            led = [titles[title.partition("#")[0]] for title, _ in links_of(before)]
            assert [title.partition("#")[0] for title, _ in links_of(after)] == led, article.title
        for label in ("Birthplace", "Country", "Capital", "Range", "Population", "Elevation"):
            assert (label in article.infobox) == (label in made.infobox), "what tables read keeps its label"
    heights = [(elevation_of(article), elevation_of(made)) for article, made in pairs]
    known = sorted((before, after) for before, after in heights if before is not None and after is not None)
    assert len(known) > 50 and [after for _, after in known] == sorted(after for _, after in known)
    years = [(article.infobox.get("Born", ""), made.infobox.get("Born", "")) for article, made in pairs]
    shift = {int(a[-4:]) - int(b[-4:]) for a, b in years if a[-4:].isdecimal() and b[-4:].isdecimal()}
    assert len(shift) == 1 and shift.pop() % 100 == 0


def test_distances_land_and_sea_are_those_of_the_earth(
    seven: Twin, pairs: list[tuple[Article, Article]]
) -> None:
    placed = [(a.coordinates, b.coordinates) for a, b in pairs if a.coordinates and b.coordinates]
    for (first, first_made), (second, second_made) in zip(placed[::7], placed[3::7], strict=False):
        assert distance_m(*first, *second) == pytest.approx(distance_m(*first_made, *second_made), abs=1e-3)
    real, made = LandMask(read_tables().land), LandMask(seven.tables.land)
    shift = Shift.of(7)
    for row in range(-88, 89, 4):
        for column in range(-1799, 1800, 37):
            longitude = column / 10 + 0.05
            assert real.is_land(row + 0.05, longitude) == made.is_land(
                row + 0.05, shift.moved(round(longitude, 2))
            )


def test_look_ups_agree_with_the_articles(world: World, pairs: list[tuple[Article, Article]]) -> None:
    made = {article.title: twin_article for article, twin_article in pairs}
    ulm, germany = made["Ulm"], made["Germany"]
    assert ulm.coordinates
    place = geocode(world, ulm.title).candidates[0]
    assert (place.latitude, place.longitude) == ulm.coordinates and place.made_up and "seed 7" in place.source
    found = elevation(world, *ulm.coordinates)
    assert found.elevation_m == elevation_of(ulm) == place.elevation_m and found.made_up
    country = country_facts(world, germany.title)
    assert (
        country.made_up
        and country.capital == shown(germany.infobox["Capital"])
        and country.iso2 == place.country
    )
    back = reverse_geocode(world, *ulm.coordinates).place
    assert back is not None and back.place_id == place.place_id
    way = route(world, ulm.title, made["Munich"].title)
    assert way.made_up and "seed 7" in way.source and 120e3 < way.distance_m < 250e3
    museums = search_places(world, f"museums near {ulm.title}", radius_m=20_000)
    assert museums.places and place_details(world, museums.places[0].place_id).name == museums.places[0].name
    weather = historical_weather(world, *ulm.coordinates, "2024-01-15")
    assert weather.timezone.startswith("Etc/GMT") and "seed 7" in weather.source
    with pytest.raises(LabrigError) as caught:
        geocode(world, "Ulm")
    assert caught.value.code == "not_found" and "gazetteer" not in caught.value.expected
    for text in world.ask("SELECT DISTINCT source FROM place UNION SELECT DISTINCT source FROM height"):
        assert text == ("made up by Labrig from the seed 7: a fictional world",)


@pytest.mark.parametrize("name", ["twin-", "twin-07", "twin--1", "twin-1000000000", "twin-٣", "moon", ""])
def test_a_world_that_is_none_is_said(name: str) -> None:
    assert seed_of(name) is None
    with pytest.raises(LabrigError) as caught:
        open_world(name)
    assert caught.value.code == "not_found" and "twin-7" in caught.value.expected


@pytest.mark.accept
def test_a_twin_is_the_same_whatever_the_order_of_hashes(seven: Twin) -> None:
    program = (
        "from labrig_atlas.articles import digest\nfrom labrig_atlas.world.twin import twin\n"
        "made = twin(7)\nimport hashlib\n"
        "print(digest(made.articles), hashlib.sha256(repr(made.tables).encode()).hexdigest())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()[0]
        for seed in ("1", "2")
    }
    assert said == {digest(seven.articles)}
