"""The temperature, field and pressure at which a value holds, by the values that stand beside it in its sentence.

``J_{c} = 1.2 × 10^{6} A/cm^{2} at 4.2 K and 1 T``, ``J_{c}(77 K, 0 T) = ...``, ``At 4.2 K, J_{c} is ...``. A critical
current without them says little.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

CONDITIONS = {"temperature": "temperature", "field": "magnetic_field", "pressure": "pressure"}
"""The conditions that are told, with the dimension of each."""
_OF_DIMENSION = {dimension: name for name, dimension in CONDITIONS.items()}
_SYMBOLS = r"(?:T|H|B|P|p|μ_?\{?0\}?H)\s?[=≈~]\s?"
_ARTICLES = r"(?:an?\s|the\s|its\s)?(?:applied\s|external\s|magnetic\s|hydrostatic\s|fixed\s|constant\s){0,2}"
_OF = r"(?:(?:temperatures?|fields?|pressures?)\s(?:of\s)?)?"
_ASIDE = r"(?:\s?\([^()\d]{1,24}\)|\s(?:for|along)\s[^,.;()\d]{1,24}?)?"
_AT = re.compile(
    rf"{_ASIDE}\s*[(,]?\s*(?:at|in|under|@)\s{_ARTICLES}{_OF}(?:{_SYMBOLS})?|\s*\(\s*(?:{_SYMBOLS})?|\s*,\s*{_SYMBOLS}"
)
"""What stands between a value and the condition behind it."""
_ROOM_BEHIND = re.compile(rf"{_ASIDE}\s?[(,]?\s?(?:at\s)?(?:room|ambient) temperature\b", re.IGNORECASE)
_ROOM_OPENS = re.compile(r"\s*At (?:room|ambient) temperature\b")
_JOINS = re.compile(rf"\s*(?:,|and|,\s?and)?\s*(?:(?:at|in|under)\s)?{_ARTICLES}{_OF}(?:{_SYMBOLS})?")
"""What stands between two conditions of one value."""
_ARGUMENT = re.compile(r"\s*\)\s*(?:is\s|was\s|of\s|[=≈~∼<>≤≥]\s?)*")
"""What stands between a condition in brackets and the value: J_{c}(77 K) = 3 MA/cm^{2}."""
_OPENS = re.compile(rf"\s*(?:At|In|Under)\s{_ARTICLES}{_OF}(?:{_SYMBOLS})?(?:about\s|[~≈∼]\s?)?")
_AT_ZERO = re.compile(
    r"(?:c_?\{?[12]\}?|c[12]\}|[ξλΔ∆](?:_\{[^{}]*\})?)\(\s?0(?:\sK)?\s?\)\s*(?:is\s|of\s|[=≈~∼]\s?)+$"
)
"""H_{c2}(0), ξ_{ab}(0): what these depend on is the temperature; J_{c}(0) may be that in no field."""
_NO_FIELD = re.compile(r"\b(?:zero|self|no)[ -](?:applied |external )?(?:magnetic )?field\b", re.IGNORECASE)


@dataclass(frozen=True)
class Placed:
    """A value: where it stands, its dimension, where its sentence begins, and whether it is in a table."""

    start: int
    end: int
    text: str
    dimension: str
    sentence: int
    tabled: bool = False


def conditions_of(values: Sequence[Placed], text: str) -> tuple[list[dict[str, str]], set[int]]:
    """Return for each value of a page, in order, the conditions by name, as printed; and which values are conditions.

    Those right behind a value belong to it, as do those in the brackets before it; one that opens a sentence belongs
    to all values of the sentence. A value is no condition of one of its own dimension.
    """
    found: list[dict[str, str]] = [{} for _ in values]
    places = {value.start: index for index, value in enumerate(values)}
    are_conditions: set[int] = set()
    for index, value in enumerate(values):
        if value.tabled:
            continue
        mine = found[index]
        for other in _opening(values, index, text):
            mine[_OF_DIMENSION[other.dimension]] = _said(other)
        for other in (*_in_brackets(values, index, text), *_behind(values, index, text)):
            mine[_OF_DIMENSION[other.dimension]] = _said(other)
            are_conditions.add(places[other.start])
        room = _ROOM_BEHIND.match(text, value.end) or _ROOM_OPENS.match(text, value.sentence)
        if "temperature" not in mine and room:
            mine["temperature"] = "room temperature"
        if "temperature" not in mine and _AT_ZERO.search(text[max(0, value.start - 24) : value.start]):
            mine["temperature"] = "0 K"
        if "field" not in mine and value.dimension != "magnetic_field":
            following = (each.start for each in values[index + 1 :] if _said(each) not in mine.values())
            clause = re.split(
                r"[;.]\s|,\s(?:and|while|but)\s", text[value.end : min(value.end + 80, *following, len(text))]
            )[0]
            if _NO_FIELD.search(clause):
                mine["field"] = "0 T"
        mine.pop(_OF_DIMENSION.get(value.dimension, ""), None)
    return found, are_conditions


def _said(value: Placed) -> str:
    return " ".join(value.text.split())


def _behind(values: Sequence[Placed], index: int, text: str) -> list[Placed]:
    """Return the conditions that stand right behind a value."""
    found: list[Placed] = []
    at, joint = values[index].end, _AT
    for other in values[index + 1 :]:
        between = text[at : other.start]
        if other.tabled or other.dimension not in _OF_DIMENSION or not joint.fullmatch(between):
            break
        if other.dimension in {values[index].dimension, *(each.dimension for each in found)}:
            break
        found.append(other)
        at, joint = other.end, _JOINS
    return found


def _in_brackets(values: Sequence[Placed], index: int, text: str) -> list[Placed]:
    """Return the conditions in brackets before the sign of equality before a value."""
    found: list[Placed] = []
    at, joint = values[index].start, _ARGUMENT
    for other in reversed(values[:index]):
        between = text[other.end : at]
        if other.tabled or other.dimension not in _OF_DIMENSION or not joint.fullmatch(between):
            break
        found.append(other)
        at, joint = other.start, _JOINS
    opened = bool(found) and re.search(rf"\((?:{_SYMBOLS})?$", text[max(0, at - 12) : at]) is not None
    return found if opened else []


def _opening(values: Sequence[Placed], index: int, text: str) -> list[Placed]:
    """Return the conditions with which the sentence of a value opens."""
    sentence = values[index].sentence
    found: list[Placed] = []
    at, joint = sentence, _OPENS
    for other in values[:index]:
        if other.start < sentence or other.tabled:
            continue
        if other.dimension not in _OF_DIMENSION or not joint.fullmatch(text[at : other.start]):
            break
        found.append(other)
        at, joint = other.end, _JOINS
    is_one = values[index].dimension in _OF_DIMENSION and joint.fullmatch(text[at : values[index].start])
    return [] if is_one else found
