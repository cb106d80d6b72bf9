"""Stores: the bundled one holds every article, search takes any question, damage is a typed error and is mended."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_atlas.articles import Article, ArticleSection, read_articles
from labrig_atlas.wiki import views
from labrig_atlas.wiki.bundled import earth_store, world_store
from labrig_atlas.wiki.identity import Identity, identity_of
from labrig_atlas.wiki.sqlite_store import SqliteStore

ARTICLES = (
    Article(
        "Mount Ósk",
        "mountain",
        "Mount Ósk is in [[Oskia|the land]].",
        ("seed 7",),
        {"Elevation": "2,468 m (8,097 ft)", "Range": "[[Osk Alps]]"},
        (ArticleSection("Peaks", "Two.\n\n| Peak | Height |\n| [[Mount Ósk|the big]] | 2,468 m |"),),
        ("The Ósk",),
        (45.5, -6.25),
    ),
    Article(
        "Oskia", "country", "A country with a [[The Ósk|mountain]].", ("seed 7",), aliases=("OSK", "Osk land")
    ),
    Article("Osk Alps", "range", 'A range. It says "NEAR".', ("seed 7",), languages=3),
    Article("osk", "name", "A name.", ("seed 7",)),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def _home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(home))


@pytest.fixture
async def twin() -> AsyncIterator[SqliteStore]:
    store = world_store("twin-7", ARTICLES)
    yield store
    await store.close()


@pytest.fixture
async def earth() -> AsyncIterator[SqliteStore]:
    store = earth_store()
    yield store
    await store.close()


async def test_every_article_is_reached_by_each_of_its_names_and_every_link_leads_on(
    earth: SqliteStore,
) -> None:
    articles = read_articles()
    assert earth.pages == len(articles) >= 200
    addresses: set[str] = set()
    for article in articles:
        page = await earth.get(
            identity_of(f"https://en.wikipedia.org/wiki/{article.title.replace(' ', '_')}")
        )
        assert page.title == article.title and page.coordinates == article.coordinates and not page.made_up
        assert page.source.startswith("Labrig's own short article") and article.sources[0] in page.source
        for alias in article.aliases:
            other = await earth.get(identity_of(alias))
            assert (other.title, other.redirected_from) == (article.title, identity_of(alias).title)
        addresses |= {link.address for link in page.links()}
    for address in addresses:
        assert (await earth.get(identity_of(address))).lead


async def test_the_walk_from_a_person_to_the_height_of_the_birthplace(earth: SqliteStore) -> None:
    (found, *_) = await earth.search("Einstein")
    person = await earth.get(identity_of(found.address))
    (born,) = [value for field in person.infobox if field.label == "Born" for value in field.values]
    assert (born.iso, born.precision) == ("1879-03-14", "day")
    link = next(each for each in views.links(person, section="infobox") if each.label.startswith("Birth"))
    place = await earth.get(identity_of(link.address))
    assert place.title == "Ulm" and place.coordinates == pytest.approx((48.4, 9.99), abs=0.1)
    (height,) = [field.values[0] for field in place.infobox if field.label == "Elevation"]
    assert height.unit == "m" and height.number == pytest.approx(478, abs=60)


async def test_a_fictional_world_has_its_own_host_and_says_so(twin: SqliteStore) -> None:
    page = await twin.get(identity_of("https://wiki.twin-7.invalid/wiki/the_%C3%93sk"))
    assert (page.title, page.redirected_from, page.made_up) == ("Mount Ósk", "The Ósk", True)
    assert page.address == "https://wiki.twin-7.invalid/wiki/Mount_%C3%93sk" and page.source.startswith(
        "Fictional"
    )
    assert [field.label for field in page.infobox] == ["Elevation", "Range", "Coordinates"]
    assert page.infobox[2].text == "45.5°N 6.25°W" and page.infobox[0].values[0].also == ((8097.0, "ft"),)
    assert views.table(page, 0).rows == (("the big", "2,468 m"),) and views.table(page, 0).columns == (
        "Peak",
        "Height",
    )
    assert [each.address for each in page.links()][-1] == page.address
    with pytest.raises(
        LabrigError, match=r"pages of wiki\.twin-7\.invalid"
    ) as caught:  # of another world is another page
        await twin.get(Identity("en.wikipedia.org", "Mount Ósk"))
    assert caught.value.code == "not_found"


async def test_names_in_other_writings(twin: SqliteStore) -> None:
    def of(title: str) -> Identity:
        return identity_of(title, host="wiki.twin-7.invalid")

    assert (await twin.get(of("mount osk"))).title == "Mount Ósk"
    assert (await twin.get(of("OSK"))).title == "Oskia" and (await twin.get(of("osk"))).title == "Osk"
    with pytest.raises(
        LabrigError, match=r"OSK.*Osk"
    ) as caught:  # both are written so, and none is chosen silently
        await twin.get(of("oSk"))
    assert caught.value.code == "not_found"
    with pytest.raises(LabrigError, match="Osk Alps"):
        await twin.get(of("Osk Alp"))
    assert await twin.titles("osk") == ["Osk", "Osk Alps", "Oskia"] and await twin.titles("x") == []
    found = [await twin.get(of(title)) for title in ("The Ósk", "Oskia")]
    assert [(page.title, page.redirected_from) for page in found] == [("Mount Ósk", "The Ósk"), ("Oskia", "")]


async def test_search_ranks_titles_and_ignores_accents(twin: SqliteStore, earth: SqliteStore) -> None:
    assert (await twin.search("OSK LAND"))[0].title == "Oskia"
    assert [each.title for each in await twin.search("mount o", 1)] == ["Mount Ósk"]
    assert (await twin.search("mountain"))[0].excerpt == "A country with a mountain."
    for text in ("zurich", "ZÜRICH", "Zürich"):
        assert (await earth.search(text, 3))[0].title == "Zürich"
    assert (await earth.search("theoretical physicist born in Ulm", 3))[0].title == "Albert Einstein"
    assert await earth.search("?! *") == [] == await earth.search("Ulm", 0)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from(['"', "NEAR(", "OR", "-osk", "title:", "*", "^", "AND", "("])).map(" ".join)
)
def test_a_search_takes_any_question(text: str) -> None:
    store = world_store("twin-7", ARTICLES)
    try:
        found = asyncio.run(store.search(text, 3))
        assert len(found) <= 3 and all(len(each.excerpt) <= 301 for each in found)
        try:
            asyncio.run(store.get(identity_of(text, host="wiki.twin-7.invalid")))
        except LabrigError as error:
            assert error.code in ("not_found", "bad_input", "refused")
    finally:
        asyncio.run(store.close())


@pytest.mark.accept
def test_two_processes_that_come_at_once_make_one_store(tmp_path: Path) -> None:
    program = "from labrig_atlas.wiki.bundled import earth_store; print(earth_store().pages)"
    environment = {"LABRIG_HOME": str(tmp_path), "PATH": "/usr/bin"}
    started = [
        subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=60)[0].strip() for process in started]
    assert said == [str(len(read_articles())).encode()] * 2
    files = sorted(path.name for path in (tmp_path / "atlas" / "wiki").iterdir())
    assert len(files) == 2 and files[0].startswith("earth-") and files[1] == "earth.lock"


def test_a_store_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    with pytest.raises(LabrigError, match="Two articles are named 'Oskia'"):
        world_store("twin-8", [*ARTICLES, ARTICLES[1]])
    assert [path.name for path in (tmp_path / "atlas" / "wiki").iterdir()] == ["twin-8.lock"]


def test_a_store_of_changed_articles_takes_the_place_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    old, other = world_store("twin-8", ARTICLES), world_store("twin-8-b", ARTICLES)
    new = world_store("twin-8", ARTICLES[1:])
    assert (old.pages, new.pages, other.pages) == (4, 3, 4)  # whoever has the old one open goes on reading it
    for store in (old, new, other):
        asyncio.run(store.close())
    names = sorted(path.name[:-24] for path in (tmp_path / "atlas" / "wiki").glob("*.sqlite"))
    assert names == ["twin-8", "twin-8-b"]


@pytest.mark.parametrize("harm", ["cut", "noise", "other", "unfinished", "layout", "empty"])
def test_a_damaged_store_is_a_typed_error_and_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    asyncio.run(world_store("twin-7", ARTICLES).close())
    (path,) = (tmp_path / "atlas" / "wiki").glob("*.sqlite")
    whole = path.read_bytes()
    if harm in ("unfinished", "layout"):
        database = sqlite3.connect(path)
        said = "DELETE FROM about WHERE key='complete'" if harm == "unfinished" else "PRAGMA user_version=99"
        database.execute(said)
        database.commit()
        database.close()
    else:
        path.write_bytes({"cut": whole[:2_000], "noise": b"\x5a" * 9_000, "other": b"", "empty": b""}[harm])
        if harm == "other":
            database = sqlite3.connect(path)
            database.execute("CREATE TABLE pages (x)")
            database.close()
    with pytest.raises(LabrigError) as caught:
        SqliteStore(path)
    assert caught.value.code == "unavailable" and "labrig_atlas.wiki build" in caught.value.try_
    again = world_store("twin-7", ARTICLES)
    assert again.pages == len(ARTICLES)
    asyncio.run(again.close())


def test_damage_that_is_met_later_is_typed_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    asyncio.run(world_store("twin-7", ARTICLES).close())
    (path,) = (tmp_path / "atlas" / "wiki").glob("*.sqlite")
    database = sqlite3.connect(path)
    database.execute("UPDATE pages SET body=x'00ff'")
    database.commit()
    database.close()
    store = SqliteStore(path)
    for ask in (store.get(identity_of("Oskia", host="wiki.twin-7.invalid")), store.search("country")):
        with pytest.raises(LabrigError) as caught:
            asyncio.run(ask)
        assert caught.value.code == "unavailable"
    asyncio.run(store.close())
    with pytest.raises(LabrigError) as caught:
        SqliteStore(tmp_path / "none.sqlite")
    assert caught.value.code == "not_found"
