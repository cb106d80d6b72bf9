"""The tables of a PHREEQC main output, each read from the lines under its heading into names and numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence

Value = float | str  # a number, or the reason why there is none
Tables = dict[str, dict[str, Value]]  # kind of quantity -> name -> value

VALUES = {
    "pH": ("pH", ""),
    "pe": ("pe", ""),
    "temperature": ("Temperature", "°C"),
    "pressure": ("Pressure", "atm"),
    "ionic strength": ("Ionic strength", "mol/kgw"),
    "alkalinity": ("Total alkalinity", "eq/kgw"),
    "total CO2": ("Total CO2", "mol/kgw"),
    "total carbon": ("Total carbon", "mol/kgw"),
    "charge error": ("Percent error", "%"),
    "charge balance": ("Electrical balance", "eq"),
    "conductance": ("Specific Conductance", "µS/cm"),
    "density": ("Density", "g/cm³"),
    "volume": ("Volume", "L"),
    "viscosity": ("Viscosity", "mPa s"),
    "mass of water": ("Mass of water", "kg"),
    "activity of water": ("Activity of water", "1"),
    "osmotic coefficient": ("Osmotic coefficient", "1"),
    "density of water": ("Density of water", "g/cm³"),
    "electrical potential": ("Electrical Potential", "V"),
    "total H": ("Total H", "mol"),
    "total O": ("Total O", "mol"),
    "iterations": ("Iterations", ""),
    "gas pressure": ("Total pressure", "atm"),
    "gas volume": ("Gas volume", "L"),
}
"""Printed label and unit of the quantities that are one line. Case is ignored; the label is a name too."""

_BY_LABEL = {label: name for name, (label, _) in VALUES.items()}


def _number(text: str) -> Value:
    try:
        number = float(text)
    except ValueError:
        return f"printed as {text}"
    return number + 0.0 if math.isfinite(number) else f"printed as {text}"  # + 0.0: never -0.0


def _rows(lines: Sequence[str], *words: str) -> Iterator[list[str]]:
    """Yield the fields of all rows of the tables whose heading line starts with `words`; a blank line ends one."""
    inside = started = False
    for line in lines:
        fields = line.split()
        if fields[: len(words)] == list(words):
            inside, started = True, False
        elif inside and fields:
            started = True
            yield fields
        elif started:
            inside = False


def _composition(lines: Sequence[str]) -> Tables:
    rows = _rows(lines, "Elements")
    return {"total": {f[0]: _number(f[1]) for f in rows if len(f) >= 3}}


_LABEL = re.compile(r" +(\S.*?)(?: \([^()]*\)|, 100\*.*?)?  = +(\S+)(?!\S)")
_LABEL_COLUMNS = 100  # labels are right-aligned before column 45


def _description(lines: Sequence[str]) -> Tables:
    values: dict[str, Value] = {}
    for line in lines:
        if (
            "  = " in line[:_LABEL_COLUMNS]
            and (match := _LABEL.match(line[:_LABEL_COLUMNS]))
            and match[1] in _BY_LABEL
        ):
            values.setdefault(_BY_LABEL[match[1]], _number(match[2]))
    return {"value": values}


def _species(lines: Sequence[str]) -> Tables:
    tables: Tables = {"total": {}, "m": {}, "a": {}, "lm": {}, "la": {}}
    for fields in _rows(lines, "Species"):
        if len(fields) == 2:
            tables["total"].setdefault(fields[0], _number(fields[1]))
        elif len(fields) == 7:
            for kind, text in zip(("m", "a", "lm", "la"), fields[1:5], strict=True):
                tables[kind][fields[0]] = _number(text)
    return tables


_SI = r"(-?\d+\.\d\d|-?nan|-?inf)"
_SATURATION = re.compile(rf"  (\S+) +{_SI}  +{_SI} *{_SI}  (?:\S.*)?")
# %-15s%7.2f: a long name and a wide number have nothing between them.
_SATURATION_TIGHT = re.compile(r"  (\S{15,}?)(-\d{3,}\.\d\d)  +(-?\d+\.\d\d) *(-?\d+\.\d\d)  (?:\S.*)?")


def _saturation(lines: Sequence[str]) -> Tables:
    indices: dict[str, Value] = {}
    for line in lines:
        if line.startswith("**For a gas"):
            break
        if match := _SATURATION.fullmatch(line) or _SATURATION_TIGHT.fullmatch(line):
            indices[match[1]] = _number(match[2])
    return {"SI": indices}


def _assemblage(lines: Sequence[str]) -> Tables:
    """Read "Phase assemblage". A phase that is used up has a blank (or a bare 0) for its final moles."""
    tables: Tables = {"SI": {}, "moles": {}, "delta": {}}
    name = ""
    for fields in _rows(lines, "Phase", "SI"):
        if "reactant" in fields and "is" in fields:  # second line of a phase with an alternative reactant
            numbers = fields[fields.index("reactant") + 1 :]
        elif fields[1:4] == ["Element", "not", "present."]:
            name, numbers = fields[0], fields[4:]
            tables["SI"][name] = "an element of the phase is not in this state"
        else:
            name, numbers = fields[0], fields[4:]
            if len(fields) >= 4:
                tables["SI"][name] = _number(fields[1])
        if name and len(numbers) in (2, 3):
            tables["moles"][name] = _number(numbers[1]) if len(numbers) == 3 else 0.0
            tables["delta"][name] = _number(numbers[-1])
    return tables


_TRANSFER = re.compile(r" *(?:Solution +)?(\S+) +(\S+e[+-]\d+) +(\S+e[+-]\d+) +(\S+e[+-]\d+)(?: .*)?")


def _ranges(kind: str) -> Callable[[Sequence[str]], Tables]:
    """Return the reader of a table of an inverse model with value, minimum and maximum; without -range both are 0."""

    def read(lines: Sequence[str]) -> Tables:
        tables: Tables = {kind: {}, f"{kind}_min": {}, f"{kind}_max": {}}
        for match in filter(None, map(_TRANSFER.fullmatch, lines)):
            value, least, most = map(_number, match.groups()[1:])
            if least == most == 0 != value:
                least = most = "no range was computed (-range in INVERSE_MODELING)"
            for suffix, each in (("", value), ("_min", least), ("_max", most)):
                tables[kind + suffix][match[1]] = each
        return tables

    return read


def _redox_transfers(lines: Sequence[str]) -> Tables:
    rows = [f for f in _rows(lines, "Redox", "mole") if len(f) == 2]
    return {"redox": {f[0]: _number(f[1]) for f in rows}}


_GAS_LINES = (
    ("gas pressure", re.compile(r"Total pressure: +(\S+) +atmospheres.*")),
    ("gas volume", re.compile(r" *Gas volume: +(\S+) liters.*")),
)


def _gas(lines: Sequence[str]) -> Tables:
    tables: Tables = {"value": {}, "p": {}, "gas": {}, "moles": {}, "delta": {}}
    for line in lines:
        for name, pattern in _GAS_LINES:
            if match := pattern.fullmatch(line):
                tables["value"][name] = _number(match[1])
    for fields in _rows(lines, "Component"):
        if len(fields) in (6, 7):  # with Peng-Robinson there is a column phi
            tables["p"][fields[0]] = _number(fields[2])
            tables["gas"][fields[0]] = tables["moles"][fields[0]] = _number(fields[-2])
            tables["delta"][fields[0]] = _number(fields[-1])
    return tables


def _exchange(lines: Sequence[str]) -> Tables:
    return {"m": {f[0]: _number(f[1]) for f in _rows(lines, "Species", "Moles") if len(f) == 5}}


def _surface(lines: Sequence[str]) -> Tables:
    rows = [f for f in _rows(lines, "Species", "Moles") if len(f) == 5]
    return {"m": {f[0]: _number(f[3]) for f in rows}, "lm": {f[0]: _number(f[4]) for f in rows}}


_COMPONENT = re.compile(r" {15,}(\S+) +(\S+) +(\S+) +(\S+)")


def _solid_solutions(lines: Sequence[str]) -> Tables:
    tables: Tables = {"ss": {}, "x": {}}
    for line in lines:
        if not (match := _COMPONENT.fullmatch(line)):
            continue
        for kind, text in (("ss", match[2]), ("x", match[4])):
            twice = match[1] in tables[kind]
            tables[kind][match[1]] = "in more than one solid solution" if twice else _number(text)
    return tables


def _kinetics(lines: Sequence[str]) -> Tables:
    tables: Tables = {"kin": {}, "dk": {}}
    for fields in _rows(lines, "Rate", "name"):
        if len(fields) == 3 or len(fields) == 5:  # a line with fewer goes on listing reactants
            tables["dk"][fields[0]] = _number(fields[1])
            tables["kin"][fields[0]] = _number(fields[2])
    return tables


def _redox(lines: Sequence[str]) -> Tables:
    rows = [f for f in _rows(lines, "Redox", "couple") if len(f) == 3]
    return {"pe": {f[0]: _number(f[1]) for f in rows}, "Eh": {f[0]: _number(f[2]) for f in rows}}


_RATIO = re.compile(r" +(R\(.*?\S) *\t *(\S+)\t *(\S+) *(.*?) *")


def _ratios(lines: Sequence[str]) -> Tables:
    matches = [match for line in lines if (match := _RATIO.fullmatch(line))]
    return {"R": {" ".join(match[1].split()): _number(match[2]) for match in matches}}


READERS: dict[str, Callable[[Sequence[str]], Tables]] = {
    "Kinetics": _kinetics,
    "Solution composition": _composition,
    "Description of solution": _description,
    "Distribution of species": _species,
    "Saturation indices": _saturation,
    "Phase assemblage": _assemblage,
    "Gas phase": _gas,
    "Exchange composition": _exchange,
    "Surface composition": _surface,
    "Solid solutions": _solid_solutions,
    "Redox couples": _redox,
    "Isotope Ratios": _ratios,
    "Solution fractions": _ranges("fraction"),
    "Phase mole transfers": _ranges("transfer"),
    "Redox mole transfers": _redox_transfers,
}
"""The reader of each section, by the name in its heading."""
