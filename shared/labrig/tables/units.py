"""What looks like a unit, so that a line of units is told from a second heading.

Only the look counts here: nothing is converted. Each part of a unit must be a symbol of `SYMBOLS`, with a prefix of the
SI or without; a word such as ``cells`` may stand among them.
"""

from __future__ import annotations

import re

_WORDS = (
    "m g s K A mol cd rad sr Hz N Pa J W C V F S T H lm lx Bq Gy Sv l L h d min a yr day days hr hour hours "
    "sec secs ha t bar eV cal wt vol v w meq eq M ppm ppb ppt psu PSU PSS NTU FNU FTU TU pH mV deg degC degF "
    "degrees deg_C deg_F degN degE degree_north degree_east degrees_north degrees_east celsius Celsius °C °F ° "
    "ºC º % ‰ permil percent in ft yd mi mile knots kt kn lb oz gal cfs mgd acre acres inch inches feet inHg "
    "mmHg atm torr dB dBZ DU Da count counts cells CFU MPN individuals ind no number unitless dimensionless "
    "ratio fraction meter meters metre metres Å Ohm ohm Ω US$ EUR USD °dH dH °N °E °S °W dbar sv gauss G Oe "
    "emu rpm vpm pptv ppbv ppmv Jy mas arcsec au pc "
)
SYMBOLS = frozenset(_WORDS.split())
_ALONE = "mm cm km km2 m2 m3 hPa kPa dbar kg mg ug µg μg ng ha NTU mV psu ppb degC °C ºC °F ‰ %"
_PLAIN = frozenset(_ALONE.split())
"""Symbols that are nothing but units also behind a name and without brackets; ``m``, ``d`` or ``No`` may be others."""
_PREFIXES = (
    "da",
    "Y",
    "Z",
    "E",
    "P",
    "T",
    "G",
    "M",
    "k",
    "h",
    "d",
    "c",
    "m",
    "u",
    "µ",
    "μ",
    "n",
    "p",
    "f",
    "",
)
_PART = re.compile(r"\s*(?:\*\*|[/*·⋅×^.()\[\]\s]|\bper\b)\s*")
_POWER = re.compile(r"[-+−]?[0-9]*[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*$")
_OF = re.compile(r"\s+(?:as|of)\s+\S+$")
_LONGEST = 24


def is_unit(text: str) -> bool:
    """Tell whether a text looks like a unit: ``mg/L``, ``[m3 s-1]``, ``umol kg^-1``, ``mg/L as N``."""
    text = _OF.sub("", text.strip().strip("()[]").strip())
    if not text or len(text) > _LONGEST:
        return False
    parts = [part for part in _PART.split(text) if part and not part.lstrip("-+−").isdigit()]
    return bool(parts) and all(map(_is_symbol, parts))


def _is_symbol(part: str) -> bool:
    bare = _POWER.sub("", part) or part
    return any(bare.startswith(prefix) and bare[len(prefix) :] in SYMBOLS for prefix in _PREFIXES)


def plain_unit(heading: str) -> str:
    """Return the unit in which a heading ends without brackets (``Cl mg/l``, ``Rainfall mm``); empty where in doubt."""
    name, _, last = heading.strip().rpartition(" ")
    ratio = "/" in last.strip("/") and is_unit(last) and not last[0].isupper()
    return last if name and (ratio or last in _PLAIN) else ""
