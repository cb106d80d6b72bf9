"""Where numbers with units stand in a marked text (``10^{6}``, ``La_{1.85}``); digits of formulas are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from labrig.errors import LabrigError
from labrig_papers.values.numbers import pattern
from labrig_papers.values.reading import Value, read_value
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
    first = re.compile(rf"(?<![\w.^_{{}}]){pattern('1')}")
    joint = re.compile(rf"\s?(?P<joint>-|~|\bto\b|\band\b|\bor\b)\s?(?P<second>{pattern('2')})(?![\d.]*\d)")
    exponent = r"(?:\^\{\s?-?\d\s?\}|\^-?\d|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|-?[1-6](?![\d.]))"
    piece = rf"(?:{atom_pattern()})(?![a-zA-Z]{{3}}){exponent}?"
    unit = re.compile(rf"\s?(?P<unit>{piece}(?:\s?[/·(]\s?\(?\s?{piece}\)?|\s{piece}|-{piece}|{piece})*\)?)")
    return first, joint, unit


def scan(text: str) -> Iterator[Found]:
    """Yield the values with units in a marked text, in order; two values that share a unit are two.

    A number whose exponent lost its place (``1.2 × 106 A/cm^{2}``) is yielded with the problem and no value.
    """
    folded = _one_line(text)
    first, joint, _ = _patterns()
    at = 0
    while match := first.search(folded, at):
        start, end = match.start(), match.end()
        before = folded[max(0, start - 24) : start]
        if _NO_VALUE_BEFORE.search(before) or re.search(r"[A-Za-z]-$", before):
            at = max(end, start + 1)
            continue
        unit_end = _unit_end(folded, end)
        if unit_end is None and (both := joint.match(folded, end)):
            shared = _unit_end(folded, both.end())
            if shared is not None:
                if both["joint"] in ("and", "or"):
                    unit = folded[both.end() : shared]
                    yield _read(text, folded, start, end, folded[start:end] + unit)
                    yield _read(text, folded, both.start("second"), shared)
                else:
                    yield _read(text, folded, start, shared)
                at = shared
                continue
        if unit_end is not None:
            yield _read(text, folded, start, unit_end)
            at = unit_end
        else:
            at = max(end, start + 1)


def bare_numbers(text: str) -> Iterator[Found]:
    """Yield numbers without a unit that stand behind an equals sign or a verb: ``ratio is 5.7``."""
    folded = _one_line(text)
    first, _, _ = _patterns()
    for match in first.finditer(folded):
        before = folded[max(0, match.start() - 16) : match.start()]
        after = folded[match.end() : match.end() + 8]
        said = re.search(r"(?:[=~<>≤≥]|\bis|\bwas|\bof|\bvalue|\bto be)\s*$", before)
        goes_on = re.match(r"[^\W_]|\s?[∆Δ∂√∇(]|[\w.]*\d|\s?[×x/]\s?", after) is not None
        if said and not goes_on and _unit_end(folded, match.end()) is None:
            yield _read(text, folded, match.start(), match.end())


def _one_line(text: str) -> str:
    """Return a text folded, of the same length, its lines as one; a line feed stays behind a line with cells.

    A number at the end of a row, or of the ticks of an axis, has no unit in the next line.
    """
    folded = fold(text.replace("\t", "\x01")).replace("\u00ad", " ")
    lines = folded.split("\n")
    return "".join(line + ("\x01" if "\x01" in line else " ") for line in lines)[: len(text)]


def _unit_end(folded: str, at: int) -> int | None:
    """Return where the longest unit that begins at a position ends, None where there is none."""
    unit = _patterns()[2].match(folded, at)
    if unit is None:
        return None
    end = unit.end()
    start = unit.start("unit")
    while end > start:
        follows = folded[end : end + 1]
        if not (follows.isalnum() or follows == "_"):
            try:
                read = read_unit(folded[start:end])
                if read.dimension not in ("other", "1"):
                    return end
            except LabrigError as error:
                if "susceptibility" in error.what:
                    return end
        shorter = re.match(
            r"^(.*?)(?:[\s/·(\-]+[^\s/·(\-]+|\^\{?-?\d+\}?|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|\)|-?\d)$",
            folded[start:end],
            re.DOTALL,
        )
        if shorter is None or not shorter[1]:
            return None
        end = start + len(shorter[1])
    return None


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
