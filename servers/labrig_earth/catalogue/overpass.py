"""OpenStreetMap by the Overpass service: the answer is OSM XML, which the tools for layers and streets read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig.http.declared import OVERPASS as OVERPASS
from labrig.http.declared import overpass_refusal
from labrig_earth.gis.boxes import check_box

if TYPE_CHECKING:
    from labrig.http import Client, Service

MOST_SQUARE_DEGREES = 0.25
MOST_BYTES = 64 << 20
TIMEOUT_S = 60


def overpass_query(box: Sequence[float], where: Mapping[str, Any], *, date: str = "") -> str:
    """Return a query in Overpass QL for features with one of some tags, with the nodes of their ways.

    All are one set, so that nodes come before ways, by ascending ids and once each, as readers of OSM files expect.
    With a date Overpass would look for a value in all the world's past and run out of memory (drolbr/Overpass-API issue
    755): it is asked for the key in the box, whose values are compared afterwards, and may take its usual memory.

    Parameters
    ----------
    box
        (west, south, east, north) in degrees, at most `MOST_SQUARE_DEGREES`.
    where
        Tags: ``{"amenity": "hospital"}``, ``{"highway": True}``, ``{"use": ["a", "b"]}``.
    date
        Of the state of the data that is asked for, ``2020-01-31``; empty for the present one.

    Raises
    ------
    LabrigError
        ``bad_input`` for no tag, for invalid keys, and for an invalid date; ``limit`` for a large box.
    """
    west, south, east, north = check_box(box)
    size = (east - west) * (north - south)
    if east < west or size > MOST_SQUARE_DEGREES:
        raise LabrigError(
            f"The box has {abs(size):.2f} square degrees",
            where="bbox",
            expected=f"at most {MOST_SQUARE_DEGREES}, and not across the antimeridian",
            try_="an extract of the region as a file (.osm.pbf)",
            code="limit",
        )
    if not where:
        raise LabrigError(
            "OSM data are asked for by their tags", where="where", expected="such as {'highway': True}"
        )
    area = f"({south:.7f},{west:.7f},{north:.7f},{east:.7f})"
    asked = [(key, _values(key, value)) for key, value in where.items()]
    parts = "".join(
        f'nwr["{key}"]{area}{_compared(key, values)};' if date else f"nwr{_tag(key, values)}{area};"
        for key, values in asked
    )
    when = f'[date:"{_day(date)}T00:00:00Z"]' if date else f"[maxsize:{MOST_BYTES}]"
    return f"[out:xml][timeout:{TIMEOUT_S}]{when};({parts});(._;>;);out body;"


def _day(date: str) -> str:
    from datetime import date as day

    try:
        found = day.fromisoformat(date[:10] if "T" in date else date)
    except ValueError:
        raise LabrigError(
            f"{date[:40]!r} is no date", where="as_of_date", expected="such as 2020-01-31"
        ) from None
    if not day(2012, 9, 12) <= found <= day.today():
        raise LabrigError(
            f"There are no data of {found}",
            where="as_of_date",
            expected="from 2012-09-12, and not in the future",
        )
    return found.isoformat()


def _values(key: str, value: Any) -> list[str]:
    """Return the values of a tag; none for any."""
    if not re.fullmatch(r"[A-Za-z0-9_:.-]{1,80}", key):
        raise LabrigError(f"{key!r} is no key of a tag", where="where", expected="letters, digits, _ : . -")
    if value is True:
        return []
    values = value if isinstance(value, list | tuple) else [value]
    if not values or not all(
        isinstance(each, str | int | float) and not isinstance(each, bool) for each in values
    ):
        raise LabrigError(
            f"The value of {key} cannot be read", where="where", expected="a text, several, or true"
        )
    return [str(each) for each in values]


def _tag(key: str, values: Sequence[str]) -> str:
    if len(values) < 2:
        return f'["{key}"="{_quoted(values[0])}"]' if values else f'["{key}"]'
    either = "|".join(re.escape(each) for each in values)
    return f'["{key}"~"^({_quoted(either)})$"]'


def _compared(key: str, values: Sequence[str]) -> str:
    either = "||".join(f't["{key}"]=="{_quoted(each)}"' for each in values)
    return f"(if:{either})" if either else ""


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


async def fetch_osm(
    client: Client,
    box: Sequence[float],
    where: Mapping[str, Any],
    *,
    date: str = "",
    service: Service = OVERPASS,
) -> bytes:
    """Return OSM XML from Overpass; `date` as `overpass_query`.

    Raises
    ------
    LabrigError
        What the client says; ``limit`` and ``unreachable`` for what Overpass remarks in its answer (a time-out comes
        with status 200).
    """
    form = {"data": overpass_query(box, where, date=date)}
    response = await client.ask(
        service,
        "interpreter",
        method="POST",
        form=form,
        accept=(400,),
        max_bytes=MOST_BYTES,
        timeout_s=TIMEOUT_S + 20,
    )
    body = response.body
    if response.status == 400:
        raise overpass_refusal(f"<p>{response.text}", service.name)
    if b"<osm" not in body[:500]:
        raise LabrigError("Overpass did not answer with OSM data", where=service.name, code="unreachable")
    if remark := re.search(rb"<remark>([^<]*)</remark>", body[-4000:]):
        raise overpass_refusal(remark[1].decode("utf-8", "replace").strip(), service.name)
    return body
