"""Solves a leg from its riddle alone: reads each clue, asks the paper's tools, looks for pages as an agent would.

It knows how our riddles are worded and nothing of the leg: no address but the first, no title, no golden value. Pages
that several facts describe it looks for from the first hits of a search on, link by link.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from labrig_suites.amazing_race.page_text import PageText, read_markdown

Ask = Callable[[str, Mapping[str, Any]], str]
DESCRIBED = r"the (?P<kind>[\w ]+) whose infobox gives (?P<text>.+?) as “(?P<label>.+?)”"
LINKS = re.compile(r"\]\((https://[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905
FINDS: dict[str, Callable[[int], int]] = {}


class Lost(Exception):
    """A clue that cannot be followed."""


class Solver:
    """One leg."""

    def __init__(self, prompt: str, ask: Ask) -> None:
        self.ask = ask
        self.start = next(iter(re.findall(r"https://\S+", prompt)), "")
        self.clues = re.findall(r"^(\d+)\. (.*)$", prompt, re.MULTILINE)
        self.values: dict[int, Any] = {}
        self.pages: dict[int, tuple[PageText, str]] = {}
        self.links: dict[int, str] = {}
        self.read: dict[str, tuple[PageText, str]] = {}

    def solve(self) -> tuple[int, int]:
        """Return the digit, and the number behind it."""
        for number, clue in self.clues[:-1]:
            self.values[int(number)] = self.follow(int(number), clue)
        return self.finish(self.clues[-1][1])

    def follow(self, number: int, clue: str) -> Any:
        for pattern, act in ACTS:
            found = re.fullmatch(pattern, clue)
            if found:
                return getattr(self, act.__name__)(number, found)
        raise Lost(clue)

    def json(self, tool: str, **arguments: Any) -> Any:
        return json.loads(self.ask(tool, arguments))

    def whole(self, clue: str) -> int:
        return int(float(self.values[int(clue)]))

    # pages

    def fetch(self, url: str) -> tuple[PageText, str]:
        if url not in self.read:
            text = self.ask("fetch_webpage", {"url": url})
            self.read[url] = read_markdown(text), text
        return self.read[url]

    def begin(self, number: int, found: re.Match[str]) -> Any:
        return self.arrive(number, self.fetch(self.start), found["question"])

    def open_named(self, number: int, found: re.Match[str]) -> Any:
        return self.arrive(number, self.fetch(self.links[int(found["clue"])]), found["question"])

    def by_link(self, number: int, found: re.Match[str]) -> Any:
        _, text = self.pages[int(found["clue"])]
        return self.arrive(number, self.fitting(dict.fromkeys(LINKS.findall(text)), found), found["question"])

    def by_search(self, number: int, found: re.Match[str]) -> Any:
        query = f"{found['kind']} {found['text']} {found['label']}"
        results = self.json("web_search", query=query, num_results=10)
        return self.arrive(
            number, self.fitting([each["link"] for each in results["organic"]], found), found["question"]
        )

    def fitting(self, addresses: Any, found: re.Match[str]) -> tuple[PageText, str]:
        for address in addresses:
            page, text = self.fetch(address)
            cell = page.infobox.get(found["label"])
            if cell is not None and page.plain(cell) == found["text"]:
                return page, text
        raise Lost(found[0])

    def riddle(self, number: int, found: re.Match[str]) -> Any:
        hints = hints_of(found)
        query = " ".join([found["kind"], *re.findall("“(.+?)”", found["said"])])
        pending = [each["link"] for each in self.json("web_search", query=query, num_results=10)["organic"]]
        for address in pending:  # which grows
            opened = self.fetch(address)
            if all(self.fits(each, opened[0]) for each in hints):
                return self.arrive(number, opened, found["question"])
            pending += [each for each in LINKS.findall(opened[1]) if each not in pending]
        raise Lost(found[0])

    def riddle_of_links(self, number: int, found: re.Match[str]) -> Any:
        near = [self.fetch(each) for each in dict.fromkeys(LINKS.findall(self.pages[int(found["clue"])][1]))]
        fit = [each for each in near if all(self.fits(hint, each[0]) for hint in hints_of(found))]
        if len(fit) != 1:
            raise Lost(found[0])
        return self.arrive(number, fit[0], found["question"])

    def fits(self, hint: str, page: PageText) -> bool:
        label, rest = hint[1:].split("”", 1)
        cell = page.infobox.get(label)
        if cell is None:
            return False
        said = page.plain(cell)
        if " own infobox gives " in rest:
            inner = rest.split(" own infobox gives ")[1]
            return "](" in cell and self.fits(inner, self.fetch(page.link(cell))[0])
        numbers = [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", rest)]
        if " between " in rest:
            begins = re.match(r"[\d,.]+", said)
            return begins is not None and numbers[0] <= float(begins[0].replace(",", "")) <= numbers[1]
        year = re.search(r"\b\d{3,4}$", said)
        if " years " in rest:
            return year is not None and numbers[0] <= int(year[0]) <= numbers[1]
        return rest.split()[-1] in said

    def arrive(self, number: int, opened: tuple[PageText, str], question: str) -> Any:
        page, _ = self.pages[number] = opened
        if question.startswith("What is it called?"):
            return page.value("the title of the page", None, "text")
        section = re.fullmatch(r"Which year is the first year that its section “(.+)” names\?", question)
        if section:
            return page.value("first year (prose)", section[1], "number")
        cell = re.fullmatch(
            r"Which number stands in row (\d+) of the table in its section “(.+)”, in the column “(.+)”\?",
            question,
        )
        if cell:
            return page.value(f"row {cell[1]}, column {cell[3]} (cross_section)", cell[2], "number")
        rows = re.fullmatch(
            r"How many rows, without its head, has the table in its section “(.+)”\?", question
        )
        if rows:
            return page.value("rows (cross_section)", rows[1], "number")
        field = re.fullmatch(
            r"(Which number|Which year|Which day|What) does its infobox give as “(.+)”.*\?", question
        )
        if not field:
            raise Lost(question)
        kind = "number" if field[1] in ("Which number", "Which year") else "text"
        if kind == "text" and "(" in page.infobox[field[2]] and "](" in page.infobox[field[2]]:
            self.links[number] = page.link(page.cell(field[2]))
        return page.value(f"{field[2]} (infobox)", None, kind)

    # tools

    def point(self, name: str) -> dict[str, float]:
        place = self.json("maps_geocode", address=name)["location"]
        return {"latitude": place["lat"], "longitude": place["lng"]}

    def elevation(self, number: int, found: re.Match[str]) -> Any:
        place = self.point(self.values[int(found[1])])
        return self.json("maps_elevation", locations=[place])["results"][0]["elevation"]

    def count(self, number: int, found: re.Match[str]) -> Any:
        return len(
            self.json("maps_search_places", query=f"{found[1]} near {self.values[int(found[2])]}")["places"]
        )

    def rating(self, number: int, found: re.Match[str]) -> Any:
        return self.json("maps_search_places", query=self.values[int(found[1])])["places"][0]["rating"]

    def road(self, number: int, found: re.Match[str]) -> Any:
        ends = [self.point(self.values[int(each)]) for each in found.groups()]
        first, second = (f"{each['latitude']},{each['longitude']}" for each in ends)
        cell = self.json("maps_distance_matrix", origins=[first], destinations=[second])["results"][0][
            "elements"
        ][0]
        return cell["distance"]["value"] / 1000

    def drive(self, number: int, found: re.Match[str]) -> Any:
        first, second = (self.values[int(each)] for each in found.groups())
        routes = self.json("maps_directions", origin=first, destination=second, mode="driving")["routes"]
        return routes[0]["duration"]["value"] // 60

    def weather(self, number: int, found: re.Match[str]) -> Any:
        path = {
            "degrees": "daily.apparent_temperature_max[0]",
            "millimetres": "daily.precipitation_sum[0]",
            "centimetres": "daily.snowfall_sum[0]",
            "seconds": "daily.sunshine_duration[0]",
        }[found[1]]
        day, place = iso(found[3]), self.point(self.values[int(found[2])])
        return self.json("weather_historical", **place, start_date=day, end_date=day, select=[path])[path]

    def people(self, number: int, found: re.Match[str]) -> Any:
        return self.json("countries_population", country=self.values[int(found[1])])["population"]

    def area(self, number: int, found: re.Match[str]) -> Any:
        return self.json("countries_area", country=self.values[int(found[1])])["area_km2"]

    def market(self, number: int, found: re.Match[str]) -> Any:
        kind = "stock" if found["what"] == "share" else "crypto"
        price = found["asks"].startswith("At which price")
        tool = f"{kind}_historical_price" if price else f"{kind}_volume"
        named = {"ticker" if kind == "stock" else "symbol": found["name"], "date": iso(found["day"])}
        return self.json(tool, **named)["close_price" if price else "volume"]

    # arithmetic

    def days(self, number: int, found: re.Match[str]) -> Any:
        from datetime import date

        first, second = (date.fromisoformat(iso(self.values[int(each)])) for each in found.groups())
        return abs((first - second).days)

    def convert(self, number: int, found: re.Match[str]) -> Any:
        return int(self.whole(found[1]) * float(found[2]))

    def add(self, number: int, found: re.Match[str]) -> Any:
        return self.whole(found[1]) + self.whole(found[2])

    def difference(self, number: int, found: re.Match[str]) -> Any:
        return abs(self.whole(found[1]) - self.whole(found[2]))

    def detour(self, number: int, found: re.Match[str]) -> Any:
        from labrig_suites.amazing_race.arithmetic import DO

        asked = found[1]
        clue = re.search(r"clue (\d+)", asked)
        assert clue is not None
        value = self.values[int(clue[1])]
        for start, name in DETOURS.items():
            if re.match(start, asked):
                return DO[name](value)
        raise Lost(asked)

    def finish(self, clue: str) -> tuple[int, int]:
        found = re.match(
            r"Take the (sum|difference|product) .*? clues ([\d, and]+\d).*The code is its (.*?)\.", clue
        )
        if not found:
            raise Lost(clue)
        numbers = [self.whole(each) for each in re.findall(r"\d+", found[2])]
        number = sum(numbers)
        if found[1] == "difference":
            number = abs(numbers[0] - numbers[1])
        elif found[1] == "product":
            number = numbers[0] * numbers[1]
        return (1 + (number - 1) % 9 if found[3] == "digital root" and number else number % 10), number


def hints_of(found: re.Match[str]) -> list[str]:
    """Return what a clue says of the infobox of a page."""
    return found["said"].partition(" whose infobox gives ")[2].split("; ")


def iso(text: str) -> str:
    """Return the day of a text as ISO."""
    found = re.search(rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{3,4}})", text)
    if found is None:
        raise Lost(text)
    return f"{int(found[3]):04d}-{MONTHS.index(found[2]) + 1:02d}-{int(found[1]):02d}"


DETOURS = {
    "the smallest prime number above": "next_prime",
    r"how many divisors .* has": "num_divisors",
    "the sum of the distinct prime": "sum_prime_factors",
    "the largest prime factor": "largest_prime_factor",
    r"how many letters .* Roman": "roman_numeral_letter_count",
    r"how many ones .* binary": "binary_1bit_count",
    r".* with its digits in reverse": "digit_reversal",
    "the digital root": "digital_root",
    "the sum of the digits": "digit_sum",
    "the weekday of 1 January": "day_of_week",
    "how many leap years": "leap_years_to_2000",
    "the Scrabble points": "scrabble_score",
    r"how many vowels": "vowel_count",
    "the place in the alphabet": "alpha_position_first_letter",
}
RIDDLE = r"(?P<said>the (?P<kind>[\w ]+) whose infobox gives .+)\. (?P<question>(?:What|Which|How) .*)"
ACTS: tuple[tuple[str, Callable[[Solver, int, re.Match[str]], Any]], ...] = (
    (r"Begin on the page at which the race starts\. (?P<question>.*)", Solver.begin),
    (r"Open the page of what clue (?P<clue>\d+) named\. (?P<question>.*)", Solver.open_named),
    (
        rf"From the page of clue (?P<clue>\d+), follow the link to {DESCRIBED}\. (?P<question>.*)",
        Solver.by_link,
    ),
    (rf"Find the page of {RIDDLE}", Solver.riddle),
    (
        rf"Of the pages to which the page of clue (?P<clue>\d+) links, open that of {RIDDLE}",
        Solver.riddle_of_links,
    ),
    (rf"Search for {DESCRIBED}, and open its page\. (?P<question>.*)", Solver.by_search),
    (r"How many metres above sea level do the maps put the place of clue (\d+)\?", Solver.elevation),
    (r"How many (\w+) do the maps list near the place of clue (\d+)\?", Solver.count),
    (r"Which rating do the maps give the first place .* clue (\d+)\?", Solver.rating),
    (
        r"How many kilometres is it by road from the place of clue (\d+) to the place of clue (\d+)\?",
        Solver.road,
    ),
    (r"How many whole minutes does the drive .* clue (\d+) to the place of clue (\d+) take\?", Solver.drive),
    (
        r"How many (degrees|millimetres|centimetres|seconds) .* at the place of clue (\d+) on (.*)\?",
        Solver.weather,
    ),
    (r"How many people live in the country of clue (\d+), .*\?", Solver.people),
    (r"How many square kilometres has the country of clue (\d+), .*\?", Solver.area),
    (
        r"(?P<asks>At which price did|How many were traded of|How much was traded of) the (?P<what>share|coin) "
        r"(?P<name>\S+)(?: close)? on (?P<day>.*)\?",
        Solver.market,
    ),
    (r"How many days lie between the day of clue (\d+) and the day of clue (\d+)\?", Solver.days),
    (r"Turn the result of clue (\d+) from .* \(times ([\d.]+)\)\.", Solver.convert),
    (r"Add the results of clues (\d+) and (\d+)\.", Solver.add),
    (
        r"What is the difference between the results of clues (\d+) and (\d+), without its sign\?",
        Solver.difference,
    ),
    (r"Find (?:out )?(.*)\.", Solver.detour),
)
