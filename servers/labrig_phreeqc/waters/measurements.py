"""The numbers of a row that count: one for each constituent, compared with others of it, and what they say of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from labrig_phreeqc.waters.analysis import DILUTE_G_PER_L, Basis, Constituent
from labrig_phreeqc.waters.cells import Cell
from labrig_phreeqc.waters.columns import Column
from labrig_phreeqc.waters.constituents import KNOWN
from labrig_phreeqc.waters.notices import Notice
from labrig_phreeqc.waters.remarks import Remarks

AGREEMENT = 0.05
"""Two columns for one constituent agree within this share of the larger value."""
_FRACTIONS = ("dissolved", "", "total")
"""Which of several columns of a constituent counts: what is in solution, and not in particles."""
_ORDER = {each.key: number for number, each in enumerate(KNOWN)}


@dataclass(frozen=True)
class Measurement:
    """One number of the table that counts.

    Attributes
    ----------
    column
        Where it stands, with its unit.
    value
        As reported; the limit, where `censored`.
    amount
        What it is taken for: mmol (meq of alkalinity) per basis of the analysis.
    censored
        The laboratory reported less than a limit.
    """

    column: Column
    value: float
    amount: float
    censored: bool = False


def grams(measured: Sequence[Measurement]) -> float:
    """Return g of dissolved solids per litre or kilogram, roughly where units are not of mass."""
    return (
        sum(
            measurement.value * measurement.column.unit.scale
            if measurement.column.unit and measurement.column.unit.kind == "mass"
            else 40 * measurement.amount
            for measurement in measured
            if not measurement.censored
        )
        / 1e3
    )


def per_litre(measured: Sequence[Measurement], density: float | None) -> list[Measurement] | None:
    """Put amounts per kilogram of solution on a litre; None where that needs a density."""
    if density is None and grams(measured) > DILUTE_G_PER_L:
        return None
    return [
        replace(measurement, amount=measurement.amount * (density or 1.0))
        if measurement.column.unit and measurement.column.unit.basis == "kgs"
        else measurement
        for measurement in measured
    ]


def choose(
    measured: Sequence[Measurement], columns: Sequence[Column], remarks: Remarks
) -> tuple[list[Measurement], float | None, list[Notice]]:
    """Choose what counts where several columns are about one constituent, and compare them.

    Returns
    -------
    counting
        One measurement for each constituent; for alkalinity one, or HCO3 with CO3 and OH.
    carbonate
        meq of the alkalinity that was reported as CO3, where HCO3 and CO3 were.
    notices
        Where they disagree.
    """
    notices: list[Notice] = []
    by_element: dict[str, list[Measurement]] = {}
    for measurement in sorted(measured, key=_rank):
        by_element.setdefault(measurement.column.element, []).append(measurement)
    alkalinity, carbonate, odd = _alkalinity(by_element.pop("Alkalinity", []), remarks)
    notices += odd
    carbon = by_element.get("C(4)") or by_element.get("C")
    if alkalinity and carbon:
        by_element.pop(carbon[0].column.element)
        remarks.said["alkalinity counts where inorganic carbon (DIC) is given too"] += 1
    counting = list(alkalinity)
    for first, *others in by_element.values():
        counting.append(first)
        if first.column.fraction == "total" and _has_dissolved(columns, first.column):
            remarks.said[f"{first.column.header} counts where the dissolved value is missing"] += 1
        for other in others:
            remarks.compared.add((first.column.header, other.column.header))
            if {_key(first), _key(other)} == {"PO4", "P"}:  # total phosphorus is more than phosphate
                continue
            apart = (first.column.fraction, other.column.fraction)
            if apart[0] == "dissolved" != apart[1] and other.amount >= first.amount:
                continue  # the rest is particles
            notices += _disagreement(first, first.amount, other, other.amount)
    return sorted(counting, key=_rank), carbonate, notices


def _key(measurement: Measurement) -> str:
    return measurement.column.known.key if measurement.column.known else ""


def _rank(measurement: Measurement) -> tuple[int, int, int]:
    column = measurement.column
    return _ORDER.get(_key(measurement), len(_ORDER)), _FRACTIONS.index(column.fraction), column.index


def _has_dissolved(columns: Sequence[Column], column: Column) -> bool:
    return any(
        other.role == "concentration" and other.element == column.element and other.fraction == "dissolved"
        for other in columns
    )


def _alkalinity(
    measured: Sequence[Measurement], remarks: Remarks
) -> tuple[list[Measurement], float | None, list[Notice]]:
    first: dict[str, Measurement] = {}
    notices: list[Notice] = []
    for measurement in measured:
        if (same := first.setdefault(_key(measurement), measurement)) is not measurement:
            remarks.compared.add((same.column.header, measurement.column.header))
            notices += _disagreement(same, same.amount, measurement, measurement.amount)
    total = first.get("Alkalinity")
    parts = [first[key] for key in ("HCO3", "CO3", "OH") if key in first]
    split = sum(each.amount for each in parts)
    carbonate = first["CO3"].amount if "CO3" in first and "HCO3" in first else None
    if total is not None:
        if "HCO3" in first:
            remarks.compared.add((total.column.header, " + ".join(each.column.header for each in parts)))
            notices += _disagreement(total, total.amount, first["HCO3"], split)
            if notices:
                carbonate = None
        return [total], carbonate, notices
    if parts and "HCO3" not in first:
        if split:
            names = " and ".join(each.column.header for each in parts)
            words = f"{names} without HCO3 are not the alkalinity and are left out"
            notices.append(Notice("value", parts[0].column.header, words))
        return [], None, notices
    return parts, carbonate, notices


def _disagreement(first: Measurement, one: float, second: Measurement, other: float) -> list[Notice]:
    """Compare two amounts of the same thing; digits that were rounded away are no disagreement."""
    if first.censored or second.censored:
        return []
    rounding = (
        _last_digit(first.value) * first.column.factor + _last_digit(second.value) * second.column.factor
    )
    if abs(one - other) <= max(AGREEMENT * max(one, other), rounding):
        return []
    unit = "meq" if first.column.element == "Alkalinity" else "mmol"
    words = (
        f"{first.column.header} is {one:.4g} {unit} and {second.column.header} {other:.4g}; the first counts"
    )
    ratio = one / other if other else math.inf
    for name, factor in (("1.22", 61.017 / 50.043), ("0.82", 50.043 / 61.017)):
        if first.column.element == "Alkalinity" and abs(ratio / factor - 1) < 0.02:
            words += f"; their ratio is {name}, that of HCO3 and CaCO3"
            return [Notice("as", second.column.header, words)]
    return [Notice("value", second.column.header, words)]


def _last_digit(value: float) -> float:
    """Return one unit in the last digit of a number as it was written."""
    text = f"{value:.12g}"
    return 10.0 ** -len(text.partition(".")[2]) if "e" not in text else 0.0


def constituents(
    counting: Sequence[Measurement], cells: Mapping[int, Cell], columns: Sequence[Column], basis: Basis
) -> dict[str, Constituent]:
    """Return what was measured, by the name that the database has for it."""
    found: dict[str, Constituent] = {}
    for measurement in counting:
        column = measurement.column
        assert column.unit is not None
        one = Constituent(
            element=column.element,
            amount=measurement.amount,
            value=measurement.value,
            unit=column.unit.text,
            formula=column.formula if column.unit.kind == "mass" else "",
            censored=measurement.censored,
            relative_error=_error(measurement, cells, columns),
        )
        if (before := found.get(column.element)) is not None:  # HCO3, then CO3: the sum in meq
            total = before.amount + one.amount
            one = Constituent(
                element=column.element,
                amount=total,
                value=total,
                unit=f"meq/{basis}",
                censored=before.censored and one.censored,
                relative_error=before.relative_error,
            )
        found[column.element] = one
    return found


def _error(measurement: Measurement, cells: Mapping[int, Cell], columns: Sequence[Column]) -> float | None:
    """Return the relative standard deviation that the table gives for a number."""
    for column in columns:
        if column.role != "error" or column.known is not measurement.column.known:
            continue
        if column.fraction and column.fraction != measurement.column.fraction:
            continue
        cell = cells[column.index]
        if cell.value is None or cell.below or cell.why:
            continue
        if column.unit is None:
            return cell.value * column.factor
        if measurement.value and column.said == measurement.column.said:
            return cell.value / measurement.value
    return None
