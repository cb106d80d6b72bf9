"""Finding what a database defines: by name, by element, by part of a name, with the nearest names for a typo."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from labrig.errors import LabrigError, nearest, unknown_name
from labrig_phreeqc.database.catalogue import KINDS, Element, Entry, Kind, Phase, Rate, Species
from labrig_phreeqc.database.databases import Database
from labrig_phreeqc.database.formulas import normal_charge, without_charge
from labrig_phreeqc.database.log_k import in_range, log_k_at
from labrig_phreeqc.database.reading import read

MAX_QUERY = 200
RATE_CHARS = 3_000
"""A rate's Basic text is given up to this size; the rest is in the file (characters)."""


@dataclass(frozen=True)
class Found:
    """What a query found.

    Attributes
    ----------
    exact
        Entries with that name; case, the notation of a charge (``Ca++``, ``Ca2+``), a missing charge (``HCO3``) and a
        missing ``(g)`` are forgiven where nothing has the very name. An element is also found by its master species.
    related
        By kind, up to `limit` more: entries that contain the element asked for; else the query in their name.
    counts
        How many there are of each kind, `exact` included.
    nearest
        Names that resemble the query, best first, where nothing was found.
    """

    exact: list[Entry]
    related: dict[Kind, list[Entry]]
    counts: dict[Kind, int]
    nearest: list[str]


def look_up(database: Database, query: str, kind: Kind | Literal[""] = "", limit: int = 20) -> Found:
    """Find what a database defines under a name, an element or a part of a name.

    Parameters
    ----------
    database
        From `find_database`.
    query
        A name (``Calcite``, ``HCO3-``, ``S(6)``), an element (``Zn``) or a part of a name. Empty lists everything.
    kind
        Only this kind; empty for all.
    limit
        Most related entries of each kind; `Found.counts` has the totals.

    Raises
    ------
    LabrigError
        ``not_found`` for an unknown kind, ``bad_input`` for a query above `MAX_QUERY` characters.
    """
    if kind and kind not in KINDS:
        raise unknown_name("kind of definition", kind, KINDS, where="kind")
    if len(query) > MAX_QUERY:
        raise LabrigError(
            "Nothing has so long a name", where="query", expected=f"at most {MAX_QUERY} characters"
        )
    catalogue = read(database.path)
    wanted = _plain(query)
    exact: list[Entry] = []
    related: dict[Kind, list[Entry]] = {}
    counts: dict[Kind, int] = {}
    element = wanted if any(wanted in each.elements for each in catalogue.elements) else ""
    kinds = (kind,) if kind else KINDS
    for this_kind in kinds:
        entries = catalogue.of_kind(this_kind)
        hits = _named(entries, wanted) if wanted else []
        others = [one for one in entries if one not in hits and _concerns(one, wanted, element)]
        exact += hits
        related[this_kind] = others[:limit]
        counts[this_kind] = len(hits) + len(others)
    names = {one.name: None for each in kinds for one in catalogue.of_kind(each)}
    return Found(
        exact, related, counts, nearest(wanted, names) if wanted and not any(counts.values()) else []
    )


def _plain(query: str) -> str:
    """Write a name as databases do: no blanks, super- and subscripts on the line, ``(+6)`` as ``(6)``."""
    text = unicodedata.normalize("NFKC", query).translate({0x2212: "-", 0x2013: "-"})
    return "".join(text.split()).replace("(+", "(")


def _named(entries: Iterable[Entry], wanted: str) -> list[Entry]:
    """Return the entries with a name, by the first way of comparing names that finds any."""
    entries = list(entries)
    charged = _charge_notations(wanted)
    ways: list[Callable[[Entry], bool]] = [
        lambda one: one.name == wanted,
        lambda one: isinstance(one, Species) and one.name in charged,
        lambda one: isinstance(one, Species) and without_charge(one.name) == wanted,
        lambda one: isinstance(one, Phase) and one.name in (f"{wanted}(g)", f"{wanted}(s)"),
        lambda one: isinstance(one, Element) and one.master_species in charged,
        lambda one: isinstance(one, Element) and without_charge(one.master_species) == wanted,
        lambda one: one.name.casefold() == wanted.casefold(),
        lambda one: isinstance(one, Species) and without_charge(one.name).casefold() == wanted.casefold(),
        lambda one: isinstance(one, Phase) and one.name.casefold() == f"{wanted}(g)".casefold(),
    ]
    for way in ways:
        hits = [one for one in entries if way(one)]
        if hits:
            return hits
    return []


def _charge_notations(name: str) -> set[str]:
    """Return the names that a charged name can stand for: ``SO4--`` and ``SO42-`` are ``SO4-2``."""
    found = {normal_charge(name)}
    match = re.fullmatch(r"(.+?)(\d+)([+-])", name)
    if match:
        base, digits, sign = match.groups()
        found |= {normal_charge(base + digits[:cut] + sign + digits[cut:]) for cut in range(len(digits))}
    return found


def _concerns(entry: Entry, wanted: str, element: str) -> bool:
    if element:
        return element in entry.elements
    return len(wanted) != 1 and wanted.casefold() in entry.name.casefold()


def described(entry: Entry, celsius: float) -> tuple[dict[str, Any], list[str]]:
    """Return an entry as data with units in the names, and what should be known before using it.

    Parameters
    ----------
    celsius
        Temperature in degC at which log K is given beside that at 25 degC.
    """
    data: dict[str, Any] = {"name": entry.name, "kind": kind_of(entry), "line": entry.line}
    if isinstance(entry, Element):
        data["master_species"] = entry.master_species
        if entry.gfw:
            data["a mass without 'as' is counted as"] = entry.gfw
        if entry.formula_weight is not None:
            data["formula_weight_g_per_mol"] = round(entry.formula_weight, 4)
        return data, []
    if isinstance(entry, Rate):
        cut = len(entry.text) > RATE_CHARS
        data |= {
            "text": entry.text[:RATE_CHARS] + ("\n..." if cut else ""),
            "comment": entry.comment[-RATE_CHARS:],
        }
        return data, []
    said = []
    data["reaction"] = entry.equation
    try:
        data["log_k_25_degC"] = round(log_k_at(entry, 25.0), 4)
        if celsius != 25.0:
            data[f"log_k_{celsius:g}_degC"] = round(log_k_at(entry, celsius), 4)
    except LabrigError as error:
        data["log_k_25_degC"] = None
        said.append(f"{entry.name}: {error.what}")
    if entry.analytic and any(entry.analytic):
        data["temperature_dependence"] = "analytical expression"
    elif entry.delta_h is not None:
        data["temperature_dependence"] = f"van't Hoff, delta_h {entry.delta_h:g} {entry.delta_h_unit}"
    else:
        data["temperature_dependence"] = "none stated: constant"
    if entry.range_text:
        data["temperature_range"] = entry.range_text
    if in_range(entry, celsius) is False and entry.temperature_range is not None:
        low, high = entry.temperature_range
        said.append(
            f"{entry.name}: the database states its log K for {low:g} to {high:g} degC, not {celsius:g}"
        )
    if isinstance(entry, Phase) and entry.molar_volume is not None:
        data["molar_volume_cm3_per_mol"] = entry.molar_volume
    return data, said


def kind_of(entry: Entry) -> Kind:
    """Return the kind of an entry."""
    if isinstance(entry, Element):
        return "element"
    return "phase" if isinstance(entry, Phase) else "rate" if isinstance(entry, Rate) else "species"
