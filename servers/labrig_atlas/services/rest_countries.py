"""REST Countries, version 5: a country by name or code, with figures that have no year. https://restcountries.com/docs

Versions 1 to 4, which needed no key, were shut down in June 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labrig.errors import LabrigError
from labrig.http import Key, Limit, Service
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
        "https://api.restcountries.com/countries/v5",
        limit=Limit(per_second=2, concurrent=2),
        key=Key(
            "atlas",
            "rest_countries_key",
            header="Authorization",
            prefix="Bearer ",
            get_it="https://restcountries.com/sign-up",
        ),
        terms="https://restcountries.com/terms",
    ),
    title="REST Countries",
    credit="compiled from public sources, under its terms",
    homepage="https://restcountries.com",
    questions=("country",),
    at_most="2 requests/s; a monthly quota by plan",
)
KEYLESS = "the backend open, the World Bank, which needs no key"
WANTED = "names,codes,capitals,continents,currencies,population,area,borders"


def read_country(found: Value) -> CountryFacts:
    """Return one country; population and area (km²) have no year."""
    currency, capitals = found["currencies"][0], found.each("capitals")
    first = [
        each for each in capitals if each["attributes"]["primary"].raw is True
    ]  # of South Africa's three
    population, area = found["population"].whole_or_none(), found["area"]["kilometers"].number_or_none()
    source = REST_COUNTRIES.source
    return CountryFacts(
        name=found["names"]["common"].text(),
        iso2=found["codes"]["alpha_2"].text(),
        iso3=found["codes"]["alpha_3"].text(),
        capital=next((each["name"].text("") for each in (*first, *capitals)), ""),
        continent=next(iter(found["continents"].texts()), ""),
        currency_code=currency["code"].text(""),
        currency_name=currency["name"].text(""),
        population=population,
        population_year=None,
        population_source=source if population is not None else "",
        area_km2=area,
        area_year=None,
        area_source=source if area is not None else "",
        neighbours=found["borders"].texts(),
        source=source,
    )


def names_of(found: Value) -> set[str]:
    """Return all names and codes of a country, small."""
    names, codes = found["names"], found["codes"]
    said = (names["common"].text(), names["official"].text(""), *names["alternates"].texts())
    return {each.casefold() for each in (*said, codes["alpha_2"].text(""), codes["alpha_3"].text(""))}


async def country(client: Client, name: str) -> Reply[CountryFacts]:
    """Return population and area (km²) of a country, given by English name or ISO 3166-1 code, without years.

    Raises
    ------
    LabrigError
        ``unavailable`` without its key, ``not_found``, ``bad_input`` with the candidates where several countries answer
        to the name.
    """
    asked = checked_text(name, "country")
    inquiry = Inquiry(client)
    found: list[Value] = []
    if asked.isascii() and asked.isalpha() and len(asked) in (2, 3):
        found = await _listed(inquiry, f"codes.alpha_{len(asked)}/{asked.upper()}")
    if not found:  # UK is a name, and no code
        found = await _listed(inquiry, "name", q=asked)
    exact = [each for each in found if asked.casefold() == each["names"]["common"].text().casefold()]
    exact = exact or [each for each in found if asked.casefold() in names_of(each)] or found
    if not exact:
        raise LabrigError(
            f"REST Countries knows no country {asked!r}",
            where="country",
            expected="an English name, or an ISO 3166-1 code of two or three letters",
            code="not_found",
        )
    if len(exact) > 1:
        shown = [read_country(each) for each in exact[:12]]
        raise LabrigError(
            f"{len(exact)} countries answer to {asked!r}, in the order of REST Countries",
            where="country",
            expected=" or ".join(f"{each.name} ({each.iso3})" for each in shown),
        )
    inquiry.notes.append("REST Countries states no year of its figures.")
    return inquiry.reply(read_country(exact[0]))


async def _listed(inquiry: Inquiry, path: str, **more: object) -> list[Value]:
    params = {**more, "response_fields": WANTED, "limit": 25}
    try:
        answer = await inquiry.json(REST_COUNTRIES, path, params=params, keyless=KEYLESS)
    except LabrigError as error:
        if error.code != "not_found":
            raise
        return []
    return list(answer["data"]["objects"])
