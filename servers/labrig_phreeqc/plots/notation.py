"""Names of chemical things as they are printed in pictures: ions, formulas, quantities, units."""

from __future__ import annotations

import re

from labrig.plotting.style import SUPERSCRIPTS, plain

ION_NAMES = {
    "Ca": "Ca²⁺",
    "Mg": "Mg²⁺",
    "Na": "Na⁺",
    "K": "K⁺",
    "HCO3": "HCO₃⁻",
    "CO3": "CO₃²⁻",
    "SO4": "SO₄²⁻",
    "Cl": "Cl⁻",
    "NO3": "NO₃⁻",
    "F": "F⁻",
    "Br": "Br⁻",
}

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SYMBOLS = """
    H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr
    Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt
    Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm D T X
"""  # X: the exchanger
_ELEMENTS = frozenset(_SYMBOLS.split())
_FORMULA = re.compile(
    r"(?P<body>(?:[A-Z][a-z]?(?:\d+(?:\.\d+)?)?|\((?=[A-Z])|\)(?:\d+(?:\.\d+)?)?|:(?:\d+(?:\.\d+)?)?)+)"
    r"(?P<charge>[+-]\d+|\++|-+|)(?P<state>\((?:g|s|l|a|am|c|d|aq)\)|)"
)
_QUANTITY = re.compile(
    r"(?P<kind>m|a|lm|la|lg|SI|si|p|gas|moles|delta|ss|x|kin|dk)\((?P<name>.+)\)(?P<rest>(?:, .+)?)"
)
_UNITS = {
    "1": "",
    "degC": "°C",
    "uS/cm": "µS/cm",
    "log10(IAP/K)": "log₁₀(IAP/K)",
    "log10(mol/kgw)": "log₁₀(mol/kgw)",
    "log10(activity)": "log₁₀(activity)",
    "m3": "m³",
    "cm3": "cm³",
    "g/cm3": "g/cm³",
}


def formula(text: str) -> str:
    """Return a formula of PHREEQC with sub- and superscripts; whatever is not a formula comes back as it is.

    Examples
    --------
    ``HCO3-`` is HCO₃⁻, ``Ca+2`` Ca²⁺, ``CO2(g)`` CO₂(g), ``CaSO4:2H2O`` CaSO₄·2H₂O; ``Calcite`` and the valence
    state ``C(4)`` stay.
    """
    match = _FORMULA.fullmatch(text)
    if not match or match["body"].count("(") != match["body"].count(")"):
        return text
    if not set(re.findall(r"[A-Z][a-z]?", match["body"])) <= _ELEMENTS:
        return text
    body = re.sub(r"(?<=[A-Za-z)])(\d+)(?!\d*\.)", lambda m: m[1].translate(_SUBSCRIPTS), match["body"])
    charge = match["charge"]
    if len(charge) > 1:
        size = charge[1:] if charge[1:].isdigit() else str(len(charge))
        charge = (size if size != "1" else "") + charge[0]
    return body.replace(":", "·") + charge.translate(SUPERSCRIPTS) + match["state"]


def quantity(name: str) -> str:
    """Return the name of a quantity, as in `labrig_phreeqc.output.quantities`, with its formula set; ", cell 3" may
    follow it."""
    name = plain(name)
    if match := _QUANTITY.fullmatch(name):
        return f"{match['kind']}({formula(match['name'])}){match['rest']}"
    return name


def unit(text: str) -> str:
    """Return a unit as it is printed on an axis; "" for a number without one."""
    return _UNITS.get(plain(text), plain(text))
