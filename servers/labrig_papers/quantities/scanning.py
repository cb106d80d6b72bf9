"""Where numbers with units stand in a marked text (``10^{6}``, ``La_{1.85}``); digits of formulas are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from labrig.errors import LabrigError
from labrig_papers.materials.elements import SYMBOLS
from labrig_papers.quantities.designations import names_of_things
from labrig_papers.values.numbers import pattern
from labrig_papers.values.reading import Value, read_value
from labrig_papers.values.registry import known
from labrig_papers.values.text import fold
from labrig_papers.values.units import atom_pattern, read_unit

_NO_VALUE_BEFORE = re.compile(
    r"(?:\b(?:Figs?|Figures?|Tables?|Refs?|References?|Eqs?|Equations?|Secs?|Sections?|No|Nos|Vol|Chap|Appendix|pp?)"
    r"\.?\s*[(\[]?|\[)$"
)
_QUALIFIER = re.compile(
    r"(?:(?:up to|at most|at least|no more than|not more than|below|under|less than|lower than|above|over|more than|"
    r"greater than|higher than|exceed(?:s|ing)|about|approximately|approx\.|around|roughly|nearly|"
    r"close to|almost|ca\.)\s*"
    r"|[~<>≤≥≲≳]\s*){1,2}$",
    re.IGNORECASE,
)

_SURROUNDS = re.compile(r"(?:under|over)\s*$", re.IGNORECASE)
"""Words that say in what, or for how long, and no bound: under 0.2 MPa, over 2 h."""


_CHANGED = re.compile(
    r"\b(?:ris|rose|increas|decreas|rais|lower|reduc|suppress|enhanc|shift|drop|fall|fell|grow|grew|improv|jump|declin|"
    r"climb|sink|sank|chang|convert|went|goes|move)\w*\s(?:[\w{}^]+\s){0,7}from\s*$",
    re.IGNORECASE,
)
"""What goes from one value to another has two values, and is no range of them: "rises from 24.1 to 26.3 K"."""


_SIDES = re.compile(r"(?<![\d.])(?:\d+(?:\.\d+)?\s?×\s?){1,2}$")
_SHARED_POWER = re.compile(
    r"\((?P<first>\d+(?:\.\d+)?)\s?(?:-|~|to)\s?(?P<second>\d+(?:\.\d+)?)\)"
    r"(?P<power>\s?[×x]\s?10\s?\^\{?\s?[+-]?\d+\s?\}?)"
)
"""A range in brackets before one power of ten: (1.2-2.4) × 10^{6}."""
_TWO_PHASES = re.compile(r"(?P<first>\d+)\s\((?P<second>\d+)\)")
"""60 (90) K: a number behind a space that is too large for an uncertainty is of another phase."""
PRODUCT = "a product of sides, whose unit may be that of each or of the product"


@dataclass(frozen=True)
class Found:
    """A value in a text: its span, the value, or why it cannot be read (``problem``)."""

    start: int
    end: int
    text: str
    value: Value | None
    problem: str = ""


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    first = re.compile(rf"(?<![\w.^_{{}}])(?<!\+/)(?<!\+/ ){pattern('1')}")
    joint = re.compile(rf"\s?(?P<joint>-|~|\bto\b|\band\b|\bor\b)\s?(?P<second>{pattern('2')})(?![\d.]*\d)")
    exponent = r"(?:\^\{\s?-?\d\s?\}|\^-?\d|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|-?[1-6](?!\d|\.\d))"
    piece = rf"(?:{atom_pattern()})(?![a-zA-Z]{{3}}){exponent}?"
    unit = re.compile(
        rf"\s?(?P<unit>(?:(?:(?:holes?|electrons?|carriers?)\s?)?/\s?)?{piece}(?:\s?[/·(]\s?\(?\s?{piece}\)?|\s(?:per\s)?{piece}|[-.]{piece}|{piece})*\)?)"
    )
    return first, joint, unit


_SET_FAR_APART = re.compile(r"\b[a-z]{2,}\s[~≈∼]?\s?$")
"""Words before a number that goes on behind an empty line, as between lines set far apart; a label has none."""
UNKNOWN_GLYPH = "a glyph that no font names touches it: compare the picture of the page (show_page)"
_GLYPH = "[\ufffd\ue000-\uf8ff]"
_GLYPH_BEFORE, _GLYPH_BEHIND = re.compile(rf"{_GLYPH}\s?[(\[]?$"), re.compile(rf"\s?{_GLYPH}")
_GLYPH_IN = re.compile(rf"\s?{_GLYPH}\s?(?:[A-Za-zμΩÅ%°]{{1,4}}(?![A-Za-z])(?:\^\{{-?\d\}})?)?")
"""A glyph behind a number, and what may be the rest of its unit."""


def scan(text: str) -> Iterator[Found]:
    """Yield the values with units in a marked text, in order; two values that share a unit are two.

    A number whose exponent lost its place (``1.2 × 106 A/cm^{2}``) is yielded with the problem and no value, and so is
    one that an unknown glyph touches, which may be ``±``, ``−`` or the ``μ`` of its unit.
    """
    for each in _scan(text):
        before = _GLYPH_BEFORE.search(text[max(0, each.start - 3) : each.start])
        if each.value is not None and (before or _GLYPH_BEHIND.match(text, each.end)):
            each = Found(each.start, each.end, each.text, None, UNKNOWN_GLYPH)
        yield each


def _scan(text: str) -> Iterator[Found]:
    folded = _one_line(text)
    first, joint, _ = _patterns()
    named = names_of_things(folded)
    at = 0
    while match := first.search(folded, at):
        start, end = match.start(), match.end()
        before = folded[max(0, start - 24) : start]
        thing = named.get(start)
        if thing or _NO_VALUE_BEFORE.search(before) or re.search(r"[A-Za-z]-$", before):
            at = max(end, start + 1, thing or 0)
            continue
        if (both := _SHARED_POWER.match(folded, start - 1)) and (shared := _unit_end(folded, both.end())):
            power, unit = both["power"], folded[both.end() : shared]
            raw = f"{both['first']}{power}-{both['second']}{power}{unit}"
            yield _read(text, folded, start - 1, shared, raw)
            at = shared
            continue
        unit_end = _unit_end(folded, end)
        if unit_end is None and _SET_FAR_APART.search(before) and folded[end : end + 2] == "  ":
            unit_end = _unit_end(folded, end + 1)
        if unit_end is None and (strange := _GLYPH_IN.match(folded, end)):
            if strange.group(0)[
                -1
            ].isalnum():  # "200 \ufffdm"; of "50 \ufffd 5 nm" the second number has the problem
                yield Found(start, strange.end(), text[start : strange.end()], None, UNKNOWN_GLYPH)
            at = strange.end()
            continue
        two = _TWO_PHASES.fullmatch(folded, start, end) if unit_end is not None else None
        if two is not None and float(two["second"]) > 0.5 * float(two["first"]):
            unit = folded[end:unit_end]
            yield _read(text, folded, start, two.end("first"), two["first"] + unit)
            yield _read(text, folded, two.start("second"), unit_end or end, two["second"] + unit)
            at = unit_end or end
            continue
        if unit_end is None and (hyphened := _hyphened_end(folded, end)):
            yield _read(text, folded, start, hyphened, f"{folded[start:end]} {folded[end + 1 : hyphened]}")
            at = hyphened
            continue
        if unit_end is not None and (sides := _SIDES.search(before)):
            first_at = start - len(sides.group(0))
            yield Found(first_at, unit_end, text[first_at:unit_end], None, PRODUCT)
            at = unit_end
            continue
        if unit_end is None and (both := joint.match(folded, end)):
            shared = _unit_end(folded, both.end())
            if shared is not None:
                changed = both["joint"] == "to" and _CHANGED.search(folded[max(0, start - 80) : start])
                if both["joint"] in ("and", "or") or changed:
                    unit = folded[both.end() : shared]
                    yield _read(text, folded, start, end, folded[start:end] + unit)
                    yield _read(text, folded, both.start("second"), shared)
                else:
                    yield _read(text, folded, start, shared)
                at = shared
                continue
        if unit_end is None and (members := _members(folded, start, end)):
            last = members[-1][1]
            shared = _unit_end(folded, last)
            for first_at, last_at in members[:-1]:
                yield _read(text, folded, first_at, last_at, folded[first_at:last_at] + folded[last:shared])
            yield _read(text, folded, members[-1][0], shared or last)
            at = shared or last
        elif unit_end is not None and folded[unit_end : unit_end + 1] == ":" and folded[end].isalpha():
            at = unit_end  # a mark of a line or a list, as "0g:"
        elif unit_end is not None and (counted := _counted_end(folded, start, unit_end)):
            yield _read(text, folded, start, counted)
            at = counted
        elif unit_end is not None and (rest := _unknown_rest(folded, unit_end)):
            problem = f"its unit goes on with {rest!r}, which is not known"
            yield Found(start, unit_end, text[start:unit_end], None, problem)
            at = unit_end
        elif unit_end is not None:
            longer = _goes_on(folded, start, unit_end)
            yield _read(text, folded, start, longer)
            at = longer
        else:
            at = max(end, start + 1)


def _goes_on(folded: str, start: int, end: int) -> int:
    """Return where a value ends whose unit is printed twice: ``39.2 K ± 0.3 K``, ``1.8 K-300 K``, ``1.8 K to 4 K``."""
    second = re.compile(rf"(?:\s?±\s?|-|\s-\s|\s(?P<to>to)\s){pattern('3')}").match(folded, end)
    before = folded[max(0, start - 80) : start]
    if second and second["to"] and (_CHANGED.search(before) or not re.search(r"\bfrom\s*$", before)):
        return end
    last = _unit_end(folded, second.end()) if second else None
    if last is None:
        return end
    try:
        whole, one = read_value(folded[start:last]), read_value(folded[start:end])
    except LabrigError:
        return end
    return last if whole.unit.dimension == one.unit.dimension and whole.kind in ("one", "range") else end


_SYMBOL = r"(?P<symbol>[A-Za-zξλρκ][\w{}^∥⊥]{0,10}(?:\(0\))?)\s?[=~]\s?"
MOST_MEMBERS = 12


def _members(folded: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the numbers of a list whose last one has the unit: ``4.2, 10, and 20 K``, ``a = 3.09 and c = 3.52 Å``.

    Empty where there is none: without "and" a comma parts two things.
    """
    named = re.search(rf"{_SYMBOL}$", folded[max(0, start - 20) : start])
    joint = re.compile(
        rf"\s?(?P<joint>,\s?(?:and\s|or\s)?|and\s|or\s)\s?(?:{_SYMBOL})?(?P<next>{pattern('4')})(?![\d.]*\d)"
    )
    members, at, ended = [(start, end)], end, False
    while len(members) < MOST_MEMBERS and not ended and (match := joint.match(folded, at)):
        if bool(match["symbol"]) != bool(named) or re.fullmatch(r"(?:19|20)\d\d", match["next"]):
            return []
        if named and match["symbol"] and not _alike(named["symbol"], match["symbol"]):
            return []
        members.append((match.start("next"), match.end()))
        at, ended = match.end(), match["joint"].strip(", ") in ("and", "or")
        if _unit_end(folded, at) is not None:
            return members if ended else []
    return []


def _alike(one: str, other: str) -> bool:
    """Tell whether two symbols are of one kind: a and c, ξ_{ab} and ξ_{c}."""
    return one[0] == other[0] or {one, other} <= set("abc")


def bare_numbers(text: str) -> Iterator[Found]:
    """Yield numbers without a unit that stand behind an equals sign or a verb: ``ratio is 5.7``."""
    folded = _one_line(text)
    first, _, _ = _patterns()
    for match in first.finditer(folded):
        if refused := _refused_units().match(folded, match.end()):
            yield _read(text, folded, match.start(), refused.end())
            continue
        before = folded[max(0, match.start() - 16) : match.start()]
        after = folded[match.end() : match.end() + 8]
        said = re.search(r"(?:[=~<>≤≥]|\bis|\bwas|\bof|\bvalue|\bto be|\bto|\breached|\breaches)\s*$", before)
        goes_on = re.match(r"[^\W_]|\s?[∆Δ∂√∇(]|[\w.]*\d|\s?[×x/]\s?", after) is not None
        if said and not goes_on and _unit_end(folded, match.end()) is None:
            if strange := _strange_unit(folded, match):
                problem = f"The unit {strange['unit']!r} is not known"
                yield Found(match.start(), strange.end(), text[match.start() : strange.end()], None, problem)
                continue
            second = re.compile(rf"-(?:{pattern('3')})(?![\w.]*\d)").match(folded, match.end())
            yield _read(text, folded, match.start(), second.end() if second else match.end())


def _one_line(text: str) -> str:
    """Return a text folded, of the same length, its lines as one; a line feed stays behind a line with cells.

    A number at the end of a row, or of the ticks of an axis, has no unit in the next line.
    """
    folded = fold(text.replace("\t", "\x01")).replace("\u00ad", " ")
    lines = folded.split("\n")
    return "".join(line + ("\x01" if "\x01" in line else " ") for line in lines)[: len(text)]


_BRACKETED = re.compile(r"\s?\(\s?(?=[^()]{2,24}\s?\)|[KT]\))")
_HYPHENED = frozenset({"length", "magnetic_field", "temperature", "pressure", "time", "energy", "frequency"})


def _hyphened_end(folded: str, at: int) -> int | None:
    """Return where the unit ends that a hyphen joins to its number: a 9-T magnet, 30-nm-thick."""
    end = _unit_end(folded, at + 1) if re.match(r"-[^\W\d]", folded[at : at + 2]) else None
    if end is None or not re.match(r"-[a-z]|\s[a-z]", folded[end : end + 2]):
        return None
    try:
        unit = read_unit(folded[at + 1 : end])
    except LabrigError:
        return None
    return end if unit.dimension in _HYPHENED else None


def _unit_end(folded: str, at: int) -> int | None:
    """Return where the longest unit at a position ends, its brackets included; None where there is none."""
    if bracket := _BRACKETED.match(folded, at):
        end = _bare_unit_end(folded, bracket.end())
        closing = re.compile(r"\s?\)").match(folded, end) if end is not None else None
        if closing:
            return closing.end()
    return _bare_unit_end(folded, at)


def _bare_unit_end(folded: str, at: int) -> int | None:
    unit = _patterns()[2].match(folded, at)
    if unit is None:
        return None
    end = unit.end()
    start = unit.start("unit")
    while end > start:
        if folded[start:end].count(")") > folded[start:end].count("("):
            end -= 1  # of the sentence: (8.31 J mol^{-1} K^{-1})
            continue
        follows = folded[end : end + 1]
        is_french = folded[start:end] == "au" and re.match(r"\s\d", folded[end:])  # du 3 au 5 mai
        is_divided = re.search(r"/[^.]*\.(?!u\.)[A-Za-z]|\sper$", folded[start:end])  # kg/cm2.g, a gauge
        if not (follows.isalnum() or follows == "_" or is_french or is_divided):
            try:
                read = read_unit(folded[start:end])
                several = folded[start:end].count("^") > 1  # s^{-1}K^{-1}
                written_out = several or len(folded[start:end].split()) > 1 or "/" in folded[start:end]
                if read.dimension not in ("other", "1") or (
                    read.dimension == "other" and written_out and _EXPLICIT.search(folded[start:end])
                ):
                    return end
            except LabrigError as error:
                if "susceptibility" in error.what:
                    return end
        shorter = re.match(
            r"^(.*?)(?:[\s/·(\-.]+[^\s/·(\-.]+|\^\{?-?\d+\}?|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|\)|-?\d)$",
            folded[start:end],
            re.DOTALL,
        )
        if shorter is None or not shorter[1]:
            return None
        end = start + len(shorter[1])
    return None


_EXPLICIT = re.compile(r"/|\^\s?\{?\s?-|⁻")
"""What shows that letters behind a number are a unit, even one of no named dimension: a slash, a negative power."""
_UNKNOWN = re.compile(
    r"\s?·?\s?(?P<unit>/\s?\(?[A-Za-zμΩ%]{1,8}|[A-Za-zμΩ√]{1,6}\s?(?:\^\s?\{?\s?-\s?\d|⁻|\^\{\d[/.]\d))"
)


def _unknown_rest(folded: str, end: int) -> str:
    """Return how a unit goes on that is known only in its beginning: J V^{-1} eq^{-1}, mmol/kgw; else empty."""
    rest = _UNKNOWN.match(folded, end)
    return rest["unit"] if rest else ""


@lru_cache(maxsize=1)
def _refused_units() -> re.Pattern[str]:
    """Return words behind a number that are units of two meanings, so that their values are said to be refused."""
    words = sorted(each for each in known().refused if len(each) == 3 and each.isalpha())
    return re.compile(rf"\s?(?:{'|'.join(words)})(?![\w-])")


_STRANGE = re.compile(
    r"\s(?P<unit>[A-Za-zμ]{1,5}(?:/[A-Za-zμ]{1,5})?(?:\^\{-?\d\})?)(?=\s*(?:[,;:)]|\.(?:\s|$)|$|\s(?:at|and|or|in|for|with|"
    r"under|on|when|where|from|by|to|as|is|was|are|were|while|which|after|before|near|within)\b))"
)
_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a about above after all also an and are as at away axis bands bar based basis bcs be before below both "
        "but by cells cm data days deep dots each eq eqs even faces fig figs films fold for from full hence here "
        "high higher holes i if ii iii in into ions is it its just large late later layer less long low lower "
        "many modes more most much near new no non not now of off on once only onset or our out over pairs parts "
        "per phase ratio ref refs rms runs s same sect see set shown sigma sites size small so some spins steps "
        "such sum t tab table than that the their them then there these they this those thus ticks times to too "
        "total unit units up upon us used v very via vs was we well were when where while wide width with wrt x y "
        "yield z",
    )
)


def _strange_unit(folded: str, number: re.Match[str]) -> re.Match[str] | None:
    """Return a short word behind a decimal number that ends what is said of it as a unit does: 35.2 psx, 3.1 mJy/beam.

    It is said to be unknown, where to leave the value out would hide it. Words of English, names of elements and
    whole numbers, which are counts of something, are none.
    """
    found = _STRANGE.match(folded, number.end())
    decimal = re.search(r"\.\d|±", number.group(0)) is not None
    written_out = found is not None and ("/" in found["unit"] or "^" in found["unit"])
    if (
        found is None
        or not (decimal or written_out)
        or found["unit"].casefold() in _WORDS
        or found["unit"] in SYMBOLS
    ):
        return None
    return found if written_out or not found["unit"].istitle() else None


_PER = re.compile(
    r"(?:\s?/\s?|\sper\s)(?:[A-Z][a-z]?(?:[\s-](?:atom|ion))?|formula unit|unit cell|f\.u\.|atom|ion)\b"
)


def _counted_end(folded: str, start: int, end: int) -> int | None:
    """Return where a value ends that goes on with what it is counted by: 2.83 μ_{B}/Ni, 0.87 μ_{B} per Fe."""
    match = _PER.match(folded, end)
    if match is None:
        return None
    try:
        per = read_value(folded[start : match.end()]).unit.per
    except LabrigError:
        return None
    return match.end() if per else None


def _read(text: str, folded: str, start: int, end: int, raw: str = "") -> Found:
    raw = raw or folded[start:end]
    qualifier = _QUALIFIER.search(folded[max(0, start - 32) : start])
    try:
        if qualifier and _SURROUNDS.match(qualifier.group(0)):
            value = read_value(raw)
            if value.unit.dimension in ("pressure", "magnetic_field", "time"):  # under 0.2 MPa, over 2 h
                return Found(start, end, text[start:end], value)
        if qualifier:
            start -= len(qualifier.group(0))
            raw = qualifier.group(0) + raw
        return Found(start, end, text[start:end], read_value(raw))
    except LabrigError as error:
        return Found(start, end, text[start:end], None, error.what)
