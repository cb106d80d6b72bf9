"""An answer in the published form, read: what is claimed, at which temperatures, by which sources."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CLAIMS = ("Yes", "No", "Unknown")
MOST, LONGEST = 1_000, 4_000
"""Properties of an answer, and characters of a text of it that are read."""
_NUMBER = re.compile(r"(?<![\w.])(\d{1,6}(?:\.\d{1,9})?)(?:\(\d{1,4}\))?\s*(mK|K)?(?![\w.])")


@dataclass(frozen=True)
class Source:
    """A paper that an answer cites; empty where it says nothing."""

    title: str
    doi: str
    quote: str


@dataclass(frozen=True)
class Claimed:
    """What an answer says.

    Attributes
    ----------
    claim
        One of `CLAIMS`.
    kelvin
        Numbers of ``tc`` after Yes, of ``tcn`` after No: of each entry all that its text holds.
    sources
        All that are cited, in order.
    broken
        Whether it has ``tc`` beside No or ``tcn`` beside Yes, which the task forbids.
    """

    claim: str
    kelvin: tuple[tuple[float, ...], ...]
    sources: tuple[Source, ...]
    broken: bool = False


def read_answer(text: str | None) -> Claimed | None:
    """Return an answer; None where it is not one JSON object of the published form."""
    try:
        given = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    entries = given.get("properties") if isinstance(given, dict) else None
    if (
        not isinstance(entries, list)
        or len(entries) > MOST
        or not all(isinstance(each, dict) for each in entries)
    ):
        return None
    claims = {
        _text(each, "value_string").strip().casefold()
        for each in entries
        if _name(each) == "is_superconducting"
    }
    claim = next((each for each in CLAIMS if claims == {each.casefold()}), "")
    if not claim:
        return None
    wanted, forbidden = {"Yes": ("tc", "tcn"), "No": ("tcn", "tc"), "Unknown": ("", "")}[claim]
    values = [numbers(_text(each, "value_string")) for each in entries if _name(each) == wanted]
    broken = any(
        _name(each) == forbidden or (claim == "Unknown" and _name(each) in ("tc", "tcn")) for each in entries
    )
    return Claimed(claim, tuple(each for each in values if each), _sources(entries), broken)


def numbers(text: str) -> tuple[float, ...]:
    """Return the temperatures of a text in K.

    >>> numbers("36.9(2) K, 350 mK")
    (36.9, 0.35)
    """
    return tuple(
        float(match[1]) / (1000 if match[2] == "mK" else 1) for match in _NUMBER.finditer(text[:LONGEST])
    )


def _sources(entries: list[dict[str, Any]]) -> tuple[Source, ...]:
    found = []
    for entry in entries:
        cited = entry.get("source_dois")
        for each in cited[:MOST] if isinstance(cited, list) else ():
            if isinstance(each, dict):
                found.append(Source(_text(each, "title"), _text(each, "doi"), _text(each, "quoted_span")))
            elif isinstance(each, str):
                found.append(Source("", each[:LONGEST], ""))
    return tuple(dict.fromkeys(found))[:MOST]


def _name(entry: Mapping[str, Any]) -> str:
    return _text(entry, "property_name").strip().casefold()


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    if isinstance(value, bool) or value is None:
        return ""
    return str(value)[:LONGEST] if isinstance(value, str | int | float) else ""
