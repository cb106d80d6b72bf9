"""Units of papers in SI, from a table of their own: the scorer needs no server and no library of units.

A slash divides by all that follows it, as the field writes: mJ/mol K^2 is mJ/(mol K^2). What is not in the table is
unknown, and never guessed. Oe and G are tesla by B = mu0 H, which for these papers is meant.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from labrig_suites.supercon_extraction.grading.text import signs

Dimension = tuple[int, int, int, int, int, int]
"""Exponents of metre, kilogram, second, ampere, kelvin, mole."""

BARE: Dimension = (0, 0, 0, 0, 0, 0)
LENGTH: Dimension = (1, 0, 0, 0, 0, 0)
TESLA: Dimension = (0, 1, -2, -1, 0, 0)
FIELD: Dimension = (-1, 0, 0, 1, 0, 0)
"""A/m."""
MU_0 = 4e-7 * math.pi
MOST_CHARS = 60

_J = (2, 1, -2, 0, 0, 0)
_BASE: dict[str, tuple[float, Dimension]] = {
    "m": (1.0, (1, 0, 0, 0, 0, 0)), "g": (1e-3, (0, 1, 0, 0, 0, 0)), "s": (1.0, (0, 0, 1, 0, 0, 0)),
    "A": (1.0, (0, 0, 0, 1, 0, 0)), "K": (1.0, (0, 0, 0, 0, 1, 0)), "mol": (1.0, (0, 0, 0, 0, 0, 1)),
    "J": (1.0, _J), "eV": (1.602176634e-19, _J), "Pa": (1.0, (-1, 1, -2, 0, 0, 0)), "bar": (1e5, (-1, 1, -2, 0, 0, 0)),
    "W": (1.0, (2, 1, -3, 0, 0, 0)), "V": (1.0, (2, 1, -3, -1, 0, 0)), "Ω": (1.0, (2, 1, -3, -2, 0, 0)),
    "S": (1.0, (-2, -1, 3, 2, 0, 0)), "C": (1.0, (0, 0, 1, 1, 0, 0)), "T": (1.0, TESLA), "G": (1e-4, TESLA),
    "Oe": (1e-4, TESLA), "Hz": (1.0, (0, 0, -1, 0, 0, 0)), "N": (1.0, (1, 1, -2, 0, 0, 0)),
    "emu": (1e-3, (2, 0, 0, 1, 0, 0)),
}  # fmt: skip
_ALONE: dict[str, tuple[float, Dimension]] = {
    "Å": (1e-10, (1, 0, 0, 0, 0, 0)), "angstrom": (1e-10, (1, 0, 0, 0, 0, 0)), "micron": (1e-6, (1, 0, 0, 0, 0, 0)),
    "ohm": (1.0, (2, 1, -3, -2, 0, 0)), "Ohm": (1.0, (2, 1, -3, -2, 0, 0)), "min": (60.0, (0, 0, 1, 0, 0, 0)),
    "h": (3600.0, (0, 0, 1, 0, 0, 0)), "%": (0.01, BARE), "μB": (9.2740100783e-24, (2, 0, 0, 1, 0, 0)),
    "fu": (1.0, BARE), "kelvin": (1.0, (0, 0, 0, 0, 1, 0)), "Kelvin": (1.0, (0, 0, 0, 0, 1, 0)), "tesla": (1.0, TESLA),
    "Tesla": (1.0, TESLA), "degC": (1.0, (0, 0, 0, 0, 1, 0)), "atm": (101325.0, (-1, 1, -2, 0, 0, 0)),
}  # fmt: skip
_PREFIXES = {
    "f": 1e-15, "p": 1e-12, "n": 1e-9, "μ": 1e-6, "u": 1e-6, "m": 1e-3, "c": 1e-2, "k": 1e3, "M": 1e6, "G": 1e9,
    "T": 1e12,
}  # fmt: skip
_FACTOR = re.compile(r"10\s?(?:\^\s?\{?\s?([+-]?\d{1,2})\s?\}?)\s*[·*×]?\s*")
_PIECE = re.compile(
    r"\s*(?:(?P<slash>/|\bper\b)|(?P<open>\()|(?P<close>\))|(?P<dot>[·*×.])"
    r"|(?P<word>[A-Za-zμΩÅ%]+)"
    r"(?:\s?\^\s?(?:\{\s?(?P<braced>[+-]?\d{1,2})\s?\}|\((?P<bracketed>[+-]?\d{1,2})\)|(?P<raised>[+-]?\d{1,2}))"
    r"|(?P<flat>-?[1-9])(?!\d))?)\s*"
)


@dataclass(frozen=True)
class Unit:
    """A value in SI is ``factor * value + offset``."""

    factor: float
    dimension: Dimension
    offset: float = 0.0


NO_UNIT = Unit(1.0, BARE)


@lru_cache(maxsize=4096)
def read_unit(text: str) -> Unit | None:
    """Return a unit, None where it is unknown; an empty text is the unit of a bare number."""
    plain = signs(text).strip()
    if not plain:
        return NO_UNIT
    if len(plain) > MOST_CHARS:
        return None
    plain = re.sub(r"μ_?\{?B\}?(?![A-Za-z])", "μB", plain.replace("f.u.", "fu"))
    plain = re.sub(r"°\s?C\b|\bdeg(?:rees?)? C\b", "degC", plain)
    if plain in ("degC", "Celsius", "celsius"):
        return Unit(1.0, (0, 0, 0, 0, 1, 0), 273.15)
    factor = 1.0
    if scaled := _FACTOR.match(plain):
        factor, plain = 10.0 ** int(scaled[1]), plain[scaled.end() :]
        if not plain:
            return Unit(factor, BARE)
    return _read(plain, factor)


def _read(plain: str, factor: float) -> Unit | None:
    dimension, below, brackets, at, words, dangling = BARE, False, list[bool](), 0, 0, False
    while at < len(plain):
        piece = _PIECE.match(plain, at)
        if piece is None or piece.end() == at:
            return None
        at = piece.end()
        if piece["slash"]:
            below = dangling = True
        elif piece["open"]:
            brackets.append(below)
        elif piece["close"]:
            if not brackets:
                return None
            below = brackets.pop()
        elif piece["word"]:
            words, dangling = words + 1, False
            exponent = int(piece["braced"] or piece["bracketed"] or piece["raised"] or piece["flat"] or 1)
            atoms = _atoms(piece["word"])
            # A slash and a negative exponent behind it may divide once or twice.
            if atoms is None or (below and exponent < 0):
                return None
            for place, (size, signature) in enumerate(atoms):
                power = exponent if place == len(atoms) - 1 else 1
                power = -power if below else power
                factor *= size**power
                dimension = _plus(dimension, signature, power)
    return Unit(factor, dimension) if words and not brackets and not dangling else None


def _plus(first: Dimension, second: Dimension, power: int) -> Dimension:
    a, b, c, d, e, f = (one + power * other for one, other in zip(first, second, strict=True))
    return a, b, c, d, e, f


def _one(word: str) -> tuple[float, Dimension] | None:
    if word in _ALONE:
        return _ALONE[word]
    if word in _BASE:
        return _BASE[word]
    if word[0] in _PREFIXES and word[1:] in _BASE:
        size, dimension = _BASE[word[1:]]
        return _PREFIXES[word[0]] * size, dimension
    if word[0] in _PREFIXES and word[1:] in ("ohm", "Ohm"):
        return _PREFIXES[word[0]], _BASE["Ω"][1]
    return None


@lru_cache(maxsize=1024)
def _atoms(word: str) -> tuple[tuple[float, Dimension], ...] | None:
    """Return the units of a word: one, or two that are written together in only one way (mΩcm, gcm)."""
    whole = _one(word)
    if whole is not None:
        return (whole,)
    found = []
    for cut in range(1, len(word)):
        first, second = _one(word[:cut]), _one(word[cut:])
        if first is not None and second is not None:
            found.append((first, second))
    return found[0] if len(found) == 1 else None


def to_si(value: float, unit: Unit, wanted: Dimension) -> float | None:
    """Return a value in SI, None where its dimension is not the wanted one; A/m is tesla by mu0."""
    size = unit.factor * value + unit.offset
    if unit.dimension == wanted:
        return size
    if unit.dimension == FIELD and wanted == TESLA:
        return size * MU_0
    if unit.dimension == TESLA and wanted == FIELD:
        return size / MU_0
    return None
