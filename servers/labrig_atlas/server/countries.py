"""Countries: each figure with its source and year."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from labrig.answer import Answer, Quantity
from labrig_atlas.server.answers import answer
from labrig_atlas.server.base import atlas, toolbox


@toolbox.tool(
    title="Facts on a country",
    read_only=True,
    words="countries, capital city, population, currency, area, size, bordering countries, borders, neighbours, "
    "continent, region, languages, ISO code, GDP",
)
async def get_country_facts(
    country: Annotated[str, Field(description="Name, or ISO 3166-1 code of two or three letters.")],
) -> Answer:
    """Get population and area of a country with source and year, capital, currency, continent, neighbours.

    It tells capital, currency, languages, inhabitants, neighbours; for countries of a continent (South America,
    Africa, ..) ask for one after the other.

    Example: {"country": "Germany"}
    """
    told = await atlas().ask("country", country)
    facts = told.facts
    values = (
        Quantity("population", facts.population, "1", _from(facts.population_year, facts.population_source)),
        Quantity("area", facts.area_km2, "km2", _from(facts.area_year, facts.area_source)),
    )
    return answer(
        told,
        values,
        text=facts.name,
        data={
            "iso2": facts.iso2,
            "iso3": facts.iso3,
            "capital": facts.capital,
            "continent": facts.continent,
            "currency": f"{facts.currency_name} ({facts.currency_code})",
            "neighbours": list(facts.neighbours),
        },
    )


def _from(year: int | None, source: str) -> str:
    return source if year is None or str(year) in source else f"{source}, {year}"
