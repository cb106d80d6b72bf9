"""Units of concentration as laboratories write them: mg/L, ug/l, mmol L-1, meq/kg, mg N/L, ppm."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from labrig_phreeqc.waters.analysis import Basis

Kind = Literal["mass", "amount", "charge"]


@dataclass(frozen=True)
class Unit:
    """A unit of concentration.

    Attributes
    ----------
    kind
        Mass, amount of substance or charge.
    scale
        mg, mmol or meq in one of it.
    basis
        Per litre of solution, kilogram of solution or kilogram of water.
    text
        How it is written here: ``mg/L``.
    """

    kind: Kind
    scale: float
    basis: Basis
    text: str


_BASES: tuple[Basis, ...] = ("L", "kgs", "kgw")
_PREFIXES = {"n": 1e-6, "u": 1e-3, "m": 1.0, "": 1e3}
_STEMS: dict[str, Kind] = {"g": "mass", "mol": "amount", "eq": "charge"}
UNITS: dict[str, Unit] = {
    f"{prefix}{stem}/{basis}": Unit(kind, scale, basis, f"{prefix}{stem}/{basis.replace('kgs', 'kg')}")
    for stem, kind in _STEMS.items()
    for prefix, scale in _PREFIXES.items()
    for basis in _BASES
}
"""Every unit that is understood, by name: ``kgs`` is a kilogram of solution, ``kgw`` one of water."""

_WRITTEN = """N P S C B F Si CaCO3 HCO3 CO3 NO3 NO2 NH4 NH3 SO4 PO4 P2O5 SiO2 CO2 OH CaO MgO H3BO3 H2S Al2O3 Fe2O3
Na2CO3 H4SiO4 Ca0.5(CO3)0.5"""
_SYMBOLS = "Ca Mg Na K Cl Br I Fe Mn Al Sr Ba Li Zn Cu Pb Cd Ni Cr As Se Mo Hg U Co V Sb"
_ELEMENTS = tuple(_SYMBOLS.split())
"""Of a mass too, where they are written as symbols: ``mg Mg/L`` is a unit, and the second half of ``Mg (mg/L)`` not."""
FORMULAS: Mapping[str, str] = {each.casefold(): each for each in (*_WRITTEN.split(), *_ELEMENTS)} | {
    "nitrogen": "N",
    "nitrate": "NO3",
    "phosphorus": "P",
    "phosphate": "PO4",
    "sulfur": "S",
    "sulphur": "S",
    "silica": "SiO2",
    "no3-n": "N",
    "nh4-n": "N",
    "no2-n": "N",
    "po4-p": "P",
    "bicarbonate": "HCO3",
}
"""Formulas that follow a unit or stand after ``as``, by their folded form."""

_SHORT = {
    "M": "mol/L",
    "mM": "mmol/L",
    "uM": "umol/L",
    "nM": "nmol/L",
    "ppm": "mg/kgs",
    "PPM": "mg/kgs",
    "ppb": "ug/kgs",
    "PPB": "ug/kgs",
    "epm": "meq/kgs",
}
_NUMERATORS = {
    r"nano ?grams?|ng": "ng",
    r"micro ?grams?|mcg|ug": "ug",
    r"milli ?grams?|mgr|mg": "mg",
    r"grams?|g": "g",
    r"milli ?equivalents?|m\.?eqv?|m(?:illi)?val|mmol ?\(?(?:eq|c|\+|-)\)?|me": "meq",
    r"micro ?equivalents?|ueq|uval": "ueq",
    r"equivalents?|eq|val": "eq",
    r"nano ?moles?|nmol": "nmol",
    r"micro ?moles?|umol": "umol",
    r"milli ?moles?|mmoles?|mmol": "mmol",
    r"moles?|mol": "mol",
}
_DENOMINATORS = {
    r"kg ?w|kg ?\(?(?:of )?(?:H2O|water)\)?": ("kgw", 1.0),
    r"kg ?s|kg ?\(?(?:of )?(?:soln|solution)\)?|kg|kilograms?": ("kgs", 1.0),
    r"m\^?3|cubic met(?:er|re)s?": ("L", 1e-3),
    r"ml": ("L", 1e3),
    r"litres?|liters?|ltr?|dm\^?3|l": ("L", 1.0),
}
_TOP = "|".join(f"(?P<t{n}>{pattern})" for n, pattern in enumerate(_NUMERATORS))
_BOTTOM = "|".join(f"(?P<b{n}>{pattern})" for n, pattern in enumerate(_DENOMINATORS))
_POWER = r"(?P<power>\^?\(?-[13]\)?)"  # L-1, dm^-3
_CHARGE = r"(?:\^?\d?[+-]+|[+-]\d)?"
_ANY_CASE = sorted(
    map(re.escape, FORMULAS.keys() - {each.casefold() for each in _ELEMENTS}), key=len, reverse=True
)
_FORMULA = f"(?i:{'|'.join(_ANY_CASE)})|(?-i:{'|'.join(_ELEMENTS)})"
_SLASHED = re.compile(
    rf"(?<![A-Za-z0-9])(?:{_TOP})(?P<of>(?: |-|_| ?\()(?:as |of )?(?:{_FORMULA}){_CHARGE}\)?)?"
    rf" ?(?:/| per ) ?(?:{_BOTTOM})(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_JOINED = re.compile(
    rf"(?<![A-Za-z0-9])(?:{_TOP})(?P<of>(?: | ?\()(?:{_FORMULA}){_CHARGE}\)?(?=[ _.·*]\S+\^?\(?-[13]))?"
    rf"[ _.·*]{{0,2}}(?i:{_BOTTOM}){_POWER}?(?![A-Za-z0-9])"
)
_WORD = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_SHORT)})(?![A-Za-z0-9])")


_SHOUTED = re.compile(r"(?<![A-Za-z0-9])(MG|UG|MMOL|UMOL|MEQ|UEQ)[ _./]{0,2}(L|KG)(?![A-Za-z0-9])")
"""Units of programs that write every heading in capitals: ``CA_MGL``."""

_HARDNESS_DEGREES = re.compile(r"(?<![A-Za-z0-9])°(?:(?P<french>fH?)|(?P<german>dH))(?![A-Za-z0-9])")
_FRENCH_DEGREE = Unit("mass", 10.0, "L", "°f")
_GERMAN_DEGREE = Unit("mass", 17.848, "L", "°dH")
"""mg CaCO3 in a degree: a French one is 10 mg/L CaCO3 and a German one 10 mg/L CaO. ``°F`` is a temperature."""

_CALCIUM_CARBONATE = re.compile(r"\bcalcium carbonate\b", re.IGNORECASE)


@dataclass(frozen=True)
class Found:
    """A unit in a text: the unit, the formula inside it (``N`` of ``mg N/L``), and the text around it."""

    unit: Unit
    formula: str
    before: str
    after: str


def plain(text: str) -> str:
    """Write a heading with plain characters: ``µ`` as ``u``, superscripts as figures, one space at a time."""
    text = unicodedata.normalize("NFKC", text.replace("Âµ", "µ").replace("Â°", "°").replace("\ufeff", ""))
    text = (
        text.replace("毫克/升", "mg/L")
        .replace("微克/升", "ug/L")
        .replace("μ", "u")
        .translate(dict.fromkeys(map(ord, "−–‐‑"), "-"))
    )
    return " ".join(_CALCIUM_CARBONATE.sub("CaCO3", text).split())


def find_unit(text: str) -> Found | None:
    """Find the last unit of concentration in a text written with `plain` characters; None if it has none."""
    for pattern in (_SLASHED, _JOINED):
        if matches := list(pattern.finditer(text)):
            match = matches[-1]
            unit = _unit(match)
            bare = pattern is _JOINED and match["power"] is None and unit is not None and unit.scale == 1e3
            if unit is None or bare:  # a lone "g l" or "mol l" is more likely to be part of a name
                continue
            of = match.groupdict().get("of") or ""
            formula = re.sub(r"^(?:as|of) ", "", of.strip(" -_()"), flags=re.IGNORECASE)
            formula = re.sub(rf"{_CHARGE}$", "", formula) if formula.casefold() not in FORMULAS else formula
            return Found(unit, formula, text[: match.start()], text[match.end() :])
    if matches := list(_SHOUTED.finditer(text)):
        match = matches[-1]
        unit = UNITS[f"{match[1].casefold()}/{'L' if match[2] == 'L' else 'kgs'}"]
        return Found(unit, "", text[: match.start()], text[match.end() :])
    if matches := list(_HARDNESS_DEGREES.finditer(text)):
        match = matches[-1]
        unit = _FRENCH_DEGREE if match["french"] else _GERMAN_DEGREE
        return Found(unit, "CaCO3", text[: match.start()], text[match.end() :])
    if matches := list(_WORD.finditer(text)):
        match = matches[-1]
        return Found(UNITS[_SHORT[match[0]]], "", text[: match.start()], text[match.end() :])
    return None


def parse_unit(text: str) -> Found | None:
    """Read a text that is a unit and nothing else than perhaps a formula: ``mg/L as CaCO3``, ``mg N/L``."""
    found = find_unit(plain(text))
    return None if found is None or found.before.strip(" ([") else found


def _unit(match: re.Match[str]) -> Unit | None:
    groups = match.groupdict()
    top = next(name for n, name in enumerate(_NUMERATORS.values()) if groups[f"t{n}"] is not None)
    basis, per = next(each for n, each in enumerate(_DENOMINATORS.values()) if groups[f"b{n}"] is not None)
    unit = UNITS[f"{top}/{basis}"]
    if per == 1:
        return unit
    scale = unit.scale * per
    same = (each for each in UNITS.values() if (each.kind, each.basis) == (unit.kind, unit.basis))
    return next((each for each in same if abs(each.scale / scale - 1) < 1e-9), None)
