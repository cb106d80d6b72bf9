"""Under which conditions a name or a sentence says that a quantity holds."""

from __future__ import annotations

import re
from collections.abc import Mapping

from labrig_papers.properties.listing import key
from labrig_papers.values.text import fold, without_latex

NAMES = ("criterion", "method", "sample", "orientation", "axis", "temperature", "pressure", "field")

_SIGN = r"(?:\|\||//|∥|‖|\bparallel(?: to)?|\balong|\bpar\.)"
_PERP = r"(?:⊥|\bperp(?:endicular)?(?: to)?|\bnormal to)"
_PATTERNS: tuple[tuple[str, str, str], ...] = (
    ("criterion", "onset", r"\bonset\b|\btconset\b|\br ?= ?100 ?%|\b90 ?%"),
    (
        "criterion",
        "zero",
        r"\bzero[ -]?resist\w*|\br ?= ?0\b(?!\.)|\bρ ?= ?0\b(?!\.)|\btc,? ?zero\b|\btc0\b|\boffset\b|\btczero\b",
    ),
    ("criterion", "zero", r"\bzero\b(?=[ ,]*$)"),
    ("criterion", "mid", r"\bmid(?:dle)?[ -]?point\b|\bmidpoint\b|\b50 ?%|\btc,? ?mid\b|\btcmid\b|\bmid\b"),
    (
        "method",
        "susceptibility",
        r"\bsusceptib\w*|\bmagneti[sz]ation\b|\bmagnetic measure\w*|\bdiamagneti\w*|\bsquid\b",
    ),
    ("method", "resistive", r"\bresistive\b|\bresistivity measure\w*|\bresistance measure\w*|\btransport\b"),
    ("method", "heat", r"\bspecific[ -]heat measure\w*|\bcalorimetr\w*"),
    ("sample", "poly", r"\bpoly ?-?cryst\w*|\bceramic\w*|\bpellets?\b|\bsintered\b|\bpoly\b"),
    ("sample", "single", r"\bsingle[ -]?cryst\w*|\bsingle\b"),
    ("sample", "film", r"\b(?:thin )?films?\b"),
    (
        "orientation",
        "c",
        rf"{_SIGN} ?c\b|{_PERP} ?(?:to )?(?:the )?ab\b|\bout[ -]of[ -]plane\b|\bc[ -]axis\b|\bρc\b|\binterplane\b",
    ),
    (
        "orientation",
        "ab",
        rf"{_SIGN} ?(?:the )?ab\b|{_PERP} ?(?:the )?c\b|\bin[ -]plane\b|\bab[ -]plane\b|\bρab\b|\bbasal plane\b",
    ),
)
_COMPILED = tuple((name, value, re.compile(pattern)) for name, value, pattern in _PATTERNS)
_TEMPERATURE = re.compile(r"(?:\bat|\bt ?=|\(|@|,)\s*t? ?=? ?(\d+(?:\.\d+)?) ?k\b(?! ?/)")
_PRESSURE = re.compile(r"(?:\bat|\bp ?=|\bunder|\(|,)\s*p? ?=? ?(\d+(?:\.\d+)?) ?(gpa|kbar|mpa|bar)\b")
_FIELD = re.compile(
    r"(?:\bat|\bh ?=|\bb ?=|\bin|\bμ?0?h ?=|,|\bk)\s*(?:h|b)? ?=? ?(\d+(?:\.\d+)?) ?(t|koe|oe|g|kg)\b"
)
_BARS = {"gpa": 1.0, "kbar": 0.1, "mpa": 1e-3, "bar": 1e-4}
_TESLAS = {"t": 1.0, "koe": 0.1, "oe": 1e-4, "g": 1e-4, "kg": 0.1}


def facets_of(text: str) -> dict[str, str]:
    """Return the facets that a name or a sentence states: ``{"temperature": "0 K", "orientation": "c"}``.

    Values: criterion onset | zero | mid; method susceptibility | resistive | heat; sample poly | single | film;
    orientation c | ab (of the field, the current or the heat flow; perpendicular to ab is c); axis a | b | c of a
    lattice; temperature in kelvin, ``given`` or ``normal``; pressure in GPa; field in T.
    """
    plain = fold(without_latex(text)).casefold()
    plain = re.sub(r"[_^{}$]", "", plain).replace("\\perp", "⊥").replace("\\parallel", "∥")
    found: dict[str, str] = {}
    for name, value, pattern in _COMPILED:
        if name not in found and pattern.search(plain):
            found[name] = value
    if match := re.search(
        r"\blat(?:tice)?(?: constant| parameter| spacing)?s? ?([abc])\b|\b([abc])[ -]axis (?:lattice|length)",
        plain,
    ):
        found["axis"] = match[1] or match[2]
        if match[2]:
            found.pop("orientation", None)
    elif match := re.search(
        r"\b(?:cell|lattice|unit cell) (?:constant|parameter)s? ([abc])\b|\bd([abc])/d[pt]\b", plain
    ):
        found["axis"] = match[1] or match[2]
    if re.search(r"\broom[ -]temperature\b|\brt\b|\bambient temperature\b", plain):
        found["temperature"] = "300 K"
    elif re.search(r"\bgiven temperature\b|\bgiven t\b", plain):
        found["temperature"] = "given"
    elif re.search(
        r"\bnormal-t\b|\bjust above tc\b|\bresidual resistivity\b|\bnormal[ -]state resistivity\b", plain
    ):
        found["temperature"] = "normal"
    elif match := re.search(r"\bρ(\d{2,3})(?: ?k)?\b", plain):
        found["temperature"] = f"{match[1]} K"
    elif match := _TEMPERATURE.search(plain):
        found["temperature"] = f"{float(match[1]):g} K"
    elif re.search(
        r"\bzero[ -]temperature\b|\b(?:at )?0 k\b|\bt ?= ?0\b(?!\.)|[a-zξλδ][a-z0-9]*\(0\)|[ξλδ]0\b", plain
    ):
        found["temperature"] = "0 K"
    if found.get("temperature") in ("293 K", "295 K", "296 K", "297 K", "298 K"):
        found["temperature"] = "300 K"
    if match := _PRESSURE.search(plain):
        found["pressure"] = f"{float(match[1]) * _BARS[match[2]]:g} GPa"
    elif re.search(r"\bambient pressure\b|\batmospheric pressure\b", plain):
        found["pressure"] = "0 GPa"
    if match := _FIELD.search(plain):
        found["field"] = f"{float(match[1]) * _TESLAS[match[2]]:g} T"
    elif re.search(r"\bzero[ -](?:applied |magnetic )?field\b|\bself[ -]field\b|\bh ?= ?0\b(?!\.)", plain):
        found["field"] = "0 T"
    return found


def conflict(first: Mapping[str, str], second: Mapping[str, str]) -> bool:
    """Return whether both state a facet and differ in it; a given temperature may be any but 0 K and normal."""
    for name in NAMES:
        a, b = first.get(name), second.get(name)
        one_is_given = name == "temperature" and "given" in (a, b) and not {"0 K", "normal"} & {a, b}
        if a and b and a != b and not one_is_given:
            return True
    return False


def quantity_key(text: str) -> str:
    """Return a name as `listing.key` does, without what only states facets in brackets."""
    return key(re.sub(r"\((?:0|T|0 ?K|\d+ ?K)\)", "", text))
