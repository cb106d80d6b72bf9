"""A water whose charges do not balance, and what single change of a value would explain it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from labrig_phreeqc.database.catalogue import Catalogue
from labrig_phreeqc.waters.balance import Balance
from labrig_phreeqc.waters.columns import Column
from labrig_phreeqc.waters.constituents import CHARGES
from labrig_phreeqc.waters.measurements import Measurement
from labrig_phreeqc.waters.notices import Explanation, Notice
from labrig_phreeqc.waters.outliers import Usual
from labrig_phreeqc.waters.readings import MAJOR, exchanged, neighbours, readings, says_formula
from labrig_phreeqc.waters.rows import Water

DILUTE_MEQ, DILUTE_DIFFERENCE = 3.0, 0.2
"""Standard Methods 1030 E judges waters with less than 3 meq/L of anions by a difference of 0.2 meq/L."""

SLIP_DOUBT, HEADING_DOUBT = 0.3, 1.0
"""What speaks against a slip of the decimal point or two cells that changed places, next to a unit that was mistaken;
and against a heading that says its formula (``as S``) being wrong in one row only. Decades, as distances are."""

WELL_INSIDE = 0.5
"""Share of the charge limit within which a change must bring a row to explain it."""


def charge_errors(
    water: Water,
    its: Balance,
    speciated: float | None,
    limit: float,
    catalogue: Catalogue,
    usual: Usual,
) -> list[Notice]:
    """Return the notice of a charge error above a limit, with the single changes that would explain it.

    Parameters
    ----------
    speciated
        PHREEQC's charge error, percent, which counts in acid water.
    limit
        Percent.
    """
    acid = its.basis_of_alkalinity == "acid"
    error = speciated if acid and speciated is not None else its.charge_error
    if error is None and its.basis_of_alkalinity == "unknown":
        words = "no charge balance: how much of the inorganic carbon is HCO3- hangs on pH and temperature"
        return [Notice("charge", "", words)]
    if error is None:
        side = "cation" if its.cations <= 0 else "anion"
        return [Notice("charge", "", f"no charge balance: the row has no {side}")]
    if abs(error) <= limit:
        return []
    words = f"charge error {error:.1f} %"
    if acid:
        words += " of the speciated ions"
    elif its.anions < DILUTE_MEQ and abs(its.imbalance) <= DILUTE_DIFFERENCE:
        words += f", which is {abs(its.imbalance):.2g} meq and little for so dilute a water"
    known = usual.columns_of
    absent = [n for n in MAJOR if n not in known and not (n == "Alkalinity" and "C(4)" in known)]
    if absent:
        return [Notice("charge", "", f"{words}; {_absent(absent, usual.columns)}")]
    if acid:
        return [Notice("charge", "", words)]
    explanations = [
        *_misread(water, its, limit, catalogue, usual),
        *_slips(water, its, limit, usual),
        *_missing(water, its, usual),
    ]
    explanations.sort(key=lambda each: each[0])
    return [Notice("charge", "", words, tuple(each for _, each in explanations))]


def _absent(elements: Sequence[str], columns: Sequence[Column]) -> str:
    """Say for which major ions the table has no column, and which columns of them do not count."""
    idle = {each.known.element: each for each in reversed(columns) if each.role == "left out" and each.known}
    parts = [f"{idle[each].header} is left out: {idle[each].why}" for each in elements if each in idle]
    without = [each for each in elements if each not in idle]
    if without:
        parts.append(f"the table has no column for {', '.join(without)}")
        parts += [
            f"{column.header} is left out: {column.why}"
            for column in columns
            if column.unknown and column.known is None
        ][:3]
    return "; ".join(parts)


def _slips(water: Water, its: Balance, limit: float, usual: Usual) -> Iterator[tuple[float, Explanation]]:
    """Give the slips of a pen that would bring the charges into line: a decimal point, cells that changed places."""
    total = its.cations + its.anions

    def remains(changes: Sequence[tuple[Measurement, float]]) -> tuple[float, float]:
        """Return the charge error after changes of amounts, and the doubt about them."""
        imbalance, sum_, cations, doubt = its.imbalance, total, its.cations, SLIP_DOUBT
        for measurement, amount in changes:
            charge = CHARGES.get(measurement.column.element, 0)
            imbalance += (amount - measurement.amount) * charge
            sum_ += (amount - measurement.amount) * abs(charge)
            cations += (amount - measurement.amount) * max(charge, 0)
            doubt += usual.distance(measurement.column.element, amount)
            doubt -= usual.distance(measurement.column.element, measurement.amount)
        error = abs(100 * imbalance / sum_) if sum_ > 0 else math.inf
        return error, doubt + error / limit + _conductivity_doubt(water, cations)

    for one in water.measured:
        if one.censored or one.amount <= 0 or not CHARGES.get(one.column.element, 0):
            continue
        for factor in (10.0, 0.1):
            error, doubt = remains([(one, one.amount * factor)])
            if error <= WELL_INSIDE * limit:
                header = one.column.header
                words = f"if {header} were {one.value * factor:.6g} and not {one.value:.6g}"
                yield doubt, Explanation("value", header, words, error)
    for one, other in neighbours(water):
        first, second = exchanged(one, other)
        error, doubt = remains([(one, first), (other, second)])
        if error <= WELL_INSIDE * limit:
            words = f"if {one.column.header} and {other.column.header} had changed places"
            yield doubt, Explanation("value", one.column.header, words, error)


def _misread(
    water: Water, its: Balance, limit: float, catalogue: Catalogue, usual: Usual
) -> Iterator[tuple[float, Explanation]]:
    """Give the single changes of one value that would bring the charges into line, with what speaks against each."""
    for measurement in water.measured:
        element = measurement.column.element
        charge = CHARGES.get(element, 0)
        if not charge or measurement.censored:
            continue
        old = measurement.amount * charge
        for reading in readings(measurement, catalogue):
            new = reading.amount * charge
            imbalance = its.imbalance - old + new
            total = its.cations + its.anions - abs(old) + abs(new)
            error = 100 * imbalance / total if total > 0 else math.inf
            if abs(error) > WELL_INSIDE * limit:
                continue
            doubt = HEADING_DOUBT if says_formula(measurement.column) else 0.0
            doubt += abs(error) / limit + usual.distance(element, reading.amount)
            doubt -= usual.distance(element, measurement.amount)
            doubt += _conductivity_doubt(water, its.cations + (new - old if charge > 0 else 0.0))
            header = measurement.column.header
            words = f"if {header} were {reading.words}"
            yield doubt, Explanation(reading.kind, header, words, abs(error))


def _missing(water: Water, its: Balance, usual: Usual) -> Iterator[tuple[float, Explanation]]:
    """Give the amount of an ion without a value in the row that would balance the charges.

    Any major ion may be it; another one where the amount is within a decade of what is usual in the table.
    """
    for element, column in usual.columns_of.items():
        charge = CHARGES.get(element, 0)
        given = water.analysis.constituents.get(element)
        zero = element == "Alkalinity" and given is not None and not given.amount
        if (given is not None and not zero) or charge * its.imbalance >= 0:
            continue
        if element == "Alkalinity" and "C(4)" in water.analysis.constituents:
            continue
        amount = -its.imbalance / charge
        if element not in MAJOR and (element not in usual.medians or usual.distance(element, amount) > 1):
            continue
        doubt = usual.distance(element, amount) + _conductivity_doubt(
            water, its.cations + (amount * charge if charge > 0 else 0.0)
        )
        value = amount / column.factor
        words = f"{column.header} {'is 0' if zero else 'has no value'}; with {value:.3g}"
        yield doubt, Explanation("charge", column.header, words, 0.0)


def _conductivity_doubt(water: Water, cations: float) -> float:
    """Return in decades how far the conductivity is from what the cations would give; 0 where it was not measured."""
    measured = water.checks.get("conductivity", 0.0)
    if measured <= 0 or cations <= 0:
        return 0.0
    return 2 * abs(math.log10(measured / (100 * cations)))
