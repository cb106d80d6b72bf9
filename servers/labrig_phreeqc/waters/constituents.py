"""The constituents of a water analysis: their names, what a mass of each means, and the charge it counts with."""

from __future__ import annotations

import csv
import difflib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from labrig.folding import without_accents
from labrig_phreeqc.database.catalogue import Catalogue, Element
from labrig_phreeqc.database.formulas import formula_weight
from labrig_phreeqc.waters.units import FORMULAS


@dataclass(frozen=True)
class Known:
    """A constituent that a column can hold.

    Attributes
    ----------
    key
        How it is called here: ``Ca``, ``HCO3``, ``SO4``, ``SiO2``.
    element
        As PHREEQC names it in SOLUTION.
    formula
        What a mass without ``as`` is a mass of; empty where that would be a guess.
    charge
        What 1 mol counts in the ion balance, see `CHARGES`.
    ionic
        Charge of the ion that a value in meq is about; None where that depends on pH.
    others
        Formulas in which laboratories report it too.
    names
        What columns are called, folded as `fold` does.
    """

    key: str
    element: str
    formula: str
    charge: int
    ionic: int | None
    others: tuple[str, ...]
    names: tuple[str, ...]


def _known(key: str, element: str, formula: str, charge: str, ionic: str, others: str, names: str) -> Known:
    """Return a line of ``constituents.csv``, where the key is not repeated among the names."""
    held = int(ionic) if ionic else None
    return Known(
        key, element, formula, int(charge), held, tuple(others.split()), (key.casefold(), *names.split())
    )


with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as _lines:
    KNOWN: tuple[Known, ...] = tuple(_known(**line) for line in csv.DictReader(_lines))
"""Constituents by the order in which results list them."""

CHARGES: Mapping[str, int] = {each.element: each.charge for each in KNOWN} | {"Amm": 1, "S": -2}
"""Charge with which 1 mol of an element counts in the ion balance, by PHREEQC's name; 1 eq of Alkalinity counts -1.

It is the charge of the species that is left at the end of the alkalinity titration, near pH 4.5, so that what a
weak acid contributes is counted once, in the alkalinity: phosphate as H2PO4- (-1), borate as H3BO3 (0), silica as
H4SiO4 (0), sulfide as H2S (0), ammonia as NH4+ (+1), iron(II) and manganese as the free ions (+2), iron(III) as
Fe(OH)2+ (+1). With this choice electroneutrality reads "sum of charges = alkalinity" at every pH (Wolf-Gladrow et al.
2007, Marine Chemistry 106, 287-300; Stumm and Morgan 1996, Aquatic Chemistry, section 4.4), and it is PHREEQC's own:
the charge of each master species plus its alkalinity in phreeqc.dat. Total iron counts as iron(II). Trace elements
whose species is not known from a total (As, Se, Cr, Mo, Sb, V, Hg, U) are not counted. ``Amm`` is ammonium in Amm.dat,
``S`` sulfate where a database has no other sulfur.
"""

EQUIVALENTS: Mapping[str, float] = {
    "CaCO3": 2,
    "HCO3": 1,
    "CO3": 2,
    "OH": 1,
    "Ca0.5(CO3)0.5": 1,
    "CaO": 2,
    "Na2CO3": 2,
}
"""Equivalents of alkalinity in a mole of the formulas in which it is reported."""

ALKALIS = "sodium and potassium together are not one species; write Na if it is to stand for both"
_AMBIGUOUS = {
    "total nitrogen is not one species; write NO3 as N, NO2 as N or NH4 as N": "n tn totalnitrogen",
    "it is not said of which species; write NO3 as N, NO2 as N or NH4 as N": "nitrogen",
    "sulfur may be sulfate or sulfide; write SO4 as S, or S(-2)": "s sulfur sulphur",
    "carbon may be organic; write DIC for dissolved inorganic carbon": "c",
    "free CO2 follows from pH and alkalinity; total inorganic carbon is DIC": "co2",
    "nitrate and nitrite together are not one species": "no3+no2 no2+no3 nitrate+nitrite nox",
    ALKALIS: (
        "na+k k+na nak kna sodium+potassium potassium+sodium sodiumandpotassium natrium+kalium sodio+potasio"
    ),
    "organic carbon is not used": "doc toc",
    "dissolved oxygen is not used; the redox state of the water is given by pe or Eh": "o2 do dissolvedoxygen oxygen",
    "ORP is read against some reference electrode; convert it to Eh against hydrogen: Eh (mV)": "orp",
    "it is not said against which electrode; convert it to Eh against hydrogen: Eh (mV)": "redox redoxpotential",
}
AMBIGUOUS: Mapping[str, str] = {name: why for why, names in _AMBIGUOUS.items() for name in names.split()}
"""Columns that mean something to a chemist and cannot be used as they are, and why; by folded name."""

_SYMBOLS = frozenset(
    re.findall(
        "[A-Z][a-z]?",
        "AgAlAsAuBBaBeBiBrCaCdCeClCoCrCsCuDyErEuFFeGaGdGeHfHgHoIInIrKLaLiLuMgMnMoNaNbNdNiOsPPbPdPrPtRaRbReRhRuSSbScSeSiSm"
        "SnSrTaTbTeThTiTlTmUVWYYbZnZr",
    )
)
"""Elements that are measured in waters, of which a database may lack some."""
_WORDS = {"I", "In", "W", "Y"}
"""Of these, what may be something else where no unit stands beside it: a coordinate, a direction."""
_ELEMENT_STATE = re.compile(r"[A-Z][a-z]?(?:\([+-]?\d+\))?")
_ALTERNATIVES = {"N(-3)": ("Amm",), "S(6)": ("S",), "C(4)": ("C",)}
_SIGNS = re.compile(r"\(?(?:[+-]+\d?|=)\)?$")
"""``SO4=`` is an old writing of two charges."""
_DIGIT_SIGNS = re.compile(r"\^?\(?\d[+-]+\)?$")
_AS_ELEMENT = re.compile(
    r"^(.{2,}?)(?:[ _.-]+\(?|\()(N|P|S|Si|[Nn]itrogen)\)?$|^(NO3|NO2|NH4|NH3|PO4)(N|P)$|^(N|P|S)[-_ ](.+)$",
    re.IGNORECASE,
)
_VOLTS = re.compile(r"[ _]*[(\[ _]m?V[)\]]?$", re.IGNORECASE)
_QUALIFIERS = re.compile(
    r"\(pH ?4[.,]\d\)|\b(?:dissolved|diss|dis|dissous|dissoute?s?|disueltos?|"
    r"filtered|unfiltered|filtrate|filtré|recoverable|"
    r"gel(?:(?:ö|oe)st)?|water|eau|agua|ions?|conc|concentration|measured|meas|field|lab|"
    r"laboratory|total|tot|ges|gesamt|fixed end ?point|inflection[- ]point|titration|icp-?ms|icp-?oes|icp-?aes|icp|ic|"
    r"aas|gran)\b\.?",
    re.IGNORECASE,
)


def fold(name: str) -> str:
    """Fold a name for comparison: no case, accents, spaces, dots, underscores or hyphens between words."""
    folded = re.sub(r"(?<=\w)[-](?=[A-Za-z])", "", without_accents(name.casefold(), "NFD"))
    return re.sub(r"[\s_.,;:/']+", "", folded)


_BY_NAME = {fold(name): each for each in KNOWN for name in each.names}


def nearest_name(name: str) -> tuple[str, Known] | None:
    """Return the name of a constituent that is most like a text, and its constituent; None where none is near."""
    near = difflib.get_close_matches(
        fold(_QUALIFIERS.sub("", name)), [each for each in _BY_NAME if len(each) > 3], 1, 0.75
    )
    return (near[0], _BY_NAME[near[0]]) if near else None


def name_within(text: str) -> tuple[str, Known] | None:
    """Return the longest name of a constituent, of six letters at least, that a text holds: ``Calciumgehalt``."""
    folded = fold(text)
    held = [name for name in _BY_NAME if len(name) > 5 and name in folded]
    return max(((name, _BY_NAME[name]) for name in held), key=lambda pair: len(pair[0]), default=None)


def find_constituent(name: str) -> tuple[Known, str] | None:
    """Find what a column's name means, the unit already taken off.

    Returns
    -------
    (Known, str) or None
        The constituent, and the formula of which the name says that amounts are (``N`` of ``NO3-N``), or empty.
    """
    bare = _QUALIFIERS.sub(" ", name.replace("_", " "))
    for candidate in (name, re.sub(r"[\s,;]+", " ", bare).strip(" ()[]")):
        if not candidate:
            continue
        if (known := _plain_name(candidate)) is not None:
            return known, ""
        if (match := _AS_ELEMENT.match(candidate)) is not None:
            base, formula = (
                (match[1] or match[3], match[2] or match[4]) if not match[5] else (match[6], match[5])
            )
            known = _plain_name(base.strip(" -_(")) or _plain_name(_QUALIFIERS.sub("", base).strip(" -_("))
            formula = FORMULAS[formula.casefold()]
            if known is not None and formula in known.element:
                return known, formula
    return None


def ambiguity(name: str) -> str:
    """Return why a column with this name cannot be used although a chemist knows it, or nothing."""
    bare = _VOLTS.sub("", name)
    return AMBIGUOUS.get(fold(bare)) or AMBIGUOUS.get(fold(_QUALIFIERS.sub("", bare))) or ""


def _plain_name(name: str) -> Known | None:
    folded = fold(name)
    if folded in _BY_NAME:
        return _BY_NAME[folded]
    for pattern in (_SIGNS, _DIGIT_SIGNS):  # SO4--, NO3-; then SO42-, Ca2+
        bare = fold(pattern.sub("", name))
        if bare != folded and bare in _BY_NAME:
            return _BY_NAME[bare]
    return None


def element_constituent(name: str, catalogue: Catalogue) -> Known | None:
    """Return the constituent for an element or redox state of a database that `KNOWN` lacks: ``W``, ``As(5)``."""
    by_name = {each.name: each for each in solution_elements(catalogue)}
    if name not in by_name or name in ("H", "O", "E") or not _ELEMENT_STATE.fullmatch(name):
        return None
    return Known(name, name, name.partition("(")[0], 0, None, (), (name.casefold(),))


def lacking_element(name: str, *, has_unit: bool) -> str:
    """Return the element that a name of nothing known is the symbol of, or nothing."""
    return name if name in _SYMBOLS and (has_unit or name not in _WORDS) else ""


def solution_elements(catalogue: Catalogue) -> list[Element]:
    """Return what a database knows as elements of a solution."""
    return [each for each in catalogue.elements if each.block == "SOLUTION_MASTER_SPECIES"]


def element_in(element: str, names: Collection[str]) -> str | None:
    """Return what a database calls an element: ``N(-3)`` is ``Amm`` in Amm.dat; None where it lacks it."""
    return next((each for each in (element, *_ALTERNATIVES.get(element, ())) if each in names), None)


def millimoles(known: Known, formula: str, weights: Mapping[str, float]) -> float | None:
    """Return mmol of a constituent in 1 mg of a formula; meq where it is alkalinity.

    Parameters
    ----------
    formula
        What the mass is a mass of: ``HCO3``, ``N``. ``CaCO3`` is the custom of giving equivalents: 50 mg for each meq.
    weights
        Weight of each element in g/mol.

    Returns
    -------
    float or None
        None where the formula has no weight, or does not hold the constituent.
    """
    weight = formula_weight(formula, weights)
    if not weight:
        return None
    if known.element == "Alkalinity":
        return EQUIVALENTS[formula] / weight if formula in EQUIVALENTS else None
    element = known.element.partition("(")[0]
    atoms = formula_weight(formula, dict.fromkeys(weights, 0.0) | {element: 1.0}) or 0.0  # counts them
    if atoms:
        return atoms / weight
    if formula == "CaCO3" and known.ionic:
        return 2 / abs(known.ionic) / weight
    return None
