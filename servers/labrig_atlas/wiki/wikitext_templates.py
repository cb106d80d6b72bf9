"""The templates that are reduced by rule, as the English Wikipedia documents them: dates, measures, coordinates, lists.

A rule gives HTML. What has no rule is named where it stands and counted, never dropped in silence; what says
nothing to a reader (footnotes, navigation, maintenance) is left out, as on a page of HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from labrig_atlas.wiki.dates import MONTHS

Rule = Callable[[Mapping[int, str], Mapping[str, str]], str]
"""From arguments by place and by name, each HTML, to HTML."""

SILENT = re.compile(
    r"cite .*|citation.*|cn|sfn.*|efn.*|refn|r|rp|harv.*|snf|notelist.*|reflist.*|refbegin|refend"
    r"|webarchive|isbn|issn|doi|oclc"
    r"|short description|use [a-z]+ (?:dates|english|spelling).*|use .* english|engvar.*|defaultsort.*|displaytitle.*"
    r"|italic title|good article|featured article|pp.*|clear|-|anchor|as of|coord missing|hatnote group|toc.*"
    r"|authority ?control|taxonbar|portal.*|subject bar|commons.*|wiktionary.*|wikivoyage.*|wikisource.*|sister.*"
    r"|gutenberg.*|imdb.*|official website|navbox.*|navboxes.*|other uses.*|redirect.*|distinguish.*"
    r"|.* needed|dead link|failed verification|when|who|which|by whom|according to whom|clarify|dubious.*"
    r"|update.*|more .*"
    r"|refimprove.*|unreferenced.*|multiple issues|.* stub|stub"
    r"|audio|wide image|multiple image|image frame|location map.*|osm.*|maplink",
    re.IGNORECASE,
)
"""Names of templates that say nothing to a reader of the text, or stand for pictures, footnotes and boxes of links."""
_UNIT_SUFFIX = re.compile(r"_(m|km|ft|mi|km2|sqmi|sq_mi|ha|kg|km3|mm|cm|acre|c|f)$")
_SUFFIX = {"sqmi": "sq mi", "sq_mi": "sq mi", "acre": "acres", "c": "°C", "f": "°F"}
_HIDDEN_FIELDS = re.compile(
    r"image(?!_caption).*|photo.*|.*_alt|alt|.*_size|.*width|map.*|.*_map.*|logo.*|flag.*|.*_flag|coat.*|seal.*|pushpin.*"
    r"|label.*|.*_ref|.*_footnotes?|footnotes|name|embed.*|module.*|child|title|list_style|signature.*|zoom|relief"
    r"|.*_type\d*|width|.*_note|.*_pref|unit_pref|dimensions|.*style|above",
)
_COORDINATE_WORD = re.compile(
    r"(?:type|region|scale|dim|source|globe|display|name|format|notes):?.*", re.IGNORECASE
)


def rule_of(name: str) -> Rule | None:
    """Return the rule of a template by its name in lower case with spaces; None where there is none."""
    if name in RULES:
        return RULES[name]
    return _last if re.fullmatch(r"(?:lang-.*|ipa.*|transl(?:iteration)?|respell)", name) else None


def is_infobox(name: str) -> bool:
    """Tell whether a template is an infobox."""
    known = ("infobox", "geobox", "taxobox", "speciesbox", "automatic taxobox")
    return name.startswith(known) or name.endswith(" infobox")


def infobox_html(names: Mapping[str, str]) -> str:
    """Return an infobox as a table; what names pictures, maps and styles is left out.

    A name that ends in a unit, ``elevation_m = 4806``, gives that to its number; ``subdivision_type = Country`` is the
    label of ``subdivision_name``.
    """
    rows = []
    for name, value in names.items():
        if not value.strip() or _HIDDEN_FIELDS.fullmatch(name):
            continue
        label, words = name, value.strip()
        if (subject := re.fullmatch(r"(.*)_name(\d*)", name)) and names.get(f"{subject[1]}_type{subject[2]}"):
            label = names[f"{subject[1]}_type{subject[2]}"]
        elif (unit := _UNIT_SUFFIX.search(name)) and re.fullmatch(r"[-\u2212]?[\d,.]+", words):
            label = name[: unit.start()]
            words = f"{_number(words)} {_SUFFIX.get(unit[1], unit[1])}"
        elif re.fullmatch(r"\d{5,}", words) and "code" not in name:
            words = _number(words)
        label = label.replace("_", " ").strip()
        head = f'<th class="infobox-label">{label[:1].upper() + label[1:]}</th>'
        rows.append(f'<tr>{head}<td class="infobox-data">{words}</td></tr>')
    return f'<table class="infobox">{"".join(rows)}</table>' if rows else ""


def _number(text: str) -> str:
    """Return a number with commas between thousands, as it came if it is none."""
    bare = text.replace(",", "").replace("\u2212", "-").strip()
    if not re.fullmatch(r"-?\d{1,30}(?:\.\d{1,15})?", bare):
        return text.strip()
    whole, point, part = bare.partition(".")
    return f"{int(whole):,}{point}{part}" if whole not in ("-0",) else bare


def _convert(places: Mapping[int, str], names: Mapping[str, str]) -> str:
    """``{{convert|100|to|200|m|ft}}``: the value as it was given; what it would be in other units is not computed."""
    words: list[str] = []
    for place in sorted(places):
        word = places[place].strip()
        if words and not re.fullmatch(r"[-\u2212+]?[\d.,]+(?:e[-+]?\d+)?", word):
            if word in ("to", "-", "–", "and", "by", "x", "or", "to(-)", "+/-", "±"):
                words.append({"-": "–", "x": "by", "to(-)": "to", "+/-": "±"}.get(word, word))
                continue
            unit = {
                "sqmi": "sq mi",
                "sqkm": "km2",
                "C": "°C",
                "F": "°F",
                "acre": "acres",
                "sqft": "sq ft",
            }.get(word, word)
            return f"{' '.join(words)} {unit}".replace(" – ", "–")
        words.append(_number(word))
    return " ".join(words)


def _date(places: Mapping[int, str], names: Mapping[str, str]) -> str:
    """``{{birth date|1893|6|30}}``: year, month, day."""
    numbers = [places[place].strip() for place in sorted(places)][:3]
    if not numbers or not all(re.fullmatch(r"-?\d{1,4}", each) for each in numbers):
        return " ".join(numbers)
    year = numbers[0] if int(numbers[0]) > 0 else f"{-int(numbers[0])} BC"
    month = int(numbers[1]) if len(numbers) > 1 else 0
    if not 1 <= month <= 12:
        return year
    day = f"{int(numbers[2])} " if len(numbers) > 2 else ""
    return f"{day}{MONTHS[month - 1].capitalize()} {year}"


def _coord(places: Mapping[int, str], names: Mapping[str, str]) -> str:
    """``{{coord|45|49|57|N|6|51|52|E}}``, ``{{coord|45.8|-6.8}}``, ``{{coord|45.8|N|6.8|W}}``."""
    words = [places[place].strip() for place in sorted(places)]
    words = [word for word in words if word and not _COORDINATE_WORD.fullmatch(word)]
    groups: list[list[str]] = [[]]
    for word in words[:8]:
        groups[-1].append(word)
        if word.upper() in "NSEW":
            groups.append([])
    sides = [group for group in groups if group]
    if len(sides) == 1 and len(sides[0]) == 2:
        pair = sides[0]
        sides = [[pair[0].lstrip("-"), "S" if pair[0].startswith("-") else "N"]]
        sides.append([pair[1].lstrip("-"), "W" if pair[1].startswith("-") else "E"])
    try:
        latitude, longitude = (_degrees(side) for side in sides)
    except (ValueError, ZeroDivisionError):
        return " ".join(words)
    shown = " ".join(
        "".join(part + mark for part, mark in zip(side[:-1], "°′″", strict=False)) + side[-1]
        for side in sides
    )
    place = f'<span class="geo">{latitude:.6g}; {longitude:.7g}</span>'
    where = names.get("display", "inline")
    title = f'<span id="coordinates" style="display:none">{place}</span>' if "title" in where else ""
    inline = f'{shown}<span style="display:none">{place}</span>' if where != "title" else ""
    return inline + title


def _degrees(side: list[str]) -> float:
    *numbers, mark = side
    if not 1 <= len(numbers) <= 3:
        raise ValueError
    value = sum(float(number) / 60.0**place for place, number in enumerate(numbers))
    return -value if mark.upper() in "SW" else value


def _list(places: Mapping[int, str], names: Mapping[str, str]) -> str:
    entries = [places[place].strip() for place in sorted(places) if places[place].strip()]
    if len(entries) == 1 and entries[0].lstrip().startswith("<ul"):
        return entries[0]
    return "<ul>" + "".join(f"<li>{entry}</li>" for entry in entries) + "</ul>" if entries else ""


def _first(places: Mapping[int, str], names: Mapping[str, str]) -> str:
    return places.get(1, "")


def _last(places: Mapping[int, str], names: Mapping[str, str]) -> str:
    return places[max(places)] if places else names.get("text", "")


def _second(places: Mapping[int, str], names: Mapping[str, str]) -> str:
    return places.get(2, places.get(1, ""))


def _formatted(places: Mapping[int, str], names: Mapping[str, str]) -> str:
    return _number(places.get(1, ""))


def _value(places: Mapping[int, str], names: Mapping[str, str]) -> str:
    """``{{val|5.97|e=24|u=kg}}``."""
    power = f"×10<sup>{names['e']}</sup>" if names.get("e") else ""
    unit = names.get("u") or names.get("ul") or ""
    return f"{_number(places.get(1, ''))}{power} {unit}".strip()


def _circa(places: Mapping[int, str], names: Mapping[str, str]) -> str:
    return f"c. {places.get(1, '')}".strip()


def _joined(places: Mapping[int, str], names: Mapping[str, str]) -> str:
    return " ".join(places[place].strip() for place in sorted(places))


def _link(places: Mapping[int, str], names: Mapping[str, str]) -> str:
    """``{{flag|France}}``: a link to the page of that name, which whoever renders links makes of it."""
    return f"[[{places.get(1, '').strip()}]]" if places.get(1, "").strip() else ""


def _links(before: str) -> Rule:
    """Return a rule for notes such as ``{{main|A|B}}``."""

    def rule(places: Mapping[int, str], names: Mapping[str, str]) -> str:
        titles = ", ".join(
            f"[[{places[place].strip()}]]" for place in sorted(places) if places[place].strip()
        )
        return f'<div class="hatnote">{before} {titles}</div>' if titles else ""

    return rule


def _about(places: Mapping[int, str], names: Mapping[str, str]) -> str:
    """``{{about|the peak|the river|Osk (river)}}``."""
    words = f"This page is about {places[1].strip()}." if places.get(1, "").strip() else ""
    if places.get(2, "").strip() and places.get(3, "").strip():
        words += f" For {places[2].strip()}, see [[{places[3].strip()}]]."
    return f'<div class="hatnote">{words.strip()}</div>' if words else ""


def _text(text: str) -> Rule:
    return lambda places, names: text


RULES: dict[str, Rule] = {
    **dict.fromkeys(("convert", "cvt", "convinfobox"), _convert),
    **dict.fromkeys(
        (
            *(
                "birth date",
                "birth date and age",
                "bda",
                "dob",
                "death date",
                "death date and age",
                "start date",
                "end date",
            ),
            *(
                "start date and age",
                "birth-date",
                "death-date",
                "film date",
                "dts",
                "date",
                "birth year and age",
            ),
        ),
        _date,
    ),
    "coord": _coord,
    **dict.fromkeys(
        (
            "ubl",
            "unbulleted list",
            "plainlist",
            "plain list",
            "hlist",
            "flatlist",
            "bulleted list",
            "flat list",
        ),
        _list,
    ),
    **dict.fromkeys(
        ("nowrap", "nobr", "small", "big", "nobold", "center", "noitalic", "em", "strong", "tq"), _first
    ),
    **dict.fromkeys(("lang", "abbr", "tooltip", "color", "font color", "ill", "url"), _second),
    **dict.fromkeys(("formatnum", "comma separated entries", "nts", "number"), _formatted),
    "lang": _second,
    "abbr": _first,
    "url": _first,
    "ill": _link,
    "val": _value,
    **dict.fromkeys(("circa", "c.", "ca"), _circa),
    **dict.fromkeys(("flag", "flagcountry", "flagu", "country", "flagdeco"), _link),
    **dict.fromkeys(("flagicon", "flag icon", "increase", "decrease", "steady", "citation"), _text("")),
    **dict.fromkeys(("main", "main article"), _links("Main article:")),
    "about": _about,
    **dict.fromkeys(("see also", "seealso"), _links("See also:")),
    **dict.fromkeys(("further", "details"), _links("Further information:")),
    **dict.fromkeys(("nbsp", "spaces", "space"), _text(" ")),
    **dict.fromkeys(("snd", "spnd", "spaced ndash", "ndash"), _text(" – ")),
    **dict.fromkeys(("!",), _text("|")),
    **dict.fromkeys(("=",), _text("=")),
    **dict.fromkeys(("ft", "in", "sq", "frac", "sfrac"), _joined),
    **dict.fromkeys(
        (
            *(
                "disambiguation",
                "disambig",
                "dab",
                "hndis",
                "geodis",
                "disambiguation page",
                "human name disambiguation",
            ),
            *("place name disambiguation", "airport disambiguation"),
        ),
        _text('<span id="disambigbox"></span>'),
    ),
}
