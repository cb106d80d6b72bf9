"""What articles say about places: a point, an elevation, inhabitants, a country.

An elevation is taken where the infobox has it under `ELEVATION`; a building's height or the highest point of an island
is not the elevation of its point.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from labrig_atlas.articles import Article, shown
from labrig_atlas.world.names import fold

ELEVATION = ("Elevation", "Surface elevation")
_NUMBER = r"([-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?)"
_METRES = re.compile(_NUMBER + r"\s*(?:m|metres)\b(?![²³/])")
_PEOPLE = re.compile(r"^(?:about |c\. )?" + _NUMBER)


@dataclass(frozen=True)
class Landmark:
    """A place that an article is about: degrees WGS 84, metres above sea level, ISO 3166-1 alpha-2 or empty."""

    title: str
    names: tuple[str, ...]
    kind: str
    latitude: float
    longitude: float
    elevation_m: float | None
    population: int | None
    country: str
    sources: tuple[str, ...]


def landmarks(articles: Iterable[Article], countries: Mapping[str, str]) -> list[Landmark]:
    """Return the articles that have a point, as landmarks in their order.

    Parameters
    ----------
    countries
        ISO code by the folded name of a country.
    """
    return [
        Landmark(
            article.title,
            tuple(article.aliases),
            article.kind,
            article.coordinates[0],
            article.coordinates[1],
            elevation_of(article),
            population_of(article),
            country_of(article, countries),
            tuple(article.sources),
        )
        for article in articles
        if article.coordinates is not None
    ]


def elevation_of(article: Article) -> float | None:
    """Return the elevation that an infobox gives in metres; None where it gives none."""
    for label in ELEVATION:
        if found := _METRES.search(shown(article.infobox.get(label, ""))):
            return number_of(found[1])
    return None


def population_of(article: Article) -> int | None:
    """Return the inhabitants that an infobox gives; None where it gives none."""
    found = _PEOPLE.match(shown(article.infobox.get("Population", "")).strip())
    return int(number_of(found[1])) if found else None


def country_of(article: Article, countries: Mapping[str, str]) -> str:
    """Return the ISO code of the country that an infobox names; empty for none or several."""
    return countries.get(fold(shown(article.infobox.get("Country", ""))), "")


def number_of(text: str) -> float:
    """Return a number with commas for thousands."""
    return float(text.replace(",", "").replace("−", "-"))
