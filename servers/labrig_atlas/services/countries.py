"""Population and area of a country: REST Countries has names and codes, the World Bank figures and years.

https://restcountries.com and https://datahelpdesk.worldbank.org/knowledgebase/articles/889392. REST Countries states no
years, so its figures stand only where the World Bank has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from labrig.errors import Code, LabrigError
from labrig.http import Limit, Service
from labrig_atlas.facts import CountryFacts
from labrig_atlas.services.checks import checked_text
from labrig_atlas.services.inquiry import Inquiry
from labrig_atlas.services.provider import Provider, Reply
from labrig_atlas.services.values import Value

if TYPE_CHECKING:
    from labrig.http import Client

REST_COUNTRIES = Provider(
    Service(
        "rest_countries",
        "https://restcountries.com/v3.1",
        limit=Limit(per_second=2, concurrent=2),
        terms="https://gitlab.com/restcountries/restcountries",
    ),
    title="REST Countries",
    credit="compiled from public sources, MPL 2.0",
    homepage="https://restcountries.com",
    questions=("country",),
    at_most="2 requests/s",
)
WORLD_BANK = Provider(
    Service(
        "world_bank",
        "https://api.worldbank.org/v2",
        limit=Limit(per_second=2, concurrent=2),
        terms="https://www.worldbank.org/en/about/legal/terms-of-use-for-datasets",
    ),
    title="World Bank, World Development Indicators",
    credit="CC BY 4.0",
    homepage="https://data.worldbank.org",
    questions=("country",),
    at_most="2 requests/s",
)
POPULATION = "SP.POP.TOTL"
AREAS = ("AG.SRF.TOTL.K2", "AG.LND.TOTL.K2")
"""Surface area with inland waters, and land area, in km²: the first that the World Bank has."""
AREA_NAMES = {
    "AG.SRF.TOTL.K2": "surface area with inland waters",
    "AG.LND.TOTL.K2": "land area without inland waters",
}
WANTED = "name,cca2,cca3,altSpellings,capital,continents,currencies,population,area,borders"


@dataclass(frozen=True)
class Named:
    """A country as REST Countries has it; `area_km2` in km², without years."""

    name: str
    official: str
    other_names: tuple[str, ...]
    iso2: str
    iso3: str
    capital: str
    continent: str
    currency: tuple[str, str]
    population: int | None
    area_km2: float | None
    borders: tuple[str, ...]

    def answers_to(self, text: str) -> bool:
        """Tell whether a text is one of its names or codes, capitals ignored."""
        names = (self.name, self.official, self.iso2, self.iso3, *self.other_names)
        return text.casefold() in {each.casefold() for each in names}


@dataclass(frozen=True)
class Figure:
    """A value of an indicator, and its year."""

    value: float
    year: int
    name: str


def read_named(found: Value) -> Named:
    """Return one country of REST Countries."""
    currencies = found["currencies"].members() if "currencies" in found else {}
    code = next(iter(currencies), "")
    area = found["area"].number_or_none()
    return Named(
        name=found["name"]["common"].text(),
        official=found["name"]["official"].text(""),
        other_names=found["altSpellings"].texts(),
        iso2=found["cca2"].text(),
        iso3=found["cca3"].text(),
        capital=next(iter(found["capital"].texts()), ""),
        continent=next(iter(found["continents"].texts()), ""),
        currency=(code, found["currencies"][code]["name"].text("")) if code else ("", ""),
        population=found["population"].whole_or_none(),
        area_km2=area if area is not None and area >= 0 else None,
        borders=found["borders"].texts(),
    )


def read_figure(answer: Value) -> Figure | None:
    """Return the newest figure of an indicator; None where the World Bank has none.

    Raises
    ------
    LabrigError
        ``not_found`` or ``bad_input`` for its list with a message, which comes with HTTP 200.
    """
    if "message" in answer[0]:
        said = answer[0]["message"][0]
        text = f"{said['key'].text('')}: {said['value'].text('')}"
        code: Code = "not_found" if said["id"].text("") == "120" else "bad_input"
        raise LabrigError(f"The World Bank answers: {text}", where=answer.where, code=code)
    answer[0].members()
    if len(answer.elements()) < 2 or not answer[1].given:
        return None
    for row in answer[1]:
        if row["value"].given:
            year = row["date"].text()
            if not year.isdecimal():
                raise row["date"].odd("a year")
            return Figure(row["value"].number(), int(year), row["indicator"]["value"].text(""))
    return None


async def _named(inquiry: Inquiry, asked: str) -> Named:
    """Return the one country that a name or code means.

    Raises
    ------
    LabrigError
        ``not_found``; ``bad_input`` with the candidates where several answer to it.
    """
    found: list[Named] = []
    if asked.isascii() and asked.isalpha() and len(asked) in (2, 3):
        found = await _listed(inquiry, f"alpha/{asked}")
    found = found or await _listed(inquiry, f"name/{quote(asked, safe='')}")  # UK is no code, and a name
    if not found:
        raise LabrigError(
            f"REST Countries knows no country {asked!r}",
            where="country",
            expected="an English name, or an ISO 3166-1 code of two or three letters",
            code="not_found",
        )
    exact = [each for each in found if asked.casefold() in (each.name.casefold(), each.official.casefold())]
    exact = exact or [each for each in found if each.answers_to(asked)] or found
    if len(exact) > 1:
        names = ", ".join(f"{each.name} ({each.iso2})" for each in exact[:12])
        raise LabrigError(
            f"{len(exact)} countries answer to {asked!r}, in the order of REST Countries: {names}",
            where="country",
            try_="one of these names or codes",
        )
    return exact[0]


async def _listed(inquiry: Inquiry, path: str) -> list[Named]:
    answer = await inquiry.json(REST_COUNTRIES, path, params={"fields": WANTED}, accept={400, 404})
    if isinstance(answer.raw, list):
        return [read_named(each) for each in answer]
    if "cca2" in answer:
        return [read_named(answer)]
    if answer["status"].whole() not in (400, 404):
        raise answer.odd("a list of countries")
    return []


async def country(client: Client, name: str) -> Reply[CountryFacts]:
    """Return population and area (km²) of a country, given by English name or ISO 3166-1 code, each with its year.

    Raises
    ------
    LabrigError
        ``not_found``; ``bad_input`` with the candidates where several countries answer to the name.
    """
    asked = checked_text(name, "country")
    inquiry = Inquiry(client)
    named = await _named(inquiry, asked)
    population = await _figure(inquiry, named.iso2, POPULATION)
    area: Figure | None = None
    for indicator in AREAS:
        area = await _figure(inquiry, named.iso2, indicator)
        if area is not None:
            inquiry.notes.append(f"The area is the {AREA_NAMES[indicator]} ({indicator}).")
            break
    if population is None or area is None:
        inquiry.notes.append(
            "Where the World Bank has no figure, that of REST Countries stands, which states no year."
        )
    bank, rest = WORLD_BANK.source, REST_COUNTRIES.source
    facts = CountryFacts(
        name=named.name,
        iso2=named.iso2,
        iso3=named.iso3,
        capital=named.capital,
        continent=named.continent,
        currency_code=named.currency[0],
        currency_name=named.currency[1],
        population=round(population.value) if population else named.population,
        population_year=population.year if population else None,
        population_source=f"{bank} ({POPULATION})" if population else rest,
        area_km2=area.value if area else named.area_km2,
        area_year=area.year if area else None,
        area_source=bank if area else rest,
        neighbours=named.borders,
        source=f"{rest}; {bank}",
    )
    return inquiry.reply(facts)


async def _figure(inquiry: Inquiry, iso2: str, indicator: str) -> Figure | None:
    """Return the newest figure; None for a country that the World Bank does not know, such as Taiwan."""
    path = f"country/{quote(iso2, safe='')}/indicator/{indicator}"
    try:
        return read_figure(await inquiry.json(WORLD_BANK, path, params={"format": "json", "mrnev": 1}))
    except LabrigError as error:
        if error.code == "not_found":
            return None
        raise
