"""The polygon of a country, continent or subregion by its name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from labrig.errors import LabrigError, unknown_name
from labrig.folding import without_accents
from labrig_earth.natural_earth.shapes import SEAS, SOURCE, Country, Scale, countries

Kind = Literal["country", "continent", "subregion"]
KINDS: tuple[Kind, ...] = ("country", "continent", "subregion")

_ALSO = {  # names in use that the attributes of Natural Earth lack
    "north macedonia": "MKD",
    "turkiye": "TUR",
    "swaziland": "SWZ",
    "cape verde": "CPV",
    "burma": "MMR",
    "ivory coast": "CIV",
    "east timor": "TLS",
    "great britain": "GBR",
    "holland": "NLD",
    "america": "USA",
}
_FAR_DEGREES = 15.0


@dataclass(frozen=True)
class Region:
    """A region with a name.

    Attributes
    ----------
    name, kind
        As Natural Earth has it.
    geometry
        shapely polygon or multi-polygon in degrees on WGS 84 (lon, lat), cut at the antimeridian.
    scale, source
        Of the shape.
    notes
        What to mind before using it: parts beyond the sea, another region of the same name.
    """

    name: str
    kind: Kind
    geometry: Any
    scale: Scale
    source: str = SOURCE
    notes: tuple[str, ...] = ()

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """(west, south, east, north) in degrees; west is greater than east where it lies across the antimeridian."""
        return narrow_bounds(self.geometry)


def resolve_region(name: str, *, kind: str = "", scale: Scale = "50m", main_part: bool = False) -> Region:
    """Return a country, continent or subregion.

    Parameters
    ----------
    name
        In any case, with or without accents; a country also by its ISO 3166-1 code, in capitals.
    kind
        ``country``, ``continent`` or ``subregion``; by default the first of these that has the name.
    main_part
        Only the largest part with those near it: France without French Guiana.

    Raises
    ------
    LabrigError
        ``not_found`` with the nearest names; ``bad_input`` for another kind.
    """
    if kind and kind not in KINDS:
        raise unknown_name("kind", kind, KINDS, where="kind")
    found = [each for each in _candidates(name, scale) if not kind or each.kind == kind]
    if not found:
        known = sorted(
            {each for one in (kind,) if one for each in region_names(one, scale)} or _all_names(scale)
        )
        raise unknown_name("region", name, known, where="Natural Earth")
    region = found[0]
    notes = [f"there is also the {other.kind} {other.name}" for other in found[1:]]
    near, far, share = _parted(region.geometry)
    if far and main_part:
        region = Region(region.name, region.kind, near, scale)
        notes.append(f"without {far} parts that lie more than {_FAR_DEGREES:g} degrees from the main one")
    elif far and region.kind == "country":
        notes.append(
            f"{far} of its parts, {share:.1%} of its area in square degrees, lie more than {_FAR_DEGREES:g} degrees "
            "from the main one"
        )
    return Region(region.name, region.kind, region.geometry, scale, notes=tuple(notes))


def region_names(kind: str = "country", scale: Scale = "50m") -> tuple[str, ...]:
    """Return the names of all regions of a kind, sorted."""
    if kind == "country":
        return tuple(each.name for each in countries(scale))
    return tuple(
        sorted(
            {each.continent if kind == "continent" else each.subregion for each in countries(scale)}
            - {SEAS, ""}
        )
    )


def _candidates(name: str, scale: Scale) -> Iterator[Region]:
    """Yield the regions of a name: countries, then continents, then subregions."""
    wanted = _folded(name)
    if not wanted:
        raise LabrigError(
            "A region needs a name", where="region", expected="such as Kenya, Europe or Southern Asia"
        )
    everyone = countries(scale)
    for country in everyone:
        if _is_called(country, name.strip(), wanted):
            yield Region(country.name, "country", country.geometry, scale)
    from shapely import union_all

    for kind in KINDS[1:]:
        for full in region_names(kind, scale):
            if _folded(full) == wanted:
                parts = [each.geometry for each in everyone if getattr(each, kind) == full]
                yield Region(full, kind, union_all(parts), scale)


def _is_called(country: Country, given: str, folded: str) -> bool:
    if given.isupper() and given in (country.iso_a2, country.iso_a3):
        return True
    return folded in _names_of(country) or (bool(country.iso_a3) and _ALSO.get(folded) == country.iso_a3)


def _names_of(country: Country) -> set[str]:
    return {_folded(each) for each in (country.name, country.long_name, *country.names)}


def _all_names(scale: Scale) -> set[str]:
    names = {each.name for each in countries(scale)} | {each.long_name for each in countries(scale)}
    return names.union(region_names("continent", scale), region_names("subregion", scale))


def _folded(name: str) -> str:
    """Return a name without case, accents, points and a leading article."""
    plain = without_accents(name).casefold().replace(".", "").replace("&", " and ")
    words = plain.replace("-", " ").replace(",", " ").split()
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words)


def _parted(geometry: Any) -> tuple[Any, int, float]:
    """Return the largest part with those near it, how many others there are, and their share of the area."""
    from shapely import MultiPolygon

    parts = [each for each in getattr(geometry, "geoms", [geometry]) if each.area]
    main = max(parts, key=lambda each: each.area)
    shifted = _across(main)
    near = [each for each in parts if min(each.distance(one) for one in shifted) <= _FAR_DEGREES]
    far = len(parts) - len(near)
    area = sum(each.area for each in parts)
    return MultiPolygon(near), far, (area - sum(each.area for each in near)) / area


def _across(polygon: Any) -> tuple[Any, ...]:
    """Return a polygon as it is seen from both sides of the antimeridian."""
    from shapely.affinity import translate

    return polygon, translate(polygon, 360), translate(polygon, -360)


def narrow_bounds(geometry: Any) -> tuple[float, float, float, float]:
    """Return (west, south, east, north) of what a geometry spans, across the antimeridian where that is narrower.

    Parameters
    ----------
    geometry
        shapely geometry in degrees, longitudes from -180 to 180, cut at the antimeridian.
    """
    west, south, east, north = geometry.bounds
    spans = sorted((each.bounds[0], each.bounds[2]) for each in getattr(geometry, "geoms", [geometry]))
    reach, widest = spans[0][1], 360 - (east - west)
    for start, end in spans[1:]:
        if start - reach > widest:
            widest, west, east = start - reach, start, reach
        reach = max(reach, end)
    return west, south, east, north
