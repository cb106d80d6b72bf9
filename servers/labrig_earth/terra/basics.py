"""Group basic: a place as a box, an outline or a centre; the words of a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig_earth.gis.collections import shape_of
from labrig_earth.natural_earth.regions import resolve_region
from labrig_earth.results import Result
from labrig_earth.terra.marks import MARK
from labrig_earth.terra.payloads import make_result, number
from labrig_earth.work.arguments import mapping_of, text_of
from labrig_earth.work.calls import Call

FORMS = ("bbox", "polygon", "centroid", "all")
MOST_CHARACTERS = 60_000
"""Of an outline in a payload; all of it is in the file."""
SKIPPED = ("script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form", "svg")
"""Parts of a page that are not its text."""


def resolve_place(call: Call) -> Result:
    """A place of Nominatim (``place``), or a country, continent or subregion of Natural Earth (``query``)."""
    form = text_of(call, "form", "bbox")
    if form not in FORMS:
        raise unknown_name("form", form, FORMS, where="return_geometry_type")
    query, place = text_of(call, "query"), mapping_of(call, "place")
    warnings: list[str] = []
    if place:
        name, shape, box, outline = _of_nominatim(place)
        source = "OpenStreetMap by Nominatim"
    else:
        region = resolve_region(query)
        name, shape, source = region.name, region.geometry, region.source
        west, south, east, north = region.bounds
        box, outline = [south, west, north, east], shape.__geo_interface__
        warnings += region.notes
    if box[1] > box[3]:
        warnings.append("west is greater than east: the place lies across the antimeridian")
    payload: dict[str, Any] = {"query": query, "name": name}
    files: tuple[str, ...] = ()
    if form in ("bbox", "all"):
        payload["bbox"] = [number(each) for each in box]
    if form in ("polygon", "all"):
        payload["polygon"] = outline
        if outline is not None and len(json.dumps(outline)) > MOST_CHARACTERS:
            file = "region.geojson"
            feature = {"type": "Feature", "properties": {"name": name}, "geometry": outline}
            Path(call.scratch / file).write_text(json.dumps(feature))
            payload |= {"polygon": None, "polygon_path": f"{MARK}{file}"}
            files = (f"{MARK}{file}",)
            warnings.append("the outline is too long for an answer: polygon_path has it")
    if form in ("centroid", "all"):
        payload["centroid"] = {"lat": number(shape.centroid.y), "lon": number(shape.centroid.x)}
    return make_result(
        payload,
        method=f"{source}; bbox is [south, west, north, east], the centre is of the outline in degrees",
        files=files,
        warnings=tuple(warnings),
    )


def _of_nominatim(place: Mapping[str, Any]) -> tuple[str, Any, list[float], Any]:
    """Return name, shape, [south, west, north, east] and outline of a place as Nominatim sends it."""
    try:
        south, north, west, east = (float(each) for each in place["boundingbox"])
        if not (-90 <= south <= north <= 90 and -180 <= west <= 180 and -180 <= east <= 180):
            raise ValueError
        outline = place.get("geojson")
        point = {"type": "Point", "coordinates": [float(place["lon"]), float(place["lat"])]}
        shape = shape_of(outline or point, "Nominatim")
        return str(place.get("display_name", ""))[:300], shape, [south, west, north, east], outline
    except (KeyError, TypeError, ValueError, LabrigError):
        raise LabrigError(
            "Nominatim's answer says no place",
            where="nominatim",
            expected="a box and a point",
            code="unreachable",
        ) from None


def page_text(call: Call) -> Result:
    """The words of a page (``page``), whose ``content_type`` says whether it is HTML; written as text."""
    from selectolax.lexbor import LexborHTMLParser

    content = Path(call.input("page").path).read_bytes()
    kind = text_of(call, "content_type").casefold()
    title = ""
    if "html" in kind or (not kind and content.lstrip()[:1] == b"<"):
        tree = LexborHTMLParser(content)
        head = tree.css_first("title")
        title = "" if head is None else head.text().strip()[:300]
        for part in tree.css(", ".join(SKIPPED)):
            part.decompose()
        words = tree.body.text(separator=" ") if tree.body is not None else ""
    else:
        words = content.decode("utf-8", "replace")
    text = " ".join(words.split())
    if not text:
        raise LabrigError("The page has no text", where=call.input("page").name, code="not_found")
    (call.scratch / "page.txt").write_text(text, encoding="utf-8")
    return make_result(
        {"title": title, "characters": len(text), "text_path": f"{MARK}page.txt"},
        method="text of the page without navigation, scripts and forms",
        files=(f"{MARK}page.txt",),
    )
