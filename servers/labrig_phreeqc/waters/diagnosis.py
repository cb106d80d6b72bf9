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

from collections.abc import Mapping, Sequence

from labrig_phreeqc.checks.criteria import CHARGE_ERROR_PERCENT
from labrig_phreeqc.database.catalogue import Catalogue
from labrig_phreeqc.waters.balance import ALKALINITY_END, Balance, balance, dissolved_solids
from labrig_phreeqc.waters.carbonate import log_kw
from labrig_phreeqc.waters.charge_errors import charge_errors
from labrig_phreeqc.waters.notices import Notice
from labrig_phreeqc.waters.outliers import Usual, outliers
from labrig_phreeqc.waters.rows import Water
from labrig_phreeqc.waters.table import Table

ZERO_ALKALINITY_PH, ZERO_ALKALINITY_MEQ = 6.0, 0.3
"""pH and cations above which no alkalinity is not credible."""

CONDUCTIVITY_RANGE = (0.6, 1.7)
"""Conductivity (uS/cm, 25 degC) divided by 100 times the cations in meq/L. Standard Methods 1030 E expects 0.9 to 1.1
for drinking water; divalent ions and salinity lower it (0.7 in water saturated with gypsum), acid raises it."""

CONDUCTIVITY_MEQ = (0.5, 100.0)
"""meq/L between which conductivity is compared: rain water and brines do not follow the rule."""

SOLIDS_RANGE = (0.4, 1.5)
"""Reported dissolved solids divided by the sum of the constituents; a residue on evaporation has lost CO2 and water."""

HARDNESS_RANGE = (0.8, 1.25)
"""Reported hardness divided by that of calcium and magnesium."""


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
    usual = Usual(table, balances)
    weights = {each.name: each.atomic_weight for each in catalogue.elements if each.atomic_weight}
    found = []
    for number, (water, its, error) in enumerate(zip(waters, balances, errors, strict=True)):
        notices = list(water.notices)
        notices += _pH(water, its, charge_limit)
        notices += usual.whole[number]
        notices += _no_alkalinity(water, its)
        notices += charge_errors(water, its, error, charge_limit, catalogue, usual)
        notices += _checks(water, its, weights)
        if not any(each.kind == "charge" for each in notices):
            notices += outliers(number, water, its, catalogue, usual)
            notices += usual.swapped.get(number, [])
        found.append(tuple(notices))
    return found


def _no_alkalinity(water: Water, its: Balance) -> list[Notice]:
    given = water.analysis.constituents.get("Alkalinity")
    pH = water.analysis.pH
    if given is None or given.censored or given.amount or not pH >= ZERO_ALKALINITY_PH:
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
