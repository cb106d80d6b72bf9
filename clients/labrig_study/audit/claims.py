"""The numbers and names of a text, each with the words that say what it is: an answer's and a result's are read alike.

A number's words are those before it in its clause and a few behind it; in a JSON text the keys on its path and the
short texts beside it; in a table the head of its column and the names in its row.
"""

from __future__ import annotations

import json
import re
import unicodedata
from calendar import month_name
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from labrig.tables.units import is_unit, plain_unit
from labrig_study.quantities import Quantity, find_quantities, is_known

MOST = 400_000
"""Characters of a text that are read."""
_BEFORE, _BEHIND = 8, 3
_LITTLE = (
    "the and for with from that this was were are has have had its their of to in is it as at by on or an "
    "be been value values  result results answer about approximately which than then there our your you "
    "we not all each per can will "
)
_STOP = frozenset(_LITTLE.split())
_WORD = re.compile(r"[A-Za-z]+\d[A-Za-z0-9]*|[A-Z]?[a-zµÀ-ɏ]+|[A-Z]+(?![a-z])|[A-Z]")
_NUMBERED = re.compile(r"([A-Za-z]{2,})[ _-](\d{1,3})(?![\d.,]*\d)")
_CLAUSE = re.compile(r"[.;!?]\s|\n|\. ?$")
_CELLS = re.compile(r"\s*\|\s*|\t|,(?=\S)|\s{2,}")
_ESCAPED = re.compile(r"\\[nrt]")
_KEYED = re.compile(r"[\s*#>|-]*[A-Za-z][\w ()./%\"'-]{0,60}[:=]\s*[*\"'$€£]*$")
_PIECES = re.compile(
    r"https?://\S+|10\.\d{4,9}/\S+|\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?|\d{1,2}:\d\d(?::\d\d)?(?![\d.])|\d+(?:[-.]\d+){2,}"
    r"|[A-Za-z][A-Za-z0-9]*[-_][\w-]*\d[\w-]*"
)
"""Days, times, telephones, addresses and names: their digits are no numbers of their own, but for a year."""
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_BRACKETED = re.compile(r"[(\[]([^()\[\]]{1,24})[)\]]")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a text: `Quantity`, with the words that say what it is.

    Attributes
    ----------
    firm
        Whether a heading, a key or a line of its own says what it is.
    """

    value: float
    place: float
    unit: str
    words: frozenset[str]
    start: int
    end: int
    firm: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a text: a word with digits, a path, an address, a quotation, capitalised words, a day, a time."""

    kind: str
    text: str
    start: int


def words_of(text: str) -> frozenset[str]:
    """Return the words by which a number is known, in one case and number.

    >>> sorted(words_of("meanTemperature of the wells_A, Spring 2"))
    ['a', 'mean', 'spring', 'spring2', 'temperature', 'well']
    """
    found = [each.casefold() for each in _WORD.findall(text)]
    found += (f"{name.casefold()}{n}" for name, n in _NUMBERED.findall(text) if name.casefold() not in _STOP)
    return frozenset(
        each[:-1] if len(each) > 3 and each.endswith("s") else each for each in found if each not in _STOP
    )


# ------------------------------------------------------------------------------------------------------- numbers


def numbers_of(text: str, words: frozenset[str] = frozenset(), at: int = 0) -> Iterator[Number]:
    """Give the numbers of a text, in order.

    Parameters
    ----------
    words
        What is known of all of them.
    at
        Where the text stands in a longer one.
    """
    text = text[:MOST]
    heads: list[str] = []
    before = ""
    where = at
    if (whole := _embedded(text)) is not None:
        start, end, tree = whole
        yield from _Walk(text[start:end], at + start).numbers(tree, words | words_of(text[:start]))
        text, where = text[end:], at + end
    for line in _ESCAPED.sub("  ", text).splitlines(keepends=True):
        if (inner := _embedded(line)) is not None:
            start, end, tree = inner
            named = words | words_of(line[:start])
            yield from _Walk(line[start:end], where + start).numbers(tree, named)
            line, where = line[end:], where + end
        cells = _CELLS.split(line.strip().strip("|").strip())
        found = _with_units(line, list(find_quantities(line)))
        if len(cells) > 1 and not found:
            heads = cells if not set(line) <= set("|-=: \t\r\n+") else heads
        tabled = len(cells) > 1 and len(cells) == len(heads)
        row = words_of(" ".join(each for each in cells if not _begins_number(each))) if tabled else words
        pieces = [each.span() for each in _PIECES.finditer(line)] if found else []
        past = 0
        for each in found:
            if tabled:
                head = heads[_column(line, each, len(cells))]
                named, unit, firm = row | words_of(head), each.unit or unit_of(head), True
            else:
                said = _around(line, each, past)
                if before and len(line[: each.start].split()) < 4:  # a sentence that was broken here
                    said = f"{' '.join(before.split()[-_BEFORE:])} {said}"
                named, unit = words_of(said), each.unit
                firm = len(found) == 1 and _KEYED.match(line[: each.start]) is not None
            past = each.end + len(each.unit) + bool(each.unit)
            if any(a <= each.start < b for a, b in pieces) and not _YEAR.fullmatch(
                line, each.start, each.end
            ):
                continue
            yield Number(
                each.value, each.place, unit, words | named, where + each.start, where + each.end, firm
            )
        where += len(line)
        before = "" if tabled or re.search(r"[.:;!?|]\W*$|^\W*$", line) else line


def _embedded(text: str) -> tuple[int, int, Any] | None:
    """Return where JSON stands at the start of a text, behind a tag, a fence or a key, and its tree."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    try:
        tree, end = _DECODER.raw_decode(text, opening.end())
    except (ValueError, RecursionError):
        return None
    return (opening.end(), end, tree) if tree and not isinstance(tree, _Raw) else None


_OPENING = re.compile(r"\s{0,20}(?:<\w{1,40}>|```\w{0,20}|\w[\w .()-]{0,40}[:=])?\s{0,20}(?=[\[{])")


def _with_units(line: str, found: list[Quantity]) -> list[Quantity]:
    """Give numbers without a unit that of the next one in a chain: ``29.7 × 21 cm``, ``5 to 7 K``."""
    for n in range(len(found) - 2, -1, -1):
        between = line[found[n].end : found[n + 1].start]
        if (
            not found[n].unit
            and found[n + 1].unit
            and re.fullmatch(r"\s*(?:×|x|by|to|and|or|[-–±])\s*", between)
        ):
            found[n] = replace(found[n], unit=found[n + 1].unit)
    return found


def _begins_number(cell: str) -> bool:
    return re.match(r"[-+−]?\.?\d", cell) is not None


def _column(line: str, found: Quantity, many: int) -> int:
    before = line[: found.start].lstrip().removeprefix("|").lstrip()
    return min(len(_CELLS.findall(before)), many - 1)


def _around(line: str, found: Quantity, past: int) -> str:
    before = _CLAUSE.split(line[max(0, found.start - 160) : found.start])[-1]
    nearer = line[past : found.start]
    if len(words_of(nearer)) > 1:  # what comes behind an earlier number is this one's alone
        before = before[-len(nearer) :]
    end = found.end + len(found.unit) + bool(found.unit)
    behind = re.split(r"[\d.;,(\n]|\b(?:and|or|but)\b", line[end : end + 60])[0]
    return " ".join((*before.split()[-_BEFORE:], *behind.split()[:_BEHIND]))


def unit_of(heading: str) -> str:
    """Return the unit that a heading names: in brackets, or bare where nothing else ends so."""
    for each in _BRACKETED.findall(heading):
        if is_unit(each):
            return str(each)
    return plain_unit(heading)


_OPAQUE = re.compile(r"://|[0-9a-f]{12}|\d{4}-\d\d")
"""Texts that say nothing of the numbers beside them."""


def _unit_in(*names: str) -> str:
    """Return the unit that one of some names has among its words, as ``elapsed_hours`` and ``burnt_ha``."""
    for name in names:
        words = name.replace("sq_km", "km2").split("_")
        if not re.fullmatch(r"\w+", name) or len(words) < 2:
            continue
        if unit := plain_unit(" ".join(words)):
            return unit
        for each, behind in zip(words, [*words[1:], ""], strict=True):
            named = len(each) > 3 and each not in _NO_UNITS and behind not in ("in", "of", "above", "below")
            if named and is_unit(each) and is_known(each):
                return each
    return ""


_NO_UNITS = ("year", "count", "counts", "number", "ratio")


class _Raw(str):
    """A number of a JSON text as it is written there."""

    __slots__ = ()


class _Pairs(list[tuple[str, Any]]):
    """An object of a JSON text, its keys in order."""


_VALUES = ("value", "result", "answer", "amount")
_PLACES = frozenset(["page", "line", "row", "index", "count", "year", "rank", "id", "tol", "n"])
"""Words of keys whose numbers do not have the unit that stands beside them."""


_DECODER = json.JSONDecoder(parse_int=_Raw, parse_float=_Raw, object_pairs_hook=_Pairs)


class _Walk:
    """The leaves of a JSON text with their places: values come in the order in which they are written."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at, self.past = text, at, 0

    def _place(self, written: str) -> int:
        found = self.text.find(written, self.past)
        if found < 0:
            return self.past
        self.past = found + len(written)
        return found

    def numbers(self, tree: Any, words: frozenset[str], unit: str = "") -> Iterator[Number]:
        if isinstance(tree, _Pairs):
            texts = {key: each for key, each in tree if isinstance(each, str) and not isinstance(each, _Raw)}
            beside = words_of(
                " ".join(each for each in texts.values() if len(each) <= 60 and not _OPAQUE.search(each))
            )
            mine = next((texts[key] for key in ("unit", "units") if key in texts), unit)
            for key, each in tree:
                self._place(json.dumps(key, ensure_ascii=False))
                of_key = unit_of(key) or _unit_in(key, *(texts.values() if key in _VALUES else ()))
                named = words_of(key)
                own = of_key if named & _PLACES else mine or of_key
                yield from self.numbers(each, words | beside | named, own)
        elif isinstance(tree, list):
            for each in tree:
                yield from self.numbers(each, words, unit)
        elif isinstance(tree, _Raw):
            start = self._place(tree)
            for found in find_quantities(tree):
                place = self.at + start
                yield Number(found.value, found.place, unit, words, place, place + len(tree), True)
        elif isinstance(tree, str):
            written = json.dumps(tree, ensure_ascii=False)[1:-1]
            start = self._place(written)
            held = list(numbers_of(tree, words, self.at + start))
            if len(held) == 1 and _begins_number(tree):
                held = [replace(held[0], unit=held[0].unit or unit, firm=True)]
            yield from held


_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen "
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
ONES = {word: value for value, word in enumerate(_ONES.split())}
TENS = {word: 20 + 10 * n for n, word in enumerate(_TENS.split())}
_LARGE = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9}
_SPELLED = re.compile(
    rf"\b(?:(?P<minus>minus|negative) )?(?P<whole>(?:{'|'.join((*ONES, *TENS))})"
    rf"(?:(?:[ -]| and )(?:{'|'.join((*ONES, *TENS, *_LARGE))}))*)"
    rf"(?: point (?P<part>(?:{'|'.join(ONES)})(?: (?:{'|'.join(ONES)}))*))?\b",
    re.IGNORECASE,
)


def spelled_numbers(text: str) -> Iterator[Number]:
    """Give the numbers that a text writes in words; up to twelve only with a decimal, a sign or a unit behind them.

    >>> [
    ...     each.value
    ...     for each in spelled_numbers("minus two point five, forty-two, one hundred and seven, two of them")
    ... ]
    [-2.5, 42.0, 107.0]
    """
    for found in _SPELLED.finditer(text[:MOST]):
        total = part = 0
        for word in re.findall(r"[a-z]+", found["whole"].lower()):
            if word in _LARGE and _LARGE[word] > 100:
                total, part = total + (part or 1) * _LARGE[word], 0
            else:
                part = part * 100 if word == "hundred" else part + ONES.get(word, 0) + TENS.get(word, 0)
        digits = "".join(str(ONES[each]) for each in (found["part"] or "").lower().split())
        unit = next(find_quantities("0" + text[found.end() : found.end() + 24]), None)
        if total + part <= 12 and not (digits or found["minus"] or (unit and unit.unit)):
            continue
        sign = "-" if found["minus"] else ""
        value = Quantity(
            float(f"{sign}{total + part}.{digits or 0}"),
            10.0 ** -len(digits),
            unit.unit if unit else "",
            *found.span(),
        )
        line = text.rfind("\n", 0, found.start()) + 1
        around = words_of(
            _around(text[line:], replace(value, start=found.start() - line, end=found.end() - line), 0)
        )
        yield Number(value.value, value.place, value.unit, around, value.start, value.end)


# --------------------------------------------------------------------------------------------------------- names

_MONTHS = {name.casefold()[:3]: number for number, name in enumerate(month_name) if name}
_MONTH = "|".join(rf"{name}|{name[:3]}\.?" for name in month_name if name)
_DAY = re.compile(
    rf"\b(?:(?P<a>{_MONTH}) (?P<b>\d{{1,2}})(?:st|nd|rd|th)?|(?P<c>\d{{1,2}})(?:st|nd|rd|th)? (?P<d>{_MONTH}))"
    r"(?:,? (?P<year>\d{4}))?\b|\b(?P<iso>\d{4}-\d\d-\d\d)(?!\d)",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?<![\d:.])(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d)(?::\d\d)?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\b)?(?P<span> ?[-–—] ?(?=\d))?"
)
_NAMES: dict[str, re.Pattern[str]] = {
    "address": re.compile(r"https?://[^\s<>\"'`)\]}]+|\b10\.\d{4,9}/[^\s\"'<>,;)\]}]+"),
    "path": re.compile(r"(?<![\w/.])(?:[\w.-]+/)*[\w-]{2,}\.[A-Za-z][A-Za-z0-9]{1,7}\b(?![/\w])"),
    "telephone": re.compile(r"(?<![\w.-])(?:\+?\d{1,3}[-. ])?\(?\d{3}\)?[-. ]\d{3}[-.]\d{4}(?![\w-])"),
    "quotation": re.compile(r"[\"“]([^\"“”\n]{12,600})[\"”]"),
    "code": re.compile(r"`([^`\n]{2,120})`"),
    "name": re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z][\w-]{3,}(?![\w-])"),
    "words": re.compile(
        r"(?<![\w.*#>-] )(?<=[a-z,;:] )[A-Z][\w'’-]+(?: (?:of|de|van|the) | )[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*"
    ),
}


def days_and_times(text: str) -> Iterator[Name]:
    """Give the days and times of a text in one form: ``05-20``, ``2024-05-20``, ``22:00``."""
    for found in _DAY.finditer(text):
        if found["iso"]:
            yield Name("day", found["iso"], found.start())
            continue
        month, day = _MONTHS[(found["a"] or found["d"])[:3].casefold()], int(found["b"] or found["c"])
        yield Name("day", f"{found['year'] + '-' if found['year'] else ''}{month:02}-{day:02}", found.start())
    open_at: list[re.Match[str]] = []
    for found in _TIME.finditer(text):
        if found["span"] and not found["half"]:  # of 2:00-4:00 PM the first takes its half from the second
            open_at = [found]
            continue
        for each in (*open_at, found):
            half = each["half"] or (found["half"] if each["span"] else "")
            if each["minute"] or half:
                hour = int(each["hour"]) % 12 + 12 * (half.lower() == "p") if half else int(each["hour"])
                yield Name("time", f"{hour:02}:{each['minute'] or '00'}", each.start())
        open_at = []


_NO_NAME = re.compile(r"[a-z]+[_-]\d{1,3}|[A-Z]\w*\.js")
"""What answers call their own rows (``prop_002``), and libraries that are called like files (Vue.js)."""


def names_of(text: str) -> Iterator[Name]:
    """Give the names of an answer, each place once."""
    taken: list[tuple[int, int]] = []
    for kind, pattern in _NAMES.items():
        for found in pattern.finditer(text[:MOST]):
            group = found.lastindex or 0
            start, end = found.span(group)
            if kind == "quotation" and not _is_quoted(text, start, found[group]):
                continue
            if any(start < b and a < end for a, b in taken) or _NO_NAME.fullmatch(found[group]):
                continue
            taken.append((start, end))
            yield Name(kind, found[group].rstrip(".,;:*_"), start)
    yield from days_and_times(text[:MOST])


_SAYS = re.compile(
    r"(?:\b(?:says|said|states?|stated|reads|reported|reports|writes|wrote|notes|noted|"
    r"quoted|quotes?|according to|scan)\b"
    r"[^.\n\"“]{0,40}|\"(?:quote\w*|evidence|excerpt|sentence|support)\"\s*:\s*\[?\s*)$",
    re.IGNORECASE,
)


def _is_quoted(text: str, start: int, said: str) -> bool:
    """Tell whether words in quotation marks are said to be those of a source, and are not proposed."""
    return len(said.split()) > 2 and _SAYS.search(text[max(0, start - 90) : start - 1]) is not None


def plain(text: str) -> str:
    """Return a text as names are looked for in it: words of letters and digits in one case, a space around each.

    >>> plain('T_c of "YBa₂Cu₃O₇":\\\\n92 K')
    ' t c of yba2cu3o7 92 k '
    """
    folded = unicodedata.normalize("NFKC", re.sub(r"\\[nrt]", " ", text)).casefold()
    return " " + " ".join(re.findall(r"[^\W_]+", folded)) + " "
