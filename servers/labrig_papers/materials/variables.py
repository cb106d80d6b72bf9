"""Variables of formulas: their values in a text (x = 0.15, δ = 0.07, A = Cs), and the amounts that contain them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from labrig_papers.materials.elements import SYMBOLS

NAMES = "xyzδnmuwε"
"""Letters that stand for an amount; d behind a sign is a δ."""

PLACEHOLDERS = ("RE", "Ln", "AE", "TM", "Pn", "Ch", "A", "M", "R", "X", "T", "L", "Q", "Z", "E")
"""Symbols that stand for one of several elements."""

_NUMBER = r"\d*\.?\d+"
_VALUES = re.compile(
    rf"(?P<one>1\s?-\s?)?(?<![A-Za-z\d.])(?P<name>[{NAMES}])(?:\s?opt|\*)?\s*(?P<sign>=|¼|~|≤|≥|<|>|≲|≳)\s*~?\s*"
    rf"(?P<first>{_NUMBER})(?P<more>(?:\s*(?:,\s*and|,|and|or|&|-|to)\s*{_NUMBER})*)(?![\d.]*\s?/\s?\d)"
)
_BELOW = re.compile(rf"(?P<low>{_NUMBER})\s*[<≤]\s*(?P<name>[{NAMES}])\s*[<≤]\s*(?P<high>{_NUMBER})")
_ELEMENTS = re.compile(
    r"\b(?P<name>RE|Ln|AE|TM|Pn|Ch|[AMRXTLQZE])\s*(?:=|¼|:)\s*(?P<values>[A-Z][a-z]?(?:\s*(?:,|and|or|/|\s)\s*[A-Z][a-z]?\b)*)"
    r"(?P<open>\s*,?\s*(?:and\s+)?(?:other\s+)?rare\s?earths?)?"
)


@dataclass
class Variables:
    """What a text says of variables.

    Attributes
    ----------
    values
        Each value that a text gives a variable, in order.
    bounds
        Variables of which a text gives a range or a bound only.
    approximate
        Variables whose value is approximate.
    elements
        Elements that a placeholder stands for.
    """

    values: dict[str, list[float]] = field(default_factory=dict)
    bounds: dict[str, str] = field(default_factory=dict)
    approximate: set[str] = field(default_factory=set)
    elements: dict[str, list[str]] = field(default_factory=dict)


def variables_of(text: str) -> tuple[Variables, str]:
    """Return what a plain text says of variables, and the text without it."""
    found = Variables()
    rest = text
    for match in _ELEMENTS.finditer(text):
        symbols = [symbol for symbol in re.findall(r"[A-Z][a-z]?", match["values"]) if symbol in SYMBOLS]
        if symbols:
            listed = found.elements.setdefault(match["name"], [])
            listed += [symbol for symbol in symbols if symbol not in listed]
            if match["open"]:
                listed.append("rare earth")
            rest = rest.replace(match.group(0), " ", 1)
    for match in _BELOW.finditer(rest):
        found.bounds[match["name"]] = match.group(0)
    rest = _BELOW.sub(" ", rest)
    for match in _VALUES.finditer(rest):
        name = match["name"]
        if match["sign"] not in "=¼~":
            found.bounds[name] = match.group(0).strip()
            continue
        if re.search(r"-|to", match["more"]):
            found.bounds[name] = match.group(0).strip()
            continue
        numbers = [float(number) for number in re.findall(_NUMBER, match["first"] + " " + match["more"])]
        if match["one"]:
            numbers = [round(1 - number, 9) for number in numbers]
        if match["sign"] == "~" or "~" in match.group(0):
            found.approximate.add(name)
        listed_values = found.values.setdefault(name, [])
        listed_values += [number for number in numbers if number not in listed_values]
    rest = _VALUES.sub(" ", rest)
    return found, re.sub(r"\(\s*[,;]?\s*\)", " ", rest)


AMOUNT = re.compile(
    rf"(?:\d*\.\d+|\d+\.?|(?=[{NAMES}])|(?=\())(?:[{NAMES}])?(?:[+-](?:(?:\d*\.\d+|\d+)[{NAMES}]?|[{NAMES}]|d(?![a-z])))*(?:/0*[1-9]\d*)?"
)
"""An amount behind a symbol: 2, 0.15, 2-x, 7-δ, x, 2x, 1-x-y, x/2."""


def names_in(amount: str) -> list[str]:
    """Return the variables that an amount contains."""
    return sorted({"δ" if letter == "d" else letter for letter in amount if letter in NAMES + "d"})


def value_of(amount: str, values: dict[str, float]) -> float:
    """Return an amount with its variables replaced by their values."""
    whole, _, divisor = amount.partition("/")
    total = 0.0
    for term in re.finditer(rf"([+-]?)(\d*\.?\d*)([{NAMES}d]?)", whole):
        sign, number, name = term.groups()
        if not number and not name:
            continue
        size = float(number) if number not in ("", ".") else 1.0
        if name:
            size *= values["δ" if name == "d" else name]
        total += -size if sign == "-" else size
    return round(total / float(divisor or 1), 9)
