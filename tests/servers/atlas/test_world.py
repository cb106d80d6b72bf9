"""The bundled world: its tables, and the database that is made of them, whole or not at all."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.sideenv import setup
from labrig_atlas.articles import Article
from labrig_atlas.offline.geocoding import geocode
from labrig_atlas.offline.routing import route
from labrig_atlas.world import database, gazetteer, sources
from labrig_atlas.world.cells import cell, ranges, roughly_m
from labrig_atlas.world.database import World, open_world
from labrig_atlas.world.landmarks import landmarks
from labrig_atlas.world.names import fold
from labrig_atlas.world.noise import normal, uniform
from labrig_atlas.world.tables import read_tables
from support.atlas_world import opened_earth


@pytest.fixture(scope="module")
def earth(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with opened_earth(tmp_path_factory) as world:
        yield world


def test_the_bundled_world_is_small_and_whole() -> None:
    files = [path for path in sources.FOLDER.rglob("*") if path.suffix in {".csv", ".txt", ".toml"}]
    assert sum(path.stat().st_size for path in files) < 3_000_000
    tables = read_tables()
    countries = {country.iso2: country for country in tables.countries}
    named: dict[str, set[str]] = defaultdict(set)
    for city in tables.cities:
        assert abs(city.latitude) <= 90 and abs(city.longitude) <= 180 and city.country in countries
        named[city.country] |= {fold(city.name), *map(fold, city.names)}
    lost = [
        each.name
        for each in tables.countries
        if named[each.iso2] and each.capital and fold(each.capital) not in named[each.iso2]
    ]
    assert not lost, "a capital is a city of its country"
    for country in tables.countries:
        for neighbour in country.neighbours:
            if neighbour in countries:
                assert country.iso2 in countries[neighbour].neighbours, (country.iso2, neighbour)
    assert set(countries["US"].neighbours) == {"CA", "MX"}, "Guantanamo Bay is Cuba's"


def test_a_whole_database_is_left_alone_and_a_damaged_one_made_anew(
    earth: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "atlas" / earth.path.name
    path.parent.mkdir()
    shutil.copy(earth.path, path)
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    made = path.stat().st_ino
    open_world().close()
    assert path.stat().st_ino == made
    whole = path.read_bytes()

    def build(connection: sqlite3.Connection, *rest: object, **more: object) -> None:
        connection.executescript(
            "CREATE TABLE meta (key, value);"
            "INSERT INTO meta VALUES ('world', 'earth'), ('seed', '0'), ('made', 'anew');"
        )
        if whole_again:
            connection.execute("INSERT INTO meta VALUES ('complete', 'yes')")
        connection.commit()

    monkeypatch.setattr(database, "build", build)
    for content in (b"", whole[:5_000], whole[: len(whole) // 2], b"x" * 4096 + whole[4096:]):
        path.write_bytes(content)
        whole_again = True
        with open_world() as world:
            assert world.meta["made"] == "anew"
    whole_again = False
    path.unlink()
    with pytest.raises(
        LabrigError, match="was made and cannot be read"
    ):  # a program that was killed half-way
        open_world()
    assert not list(path.parent.glob(".setup-*-????????")), "nothing is left beside it"


@pytest.mark.accept
def test_two_processes_make_one_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "from labrig_atlas.world.database import open_world\n"
        "with open_world() as world: print(world.path.stat().st_ino, world.meta['complete'])"
    )
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    asked = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = {process.communicate(timeout=120)[0] for process in asked}
    assert len(said) == 1 and said.pop().endswith("yes\n")


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "atlas").write_text("a file where the folder should be")
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    with pytest.raises(LabrigError) as caught:
        open_world()
    assert caught.value.code == "unavailable" and "LABRIG_HOME" in caught.value.try_


@pytest.mark.accept
def test_a_gazetteer_that_was_brought_is_in_the_same_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zundert = {
        "geonameid": 2743608, "name": "Zundert", "latitude": 51.47167, "longitude": 4.65556, "countrycode": "NL",
        "population": 6835, "timezone": "Europe/Amsterdam", "admin1code": "06",
        "alternatenames": ["Groot-Zundert", "津德尔特"],
    }  # fmt: skip
    ulm = {**zundert, "geonameid": 2820256, "name": "Ulm of another table"}
    content = json.dumps({"2743608": zundert, "2820256": ulm}).encode()
    known = replace(gazetteer.GAZETTEER, sha256={gazetteer.FILE: hashlib.sha256(content).hexdigest()})
    for module in (gazetteer, database):
        monkeypatch.setattr(module, "GAZETTEER", known)
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / gazetteer.FILE).write_bytes(content)
    assert setup(known, source=tmp_path / "source").changed
    with open_world() as world:
        (found,) = geocode(world, "groot zundert, Netherlands").candidates
        assert (found.name, found.admin1, found.source) == ("Zundert", "North Brabant", sources.GAZETTEER)
        assert geocode(world, "Ulm, Germany").candidates[0].elevation_m == 478.0
        assert not world.ask("SELECT * FROM name WHERE fold = 'ulm of another table'")
        assert route(world, "Zundert", "Ulm, Germany").steps[0].instruction == "Zundert to the road"
        world.path.unlink()
    (known.path / gazetteer.FILE).write_bytes(content + b" ")
    with pytest.raises(LabrigError) as caught:
        open_world()
    assert caught.value.code == "unavailable" and "labrig setup atlas-gazetteer" in caught.value.try_


def test_what_cannot_be_read_later_is_a_typed_error(earth: World) -> None:
    with pytest.raises(LabrigError) as caught:
        earth.ask("SELECT nothing FROM nowhere")
    assert caught.value.code == "unavailable" and str(earth.path) in str(caught.value)


def test_an_article_gives_its_city_a_point_and_an_elevation(earth: World) -> None:
    rows = earth.ask(
        "SELECT place_id, latitude, elevation, source FROM place WHERE name = 'Ulm' AND country = 'DE'"
    )
    assert [(row[0], row[1], row[2]) for row in rows] == [("earth:c:2820256", 48.4011, 478.0)]
    assert "GeoNames" in rows[0][3] and "Ulm" in rows[0][3]


def test_infoboxes_are_read_with_their_units() -> None:
    def article(**infobox: str) -> Article:
        return Article("X", "mountain", "X.", ("Y",), infobox=infobox, coordinates=(1.0, 2.0))

    def read(**infobox: str) -> tuple[float | None, int | None, str]:
        (mark,) = landmarks([article(**infobox)], {"france": "FR"})
        return mark.elevation_m, mark.population, mark.country

    assert read(Elevation="4,805.6 m (15,767 ft)", Country="[[France]]") == (4805.6, None, "FR")
    assert read(Elevation="−430 m") == (-430.0, None, "")
    assert read(Elevation="15,767 ft", Height="300 m", Area="30 m²") == (None, None, "")
    assert read(Population="3,292,365 (2011 census)", Country="France and Italy") == (None, 3292365, "")


def test_every_land_mass_is_one_net_of_roads(earth: World) -> None:
    linked: dict[int, set[int]] = defaultdict(set)
    for one, other in earth.ask("SELECT one, other FROM road"):
        linked[one].add(other)
        linked[other].add(one)
    by_land: dict[int, set[int]] = defaultdict(set)
    for city in read_tables().cities:
        if city.land:
            by_land[city.land].add(city.number)
    for numbers in by_land.values():
        reached, waiting = set[int](), [min(numbers)]
        while waiting:
            number = waiting.pop()
            if number not in reached:
                reached.add(number)
                waiting += linked[number]
        assert reached == numbers, "no road leaves a land mass, and all its cities are on one net"


@pytest.mark.parametrize(
    "text, folded",
    [
        ("São Paulo", "sao paulo"),
        ("Łódź", "lodz"),
        ("Saint-Étienne", "saint etienne"),
        ("Nuku'alofa", "nukualofa"),
        ("  Köln\t(Germany) ", "koln germany"),
        ("Straße", "strasse"),
        ("北京", "北京"),
    ],
)
def test_names_are_compared_without_case_accents_and_marks(text: str, folded: str) -> None:
    assert fold(text) == folded == fold(folded)


@pytest.mark.parametrize(
    "point", [(0, 0), (52.5, 13.4), (-17, 179.9), (-17, -179.9), (89.9, 10), (-90, 0), (90, 180)]
)
@pytest.mark.parametrize("reach", [1.0, 30e3, 2_000e3, 20_100e3])
def test_ranges_of_cells_hold_every_point_within_reach(point: tuple[float, float], reach: float) -> None:
    found = ranges(*point, reach)
    assert all(0 <= first <= last < 180 * 360 for first, last in found)
    for number in range(300):
        latitude = point[0] + (uniform("a", number) * 2 - 1) * min(reach / 110e3, 90)
        other = max(-90.0, min(90.0, latitude)), uniform("b", number) * 360 - 180
        if roughly_m(*point, *other) < reach * 0.99:
            assert any(first <= cell(*other) <= last for first, last in found), other


def test_noise_is_the_same_everywhere_and_has_the_moments_it_says() -> None:
    assert [round(normal("weather", 7, 3), 6), round(uniform("road", 0, 1, 2), 6)] == [-1.957883, 0.824687]
    drawn = [normal(0, number) for number in range(4_000)]
    mean = sum(drawn) / len(drawn)
    assert abs(mean) < 0.06 and abs(sum((x - mean) ** 2 for x in drawn) / len(drawn) - 1) < 0.08


def test_columns_of_the_tables_are_those_that_are_read() -> None:
    for path in sources.DATA.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert {len(row) for row in rows} == {len(rows[0])}, path.name
