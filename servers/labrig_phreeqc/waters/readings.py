"""Other ways to read what stands in a row: a value in another unit or as another formula, cells that changed places."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from labrig_phreeqc.database.catalogue import Catalogue
from labrig_phreeqc.waters.columns import Column, conversion
from labrig_phreeqc.waters.constituents import CHARGES
from labrig_phreeqc.waters.measurements import Measurement
from labrig_phreeqc.waters.notices import NoticeKind
from labrig_phreeqc.waters.rows import Water
from labrig_phreeqc.waters.units import UNITS, Unit

MAJOR = ("Ca", "Mg", "Na", "S(6)", "Cl", "Alkalinity")
"""Elements without a column of which charge errors say nothing about single values."""

_OTHER_UNITS = {
    "mass": ("mg", "ug", "g", "mmol", "meq"),
    "amount": ("mmol", "umol", "meq", "mg", "ug"),
    "charge": ("meq", "mmol", "mg"),
}


@dataclass(frozen=True)
class Reading:
    """Another way to read one value.

    Attributes
    ----------
    measurement
        The value as it was read.
    amount
        mmol (meq of alkalinity) if it is read so.
    kind
        ``unit`` or ``as``.
    words
        ``in meq/L``, ``as CaCO3``.
    """

    measurement: Measurement
    amount: float
    kind: NoticeKind
    words: str


def readings(measurement: Measurement, catalogue: Catalogue) -> list[Reading]:
    """Give the other ways to read a value: the units and formulas that laboratories use for that constituent.

    Ways that come to the same amount are one: ``in mmol/L or meq/L``.
    """
    column, value = measurement.column, measurement.value
    known, unit = column.known, column.unit
    if known is None or unit is None or value <= 0:
        return []
    ways: list[tuple[NoticeKind, str, float]] = []
    if unit.kind == "mass":
        for formula in dict.fromkeys(each for each in (known.formula, *known.others) if each):
            factor = conversion(column, unit, formula, catalogue)
            if factor is not None:
                ways.append(("as", f"as {formula}", factor))
    for name in _OTHER_UNITS[unit.kind]:
        other = UNITS[f"{name}/{unit.basis}"]
        for formula in _formulas(column, other):
            factor = conversion(column, other, formula, catalogue)
            if factor is not None:
                said = f" as {formula}" if other.kind == "mass" != unit.kind else ""
                ways.append(("unit", f"in {other.text}{said}", factor))
    per_basis = (
        measurement.amount / (value * column.factor) if not measurement.censored else 1.0
    )  # a density, or 1
    found: list[Reading] = []
    for kind, words, factor in ways:
        amount = value * factor * per_basis
        same = next((n for n, each in enumerate(found) if abs(each.amount / amount - 1) < 0.005), None)
        if abs(factor / column.factor - 1) < 0.005:  # as it was read
            continue
        if same is None:
            found.append(Reading(measurement, amount, kind, words))
        else:
            joined = f"{found[same].words} or {words.removeprefix('in ')}"
            found[same] = replace(found[same], words=joined)
    return found


def _formulas(column: Column, unit: Unit) -> Sequence[str]:
    """Return of what a mass is a mass in another unit: as the column says, else as is usual."""
    if unit.kind != "mass":
        return ("",) if column.unit and column.unit.kind == "mass" else (column.formula,)
    if column.unit and column.unit.kind == "mass":
        return (column.formula,)
    known = column.known
    return (
        () if known is None else tuple(dict.fromkeys(each for each in (known.formula, *known.others) if each))
    )


def says_formula(column: Column) -> bool:
    """Tell whether a heading states of what it is a mass where custom is another: ``SO4 (mg/L as S)``."""
    known = column.known
    if known is None or not column.formula or column.formula == known.formula:
        return False
    return column.formula != "CaCO3" or known.element != "Alkalinity"


def neighbours(water: Water) -> list[tuple[Measurement, Measurement]]:
    """Return the pairs of major ions of one sign that stand next to each other in the table."""
    ions = [each for each in water.measured if each.column.element in (*MAJOR, "K")]
    ions.sort(key=lambda each: each.column.index)
    return [
        (one, other)
        for one, other in itertools.pairwise(ions)
        if other.column.index - one.column.index == 1
        and CHARGES.get(one.column.element, 0) * CHARGES.get(other.column.element, 0) > 0
        and one.column.element != other.column.element
        and not one.censored
        and not other.censored
        and min(one.value, other.value) > 0
        and one.value != other.value
    ]


def exchanged(one: Measurement, other: Measurement) -> tuple[float, float]:
    """Return the amounts of two measurements had their cells changed places."""
    return one.amount * other.value / one.value, other.amount * one.value / other.value
