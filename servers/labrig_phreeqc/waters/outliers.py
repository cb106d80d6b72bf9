"""What is usual in a table of waters, and the rows that are far from it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence, Sized

from labrig_phreeqc.database.catalogue import Catalogue
from labrig_phreeqc.waters.balance import ALKALINITY_END, Balance
from labrig_phreeqc.waters.carbonate import log_k1
from labrig_phreeqc.waters.constituents import CHARGES
from labrig_phreeqc.waters.measurements import Measurement
from labrig_phreeqc.waters.notices import Explanation, Notice
from labrig_phreeqc.waters.readings import exchanged, neighbours, readings
from labrig_phreeqc.waters.rows import Water
from labrig_phreeqc.waters.table import Table

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

OUTLYING = {"pH": 1.5, "temperature": 12.0}
"""Least distance from the median at which pH and temperature are odd, and only beyond `ODD_SPREADS`."""

SWAPPED_DECADES = 1.2
"""Least distance of a ratio of neighbours from its median at which they seem to have changed places."""

MAX_PCO2 = 1.0
"""atm, above which water at the surface loses gas."""

NEGLIGIBLE = 0.1
"""Share of a water's equivalents from which a constituent is judged by the charge balance and not by other rows."""


class Usual:
    """What is usual in the table: logarithms of amounts and of shares in all ions, by element."""

    def __init__(self, table: Table, balances: Sequence[Balance]) -> None:
        waters = table.waters
        self.columns = table.columns
        self.columns_of = {
            column.element: column
            for column in reversed(table.columns)
            if column.role == "concentration" and column.known
        }
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
    found: dict[int, float] = {}
    for sign in (1, -1):
        far = [number for number, each in by_amount.items() if sign * each >= ODD_DECADES]
        found |= {
            number: by_amount[number]
            for number in far
            if _few(far, amounts)
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


def _few(rows: Sized, of: Sized) -> bool:
    """Tell whether rows are so few that they are errors, and no kind of water."""
    return len(rows) <= max(2.0, ODD_ROWS * len(of))


def _odd_wholes(waters: Sequence[Water]) -> list[list[Notice]]:
    """Compare pH, temperature and CO2 of each row with the others."""
    found: list[list[Notice]] = [[] for _ in waters]
    for number, notice in (*_odd_temperatures(waters), *_odd_pH(waters), *_odd_pCO2(waters)):
        found[number].append(notice)
    return found


def _odd_temperatures(waters: Sequence[Water]) -> Iterator[tuple[int, Notice]]:
    temperatures = {n: T for n, each in enumerate(waters) if not math.isnan(T := each.analysis.temperature)}
    for number in _far(temperatures, OUTLYING["temperature"]) | _beyond_liquid(temperatures):
        T, median = temperatures[number], statistics.median(temperatures.values())
        near = min(OUTLYING["temperature"], abs(T - median) / 4)
        celsius = (T - 32) / 1.8
        likely = []
        if abs(celsius - median) < near:
            likely.append(Explanation("temperature", "", f"it would be {celsius:.1f} if it were in degF"))
        if abs(T / 10 - median) < near:
            likely.append(Explanation("temperature", "", f"it would be usual as {T / 10:g}"))
        words = f"temperature {T:g} degC where the median of the table is {median:.3g}"
        yield number, Notice("temperature", "", words, tuple(likely))


def _odd_pH(waters: Sequence[Water]) -> Iterator[tuple[int, Notice]]:
    values = {n: pH for n, each in enumerate(waters) if (pH := each.analysis.pH) >= ALKALINITY_END}
    for number in _far(values, OUTLYING["pH"]):
        median = statistics.median(values.values())
        words = f"pH {values[number]:g} where the median of the table is {median:.3g}"
        yield number, Notice("pH", "pH", words)


def _odd_pCO2(waters: Sequence[Water]) -> Iterator[tuple[int, Notice]]:
    pressures = {n: pressure for n, each in enumerate(waters) if (pressure := _pCO2(each)) > MAX_PCO2}
    for number, pressure in pressures.items() if _few(pressures, waters) else ():  # more are mineral springs
        analysis = waters[number].analysis
        words = (
            f"pH {analysis.pH:g} and an alkalinity of {analysis.constituents['Alkalinity'].amount:.3g} meq need "
            f"{pressure:.2g} atm of CO2: the pH or the alkalinity is in doubt, unless it is a sparkling spring"
        )
        yield number, Notice("pH", "", words)


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


def _far(values: Mapping[int, float], least: float) -> set[int]:
    """Return the few rows that are far outside the spread of the others."""
    if len(values) < LEAST_ROWS:
        return set()
    deviations, spread = _deviations(values)
    found: set[int] = set()
    for sign in (1, -1):
        far = {n for n, each in deviations.items() if sign * each >= max(least, ODD_SPREADS * spread)}
        if _few(far, values):
            found |= far
    return found


def _beyond_liquid(temperatures: Mapping[int, float]) -> set[int]:
    """Return rows of ice or steam in a table of waters of the ground or a river."""
    if len(temperatures) < 4 or not 4 <= statistics.median(temperatures.values()) <= 50:
        return set()
    odd = {n for n, each in temperatures.items() if each < 0 or each > 100}
    return odd if _few(odd, temperatures) else set()


def _swapped(waters: Sequence[Water]) -> dict[int, list[Notice]]:
    """Find neighbouring cells that changed places, by their ratio in the other rows."""
    ratios: dict[tuple[str, str], dict[int, float]] = {}
    pairs: dict[tuple[str, str], dict[int, tuple[Measurement, Measurement]]] = {}
    for number, water in enumerate(waters):
        for one, other in neighbours(water):
            names = (one.column.header, other.column.header)
            ratios.setdefault(names, {})[number] = math.log10(one.amount / other.amount)
            pairs.setdefault(names, {})[number] = (one, other)
    found: dict[int, list[Notice]] = {}
    for names, logs in ratios.items():
        _, spread = _deviations(logs)
        median = statistics.median(logs.values())
        for number in _far(logs, SWAPPED_DECADES):
            first, second = exchanged(*pairs[names][number])
            if abs(math.log10(first / second) - median) > max(2 * spread, 0.3):
                continue
            words = f"{names[0]} and {names[1]} stand in another ratio than in the rest of the table"
            why = Explanation(
                "value", names[0], f"it would be usual if {names[0]} and {names[1]} had changed places"
            )
            found.setdefault(number, []).append(Notice("value", names[0], words, (why,)))
    return found


def outliers(number: int, water: Water, its: Balance, catalogue: Catalogue, usual: Usual) -> list[Notice]:
    """Compare the row with the others, for constituents that the charge balance does not judge."""
    found = []
    total = its.cations + its.anions
    for measurement in water.measured:
        element, header = measurement.column.element, measurement.column.header
        decades = usual.odd.get(element, {}).get(number, 0.0)
        if not decades or abs(measurement.amount * CHARGES.get(element, 0)) > NEGLIGIBLE * total:
            continue
        explanations = [
            (distance, reading)
            for reading in readings(measurement, catalogue)
            if (distance := usual.distance(element, reading.amount)) < usual.near[element]
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
