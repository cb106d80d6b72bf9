"""The World Bank: population and area of a country, each with its year.

https://datahelpdesk.worldbank.org/knowledgebase/articles/889392. It has its own list of countries, by whose names and
ISO 3166-1 codes a country is found; Taiwan is not among them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from labrig.errors import Code, LabrigError, nearest
from labrig.http import Limit, Service
from labrig_atlas.facts import CountryFacts
from labrig_atlas.services.checks import checked_text
from labrig_atlas.services.inquiry import Inquiry
from labrig_atlas.services.provider import Provider, Reply
from labrig_atlas.services.values import Value
from labrig_atlas.world.names import fold

if TYPE_CHECKING:
    from labrig.http import Client

WORLD_BANK = Provider(
    Service(
        "world_bank",
        "https://api.worldbank.org/v2",
        limit=Limit(per_second=5, concurrent=2),
        terms="https://www.worldbank.org/en/about/legal/terms-of-use-for-datasets",
    ),
    title="World Bank, World Development Indicators",
    credit="CC BY 4.0",
    homepage="https://data.worldbank.org",
    questions=("country",),
    at_most="5 requests/s",
)
POPULATION = "SP.POP.TOTL"
AREAS = {
    "AG.SRF.TOTL.K2": "surface area with inland waters",
    "AG.LND.TOTL.K2": "land area without inland waters",
}
"""Areas in km²; the first that the World Bank has is taken."""
OTHER_NAMES = {
    "america": "US",
    "brunei": "BN",
    "burma": "MM",
    "cape verde": "CV",
    "czech republic": "CZ",
    "democratic republic of congo": "CD",
    "democratic republic of the congo": "CD",
    "dr congo": "CD",
    "drc": "CD",
    "east timor": "TL",
    "great britain": "GB",
    "hong kong": "HK",
    "ivory coast": "CI",
    "kyrgyzstan": "KG",
    "laos": "LA",
    "macao": "MO",
    "macau": "MO",
    "macedonia": "MK",
    "north korea": "KP",
    "palestine": "PS",
    "republic of korea": "KR",
    "republic of the congo": "CG",
    "russia": "RU",
    "saint kitts and nevis": "KN",
    "saint lucia": "LC",
    "saint vincent and the grenadines": "VC",
    "slovakia": "SK",
    "south korea": "KR",
    "state of palestine": "PS",
    "swaziland": "SZ",
    "syria": "SY",
    "turkey": "TR",
    "uae": "AE",
    "uk": "GB",
    "united states of america": "US",
    "us virgin islands": "VI",
    "vietnam": "VN",
}
"""English names that are not those of the World Bank, folded."""


@dataclass(frozen=True)
class Listed:
    """A country of the World Bank's list."""

    name: str
    iso2: str
    iso3: str
    capital: str


@dataclass(frozen=True)
class Figure:
    """A value of an indicator, and its year."""

    value: float
    year: int


def read_countries(answer: Value) -> list[Listed]:
    """Return the list of countries; what the World Bank calls aggregates (regions, incomes) is left out."""
    raise_message(answer)
    return [
        Listed(each["name"].text(), each["iso2Code"].text(), each["id"].text(), each["capitalCity"].text(""))
        for each in answer[1]
        if each["region"]["value"].text("") != "Aggregates"
    ]


def raise_message(answer: Value) -> None:
    """Raise what the World Bank says in a list with a message, which comes with HTTP 200.

    Raises
    ------
    LabrigError
        ``not_found`` for 120, an unknown value; else ``bad_input``.
    """
    answer[0].members()
    if "message" in answer[0]:
        said = answer[0]["message"][0]
        code: Code = "not_found" if said["id"].text("") == "120" else "bad_input"
        text = f"{said['key'].text('')}: {said['value'].text('')}"
        raise LabrigError(f"The World Bank answers: {text}", where=answer.where, code=code)


def read_figure(answer: Value) -> Figure | None:
    """Return the newest figure of an indicator; None where there is none."""
    raise_message(answer)
    for row in answer[1] if answer[1].given else ():
        if row["value"].given:
            year = row["date"].text()
            if not (year.isdecimal() and len(year) == 4):
                raise row["date"].odd("a year")
            return Figure(row["value"].number(), int(year))
    return None


def matching(countries: Sequence[Listed], asked: str) -> list[Listed]:
    """Return the countries that a name or code may mean: by code, by name, else by what stands before comma or bracket.

    The World Bank writes ``Egypt, Arab Rep.`` and ``Puerto Rico (US)``, others ``Iran (Islamic Republic of)``.

    Examples
    --------
    >>> congos = [Listed("Congo, Dem. Rep.", "CD", "COD", ""), Listed("Congo, Rep.", "CG", "COG", "")]
    >>> [each.iso2 for each in matching(congos, "Congo")], [each.iso2 for each in matching(congos, "cog")]
    (['CD', 'CG'], ['CG'])
    """
    text = fold(asked).removeprefix("the ")
    code = OTHER_NAMES.get(text, text.upper())
    return (
        [each for each in countries if code in (each.iso2, each.iso3)]
        or [each for each in countries if fold(each.name) == text]
        or [each for each in countries if _before(each.name) == _before(asked).removeprefix("the ")]
    )


def _before(name: str) -> str:
    return fold(re.split(r"[,(]", name)[0])


async def country(client: Client, name: str) -> Reply[CountryFacts]:
    """Return population and area (km²) of a country, given by English name or ISO 3166-1 code, each with its year.

    Raises
    ------
    LabrigError
        ``not_found`` with near names; ``bad_input`` with the candidates where several countries answer to the name.
    """
    asked = checked_text(name, "country")
    inquiry = Inquiry(client)
    countries = read_countries(
        await inquiry.json(WORLD_BANK, "country", params={"format": "json", "per_page": 400})
    )
    found = matching(countries, asked)
    if len(found) != 1:
        raise _unclear(asked, found, countries)
    (one,) = found
    population = await _figure(inquiry, one, POPULATION)
    area: Figure | None = None
    kind = ""
    for kind in AREAS:
        if (area := await _figure(inquiry, one, kind)) is not None:
            break
    if area is not None:
        inquiry.notes.append(f"The area is the {AREAS[kind]}.")
    inquiry.notes.append("The World Bank tells neither currency, continent nor neighbours.")
    source = WORLD_BANK.source
    facts = CountryFacts(
        name=one.name,
        iso2=one.iso2,
        iso3=one.iso3,
        capital=one.capital,
        continent="",
        currency_code="",
        currency_name="",
        population=round(population.value) if population else None,
        population_year=population.year if population else None,
        population_source=f"{source} ({POPULATION})" if population else "",
        area_km2=area.value if area else None,
        area_year=area.year if area else None,
        area_source=f"{source} ({kind})" if area else "",
        neighbours=(),
        source=source,
    )
    return inquiry.reply(facts)


async def _figure(inquiry: Inquiry, one: Listed, indicator: str) -> Figure | None:
    path = f"country/{quote(one.iso3, safe='')}/indicator/{indicator}"
    return read_figure(await inquiry.json(WORLD_BANK, path, params={"format": "json", "mrnev": 1}))


def _unclear(asked: str, found: Sequence[Listed], countries: Sequence[Listed]) -> LabrigError:
    if found:
        return LabrigError(
            f"{asked!r} is a name of several countries",
            where="country",
            expected=" or ".join(f"{each.name} ({each.iso3})" for each in found[:12]),
        )
    close = nearest(asked, (each.name for each in countries))
    return LabrigError(
        f"The World Bank has no country {asked!r}",
        where="country",
        expected="an English name, or an ISO 3166-1 code of two or three letters",
        try_="did you mean " + " or ".join(close) + "?"
        if close
        else "the backend rest_countries, or offline",
        code="not_found",
    )
