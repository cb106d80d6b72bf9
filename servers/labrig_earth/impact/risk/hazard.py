"""A set of events: how strong each is at places (centroids), and how often it comes; CSV or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labrig.errors import LabrigError
from labrig_earth.impact.risk.degrees import require_degrees
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.tables import Floats, find_repeated, read_table, within
from labrig_earth.work.fields import read_object

MOST_EVENTS, MOST_CENTROIDS, MOST_ROWS = 50_000, 200_000, 1_000_000
MOST_BYTES = 32 << 20
MOST_INTENSITY, MOST_FREQUENCY = 1e6, 366.0
FREQUENCY = "events a year"
COLUMNS = (
    *("event_id", "frequency_per_year", "latitude", "longitude", "intensity", "hazard_type"),
    *("intensity_unit", "crs"),
)


@dataclass(frozen=True)
class Hazard:
    """Events, checked.

    Attributes
    ----------
    kind, unit
        Such as ``FL`` and ``m``: what impact functions must be of.
    latitude, longitude
        Of the centroids, degrees.
    events
        Their names.
    frequency
        Of each event, per year.
    intensity
        `scipy.sparse.csr_matrix` (event, centroid), 0 where nothing happens.
    """

    kind: str
    unit: str
    latitude: Floats
    longitude: Floats
    events: tuple[str, ...]
    frequency: Floats
    intensity: Any
    notes: tuple[str, ...] = ()


def read_hazard(named: Named) -> Hazard:
    """Read a set of events.

    CSV: ``event_id``, ``frequency_per_year``, ``latitude``, ``longitude``, ``intensity``, ``hazard_type``,
    ``intensity_unit``, and ``crs`` as it has it; a row for each event and centroid. JSON: ``hazard_type``,
    ``intensity_unit``, ``latitude`` and ``longitude`` of the centroids, ``events`` [{``event_id``,
    ``frequency_per_year``, ``intensity`` of all centroids, or with ``centroids`` (from 0) of those}].

    Raises
    ------
    LabrigError
        For another reference system, an intensity or frequency out of range, an event that is there twice, no event
        with an intensity above 0.
    """
    start = named.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    found = _of_json(named) if start == b"{" else _of_csv(named)
    if found.intensity.nnz == 0:
        raise LabrigError(
            "No event has an intensity above 0", where=named.name, expected="a hazard that does something"
        )
    return found


def hazard_of(
    kind: str, unit: str, places: tuple[Floats, Floats], events: Sequence[str], frequency: Floats,
    intensity: Any, where: str, notes: tuple[str, ...] = (),
) -> Hazard:  # fmt: skip
    """Return a hazard after the checks that both formats share."""
    latitude, longitude = places
    for name, text in (("hazard_type", kind), ("intensity_unit", unit)):
        if not 1 <= len(text) <= 40 or not text.isprintable():
            raise LabrigError(f"{name} is {text[:40]!r}", where=where, expected="a name such as FL, or m")
    if not 1 <= len(latitude) <= MOST_CENTROIDS or not 1 <= len(events) <= MOST_EVENTS:
        raise LabrigError(
            f"There are {len(events):,} events at {len(latitude):,} centroids",
            where=where,
            expected=f"1 to {MOST_EVENTS:,} events at 1 to {MOST_CENTROIDS:,} centroids",
            code="limit" if len(events) and len(latitude) else "bad_input",
        )
    if (twice := find_repeated(events)) is not None:
        raise LabrigError(f"The event {twice[:60]!r} is there twice", where=where)
    within(latitude, "latitude", -90, 90, "degrees north", where)
    within(longitude, "longitude", -180, 180, "degrees east", where)
    within(frequency, "frequency_per_year", 1e-9, MOST_FREQUENCY, FREQUENCY, where)
    within(intensity.data, "intensity", 0, MOST_INTENSITY, f"{unit}; 0 is no hazard", where)
    intensity = sparse.csr_matrix(intensity)
    intensity.eliminate_zeros()
    intensity.sort_indices()
    return Hazard(kind, unit, latitude, longitude, tuple(events), frequency, intensity, notes)


def _of_csv(named: Named) -> Hazard:
    where = named.name
    table = read_table(named.content, where, MOST_ROWS)
    require_degrees(table.one("crs", "EPSG:4326"), where)
    kind, unit = (table.one(name) for name in ("hazard_type", "intensity_unit"))
    names = table.names("event_id")
    frequency = table.numbers("frequency_per_year", 1e-9, MOST_FREQUENCY, FREQUENCY)
    latitude = table.numbers("latitude", -90, 90, "degrees north")
    longitude = table.numbers("longitude", -180, 180, "degrees east")
    intensity = table.numbers("intensity", 0, MOST_INTENSITY, f"{unit}; 0 is no hazard")
    table.require_known(COLUMNS)
    events = {name: number for number, name in enumerate(dict.fromkeys(names))}
    row = np.array([events[name] for name in names])
    places, column = np.unique(np.column_stack([latitude, longitude]), axis=0, return_inverse=True)
    column = column.reshape(-1)
    each = np.full(len(events), np.nan)
    each[row] = frequency
    changed = np.flatnonzero(each[row] != frequency)
    if len(changed):
        raise LabrigError(
            f"The event {names[changed[0]][:60]!r} has two frequencies",
            where=f"{where}, line {table.lines[changed[0]]}",
        )
    cells = np.unique(row.astype(np.int64) * len(places) + column)
    if len(cells) != len(row):
        raise LabrigError("An event has two intensities at one place", where=where)
    matrix = sparse.csr_matrix((intensity, (row, column)), shape=(len(events), len(places)))
    absent = len(events) * len(places) - len(row)
    notes = (
        (f"{absent:,} of {len(events) * len(places):,} pairs of event and place are not listed: intensity 0",)
        if absent
        else ()
    )
    return hazard_of(kind, unit, (places[:, 0], places[:, 1]), list(events), each, matrix, where, notes)


def _of_json(named: Named) -> Hazard:
    where = named.name
    fields = read_object(named.content, where, MOST_BYTES)
    kind, unit = fields.text("hazard_type"), fields.text("intensity_unit")
    require_degrees(fields.text("crs", "EPSG:4326"), where)
    latitude, longitude = (numbers_of(fields.any(name), where, name) for name in ("latitude", "longitude"))
    if len(latitude) != len(longitude):
        raise LabrigError(f"There are {len(latitude)} latitudes and {len(longitude)} longitudes", where=where)
    names, frequency, row, column, values = [], [], [], [], []
    for number, each in enumerate(fields.rows("events", MOST_EVENTS)):
        names.append(each.text("event_id"))
        frequency.append(each.number("frequency_per_year", 1e-9, MOST_FREQUENCY, FREQUENCY))
        found = numbers_of(each.any("intensity"), each.where, "intensity")
        if each.has("centroids"):
            at = numbers_of(each.any("centroids"), each.where, "centroids")
            if (at != np.floor(at)).any() or len(set(at.tolist())) != len(at):
                raise LabrigError(
                    "centroids are no whole numbers, or named twice", where=each.where, expected="from 0"
                )
            within(at, "centroids", 0, max(len(latitude) - 1, 0), "", each.where)
        else:
            at = np.arange(len(latitude), dtype=float)
        if len(at) != len(found):
            raise LabrigError(f"There are {len(found)} intensities for {len(at)} centroids", where=each.where)
        each.require_all_known()
        row.append(np.full(len(found), number))
        column.append(at.astype(int))
        values.append(found)
    fields.text("note", "", most=300)
    fields.text("source", "", most=300)
    fields.require_all_known()
    flat = [np.concatenate(part) if part else np.array([]) for part in (values, row, column)]
    matrix = sparse.csr_matrix((flat[0], (flat[1], flat[2])), shape=(len(names), len(latitude)))
    return hazard_of(kind, unit, (latitude, longitude), names, np.array(frequency), matrix, where)


def numbers_of(value: Any, where: str, name: str) -> Floats:
    """Return a list of JSON as numbers; true and false are none."""
    if not isinstance(value, list) or not set(map(type, value)) <= {int, float}:
        raise LabrigError(f"{name} is no list of numbers", where=where, expected="[0.0, 1.5, ...]")
    try:
        return np.array(value, dtype=float)
    except OverflowError:
        raise LabrigError(f"{name} has a number without end", where=where) from None
