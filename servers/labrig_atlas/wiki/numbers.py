"""Numbers with their units in the text of an infobox: ``4,806 m (15,767 ft)``, ``US$1.2 billion``, ``100–200 m``."""

from __future__ import annotations

import re
from dataclasses import replace

from labrig_atlas.wiki.page import Value

UNITS: dict[str, dict[str, str]] = {
    "length": {
        "m": "m metre metres meter meters",
        "km": "km kilometre kilometres kilometer kilometers",
        "cm": "cm centimetre centimetres centimeters",
        "mm": "mm millimetres millimeters",
        "um": "µm μm",
        "nm": "nm",
        "pm": "pm",
        "ft": "ft feet foot",
        "in": "in inch inches",
        "mi": "mi mile miles",
        "yd": "yd yards",
        "nmi": "nmi",
        "AU": "AU au",
        "ly": "ly light-years",
        "pc": "pc",
    },
    "area": {
        "km2": "km2 km² sq_km square_kilometres square_kilometers",
        "m2": "m2 m² sq_m square_metres square_meters",
        "sq mi": "sq_mi mi2 mi² square_miles",
        "sq ft": "sq_ft ft2 square_feet",
        "ha": "ha hectares hectare",
        "acres": "acres acre",
    },
    "volume": {
        "km3": "km3 km³ cubic_kilometres cubic_kilometers",
        "m3": "m3 m³",
        "cu mi": "cu_mi",
        "acre ft": "acre⋅ft acre-feet",
        "L": "L litres liters",
    },
    "mass": {
        "kg": "kg kilograms",
        "g": "g grams",
        "t": "t tonnes",
        "lb": "lb pounds",
        "oz": "oz",
        "Da": "Da",
    },
    "temperature": {"degC": "°C", "degF": "°F", "K": "K"},
    "angle": {"deg": "°"},
    "time": {
        "s": "s seconds",
        "min": "min minutes minute",
        "h": "h hours hour hr",
        "d": "days day d",
        "weeks": "weeks week",
        "months": "months month",
        "years": "years year yr",
    },
    "speed": {
        "m/s": "m/s",
        "km/h": "km/h",
        "km/s": "km/s",
        "mph": "mph",
        "kn": "knots kn",
        "m3/s": "m3/s m³/s",
        "cu ft/s": "cu_ft/s",
    },
    "density": {
        "/km2": "/km2 /km² people/km2 per_km2 inhabitants/km2",
        "/sq mi": "/sq_mi /mi2 people/sq_mi per_sq_mi",
        "g/cm3": "g/cm3 g/cm³",
        "kg/m3": "kg/m3 kg/m³",
        "g/L": "g/L",
    },
    "power": {"W": "W", "kW": "kW", "MW": "MW", "GW": "GW", "hp": "hp"},
    "energy": {
        "kWh": "kWh",
        "MWh": "MWh",
        "GWh": "GWh",
        "TWh": "TWh",
        "kJ/mol": "kJ/mol",
        "MJ": "MJ",
        "eV": "eV",
    },
    "pressure": {
        "Pa": "Pa",
        "hPa": "hPa",
        "kPa": "kPa",
        "MPa": "MPa",
        "GPa": "GPa",
        "bar": "bar",
        "atm": "atm",
    },
    "frequency": {"Hz": "Hz", "kHz": "kHz", "MHz": "MHz", "GHz": "GHz"},
    "share": {"%": "% percent per_cent"},
}
"""Kind of quantity -> unit in ASCII -> how it is written; ``_`` is a space or none."""
CURRENCIES = {
    **{
        "US$": "USD",
        "$": "USD",
        "€": "EUR",
        "£": "GBP",
        "¥": "JPY",
        "₹": "INR",
        "A$": "AUD",
        "C$": "CAD",
        "₩": "KRW",
    },
    **{
        name: name
        for name in ("USD", "EUR", "GBP", "JPY", "INR", "CHF", "CNY", "AUD", "CAD", "PKR", "SEK", "NOK")
    },
}
_SCALES = {
    **{"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12},
    **{"lakh": 1e5, "crore": 1e7, "mn": 1e6, "bn": 1e9},
}
_KNOWN = {
    word.replace("_", " "): unit
    for units in UNITS.values()
    for unit, words in units.items()
    for word in words.split()
}
_KIND = {unit: kind for kind, units in UNITS.items() for unit in units}
_UNIT = "|".join(re.escape(word).replace(r"\ ", r"\s?") for word in sorted(_KNOWN, key=len, reverse=True))
_CURRENCY = "|".join(re.escape(each) for each in sorted(CURRENCIES, key=len, reverse=True))
_GAP = "\u00a0\u2009\u202f"
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
_ABOUT = (
    r"(?P<about>(?:c\.|ca\.|circa|about|around|approx\.|approximately|over|more than|under|less than|up to"
    r"|~|≈|>|<|±)\s?)?"
)
_NOT_NUMBERS = re.compile(
    r"\b(?:phone|telephone|fax|isbn|issn|oclc|postal|postcodes?|zip|codes?|coordinates?|website|url|time ?zone|utc|dst"
    r"|plates?|registration|gnis|grid|doi|dewey|identifiers?|numbering|cas number|lccn|serial|geocode)\b",
    re.IGNORECASE,
)
COMMA = frozenset(
    ("de", "fr", "es", "it", "pt", "nl", "ru", "pl", "sv", "da", "nb", "no", "fi", "cs", "tr", "uk", "id")
)
"""Languages that write a decimal comma, and a point or a space between thousands."""

Found = tuple[int, int, Value]


def find_numbers(
    text: str, *, label: str = "", language: str = "en", taken: list[tuple[int, int]]
) -> list[Found]:
    """Return the numbers of a text in order, each with the same value in other units and what brackets add.

    Parameters
    ----------
    label
        Of the field: telephone numbers, codes and the like are no quantities.
    language
        For the decimal mark; where it is not known, numbers with marks are left out.
    taken
        Places that have been read as something else.
    """
    if _NOT_NUMBERS.search(label):
        return []
    found: list[Found] = []
    for match in _pattern(language).finditer(text):
        start, end = match.span()
        if any(start < other_end and other < end for other, other_end in taken):
            continue
        value = _value(match.groupdict(), match.group().strip(), language)
        if value is None:
            continue
        bracket = _open_bracket(text, start)
        if bracket >= 0 and found and _belongs(text, found[-1], bracket):
            before_start, before_end, before = found[-1]
            if _same(before, value):
                also = (
                    before.also if value.to is not None else (*before.also, (value.number or 0.0, value.unit))
                )
                found[-1] = (before_start, before_end, replace(before, also=also))
                continue
            if not value.unit:
                continue  # "2021 census" is the note of what stands before
        found.append((start, end, value))
    return [_with_note(text, each) for each in found]


_PATTERNS: dict[str, re.Pattern[str]] = {}


def _pattern(language: str) -> re.Pattern[str]:
    """Return the pattern of numbers with the marks of a language."""
    manner = "en" if language in ("en", "simple") else "comma" if language in COMMA else "bare"
    if manner not in _PATTERNS:
        between, point = {"en": (",", r"\."), "comma": (r"\.", ","), "bare": ("", "")}[manner]
        whole = rf"\d{{1,3}}(?:[{between}{_GAP}]\d{{3}})+(?!\d)|\d+" if between else r"\d+"
        part = rf"(?:{point}\d+)?" if point else r"(?![.,]\d)"
        number = rf"(?:{whole}){part}"
        _PATTERNS[manner] = re.compile(
            rf"{_ABOUT}(?<![\w.,:/^#\[⁄])(?:(?P<money>{_CURRENCY})\s?)?(?P<sign>(?<![\w)])[-+\u2212])?"
            rf"(?<![\d.,:/+A-Za-z])(?P<number>{number})(?:\s?(?:–|—|-|to)\s?(?P<to>{number}))?"
            r"(?:(?<=10)\^(?P<ten>-?\d+))?"
            rf"(?:\s?[×x]\s?10\^?(?P<power>[-−]?\d+|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?"
            rf"(?:[\s{_GAP}]?(?P<scale>{'|'.join(_SCALES)})\b)?"
            rf"(?:[\s{_GAP}-]?(?P<unit>{_UNIT})(?![\w²³]))?"
            rf"(?:\s(?P<inches>\d{{1,2}}(?:\.\d+)?)\s(?:in|inches)\b)?"
            r"(?![:\d⁄]|[.,+]\d)(?P<rest>st|nd|rd|th)?(?![A-Za-z°])"
        )
    return _PATTERNS[manner]


def _value(parts: dict[str, str | None], text: str, language: str) -> Value | None:
    number = _float(parts["number"] or "", language)
    to = _float(parts["to"], language) if parts["to"] else None
    power = (parts["power"] or parts["ten"] or "").translate(_RAISED)
    if parts["ten"]:
        number /= 10  # "10^6" is 1 times that
    if len(power) > 4:
        return None
    factor = _SCALES.get(parts["scale"] or "", 1.0)
    unit = _KNOWN.get(re.sub(r"\s+", " ", parts["unit"] or ""), "") or _spaced(parts["unit"])
    if parts["money"]:
        unit = CURRENCIES[parts["money"]]
    if parts["inches"]:
        if unit != "ft":
            return None
        number += float(parts["inches"]) / 12
    scale = factor * float(f"1e{power}") if power else factor
    number, to = _scaled(number, scale), None if to is None else _scaled(to, scale)
    if (parts["sign"] or "+") != "+":
        number = -number
    if number in (float("inf"), float("-inf")) or to == float("inf"):
        return None
    return Value("number", text, number=number, unit=unit, to=to, about=bool(parts["about"]))


def _spaced(written: str | None) -> str:
    """Return the unit of one written without its space: ``sqmi``."""
    if not written:
        return ""
    bare = re.sub(r"\s", "", written)
    return next((unit for word, unit in _KNOWN.items() if word.replace(" ", "") == bare), "")


def _scaled(number: float, scale: float) -> float:
    """Return a number times a scale, without the noise of a product: 1.2 million is 1200000."""
    return float(f"{number * scale:.15g}") if scale != 1 else number


def _float(text: str, language: str) -> float:
    for gap in _GAP:
        text = text.replace(gap, "")
    text = text.replace(".", "").replace(",", ".") if language in COMMA else text.replace(",", "")
    return float(text) if len(text) < 300 else float("inf")


def _open_bracket(text: str, place: int) -> int:
    """Return where the bracket opens that a place stands in, -1 for none."""
    depth = 0
    for at in range(place - 1, max(-1, place - 200), -1):
        if text[at] == ")":
            depth += 1
        elif text[at] == "(":
            if depth == 0:
                return at
            depth -= 1
    return -1


def _belongs(text: str, before: Found, bracket: int) -> bool:
    """Tell whether a bracket stands behind a value, with no other words between."""
    return (before[1] <= bracket and not text[before[1] : bracket].strip()) or before[1] > bracket


def _same(before: Value, value: Value) -> bool:
    """Tell whether two values can be one quantity in two units."""
    kinds = _KIND.get(before.unit), _KIND.get(value.unit)
    return bool(before.unit) and before.unit != value.unit and kinds[0] is not None and kinds[0] == kinds[1]


def _with_note(text: str, found: Found) -> Found:
    """Return a value with what the brackets behind it say, where that is no number with a unit."""
    start, end, value = found
    brackets = re.compile(r"\s?\(([^()]{1,80})\)").match(text, end)
    if brackets and value.also and not re.search(r"[;,]\s*[A-Za-z]", brackets.group(1)):
        brackets = brackets.re.match(text, brackets.end())
    if brackets is None or not re.search(r"[A-Za-z]{3}|\b\d{4}\b", brackets.group(1)):
        return found
    return start, end, replace(value, note=brackets.group(1).strip())
