"""What looks wrong or odd in an analysis, and what single change would explain it.

Nothing is corrected and nothing asserted: a finding says what does not fit, an explanation what would be
consistent with the numbers. Three sources of evidence, in this order:

1. Electroneutrality. A charge error above the limit is a finding. For each constituent in turn, its value is taken
   in the other units and formulas in which laboratories report it; what brings the water within the limit is an
   explanation, and so is the amount of a major ion that has no value in the row.
2. pH. Alkalinity below the end of its titration, and more hydroxide than alkalinity, exclude each other.
   So do an alkalinity of 0 and a neutral pH, and a pH and an alkalinity that need more than 1 atm of CO2.
3. The other rows of the table, for what charges do not show: pH and temperature far outside their spread, neighbours
   that changed places. A value is odd only if it is a hundred times
   more or less than the median, relative to all dissolved ions too, far outside the spread of the table, and another
   reading would put it among the others; a saline water among fresh ones, and a constituent that varies by nature,
   are not.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from labrig_phreeqc.checks.criteria import CHARGE_ERROR_PERCENT
from labrig_phreeqc.database.catalogue import Catalogue
from labrig_phreeqc.waters.balance import ALKALINITY_END, Balance, balance, dissolved_solids
from labrig_phreeqc.waters.carbonate import log_k1, log_kw
from labrig_phreeqc.waters.columns import Column, conversion
from labrig_phreeqc.waters.constituents import CHARGES
from labrig_phreeqc.waters.measurements import Measurement
from labrig_phreeqc.waters.notices import Explanation, Notice, NoticeKind
from labrig_phreeqc.waters.rows import Water
from labrig_phreeqc.waters.table import Table
from labrig_phreeqc.waters.units import UNITS, Unit

DILUTE_MEQ, DILUTE_DIFFERENCE = 3.0, 0.2
"""Standard Methods 1030 E judges waters with less than 3 meq/L of anions by a difference of 0.2 meq/L."""

MAJOR = ("Ca", "Mg", "Na", "S(6)", "Cl", "Alkalinity")
"""Elements without a column of which charge errors say nothing about single values."""

LEAST_ROWS = 10
ODD_DECADES, ODD_DECADES_OF_SHARE = 2.0, 1.5
ODD_DECADES_REDOX = 3.5
ODD_SPREADS = 6.0
ODD_ROWS = 0.1
"""A value is odd among at least `LEAST_ROWS` if it is `ODD_DECADES` from their median, and its share of the ions
`ODD_DECADES_OF_SHARE` from theirs on the same side, one of the two by `ODD_SPREADS` robust standard deviations (1.4826
times the median of the absolute deviations, of logarithms); if no more than `ODD_ROWS` of the rows are so far on that
side, for many are a kind of water; and if another reading puts it among the others. Nitrogen, iron, manganese and
sulfide differ by three decades between oxic and reducing water, so they need `ODD_DECADES_REDOX`."""

SLIP_DOUBT, HEADING_DOUBT = 0.3, 1.0
"""What speaks against a slip of the decimal point or two cells that changed places, next to a unit that was mistaken;
and against a heading that says its formula (``as S``) being wrong in one row only. Decades, as distances are."""

WELL_INSIDE = 0.5
"""Share of the charge limit within which a change must bring a row to explain it."""

OUTLYING = {"pH": 1.5, "temperature": 12.0}
"""Least distance from the median at which pH and temperature are odd, and only beyond `ODD_SPREADS`."""

SWAPPED_DECADES = 1.2
"""Least distance of a ratio of neighbours from its median at which they seem to have changed places."""

MAX_PCO2 = 1.0
"""atm, above which water at the surface loses gas."""

ZERO_ALKALINITY_PH, ZERO_ALKALINITY_MEQ = 6.0, 0.3
"""pH and cations above which no alkalinity is not credible."""

NEGLIGIBLE = 0.1
"""Share of a water's equivalents from which a constituent is judged by the charge balance and not by other rows."""

CONDUCTIVITY_RANGE = (0.6, 1.7)
"""Conductivity (uS/cm, 25 degC) divided by 100 times the cations in meq/L. Standard Methods 1030 E expects 0.9 to 1.1
for drinking water; divalent ions and salinity lower it (0.7 in water saturated with gypsum), acid raises it."""

CONDUCTIVITY_MEQ = (0.5, 100.0)
"""meq/L between which conductivity is compared: rain water and brines do not follow the rule."""

SOLIDS_RANGE = (0.4, 1.5)
"""Reported dissolved solids divided by the sum of the constituents; a residue on evaporation has lost CO2 and water."""

HARDNESS_RANGE = (0.8, 1.25)
"""Reported hardness divided by that of calcium and magnesium."""

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


def diagnose(
    table: Table,
    catalogue: Catalogue,
    *,
    charge_limit: float = CHARGE_ERROR_PERCENT,
    speciated: Sequence[float | None] | None = None,
) -> list[tuple[Notice, ...]]:
    """Return the notices for each water of a table, reading included.

    Parameters
    ----------
    catalogue
        Of the database, for atomic weights.
    charge_limit
        Charge error in percent above which a water is odd.
    speciated
        PHREEQC's charge error for each water, which counts below pH 4.5: there the closed form does not hold.

    Returns
    -------
    list of tuple of Notice
        In the order of `Table.waters`.
    """
    waters = table.waters
    balances = [balance(each.analysis) for each in waters]
    errors = speciated or [None] * len(waters)
    common = _Common(waters, balances)
    columns = {
        column.element: column
        for column in reversed(table.columns)
        if column.role == "concentration" and column.known
    }
    weights = {each.name: each.atomic_weight for each in catalogue.elements if each.atomic_weight}
    found = []
    for number, (water, its, error) in enumerate(zip(waters, balances, errors, strict=True)):
        notices = list(water.notices)
        notices += _pH(water, its, charge_limit)
        notices += common.whole[number]
        notices += _no_alkalinity(water, its)
        notices += _charge(water, its, error, charge_limit, columns, table.columns, catalogue, common)
        notices += _checks(water, its, weights)
        if not any(each.kind == "charge" for each in notices):
            notices += _outliers(number, water, its, catalogue, common)
            notices += common.swapped.get(number, [])
        found.append(tuple(notices))
    return found


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


class _Common:
    """What is usual in the table: logarithms of amounts and of shares in all ions, by element."""

    def __init__(self, waters: Sequence[Water], balances: Sequence[Balance]) -> None:
        amounts: dict[str, dict[int, float]] = {}
        shares: dict[str, dict[int, float]] = {}
        for number, (water, its) in enumerate(zip(waters, balances, strict=True)):
            total = its.cations + its.anions
            for name, constituent in water.analysis.constituents.items():
                if constituent.amount > 0 and not constituent.censored and total > 0:
                    amounts.setdefault(name, {})[number] = math.log10(constituent.amount)
                    shares.setdefault(name, {})[number] = math.log10(constituent.amount / total)
        self.medians = {
            name: statistics.median(by_row.values())
            for name, by_row in amounts.items()
            if len(by_row) >= LEAST_ROWS
        }
        self.near = {name: max(4 * _deviations(amounts[name])[1], 0.5) for name in self.medians}
        """Decades from the median within which a value is one among others."""
        self.odd = {name: _odd(name, amounts[name], shares[name]) for name in self.medians}
        """Rows by element, each with its distance from the median in decades."""
        self.whole = _odd_wholes(waters)
        """What is odd about pH, temperature and CO2, by row."""
        self.swapped = _swapped(waters)
        """Neighbours that seem to have changed places, by row."""

    def distance(self, element: str, amount: float) -> float:
        """Return how many decades an amount is from the median of the table; 0 where there is none."""
        median = self.medians.get(element)
        return 0.0 if median is None or amount <= 0 else abs(math.log10(amount) - median)


def _odd(element: str, amounts: Mapping[int, float], shares: Mapping[int, float]) -> dict[int, float]:
    redox = element.partition("(")[0] in ("N", "Amm", "Fe", "Mn") or element == "S(-2)"
    by_amount, one = _deviations(amounts)
    by_share, other = _deviations(shares)
    most = max(2.0, ODD_ROWS * len(amounts))
    found: dict[int, float] = {}
    for sign in (1, -1):
        far = [number for number, each in by_amount.items() if sign * each >= ODD_DECADES]
        found |= {
            number: by_amount[number]
            for number in far
            if len(far) <= most
            and sign * by_share[number] >= ODD_DECADES_OF_SHARE
            and (not redox or sign * by_amount[number] >= ODD_DECADES_REDOX)
            and (
                sign * by_amount[number] > ODD_SPREADS * one or sign * by_share[number] > ODD_SPREADS * other
            )
        }
    return found


def _deviations(values: Mapping[int, float]) -> tuple[dict[int, float], float]:
    """Return the deviations from the median, and their robust standard deviation."""
    median = statistics.median(values.values())
    deviations = {number: each - median for number, each in values.items()}
    return deviations, 1.4826 * statistics.median(map(abs, deviations.values()))


def _odd_wholes(waters: Sequence[Water]) -> list[list[Notice]]:
    """Compare pH, temperature and CO2 of each row with the others."""
    found: list[list[Notice]] = [[] for _ in waters]
    rows = range(len(waters))
    temperatures = {n: waters[n].analysis.temperature for n in rows}
    for number in _far(temperatures, OUTLYING["temperature"]) | _beyond_liquid(temperatures):
        T = temperatures[number]
        median = statistics.median(temperatures.values())
        words = f"temperature {T:g} degC where the median of the table is {median:.3g}"
        likely = []
        celsius = (T - 32) / 1.8
        if abs(celsius - median) < min(OUTLYING["temperature"], abs(T - median) / 4):
            likely.append(Explanation("temperature", "", f"it would be {celsius:.1f} if it were in degF"))
        if abs(T / 10 - median) < min(OUTLYING["temperature"], abs(T - median) / 4):
            likely.append(Explanation("temperature", "", f"it would be usual as {T / 10:g}"))
        found[number].append(Notice("temperature", "", words, tuple(likely)))
    values = {n: waters[n].analysis.pH for n in rows if waters[n].analysis.pH >= ALKALINITY_END}
    for number in _far(values, OUTLYING["pH"]):
        median = statistics.median(values.values())
        words = f"pH {values[number]:g} where the median of the table is {median:.3g}"
        found[number].append(Notice("pH", "pH", words))
    pressures = {n: each for n in rows if (each := _pCO2(waters[n])) > MAX_PCO2}
    if len(pressures) <= max(2.0, ODD_ROWS * len(waters)):  # more of them are mineral springs
        for number, pressure in pressures.items():
            analysis = waters[number].analysis
            words = (
                f"pH {analysis.pH:g} and an alkalinity of {analysis.constituents['Alkalinity'].amount:.3g} meq need "
                f"{pressure:.2g} atm of CO2: the pH or the alkalinity is in doubt, unless it is a sparkling spring"
            )
            found[number].append(Notice("pH", "", words))
    return found


def _far(values: Mapping[int, float], least: float) -> set[int]:
    """Return the few rows that are far outside the spread of the others."""
    if len(values) < LEAST_ROWS:
        return set()
    deviations, spread = _deviations(values)
    found: set[int] = set()
    for sign in (1, -1):
        far = {n for n, each in deviations.items() if sign * each >= max(least, ODD_SPREADS * spread)}
        if len(far) <= max(2.0, ODD_ROWS * len(values)):
            found |= far
    return found


def _beyond_liquid(temperatures: Mapping[int, float]) -> set[int]:
    """Return rows of ice or steam in a table of waters of the ground or a river."""
    if len(temperatures) < 4 or not 4 <= statistics.median(temperatures.values()) <= 50:
        return set()
    odd = {n for n, each in temperatures.items() if each < 0 or each > 100}
    return odd if len(odd) <= max(2.0, ODD_ROWS * len(temperatures)) else set()


def _pCO2(water: Water) -> float:
    """Return the pressure of CO2 in atm in equilibrium with pH and alkalinity, without activity coefficients.

    Solubility: Plummer and Busenberg (1982), as in `carbonate`. 0 where there is no alkalinity, or where the pH says
    that it cannot be bicarbonate.
    """
    analysis = water.analysis
    given = analysis.constituents.get("Alkalinity")
    T = analysis.temperature
    if given is None or given.censored or given.amount <= 0 or not ALKALINITY_END <= analysis.pH <= 8:
        return 0.0
    if not 0 <= T <= 90:
        return 0.0
    kelvin = T + 273.15
    log_kh = (
        108.3865 + 0.01985076 * kelvin - 6919.53 / kelvin - 40.45154 * math.log10(kelvin) + 669365 / kelvin**2
    )
    exponent = math.log10(1e-3 * given.amount) - analysis.pH - log_k1(kelvin) - log_kh
    return math.pow(10.0, min(exponent, 300.0))


def _neighbours(water: Water) -> list[tuple[Measurement, Measurement]]:
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


def _exchanged(one: Measurement, other: Measurement) -> tuple[float, float]:
    """Return the amounts of two measurements had their cells changed places."""
    return one.amount * other.value / one.value, other.amount * one.value / other.value


def _swapped(waters: Sequence[Water]) -> dict[int, list[Notice]]:
    """Find neighbouring cells that changed places, by their ratio in the other rows."""
    ratios: dict[tuple[str, str], dict[int, float]] = {}
    pairs: dict[tuple[str, str], dict[int, tuple[Measurement, Measurement]]] = {}
    for number, water in enumerate(waters):
        for one, other in _neighbours(water):
            names = (one.column.header, other.column.header)
            ratios.setdefault(names, {})[number] = math.log10(one.amount / other.amount)
            pairs.setdefault(names, {})[number] = (one, other)
    found: dict[int, list[Notice]] = {}
    for names, logs in ratios.items():
        _, spread = _deviations(logs)
        median = statistics.median(logs.values())
        for number in _far(logs, SWAPPED_DECADES):
            first, second = _exchanged(*pairs[names][number])
            if abs(math.log10(first / second) - median) > max(2 * spread, 0.3):
                continue
            words = f"{names[0]} and {names[1]} stand in another ratio than in the rest of the table"
            why = Explanation(
                "value", names[0], f"it would be usual if {names[0]} and {names[1]} had changed places"
            )
            found.setdefault(number, []).append(Notice("value", names[0], words, (why,)))
    return found


def _no_alkalinity(water: Water, its: Balance) -> list[Notice]:
    given = water.analysis.constituents.get("Alkalinity")
    pH = water.analysis.pH
    if given is None or given.censored or given.amount or pH < ZERO_ALKALINITY_PH:
        return []
    if its.cations < ZERO_ALKALINITY_MEQ or "C(4)" in water.analysis.constituents or pH > 10:
        return []
    column = next((each.column.header for each in water.measured if each.column.element == "Alkalinity"), "")
    words = f"{column} is 0 at pH {pH:g}, where a water has some: 0 may stand for a value that is missing"
    return [Notice("value", column, words)]


def _pH(water: Water, its: Balance, limit: float) -> list[Notice]:
    analysis = water.analysis
    given = analysis.constituents.get("Alkalinity")
    alkalinity = given.amount if given and not given.censored else 0.0
    pH, T = analysis.pH, analysis.temperature
    column = next((each.column.header for each in water.measured if each.column.element == "Alkalinity"), "")
    if alkalinity > 0 and pH < ALKALINITY_END:
        words = (
            f"pH {pH:g} and an alkalinity of {alkalinity:.3g} meq exclude each other: the titration ends near pH "
            f"{ALKALINITY_END:g}"
        )
        return [Notice("pH", column, words)]
    hydroxide = 1e3 * 10 ** (pH + log_kw(T + 273.15)) if pH > 10 else 0.0
    if given is not None and not given.censored and hydroxide > alkalinity:
        words = f"pH {pH:g} alone needs an alkalinity of {hydroxide:.3g} meq as OH-, and {alkalinity:.3g} is reported"
        return [Notice("pH", column, words)]
    split = {each.column.known.key for each in water.measured if each.column.known} & {
        "Alkalinity",
        "HCO3",
        "CO3",
    }
    if pH > 10 and split == {"HCO3"} and abs(its.charge_error or 0.0) > limit:
        words = f"at pH {pH:g} HCO3 is the smaller part of the alkalinity; {column} is taken for all of it"
        return [Notice("pH", column, words)]
    return []


def _charge(
    water: Water,
    its: Balance,
    speciated: float | None,
    limit: float,
    columns: dict[str, Column],
    every: Sequence[Column],
    catalogue: Catalogue,
    common: _Common,
) -> list[Notice]:
    acid = its.basis_of_alkalinity == "acid"
    error = speciated if acid and speciated is not None else its.charge_error
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
    absent = [
        element
        for element in MAJOR
        if element not in columns and not (element == "Alkalinity" and "C(4)" in columns)
    ]
    if absent:
        return [Notice("charge", "", f"{words}; {_absent(absent, every)}")]
    if acid:
        return [Notice("charge", "", words)]
    explanations = [
        *_misread(water, its, limit, catalogue, common),
        *_slips(water, its, limit, common),
        *_missing(water, its, columns, common),
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


def _slips(water: Water, its: Balance, limit: float, common: _Common) -> Iterator[tuple[float, Explanation]]:
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
            doubt += common.distance(measurement.column.element, amount)
            doubt -= common.distance(measurement.column.element, measurement.amount)
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
    for one, other in _neighbours(water):
        first, second = _exchanged(one, other)
        error, doubt = remains([(one, first), (other, second)])
        if error <= WELL_INSIDE * limit:
            words = f"if {one.column.header} and {other.column.header} had changed places"
            yield doubt, Explanation("value", one.column.header, words, error)


def _misread(
    water: Water, its: Balance, limit: float, catalogue: Catalogue, common: _Common
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
            doubt = HEADING_DOUBT if _says_formula(measurement.column) else 0.0
            doubt += abs(error) / limit + common.distance(element, reading.amount)
            doubt -= common.distance(element, measurement.amount)
            doubt += _conductivity_doubt(water, its.cations + (new - old if charge > 0 else 0.0))
            header = measurement.column.header
            words = f"if {header} were {reading.words}"
            yield doubt, Explanation(reading.kind, header, words, abs(error))


def _says_formula(column: Column) -> bool:
    """Tell whether a heading states of what it is a mass where custom is another: ``SO4 (mg/L as S)``."""
    known = column.known
    if known is None or not column.formula or column.formula == known.formula:
        return False
    return column.formula != "CaCO3" or known.element != "Alkalinity"


def _missing(
    water: Water, its: Balance, columns: dict[str, Column], common: _Common
) -> Iterator[tuple[float, Explanation]]:
    """Give the amount of an ion without a value in the row that would balance the charges.

    Any major ion may be it; another one where the amount is within a decade of what is usual in the table.
    """
    for element, column in columns.items():
        charge = CHARGES.get(element, 0)
        given = water.analysis.constituents.get(element)
        zero = element == "Alkalinity" and given is not None and not given.amount
        if (given is not None and not zero) or charge * its.imbalance >= 0:
            continue
        if element == "Alkalinity" and "C(4)" in water.analysis.constituents:
            continue
        amount = -its.imbalance / charge
        if element not in MAJOR and (element not in common.medians or common.distance(element, amount) > 1):
            continue
        doubt = common.distance(element, amount) + _conductivity_doubt(
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


def _checks(water: Water, its: Balance, weights: Mapping[str, float]) -> list[Notice]:
    found = []
    reported = water.checks.get("conductivity")
    low, high = CONDUCTIVITY_MEQ
    if reported is not None and low <= its.cations <= high and its.basis_of_alkalinity != "acid":
        expected = 100 * its.cations
        if not _within(reported / expected, CONDUCTIVITY_RANGE):
            words = f"conductivity {reported:.4g} uS/cm; {its.cations:.3g} meq of cations give about {expected:.3g}"
            found.append(Notice("check", "", words + _thousand(reported / expected)))
    hardness = water.checks.get("hardness")
    if hardness is not None and its.hardness and not _within(hardness / its.hardness, HARDNESS_RANGE):
        words = f"hardness {hardness:.4g} mg/L as CaCO3 is reported; calcium and magnesium give {its.hardness:.4g}"
        found.append(Notice("check", "", words))
    solids, total = water.checks.get("TDS"), dissolved_solids(water.analysis, weights)
    if solids is not None and total > 0 and not _within(solids / total, SOLIDS_RANGE):
        words = f"{solids:.4g} mg/L of dissolved solids are reported; the constituents sum up to {total:.4g}"
        found.append(Notice("check", "", words))
    return found


def _within(ratio: float, limits: tuple[float, float]) -> bool:
    return limits[0] <= ratio <= limits[1]


def _thousand(ratio: float) -> str:
    if 0.5 < ratio * 1000 < 2:
        return "; it would agree in mS/cm"
    return ""


def _outliers(number: int, water: Water, its: Balance, catalogue: Catalogue, common: _Common) -> list[Notice]:
    """Compare the row with the others, for constituents that the charge balance does not judge."""
    found = []
    total = its.cations + its.anions
    for measurement in water.measured:
        element, header = measurement.column.element, measurement.column.header
        decades = common.odd.get(element, {}).get(number, 0.0)
        if not decades or abs(measurement.amount * CHARGES.get(element, 0)) > NEGLIGIBLE * total:
            continue
        explanations = [
            (distance, reading)
            for reading in readings(measurement, catalogue)
            if (distance := common.distance(element, reading.amount)) < common.near[element]
        ]
        if not explanations:
            continue
        times = 10 ** abs(decades)
        words = f"{header} is {_round(times)} times {'more' if decades > 0 else 'less'} than the median of the table"
        explanations.sort(key=lambda each: each[0])
        found.append(
            Notice(
                "unit",
                header,
                words,
                tuple(
                    Explanation(reading.kind, header, f"it would not be odd {reading.words}")
                    for _, reading in explanations
                ),
            )
        )
    return found


def _round(number: float) -> str:
    return f"{float(f'{number:.1g}'):,.0f}"
