"""The carbonate system in closed form: alkalinity of inorganic carbon, and the Langelier index.

Constants: Plummer and Busenberg (1982), Geochimica et Cosmochimica Acta 46, 1011-1040 (0 to 90 degC, 1 atm); the
ion product of water: Harned and Hamer (1933) as in Standard Methods 2330 B.
"""

from __future__ import annotations

import math

from labrig_phreeqc.waters.analysis import Analysis

MAX_CO2 = 10.0
"""mol/L; carbonated water at 100 atm has about 3."""
LANGELIER_MAX_I = 0.5
"""mol/L above which the activity coefficients of the index do not hold (Standard Methods 2330 B)."""
LANGELIER_TEMPERATURES = (0.0, 90.0)


def log_k1(kelvin: float) -> float:
    """Return log10 K of CO2 + H2O = HCO3- + H+."""
    return (
        -356.3094
        - 0.06091964 * kelvin
        + 21834.37 / kelvin
        + 126.8339 * math.log10(kelvin)
        - 1684915 / kelvin**2
    )


def log_k2(kelvin: float) -> float:
    """Return log10 K of HCO3- = CO3-2 + H+."""
    return (
        -107.8871
        - 0.03252849 * kelvin
        + 5151.79 / kelvin
        + 38.92561 * math.log10(kelvin)
        - 563713.9 / kelvin**2
    )


def log_k_calcite(kelvin: float) -> float:
    """Return log10 K of CaCO3 (calcite) = Ca+2 + CO3-2."""
    return -171.9065 - 0.077993 * kelvin + 2839.319 / kelvin + 71.595 * math.log10(kelvin)


def log_kw(kelvin: float) -> float:
    """Return log10 of the ion product of water."""
    return -(4471 / kelvin + 0.01706 * kelvin - 6.0875)


def activity(ionic_strength: float, temperature: float = 25.0) -> float:
    """Return -log10 of the activity coefficient of a singly charged ion by the Davies equation, mol/L and degC.

    With A = 1.82e6 (E T)^-1.5 and the permittivity of water E = 60954 / (T + 116) - 68.937 (Standard Methods 2330 B).
    """
    kelvin = temperature + 273.15
    permittivity = 60954 / (kelvin + 116) - 68.937
    root = math.sqrt(ionic_strength)
    slope: float = 1.82e6 * (permittivity * kelvin) ** -1.5
    return slope * (root / (1 + root) - 0.3 * ionic_strength)


def alkalinity_of(carbon: float, pH: float, temperature: float, ionic_strength: float) -> float:
    """Return the alkalinity in mmol/L of inorganic carbon in mmol/L at a pH, ion pairs left out."""
    kelvin = temperature + 273.15
    pfm = activity(ionic_strength, temperature)
    h = 10**-pH
    k1, k2 = 10 ** (log_k1(kelvin) + pfm), 10 ** (log_k2(kelvin) + 3 * pfm)
    shares = (h * k1 + 2 * k1 * k2) / (h * h + h * k1 + k1 * k2)
    return carbon * shares + 1e3 * (10 ** (pH + log_kw(kelvin) + pfm) - 10 ** (pfm - pH))


def excluded(analysis: Analysis) -> str:
    """Say why pH and alkalinity exclude each other so far that no solution exists, or nothing.

    Two cases: the pH alone needs more alkalinity as OH- than there is, and the alkalinity at this pH needs more CO2
    than `MAX_CO2`. PHREEQC would try in vain for a second or more.
    """
    given = analysis.constituents.get("Alkalinity")
    if given is None or given.amount <= 0:
        return ""
    kelvin = analysis.temperature + 273.15
    alkalinity, h = 1e-3 * given.amount, 10**-analysis.pH
    hydroxide = 10 ** log_kw(kelvin) / h
    if hydroxide > 1.5 * alkalinity:
        return f"pH {analysis.pH:g} needs more alkalinity than is reported"
    dioxide = (alkalinity + h - hydroxide) * h / 10 ** log_k1(kelvin)
    if dioxide > MAX_CO2:
        return f"the alkalinity at pH {analysis.pH:g} would need {dioxide:.2g} mol/L of CO2"
    return ""


def langelier(analysis: Analysis, ionic_strength: float) -> float | None:
    """Return the Langelier index pH - pHs, by the formula of Standard Methods 2330 B.

    Parameters
    ----------
    analysis
        With calcium and alkalinity; per litre, or per kilogram where that is the same.
    ionic_strength
        mol/L or mol/kgw.

    Returns
    -------
    float or None
        None without calcium or alkalinity (acid water has none),
        and outside the formula's range (ionic strength to 0.5, 0 to 90 degC).

    Notes
    -----
    pHs = pK2 - pKs + p[Ca] + p[HCO3-] + 5 pfm, with pfm from `activity`; [HCO3-] is the alkalinity less OH- and CO3-2
    at the measured pH. Calcium is the total: the index knows no ion pairs and so is larger than the saturation index of
    calcite, by 0.1 and more where sulfate is high.
    """
    calcium = analysis.constituents.get("Ca")
    alkalinity = analysis.constituents.get("Alkalinity")
    low, high = LANGELIER_TEMPERATURES
    if calcium is None or alkalinity is None or calcium.amount <= 0 or alkalinity.amount <= 0:
        return None  # below the end of the titration H+ would be counted as bicarbonate
    if ionic_strength > LANGELIER_MAX_I or not low <= analysis.temperature <= high:
        return None
    kelvin = analysis.temperature + 273.15
    pfm = activity(ionic_strength, analysis.temperature)
    h, oh = 10 ** (pfm - analysis.pH), 10 ** (analysis.pH + pfm + log_kw(kelvin))
    share = 2 * 10 ** (log_k2(kelvin) + 3 * pfm + analysis.pH)
    bicarbonate = (alkalinity.amount * 1e-3 + h - oh) / (1 + share)
    if bicarbonate <= 0:
        return None
    log_product: float = math.log10(calcium.amount * 1e-3) + math.log10(bicarbonate)
    saturated: float = -log_k2(kelvin) + log_k_calcite(kelvin) - log_product + 5 * pfm
    return analysis.pH - saturated
