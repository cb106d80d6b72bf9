"""The units that are known, from ``units.toml``, in a pint registry that holds nothing else."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

_PREFIXES = {
    "f": -15,
    "p": -12,
    "n": -9,
    "μ": -6,
    "u": -6,
    "m": -3,
    "c": -2,
    "h": 2,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
}
_BASES = {
    "meter": "length",
    "gram": "mass",
    "second": "time",
    "kelvin": "temperature",
    "ampere": "current",
    "mole": "substance",
    "radian": "angle",
}
PARTS = ("part", "atomic_part", "weight_part", "mole_part", "volume_part", "psu")
"""What has no dimension and yet is no bare number: parts of a whole by their basis, and practical salinity."""
COUNTED = ("formula_unit", "atom", "unit_cell")


@dataclass(frozen=True)
class Atom:
    """A unit with its prefix: ``mK`` is kelvin times 1e-3."""

    symbol: str
    name: str
    scale: float
    preferred: str


@dataclass(frozen=True)
class Dimension:
    """A named dimension, the SI unit that its values are given in, and what is assumed for units of another one."""

    name: str
    si: str
    factor: float = 1.0
    says: str = ""


@dataclass(frozen=True)
class Known:
    """What ``units.toml`` holds: atoms by symbol, refused symbols with why and what to write, dimensions."""

    atoms: dict[str, Atom]
    refused: dict[str, tuple[str, str]]
    dimensions: tuple[Dimension, ...]


@lru_cache(maxsize=1)
def known() -> Known:
    """Return the units of ``units.toml``."""
    table = tomllib.loads(files("labrig_papers.values").joinpath("units.toml").read_text(encoding="utf-8"))
    atoms: dict[str, Atom] = {}
    for unit in table["unit"]:
        first = unit["symbols"][0]
        for symbol in unit["symbols"]:
            atoms[symbol] = Atom(symbol, unit["name"], 1.0, first)
        words = [symbol for symbol in unit["symbols"] if len(symbol) > 3 and symbol.isalpha()]
        for prefix in unit.get("prefixes", ()):
            for symbol in unit["symbols"]:
                if symbol not in words:
                    written = prefix + symbol
                    atoms[written] = Atom(written, unit["name"], 10.0 ** _PREFIXES[prefix], prefix + first)
                    if prefix == "μ":
                        atoms.setdefault("u" + symbol, Atom("u" + symbol, unit["name"], 1e-6, prefix + first))
    refused = {
        symbol: (entry["why"], entry["write"]) for entry in table["refused"] for symbol in entry["symbols"]
    }
    dimensions: list[Dimension] = []
    for entry in table["dimension"]:
        dimensions.append(Dimension(entry["name"], entry["si"]))
    for entry in table["dimension"]:
        for also in entry.get("also", ()):
            dimensions.append(Dimension(entry["name"], also["si"], also["factor"], also["says"]))
    return Known(atoms, refused, tuple(dimensions))


@lru_cache(maxsize=1)
def registry() -> Any:
    """Return the pint registry; pint is imported here and not before, since that takes most of a second."""
    import pint

    units = pint.UnitRegistry(None, autoconvert_offset_to_baseunit=True)
    for name, dimension in _BASES.items():
        units.define(f"{name} = [{dimension}]")
    for name in (*PARTS, *COUNTED):
        units.define(f"{name} = [{name}]")
    table = tomllib.loads(files("labrig_papers.values").joinpath("units.toml").read_text(encoding="utf-8"))
    for unit in table["unit"]:
        if definition := unit.get("definition"):
            units.define(f"{unit['name']} = {definition}")
    return units
