"""The equilibrium constant of a reaction at a temperature, as PHREEQC computes it at 1 atm."""

from __future__ import annotations

import math

from labrig.errors import LabrigError
from labrig_phreeqc.database.catalogue import Reaction
from labrig_phreeqc.database.formulas import leading_species, normal_charge

GAS_CONSTANT = 8.314462618e-3
"""kJ/(mol K), CODATA 2018. PHREEQC has 0.0083147, which moves a log K by less than 1e-3 at 100 degC."""

KILOJOULES = {"kJ/mol": 1.0, "kcal/mol": 4.184, "J/mol": 1e-3, "cal/mol": 4.184e-3}
"""The units of a reaction enthalpy that PHREEQC knows, in kJ/mol."""


def log_k_at(entry: Reaction, celsius: float) -> float:
    r"""Return the equilibrium constant that PHREEQC uses at a temperature and 1 atm.

    Parameters
    ----------
    entry
        A species, phase or named expression.
    celsius
        Temperature in degC. Whether the constant is valid there, `in_range` tells as far as the database does.

    Returns
    -------
    float
        :math:`\log_{10} K` = A1 + A2 T + A3/T + A4 log10 T + A5/T^2 + A6 T^2 with T in K where the database
        has an analytical expression; else log K at 25 degC by van't Hoff, with a constant (or no) enthalpy; plus the
        named expressions it adds.

    Raises
    ------
    LabrigError
        ``bad_input`` below absolute zero, ``not_found`` where the database states no constant.

    Notes
    -----
    PHREEQC 3 manual (Parkhurst and Appelo, 2013, USGS TM 6-A43), SOLUTION_SPECIES, options log_k, delta_h and
    analytical_expression. The effect of pressure (and so of the vapour pressure above 100 degC) is left out.
    """
    kelvin = celsius + 273.15
    if not (math.isfinite(kelvin) and kelvin > 0):
        raise LabrigError(
            "There is no such temperature", where=f"celsius={celsius}", expected="above -273.15 degC"
        )
    if any(entry.analytic):
        powers = (1.0, kelvin, 1 / kelvin, math.log10(kelvin), kelvin**-2, kelvin**2)
        log_k = math.fsum(a * power for a, power in zip(entry.analytic, powers, strict=True))
    elif entry.log_k is not None:
        enthalpy = (entry.delta_h or 0.0) * KILOJOULES[entry.delta_h_unit]
        log_k = entry.log_k - enthalpy / (GAS_CONSTANT * math.log(10)) * (1 / kelvin - 1 / 298.15)
    elif entry.analytic or entry.added or _is_identity(entry.equation):
        log_k = 0.0
    else:
        raise LabrigError(
            f"The database states no log K for {entry.name}; PHREEQC computes with 0",
            where=f"line {entry.line}",
            expected="log_k or an analytical expression",
            code="not_found",
        )
    return log_k + math.fsum(coefficient * log_k_at(each, celsius) for each, coefficient in entry.added)


def in_range(entry: Reaction, celsius: float) -> bool | None:
    """Return whether a temperature lies in the range the database states, or None if it states none."""
    if entry.temperature_range is None:
        return None
    low, high = entry.temperature_range
    return low <= celsius <= high


def _is_identity(equation: str) -> bool:
    left, _, right = "".join(equation.split()).partition("=")
    return bool(left) and normal_charge(leading_species(left)) == normal_charge(right)
