"""What is wrong with the truths of the published legs, with reasons.

``python -m labrig_suites.amazing_race.audit CLONE`` prints ``published_audit.csv``: a row for each stop and fault, with
whether the digit needs the stop, what the leg says, the right value where it is known, and who says so.

======================= ==============================================================================================
another country         population or area of a country: the table has more than twice as much, or less than half
another value           a detour, a merge or the finish line gives something else for the input that the leg names
operand of another clue the finish line combines the values of other stops than those that it names
no year                 the weekday of 1 January, or leap years, of a number that is no year
no number of people     a population that is no whole number
no place                an event, a law, an office or a topic is looked up on a map
unknown place           the gazetteer has no place of the name, no address ends in one, and its page has no coordinates:
                        maps then answer with a shop of that name, or the middle of the country (78 names of the
                        release, from "slavery in the United States" on, are 3,236.2 m high)
garbled place           what is looked up holds marks of a page: links, templates, brackets that nothing opens
no rating               a rating of 0: the maps have none
day not said            days are counted to the day on which the leg was made, which its riddle does not say
adjusted price          a closing price lowered by the dividends paid since: it changes with each one
======================= ==============================================================================================

The flags of `labrig_suites.amazing_race.lint` that touch a truth are rows too.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig_suites.amazing_race.closure import inputs, matching, matter, texts_of
from labrig_suites.amazing_race.legs import Leg, Stop, published_id, read_leg
from labrig_suites.amazing_race.lint import GIVEN, WRONG, lint
from labrig_suites.amazing_race.making.detours import BY_NAME, digital_root
from labrig_suites.amazing_race.pages import title_of
from labrig_suites.amazing_race.values import number

Figure = Callable[[str, str], tuple[float, str] | None]
"""Population or area of a country, and who says so; None where it is unknown."""
IsPlace = Callable[[str], bool]
Fault = tuple[str, str, str, str]
"""Kind, what the leg says, what is right, who says so."""
APART = 2.0
MAPS = ("maps_geocode", "maps_search_places", "maps_directions")
_TOPIC = re.compile(
    r"^(?:\d{4}|history|culture|economy|politics|government|foreign policy|geography|demographics|religion|list|outline"
    r"|president|prime minister|constitution|music|languages?|education|women|law|tourism"
    r"|transport(?:ation)?)\b(?! (?:hall|house))"
    r"|\b(?:elections?|referendum|act|treaty|agreement|crisis|protests?|invasion|war|campaign|revolution|reformation|crash"
    r"|accident|pandemic|games|olympics|championships?|cup|season|airlines?|airways|party|policy|language|cuisine|day)$"
    r"|\b(?:election|act) (?:of|in)\b|\bact \d{4}$|^battle of\b",
    re.IGNORECASE,
)
_GARBLED = re.compile(r"&params=|geohack|\]\(|wikipedia\.org|region:[A-Z]|_type:|^[^(]*\)|\\u|\"\)")
_EXPRESSION = re.compile(r"(?:abs|digital_root)?[\s\d()+*%-]+")
MOST_EXPRESSION = 300
"""Characters: products of so many digits are small numbers still."""
_YEAR = re.compile(r"\byears?\b|\bfounded\b|\bdate\b|\bbuilt\b|\bestablish", re.IGNORECASE)
_OF_YEARS = ("day_of_week", "leap_years_to_2000")


@dataclass(frozen=True)
class Row:
    """Something wrong with a stop of a leg; `needed` says whether the digit depends on it."""

    leg: str
    stop: int
    kind: str
    needed: bool
    said: str
    right: str = ""
    source: str = ""


def audit(leg: Leg, figure: Figure | None = None, is_place: IsPlace | None = None) -> list[Row]:
    """Return what is wrong with the truths of a leg, in the order of its stops.

    Parameters
    ----------
    figure, is_place
        What tables say; None where they are not asked.
    """
    used = matter(leg)
    found = [
        (leg.finish.index if flag.stop is None else flag.stop, flag.name, flag.what, "", "the leg itself")
        for flag in lint(leg)
        if flag.name in (*WRONG, *GIVEN)
    ]
    for stop in leg.stops:
        for told in (
            _another_value(leg, stop),
            _wrong_value(leg, stop, figure),
            _no_place(leg, stop, is_place),
        ):
            found += [(stop.index, *each) for each in told]
    rows = {Row(published_id(leg), stop, kind, stop in used, *rest) for stop, kind, *rest in found}
    rows = {row for row in rows if row.needed or row.kind != "unknown place"}  # 2,627 of others tell nothing
    return sorted(rows, key=astuple)


def _wrong_value(leg: Leg, stop: Stop, figure: Figure | None) -> Iterator[Fault]:
    value = number(stop.extracted_value)
    for step in stop.bridge.tool_chain:
        if step.tool_name in ("countries_population", "countries_area") and value and figure is not None:
            what, country = step.tool_name.partition("_")[2], str(step.arguments.get("country"))
            known = figure(what, country)
            if known is not None and not 1 / APART < value / known[0] < APART:
                yield "another country", f"{what} of {country}: {value:.12g}", f"{known[0]:.12g}", known[1]
        if step.tool_name == "stock_historical_price":
            said = f"{step.arguments.get('ticker')} on {step.arguments.get('date')}: {stop.extracted_value}"
            yield "adjusted price", said, "", "stock_server.py: history() of yfinance adjusts by default"
        if step.output_key == "place_rating" and value == 0:
            yield "no rating", stop.extraction_target[:80], "", "the value"
        last = re.search(r"and (20\d\d)-\d\d-\d\d$", stop.extraction_target)
        if step.output_key == "days" and last and last[1] not in leg.riddle:
            yield "day not said", stop.extraction_target[-70:], "", "the riddle"
    peopled = re.match(r"the (?:total )?population\b", stop.extraction_target)
    if stop.stop_type == "page" and peopled and value is not None and value != int(value):
        yield "no number of people", f"{stop.extraction_target[:60]}: {stop.extracted_value}", "", "the value"


def _no_place(leg: Leg, stop: Stop, is_place: IsPlace | None) -> Iterator[Fault]:
    page = title_of(stop.page_url or "").replace("_", " ")
    located = any(
        each.page_url == stop.page_url and "coordinates" in each.extraction_target.lower()
        for each in leg.of_type("page")
    )
    for step in stop.bridge.tool_chain if stop.stop_type == "tool" else ():
        for text in texts_of(step.arguments) if step.tool_name in MAPS else ():
            asked = re.sub(r"^.* near ", "", text)
            if _GARBLED.search(asked):
                yield "garbled place", asked[:80], "", "the leg itself"
            elif _TOPIC.search(asked) and asked in (page, page.partition(" (")[0]):
                yield "no place", asked[:80], "", "the title of the page"
            elif is_place is not None and not (is_place(asked) or (located and asked in page)):
                yield "unknown place", asked[:80], "", "GeoNames cities, countries and divisions"


def _another_value(leg: Leg, stop: Stop) -> Iterator[Fault]:
    if stop.stop_type == "reason" and stop.reason_transform in BY_NAME:
        detour, source = BY_NAME[stop.reason_transform], leg.stops[stop.reason_source_stop or 0]
        try:
            right = detour.apply(source.extracted_value)
        except (ValueError, TypeError, ArithmeticError, LookupError, StopIteration):
            return
        if right != number(stop.extracted_value):
            said = f"{detour.name} of {source.extracted_value}: {stop.extracted_value}"
            yield "another value", said[:120], str(right), "computed"
        if detour.name in _OF_YEARS and not _YEAR.search(source.extraction_target):
            yield "no year", f"{source.extraction_target[:70]}: {source.extracted_value}", "", "the clue"
    for step in stop.bridge.tool_chain:
        merged = re.search(
            r"result = (abs\()?int\((-?[\d.]+)\) ([+-]) int\((-?[\d.]+)\)", str(step.arguments)
        )
        if merged:
            sign = -1 if merged[3] == "-" else 1
            whole = int(float(merged[2])) + sign * int(float(merged[4]))
            right = abs(whole) if merged[1] else whole
            if right != number(stop.extracted_value):
                yield "another value", f"{merged[0]}: {stop.extracted_value}", str(right), "computed"
    if stop.stop_type == "compute":
        text = stop.bridge.expression or ""
        digit = _value_of(text)
        if digit is not None and digit != leg.passcode:
            yield "another value", f"{text}: {leg.passcode}", str(digit), "computed"
        others = {place for _, place in matching(leg) if place is not None} - {*stop.bridge.referenced_stops}
        if others and inputs(leg, stop):
            yield (
                "operand of another clue",
                f"{text}, of stops {stop.bridge.referenced_stops}",
                str(sorted(others)),
                "the values",
            )


def _value_of(text: str) -> int | None:
    """Return the value of an expression of whole numbers and + - * %; None for any other text.

    >>> _value_of("abs(2007 - 3) % 10"), _value_of("9**9**9"), _value_of("(1"), _value_of("7 % 0")
    (4, None, None, None)
    """
    if len(text) > MOST_EXPRESSION or "**" in text.replace(" ", "") or not _EXPRESSION.fullmatch(text):
        return None
    try:
        return int(eval(text, {"__builtins__": {}, "abs": abs, "digital_root": digital_root}))  # noqa: S307 - digits and signs
    except (SyntaxError, TypeError, ValueError, ArithmeticError, RecursionError):
        return None


@cache
def published() -> tuple[Row, ...]:
    """Return the rows of the published legs."""
    with (files("labrig_suites.amazing_race") / "published_audit.csv").open(encoding="utf-8") as file:
        _, *rows = csv.reader(file)
    return tuple(Row(leg, int(stop), kind, needed == "yes", *rest) for leg, stop, kind, needed, *rest in rows)


def is_clean(leg: Leg) -> bool:
    """Return whether nothing is wrong on the way to the digit, by the published rows and by the audit of the leg."""
    told = published_id(leg) in {row.leg for row in published() if row.needed}
    return not told and not any(row.needed for row in audit(leg))


def bundled_tables() -> tuple[Figure, IsPlace]:
    """Return what the bundled tables say of countries and of names of places."""
    from labrig_atlas.offline.countries import country_facts
    from labrig_atlas.offline.geocoding import geocode
    from labrig_atlas.world.database import open_world

    @cache
    def figure(what: str, country: str) -> tuple[float, str] | None:
        short = re.sub(r"^(?:kingdom|people's republic) of (?:the )?", "", country, flags=re.IGNORECASE)
        with open_world("earth") as world:
            for name in (country, short):
                try:
                    facts = country_facts(world, name)
                except LabrigError:
                    continue
                if what == "population":
                    return (facts.population, facts.population_source) if facts.population else None
                return (facts.area_km2, facts.area_source) if facts.area_km2 else None
        return None

    @cache
    def is_place(text: str) -> bool:
        """Tell whether a text, or the last two parts of an address or the last but the country, is a known place."""
        parts = [each.strip() for each in text.rstrip(".").split(",")]
        with open_world("earth") as world:
            for asked in (
                text,
                ", ".join(parts[-2:]),
                ", ".join(parts[-3:-1]),
                parts[-2] if parts[1:] else "",
            ):
                try:
                    geocode(world, asked.replace("U.S.", "United States"))
                except LabrigError:
                    continue
                return True
        return False

    return figure, is_place


def write(rows: list[Row], to: Any) -> None:
    """Write rows as CSV."""
    table = csv.writer(to, lineterminator="\n")
    table.writerow(field.name for field in fields(Row))
    for row in rows:
        table.writerow("yes" if each is True else "no" if each is False else each for each in astuple(row))


def main() -> None:
    """Print the rows of a clone of the release."""
    from labrig_suites.amazing_race.items import released_rows

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("clone", type=Path, help="a clone of the release")
    legs = [read_leg(row) for row in released_rows(parser.parse_args().clone)]
    tables = bundled_tables()
    write([row for leg in legs for row in audit(leg, *tables)], sys.stdout)


if __name__ == "__main__":
    main()
