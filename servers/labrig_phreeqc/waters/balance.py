"""The ion balance of an analysis in closed form: charge error, water type, hardness, dissolved solids. No engine.

Charges are those of `constituents.CHARGES`: of the species at the end of the alkalinity titration, so that
electroneutrality is "sum of cations - sum of other anions = alkalinity" at every pH and weak acids count once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from labrig_phreeqc.database.formulas import formula_weight
from labrig_phreeqc.waters.analysis import Analysis
from labrig_phreeqc.waters.carbonate import activity, alkalinity_of, log_kw
from labrig_phreeqc.waters.constituents import CHARGES, KNOWN

IONS: Mapping[str, tuple[str, ...]] = {
    "Ca": ("Ca",),
    "Mg": ("Mg",),
    "Na": ("Na",),
    "K": ("K",),
    "SO4": ("S(6)", "S"),
    "Cl": ("Cl",),
    "NO3": ("N(5)",),
    "F": ("F",),
}
"""The ions that diagrams name, with PHREEQC's elements; HCO3 and CO3 come from the alkalinity."""

TYPE_SHARE = 0.5
"""Share of the equivalents from which an ion names the water (Piper 1944, Trans. AGU 25, 914-928; Back 1966, USGS
Professional Paper 498-A, "hydrochemical facies")."""

HARDNESS_MG = 100.0869
"""mg of CaCO3 in a mmol of calcium or magnesium."""

ALKALINITY_END = 4.5
"""pH at which the alkalinity titration ends; below it a water has no alkalinity to be reported."""

_HCO3_MG, _CO3_MG = 61.017, 30.0045
"""mg in a meq."""

_FORMULAS = {each.element: each.formula for each in reversed(KNOWN) if each.formula} | {
    "C(4)": "HCO3",
    "Amm": "NH4",
}

_LOG_K_HSO4 = -1.988
"""HSO4- = H+ + SO4-2 at 25 degC, as in phreeqc.dat."""


Basis = Literal["measured", "DIC", "acid", "none", "unknown"]


@dataclass(frozen=True)
class Balance:
    """The ion balance of one water; amounts in meq per basis of the analysis.

    Attributes
    ----------
    cations, anions
        Sums of the equivalents, both positive. H+ is among the cations, and what it leaves of the alkalinity among the
        anions (alkalinity is HCO3- and the like *less* H+); HSO4- counts once in water below the end of the titration.
    charge_error
        100 (cations - anions) / (cations + anions) in percent; None where either side has nothing measured.
    meq
        Equivalents of Ca, Mg, Na, K, HCO3, CO3, SO4, Cl, NO3, F: what diagrams show. HCO3 is the alkalinity less what
        was reported as CO3.
    water_type
        ``Ca-HCO3``: the cation and the anion with more than half of the equivalents of Ca, Mg, Na+K and of HCO3+CO3,
        SO4, Cl; ``mixed`` where none has. Empty where one side was not measured.
    hardness
        Calcium and magnesium in mg CaCO3 per basis; None where either was not measured.
    basis_of_alkalinity
        ``measured``; ``DIC`` where it is computed from inorganic carbon and pH; ``acid`` where there is none and pH is
        below the end of the titration, so that H+ and HSO4- count; ``none``;
        ``unknown`` where the pH or temperature is missing that says how much of the inorganic carbon is HCO3-.
    """

    cations: float
    anions: float
    charge_error: float | None
    meq: Mapping[str, float]
    water_type: str
    hardness: float | None
    basis_of_alkalinity: Basis

    @property
    def imbalance(self) -> float:
        """Cations less anions, meq per basis."""
        return self.cations - self.anions


def balance(analysis: Analysis) -> Balance:
    """Return the ion balance of an analysis.

    Notes
    -----
    Standard Methods for the Examination of Water and Wastewater, 1030 E; Hem (1985), USGS Water-Supply Paper 2254.
    PHREEQC's "percent error" has the same form with the charges of the speciated ions, which ion pairs make smaller: of
    the two it is the larger in water with much CaSO4 or MgSO4.
    """
    amounts = {name: each.amount for name, each in analysis.constituents.items()}
    alkalinity, how = _alkalinity(analysis, amounts)
    charges = [amount * CHARGES.get(name, 0) for name, amount in amounts.items() if name != "Alkalinity"]
    if alkalinity is not None:
        charges.append(-alkalinity)
    cations = math.fsum(each for each in charges if each > 0)
    anions = -math.fsum(each for each in charges if each < 0)
    both = cations > 0 and anions > 0 and how != "unknown"
    proton, hydroxide = _water_ions(analysis, amounts)
    if how == "acid":  # the negative alkalinity is H+ and HSO4-, and stands among the cations
        bisulfate = max(-(alkalinity or 0.0) - proton, 0.0)
        cations, anions = cations - bisulfate, anions - bisulfate
    elif both:
        cations += proton
        anions += (
            proton if alkalinity else hydroxide
        )  # without alkalinity, or with one of 0, PHREEQC adds no carbon
    meq = {
        ion: amounts[element] * abs(CHARGES[element])
        for ion, elements in IONS.items()
        for element in elements
        if element in amounts
    }
    if alkalinity is not None and alkalinity >= 0:
        carbonate = min(analysis.carbonate or 0.0, alkalinity)
        meq["HCO3"] = alkalinity - carbonate
        if analysis.carbonate is not None:
            meq["CO3"] = carbonate
    elif how == "acid":
        meq["HCO3"] = 0.0
    hard = "Ca" in amounts and "Mg" in amounts
    return Balance(
        cations=cations,
        anions=anions,
        charge_error=100 * (cations - anions) / (cations + anions) if both else None,
        meq=meq,
        water_type=_type(meq) if both else "",
        hardness=HARDNESS_MG * (amounts["Ca"] + amounts["Mg"]) if hard else None,
        basis_of_alkalinity=how,
    )


def dissolved_solids(analysis: Analysis, weights: Mapping[str, float]) -> float:
    """Return the sum of the constituents in mg per basis, as ions (alkalinity as HCO3 and CO3) and SiO2.

    Parameters
    ----------
    weights
        Weight of each element in g/mol.

    Notes
    -----
    A residue on evaporation is less by about half the bicarbonate, which escapes as CO2 and water (Hem 1985).
    """
    total = 0.0
    for name, constituent in analysis.constituents.items():
        if name == "Alkalinity":
            carbonate = min(analysis.carbonate or 0.0, constituent.amount)
            total += _HCO3_MG * (constituent.amount - carbonate) + _CO3_MG * carbonate
        else:
            formula = _FORMULAS.get(name, name.partition("(")[0])
            total += constituent.amount * (formula_weight(formula, weights) or 0.0)
    return total


def _alkalinity(analysis: Analysis, amounts: Mapping[str, float]) -> tuple[float | None, Basis]:
    """Return meq of alkalinity and where it comes from."""
    if amounts.get("Alkalinity"):
        return amounts["Alkalinity"], "measured"
    pH, temperature = analysis.pH, analysis.temperature
    strength = _strength(analysis, amounts)
    carbon = amounts.get("C(4)", amounts.get("C"))
    if carbon and analysis.unmeasured:
        return None, "unknown"
    if carbon is not None and not analysis.unmeasured:
        return alkalinity_of(carbon, pH, temperature, strength + 0.5e-3 * carbon), "DIC"
    if pH < ALKALINITY_END:
        pfm = max(activity(min(strength, 0.5)), 0.0)
        ratio = 10 ** (-pH - _LOG_K_HSO4 - 3 * pfm)  # HSO4- to SO4-2
        bisulfate = amounts.get("S(6)", amounts.get("S", 0.0)) * ratio / (1 + ratio)
        return -1e3 * 10 ** (pfm - pH) - bisulfate, "acid"
    return (0.0, "measured") if "Alkalinity" in amounts else (None, "none")


def _strength(analysis: Analysis, amounts: Mapping[str, float]) -> float:
    """Return the ionic strength in mol per basis, ion pairs left out."""
    charges = math.fsum(amount * CHARGES.get(name, 0) ** 2 for name, amount in amounts.items())
    return 0.5e-3 * charges + (0.0 if math.isnan(analysis.pH) else 0.5 * 10**-analysis.pH)


def _water_ions(analysis: Analysis, amounts: Mapping[str, float]) -> tuple[float, float]:
    """Return meq of H+ and of OH- per basis; none where pH or temperature was not measured."""
    if analysis.unmeasured:
        return 0.0, 0.0
    pfm = max(activity(min(_strength(analysis, amounts), 0.5)), 0.0)
    log_oh = analysis.pH + log_kw(analysis.temperature + 273.15) + pfm
    return 1e3 * 10 ** (pfm - analysis.pH), 1e3 * 10**log_oh


def _type(meq: Mapping[str, float]) -> str:
    cations = {
        "Ca": meq.get("Ca", 0.0),
        "Mg": meq.get("Mg", 0.0),
        "Na": meq.get("Na", 0.0) + meq.get("K", 0.0),
    }
    anions = {
        "HCO3": meq.get("HCO3", 0.0) + meq.get("CO3", 0.0),
        "SO4": meq.get("SO4", 0.0),
        "Cl": meq.get("Cl", 0.0),
    }
    return f"{_dominant(cations)}-{_dominant(anions)}"


def _dominant(sides: Mapping[str, float]) -> str:
    total = sum(sides.values())
    name = max(sides, key=lambda each: sides[each])
    return name if total > 0 and sides[name] > TYPE_SHARE * total else "mixed"
