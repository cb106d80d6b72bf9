"""Facts on countries, each figure with the table and the year that it is from."""

from __future__ import annotations

from labrig.errors import LabrigError, nearest
from labrig_atlas.facts import CountryFacts
from labrig_atlas.offline.places import country_names
from labrig_atlas.world import sources
from labrig_atlas.world.database import World
from labrig_atlas.world.names import fold


def country_facts(world: World, country: str) -> CountryFacts:
    """Return population, area, capital, currency, continent and neighbours of a country.

    Parameters
    ----------
    country
        Its name or another name that it has, with or without ``the``, or its ISO 3166-1 code of two or three letters.

    Raises
    ------
    LabrigError
        ``bad_input`` for no name, or one of several countries; ``not_found`` with near names, and for a place that is
        no country with the country that it is in.
    """
    folded = fold(country[:200])
    folded = folded.removeprefix("the ")
    if not folded:
        raise LabrigError(
            "A country is asked for by its name", where="country", expected="a name or an ISO code"
        )
    codes = sorted(row[0] for row in world.ask("SELECT iso2 FROM country_name WHERE fold = ?", folded))
    names = country_names(world)
    if len(codes) > 1:
        raise LabrigError(
            f"{country!r} is a name of several countries",
            where="country",
            expected=" or ".join(f"{names[code]} ({code})" for code in codes),
        )
    if not codes:
        raise _unknown(world, country, folded)
    row = world.ask("SELECT * FROM country WHERE iso2 = ?", codes[0])[0]
    iso2, iso3, name, capital, continent, currency, currency_name, population, year, area, neighbours = row
    made_up = world.fictional
    own = world.meta.get("source", sources.COUNTRIES)
    return CountryFacts(
        name=name,
        iso2=iso2,
        iso3=iso3,
        capital=capital,
        continent=continent,
        currency_code=currency,
        currency_name=currency_name,
        population=population,
        population_year=year,
        population_source=own
        if made_up
        else f"{sources.BANK}, {year}"
        if year
        else f"{own}; no year is stated",
        area_km2=area,
        area_year=None,
        area_source=own if made_up else f"{own}; no year is stated",
        neighbours=tuple(names[code] for code in neighbours.split("|") if code in names),
        source=own,
        made_up=made_up,
    )


def _unknown(world: World, country: str, folded: str) -> LabrigError:
    places = world.ask(
        "SELECT place.country FROM name JOIN place ON place.id = name.place WHERE name.fold = ? "
        "AND place.country != '' ORDER BY place.population DESC LIMIT 1",
        folded,
    )
    names = country_names(world)
    if places and places[0][0] in names:
        tried = f"{names[places[0][0]]}, the country of the place of that name"
    else:
        close = nearest(country, names.values())
        tried = "did you mean " + " or ".join(close) + "?" if close else ""
    return LabrigError(
        f"There is no country named {country!r}",
        where="country",
        expected="a country of today, by name or ISO 3166-1 code",
        try_=tried,
        code="not_found",
    )
