"""Answers corrupted by program in ten ways, so that what an audit finds can be counted on anybody's records.

Each way changes one place of an answer, drawn with a seed; where an answer has no place for it, the next way is taken.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from labrig_study.audit.auditing import Audit
from labrig_study.audit.claims import Number, numbers_of
from labrig_study.audit.tracing import Trace
from labrig_study.quantities import find_quantities, scale


@dataclass(frozen=True)
class Corrupted:
    """An answer with one place changed.

    Attributes
    ----------
    start, end
        Where it was changed, in the new text.
    """

    way: str
    answer: str
    start: int
    end: int


SOUND = ("result", "rounded", "converted", "given", "counted", "derived")
_Place = tuple[int, int, str]


def _numbers(audit: Audit, *, decimals: bool = False) -> list[Trace]:
    found = [
        each
        for each in audit.numbers
        if each.status in SOUND and re.fullmatch(r"[-+−]?[\d.,]+(?:[eE][-+]?\d+)?", each.text)
    ]
    return [each for each in found if "." in each.text] if decimals else found


def _fabricate(audit: Audit, others: Sequence[Number], draw: random.Random) -> _Place | None:
    return _written(
        draw,
        _numbers(audit),
        lambda value, _: value * draw.choice([0.37, 0.61, 1.43, 1.87, 2.69]) + (abs(value) < 1),
    )


def _swap_digits(audit: Audit, others: Sequence[Number], draw: random.Random) -> _Place | None:
    for trace in _shuffled(draw, _numbers(audit)):
        places = [
            n
            for n in range(len(trace.text) - 1)
            if trace.text[n : n + 2].isdigit() and trace.text[n] != trace.text[n + 1]
        ]
        if places:
            n = draw.choice(places)
            text = trace.text[:n] + trace.text[n + 1] + trace.text[n] + trace.text[n + 2 :]
            return trace.start, trace.start + len(trace.text), text
    return None


def _scale_ten(audit: Audit, others: Sequence[Number], draw: random.Random) -> _Place | None:
    return _written(
        draw,
        [each for each in _numbers(audit) if float(each.text.replace(",", ""))],
        lambda value, _: value * draw.choice([10, 0.1]),
    )


def _flip_sign(audit: Audit, others: Sequence[Number], draw: random.Random) -> _Place | None:
    found = [each for each in _numbers(audit) if any(digit in "123456789" for digit in each.text)]
    return _written(draw, found, lambda value, _: -value)


def _last_digit(audit: Audit, others: Sequence[Number], draw: random.Random) -> _Place | None:
    return _written(
        draw,
        _numbers(audit, decimals=True) or _numbers(audit),
        lambda value, place: value + place * draw.choice([-3, -2, 2, 3]),
    )


def _wrong_unit(audit: Audit, others: Sequence[Number], draw: random.Random) -> _Place | None:
    for trace in _shuffled(draw, _numbers(audit)):
        here = next(find_quantities(audit.answer[trace.start : trace.start + 60]), None)
        if here is None or not here.unit:
            continue
        start = audit.answer.find(here.unit, trace.start + len(trace.text))
        wrong = [
            each for each in _UNITS if (found := scale(here.unit, each)) is not None and found != (1.0, 0.0)
        ]
        if start >= 0 and wrong:
            return start, start + len(here.unit), draw.choice(wrong)
    return None


_UNIT_NAMES = (
    "g/L mg/L ug/L K mK °C Pa kPa GPa bar m mm km g kg T mT Oe s h days J kJ mol mmol m/s km/h mm/day % "
)
_UNITS = _UNIT_NAMES.split()


def _other_quantity(audit: Audit, others: Sequence[Number], draw: random.Random) -> _Place | None:
    for trace in _shuffled(draw, _numbers(audit, decimals=True) or _numbers(audit)):
        mine = {float(trace.text.replace(",", "").replace("−", "-"))}
        words = {word for source in trace.sources for word in source.number.words}
        near = [
            each
            for each in others
            if each.value not in mine
            and each.firm
            and each.words != words
            and each.words & words
            and abs(each.value) < 1e9
        ]
        if near:
            return trace.start, trace.start + len(trace.text), f"{draw.choice(near).value:.6g}"
    return None


def _in_words(audit: Audit, others: Sequence[Number], draw: random.Random) -> _Place | None:
    found = _numbers(audit)
    if not found:
        return None
    trace = draw.choice(found)
    value = abs(float(trace.text.replace(",", "").replace("−", "-")))
    wrong = round(value * draw.choice([1.31, 0.57, 2.3]) + 13, 1)
    return trace.start, trace.start + len(trace.text), spell(min(wrong, 99_999.9))


def _other_name(audit: Audit, others: Sequence[Number], draw: random.Random) -> _Place | None:
    found = [
        each
        for each in audit.traces
        if each.how in ("name", "quotation", "address", "words") and each.status in ("result", "given")
    ]
    for trace in _shuffled(draw, found):
        letters = [n for n, each in enumerate(trace.text) if each.isalnum()]
        start = audit.answer.find(trace.text, trace.start)
        if start < 0 or len(letters) < 3:
            continue
        text = list(trace.text)
        for n in draw.sample(letters, 2):
            text[n] = draw.choice([each for each in "QZXJ7" if each != text[n].upper()])
        return start, start + len(text), "".join(text)
    return None


def _claim_done(audit: Audit, others: Sequence[Number], draw: random.Random) -> _Place | None:
    said = draw.choice([
        "I have saved the results to overview_final.csv.", "I have emailed the report to the team.",
        "The old records have been deleted.", "I also submitted the request.",
        "I have plotted the series in trend_all.png.",
    ])  # fmt: skip
    end = len(audit.answer.rstrip())
    return end, end, f"\n\n{said}"


_Way = Callable[[Audit, Sequence[Number], random.Random], _Place | None]
WAYS: dict[str, _Way] = {
    "another number": _fabricate,
    "two digits exchanged": _swap_digits,
    "a power of ten": _scale_ten,
    "the sign": _flip_sign,
    "the last digit": _last_digit,
    "a wrong unit": _wrong_unit,
    "the right number of another quantity": _other_quantity,
    "another number in words": _in_words,
    "another name or quotation": _other_name,
    "done without the call": _claim_done,
}


def corrupt(
    audit: Audit, results: Sequence[tuple[int, str]], way: str, draw: random.Random
) -> Corrupted | None:
    """Return an answer changed in a way, or in the next one that it has a place for; None where it has none.

    Parameters
    ----------
    audit
        Of the answer as it is: only what has a source is changed.
    """
    others = [number for _, text in results for number in numbers_of(text)]
    names = list(WAYS)
    at = names.index(way)
    for name in names[at:] + names[:at]:
        place = WAYS[name](audit, others, draw)
        if place is not None and place[2] != audit.answer[place[0] : place[1]]:
            start, end, text = place
            return Corrupted(name, audit.answer[:start] + text + audit.answer[end:], start, start + len(text))
    return None


def _shuffled(draw: random.Random, found: list[Trace]) -> list[Trace]:
    return draw.sample(found, len(found))


def _written(
    draw: random.Random, found: list[Trace], changed: Callable[[float, float], float]
) -> _Place | None:
    """Return a number replaced by what a function makes of it and its last place, printed as before."""
    if not found:
        return None
    trace = draw.choice(found)
    bare = trace.text.replace(",", "").replace("−", "-")
    mantissa, e, exponent = bare.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    value = changed(float(bare), float(f"1e{int(exponent or 0) - decimals}"))
    text = f"{value:.{decimals}e}" if e else f"{value:.{decimals}f}"
    if float(text) in (float(bare), 0.0):
        text = f"{value:.{decimals + 2}f}"
    return trace.start, trace.start + len(trace.text), text


@lru_cache(maxsize=1)
def _number_words() -> list[str]:
    from labrig_study.audit.claims import ONES, TENS

    return [*ONES, *(ten if not one else f"{ten}-{list(ONES)[one]}" for ten in TENS for one in range(10))]


def spell(value: float) -> str:
    """Return a number below 100,000 in words, to one decimal.

    >>> spell(42.5), spell(1107)
    ('forty-two point five', 'one thousand one hundred and seven point zero')
    """
    words = _number_words()
    whole, tenth = divmod(round(value * 10), 10)
    thousands, rest = divmod(whole, 1000)
    hundreds, last = divmod(rest, 100)
    said = [f"{words[thousands]} thousand"] * bool(thousands) + [f"{words[hundreds]} hundred"] * bool(
        hundreds
    )
    if last or not said:
        said.append(f"and {words[last]}" if hundreds else words[last])
    return f"{' '.join(said)} point {words[tenth]}"
