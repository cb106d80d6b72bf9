"""A whole value: qualifier, number (or range, or list), unit, and what it is in SI."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from labrig.errors import LabrigError
from labrig_papers.values.numbers import Number, number_of, pattern
from labrig_papers.values.text import fold, without_latex
from labrig_papers.values.units import BARE, Unit, read_unit

Qualifier = Literal["=", "~", "<", "<=", ">", ">=", "<~", ">~"]
Kind = Literal["one", "range", "list"]
MOST_CHARS = 400

_WORDS: tuple[tuple[str, Qualifier], ...] = (
    (r"≲|<~|<\s?≈|(?:up to|below|under|less than|at most|<|≤)\s*(?:~|about|around|approximately)", "<~"),
    (r"≳|>~|(?:above|over|more than|at least|exceeds?|>|≥)\s*(?:~|about|around|approximately)", ">~"),
    (
        r"≤|<=|up to(?: and including)?|as (?:high|large|much) as|at most"
        r"|no more than|not more than|not exceeding|maximum(?: of)?|max\.?",
        "<=",
    ),
    (r"≥|>=|as low as|at least|no less than|not less than|minimum(?: of)?|min\.(?=\s)", ">="),
    (r"<|below|under|less than|lower than|smaller than", "<"),
    (
        r">|above|over|more than|greater than|higher than|larger than|exceeds|exceeding|in excess of|beyond",
        ">",
    ),
    (
        r"~|about|approximately|approx\.?|around|roughly|nearly|near|almost|close to|circa|ca\.?|c\.(?=\s)|some",
        "~",
    ),
    (r"=|¼|of|is|at|:", "="),
)
_QUALIFIERS = tuple(
    (re.compile(rf"\s*(?:{words})(?![A-Za-z])\s*", re.IGNORECASE), sign) for words, sign in _WORDS
)


@dataclass(frozen=True)
class Value:
    """A value as a paper prints it.

    Attributes
    ----------
    text
        As printed.
    qualifier
        ``=``, ``~``, ``<``, ``<=``, ``>``, ``>=``, ``<~`` or ``>~``: what stands before the number, by sign or word.
    kind
        ``one``, ``range`` (two numbers, the ends) or ``list`` (several values of one kind).
    numbers
        In the order printed, all in `unit`.
    unit
        `units.BARE` where none is printed.
    flags
        What is doubtful, as in `Number`; ``lost_plus_minus`` where a 6 stands for the sign; ``one_end_of_a_range``.
    """

    text: str
    qualifier: Qualifier
    kind: Kind
    numbers: tuple[Number, ...]
    unit: Unit
    flags: tuple[str, ...] = ()

    @property
    def value(self) -> float | None:
        """The value, None for a range or a list."""
        return self.numbers[0].value if self.kind == "one" else None

    @property
    def uncertainty(self) -> float | None:
        """The printed uncertainty in the unit of the value."""
        return self.numbers[0].uncertainty if self.kind == "one" else None

    def si(self) -> tuple[float, ...]:
        """Return the numbers in the SI unit of the dimension."""
        return tuple(self.unit.factor * each.value + self.unit.offset for each in self.numbers)

    def to_dict(self) -> dict[str, Any]:
        """Return the value as plain data; what is empty is left out."""
        fields: dict[str, Any] = {
            "text": self.text,
            "qualifier": self.qualifier,
            "kind": self.kind,
            "value": _tidy(self.value),
            "values": [tidy(each.value) for each in self.numbers] if self.kind != "one" else None,
            "uncertainty": _tidy(self.uncertainty),
            "unit": self.unit.canonical,
            "dimension": self.unit.dimension,
            "si": list(map(tidy, self.si())) if self.kind != "one" else tidy(self.si()[0]),
            "si_unit": self.unit.si,
            "per": self.unit.per,
            "equivalence": self.unit.equivalence,
            "notes": list(self.unit.notes),
            "flags": list(self.flags),
        }
        return {key: each for key, each in fields.items() if each not in (None, "", [])}


def tidy(number: float) -> float:
    """Return a number without the noise of a multiplication: 13.2260 Å are 1.3226e-09 m."""
    return float(f"{number:.12g}")


def _tidy(number: float | None) -> float | None:
    return None if number is None else tidy(number)


@lru_cache(maxsize=1)
def _shapes() -> dict[str, re.Pattern[str]]:
    """Return the shapes of values on folded text; the unit is what no shape takes."""
    a, b = pattern("1"), pattern("2")
    unit = r"(?P<unit1>|[^\d\s(][^,;~]{0,40}?)"  # 50-80 cm s^{-1}: the minus of a power parts no range
    return {
        "range": re.compile(
            rf"(?:from|between)?\s*(?P<first>{a})\s?{unit}\s*(?P<joint>-|~|\bto\b|\.\.\.?|\band\b(?=.*))\s*(?P<second>{b})(?![\d.])\s?(?P<unit>.*)",
            re.DOTALL,
        ),
        "lost": re.compile(
            r"(?P<first>\d+(?:\.\d+)?)\s+6\s+(?P<second>\d+(?:\.\d+)?)(?![\d.])\s?(?P<unit>.*)", re.DOTALL
        ),
        "one": re.compile(rf"(?P<first>{a})(?![\d.])\s?(?P<unit>.*)", re.DOTALL),
    }


def split_qualifier(text: str) -> tuple[Qualifier, str]:
    """Return the qualifier that a folded text begins with, and the rest."""
    sign: Qualifier = "="
    for _ in range(3):  # "up to ~3.8 K", "of about 6 K"
        for qualifier, means in _QUALIFIERS:
            match = qualifier.match(text)
            if match and match.end() > 0:
                if means != "=":
                    sign = _both(sign, means)
                text = text[match.end() :]
                break
        else:
            break
    return sign, text


def _both(first: Qualifier, second: Qualifier) -> Qualifier:
    if first == "=":
        return second
    if second == "~" and first[0] in "<>":
        return "<~" if first[0] == "<" else ">~"
    return first


def read_value(text: str, meaning: str = "") -> Value:
    """Read a value with its unit.

    Parameters
    ----------
    text
        ``"~6.2 K"``, ``"36.9(2) K"``, ``"from 1.4 to 3.5 K"``, ``"4.2 and 4.6 K"``, ``"< 1.8 K"``, LaTeX too.
    meaning
        As in `read_unit`.

    Raises
    ------
    LabrigError
        If no value can be read, or the unit or number has two meanings.
    """
    if not isinstance(text, str) or not text.strip():
        raise LabrigError(
            "The value is empty", where="value", expected="a number with its unit, such as 36.9(2) K"
        )
    if len(text) > MOST_CHARS:
        raise LabrigError(
            f"The value has {len(text)} characters",
            where="value",
            expected=f"one value, at most {MOST_CHARS} characters",
        )
    folded = fold(without_latex(text)).replace("\n", " ").strip().rstrip(".;,")
    if folded.endswith(")") and folded.count(")") > folded.count("("):
        folded = folded[:-1].rstrip()  # of the sentence
    qualifier, rest = split_qualifier(folded)
    try:
        return _one(rest, text, qualifier, meaning)
    except LabrigError as error:
        for several in (_spread, _lost, _list, _range):
            try:
                value = several(rest, text, qualifier, meaning)
            except LabrigError as later:
                if "unit" not in str(error) or "unit" not in str(later):
                    raise later from None  # a range that may be a power says so
                # The shorter is the unit: "foo" of "2 - 3 foo", not "- 3 foo".
                raise min(
                    error, later, key=lambda each: len(str(each).partition(" is not used")[0])
                ) from None
            if value is not None:
                return value
        if opened := re.match(r"from\s+", rest):
            value = _one(rest[opened.end() :], text, qualifier, meaning)
            return replace(value, flags=(*value.flags, "one_end_of_a_range"))
        raise error


def _one(rest: str, text: str, qualifier: Qualifier, meaning: str) -> Value:
    match = _shapes()["one"].fullmatch(rest)
    if match is None:
        raise LabrigError(
            f"No value can be read from {text[:100]!r}",
            where="value",
            expected="a number with its unit, such as 36.9(2) K, 4.2-4.6 K or 1.2 × 10^{6} A/cm^{2}",
        )
    number = number_of(match, "1")
    unit_text = re.sub(r"^\((.*)\)$", r"\1", match["unit"].strip())
    return Value(text, qualifier, "one", (number,), read_unit(unit_text, meaning), number.flags)


def _spread(rest: str, text: str, qualifier: Qualifier, meaning: str) -> Value | None:
    """Return the value of "23.7 K ± 0.5 K", whose unit is printed twice, None where the text is none."""
    head, sign, tail = rest.partition("±")
    if not sign:
        return None
    first, second = _one(head.strip(), text, qualifier, meaning), _one(tail.strip(), text, "=", meaning)
    if first.unit.dimension != second.unit.dimension:
        return None
    spread = second.numbers[0].value * second.unit.factor / first.unit.factor
    return replace(first, numbers=(replace(first.numbers[0], uncertainty=spread),))


def _lost(rest: str, text: str, qualifier: Qualifier, meaning: str) -> Value | None:
    """Return the value of "92.5 6 0.5 K", in which an old font shows the sign ± as a 6, flagged."""
    match = _shapes()["lost"].fullmatch(rest)
    if match is None or float(match["second"]) >= float(match["first"]):
        return None
    number = Number(rest, float(match["first"]), float(match["second"]), ("lost_plus_minus",))
    return Value(text, qualifier, "one", (number,), read_unit(match["unit"], meaning), number.flags)


def _range(rest: str, text: str, qualifier: Qualifier, meaning: str) -> Value | None:
    """Return the range that a text is, None where it is none (a joint "and" without "between")."""
    match = _shapes()["range"].fullmatch(rest)
    if match is None:
        return None
    joint = match["joint"]
    lead = match.group(0)[: match.start("first") - match.start()].strip()
    if joint == "and" and lead != "between":
        return None
    first, second = number_of(match, "1"), number_of(match, "2")
    second_unit = read_unit(match["unit"], meaning)
    first_text = match["unit1"].strip()
    if first_text:
        try:
            first_unit = read_unit(first_text, meaning)
        except LabrigError:
            return None
    else:
        first_unit = second_unit
    if joint == "-" and first.text.strip() == "10" and not first_text and second.value <= first.value:
        raise LabrigError(
            f"{text[:60]!r} is a range, or a power of ten whose exponent is not raised",
            where="value",
            expected="10^{-5}, or 5-10 for a range",
            try_="look at the picture of the page",
        )
    if first_unit.dimension != second_unit.dimension:
        raise LabrigError(
            f"The ends of {text[:60]!r} have different dimensions: {first_unit.dimension} and {second_unit.dimension}",
            where="value",
        )
    if first_unit != second_unit:
        scale = first_unit.factor / second_unit.factor
        first = replace(
            first,
            value=(first.value * first_unit.factor + first_unit.offset - second_unit.offset)
            / second_unit.factor,
            uncertainty=None if first.uncertainty is None else first.uncertainty * scale,
        )
    return Value(text, qualifier, "range", (first, second), second_unit, (*first.flags, *second.flags))


def _list(rest: str, text: str, qualifier: Qualifier, meaning: str) -> Value | None:
    """Return the values of "4.2 and 4.6 K" or "0.1, 0.2 and 0.3", None where the text is no list."""
    pieces = re.split(r"\s*,\s+(?:and\s+)?|\s*;\s*|\s+and\s+|\s+or\s+|\s+&\s+", rest)
    if len(pieces) < 2 or rest.startswith("between"):
        return None
    last = _shapes()["one"].fullmatch(pieces[-1])
    if last is None:
        return None
    unit = read_unit(last["unit"], meaning)
    numbers: list[Number] = []
    for piece in pieces:
        match = _shapes()["one"].fullmatch(piece)
        if match is None:
            return None
        number = number_of(match, "1")
        own = match["unit"].strip()
        if own:
            own_unit = read_unit(own, meaning)
            if own_unit.dimension != unit.dimension:
                return None
            if own_unit != unit:
                number = replace(number, value=number.value * own_unit.factor / unit.factor)
        numbers.append(number)
    flags = tuple(flag for number in numbers for flag in number.flags)
    return Value(text, qualifier, "list", tuple(numbers), unit, flags)


def has_unit(value: Value) -> bool:
    """Return whether a unit is printed with the value."""
    return value.unit is not BARE and value.unit.canonical != ""
